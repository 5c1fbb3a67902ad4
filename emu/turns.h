/* The executor of turns: executes the threads of a barrel, one instruction in each turn, as
 * workers_take_turn gives them, but without a change of contexts. Each thread has a hart of its own
 * (context.h), and the bodies have the turn form (body_turn.h), which needs no more than a hart. At
 * its end, a body keeps where its thread goes on, and executes the next instruction of the thread
 * that has the next turn.
 *
 * An instruction that a direct form leaves to the whole form ends the run: it is executed with the
 * registers in the machine's hart, and so are the turns of a barrel that something observes. */
#ifndef EMU_TURNS_H
#define EMU_TURNS_H

#include "emu/machine.h"

/* Executes turns of the threads of the barrel, up to `limit` instructions, for as long as none
 * needs the machine's hart. Returns whether the limit ended it; else one of them does, or the
 * executor cannot run here. */
bool turns_run(struct machine *machine, uint64_t limit);
extern const struct executor turns_executor;

#endif
