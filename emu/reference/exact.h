/* The arithmetic of definitions (reference.h) on elements: conversion, sum and product of any types
 * of the ISA description.
 *
 * An element becomes a number without limits, the operation is exact, and the result is rounded
 * once to nearest even. This is slow, but it shares nothing with the arithmetic of the units, which
 * tests compare with it. An element is its bits in a uint64_t.
 *
 * A pair is a complex number. Its operations are sequences of those on its parts, and each of these
 * rounds. Floats: overflow gives an infinity, or NaN in a format without infinities, or the largest
 * number in one without NaN; a NaN gives the canonical NaN. Integers: sums and products wrap; a
 * conversion saturates, and NaN gives 0. */
#ifndef EMU_REFERENCE_EXACT_H
#define EMU_REFERENCE_EXACT_H

#include "isa_ids.h"
#include <stdbool.h>
#include <stdint.h>

/* Does an element type have the code? */
bool exact_has_type(uint64_t code);
/* Returns the bytes of an element in memory. */
uint64_t exact_size(enum isa_element_code type);
bool exact_is_float(enum isa_element_code type);
/* Returns a mask of the bits of an element. */
uint64_t exact_mask(enum isa_element_code type);

/* Return the fields of a float. */
uint64_t exact_sign(enum isa_element_code type, uint64_t bits);
uint64_t exact_exponent(enum isa_element_code type, uint64_t bits);
uint64_t exact_fraction(enum isa_element_code type, uint64_t bits);

uint64_t exact_convert(enum isa_element_code to, enum isa_element_code from, uint64_t bits);
uint64_t exact_sum(enum isa_element_code type, uint64_t a, uint64_t b);
uint64_t exact_product(enum isa_element_code type, uint64_t a, uint64_t b);
/* The type is a floating-point type. */
uint64_t exact_quotient(enum isa_element_code type, uint64_t a, uint64_t b);
/* Return one of the elements; NaN if one of them is, and -0 is less than +0. */
uint64_t exact_maximum(enum isa_element_code type, uint64_t a, uint64_t b);
uint64_t exact_minimum(enum isa_element_code type, uint64_t a, uint64_t b);
/* Returns the element that is nearest to an unsigned number. */
uint64_t exact_nearest(enum isa_element_code type, uint64_t value);

/* Return the first and the second number of a pair, and the pair of two numbers. */
uint64_t exact_real(enum isa_element_code type, uint64_t bits);
uint64_t exact_imaginary(enum isa_element_code type, uint64_t bits);
uint64_t exact_complex(enum isa_element_code type, uint64_t real, uint64_t imaginary);

#endif
