/* --races: finds accesses to memory by two threads that nothing orders.
 *
 * Two accesses to a byte are a race when two threads make them, one of them is a write, they are
 * not both atomic, and neither happens before the other. An access happens before a later one of
 * its own thread, and what starts, ends and wakes threads, barriers, and an acquiring read of what
 * a releasing write stored order the accesses of two threads. Each thread has a vector clock, which
 * says how much of each other thread happened before (as in FastTrack, PLDI 2009).
 *
 * Atomic are the instructions of class `atomic`, and a store right after a fence that orders
 * earlier accesses before it, as compilers translate a releasing store. Loads that acquire, and
 * relaxed ones, are plain instructions in RISC-V; so a load of one aligned word is atomic wherever
 * that matters: it is in no race with an atomic write. */
#ifndef EMU_RACES_RACES_H
#define EMU_RACES_RACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct observed;
struct recorder;
struct races;

enum race_kind { RACE_LOAD, RACE_STORE, RACE_ATOMIC, RACE_RANGE_READ, RACE_RANGE_WRITE };

/* One of two accesses. */
struct race_access {
    uint64_t pc;
    uint32_t thread; /* its name (races_start) */
    enum race_kind kind;
};

/* `first` happened earlier. `address` and `size` are the bytes of one aligned doubleword that both
 * accessed. */
struct race {
    struct race_access first, second;
    uint64_t address;
    unsigned size;
};

struct race_observer {
    void *context;
    /* Called for each race that is found, once for each pair of instructions. */
    void (*report)(void *context, const struct race *race);
    /* Is the code at the address part of a library that accesses its own memory in ways that only
     * its authors can judge? Its accesses order others, but are in no race. */
    bool (*is_trusted)(void *context, uint64_t pc);
};

/* Makes the detector with one thread, the running one, which has the name. Returns NULL when there
 * is no memory. */
struct races *races_new(const struct race_observer *observer, uint32_t name);
/* Returns how many races were reported. */
uint64_t races_count(const struct races *races);

/* Looks at an instruction of the running thread and its effects. */
void races_look(struct races *races, const struct observed *observed,
                const struct recorder *recorder);

/* ---- threads ----
 *
 * A thread is a number that races_start returns; the first thread is 0. All functions do nothing
 * when `races` is NULL. */

/* `thread` runs from now on. */
void races_run(struct races *races, unsigned thread);
/* The running thread starts a new one, which has the name in reports. The number of an ended thread
 * is used again where the running thread knows of its end. */
unsigned races_start(struct races *races, uint32_t name);
/* The thread ends. */
void races_end(struct races *races, unsigned thread);
/* The end of the thread happens before what the running thread does next. */
void races_join(struct races *races, unsigned thread);
/* Orders all that the running thread did before what `thread` does next. */
void races_wake(struct races *races, unsigned thread);
/* Orders all that these threads did before what each of them does next. */
void races_meet(struct races *races, const unsigned *threads, size_t count);

/* ---- system calls ---- */

/* A system call begins. Its accesses are not atomic, unless races_synchronize says so. */
void races_call(struct races *races);
/* The current system call is one for synchronization: its accesses are atomic. */
void races_synchronize(struct races *races);
/* The current system call has read the word, acquiring. */
void races_acquire(struct races *races, uint64_t address);
/* The current system call writes the word, releasing. */
void races_release(struct races *races, uint64_t address);
/* The running thread ends, and the kernel clears the word: what it did happens before what a thread
 * does after a read of the word, even by a plain load. */
void races_clear(struct races *races, uint64_t address);
/* The memory is new: its earlier accesses do not count. */
void races_forget(struct races *races, uint64_t address, uint64_t length);

#endif
