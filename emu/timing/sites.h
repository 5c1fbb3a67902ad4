/* --timing: what the executions of an instruction at one place of the program have in common, which
 * is found once. */
#ifndef EMU_TIMING_SITES_H
#define EMU_TIMING_SITES_H

#include "emu/machine.h"
#include "emu/picture/picture.h"
#include "lib/arena.h"
#include "lib/map.h"
#include "lib/timing/value.h"
#include "lib/timing/word.h"

/* Common to all executions of an instruction at one place of the program. */
struct site {
    struct picture_site at; /* first: the pictures have pointers to it */
    unsigned id;            /* of isa_instructions; ISA_ID_COUNT: nothing that could be decoded */
    bool is_float_csr;      /* it reads or writes a CSR of floating point, */
    bool is_csr;            /* or another one, so its cycle must be known before it is executed */
    bool is_region;         /* it reads the cycle: a region begins */
    bool is_prepared;       /* its operands are needed */
    bool is_recorded;       /* its ranges are needed */
    bool has_memory; /* scalar: its ranges are needed while tensor instructions are unfinished */
    struct timed_word common;
    struct pipeline_site counts;
    uint64_t products;
};

enum { SITES_RECENT = 4096 };

struct sites {
    struct arena *arena;
    const struct config *config;
    const struct code *code;           /* of the records of instructions */
    struct map all;                    /* by address and word */
    struct site *recent[SITES_RECENT]; /* those found last */
};

/* Does control never go on after the instruction? */
static inline bool sites_always_turns(const struct site *site)
{
    const struct isa_instruction *instruction = site->common.instruction;

    return instruction->effects & ISA_EFFECT_FLOW && !instruction->inverse;
}
/* There are none yet. */
void sites_init(struct sites *sites, const struct config *config, const struct code *code,
                struct arena *arena);
/* Finds the site among all, or makes it. */
struct site *sites_look_up(struct sites *sites, uint64_t pc, uint64_t word, uint8_t length);
static inline struct site *sites_find(struct sites *sites, uint64_t pc, uint64_t word,
                                      uint8_t length)
{
    struct site **recent = &sites->recent[pc / 2 % SITES_RECENT];

    if (!*recent || (*recent)->at.pc != pc || (*recent)->at.word != word)
        *recent = sites_look_up(sites, pc, word, length);
    return *recent;
}
static inline struct site *sites_of_record(struct sites *sites, const struct decoded *record)
{
    return sites_find(sites, code_pc(record), code_word(sites->code, record), record->length);
}
/* Finds the bytes that an execution accesses, if they follow from the values of its operands; those
 * of a tile in memory are one range, from its first row to the end of its last one. Returns false
 * if there are others. */
bool sites_find_ranges(const struct sites *sites, const struct site *site, const uint64_t *operands,
                       struct execution_value *value);

#endif
