/* The values of options. A value that is wrong is reported. */
#ifndef LD_OPTION_VALUE_H
#define LD_OPTION_VALUE_H

#include "ld/config.h"
#include "lib/options.h"

/* A word that an option takes, and the value that it stands for. */
struct choice {
    const char *word; /* NULL: the end of the list */
    int value;
};

/* Reads an address. On GNU ld's command line all are hexadecimal, with or without 0x. */
bool value_address(struct options *options, const char *word, uint64_t *address);
/* Returns the value that the list has for the option's argument. Sets *good to false after a
 * diagnostic if the argument is not in the list. */
int value_choice(struct options *options, const struct choice *choices, bool *good);
/* Reads the argument of --build-id, which may be NULL, into the settings of the build ID. */
bool value_build_id(struct options *options, struct arena *arena, struct config *config);
/* Reads the number of bytes of the scratchpad window. */
bool value_scratchpad_size(struct options *options, uint64_t *size);

#endif
