/* What the files of a profile know of each other, besides profile.h. */
#ifndef EMU_PROFILE_PARTS_H
#define EMU_PROFILE_PARTS_H

#include "emu/profile/profile.h"

enum { PROFILE_SLOTS = PROFILE_PAGE / 2 }; /* instructions begin at even addresses */

/* ---- functions.c ---- */

/* Finds where functions begin: at symbols, and at both ends of sections with code. */
void profile_find_functions(struct profile *profile);
/* A function begins where a call leads to a label. */
void profile_learn_function(struct profile *profile, uint64_t address);

/* ---- places.c ---- */

/* Adds the executions of the run to the costs of its places, */
void profile_finish_run(struct profile *profile, struct profile_run *run);
/* and those of all runs that have some. */
void profile_finish_runs(struct profile *profile);

/* ---- calls.c ---- */

/* Brings the chain of calls to the instruction at `pc`, which `place` is. `stack` is sp after it.
 */
void profile_arrive(struct profile *profile, struct profile_thread *thread,
                    const struct profile_place *place, uint64_t stack, uint64_t pc);
/* Leaves the handler of an interrupt, when control is at the instruction that it interrupted, after
 * the one that raised an exception, or elsewhere in the function that was interrupted. */
bool profile_leave_handler(const struct profile *profile, struct profile_thread *thread,
                           uint64_t target);
/* Follows the jump of the instruction at `pc` to `target`, with sp after it. */
void profile_follow(struct profile *profile, struct profile_thread *thread,
                    const struct profile_place *place, uint64_t stack, uint64_t pc,
                    uint64_t target);

#endif
