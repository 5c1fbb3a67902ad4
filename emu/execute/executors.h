/* The executors as execute.c, which chooses between them, and as they know each other. Each has a
 * file, and so have the executors of turns (turns.h) and of the turns that are recorded
 * (recording_turns.h). */
#ifndef EMU_EXECUTE_EXECUTORS_H
#define EMU_EXECUTE_EXECUTORS_H

#include "emu/execute/dispatch.h"
#include "emu/execute/execute.h"
#include "emu/native/blocks.h"

/* ---- blocks.c: what the executors share that run blocks of direct bodies ---- */

extern body_function *const blocks_super[]; /* the bodies of superinstructions */
/* Body of a terminator: goes to the block after it. */
body_function blocks_next;
/* Body of a record whose block was dropped: ends the run, since what was executed of the block is
 * known here only. */
body_function blocks_end;
/* Executes the instruction by the whole form; `evaluate` of an executor. */
int blocks_evaluate(struct machine *machine, struct decoded *record);
/* Begins an execution of `limit` instructions with the decoded code of the executor. */
void blocks_begin(struct machine *machine, uint64_t limit, const struct executor *executor);
/* Begins the block of the record, and goes on until a body returns without another record. */
void blocks_run(struct machine *machine, struct decoded *record, int64_t left);

/* ---- plain.c ---- */

/* Executes exactly `limit` instructions, unless the run ends, by the whole forms of the plain
 * executor's records: the last ones of a slice, which are too few for a block. */
enum run_end execute_few(struct machine *machine, uint64_t limit);

/* How a visit to native code ended, and where. */
struct arrival {
    enum visit_end end;
    uint64_t pc;
    int64_t left;
};

/* Executes native code from `pc` on, up to `left` instructions. `entry` is the record that stands
 * for it in decoded code, or NULL. */
struct arrival plain_visit_native(struct machine *machine, uint64_t pc, struct decoded *entry,
                                  int64_t left);
/* Executes native code that counts, from the present instruction on, up to the count `until`, or
 * further where it may run ahead. Returns false when the run has ended. */
bool plain_go_native(struct machine *machine, uint64_t until);

/* ---- observed.c ---- */

/* The same as execute_observed, with the decoded code of an executor. */
enum run_end observed_run(struct machine *machine, uint64_t limit, const struct executor *executor);
/* Executes the instruction of the record and reports it. Returns the record after it, or NULL when
 * the run has ended. */
struct decoded *observed_step(struct machine *machine, struct decoded *record);
/* Is the record one between blocks? Then sets *record to the next one. */
bool observed_skip(struct machine *machine, struct decoded **record);

/* Do breakpoints alone have the instructions observed? */
bool held_suffices(const struct machine *machine);
/* Executes `limit` instructions up to the first one that has a breakpoint, unless the run ends or
 * the environment has work: native code, which has none in it, and the others one by one. */
enum run_end execute_held(struct machine *machine, uint64_t limit);

/* ---- profiled.c ---- */

/* Is a profile, perhaps with statistics and the model of time, all that observes a program? */
bool profiled_is_enough(const struct machine *machine);
/* The same without a barrel, so that blocks can be counted. */
bool profiled_suffices(const struct machine *machine);
/* Executes `limit` instructions, unless the run ends or the environment has work: by native code,
 * or block by block where these can be counted as a whole. Native code may run ahead. */
enum run_end execute_profiled(struct machine *machine, uint64_t limit);

/* ---- timed.c ---- */

/* Is the model of time all that observes a program, so that blocks can be timed as a whole? */
bool timed_suffices(const struct machine *machine);
/* Blocks will be executed that are timed as a whole, up to the count `until`. */
void timed_begin(struct machine *machine, uint64_t until);
/* Tells the model of time if control has left the last of them before its end. */
void timed_end(struct machine *machine);
/* Executes exactly `limit` instructions, unless the run ends or the environment has work: blocks as
 * a whole where their time is known. */
enum run_end execute_timed(struct machine *machine, uint64_t limit);

/* ---- recorded.c ---- */

/* Executes `limit` instructions, unless the run ends, the environment has work, or something else
 * than a trace observes them. */
enum run_end execute_recorded(struct machine *machine, uint64_t limit);

#endif
