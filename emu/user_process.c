/* The user environment's calls that are neither files, memory nor signals: time, identity, limits,
 * scheduling of the only thread. All answers are constants or follow from the program itself. */
#include "emu/user_calls.h"
#include <errno.h>

enum {
    SECOND = 1000000000,     /* nanoseconds */
    TICKS = 100,             /* of times(2) in a second: AT_CLKTCK */
    SLEEP_MAXIMUM = 1 << 30, /* seconds that one call lets pass at most */
    CLOCKS = 12,             /* clock numbers that Linux has */
};

bool user_copy_in(struct machine *machine, void *bytes, uint64_t address, uint64_t length)
{
    const void *host = memory_range(&machine->memory, address, length, false);

    if (!host)
        return false;
    memcpy(bytes, host, length);
    return true;
}

bool user_copy_out(struct machine *machine, uint64_t address, const void *bytes, uint64_t length)
{
    void *host = memory_range(&machine->memory, address, length, true);

    if (!host)
        return false;
    memcpy(host, bytes, length);
    port_record_write(&machine->port, address, length, host);
    return true;
}

/* ---- identity ---- */

int64_t user_zero(struct machine *machine, const uint64_t *arguments)
{
    (void)machine, (void)arguments;
    return 0;
}

int64_t user_process_id(struct machine *machine, const uint64_t *arguments)
{
    (void)machine, (void)arguments;
    return GUEST_PID;
}

int64_t user_user_id(struct machine *machine, const uint64_t *arguments)
{
    (void)machine, (void)arguments;
    return GUEST_UID;
}

int64_t user_no_child(struct machine *machine, const uint64_t *arguments)
{
    (void)machine, (void)arguments;
    return -ECHILD;
}

int64_t user_uname(struct machine *machine, const uint64_t *arguments)
{
    const char names[6][65] = {"Linux", "temu", "6.1.0", "#1", "riscv64", "(none)"};

    return user_copy_out(machine, arguments[0], names, sizeof names) ? 0 : -EFAULT;
}

int64_t user_umask(struct machine *machine, const uint64_t *arguments)
{
    const unsigned old = machine->user.creation_mask;

    machine->user.creation_mask = arguments[0] & 0777;
    return old;
}

int64_t user_prctl(struct machine *machine, const uint64_t *arguments)
{
    enum { PR_SET_NAME = 15, PR_GET_NAME = 16 };
    char name[16] = "";

    if (arguments[0] == PR_SET_NAME)
        return user_copy_in(machine, name, arguments[1], 1) ? 0 : -EFAULT;
    if (arguments[0] != PR_GET_NAME)
        return -EINVAL;
    snprintf(name, sizeof name, "%.15s", machine->user.name);
    return user_copy_out(machine, arguments[1], name, sizeof name) ? 0 : -EFAULT;
}

int64_t user_getrandom(struct machine *machine, const uint64_t *arguments)
{
    const uint64_t length = arguments[1] < 256 ? arguments[1] : 256;
    unsigned char bytes[256];
    uint64_t state = machine->hart.instret * 2 + 1;

    for (uint64_t i = 0; i < length; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = state >> 56;
    }
    return user_copy_out(machine, arguments[0], bytes, length) ? (int64_t)length : -EFAULT;
}

/* ---- time ---- */

uint64_t user_time(const struct machine *machine)
{
    return machine->hart.instret + machine->user.slept;
}

/* Seconds and parts of a second since the program started. */
static int64_t put_time(struct machine *machine, uint64_t address, uint64_t parts_in_second)
{
    const uint64_t now = user_time(machine);
    const uint64_t time[2] = {now / SECOND, now % SECOND / (SECOND / parts_in_second)};

    return user_copy_out(machine, address, time, sizeof time) ? 0 : -EFAULT;
}

int64_t user_clock_gettime(struct machine *machine, const uint64_t *arguments)
{
    return arguments[0] < CLOCKS ? put_time(machine, arguments[1], SECOND) : -EINVAL;
}

int64_t user_clock_getres(struct machine *machine, const uint64_t *arguments)
{
    const uint64_t resolution[2] = {0, 1};

    if (arguments[0] >= CLOCKS)
        return -EINVAL;
    if (!arguments[1])
        return 0;
    return user_copy_out(machine, arguments[1], resolution, sizeof resolution) ? 0 : -EFAULT;
}

int64_t user_gettimeofday(struct machine *machine, const uint64_t *arguments)
{
    return arguments[0] ? put_time(machine, arguments[0], 1000000) : 0;
}

/* Reads a struct timespec into nanoseconds. 0, or a negative error number. */
static int64_t read_time(struct machine *machine, uint64_t address, uint64_t *nanoseconds)
{
    uint64_t time[2];

    if (!user_copy_in(machine, time, address, sizeof time))
        return -EFAULT;
    if (time[0] > INT64_MAX || time[1] >= SECOND)
        return -EINVAL;
    *nanoseconds = (time[0] < SLEEP_MAXIMUM ? time[0] : SLEEP_MAXIMUM) * SECOND + time[1];
    return 0;
}

/* Nobody waits: the program's time passes at once. It stays below 2^63. */
static void sleep_for(struct machine *machine, uint64_t nanoseconds)
{
    const uint64_t latest = INT64_MAX / 2;

    machine->user.slept += nanoseconds;
    if (machine->user.slept > latest)
        machine->user.slept = latest;
}

int64_t user_nanosleep(struct machine *machine, const uint64_t *arguments)
{
    uint64_t time;
    const int64_t result = read_time(machine, arguments[0], &time);

    if (result == 0)
        sleep_for(machine, time);
    return result;
}

int64_t user_clock_nanosleep(struct machine *machine, const uint64_t *arguments)
{
    enum { TIMER_ABSOLUTE = 1 };
    uint64_t time;

    if (arguments[0] >= CLOCKS)
        return -EINVAL;
    const int64_t result = read_time(machine, arguments[2], &time);
    if (result < 0)
        return result;
    if (!(arguments[1] & TIMER_ABSOLUTE))
        sleep_for(machine, time);
    else if (time > user_time(machine))
        sleep_for(machine, time - user_time(machine));
    return 0;
}

/* What is open never makes wait: a read of standard input is done when it is asked for. Without
 * anything that is open, time passes, or there is a deadlock (wait_on). */
int64_t user_ppoll(struct machine *machine, const uint64_t *arguments)
{
    enum { READABLE = 0x41, WRITABLE = 0x104, INVALID = 0x20 };
    struct {
        int32_t fd;
        uint16_t events, found;
    } entry;
    uint64_t time;
    int64_t ready = 0;

    if (arguments[1] > USER_FILES)
        return -EINVAL;
    for (uint64_t i = 0; i < arguments[1]; i++) {
        const uint64_t address = arguments[0] + i * sizeof entry;
        if (!user_copy_in(machine, &entry, address, sizeof entry))
            return -EFAULT;
        if (entry.fd < 0)
            entry.found = 0;
        else if (user_file(machine, entry.fd))
            entry.found = entry.events & (READABLE | WRITABLE);
        else
            entry.found = INVALID;
        ready += entry.found != 0;
        if (!user_copy_out(machine, address, &entry, sizeof entry))
            return -EFAULT;
    }
    if (ready)
        return ready;
    if (!arguments[2])
        return -EDEADLK;
    const int64_t result = read_time(machine, arguments[2], &time);
    if (result == 0)
        sleep_for(machine, time);
    return result;
}

int64_t user_times(struct machine *machine, const uint64_t *arguments)
{
    const uint64_t ticks = user_time(machine) / (SECOND / TICKS);
    const uint64_t times[4] = {machine->hart.instret / (SECOND / TICKS)};

    if (arguments[0] && !user_copy_out(machine, arguments[0], times, sizeof times))
        return -EFAULT;
    return ticks;
}

int64_t user_getrusage(struct machine *machine, const uint64_t *arguments)
{
    const uint64_t used = machine->hart.instret;
    const uint64_t usage[18] = {used / SECOND, used % SECOND / 1000};

    return user_copy_out(machine, arguments[1], usage, sizeof usage) ? 0 : -EFAULT;
}

/* ---- limits ---- */

int64_t user_sysinfo(struct machine *machine, const uint64_t *arguments)
{
    const struct {
        uint64_t uptime, loads[3], total, free, shared, buffers, swap, free_swap;
        uint16_t processes, pad[3];
        uint64_t high, free_high;
        uint32_t unit, end;
    } info = {
        .uptime = user_time(machine) / SECOND,
        .total = machine->memory.limit,
        .free = machine->memory.limit - machine->memory.mapped,
        .processes = 1,
        .unit = 1,
    };
    _Static_assert(sizeof info == 112, "struct sysinfo of 64-bit machines");

    return user_copy_out(machine, arguments[0], &info, sizeof info) ? 0 : -EFAULT;
}

/* Limits are told and stay as they are; setting one succeeds where it asks for no more. */
static int64_t tell_limit(struct machine *machine, uint64_t resource, uint64_t new, uint64_t old)
{
    enum { RLIMIT_STACK_ = 3, RLIMIT_CORE_ = 4, RLIMIT_NOFILE_ = 7, RLIMITS = 16 };
    uint64_t limit[2] = {UINT64_MAX, UINT64_MAX}, wanted[2];

    if (resource >= RLIMITS)
        return -EINVAL;
    if (resource == RLIMIT_STACK_)
        limit[0] = limit[1] = machine->config.stack_size;
    if (resource == RLIMIT_CORE_)
        limit[0] = limit[1] = 0;
    if (resource == RLIMIT_NOFILE_)
        limit[0] = limit[1] = USER_FILES;
    if (new && !user_copy_in(machine, wanted, new, sizeof wanted))
        return -EFAULT;
    if (new &&wanted[0] > wanted[1])
        return -EINVAL;
    if (new &&wanted[1] > limit[1])
        return -EPERM;
    if (old && !user_copy_out(machine, old, limit, sizeof limit))
        return -EFAULT;
    return 0;
}

int64_t user_prlimit64(struct machine *machine, const uint64_t *arguments)
{
    if (arguments[0] != 0 && arguments[0] != GUEST_PID)
        return -ESRCH;
    return tell_limit(machine, arguments[1], arguments[2], arguments[3]);
}

int64_t user_getrlimit(struct machine *machine, const uint64_t *arguments)
{
    return arguments[1] ? tell_limit(machine, arguments[0], 0, arguments[1]) : -EFAULT;
}

/* ---- the only thread ---- */

int64_t user_set_robust_list(struct machine *machine, const uint64_t *arguments)
{
    enum { LIST_HEAD = 24 };

    (void)machine;
    return arguments[1] == LIST_HEAD ? 0 : -EINVAL;
}

/* Nobody else can wake the only thread: a wait that has a timeout lasts until then, one without is
 * a deadlock, and told as one rather than waited for. */
static int64_t wait_on(struct machine *machine, const uint64_t *arguments, bool absolute)
{
    uint32_t value;
    uint64_t time;

    if (!user_copy_in(machine, &value, arguments[0], sizeof value))
        return -EFAULT;
    if (value != (uint32_t)arguments[2])
        return -EAGAIN;
    if (!arguments[3])
        return -EDEADLK;
    const int64_t result = read_time(machine, arguments[3], &time);
    if (result < 0)
        return result;
    if (!absolute)
        sleep_for(machine, time);
    else if (time > user_time(machine))
        sleep_for(machine, time - user_time(machine));
    return -ETIMEDOUT;
}

int64_t user_futex(struct machine *machine, const uint64_t *arguments)
{
    enum {
        WAIT = 0,
        WAKE = 1,
        REQUEUE = 3,
        COMPARE_REQUEUE = 4,
        WAIT_BITSET = 9,
        WAKE_BITSET = 10
    };
    enum { OPERATION = 0x7f };
    uint32_t value;

    if (arguments[0] % sizeof value)
        return -EINVAL;
    switch (arguments[1] & OPERATION) {
    case WAIT:
        return wait_on(machine, arguments, false);
    case WAIT_BITSET:
        return wait_on(machine, arguments, true);
    case COMPARE_REQUEUE:
        if (!user_copy_in(machine, &value, arguments[0], sizeof value))
            return -EFAULT;
        return value == (uint32_t)arguments[5] ? 0 : -EAGAIN;
    case WAKE:
    case WAKE_BITSET:
    case REQUEUE:
        return user_copy_in(machine, &value, arguments[0], sizeof value) ? 0 : -EFAULT;
    default:
        return -ENOSYS;
    }
}

int64_t user_sched_getaffinity(struct machine *machine, const uint64_t *arguments)
{
    const uint64_t processors = 1;

    if (arguments[0] != 0 && arguments[0] != GUEST_PID)
        return -ESRCH;
    if (arguments[1] < sizeof processors || arguments[1] % sizeof processors)
        return -EINVAL;
    return user_copy_out(machine, arguments[2], &processors, sizeof processors)
               ? (int64_t)sizeof processors
               : -EFAULT;
}

/* sched_getparam: the priority of a normal process. */
int64_t user_sched_priority(struct machine *machine, const uint64_t *arguments)
{
    const uint32_t priority = 0;

    if (arguments[0] != 0 && arguments[0] != GUEST_PID)
        return -ESRCH;
    return user_copy_out(machine, arguments[1], &priority, sizeof priority) ? 0 : -EFAULT;
}

int64_t user_getcpu(struct machine *machine, const uint64_t *arguments)
{
    const uint32_t number = 0;

    for (int i = 0; i < 2; i++)
        if (arguments[i] && !user_copy_out(machine, arguments[i], &number, sizeof number))
            return -EFAULT;
    return 0;
}
