/* The executor of turns that two instructions may share, where nothing looks at them (turns.h). */
#ifndef EMU_EXECUTE_PAIRED_TURNS_H
#define EMU_EXECUTE_PAIRED_TURNS_H

#include "emu/execute/turns.h"

/* As turns_run. */
bool paired_turns_run(struct machine *machine, uint64_t limit);

#endif
