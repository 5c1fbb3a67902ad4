/* The turn form of a body, for the executor of turns (turns.h): the direct form, after which the
 * thread of the barrel that has the next turn goes on. */
#ifndef EMU_BODY_TURN_H
#define EMU_BODY_TURN_H

#define TURN_FORM
#define DIRECT_NAME(name) turn_##name
#include "emu/body_direct.h"

#endif
