/* Native code of the threads of a barrel, which take turns of one instruction each
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

enum { ROUNDS_THREADS = 64 /* the most that take turns */ };

/* What threads have done in native code, where they may have to wait. */
struct rounds_arrival {
    uint64_t executed[ROUNDS_THREADS]; /* instructions of each */
    uint64_t turns;
    uint32_t times[ROUNDS_THREADS]; /* the states of the threads, that of the next turn first */
    /* The branch that the last turn had, if what comes after it is no longer on the path: then
     * the last one of the states is that of its thread before it. */
    const struct decoded *branch;
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
    bool may_wait;                    /* threads may have to wait, so that turns pass; then: */
    uint8_t stalls[ROUNDS_THREADS];   /* why those that `interpret` had passed; or STALL_ALL */
    /* Writes the states in which the threads will be in their next turns (struct keeper). */
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
