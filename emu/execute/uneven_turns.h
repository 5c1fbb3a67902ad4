/* Turns of a barrel that may have no instruction, or two.
 *
 * With the model of time, a thread may have to wait: for the result of an instruction that takes
 * longer than until its next turn, for tensor instructions, or because it has several slots.
 * Between two turns the model says whether the thread of the next one can execute its instruction
 * in it; otherwise that turn passes. Each instruction is told to the model. The run ends before one
 * that the model has to see while it is executed.
 *
 * Where two instructions may share a turn, a turn is open after the first one, until it is known
 * whether the second one follows. */
#ifndef EMU_EXECUTE_WAITING_TURNS_H
#define EMU_EXECUTE_WAITING_TURNS_H

#include "emu/execute/turns.h"

/* Is called before the first turn, with what finds the block of an entry, */
void uneven_turns_begin(struct turns *turns, begin_turn_block *begin_block);
/* and when the threads are at their pc, so that the model knows of all instructions. */
void uneven_turns_settle(struct turns *turns);

#endif
