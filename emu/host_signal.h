/* Signals that the host sends to temu while a program runs. SIGHUP, SIGINT and SIGTERM end the run
 * as a time limit does, so that trace, statistics and results are written. A second one of them
 * ends temu at once, unless it comes within a quarter of a second. SIGUSR1 asks for a line of
 * progress. */
#ifndef EMU_HOST_SIGNAL_H
#define EMU_HOST_SIGNAL_H

#include <stdbool.h>

/* Catches the signals from now on, except those that are ignored, as nohup(1) does with SIGHUP.
 * poll() returns EINTR when one arrives; other calls are restarted. */
void host_signal_catch(void);
/* Ends that: the signals act as before, and SIGUSR1 is ignored. */
void host_signal_release(void);

/* Returns the number of the signal that asks for the end of the run; 0: none. */
int host_signal_end(void);
/* Has SIGUSR1 arrived since the last call? */
bool host_signal_asks(void);

#endif
