/* The time limit of a run, --timeout. */
#ifndef EMU_DEADLINE_H
#define EMU_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

/* Ends the run `seconds` from now; 0: no limit. */
void machine_set_deadline(struct machine *machine, uint64_t seconds);
/* Has the deadline passed? False without a deadline. */
bool machine_expired(const struct machine *machine);
/* Must a system call that blocks give up, because the deadline has passed or the debugger asks for
 * control? */
bool machine_interrupted(const struct machine *machine);

#endif
