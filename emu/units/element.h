/* Element types of the tensor units (machine.md, 2): the type that a code of the ISA description
 * stands for, reading and writing elements, and conversion between any two types.
 *
 * An element is represented by its bits in a uint64_t; integers are in two's complement in the low
 * bits. The bits above those of the type are 0. Elements in memory are little-endian; these
 * functions accept any alignment. */
#ifndef EMU_UNITS_ELEMENT_H
#define EMU_UNITS_ELEMENT_H

#include "isa_ids.h"
#include "lib/float_format.h"
#include <stdbool.h>
#include <stdint.h>

struct element_type {
    const char *name; /* as in the ISA description, e.g. "bf16" */
    uint32_t bytes;   /* in memory */
    uint32_t bits;    /* the low ones of the bytes; the others are ignored, and written as 0 */
    bool is_float, is_signed;
    enum float_format format; /* of floats */
};

/* Returns the element type of the code, from the generated table. Aborts on a code that is not in
 * it. */
struct element_type element_type(enum isa_element_code code);

uint64_t element_load(const struct element_type *type, const void *array, uint64_t index);
void element_store(const struct element_type *type, void *array, uint64_t index, uint64_t bits);

/* Converts an element, rounding to nearest even and raising no flags. To a float: overflow gives an
 * infinity, or NaN in a format without infinities, and a NaN gives the canonical NaN. In a format
 * without NaN both give the largest number. To an integer: the result saturates, and NaN gives 0.
 */
uint64_t element_convert(const struct element_type *to, const struct element_type *from,
                         uint64_t bits);

#endif
