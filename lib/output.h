/* Output files that are complete or absent.
 *
 * Bytes go to a temporary file beside the target; output_commit gives it the target's name. Any
 * failure (full disk, closed pipe, no permission) is reported once, with the file and the reason,
 * and leaves no file. Neither does a signal or a call of exit that ends the tool. What a killed run
 * (SIGKILL) leaves is removed by the next one that writes the same target. Where the name is
 * a symbolic link, the file that it leads to is replaced. Targets that are not regular files (a
 * pipe), or that the tool has open already (/dev/stdout), are written directly. "-" is standard
 * output, which gets all bytes at the commit. */
#ifndef LIB_OUTPUT_H
#define LIB_OUTPUT_H

#include "lib/diag.h"
#include <stdbool.h>
#include <stddef.h>

struct output {
    struct diag *diag;
    const char *name;         /* as the user gave it */
    char *target;             /* the file that the name leads to; NULL when written directly */
    char *temporary;          /* NULL when written directly */
    FILE *stream;             /* write here; NULL after a failure to open */
    char *bytes;              /* collected for standard output; or NULL */
    size_t length;            /* bytes collected */
    int lock;                 /* keeps the lock of the temporary file; -1: none */
    struct output *next_open; /* the next output with a temporary file */
};

/* A file that a run reads or writes. */
struct output_use {
    const char *what; /* for messages: an output's option (--stats=FILE), or what is read (the input
                         of --load=SYM=FILE) */
    const char *name; /* as the user gave it: "-" is standard input or output; NULL: none */
    bool is_input;
};

/* Checks that each output of a run has a directory, so that a long run does not end in vain, that
 * it is a file of its own, and that it is not an input. Two names of one file are the same file.
 * Devices and pipes keep what was written before, so several outputs may go to one of them. Tools
 * that write several files one after the other call this before all of them. Returns false after
 * diagnostics. */
bool output_check(struct diag *diag, const struct output_use *uses, size_t count);
/* Is the output written directly: "-", or a target that is not a regular file or that the tool has
 * open already? Then its name says nothing about a place for files. */
bool output_is_direct(const char *name);

/* Opens an output. mode: permission bits of a new file (0666, or 0777 for executables), reduced by
 * the umask. Returns false after a diagnostic, also if another open output has the same target. */
bool output_open(struct output *output, struct diag *diag, const char *name, unsigned mode);
/* Puts the file in place. Returns false after a diagnostic, also about what was written to `stream`
 * before. */
bool output_commit(struct output *output);
void output_abandon(struct output *output); /* leaves no file */
/* Commits several outputs if `good`, else abandons them. Those without a temporary file come first,
 * because only their commit shows whether they can be written: when one fails, no file is left.
 * Returns whether all are in place. */
bool output_commit_all(struct output *outputs, size_t count, bool good);
/* For an output that is not text: is it "-", and standard output a terminal? Then it must not be
 * written; a diagnostic has said so. */
bool output_is_terminal(const char *name, struct diag *diag);

/* Opens, writes and commits an output whose contents are in memory. Returns false after a
 * diagnostic. */
bool output_file(struct diag *diag, const char *name, unsigned mode, const void *bytes,
                 size_t length);

/* Removes temporary files and ends the tool with status 1 and the message. May be called in a
 * signal handler. */
_Noreturn void output_end(const char *message);

/* Flushes standard output at the end of a tool and reports a full disk or a closed pipe. Returns
 * the exit status: `status`, or 1 if the output was not written. */
int output_finish_stdout(struct diag *diag, int status);

/* Call this first in main. SIGPIPE and SIGXFSZ become write errors, so that a closed pipe and a
 * limit on file sizes are reported like a full disk. SIGHUP, SIGINT, SIGTERM and exit remove
 * temporary files before they end the tool. The descriptors of closed standard streams are taken
 * and stay unusable, so that no file of the tool gets their number and then receives messages. */
void output_init(void);
/* The same for a tool whose standard output people read: a closed pipe, as after `| head`, ends it
 * silently by SIGPIPE, unless that was ignored before. Temporary files are removed. */
void output_init_for_reader(void);

#endif
