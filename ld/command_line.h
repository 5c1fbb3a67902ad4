/* The command line. */
#ifndef LD_COMMAND_LINE_H
#define LD_COMMAND_LINE_H

#include "ld/config.h"

/* Reads the command line. Returns OPTIONS_END to go on, OPTIONS_EXIT after --help, or OPTIONS_ERROR
 * after a diagnostic. */
int command_line_read(struct config *config, struct arena *arena, struct diag *diag, int argc,
                      char **argv);

#endif
