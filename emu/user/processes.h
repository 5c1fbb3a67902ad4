/* The processes of a program in the user environment: those that fork makes, and what they share.
 *
 * Each process has a machine of its own, which makes the registers and memory its own, with decoded
 * and native code. One process runs at a time, for PROCESS_TURN instructions or until it waits. The
 * turns go round in the order in which the processes were made (emu/execute/processes.h). So the
 * interleaving follows from the program and its input, as that of threads does. */
#ifndef EMU_USER_PROCESSES_H
#define EMU_USER_PROCESSES_H

#include "emu/user/recent.h"
#include "emu/user/store.h"
#include "emu/user/times.h"

struct machine;

enum { USER_CONTINUED = 0xffff }; /* status of a process that went on */

enum {
    PROCESS_TURN = 1000000, /* instructions */
    PROCESS_LIMIT = 500,    /* processes at once, with those whose end nobody has asked for yet */
    PROCESS_SHARES = 32768, /* ranges of all their memories that are shared (struct memory_share):
                               each takes a mapping of the host, which has 65530 */
};

/* What a program is executed from, and with. */
struct user_execution {
    const char *given; /* the path that was given */
    const char *path;  /* the same without links and dots, of an interpreter if it is a script */
    const char *host;  /* the host's name of this file; NULL: it is in memory: */
    const unsigned char *bytes;
    size_t length;
    const char *called;           /* argv[0] */
    char *const *arguments;       /* after it, ending with NULL */
    const char *const *variables; /* of the environment */
    size_t variable_count;
};

/* How machines are made for processes: by a floor above. */
struct user_makers {
    /* Returns a machine with the registers of the running thread and the memory of this machine,
     * but with nothing in machine->user. NULL: there is no memory for it. */
    struct machine *(*copy)(const struct user_makers *makers, struct machine *machine);
    /* Makes a machine that begins to execute another program, for the process of this one, whose
     * machine it becomes. Returns 0, or a negative error number: the process goes on as before. */
    int64_t (*replace)(const struct user_makers *makers, struct machine *machine,
                       const struct user_execution *execution);
};

struct user_process {
    struct user_process *next; /* in the order in which they were made */
    struct machine *machine;   /* NULL: it has ended, and its parent does not know yet */
    uint32_t id, parent, group, session;
    bool is_stopped;       /* by a signal, until another one continues it */
    int news;              /* what its parent does not know: that it stopped or went on, as wait
                              returns it; 0: nothing */
    unsigned end_signal;   /* which its parent gets at its end; 0: none */
    unsigned death_signal; /* which it gets at the end of its parent; 0: none */
    int status;            /* after the end: as wait returns it */
    struct user_process *child; /* until this one ends or executes a program, the process stands
                                   still (vfork); or NULL */
    uint64_t before;            /* instructions of the programs that it executed before */
    uint64_t of_children;       /* instructions of the processes for which it waited */
};

/* Files of the host that are common memory (mapped.c). */
struct user_mapped {
    struct mapped_file *first;
    unsigned count, limit; /* of them: at which those are forgotten that are not mapped any more */
    uint64_t changes;      /* times.changes when their lengths were looked at */
};

struct user_processes {
    struct user_process *first;
    unsigned count;           /* in the list */
    unsigned alive;           /* of them, those with a machine */
    uint32_t last_id;         /* of the newest process or thread */
    uint64_t opened;          /* serial of the newest file */
    uint64_t waits;           /* number of waits so far */
    uint64_t ended;           /* instructions of the processes that have ended */
    struct store store;       /* files in memory */
    struct times_table times; /* of files of the host */
    struct user_mapped mapped;
    struct recent_directories recent; /* of the root */
    struct user_linked *linked;       /* files with several names (inode.c) */
    struct user_lock *locks;          /* of files (lock.c) */
    struct user_socket *sockets;      /* all that are open (socket.h) */
    struct user_pipe *fifos;          /* those that are open (pipe.c) */
    struct user_event *epolls;        /* those that are open (event.c) */
    struct user_segment *segments;    /* of shared memory, in the order of their ids (segment.c) */
    uint32_t segment_ids;             /* number of segments made so far */
    uint64_t searches;                /* number of searches through them so far */
    unsigned socket_names;            /* made by temu */
    unsigned sent_files;              /* in messages that were not received */
    unsigned refused; /* bit: enum user_refusal, the refused calls that were reported */
    const struct user_makers *makers; /* NULL: there can be no second process */
};

/* Makes the list, with the first process. */
struct user_processes *user_open_processes(struct machine *machine);
void user_close_processes(struct user_processes *processes); /* or NULL */
/* Returns the process with this id, or NULL. */
struct user_process *user_find_process(const struct user_processes *processes, uint64_t id);
/* Returns the machine of the process with this id; NULL: there is none, or it has ended. */
struct machine *user_find_machine(const struct machine *machine, uint64_t id);
/* Forgets a process that has ended, or was not made. The first one stays: the run ends with its
 * status. */
void user_forget_process(struct user_processes *processes, struct user_process *process);
/* Are there other processes that have not ended? */
bool user_has_others(const struct machine *machine);
/* Can the memories of all processes have so many more ranges that are shared? */
bool user_can_share(const struct user_processes *processes, unsigned more);
/* Returns how many instructions the process has executed, of all its programs. */
uint64_t user_process_executed(const struct user_process *process);
/* Returns how many instructions all processes have executed. */
uint64_t user_all_executed(const struct user_processes *processes);

/* Has no process of the group a parent that could look after it, in another group of its session?
 */
bool user_is_orphaned(const struct user_processes *processes, uint32_t group);

/* The process executes another program, or ends: its parent goes on, if it stood still. */
void user_release_parent(struct user_process *process);

/* ---- fork.c ---- */

/* Makes a process like this one, with its running thread. Returns its id, or a negative error
 * number. `parts` are those of clone. */
struct user_fork {
    unsigned end_signal;
    bool holds_parent;   /* until it ends or executes a program */
    bool resets_signals; /* it has no handlers */
    uint64_t stack;      /* 0: as before */
    uint64_t clear_address;
    bool has_thread_pointer;
    uint64_t thread_pointer;
    uint64_t id_address; /* where the new process gets its id, in its own memory; 0: nowhere */
};
int64_t user_fork(struct machine *machine, const struct user_fork *parts);
/* ---- process_turns.c ---- */

/* The process has ended, with a status as wait returns it: its files are closed, its parent learns
 * of it. Its machine is no longer used. */
void user_end_process(struct user_process *process, int status);

/* Can a thread of the process run now? */
bool user_can_run(const struct user_process *process);
/* A turn begins: signals that other processes have sent are delivered. */
void user_begin_turn(struct machine *machine);
/* The clocks of the others have advanced to that of this process, which had a turn: ends the waits
 * whose time has come. */
void user_synchronize(struct user_process *process);
/* No process can run: advances the time to when one can. Returns false when there is no such time.
 */
bool user_pass_time_of_all(struct user_processes *processes);
/* Returns the only process that has not ended, which waits: it makes its call again, which finds
 * out now that nothing can end the wait. NULL: there are several. */
struct user_process *user_find_last(struct user_processes *processes);

#endif
