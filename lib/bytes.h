/* Little-endian numbers in memory: the byte order of RISC-V and of the ELF files that the tools
 * read and write. Addresses need no alignment. */
#ifndef LIB_BYTES_H
#define LIB_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Returns the number of `size` bytes (0 to 8) at `from`, zero-extended. */
static inline uint64_t bytes_get(const void *from, unsigned size)
{
    uint64_t value = 0;

    if (size == 4) /* by far the most frequent size: a copy of known length is one instruction */
        memcpy(&value, from, 4);
    else
        memcpy(&value, from, size);
    return le64toh(value);
}

/* Stores the low `size` bytes (0 to 8) of the value at `to`. */
static inline void bytes_put(void *to, uint64_t value, unsigned size)
{
    value = htole64(value);
    if (size == 4)
        memcpy(to, &value, 4);
    else
        memcpy(to, &value, size);
}

#endif
