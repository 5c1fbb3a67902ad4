/* File name patterns, as the shell and linker scripts write them: * ? [a-z]. */
#ifndef LD_GLOB_H
#define LD_GLOB_H

#include <fnmatch.h>
#include <stdbool.h>

/* Does the whole of `name` match? The same as fnmatch without flags, which is only called if the
 * literal characters at the start do not decide. */
static inline bool glob_matches(const char *pattern, const char *name)
{
    for (;; pattern++, name++) {
        switch (*pattern) {
        case '*':
            return !pattern[1] || fnmatch(pattern, name, 0) == 0;
        case '?':
        case '[':
        case '\\':
            return fnmatch(pattern, name, 0) == 0;
        }
        if (*pattern != *name)
            return false;
        if (!*pattern)
            return true;
    }
}

#endif
