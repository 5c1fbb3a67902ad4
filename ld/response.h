/* Response files: files with words of the command line. */
#ifndef LD_RESPONSE_H
#define LD_RESPONSE_H

#include "lib/arena.h"
#include "lib/diag.h"

/* Replaces each word @FILE by the words in FILE, which are separated by blanks. Single or double
 * quotes enclose blanks in a word, and a backslash takes the next character literally. The words
 * may be @FILE in turn. A word whose FILE does not exist is kept. */
void response_files_expand(struct arena *arena, struct diag *diag, int *argc, char ***argv);

#endif
