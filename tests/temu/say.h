/* What tests print of system calls, at once, since several processes print. */
#ifndef TESTS_TEMU_SAY_H
#define TESTS_TEMU_SAY_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

static inline void say(const char *what, long value)
{
    printf("%s: %ld\n", what, value);
    fflush(stdout);
}

/* Prints and returns the result of a call. */
static inline long check(const char *what, long result)
{
    if (result == -1) {
        printf("%s: %s\n", what, strerrorname_np(errno));
        fflush(stdout);
    } else {
        say(what, result);
    }
    return result;
}

#endif
