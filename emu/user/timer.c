/* The user environment's timers of timer_create. They expire as interval timers do (time.c). */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <signal.h>

enum {
    TIMER_ABSOLUTE = 1,
};

/* How a timer tells that it has expired. */
enum { NOTIFY_SIGNAL = 0, NOTIFY_NOBODY = 1, NOTIFY_THREAD_ID = 4 };

/* `struct sigevent`, as the kernel has it. */
struct guest_event {
    uint64_t value;
    int32_t signal, notify, thread;
    int32_t rest[11];
};
_Static_assert(sizeof(struct guest_event) == 64, "sigevent_t");

/* Returns 0 or a negative error number. The time of the executed instructions is that of the clocks
 * of the process and of its threads; other clocks go by all time. */
static int64_t read_clock(int32_t clock, bool *is_of_processor)
{
    enum { PROCESS = 2, THREAD = 3, RAW = 4, MONOTONIC_COARSE = 6, NONE = 10, LAST = 11 };

    *is_of_processor = clock == PROCESS || clock == THREAD || clock < 0;
    if (clock > LAST || clock == NONE)
        return -EINVAL;
    return clock >= RAW && clock <= MONOTONIC_COARSE ? -EOPNOTSUPP : 0;
}

static struct user_timer *find_timer(struct machine *machine, uint64_t id)
{
    return id < USER_TIMERS - USER_INTERVAL_TIMERS &&
                   machine->user.timers[USER_INTERVAL_TIMERS + id].exists
               ? &machine->user.timers[USER_INTERVAL_TIMERS + id]
               : NULL;
}

static unsigned index_of(const struct machine *machine, const struct user_timer *timer)
{
    return (unsigned)(timer - machine->user.timers);
}

int64_t user_timer_create(struct machine *machine, const uint64_t *arguments)
{
    struct user_timer *timers = machine->user.timers;
    struct guest_event event = {.signal = SIGALRM};
    bool is_of_processor;
    unsigned index = USER_INTERVAL_TIMERS;

    int64_t result = read_clock((int32_t)arguments[0], &is_of_processor);
    if (result < 0)
        return result;
    while (index < USER_TIMERS && timers[index].exists)
        index++;
    int32_t id = (int32_t)(index - USER_INTERVAL_TIMERS);
    event.value = (uint64_t)id;
    if (arguments[1] && !user_copy_in(machine, &event, arguments[1], sizeof event))
        return -EFAULT;
    bool is_silent = event.notify == NOTIFY_NOBODY, is_to_thread = event.notify == NOTIFY_THREAD_ID;
    if ((!is_silent && !is_to_thread && event.notify != NOTIFY_SIGNAL) ||
        (!is_silent && (event.signal < 1 || event.signal > 64)) ||
        (is_to_thread && !user_find_thread(&machine->user, (uint32_t)event.thread)))
        return -EINVAL;
    if (index == USER_TIMERS)
        return -EAGAIN;
    if (!user_copy_out(machine, arguments[2], &id, sizeof id))
        return -EFAULT;
    timers[index] = (struct user_timer){
        .exists = true,
        .is_of_processor = is_of_processor,
        .is_of_date = user_clock_is_date((uint32_t)arguments[0]),
        .signal = is_silent ? 0 : (uint8_t)event.signal,
        .thread = is_to_thread ? (uint32_t)event.thread : 0,
        .value = event.value,
    };
    return 0;
}

/* Writes struct `itimerspec`: the interval and the time that is left. */
static int64_t put_timer(struct machine *machine, const struct user_timer *timer, uint64_t address)
{
    uint64_t now = user_timer_clock(machine, index_of(machine, timer));
    uint64_t left = timer->expires > now ? timer->expires - now : 0;

    return user_put_timer(machine, address, timer->interval, left);
}

int64_t user_timer_gettime(struct machine *machine, const uint64_t *arguments)
{
    const struct user_timer *timer = find_timer(machine, arguments[0]);

    return timer ? put_timer(machine, timer, arguments[1]) : -EINVAL;
}

int64_t user_timer_settime(struct machine *machine, const uint64_t *arguments)
{
    struct user_timer *timer = find_timer(machine, arguments[0]);
    uint64_t interval, value, now;

    if (!arguments[2])
        return -EINVAL;
    int64_t result = user_read_timer(machine, arguments[2], &interval, &value);
    if (result < 0)
        return result;
    if (!timer)
        return -EINVAL;
    if (arguments[3] && (result = put_timer(machine, timer, arguments[3])) < 0)
        return result;
    now = arguments[1] & TIMER_ABSOLUTE ? 0 : user_timer_clock(machine, index_of(machine, timer));
    timer->expires = value ? now + value : 0;
    timer->interval = interval;
    timer->overruns = timer->delivered = 0;
    machine->user.is_timed = true;
    return 0;
}

int64_t user_timer_getoverrun(struct machine *machine, const uint64_t *arguments)
{
    const struct user_timer *timer = find_timer(machine, arguments[0]);

    return timer ? (int64_t)timer->delivered : -EINVAL;
}

int64_t user_timer_delete(struct machine *machine, const uint64_t *arguments)
{
    struct user_timer *timer = find_timer(machine, arguments[0]);

    if (!timer)
        return -EINVAL;
    *timer = (struct user_timer){0};
    return 0;
}
