/* The user environment: Linux system calls of a static RV64 program, as qemu-user provides them.
 *
 * The behavior of a program does not depend on the host: an instruction takes a nanosecond, random
 * bytes are always the same, ids are constants, and the standard streams are character devices.
 * Files are those under --root, or else in a private tree in memory (path.h, storage.h). */
#ifndef EMU_USER_USER_H
#define EMU_USER_USER_H

#include "emu/user/processes.h"
#include "lib/diag.h"
#include "lib/file.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct user_thread;

enum user_thread_state { THREAD_RUNS, THREAD_WAITS, THREAD_ENDED };

enum {
    USER_FILES = 1024,        /* descriptors that a program can have open: the usual limit */
    USER_BUSY = 2,            /* files that a program runs from */
    USER_INTERVAL_TIMERS = 3, /* of setitimer */
    USER_TIMERS = 35,         /* these, and those of timer_create */
    USER_SIGNAL_LAST = 64,
    USER_REAL_TIME = 32,     /* the first real-time signal, of which several can be pending */
    USER_SIGNALS = 4096,     /* signals that can be pending for a thread, and for the program */
    USER_UNKNOWN_CALLS = 64, /* numbers of unknown calls that --trace-syscalls prints, each once */
    USER_AUXILIARY = 17,     /* entries of the auxiliary vector */
    USER_STUCK_STATUS = 134, /* exit status when no thread can ever go on: 128 + SIGABRT */
    USER_THREADS = 1024,     /* threads that a program can have at once */
};

/* The action of a signal: struct sigaction of RV64, which has no restorer. */
struct user_action {
    uint64_t handler, flags, mask;
};

struct user_sent_signal {
    uint8_t signal;
    uint8_t timer; /* index of the timer that sent it; 0: none, since this is not of timer_create */
    int32_t code;  /* si_code */
    uint32_t sender; /* id of the process that sent it, or that has ended, or as sigqueue tells; 0:
                        none */
    uint64_t value;  /* si_value, if sigqueue sent it; of the end of a process: its status */
};

/* Signals that were sent and not yet delivered. */
struct user_pending {
    uint64_t set;                  /* bit N - 1 is signal N */
    struct user_sent_signal *sent; /* in the order in which they were sent */
    unsigned count, room;
};

/* The part of signals that the threads share. */
struct user_signals {
    struct user_action actions[65]; /* by signal number, from 1 */
    struct user_pending pending;    /* signals of the program that all threads block */
    uint64_t watched;               /* those that a signalfd takes, */
    uint64_t watched_count;         /* and how often one of them became pending */
    uint64_t trampoline;            /* where handlers return to; 0: no handler was called yet */
};

/* A timer. Times are those of its own clock, in nanoseconds. All but the first two members are
 * those of a timer of timer_create. */
struct user_timer {
    uint64_t expires, interval; /* 0: not set; 0: fires once */
    bool exists;
    bool is_of_processor; /* its clock is the time of the executed instructions, */
    bool is_of_date;      /* or the date */
    uint8_t signal;       /* 0: none */
    uint32_t thread;      /* id of the one that gets the signal; 0: the program */
    uint64_t value;       /* si_value */
    bool is_sent;         /* the signal is pending; */
    uint32_t overruns;    /* how often it expired since then */
    uint32_t delivered;   /* the same for the last signal that was delivered */
};

/* Reads the CSR `time`: the nanoseconds of the program's clock. */
extern const struct environment user_environment;

struct user {
    struct user_processes *processes;      /* all of the program */
    struct user_process *process;          /* the one that the rest belongs to */
    uint64_t break_start, break_now;       /* the heap: [break_start, break_now) */
    uint64_t map_low, map_high;            /* addresses that mmap chooses from */
    uint64_t stack_start;                  /* the lowest address of the first thread's stack */
    uint64_t auxiliary[USER_AUXILIARY][2]; /* the auxiliary vector: types and values */
    char *name;                            /* the program's file name without its directory */
    int root;             /* descriptor of the --root directory; -1: the tree in `store` */
    uint64_t root_device; /* of its file system (storage_device) */
    char *root_path;      /* its path on the host; NULL: not known */
    char *program_path;   /* where /proc/self/exe leads */
    struct file_identity busy[USER_BUSY]; /* files of the host that cannot be changed, since
                                                   the program runs from them: its own, and its
                                                   dynamic linker */
    char *working;                        /* working directory, as the guest names it */
    unsigned creation_mask;               /* umask */
    struct user_file *files[USER_FILES];  /* what each descriptor refers to; NULL: closed */
    bool close_on_exec[USER_FILES];
    bool has_alarms;           /* a file with an alarm (calls.h) was opened at some time */
    struct user_file *streams; /* the standard streams */
    uint64_t slept;            /* nanoseconds spent sleeping, or executed by other processes */
    struct user_timer
        timers[USER_TIMERS]; /* real, virtual, profiling; then those of timer_create */
    bool is_timed;           /* a timer was set at some time */
    uint64_t random;         /* state of the generator */
    struct user_signals signals;
    struct user_thread *threads[USER_THREADS]; /* in the order of their creation (thread.h) */
    unsigned thread_count;
    struct user_thread *thread; /* the running one, whose registers the hart has */
    unsigned turn;              /* its place in `threads`; not in a barrel */
    struct user_thread *ended;  /* of a barrel: to free after its last turn; or NULL */
    bool is_threaded;           /* there was a second thread */
    uint32_t running;           /* number of the running one, from 1 */
    uint64_t turn_start;        /* instret when it became the running one */
    uint64_t turn_end;          /* instret at the end of its turn */
    bool turn_over;             /* its turn has ended early */
    bool turns_changed;         /* another thread can run, or the turn is over: the slice ends */
    uint64_t pass_at;           /* instret at which another process has the next turn */
    uint64_t signal_at;         /* instret at which it gets the signals that came meanwhile */
    uint32_t late_signals;      /* how often that was so */
    bool trace_calls;           /* --trace-syscalls */
    uint64_t unknown[USER_UNKNOWN_CALLS]; /* unknown calls that were printed */
    unsigned unknown_count;
    bool exited;
    bool stuck; /* exited, because no thread can ever go on */
    int status; /* exit status, when exited */
    int signal; /* signal that ended the program, other than by a fault without a handler; 0: none
                 */
};

/* Initializes the environment with the standard streams that are open, and without files. Standard
 * streams that are closed stay closed for the guest, but their descriptors are taken on the host,
 * so that no other file gets them. Call this before anything else is opened. */
void user_init(struct machine *machine);
/* Opens the directory that the guest sees as `/`. Returns false after a diagnostic. */
bool user_set_root(struct user *user, struct diag *diag, const char *directory);
void user_free(struct user *user);
/* The process ends: closes its files. Its threads stay, for reports. */
void user_leave(struct user *user);

/* Finds the names of the program at the path `name` of the host, for a run that begins with it:
 * where it is on the host, what /proc/self/exe says, and argv[0]. Inside of `root` (or NULL), these
 * are its paths there; one from elsewhere seems to be in `/`, and is called by its name alone. The
 * names last as long as the arena. */
void user_name_program(struct arena *arena, const char *root, const char *name,
                       struct user_execution *execution);

/* Puts arguments, environment (`variable_count` strings NAME=VALUE) and the auxiliary vector on the
 * stack and sets sp, as the kernel does for a new program (psABI, "Process Initialization").
 * Returns false after a diagnostic when they do not fit. */
struct program;
bool user_start(struct machine *machine, struct diag *diag, const struct program *program,
                const struct user_execution *execution);

/* The same for a program that is executed later, or for another one after it (execve). Its path and
 * argv[0] are those of `execution`; machine->user has all but what depends on memory. */
bool user_begin(struct machine *machine, struct diag *diag, const struct program *program,
                const struct user_execution *execution);

/* The process goes on with another program, in this machine: moves what it keeps from the machine
 * before. */
void user_take_over(struct machine *machine, struct machine *from,
                    const struct user_execution *execution);

/* Serves an ecall: number in a7, arguments in a0 to a5, result in a0. hart->pc is the address after
 * the ecall on entry. On return it may also be that of a signal handler, or where a handler
 * returned to. Returns false when the call ends the program, or when it was not executed: it was
 * interrupted, or the thread waits. */
bool user_call(struct machine *machine);

/* Returns the number of instructions until a timer expires; UINT64_MAX: none will. */
uint64_t user_timer_left(const struct machine *machine);
/* Raises the signals of timers that have expired. */
void user_timer_fire(struct machine *machine);
/* Does the environment's work between two instructions: raises the signals of expired timers,
 * chooses the thread whose turn it is, and calls handlers of signals. Shortens *slice to end where
 * there is work again. Returns USER_RUNS, or why no thread can run now. */
enum user_next {
    USER_RUNS,
    USER_ENDED,
    USER_HELD,   /* by the debugger */
    USER_PASSES, /* another process has the next turn */
};
enum user_next user_prepare(struct machine *machine, uint64_t *slice);
/* Does user_prepare have to be called before each instruction? Not if there is one thread. */
bool user_has_turns(const struct machine *machine);
/* Must the slice end after a system call, so that user_prepare is called? */
bool user_has_work(const struct machine *machine);
/* Can the threads of a barrel have turns without user_prepare? Shortens *limit to the instructions
 * until that has work again. */
bool user_can_rotate(const struct machine *machine, uint64_t *limit);
/* Does the running thread wait? Then its call has not been executed, and will be made again. */
bool user_is_waiting(const struct machine *machine);

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
