/* SHA-1 (FIPS 180-4), for build IDs: they name an output, nobody's security depends on them. */
#ifndef LD_SHA1_H
#define LD_SHA1_H

#include <stddef.h>

#define SHA1_SIZE 20

void sha1(const void *bytes, size_t length, unsigned char digest[SHA1_SIZE]);

#endif
