/* Finds records of a lossless trace: by number, by sequence number, and the last that wrote a
 * place. The indexes of segments say which of them need to be decoded. */
#ifndef EMU_TTRACE_SEARCH_H
#define EMU_TTRACE_SEARCH_H

#include "emu/ttrace/ttrace.h"

enum place_kind { PLACE_MEMORY, PLACE_REGISTER, PLACE_CSR, PLACE_STATE };

/* A range of memory, a register, a CSR, or the state of a unit. */
struct place {
    enum place_kind kind;
    uint32_t file, number; /* of a register; a CSR has a number only */
    uint32_t thread;       /* whose register, CSR or state; 0: of any */
    const char *state;     /* its name: `traversal.end[0][1]`; all of `traversal.end[0]`, too */
    uint64_t address, length;
    bool only_ranges; /* stores do not count, only what tensor units write */
};

#define NO_RECORD UINT64_MAX

/* Returns the segment that has the record. */
const struct ttrace_segment *search_segment(const struct ttrace *trace, uint64_t number);
/* Returns the number of the first record whose sequence number is not below `sequence`;
 * trace.record_count: there is none. The start counts as before all. */
uint64_t search_sequence(struct ttrace_tool *tool, uint64_t sequence);
/* Decodes record `number` into *record, valid until the next search. Returns false after a
 * diagnostic. */
bool search_record(struct ttrace_tool *tool, uint64_t number, struct ttrace_record *record);
/* Returns the number of the last record before record `end` that wrote a part of the place, or
 * NO_RECORD. */
uint64_t search_writer(struct ttrace_tool *tool, const struct place *place, uint64_t end);
/* Returns the value that record `number` gave the register, or the first word of it, or the CSR. */
uint64_t search_value(struct ttrace_tool *tool, uint64_t number, const struct place *place);
/* Did the record leave raw bits in the place, such as a bin of a histogram, or did it only move
 * such bits there? They have no element type, whatever the instructions that move them say. */
bool search_is_raw(struct ttrace_tool *tool, uint64_t number, const struct place *place);
/* Returns the value of an operand that is a register or an immediate, in record `number` of a
 * thread, which executed the word. */
uint64_t search_operand(struct ttrace_tool *tool, const struct isa_operand *operand, uint64_t word,
                        uint64_t number, uint32_t thread);
/* Returns the instruction that the record executed, the base of a compressed one, and its word; NULL: there is none. */
const struct isa_instruction *record_instruction(const struct ttrace_record *record,
                                                 uint64_t *word);
/* Sets the thread to 0 if the place is a CSR or state that all threads share. */
void place_share(struct place *place);
/* Does the effect of the record write a part of the place? The start of a worker of a barrel, which
 * is in a record of another thread, writes all that the worker has of its own. */
bool effect_writes(const struct ttrace_record *record, const struct effect *effect,
                   const struct place *place);
/* Does the effect read a part of the place? */
bool effect_reads(const struct effect *effect, const struct place *place);

#endif
