/* The threads of a program in the user environment.
 *
 * The hart runs one thread at a time. A turn has `threads.quantum` instructions, and the turns go
 * round in the order in which the threads were created. A turn also ends at a call that waits and
 * at sched_yield. So the interleaving follows from the program and its input.
 *
 * In a machine with a barrel (emu/workers/workers.h), the first thread is the supervisor and each
 * other one a worker, which have the turns of the barrel.
 *
 * A call that has to wait is not executed: the pc stays at its ecall, and the next turn of the
 * thread makes it again. So a trace has one line for it, with its result. */
#ifndef EMU_USER_THREAD_H
#define EMU_USER_THREAD_H

#include "emu/context.h"

/* The event that a thread waits for. */
enum user_wait_kind {
    WAIT_TIME,
    WAIT_SIGNAL,
    WAIT_FILES, /* a pipe, an eventfd, or an epoll */
    WAIT_FUTEX,
    WAIT_CHILD,
};

/* What tells a futex from all others. */
struct user_futex {
    uint64_t object; /* of common memory; 0: it is only in the memory of its process, */
    uint64_t place;  /* at this address, or so many bytes from the begin of the object */
};

/* A wait, from the call that began it until the call has been made again. */
struct user_wait {
    enum user_wait_kind kind;
    uint64_t pc;       /* of the call */
    uint64_t deadline; /* by user_time */
    uint64_t alarm;    /* when to make the call again, before the deadline (WAIT_FILES) */
    uint64_t address;  /* of the futex for which it began; 0: none */
    struct user_futex futex;
    uint32_t bitset;  /* of the futex */
    uint64_t order;   /* waiters of a futex are woken in this order */
    uint64_t signals; /* blocked signals that end the wait, too */
    bool is_woken;    /* by a wake of the futex, or the lock was given to it */
    bool is_for_lock; /* with priority inheritance (FUTEX_LOCK_PI) */
    uint64_t done;    /* bytes that a write has moved */
};

/* A FIFO that a thread opens, while it waits for the other end. It has no descriptor yet. */
struct user_opening {
    struct user_file *file; /* NULL: none */
    uint64_t before;        /* how often the other end had been opened */
    bool close_on_exec;
};

struct user_thread {
    uint32_t id;
    enum user_thread_state state;
    unsigned worker;       /* in a barrel: 0 the supervisor, n + 1 worker n */
    bool is_held;          /* by the debugger: it lets its turns pass */
    bool repeats;          /* its next instruction is a call that waited */
    struct user_wait wait; /* if so */
    struct user_opening opening;
    struct context context; /* while another thread runs; not in a barrel */
    uint64_t executed;      /* instructions before its turn; in a barrel, of its worker before it */
    struct user_pending pending;
    uint64_t blocked;           /* signals */
    uint64_t kept;              /* the blocked signals to restore after the current call, */
    bool is_kept;               /* when that has a mask of its own */
    uint64_t stack, stack_size; /* sigaltstack; size 0: none */
    bool stack_disarms;         /* while a handler runs there, there is none */
    uint64_t clear_address;     /* set to 0 when the thread ends, and woken as a futex; 0: none */
    uint64_t robust_list;       /* address of its head; 0: none */
    unsigned races_number;      /* of races_start, with --races */
    char name[16];              /* PR_GET_NAME */
    bool no_new_privileges;     /* PR_GET_NO_NEW_PRIVS */
};

/* Forgets all threads, and what depends on the instructions that were executed. */
void user_reset_threads(struct user *user);
/* Makes the first thread of the process. Returns false when there is no memory. */
bool user_make_main_thread(struct user *user);
/* Adds a thread to the list, which has room. Returns NULL when there is no memory. */
struct user_thread *user_add_thread(struct user *user, uint32_t id);
void user_free_threads(struct user *user);
/* Returns how many instructions the thread has executed. */
uint64_t user_thread_executed(const struct machine *machine, const struct user_thread *thread);
/* Returns the thread of the id, as the program knows it, or NULL. */
struct user_thread *user_find_thread(const struct user *user, uint64_t id);
/* Returns the number of the thread, as a debugger knows it: the first one has 1. Numbers are not
 * used again. */
uint32_t user_thread_number(const struct user_thread *thread);
/* Returns the thread of the number, or NULL. */
struct user_thread *user_numbered_thread(const struct user *user, uint64_t number);
/* Says what the thread does: `runs`, or `waits for a futex` and the like. */
const char *user_thread_activity(const struct user_thread *thread);
/* Returns the thread that has the context of the barrel (`running` in emu/workers/workers.h), or
 * NULL. */
struct user_thread *user_worker_thread(const struct user *user, unsigned worker);
/* Says what the thread of a barrel does. */
const char *user_worker_activity(const struct machine *machine, unsigned worker);
/* Returns the pc of the thread. */
uint64_t user_thread_pc(const struct machine *machine, const struct user_thread *thread);
/* Makes the registers of the thread those of the hart, for a debugger; its turn does not begin. */
void user_show_thread(struct machine *machine, struct user_thread *thread);

/* Makes the thread the running one. The one that ran before is freed if it has ended. */
void user_change_thread(struct machine *machine, struct user_thread *thread);

/* turn.c */
/* Returns when the first wait ends, or the first timer wakes a thread; USER_FOREVER: never. */
uint64_t user_next_event(const struct machine *machine);
/* Ends the waits whose time has come. */
void user_wake_expired(struct machine *machine);
/* No thread can run: advances the time to the end of a wait. Returns false when there is none. */
bool user_pass_time(struct machine *machine);
/* Gives the turn to the next thread that can run, if the turn is over or the running thread cannot
 * go on. Returns USER_ENDED at a deadlock. */
enum user_next user_take_turn(struct machine *machine);
/* Shortens *slice to end with the turn, if another thread can run then. */
void user_limit_turn(struct machine *machine, uint64_t *slice);

/* thread.c */
/* Returns the pc of the ecall that is being served. */
uint64_t user_call_pc(const struct machine *machine);
/* Ends the wait of a thread, if it waits. */
void user_wake(struct user *user, struct user_thread *thread);
/* Ends the waits for children. */
void user_wake_on_children(struct user *user);
/* A pipe or the like changed: ends the waits for files. */
void user_wake_on_files(struct user *user);
/* Returns the deadline of the wait that the current call began before, if it did, else `deadline`.
 */
uint64_t user_deadline(const struct machine *machine, uint64_t deadline);

/* time.c */
/* The result of a call whose thread waits now. The call returns it at once, with nothing changed
 * but the mask of signals that it has for its time. */
enum { USER_WAITS = -513 };
/* Waits for the deadline, for a signal, or for an event of the kind. Returns 0 at the deadline;
 * -EINTR; -EDEADLK when nothing can ever come; or USER_WAITS. Takes no time of the host. */
int64_t user_wait(struct machine *machine, enum user_wait_kind kind, uint64_t deadline);
/* The same, but the call is made again at `alarm`, if that is earlier; the only thread gets 0
 * then. */
int64_t user_wait_or_alarm(struct machine *machine, enum user_wait_kind kind, uint64_t deadline,
                           uint64_t alarm);

/* clone.c */
/* Ends the thread that runs, or the program, if it is the only one. */
void user_end_thread(struct machine *machine, int status);

/* futex.c */
/* Wakes up to `count` threads that wait for the futex. Returns their number. */
int64_t user_wake_futex(struct machine *machine, uint64_t address, uint64_t count, uint32_t bitset);
/* Does what the kernel does with the locks of a thread that ends. */
void user_release_locks(struct machine *machine, struct user_thread *thread);
/* The same for all threads of a process that ends, or executes another program. Other processes may
 * wait for the locks. */
void user_release_all_locks(struct machine *machine);

#endif
