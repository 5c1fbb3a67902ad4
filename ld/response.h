/* Response files: words of the command line that stand in a file. */
#ifndef LD_RESPONSE_H
#define LD_RESPONSE_H

#include "lib/arena.h"
#include "lib/diag.h"

/* Replaces each word @FILE by the words in FILE, which are separated by blanks; quotes, single or
 * double, hold words with blanks together, and a backslash takes the next character as it is. The
 * words may be @FILE in turn. A word whose FILE does not exist stays. */
void response_files_expand(struct arena *arena, struct diag *diag, int *argc, char ***argv);

#endif
