/* Turns of a barrel with the model of time in which a thread may have to wait: for the result of an
 * instruction that takes longer than until its next turn, for tensor instructions, or because it
 * has several slots. Between two turns the model says whether the thread of the next one can
 * execute its instruction in it; otherwise that turn passes. Each instruction is told to the model.
 * The run ends before one that the model has to see while it is executed. */
#ifndef EMU_EXECUTE_WAITING_TURNS_H
#define EMU_EXECUTE_WAITING_TURNS_H

#include "emu/execute/turns.h"

/* Is called before the first turn, with what finds the block of an entry, */
void waiting_turns_begin(struct turns *turns, find_turn_block *find_block);
/* and when the threads are at their pc, so that the model knows of all instructions. */
void waiting_turns_settle(struct turns *turns);

#endif
