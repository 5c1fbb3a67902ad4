/* The user environment's time: clocks, sleeping, interval timers, and waiting for a timer's signal.
 *
 * An instruction takes a nanosecond. Waiting takes no time of the host: when all threads wait, the
 * program's clock is advanced to the end of a wait. The signal of a timer comes at an exact
 * instruction, so every run is the same. */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include "emu/user/times.h"
#include <errno.h>
#include <signal.h>

enum {
    SECOND = 1000000000,      /* nanoseconds */
    MICROSECOND = 1000,       /* nanoseconds */
    TICKS = 100,              /* clock ticks of times(2) in a second: AT_CLKTCK */
    TIME_MAXIMUM = INT32_MAX, /* seconds of the longest sleep, and of the latest date */
    CLOCKS = 12,              /* clock numbers that Linux has, */
    NO_CLOCK = 10,            /* but for this one */
};

uint64_t user_time(const struct machine *machine)
{
    return machine->hart.instret + machine->user.slept;
}

#define START (RUN_START * SECOND)

uint64_t user_date(const struct machine *machine)
{
    return START + user_time(machine);
}

bool user_clock_is_date(uint64_t clock)
{
    enum { REALTIME = 0, REALTIME_COARSE = 5, REALTIME_ALARM = 8, TAI = 11 };

    return clock == REALTIME || clock == REALTIME_COARSE || clock == REALTIME_ALARM || clock == TAI;
}

uint64_t user_time_at(uint64_t date)
{
    return date > START ? date - START : 0;
}

/* A program under an operating system has no interrupts and cannot read mip. */
const struct environment user_environment = {.time = user_time};

/* ---- clocks ---- */

/* Writes a time: seconds, and the rest in parts of a second. */
static int64_t put_time(struct machine *machine, uint64_t address, uint64_t time,
                        uint64_t parts_in_second)
{
    const uint64_t parts[2] = {time / SECOND, time % SECOND / (SECOND / parts_in_second)};

    return user_copy_out(machine, address, parts, sizeof parts) ? 0 : -EFAULT;
}

/* Reads a clock that Linux makes of the id of a process or of a thread: the complement of the id,
 * then a bit for threads, and two for what the clock measures. Id 0 is the caller. */
static bool clock_time_of(const struct machine *machine, int32_t clock, uint64_t *time)
{
    enum { OF_THREAD = 4, MEASURES = 3, OF_FILE = 3, ID_SHIFT = 3 };
    int32_t id = ~(clock >> ID_SHIFT);
    const struct user_thread *thread = id == 0 && clock & OF_THREAD
                                           ? machine->user.thread
                                           : user_find_thread(&machine->user, (uint32_t)id);

    if ((clock & MEASURES) == OF_FILE ||
        (clock & OF_THREAD ? !thread : id != 0 && (uint32_t)id != machine->user.process->id))
        return false;
    *time = clock & OF_THREAD ? user_thread_executed(machine, thread) : machine->hart.instret;
    return true;
}

/* Reads a clock. Those of a process and of a thread go by the executed instructions, clocks of
 * dates by the date, all others by the time since the program started. Returns false if there is no
 * such clock. */
static bool clock_time(const struct machine *machine, int32_t clock, uint64_t *time)
{
    enum { PROCESS = 2, THREAD = 3 };

    if (clock < 0)
        return clock_time_of(machine, clock, time);
    *time = clock == PROCESS  ? machine->hart.instret
            : clock == THREAD ? user_thread_executed(machine, machine->user.thread)
            : user_clock_is_date((uint64_t)clock) ? user_date(machine)
                                                  : user_time(machine);
    return clock < CLOCKS && clock != NO_CLOCK;
}

int64_t user_clock_gettime(struct machine *machine, const uint64_t *arguments)
{
    uint64_t time;

    return clock_time(machine, (int32_t)arguments[0], &time)
               ? put_time(machine, arguments[1], time, SECOND)
               : -EINVAL;
}

int64_t user_clock_getres(struct machine *machine, const uint64_t *arguments)
{
    const uint64_t resolution[2] = {0, 1};
    uint64_t time;

    if (!clock_time(machine, (int32_t)arguments[0], &time))
        return -EINVAL;
    if (!arguments[1])
        return 0;
    return user_copy_out(machine, arguments[1], resolution, sizeof resolution) ? 0 : -EFAULT;
}

int64_t user_gettimeofday(struct machine *machine, const uint64_t *arguments)
{
    const uint64_t zone[1] = {0};

    if (arguments[1] && !user_copy_out(machine, arguments[1], zone, sizeof zone))
        return -EFAULT;
    return arguments[0] ? put_time(machine, arguments[0], user_date(machine), 1000000) : 0;
}

int64_t user_times(struct machine *machine, const uint64_t *arguments)
{
    uint64_t ticks = user_time(machine) / (SECOND / TICKS);
    const struct user_process *process = machine->user.process;
    const uint64_t times[4] = {user_process_executed(process) / (SECOND / TICKS), 0,
                               process->of_children / (SECOND / TICKS)};

    if (arguments[0] && !user_copy_out(machine, arguments[0], times, sizeof times))
        return -EFAULT;
    return ticks;
}

bool user_put_usage(struct machine *machine, uint64_t address, uint64_t executed)
{
    const uint64_t usage[18] = {executed / SECOND, executed % SECOND / MICROSECOND};

    return user_copy_out(machine, address, usage, sizeof usage);
}

int64_t user_getrusage(struct machine *machine, const uint64_t *arguments)
{
    int32_t self = 0, children = -1, thread = 1, who = arguments[0];
    const struct user_process *process = machine->user.process;
    uint64_t used = who == children ? process->of_children
                    : who == thread ? user_thread_executed(machine, machine->user.thread)
                                    : user_process_executed(process);

    if (who != self && who != children && who != thread)
        return -EINVAL;
    return user_put_usage(machine, arguments[1], used) ? 0 : -EFAULT;
}

/* ---- interval timers ---- */

static const int timer_signals[USER_INTERVAL_TIMERS] = {SIGALRM, SIGVTALRM, SIGPROF};

static unsigned signal_of(const struct machine *machine, unsigned timer)
{
    return timer < USER_INTERVAL_TIMERS ? (unsigned)timer_signals[timer]
                                        : machine->user.timers[timer].signal;
}

static bool is_of_processor(const struct machine *machine, unsigned timer)
{
    return timer < USER_INTERVAL_TIMERS ? timer > 0 : machine->user.timers[timer].is_of_processor;
}

uint64_t user_timer_clock(const struct machine *machine, unsigned timer)
{
    return is_of_processor(machine, timer)          ? machine->hart.instret
           : machine->user.timers[timer].is_of_date ? user_date(machine)
                                                    : user_time(machine);
}

uint64_t user_timer_left(const struct machine *machine)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; machine->user.is_timed && i < USER_TIMERS; i++) {
        uint64_t expires = machine->user.timers[i].expires, now = user_timer_clock(machine, i);
        if (expires && expires <= now)
            return 0;
        if (expires && expires - now < least)
            least = expires - now;
    }
    return least;
}

/* Sends the signal of a timer, which has expired `count` times. One of timer_create does not send
 * it again while it is pending, and counts how often it expired. */
static void send(struct machine *machine, unsigned number, uint64_t count)
{
    struct user_timer *timer = &machine->user.timers[number];

    if (number < USER_INTERVAL_TIMERS) {
        user_signal_send(machine, timer_signals[number], USER_SIGNAL_BY_KERNEL);
        return;
    }
    struct user_thread *thread =
        timer->thread ? user_find_thread(&machine->user, timer->thread) : NULL;
    uint64_t overruns = timer->is_sent ? timer->overruns + count : count - 1;

    if (!timer->signal || (timer->thread && !thread))
        return;
    timer->overruns = overruns < INT32_MAX ? (uint32_t)overruns : INT32_MAX;
    if (timer->is_sent)
        return;
    timer->is_sent =
        user_signal_send_to(machine, thread,
                            &(struct user_sent_signal){.signal = timer->signal,
                                                       .timer = (uint8_t)number,
                                                       .code = USER_SIGNAL_BY_TIMER}) == 1;
}

void user_timer_fire(struct machine *machine)
{
    for (unsigned i = 0; machine->user.is_timed && i < USER_TIMERS; i++) {
        struct user_timer *timer = &machine->user.timers[i];
        uint64_t now = user_timer_clock(machine, i), count = 1;
        if (!timer->expires || timer->expires > now)
            continue;
        if (timer->interval)
            count += (now - timer->expires) / timer->interval;
        timer->expires = timer->interval ? timer->expires + count * timer->interval : 0;
        send(machine, i, count);
    }
}

uint64_t user_next_timer(const struct machine *machine, uint64_t signals)
{
    uint64_t least = USER_FOREVER;

    for (unsigned i = 0; machine->user.is_timed && i < USER_TIMERS; i++) {
        const struct user_timer *timer = &machine->user.timers[i];
        uint64_t expires = timer->is_of_date ? user_time_at(timer->expires) : timer->expires;
        if (timer->expires && expires < least && !is_of_processor(machine, i) &&
            signal_of(machine, i) && signals & signal_bit(signal_of(machine, i)))
            least = expires;
    }
    return least;
}

uint64_t user_next_alarm(const struct machine *machine)
{
    uint64_t wanted = 0;

    for (unsigned i = 0; machine->user.is_timed && i < USER_TIMERS; i++)
        if (signal_of(machine, i) && user_signal_is_wanted(machine, signal_of(machine, i)))
            wanted |= signal_bit(signal_of(machine, i));
    return user_next_timer(machine, wanted);
}

/* Writes a struct itimerval: the interval and the time that is left, each in seconds and
 * microseconds. */
static int64_t put_timer(struct machine *machine, unsigned number, uint64_t address)
{
    const struct user_timer *timer = &machine->user.timers[number];
    uint64_t now = user_timer_clock(machine, number);
    uint64_t left = timer->expires > now ? timer->expires - now : 0;
    const uint64_t value[4] = {
        timer->interval / SECOND,
        timer->interval % SECOND / MICROSECOND,
        left / SECOND,
        left % SECOND / MICROSECOND,
    };

    return user_copy_out(machine, address, value, sizeof value) ? 0 : -EFAULT;
}

int64_t user_getitimer(struct machine *machine, const uint64_t *arguments)
{
    if (arguments[0] >= USER_INTERVAL_TIMERS)
        return -EINVAL;
    return put_timer(machine, arguments[0], arguments[1]);
}

/* Converts a struct timeval to nanoseconds. Returns false when it is not a valid one. */
static bool read_timeval(const uint64_t *value, uint64_t *nanoseconds)
{
    if (value[0] > INT64_MAX || value[1] >= SECOND / MICROSECOND)
        return false;
    *nanoseconds =
        (value[0] < TIME_MAXIMUM ? value[0] : TIME_MAXIMUM) * SECOND + value[1] * MICROSECOND;
    return true;
}

int64_t user_setitimer(struct machine *machine, const uint64_t *arguments)
{
    uint64_t value[4] = {0}, interval, first;

    if (arguments[1] && !user_copy_in(machine, value, arguments[1], sizeof value))
        return -EFAULT;
    if (!read_timeval(value, &interval) || !read_timeval(value + 2, &first) ||
        arguments[0] >= USER_INTERVAL_TIMERS)
        return -EINVAL;
    int64_t result = arguments[2] ? put_timer(machine, arguments[0], arguments[2]) : 0;
    machine->user.is_timed = true;
    machine->user.timers[arguments[0]] = (struct user_timer){
        .expires = first ? user_timer_clock(machine, arguments[0]) + first : 0,
        .interval = interval,
    };
    return result;
}

/* ---- waiting ---- */

int64_t user_read_time(struct machine *machine, uint64_t address, uint64_t *nanoseconds)
{
    uint64_t time[2];

    if (!user_copy_in(machine, time, address, sizeof time))
        return -EFAULT;
    if (time[0] > INT64_MAX || time[1] >= SECOND)
        return -EINVAL;
    *nanoseconds = (time[0] < TIME_MAXIMUM ? time[0] : TIME_MAXIMUM) * SECOND + time[1];
    return 0;
}

int64_t user_read_timer(struct machine *machine, uint64_t address, uint64_t *interval,
                        uint64_t *value)
{
    enum { TIME_SIZE = 16 };
    int64_t result = user_read_time(machine, address, interval);

    return result < 0 ? result : user_read_time(machine, address + TIME_SIZE, value);
}

int64_t user_put_timer(struct machine *machine, uint64_t address, uint64_t interval, uint64_t value)
{
    const uint64_t times[4] = {interval / SECOND, interval % SECOND, value / SECOND,
                               value % SECOND};

    return user_copy_out(machine, address, times, sizeof times) ? 0 : -EFAULT;
}

bool user_put_time_left(struct machine *machine, uint64_t address, uint64_t deadline)
{
    uint64_t now = user_time(machine), left = deadline > now ? deadline - now : 0;
    const uint64_t time[2] = {left / SECOND, left % SECOND};

    return user_copy_out(machine, address, time, sizeof time);
}

/* The program can sleep this long in all, so that sums of times do not overflow. */
#define SLEPT_MAXIMUM ((uint64_t)INT64_MAX / 2)

void user_advance(struct machine *machine, uint64_t until)
{
    uint64_t now = user_time(machine);

    if (until > now)
        machine->user.slept += until - now;
    if (machine->user.slept > SLEPT_MAXIMUM)
        machine->user.slept = SLEPT_MAXIMUM;
}

bool user_is_past(const struct machine *machine, uint64_t deadline)
{
    return deadline <= user_time(machine) ||
           (deadline != USER_FOREVER && machine->user.slept == SLEPT_MAXIMUM);
}

bool user_pass_alarm(struct machine *machine, uint64_t deadline)
{
    uint64_t alarm = user_next_alarm(machine);

    if (alarm >= deadline)
        return false;
    user_advance(machine, alarm);
    user_timer_fire(machine);
    return true;
}

int64_t user_wait_alone(struct machine *machine, uint64_t deadline)
{
    uint64_t alarm = user_next_alarm(machine);

    if (!user_signal_is_ready(machine) && alarm < deadline) {
        user_advance(machine, alarm);
        user_timer_fire(machine);
    }
    if (user_signal_is_ready(machine))
        return -EINTR;
    /* The signal of the timer is blocked or ignored, so it makes no difference how often it is
     * raised before the deadline. */
    if (deadline == USER_FOREVER)
        return -EDEADLK;
    user_advance(machine, deadline);
    user_timer_fire(machine);
    return 0;
}

/* Makes the running thread wait. */
static int64_t begin_wait(struct machine *machine, enum user_wait_kind kind, uint64_t deadline)
{
    struct user *user = &machine->user;
    struct user_thread *thread = user->thread;

    if (!thread->repeats)
        thread->wait = (struct user_wait){.order = user->processes->waits++};
    thread->wait.kind = kind;
    thread->wait.deadline = deadline;
    thread->wait.alarm = USER_FOREVER;
    thread->wait.pc = user_call_pc(machine);
    thread->repeats = true;
    thread->state = THREAD_WAITS;
    user->turns_changed = true;
    return USER_WAITS;
}

int64_t user_wait(struct machine *machine, enum user_wait_kind kind, uint64_t deadline)
{
    return user_wait_or_alarm(machine, kind, deadline, USER_FOREVER);
}

int64_t user_wait_or_alarm(struct machine *machine, enum user_wait_kind kind, uint64_t deadline,
                           uint64_t alarm)
{
    deadline = user_deadline(machine, deadline);
    if (machine->user.thread_count == 1 && !user_has_others(machine))
        return user_wait_alone(machine, alarm < deadline ? alarm : deadline);
    if (user_signal_is_ready(machine))
        return -EINTR;
    if (user_is_past(machine, deadline))
        return 0;
    int64_t result = begin_wait(machine, kind, deadline);
    machine->user.thread->wait.alarm = alarm;
    return result;
}

static int64_t sleep_until(struct machine *machine, uint64_t deadline, uint64_t left)
{
    int64_t result;

    deadline = user_deadline(machine, deadline);
    result = user_wait(machine, WAIT_TIME, deadline);
    if (result == -EINTR && left && !user_put_time_left(machine, left, deadline))
        return -EFAULT;
    return result;
}

int64_t user_nanosleep(struct machine *machine, const uint64_t *arguments)
{
    uint64_t time;
    int64_t result = user_read_time(machine, arguments[0], &time);

    return result < 0 ? result : sleep_until(machine, user_time(machine) + time, arguments[1]);
}

int64_t user_clock_nanosleep(struct machine *machine, const uint64_t *arguments)
{
    enum { TIMER_ABSOLUTE = 1, THREAD = 3, MONOTONIC_COARSE = 6 };
    uint64_t time;

    if (arguments[0] >= CLOCKS || arguments[0] == NO_CLOCK)
        return -EINVAL;
    if (arguments[0] >= THREAD && arguments[0] <= MONOTONIC_COARSE)
        return -EOPNOTSUPP;
    int64_t result = user_read_time(machine, arguments[2], &time);
    if (result < 0)
        return result;
    if (arguments[1] & TIMER_ABSOLUTE)
        return sleep_until(machine, user_clock_is_date(arguments[0]) ? user_time_at(time) : time,
                           0);
    return sleep_until(machine, user_time(machine) + time, arguments[3]);
}
