/* Expressions of numbers, which are computed without parsing them. */
#ifndef ASM_CONSTANT_H
#define ASM_CONSTANT_H

#include <stdbool.h>
#include <stdint.h>

struct words;

/* Reads an expression of numbers, and of names in `words` (NULL: there may be none) that have the
 * value of a number, and the blanks after it. Returns its end; NULL, without a message, for all
 * other text. */
const char *constant_read(const struct words *words, const char *text, uint64_t *number);

/* Reads a number of up to 128 bits, with or without a sign, and the end of the text after it: the
 * low half, then the high one. Expressions have only 64 bits. */
bool constant_read_octa(const char *text, uint64_t value[2]);

#endif
