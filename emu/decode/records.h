/* How the records of a block are made of the words of its instructions. The blocks themselves, and
 * what is known of where they are, belong to decode.c. */
#ifndef EMU_DECODE_RECORDS_H
#define EMU_DECODE_RECORDS_H

#include "emu/decode/decode.h"

/* Returns the number of the page of the address. */
static inline uint64_t code_page_number(uint64_t address)
{
    return address >> MEMORY_PAGE_BITS;
}

/* Notes which instructions superinstructions begin with. When there are more second instructions
 * than bits, some share one. Returns NULL if there is no memory for that. */
struct super_part *records_find_super_parts(void);
/* Returns the body of records with this id (struct decoded) in the executor. */
static inline body_function *records_body(const struct code *code, unsigned id)
{
    const struct executor *executor = code->executor;

    if (!executor->pseudo_bodies)
        return NULL;
    if (id >= PSEUDO_FIRST)
        return executor->pseudo_bodies[id - PSEUDO_FIRST];
    if (executor->every)
        return executor->every;
    return code->is_defined && code->is_defined(id) ? executor->whole : executor->bodies[id];
}
enum { RECORDS_LIMIT = 1 + BLOCK_LIMIT + 1 }; /* of a block, with its entry and its terminator */

/* Decodes the block at `pc` into records that are 0, RECORDS_LIMIT of them. Returns the first one
 * of the block, and in *count how many are used, in *end the address after the bytes that it
 * depends on. */
struct decoded *records_decode(const struct code *code, struct decoded *records, uint64_t pc,
                               unsigned *count, uint64_t *end);
/* Makes the entry of a block, for an executor that has one. */
void records_make_entry(const struct code *code, struct decoded *entry);

#endif
