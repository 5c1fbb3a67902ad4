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

/* The threads that take turns, with a hart each, and what they have done. */
struct rounds {
    /* In the order of turns, the thread in the lowest slot first. */
    struct hart *harts[ROUNDS_THREADS];
    unsigned count;
    uint64_t slots;      /* bits: those that they have, one each */
    unsigned supervisor; /* index of the supervisor, which has no slot of its own; or `count` */
    unsigned first;      /* index of the thread that had the first turn */
    uint64_t executed;   /* turns */
    uint64_t limit;      /* the most of them */
    /* The model of time, for which the executions of instructions are counted; or NULL. No thread
     * has to wait. */
    struct keeper *keeper;
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
