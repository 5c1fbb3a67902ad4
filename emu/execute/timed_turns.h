/* The executor of turns with the model of time (turns.h): where nothing but that observes the
 * program, and no thread has to wait before its next turn, the turns are executed as without it. A
 * record at the entry of each block counts the block, and the model is told at the end how many
 * turns each thread had. The run ends before an instruction that may make its thread wait, or that
 * the model has to look at. Where threads may have to wait, the model looks at each turn
 * (uneven_turns.h). */
#ifndef EMU_EXECUTE_TIMED_TURNS_H
#define EMU_EXECUTE_TIMED_TURNS_H

#include "emu/execute/turns.h"

extern const struct executor timed_turns_executor;

/* Tells the model what the threads have done, which are at their pc. */
void timed_turns_end(struct turns *turns, uint64_t executed);

/* As turns_run, with the model of time. */
bool timed_turns_run(struct machine *machine, uint64_t limit);

#endif
