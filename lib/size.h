/* Sizes and other numbers as users write them, in machine files and in options. */
#ifndef LIB_SIZE_H
#define LIB_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a number, decimal or 0x…, that K, M or G may multiply by 2^10, 2^20 or 2^30. Returns false
 * if the text is anything else or the number is larger than 64 bits. */
bool size_read(const char *text, uint64_t *value);

#endif
