/* The memory that instructions access at the sum of a register and an immediate, by a walk, or
 * atomically, from the ISA description. */
#ifndef EMU_DECODE_ACCESS_H
#define EMU_DECODE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* The use that an instruction makes of the sum of a register and an immediate. */
struct access {
    uint8_t base, offset; /* slots */
    uint8_t bytes;        /* that it accesses there; 0: none */
    bool is_store;
    bool is_sum;     /* the sum is the result, */
    uint8_t result;  /* in this slot */
    uint8_t element; /* bytes that it accesses where a walk is; 0: none */
    uint8_t atomic;  /* bytes that it reads by an atomic access, each time, and writes if it stores;
                        0: none */
};

extern const struct access instruction_accesses[]; /* by id */

/* Returns what the instruction of this id does. */
static inline const struct access *access_of(unsigned id)
{
    return &instruction_accesses[id];
}

#endif
