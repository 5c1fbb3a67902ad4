/* Decoded code: machine code is decoded once into records, in basic blocks that chain to each
 * other.
 *
 * A block is an array of records: its instructions in order, then one terminator that leads to the
 * block that follows in memory. A block begins where control arrived, and ends after an instruction
 * that can change the flow, at the end of its page, after BLOCK_LIMIT instructions, or with a
 * record that raises what decoding there gave. What cannot be fetched is a block of one record,
 * which is never kept.
 *
 * Decoded code is never out of date: whatever changes the bytes of a page (a store, a system call,
 * a tensor unit, munmap) first drops the page's blocks. That is more than the ISA asks for, so
 * fence.i has nothing to do. Dropping a block does not free it, as it may be running: all its
 * records get the `stale` body, which looks the block up again at its own pc, and lead nowhere.
 * Memory is given back by code_follow. */
#ifndef EMU_DECODE_H
#define EMU_DECODE_H

#include "emu/memory.h"
#include "isa_ids.h"
#include "lib/isa.h"

enum {
    BLOCK_LIMIT = 64,
    SINK = ISA_X_REGISTERS, /* slot that takes writes to x0 */
    RI_IMMEDIATE = 0x80,    /* in a reg-or-imm slot: the rest is the immediate */
};

_Static_assert((SINK & (SINK - 1)) == 0 && SINK < RI_IMMEDIATE,
               "the sink is one bit above the register numbers, and no immediate");

/* One decoded instruction; a cache line. */
struct decoded {
    const void *body; /* label in the executor */
    uint64_t pc;
    int64_t imm[ISA_IMM_SLOTS]; /* immediates, targets, CSR numbers */
    union {
        uint8_t r[ISA_R_SLOTS]; /* registers, groups, reg-or-imm, enumerated operands */
        uint64_t slots;         /* all of them, the first one lowest */
    };
    struct decoded
        *chain; /* first record of the block that control went to last from here; NULL: none yet */
    uint64_t word;     /* the encoding */
    uint16_t id;       /* enum isa_id, or one of enum pseudo_body behind ISA_ID_COUNT */
    uint8_t length;    /* bytes; 0: terminator */
    uint8_t remaining; /* instructions from this one to the end of the block, this one included */
    uint16_t loop;     /* where the body is that of a whole loop: which (emu/loops.h) */
};

/* Bodies that are no instruction; their ids follow those of the instructions. */
enum pseudo_body {
    PSEUDO_TRANSLATED, /* native code takes over: imm[0] is the struct translation (translate.h) */
    PSEUDO_STALE,      /* the block was dropped */
    PSEUDO_NEXT_BLOCK, /* terminator */
    PSEUDO_ILLEGAL,    /* no instruction: imm[0] is the value of the fault */
    PSEUDO_FETCH,      /* could not be fetched: imm[0] is the address */
    PSEUDO_FLOAT,      /* mstatus.FS has to be looked at first */
    PSEUDO_LOOP,       /* body of the first instruction of a loop, which keeps its id */
    PSEUDO_COUNT,
};

/* What mstatus.FS says of decoded code. */
enum floats {
    FLOATS_FREE,    /* nothing to look at */
    FLOATS_WATCHED, /* what changes floating-point state makes it dirty first */
    FLOATS_OFF,     /* what touches it is illegal */
};

_Static_assert(sizeof(uint64_t) == ISA_R_SLOTS && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the slots are one word, the first one lowest");

/* Control went from an instruction to a block that was not the one before. */
struct code_hop {
    uint64_t from, to;
};

enum { CODE_HOPS = 1 << 10 };

struct code_page;
struct block;

struct code {
    struct memory *memory;
    const void *const *bodies; /* labels by id; belong to the executor that is running, */
    const void *const *superinstructions; /* and these, in their order; NULL: it has none */
    uint16_t
        first_super[ISA_ID_COUNT];   /* index of the first one that begins with the instruction */
    struct code_page **views[VIEWS]; /* by page number; NULL where nothing is decoded */
    enum memory_view view;           /* the one at hand: what may be fetched depends on it */
    enum floats floats;              /* of what is decoded from now on */
    struct block *blocks;            /* all, newest first */
    size_t bytes;                    /* of all blocks and pages */
    struct code_hop hops[CODE_HOPS]; /* the latest, each at a place that its addresses give */
    /* Called when decoded code of a page was dropped; NULL: nobody has anything made of it. */
    void (*dropped)(void *context, uint64_t page);
    void *dropped_context;
    uint64_t drops;  /* how often that was */
    uint64_t resets; /* how often everything was forgotten */
};

/* Of isa/superinstructions.yaml: what the plain executor runs as one. By the id of the first part,
 * longest first; ends with a count of 0. */
extern const struct superinstruction {
    unsigned count;
    uint16_t ids[ISA_SUPERINSTRUCTION_PARTS];
} superinstructions[];

/* Also makes the memory report changes of code here. False after a diagnostic. */
bool code_init(struct code *code, struct diag *diag, struct memory *memory);
void code_free(struct code *code);
/* Forgets everything. No record may be in use. */
void code_forget(struct code *code);
/* The same, and sets the labels of the executor that will run. */
void code_reset(struct code *code, const void *const *bodies, const void *const *superinstructions);

/* What follows the record is stale, and it leads nowhere: the executor comes by before it goes on.
 */
void code_cut(const struct code *code, struct decoded *record);

/* First record of the block at `pc`, decoded now if need be; never NULL. */
struct decoded *code_find(struct code *code, uint64_t pc);
/* The same on the way from a record, which is chained to what is found. This is where memory is
 * given back: afterwards only the result may be used, `from` may be gone. */
struct decoded *code_follow(struct code *code, struct decoded *from, uint64_t pc);

/* ---- for translated code ---- */

struct translation;

/* The record that decoding gives at `pc`; its body is not set. True when a block may go on behind
 * it. */
bool code_decode(const struct code *code, struct decoded *record, uint64_t pc);
/* The first record of the decoded block at `pc`, if control has come there, else NULL. */
const struct decoded *code_known(const struct code *code, uint64_t pc);
/* The block at `pc` that is made of the instructions, decoded now if need be. */
struct decoded *code_find_plain(struct code *code, uint64_t pc);
/* From now on control that comes to `pc` (where a block was decoded) goes to the translation; the
 * page counts as one that holds decoded code. */
void code_translate(struct code *code, uint64_t pc, struct translation *translation);
/* What a PSEUDO_TRANSLATED record leads to. */
static inline struct translation *translation_of(const struct decoded *record)
{
    return (struct translation *)(uintptr_t)record->imm[0];
}
/* No longer; what was given for `pc` in this view is taken back, if there is something. */
void code_untranslate(struct code *code, enum memory_view view, uint64_t pc);

/* Fills operands, id and length from the word; `body` is left alone. */
void decode_operands(struct decoded *record, const struct isa_instruction *instruction,
                     uint64_t word);

#endif
