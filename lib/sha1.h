/* SHA-1 (FIPS 180-4), for build IDs and digests of memory. They identify contents; they are not a
 * security feature. */
#ifndef LIB_SHA1_H
#define LIB_SHA1_H

#include <stddef.h>

#define SHA1_SIZE 20

void sha1(const void *bytes, size_t length, unsigned char digest[SHA1_SIZE]);

#endif
