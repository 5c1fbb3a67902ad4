/* The executor that records the turns of a barrel (turns.h) of which nothing but a trace is wanted:
 * bodies in their recorded form (recording.h) with a hart for each thread. A block has one
 * instruction, and at the entry of the next block the thread that has the next turn goes on. So the
 * log has for each turn the place of its instruction and the values of its effects. What has no
 * recorded form, or leaves it, is lent the machine's hart (lend.h). */
#ifndef EMU_EXECUTE_RECORDING_TURNS_H
#define EMU_EXECUTE_RECORDING_TURNS_H

#include "emu/machine.h"

extern const struct executor recording_turns_executor;

/* Executes less than `limit` instructions and appends them to the trace, for as long as no turn
 * needs the machine's hart. That of the last instruction must have it, since it is what is seen of
 * the machine at the end. Returns false when a turn needs it now, or the executor cannot run here.
 */
bool recording_turns_run(struct machine *machine, uint64_t limit);

#endif
