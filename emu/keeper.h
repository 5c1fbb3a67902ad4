/* How the executor tells the model of time (emu/timing/feed.h) which instructions it executes, and
 * how the core asks it for counters. */
#ifndef EMU_KEEPER_H
#define EMU_KEEPER_H

#include "lib/timing/passage.h"
#include <stdbool.h>
#include <stdint.h>

#define NO_TIME UINT32_MAX

struct machine;
struct hart;
struct decoded;
struct observed;
struct fault;
struct log_step;
struct recorder;

/* Blocks that are timed as a whole, because their time only depends on the state of the pipeline
 * when control enters them. The executor calls `enter` for each block, unless it knows the passage:
 * from last->to[1 if control has turned]. */
struct block_times {
    struct passages passages;
    struct passage start; /* leads to the state that the pipeline was in */
    struct passage *last; /* into the block that was entered last; its `to` is NULL: no block was */
    int64_t left;         /* instructions that may run after that block */
};

/* A block whose executions in turns of a barrel are counted (execute/timed_turns.h), or whose
 * instructions may have to wait for their turns (execute/uneven_turns.h). */
struct turn_block {
    uint64_t executions;
    unsigned length;  /* instructions; */
    unsigned able;    /* after the first ones of them, the thread can go on in its next turn; */
    unsigned known;   /* of the first ones, the model knows before their turns what they wait for */
    uint64_t quick;   /* bits: after these, the thread can go on in its next turn */
    uint64_t walks;   /* bits: the instructions that need an address of a walk */
    uint64_t *missed; /* executions that ended before the instruction with this index */
    uint64_t *single; /* executions of that instruction alone, which `executions` does not have, */
    uint64_t *second; /* and those of them in which it was the second one of its turn */
    uint64_t pairs;   /* bits: which instructions may begin a bundle (execute/bundles.h) */
};

struct keeper {
    /* Called before each instruction. Sets machine->recorder, if nothing else records. */
    void (*before)(struct keeper *keeper, struct machine *machine, const struct decoded *record);
    /* Called after it; `trap` is the exception that it raised, or NULL. */
    void (*after)(struct keeper *keeper, struct machine *machine, const struct observed *observed,
                  const struct fault *trap);
    /* Does the pipeline need to know no more of the instruction than its effects? */
    bool (*is_plain)(struct keeper *keeper, const struct decoded *record);
    /* Called instead of these two for a plain instruction that was executed earlier; control went
     * to `next`. */
    void (*log)(struct keeper *keeper, const struct log_step *step, const struct recorder *recorder,
                uint64_t next);
    /* May a unit be at work, so that instructions are executed one by one? */
    bool (*is_busy)(const struct keeper *keeper);
    /* Returns the cycle in which the last instruction left D, or in a barrel its turn. */
    uint64_t (*clock)(const struct keeper *keeper);
    /* Returns the value of a performance counter. */
    uint64_t (*performance)(const struct keeper *keeper, unsigned index);
    /* Of a barrel: returns why the running thread cannot execute its next instruction in this turn;
     * STALL_ALL: it can. */
    enum pipeline_stall (*look)(struct keeper *keeper, struct machine *machine, uint64_t turn);
    /* A turn of the thread passes without an instruction. */
    void (*pass)(struct keeper *keeper, unsigned thread, enum pipeline_stall stall, uint64_t turn);
    /* Of a barrel: can each thread that has turns go in its next one, and does nothing but the
     * time of instructions matter? */
    bool (*may_rotate)(struct keeper *keeper, struct machine *machine);
    /* The same, but threads may have to wait. */
    bool (*may_look)(struct keeper *keeper);
    /* Returns the turn from which on the thread, which goes on at `pc`, need not wait before a
     * quick instruction, if it has one slot; UINT64_MAX: it may have to in all turns. */
    uint64_t (*settled)(struct keeper *keeper, unsigned thread, uint64_t turn, uint64_t pc);
    /* Returns the block whose entry this is, to be counted in turns. */
    struct turn_block *(*find_turn_block)(struct keeper *keeper, const struct decoded *entry);
    /* Returns the counts of the instruction, if its thread can go on in its next turn after it, and
     * its executions in turns in which no thread has to wait may be added to them later; or NULL.
     */
    struct pipeline_site *(*quick_site)(struct keeper *keeper, const struct decoded *record);
    /* The same for turns in which threads may have to wait. */
    struct pipeline_site *(*timed_site)(struct keeper *keeper, const struct decoded *record);
    /* Returns the number of the state in which the thread, which goes on at `pc`, will be in its
     * next turn, `turn`; `now` is the next turn of all threads. Returns NO_TIME if the state has
     * none: a unit is at work, or the thread waits for too much. */
    uint32_t (*find_time)(struct keeper *keeper, unsigned thread, uint64_t now, uint64_t turn,
                          uint64_t pc);
    /* The thread has executed so many instructions, of which these shared a turn as the second one,
     * and goes on at `pc` in its next turn, in this state. Returns the turn of the last one. */
    uint64_t (*skip)(struct keeper *keeper, unsigned thread, uint64_t instructions, uint64_t shared,
                     uint64_t turn, uint32_t time, uint64_t pc);
    /* The thread has executed the instruction, whose execution is counted elsewhere. */
    void (*retire)(struct keeper *keeper, unsigned thread, const struct decoded *record,
                   uint64_t turn, uint64_t pc);
    /* Is the address of a walk there that the thread's instruction needs, in this turn? */
    bool (*has_address)(struct keeper *keeper, unsigned thread, const struct hart *hart,
                        const struct decoded *record, uint64_t turn);
    /* The instruction of the last has_address was executed. */
    void (*take_address)(struct keeper *keeper, unsigned thread, uint64_t turn);
    /* The thread has executed so many instructions in its turns up to `last`, in blocks that were
     * counted, and goes on at `pc`. These of them shared a turn as the second one. */
    void (*rotate)(struct keeper *keeper, unsigned thread, uint64_t instructions, uint64_t shared,
                   uint64_t last, uint64_t pc);
    /* Returns why the thread, whose registers are in the hart, cannot execute the instruction with
     * this index in the block in this turn; STALL_ALL: it can. */
    enum pipeline_stall (*look_in_block)(struct keeper *keeper, unsigned thread,
                                         const struct hart *hart, const struct turn_block *block,
                                         unsigned index, uint64_t turn);
    /* The thread has executed the instruction of the last look_in_block, and goes on at `pc`. */
    void (*issue)(struct keeper *keeper, unsigned thread, const struct turn_block *block,
                  unsigned index, uint64_t turn, uint64_t pc);
    /* So many turns of the thread passed meanwhile. */
    void (*rest)(struct keeper *keeper, unsigned thread, enum pipeline_stall stall, uint64_t turns);
    /* The thread starts at this address. */
    void (*start)(struct keeper *keeper, unsigned thread, uint64_t pc);
    /* Can the instruction be in a block that is timed as a whole? */
    bool (*may_skip)(struct keeper *keeper, const struct decoded *record);
    /* Returns the block of these instructions. NULL: it cannot be timed as a whole. */
    struct timed_block *(*find_block)(struct keeper *keeper, const struct decoded *records,
                                      unsigned count);
    /* Returns the passage through the block, which the caller counts. NULL: its instructions must
     * be executed one by one. */
    struct passage *(*enter)(struct keeper *keeper, struct timed_block *block);
    /* Control has left the last block at `pc`, before its end, after `executed` instructions; or
     * because the next one raised an exception. */
    void (*interrupt)(struct keeper *keeper, unsigned executed, bool has_trapped, uint64_t pc);
    struct block_times blocks;
    /* The number, from 1, of the instruction that `after` was told of last, if an observer will be
     * told its times; 0: none. */
    uint64_t timed;
    bool is_recorded; /* trace, statistics or watchpoints need the effects of all instructions */
};

#endif
