/* How many instructions the threads of a barrel have executed, and which turns these had, while the
 * threads take turns with harts of their own (turns.h). */
#ifndef EMU_EXECUTE_TURN_COUNTS_H
#define EMU_EXECUTE_TURN_COUNTS_H

#include "emu/execute/turns.h"

/* Returns how many instructions were executed since turns_begin before that of the record, in whose
 * turn the executor has `left`, from which the blocks of all threads are subtracted. */
uint64_t turn_counts_before(const struct turns *turns, const struct hart *hart,
                            const struct decoded *record, int64_t left);
/* Returns the turn of the instruction before which so many were executed. Where turns are uneven,
 * this is the next one. */
uint64_t turn_counts_turn(const struct turns *turns, uint64_t number);
/* Returns how many of them the thread has executed. */
uint64_t turn_counts_of_thread(const struct turns *turns, const struct hart *hart, uint64_t number);
/* Returns how many of them were executed in this turn of the ring. */
uint64_t turn_counts_of(const struct turns *turns, unsigned index, uint64_t number);

#endif
