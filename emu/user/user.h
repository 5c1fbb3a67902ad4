/* The user environment: Linux system calls of a static RV64 program, as qemu-user provides them.
 *
 * The behavior of a program does not depend on the host: an instruction takes a nanosecond, random
 * bytes are always the same, ids are constants, and the standard streams are character devices.
 * Files are those under --root, or else in a private tree in memory (path.h, storage.h). */
#ifndef EMU_USER_USER_H
#define EMU_USER_USER_H

#include "emu/user/store.h"
#include "lib/diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;

enum {
    USER_FILES = 64, /* descriptors that a program can have open */
    USER_TIMERS = 3,
    USER_UNKNOWN_CALLS = 64, /* numbers of unknown calls that --trace-syscalls prints, each once */
    USER_AUXILIARY = 17,     /* entries of the auxiliary vector */
    USER_STUCK_STATUS = 123, /* exit status when nothing can happen any more */
};

/* The action of a signal: struct sigaction of RV64, which has no restorer. */
struct user_action {
    uint64_t handler, flags, mask;
};

struct user_signals {
    struct user_action actions[65]; /* by signal number, from 1 */
    int codes[65];                  /* si_code of pending signals */
    uint64_t values[65];            /* si_value of signals that sigqueue sent */
    uint64_t blocked, pending;      /* bit N - 1 is signal N */
    uint64_t kept;                  /* the blocked signals to restore after the current call, */
    bool is_kept;                   /* when that has a mask of its own */
    uint64_t stack, stack_size;     /* sigaltstack; size 0: none */
    uint64_t trampoline;            /* where handlers return to; 0: no handler was called yet */
};

/* An interval timer (setitimer). Times are those of its own clock, in nanoseconds. */
struct user_timer {
    uint64_t expires, interval; /* 0: not set; 0: fires once */
};

/* Reads the CSR `time`: the nanoseconds of the program's clock. */
extern const struct environment user_environment;

struct user {
    uint64_t break_start, break_now;       /* the heap: [break_start, break_now) */
    uint64_t map_low, map_high;            /* addresses that mmap chooses from */
    uint64_t auxiliary[USER_AUXILIARY][2]; /* the auxiliary vector: types and values */
    const char *name;       /* argv[0]: the program's file name without its directory */
    char thread_name[16];   /* PR_GET_NAME */
    int root;               /* descriptor of the --root directory; -1: the tree in `store` */
    struct store store;     /* files in memory */
    char *working;          /* working directory, as the guest names it */
    unsigned creation_mask; /* umask */
    struct user_file *files[USER_FILES]; /* what each descriptor refers to; NULL: closed */
    bool close_on_exec[USER_FILES];
    struct user_file *streams;             /* the standard streams */
    uint64_t slept;                        /* nanoseconds spent sleeping */
    struct user_timer timers[USER_TIMERS]; /* real, virtual, profiling */
    bool is_timed;                         /* a timer was set at some time */
    uint64_t random;                       /* state of the generator */
    struct user_signals signals;
    bool trace_calls;                     /* --trace-syscalls */
    uint64_t unknown[USER_UNKNOWN_CALLS]; /* unknown calls that were printed */
    unsigned unknown_count;
    bool thread_refused; /* the program tried to start a thread or process */
    bool exited;
    bool stuck; /* exited, because it waits for another thread, which does not exist */
    int status; /* exit status, when exited */
    int signal; /* signal that ended the program, other than by a fault without a handler; 0: none
                 */
};

/* Initializes the environment with the standard streams that are open, and without files. Standard
 * streams that are closed stay closed for the guest, but their descriptors are taken on the host,
 * so that no other file gets them. Call this before anything else is opened. */
void user_init(struct user *user);
/* Opens the directory that the guest sees as `/`. Returns false after a diagnostic. */
bool user_set_root(struct user *user, struct diag *diag, const char *directory);
void user_free(struct user *user);

/* Puts arguments, environment (`variable_count` strings NAME=VALUE) and the auxiliary vector on the
 * stack and sets sp, as the kernel does for a new program (psABI, "Process Initialization").
 * argv[0] is the name of `program`. Returns false after a diagnostic when they do not fit. */
struct program;
bool user_start(struct machine *machine, struct diag *diag, const struct program *program,
                char *const *arguments, const char *const *variables, size_t variable_count);

/* Serves an ecall: number in a7, arguments in a0 to a5, result in a0. hart->pc is the address after
 * the ecall on entry. On return it may also be that of a signal handler, or where a handler
 * returned to. Returns false when the call ends the program, or when it was interrupted before it
 * did anything. */
bool user_call(struct machine *machine);

/* Returns the number of instructions until a timer expires; UINT64_MAX: none will. */
uint64_t user_timer_left(const struct machine *machine);
/* Raises the signals of timers that have expired. */
void user_timer_fire(struct machine *machine);
/* Raises the signals of expired timers and calls their handlers, between two instructions. Returns
 * false when the program ends. */
bool user_interrupt(struct machine *machine);

/* Did the program stop at a signal that its debugger sees first? */
bool user_signal_is_held(const struct machine *machine);
/* Continues after the debugger saw a signal, or at its command: the signal that the program stopped
 * at is dropped, and `signal` (0: none) comes in its place. Returns false when it ends the program.
 */
bool user_signal_pass(struct machine *machine, unsigned signal);

/* Calls the signal handler for machine->fault, raised by the instruction at hart->pc. Returns false
 * when the program has none, so that the fault ends it. */
bool user_fault(struct machine *machine);

#endif
