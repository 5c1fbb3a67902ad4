/* LEB128, the numbers of variable length of DWARF (DWARF 5, 7.6): seven bits a byte, the lowest
 * first; bit 7 of each byte says whether another one follows. */
#ifndef LIB_LEB128_H
#define LIB_LEB128_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEB128_LIMIT = 10 }; /* the most bytes that a number of 64 bits needs */

/* The bytes that the number needs: 1 to LEB128_LIMIT. */
size_t leb128_size_unsigned(uint64_t value);
size_t leb128_size_signed(int64_t value);

/* Writes the number in as few bytes as possible. Returns how many. */
size_t leb128_put_unsigned(unsigned char *to, uint64_t value);
size_t leb128_put_signed(unsigned char *to, int64_t value);

/* Writes the number in exactly `size` bytes, at least as many as it needs: a longer form of the
 * same number. */
void leb128_fill_unsigned(unsigned char *to, size_t size, uint64_t value);
void leb128_fill_signed(unsigned char *to, size_t size, int64_t value);

/* Returns how many bytes the number at `from` has, or 0 if it does not end before `end`. */
size_t leb128_length(const unsigned char *from, const unsigned char *end);

/* Reads an unsigned number and moves *next past it. Returns false, with *next where it was, if the
 * number does not end before `end` or has more than 64 bits. */
bool leb128_get_unsigned(const unsigned char **next, const unsigned char *end, uint64_t *value);

#endif
