/* The user environment: Linux system calls of a static RV64 program, as qemu-user gives them.
 *
 * What a program sees does not depend on the host: an instruction takes a nanosecond, random bytes
 * are fixed, ids are constants, the standard streams are character devices. Files
 * exist only under --root (path.h). */
#ifndef EMU_USER_USER_H
#define EMU_USER_USER_H

#include "lib/diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;

enum {
    USER_FILES = 64, /* descriptors a program may have open */
    USER_TIMERS = 3,
    USER_UNKNOWN_CALLS = 64, /* numbers of unknown calls that --trace-syscalls reports, each once */
};

/* What a signal does: struct sigaction of RV64, which has no restorer. */
struct user_action {
    uint64_t handler, flags, mask;
};

struct user_signals {
    struct user_action actions[65]; /* by number, from 1 */
    int codes[65];                  /* si_code of those that are pending */
    uint64_t values[65];            /* si_value of those that sigqueue sent */
    uint64_t blocked, pending;      /* bit N - 1 is signal N */
    uint64_t kept;                  /* what is blocked again after the call at hand: */
    bool is_kept;                   /* it has a mask of its own */
    uint64_t stack, stack_size;     /* sigaltstack; size 0: none */
    uint64_t trampoline;            /* where handlers return to; 0: there was no handler yet */
};

/* An interval timer (setitimer), by its own clock in nanoseconds. */
struct user_timer {
    uint64_t expires, interval; /* 0: not set; once */
};

struct user {
    uint64_t break_start, break_now;     /* the heap: [break_start, break_now) */
    uint64_t map_low, map_high;          /* where mmap finds room */
    const char *name;                    /* argv[0]: the program's, without its directory */
    char thread_name[16];                /* PR_GET_NAME */
    int root;                            /* descriptor of the --root directory; -1: no files */
    char *working;                       /* path of the working directory, as the guest names it */
    unsigned creation_mask;              /* umask */
    struct user_file *files[USER_FILES]; /* what each descriptor refers to; NULL: closed */
    bool close_on_exec[USER_FILES];
    struct user_file *streams;             /* the standard streams */
    uint64_t slept;                        /* nanoseconds that passed without instructions */
    struct user_timer timers[USER_TIMERS]; /* real, virtual, profiling */
    bool is_timed;                         /* one of them was set at some time */
    uint64_t random;                       /* state of the generator */
    struct user_signals signals;
    bool trace_calls;                     /* --trace-syscalls */
    uint64_t unknown[USER_UNKNOWN_CALLS]; /* numbers that were reported as unknown */
    unsigned unknown_count;
    bool exited;
    int status; /* exit status, when exited */
    int signal; /* signal that ended the program (a fault without a handler is not one); 0: none */
};

/* No root; the standard streams, as far as they are open. Those that are closed stay so for the
 * guest, but their descriptors are taken here, so that no file of the host's side can slip in
 * behind them: call this before anything is opened. */
void user_init(struct user *user);
/* Opens the directory that the guest sees as `/`. False after a diagnostic. */
bool user_set_root(struct user *user, struct diag *diag, const char *directory);
void user_free(struct user *user);

/* Puts arguments, environment (NAME=VALUE each, `variable_count` of them) and auxiliary vector on
 * the stack and sets sp, as the kernel does for a new program (psABI, "Process Initialization").
 * argv[0] says the name of `program`. False after a diagnostic when they do not fit. */
struct program;
bool user_start(struct machine *machine, struct diag *diag, const struct program *program,
                char *const *arguments, const char *const *variables, size_t variable_count);

/* Serves an ecall: number in a7, arguments in a0 to a5, result to a0. hart->pc is behind it, or
 * where a signal handler or the return from one leads to. False when the program ends by it, or
 * when it was interrupted before it did anything. */
bool user_call(struct machine *machine);

/* Instructions until a timer expires; UINT64_MAX: none will. */
uint64_t user_timer_left(const struct machine *machine);
/* Sends the signals of timers that have expired. */
void user_timer_fire(struct machine *machine);
/* Between two instructions: sends those and calls their handlers. False when the program ends. */
bool user_interrupt(struct machine *machine);

/* Calls the handler for machine->fault, raised by the instruction at hart->pc. False when the
 * program has none: the fault ends it. */
bool user_fault(struct machine *machine);

#endif
