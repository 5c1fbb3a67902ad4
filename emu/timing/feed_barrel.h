/* --timing: what the keeper (keeper.h) knows of the threads of a barrel, whose executors ask it
 * which of them can go in a turn, and tell it of turns one by one or many at a time. */
#ifndef EMU_TIMING_FEED_BARREL_H
#define EMU_TIMING_FEED_BARREL_H

#include "emu/keeper.h"

/* Fills in the functions of a barrel. The keeper is that of a struct feed. */
void feed_barrel_keep(struct keeper *keeper);

#endif
