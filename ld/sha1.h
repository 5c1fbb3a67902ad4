/* SHA-1 (FIPS 180-4), for build IDs. They identify an output; they are not a security feature. */
#ifndef LD_SHA1_H
#define LD_SHA1_H

#include <stddef.h>

#define SHA1_SIZE 20

void sha1(const void *bytes, size_t length, unsigned char digest[SHA1_SIZE]);

#endif
