/* LEB128, the variable-length numbers of DWARF (DWARF 5, 7.6): seven bits per byte, the lowest
 * first. Bit 7 of a byte says whether another byte follows. */
#ifndef LIB_LEB128_H
#define LIB_LEB128_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEB128_LIMIT = 10 }; /* the most bytes that a number of 64 bits needs */

/* Return the number of bytes that the value needs: 1 to LEB128_LIMIT. */
size_t leb128_size_unsigned(uint64_t value);
size_t leb128_size_signed(int64_t value);

/* Write the value in as few bytes as possible and return their number. */
size_t leb128_put_unsigned(unsigned char *to, uint64_t value);
size_t leb128_put_signed(unsigned char *to, int64_t value);

/* Write the value in exactly `size` bytes, which must be at least as many as it needs. Readers
 * accept the longer form. */
void leb128_fill_unsigned(unsigned char *to, size_t size, uint64_t value);
void leb128_fill_signed(unsigned char *to, size_t size, int64_t value);

/* Returns how many bytes the number at `from` has, or 0 if it does not end before `end`. */
size_t leb128_length(const unsigned char *from, const unsigned char *end);

/* Reads an unsigned number and moves *next past it. Returns false and leaves *next alone if the
 * number does not end before `end` or has more than 64 bits. */
bool leb128_get_unsigned(const unsigned char **next, const unsigned char *end, uint64_t *value);

#endif
