/*
 * Floating-point constants in text, rounded once into any format of float_format.h. Going through
 * the host's strtod and then to a narrower format would round twice and can be off by one in the
 * last place.
 */
#ifndef LIB_FLOAT_TEXT_H
#define LIB_FLOAT_TEXT_H

#include "lib/float_format.h"

/*
 * Reads the constant that `text` starts with: an optional sign, then decimal digits with an
 * optional point and an optional exponent (`1`, `.5`, `6.02e+23`), or a hexadecimal constant as in
 * C99 (`0x1.8p-3`), or `inf`, `infinity` or `nan` in any case of letters. Like strtod, it takes the
 * longest prefix that is a constant. Rounds to nearest, ties to even.
 *
 * Returns the end of what was read, or NULL if no constant of the format starts here (`nan` is not
 * one in a format without NaN). Stores the encoding in *bits and ORs NX, OF and UF into *flags, so
 * that the caller can report a value that is out of range, as `inf` is in a format without
 * infinity. `nan` is the quiet NaN with all payload bits set and the sign as written, as in GNU as.
 */
const char *float_parse(enum float_format format, const char *text, uint64_t *bits,
                        unsigned *flags);

#endif
