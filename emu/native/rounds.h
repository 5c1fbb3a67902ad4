/* Native code of the threads of a barrel, which take turns of one instruction or two
 * (docs/native-code.md, threads of a barrel).
 *
 * What threads do in a turn depends on the turns before it, so native code keeps their order. It is
 * a path: the instructions of as many turns as there are until all threads stand where they stood
 * before, each with the registers of its thread. Threads that do the same work, in whatever phase,
 * go round such a path often. Where a thread goes another way than on the path, the turns after
 * that are another path. */
#ifndef EMU_NATIVE_ROUNDS_H
#define EMU_NATIVE_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

struct decoded;
struct hart;
struct keeper;
struct machine;
struct native;

enum lent {
    LENT_DONE,
    LENT_LAST,    /* it was executed, and nothing may be executed after it at once */
    LENT_REFUSED, /* it was not: it needs the machine's hart for itself */
};

enum {
    ROUNDS_THREADS = 64, /* the most that take turns */
    ROUNDS_UNTIMED = 1,  /* the state of a thread without a model of time */
};

/* What threads have done in native code, where turns are uneven. */
struct rounds_arrival {
    uint64_t executed[ROUNDS_THREADS]; /* instructions of each, */
    uint64_t shared[ROUNDS_THREADS];   /* and those of them that were the second one in a turn */
    uint64_t turns;                    /* that are over */
    uint32_t times[ROUNDS_THREADS];    /* the states of the threads, that of the next turn first */
    /* The instructions of the last turn, if it had a branch after which the thread is no longer on
     * the path; or the first one of the next turn, if that is open: the second one may follow. The
     * state of the thread is that before them. */
    struct decoded late[2];
    unsigned late_count;
    bool is_open;
};

/* The threads that take turns, with a hart each, and what they have done. */
struct rounds {
    /* In the order of turns, the thread in the lowest slot first. */
    struct hart *harts[ROUNDS_THREADS];
    unsigned count;
    uint64_t slots;      /* bits: those that they have, one each */
    unsigned supervisor; /* index of the supervisor, which has no slot of its own; or `count` */
    unsigned first;      /* index of the thread that had the first turn */
    uint64_t executed;   /* instructions */
    uint64_t limit;      /* the most of them */
    uint64_t turns;      /* that are over; some may have passed without an instruction */
    /* The model of time, for which the executions of instructions are counted; or NULL. */
    struct keeper *keeper;
    unsigned numbers[ROUNDS_THREADS]; /* of the threads */
    bool is_paired;                   /* two instructions may share a turn */
    bool is_uneven; /* or threads may have to wait, so that turns pass; then, of `interpret`: */
    uint8_t stalls[ROUNDS_THREADS]; /* why turns passed; or STALL_ALL */
    bool shared[ROUNDS_THREADS];    /* had they two instructions? */
    /* Writes the states in which the threads will be in their next turns (struct keeper), or
     * ROUNDS_UNTIMED. */
    void (*find_times)(const struct rounds *rounds, uint32_t *times);
    /* Native code was left. */
    void (*arrive)(struct rounds *rounds, const struct rounds_arrival *arrival);
    /* Has the interpreter execute this many turns, at most one of each thread. Returns false if it
     * could not. The pc of each hart is exact before and afterwards. */
    bool (*interpret)(struct rounds *rounds, unsigned turns);
    /* Executes the instruction, with the registers of the hart, by a function that may do more than
     * native code. So many instructions were executed before it. */
    enum lent (*lend)(struct hart *hart, struct decoded *record, uint64_t number);
    /* May `lend` execute the instruction? */
    bool (*may_lend)(const struct machine *machine, const struct decoded *record);
    /* May the instructions be the two of a turn, if turns are shared? */
    bool (*may_share)(const struct machine *machine, const struct decoded *first,
                      const struct decoded *second);
};

/* Is code made native at once (or not at all, if native is NULL)? */
bool native_is_eager(const struct native *native);
/* Executes turns in native code where it has some, or makes it if the threads come back to where
 * they stood. No thread has a reservation. Returns whether this was worth it: then there were
 * turns. */
bool native_take_rounds(struct native *native, struct rounds *rounds);
/* Adds what was counted so far to the counts of the instructions, for the report. */
void native_tell_rounds(struct native *native);

#endif
