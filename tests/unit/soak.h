/* Numbers that the environment may set, for longer runs (`make soak`). */
#ifndef TESTS_UNIT_SOAK_H
#define TESTS_UNIT_SOAK_H

#include <stdlib.h>

static inline unsigned soak_number(const char *variable, unsigned usual)
{
    const char *text = getenv(variable);

    return text ? (unsigned)strtoul(text, NULL, 10) : usual;
}

/* Random programs, unless the test makes fewer than usual, and the seed of the first one. */
static inline unsigned soak_programs(unsigned usual)
{
    return soak_number("RANDOM_PROGRAMS", usual);
}

static inline unsigned soak_seed(void)
{
    return soak_number("RANDOM_SEED", 0);
}

#endif
