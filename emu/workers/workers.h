/* The threads of the barrel (threads.md): a supervisor and K workers, of which one executes one
 * instruction in each turn. The hart holds the state of the thread that had the last turn.
 *
 * Turn t belongs to slot t mod K, and slot n to worker n while that is not idle, else to the
 * supervisor. A thread that waits lets the turn pass. */
#ifndef EMU_WORKERS_WORKERS_H
#define EMU_WORKERS_WORKERS_H

#include "emu/context.h"
#include "emu/workers/schedule.h"
#include "lib/trace/recorder.h"

enum worker_state { WORKER_IDLE, WORKER_RUNS, WORKER_AT_BARRIER, WORKER_FAULTED };

/* The thread of a Linux program that a context is for (emu/user/thread.h). The user environment
 * says when it waits. */
struct workers_owner {
    struct user_thread *thread;          /* NULL: none; the first thread makes its calls */
    const enum user_thread_state *state; /* of it */
    uint32_t number;                     /* of it */
};

struct worker {
    enum worker_state state;
    bool is_released;   /* all have come to the barrier: its tbar ends in its next turn */
    uint64_t status;    /* of the last texit */
    struct fault fault; /* the last exception, */
    uint64_t fault_pc;  /* and its pc */
    uint64_t retired;   /* instructions */
    unsigned privilege;
    bool is_held; /* by the debugger */
    struct workers_owner owner;
    struct context context;
    char name[20];         /* in the effects of traces, `worker[3]` */
    char short_name[16];   /* of the thread, `w3` */
    unsigned races_number; /* of races_start, with --races */
};

/* An instruction, which is expanded if it is compressed; the id may be that of none (enum
 * pseudo_body). */
struct workers_instruction {
    uint16_t id;
    uint64_t pc, word;
};

struct workers {
    unsigned count;   /* K */
    unsigned running; /* the thread whose state the hart has: 0 the supervisor, n + 1 worker n */
    bool is_held;     /* the debugger holds the supervisor */
    bool is_synchronizing;      /* the supervisor waits at a tsync */
    bool has_ended;             /* the supervisor did: it was the first thread of a Linux program */
    struct workers_owner owner; /* of the supervisor */
    uint64_t turn;
    uint64_t attempts;                /* instructions that took a turn and did not retire */
    uint64_t turn_retired;            /* hart.instret at the beginning of the turn, */
    uint64_t turn_attempts;           /* and `attempts` */
    bool is_paired;                   /* two instructions may share a turn */
    bool is_begun;                    /* a turn was */
    bool is_second;                   /* the turn is that of the second instruction of a bundle */
    struct workers_instruction first; /* that the turn began with, if turns may be shared */
    struct context supervisor;        /* while a worker has the hart */
    uint64_t supervisor_retired;      /* instructions */
    unsigned supervisor_privilege;
    struct recorder recorder;  /* for reservations, while nothing else records */
    struct turns *turns;       /* of turns.c, or NULL */
    struct schedule *schedule; /* whose turns are taken, or NULL */
    unsigned *meeting;         /* races_number of those that meet at the barrier */
    char weights[64][20];      /* names of the weights in traces, `weight3` */
    struct worker workers[];
};

/* Makes the contexts that the configuration asks for. */
void workers_open(struct machine *machine);
void workers_free(struct machine *machine);

/* Gives the hart to the thread that has the next turn in which one can execute an instruction, and
 * shortens *slice to the instructions that it may execute. Returns false when no thread can ever go
 * on. */
bool workers_take_turn(struct machine *machine, uint64_t *slice);
/* Is the next instruction the second one of a bundle? Then no interrupt comes before it. */
static inline bool workers_pair(const struct machine *machine)
{
    return machine->workers && machine->workers->is_second;
}

/* Returns the turn; 0: there is no barrel. */
uint64_t workers_turn(const struct machine *machine);
/* With --timing: the running thread waits in its turn, at a tsync or a tbar. */
void workers_wait(struct machine *machine);

/* Has a thread that does not run a reservation? */
bool workers_are_reserved(const struct machine *machine);
/* Ends the reservations of the other threads that the effects of an instruction store to. */
void workers_end_reservations(struct machine *machine, const struct recorder *recorder);

/* ---- for debuggers ---- */

/* Gives the hart to the thread, so that its state can be seen and changed. */
void workers_give_hart(struct machine *machine, unsigned thread);
/* Is the thread an idle worker, or the supervisor after its end? */
bool workers_is_idle(const struct machine *machine, unsigned thread);
/* Does the thread wait at a tsync or a tbar? */
bool workers_is_waiting(const struct machine *machine, unsigned thread);
/* A held thread lets its turns pass. */
void workers_hold(struct machine *machine, unsigned thread, bool is_held);
/* Can no thread go only because the debugger holds some? */
bool workers_are_held(const struct machine *machine);
/* The machine stopped before the instruction: the next turn is this one again. */
void workers_stop(struct machine *machine);

/* ---- the threads of a Linux program ---- */

/* Returns the worker that a new thread can have, as `running`: the lowest idle one. One slot stays
 * with the supervisor, so that 0, none, is returned when all others are taken. */
unsigned workers_find_idle(const struct machine *machine);
/* Returns the context of the thread of this number. */
struct context *workers_context(const struct machine *machine, unsigned thread);
/* The running thread, the supervisor, is this one of the program. */
void workers_set_owner(struct machine *machine, const struct workers_owner *owner);
/* Starts the worker with what its context has. Returns its number of races_start. */
unsigned workers_begin(struct machine *machine, unsigned thread, const struct workers_owner *owner);
/* The running thread is over: a worker is idle, and the supervisor lets its turns pass. */
void workers_leave(struct machine *machine);
/* Does a worker run that `trun` or `trunall` started? */
bool workers_have_started(const struct machine *machine);

/* Does a worker have the hart? */
static inline bool workers_has_hart(const struct machine *machine)
{
    return machine->workers && machine->workers->running;
}

/* The running worker raised machine->fault, in the bare environment: it is faulted. */
void workers_fault(struct machine *machine);
/* An instruction took the turn and did not retire. */
void workers_attempt(struct machine *machine);

/* Returns what the thread of the number (as `running`) does: "runs" and the like. That of a Linux
 * program may wait for something else (user_worker_activity). */
const char *workers_activity(const struct machine *machine, unsigned thread);
/* Returns the name of the thread in reports and traces: `sup`, `w0` and so on. */
const char *workers_name(const struct machine *machine, unsigned thread);
/* Returns the pc of the thread. */
uint64_t workers_pc(const struct machine *machine, unsigned thread);
/* Is the thread the supervisor, or a worker that is not idle? */
bool workers_is_active(const struct machine *machine, unsigned thread);

/* ---- for turns.c ---- */

/* Can the threads take turns with registers of their own, so that none needs the machine's hart?
 * Not while one waits for an interrupt, or before the second instruction of a bundle. The
 * environment has no work. */
bool workers_can_rotate(struct machine *machine);
/* Returns the instruction of the record. */
struct workers_instruction workers_instruction_of(const struct code *code,
                                                  const struct decoded *record);
/* May the instructions, one of which follows the other, be a bundle? */
bool workers_are_bundle(const struct workers_instruction *first,
                        const struct workers_instruction *second);
/* The running thread has executed this instruction in its turn, which the next one may share. */
void workers_open_turn(struct machine *machine, const struct workers_instruction *first);
/* Does a worker run, or wait at the barrier? */
bool workers_have_active(const struct machine *machine);
/* Counts the turns of the last slice. */
void workers_count_turns(struct machine *machine);
/* Returns the thread that has the turn. */
unsigned workers_thread_of_turn(const struct machine *machine, uint64_t turn);
/* Returns the context of that thread, or NULL: the turn passes. */
struct context *workers_context_of_turn(const struct machine *machine, uint64_t turn);
/* Returns the bits of all reservations (hart_reserved_line), after workers_put_away. */
uint64_t workers_reserved_lines(const struct machine *machine);
/* Saves the state of the machine's hart in the context of its thread. */
void workers_put_away(struct machine *machine);
/* The machine executes an instruction of the thread that has the context. */
void workers_lend(struct machine *machine, const struct context *context);
/* Returns how many instructions that thread had executed at workers_put_away. */
uint64_t workers_retired(const struct machine *machine, const struct context *context);
#define NO_TURN UINT64_MAX
/* Gives the hart to the thread that has the turn, after all contexts executed as many instructions
 * as hart.instret in them says, the last one in turn `last`; NO_TURN: none. */
void workers_take_back(struct machine *machine, uint64_t last, uint64_t turn);

/* ---- the instructions of xbarrel ---- */

/* These return false after filling the fault. `word` is the encoding, for illegal instructions. */
bool workers_start(struct machine *machine, uint64_t word, uint64_t number, uint64_t entry,
                   uint64_t argument, struct fault *fault);
bool workers_start_all(struct machine *machine, uint64_t word, uint64_t entry, uint64_t argument,
                       uint64_t stride, struct fault *fault);
bool workers_end(struct machine *machine, uint64_t word, uint64_t status, struct fault *fault);
bool workers_synchronize(struct machine *machine, uint64_t word, struct fault *fault);
bool workers_meet(struct machine *machine, uint64_t word, struct fault *fault);
bool workers_status(struct machine *machine, uint64_t word, uint64_t number, uint64_t field,
                    uint64_t *value, struct fault *fault);
bool workers_put_weight(struct machine *machine, uint64_t word, uint64_t number, uint32_t value,
                        struct fault *fault);
/* Returns the number of the running thread: 0 the supervisor, n + 1 worker n. */
uint64_t workers_self(const struct machine *machine);

#endif
