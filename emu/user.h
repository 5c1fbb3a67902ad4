/* The user environment: Linux system calls of a static RV64 program, as qemu-user gives them.
 *
 * What a program sees does not depend on the host: time is counted in instructions at USER_HERTZ,
 * random bytes are fixed, ids are constants, the standard streams are character devices. Files
 * exist only under --root (user_files.c). */
#ifndef EMU_USER_H
#define EMU_USER_H

#include "lib/diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;

enum {
    USER_FILES = 64,         /* descriptors a program may have open */
    USER_HERTZ = 1000000000, /* instructions in a second of the guest's time */
};

struct user {
    uint64_t break_start, break_now; /* the heap: [break_start, break_now) */
    uint64_t map_low, map_high;      /* where mmap finds room */
    int root;                        /* descriptor of the --root directory; -1: no files */
    int files[USER_FILES];           /* host descriptor of each guest one; -1: closed */
    bool trace_calls;                /* --trace-syscalls */
    bool exited;
    int status; /* exit status, when exited */
    int signal; /* signal that ended the program from inside a call (SIGPIPE); 0: none */
};

/* No root; the standard streams, as far as they are open. Those that are closed stay so for the
 * guest, but their descriptors are taken here, so that no file of the host's side can slip in
 * behind them: call this before anything is opened. */
void user_init(struct user *user);
/* Opens the directory that the guest sees as `/`. False after a diagnostic. */
bool user_set_root(struct user *user, struct diag *diag, const char *directory);
void user_free(struct user *user);

/* Puts arguments, environment and auxiliary vector on the stack and sets sp, as the kernel does for
 * a new program (psABI, "Process Initialization"). `program` is what argv[0] says. False after a
 * diagnostic when they do not fit. */
struct program;
bool user_start(struct machine *machine, struct diag *diag, const struct program *program,
                char *const *arguments);

/* Serves the ecall at hart->pc: number in a7, arguments in a0 to a5, result to a0. False when the
 * program ends by it, or when it was interrupted before it did anything: then pc still stands at
 * the ecall. */
bool user_call(struct machine *machine);

#endif
