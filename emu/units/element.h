/* Element types of the tensor units (machine.md, 2) as values in memory: what a code of the ISA
 * description means, reading and writing elements, and conversion between any two types.
 *
 * An element is held as its bits in a uint64_t; integers are two's complement in the low bits.
 * Elements in memory are little-endian and need no alignment here. */
#ifndef EMU_UNITS_ELEMENT_H
#define EMU_UNITS_ELEMENT_H

#include "isa_ids.h"
#include "lib/float_format.h"
#include <stdbool.h>
#include <stdint.h>

struct element_type {
    const char *name; /* as the ISA description has it: "bf16" */
    uint32_t bytes;   /* 1, 2 or 4 */
    bool is_float;
    enum float_format format; /* of floats */
};

/* From the generated table; a code that is not in it is a bug of the caller and aborts. */
struct element_type element_type(enum isa_element_code code);

uint64_t element_load(const struct element_type *type, const void *array, uint64_t index);
void element_store(const struct element_type *type, void *array, uint64_t index, uint64_t bits);

/* To nearest even, no flags. A float that overflows becomes an infinity, or NaN in a format without
 * one; a NaN the canonical one. An integer saturates; NaN gives 0. */
uint64_t element_convert(const struct element_type *to, const struct element_type *from,
                         uint64_t bits);

#endif
