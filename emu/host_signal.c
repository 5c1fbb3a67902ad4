/* See host_signal.h. The state is global, since a signal handler can reach nothing else. */
#include "emu/host_signal.h"
#include "lib/clock.h"
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const int end_signals[] = {SIGHUP, SIGINT, SIGTERM};
enum { END_SIGNALS = sizeof end_signals / sizeof *end_signals };

/* The same signal may come twice: timeout(1) sends it to the process and to its group. */
#define AT_ONCE (CLOCK_SECOND / 4)

static volatile sig_atomic_t end_number, progress_wanted;
static uint64_t end_time; /* of the first signal; only handlers use it, one at a time */
static struct sigaction before[END_SIGNALS];

static void restore(void)
{
    for (int i = 0; i < END_SIGNALS; i++)
        sigaction(end_signals[i], &before[i], NULL);
}

/* Interrupts poll() once a second from now on. The first signal may have come between a look at the
 * state and the poll(). */
static void remind(int number)
{
    (void)number;
    alarm(1);
}

/* A later signal ends the process by itself. */
static void ask_for_end(int number)
{
    if (!end_number) {
        end_number = number;
        end_time = clock_now();
        remind(number);
    } else if (clock_now() - end_time > AT_ONCE) {
        restore();
        raise(number);
    }
}

static void ask_for_progress(int number)
{
    progress_wanted = 1;
    remind(number);
}

void host_signal_catch(void)
{
    struct sigaction action = {.sa_handler = ask_for_end, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (int i = 0; i < END_SIGNALS; i++)
        sigaddset(&action.sa_mask, end_signals[i]);
    for (int i = 0; i < END_SIGNALS; i++)
        sigaction(end_signals[i], NULL, &before[i]);
    for (int i = 0; i < END_SIGNALS; i++)
        if (before[i].sa_handler != SIG_IGN)
            sigaction(end_signals[i], &action, NULL);
    action.sa_handler = remind;
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = ask_for_progress;
    sigaction(SIGUSR1, &action, NULL);
}

void host_signal_release(void)
{
    if (!end_number) /* else the same signal may still come again */
        restore();
    signal(SIGUSR1, SIG_IGN);
    signal(SIGALRM, SIG_IGN);
    alarm(0);
}

int host_signal_end(void)
{
    return end_number;
}

bool host_signal_asks(void)
{
    if (!progress_wanted)
        return false;
    progress_wanted = 0;
    return true;
}
