/* The executor of turns (turns.h) where nothing but a profile or statistics observes the program. A
 * record at the entry of each block counts the block that its thread has executed before, with the
 * thread's chain of calls. The run ends before an instruction that has to be observed. */
#ifndef EMU_EXECUTE_PROFILED_TURNS_H
#define EMU_EXECUTE_PROFILED_TURNS_H

#include "emu/execute/turns.h"

extern const struct executor profiled_turns_executor;

/* As turns_run, with a profile. */
bool profiled_turns_run(struct machine *machine, uint64_t limit);

#endif
