/* The pipeline of a machine (timing.md, 2): given the instructions of a program in order, the cycle
 * in which each enters and leaves every stage, and why it waited.
 *
 * The model knows nothing of the instruction set. Its caller says of each instruction which
 * registers it reads and writes, which bytes of memory, how long it takes, and which unit executes
 * it. The front end is computed one instruction at a time. The tensor units are computed from event
 * to event, and only up to the cycle that the front end needs (units.c). */
#ifndef LIB_TIMING_PIPELINE_H
#define LIB_TIMING_PIPELINE_H

#include "lib/timing/ranges.h"
#include "lib/timing/walk.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PIPELINE_UNITS = 8,     /* the most units */
    PIPELINE_ENGINES = 8,   /* the most instructions that a unit executes at once */
    PIPELINE_OPERANDS = 40, /* the most registers that an instruction reads and writes */
    PIPELINE_WINDOW = 1024,
    PIPELINE_OBSERVERS = 2,
    PIPELINE_THREADS = 65, /* the most threads of a barrel */
};

#define PIPELINE_NEVER UINT64_MAX /* a cycle that is not known, or does not come */

/* Why the decoder D sent nothing on in a cycle. */
enum pipeline_stall {
    STALL_FILL,    /* the first instruction is on its way */
    STALL_BRANCH,  /* the target of a branch is on its way */
    STALL_WINDOW,  /* too many instructions are not committed */
    STALL_OPERAND, /* a register is not usable yet */
    STALL_WAW,     /* an older write of its result is later */
    STALL_WAR,     /* the instruction queue has not read the register yet */
    STALL_UNIT,    /* the class takes none in this cycle */
    STALL_FENCE,   /* older tensor instructions are not finished */
    STALL_MEMORY,  /* its bytes conflict with an older tensor instruction */
    STALL_WALK,    /* no address is located */
    STALL_QUEUE,   /* the instruction queue is full */
    STALL_COUNT,
    /* Of the threads of a barrel only: */
    STALL_SYNC = STALL_COUNT, /* it waits for the workers, or for an interrupt */
    STALL_BARRIER,            /* it waits for other workers */
    STALL_ALL,
};

/* What a unit does in a cycle. */
enum pipeline_state {
    UNIT_BUSY,
    UNIT_RAW, /* its oldest instruction waits for an older one that writes what it reads */
    UNIT_WAW,
    UNIT_WAR,
    UNIT_ORDER, /* its oldest instruction waits for its turn */
    UNIT_QUEUE, /* its oldest instruction is in the instruction queue */
    UNIT_EMPTY,
    UNIT_STATES,
};

extern const char *const pipeline_stall_names[STALL_ALL];
extern const char *const pipeline_state_names[UNIT_STATES];

struct pipeline_settings {
    uint64_t window, branch, queue, storage;
    bool oldest; /* any entry may leave the storage queue, the oldest first */
    uint64_t granule;
    unsigned unit_count;
    uint64_t resources[PIPELINE_UNITS];
    unsigned register_count, class_count;
    struct walk_settings walk;
    unsigned threads;  /* contexts of a barrel; 0: there is one thread and no barrel */
    uint64_t per_turn; /* of a barrel: the most instructions in a turn */
};

/* The counts of the executions of one instruction of the program. */
struct pipeline_site {
    uint64_t count, decode_cycles, unit_cycles;
    uint64_t stalls[STALL_COUNT];
    uint64_t waits[UNIT_STATES];
    uint64_t storage_full; /* cycles in P while the storage queue was full */
};

/* One execution of an instruction. */
struct pipeline_instruction {
    const uint16_t *reads, *writes; /* registers; the one that is always zero is left out */
    unsigned read_count, write_count;
    int unit;           /* -1: the scalar core */
    unsigned class;     /* scalar: its timing class */
    bool is_fence;      /* waits for all older tensor instructions */
    bool has_trapped;   /* it raised an exception, in P or in X */
    enum walk_use walk; /* what it does to the walk of `row` */
    unsigned row;
    uint64_t walk_delay;     /* WALK_BEGIN: cycles until the first address is usable */
    uint64_t walk_addresses; /* WALK_BEGIN: how many there are; 0: no limit */
    uint64_t cycles, occupancy;
    const struct range *ranges; /* of memory */
    size_t range_count;
    struct pipeline_site *site; /* or NULL */
    void *context;              /* for the observer */
};

/* The times of one instruction, when it commits. */
struct pipeline_record {
    uint64_t sequence;
    uint64_t f, d, q, p, s, x, m, e, c; /* PIPELINE_NEVER: it was not in the stage */
    enum pipeline_stall stall;          /* the cause of most of its stalls in D; STALL_ALL: none */
    enum pipeline_state wait;           /* why a unit did not take it at once; UNIT_EMPTY: it did */
    int unit;
    bool has_trapped;
    const uint64_t *blockers; /* the instructions whose conflicts made it wait, oldest first; valid
                                 during the call */
    size_t blocker_count;
    unsigned row;     /* whose walk it used; UINT_MAX: none */
    unsigned located; /* addresses of this walk that are usable after it, in X */
    uint64_t pipe;    /* from which cycle on the unit takes the next one */
    uint64_t blocker; /* of what it waited for; PIPELINE_NEVER: of nothing */
    unsigned thread;  /* of a barrel */
    bool is_bubble;   /* no instruction: the turn `x` of the thread passed, because of `stall` */
    void *context;
};

typedef void pipeline_observer(void *context, const struct pipeline_record *record);

/* The counters of a run, up to a cycle. */
struct pipeline_counters {
    uint64_t cycles, instructions, issued;
    uint64_t stalls[STALL_ALL];
    uint64_t units[PIPELINE_UNITS][UNIT_STATES];
    uint64_t queue_cycles, queue_most; /* entries times cycles; the most entries */
    uint64_t storage_cycles, storage_most;
};

struct pipeline;

/* Returns NULL when there is no memory. */
struct pipeline *pipeline_new(const struct pipeline_settings *settings);
void pipeline_free(struct pipeline *pipeline);
/* Calls `observer` for each instruction in program order, when its times are known. There are at
 * most PIPELINE_OBSERVERS. In a barrel, F and D are PIPELINE_NEVER, C is that of the window of the
 * thread, and the bubbles come in the order of turns, too. */
void pipeline_observe(struct pipeline *pipeline, pipeline_observer *observer, void *context);
/* Adds the next instruction of the program. Returns the cycle in which it left D: that of X, or of Q
 * for a tensor unit. Its ranges are copied. */
uint64_t pipeline_add(struct pipeline *pipeline, const struct pipeline_instruction *instruction);
/* Returns the cycle in which the last instruction left D. */
uint64_t pipeline_left(const struct pipeline *pipeline);
/* Says that control did not go from the last instruction to the next one in memory. */
void pipeline_turn(struct pipeline *pipeline);
/* Returns whether the bytes that a scalar instruction accesses may make a difference to it. */
bool pipeline_needs_ranges(const struct pipeline *pipeline);
/* Returns the counters of the cycles before `cycle`, at most the one in which the last instruction
 * left D. */
struct pipeline_counters pipeline_count(struct pipeline *pipeline, uint64_t cycle);
/* Ends the program: all instructions commit. Returns the counters of the whole run; the cycles in
 * which D was empty after the last instruction are cycles - issued - stalls. */
struct pipeline_counters pipeline_finish(struct pipeline *pipeline);

/* ---- the threads of a barrel (threads.c) ----
 *
 * A turn is a cycle. Each thread has registers, classes, rows and a window of its own, and all
 * share Q, P, S and the units. The numbers of registers and rows are those of a thread. */

/* The cycles of a thread. */
struct pipeline_thread_counts {
    uint64_t instructions, issued; /* turns with an instruction: a bundle is issued once */
    uint64_t stalls[STALL_ALL];
};

/* Returns why the thread cannot execute the instruction in this cycle; STALL_ALL: it can. Cycles
 * must not decrease from call to call. */
enum pipeline_stall pipeline_look(struct pipeline *pipeline, unsigned thread,
                                  const struct pipeline_instruction *instruction, uint64_t cycle);
/* The thread executes the instruction in the cycle, where pipeline_look found that it can. */
void pipeline_issue(struct pipeline *pipeline, unsigned thread,
                    const struct pipeline_instruction *instruction, uint64_t cycle);
/* The turn of this cycle passes without an instruction. */
void pipeline_pass(struct pipeline *pipeline, unsigned thread, enum pipeline_stall stall,
                   uint64_t cycle);
/* Says that control of the thread did not go to the next instruction in memory. */
void pipeline_turn_thread(struct pipeline *pipeline, unsigned thread);
/* A new program begins in the context: nothing is left of the one before. */
void pipeline_start(struct pipeline *pipeline, unsigned thread);
/* Turns in which no thread has to wait need not be added one by one.
 *
 * If a thread executes the instruction, after which control may turn, in one of its turns, can it
 * go on in its next one? One that takes an address of a walk, or looks at it, needs one in its
 * turn, and takes it there. */
bool pipeline_can_rotate(const struct pipeline *pipeline,
                         const struct pipeline_instruction *instruction, bool may_turn);
bool pipeline_has_address(struct pipeline *pipeline, unsigned thread,
                          const struct pipeline_instruction *instruction, uint64_t cycle);
void pipeline_take_address(struct pipeline *pipeline, unsigned thread,
                           const struct pipeline_instruction *instruction, uint64_t cycle);
bool pipeline_is_observed(const struct pipeline *pipeline);
/* Are all tensor instructions finished in this cycle? */
bool pipeline_is_free(struct pipeline *pipeline, uint64_t cycle);
/* Returns the cycle from which on the thread does not have to wait for its scalar instructions;
 * PIPELINE_NEVER: it is not known yet. */
uint64_t pipeline_settled(const struct pipeline *pipeline, unsigned thread);
/* The thread executes so many instructions, which pipeline_can_rotate, in its turns up to `last`.
 * These of them share a turn as the second one. */
void pipeline_rotate(struct pipeline *pipeline, unsigned thread, uint64_t instructions,
                     uint64_t shared, uint64_t last);
/* So many turns of the thread pass without an instruction. */
void pipeline_rest(struct pipeline *pipeline, unsigned thread, enum pipeline_stall stall,
                   uint64_t turns);
/* What the next instructions of a thread that has one slot may have to wait for, while all tensor
 * instructions are finished: in cycles from its next turn on, so that the same state comes back in
 * each round of a loop. */
enum { PIPELINE_WAITS = 22 };
struct pipeline_thread_moment {
    uint32_t since; /* cycles from its last instruction to its next turn */
    uint16_t wait_count;
    struct {
        uint16_t number; /* of a register; of a class: plus register_count; the target of the last
                            branch: plus register_count and class_count; ascending */
        uint16_t cycles; /* until it can be used */
    } waits[PIPELINE_WAITS];
};
/* May the instruction be in turns that are skipped? Not where the window could become full. */
bool pipeline_can_skip_turn(const struct pipeline *pipeline,
                            const struct pipeline_instruction *instruction);
/* Stores the state in which the thread will be in its next turn. Returns false when there is no
 * room for it, or when its window may become full. */
bool pipeline_take_thread(const struct pipeline *pipeline, unsigned thread, uint64_t turn,
                          struct pipeline_thread_moment *moment);
/* Sets the state of the thread after so many instructions that were not added; these of them shared
 * a turn as the second one. */
void pipeline_skip_turns(struct pipeline *pipeline, unsigned thread, uint64_t instructions,
                         uint64_t shared, uint64_t turn,
                         const struct pipeline_thread_moment *moment);
const struct pipeline_thread_counts *pipeline_thread(const struct pipeline *pipeline,
                                                     unsigned thread);

#endif
