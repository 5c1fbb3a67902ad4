/* See size.h. */
#include "lib/size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool size_read(const char *text, uint64_t *value)
{
    char *end;

    if (!text || text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10);
    if (errno)
        return false;
    const char *suffixes = "KMG", *suffix = *end ? strchr(suffixes, *end) : NULL;
    if (suffix) {
        unsigned shift = 10 * (suffix - suffixes + 1);
        if (*value > UINT64_MAX >> shift)
            return false;
        *value <<= shift;
        end++;
    }
    return *end == '\0';
}
