/* Ends a run from outside: by the time limit, --timeout, or a signal of the host. */
#ifndef EMU_DEADLINE_H
#define EMU_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

/* Ends the run `seconds` from now; 0: no limit. */
void machine_set_deadline(struct machine *machine, uint64_t seconds);
/* Must the run end, because the deadline has passed or a signal of the host asks for it
 * (host_signal.h)? */
bool machine_expired(const struct machine *machine);
/* Must a system call that blocks give up, because the run must end or the debugger asks for
 * control? Also shows the progress of the run. */
bool machine_interrupted(const struct machine *machine);

#endif
