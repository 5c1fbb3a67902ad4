/* Completions for shells, from the same table that reads the command line and prints --help. */
#ifndef LIB_COMPLETION_H
#define LIB_COMPLETION_H

#include "lib/options.h"

/* Prints the completion of the tool for "bash", "zsh" or "fish". Returns false if the shell is
 * another one. `specs` are the options that --help lists; one without help ends them. An option's
 * argument is completed as its name in --help says: FILE to files, DIR to directories, words in
 * small letters between bars (text|json) to one of them. */
bool completion_print(const char *tool, const struct option_spec *specs, const char *shell);

#endif
