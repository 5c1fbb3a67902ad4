/* Output files that are complete or absent.
 *
 * Bytes go to a temporary file beside the target, which takes its name in output_commit. Any
 * failure (full disk, closed pipe, no permission) is one diagnostic that names the file and the
 * reason, and leaves nothing behind. So does a signal or a call of exit that ends the tool. Of a
 * symbolic link the file that it leads to is replaced. Targets that are no regular file (a pipe),
 * or that the tool has open already (/dev/stdout), are written directly. */
#ifndef LIB_OUTPUT_H
#define LIB_OUTPUT_H

#include "lib/diag.h"
#include <stdbool.h>

struct output {
    struct diag *diag;
    const char *name;         /* as the user gave it */
    char *target;             /* the file that the name leads to; NULL when written directly */
    char *temporary;          /* NULL when written directly */
    FILE *stream;             /* write here; NULL after a failure to open */
    struct output *next_open; /* of those with a temporary file */
};

/* mode: permission bits of a new file (0666, 0777 for executables), less the umask. False after a
 * diagnostic, also where another output that is open takes the same place. */
bool output_open(struct output *output, struct diag *diag, const char *name, unsigned mode);
/* Puts the file in place; false after a diagnostic, also for what was written to `stream` before.
 */
bool output_commit(struct output *output);
void output_abandon(struct output *output); /* nothing stays */
/* For an output that is large and takes long: what it is to replace goes now, so that the two are
 * not kept at once. Changes nothing but the file system. */
void output_remove_replaced(const struct output *output);

/* The three in one, for contents that are in memory. False after a diagnostic. */
bool output_file(struct diag *diag, const char *name, unsigned mode, const void *bytes,
                 size_t length);

/* Ends the tool with status 1 and the message, in a signal handler too; removes temporary files. */
_Noreturn void output_end(const char *message);

/* Flushes standard output at the end of a tool; reports a full disk or a closed pipe. Returns the
 * exit status: `status`, or 1 when the output did not get through. */
int output_finish_stdout(struct diag *diag, int status);

/* Call first in main. SIGPIPE and SIGXFSZ become errors of write, so that a closed pipe and a limit
 * on file sizes are reported like a full disk; SIGHUP, SIGINT, SIGTERM and exit remove temporary
 * files before they end the tool. Standard streams that are closed are taken, still unusable, so
 * that no file of the tool's gets their number, and messages with it. */
void output_init(void);

#endif
