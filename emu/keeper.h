/* How the executor tells the model of time (emu/timing/feed.h) which instructions it executes, and
 * how the core asks it for counters. */
#ifndef EMU_KEEPER_H
#define EMU_KEEPER_H

#include "lib/timing/pipeline.h"
#include <stdbool.h>
#include <stdint.h>

struct machine;
struct decoded;
struct observed;
struct fault;

struct keeper {
    /* Called before each instruction. Sets machine->recorder, if nothing else records. */
    void (*before)(struct keeper *keeper, struct machine *machine, const struct decoded *record);
    /* Called after it; `trap` is the exception that it raised, or NULL. */
    void (*after)(struct keeper *keeper, struct machine *machine, const struct observed *observed,
                  const struct fault *trap);
    /* Returns the cycle in which the last instruction left D, or in a barrel its turn. */
    uint64_t (*clock)(const struct keeper *keeper);
    /* Returns the value of a performance counter. */
    uint64_t (*performance)(const struct keeper *keeper, unsigned index);
    /* Of a barrel: returns why the running thread cannot execute its next instruction in this turn;
     * STALL_ALL: it can. */
    enum pipeline_stall (*look)(struct keeper *keeper, struct machine *machine, uint64_t turn);
    /* A turn of the thread passes without an instruction. */
    void (*pass)(struct keeper *keeper, unsigned thread, enum pipeline_stall stall, uint64_t turn);
    /* The thread starts at this address. */
    void (*start)(struct keeper *keeper, unsigned thread, uint64_t pc);
    /* The number, from 1, of the instruction that `after` was told of last, if an observer will be
     * told its times; 0: none. */
    uint64_t timed;
    bool is_recorded; /* trace, statistics or watchpoints need the effects of all instructions */
};

#endif
