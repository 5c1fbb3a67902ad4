/* The user environment's calls about the process itself: identity, limits, and scheduling of its
 * threads. The answers are constants or follow from the program. */
#include "emu/trace/trace.h"
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include <errno.h>

enum { SECOND = 1000000000 /* nanoseconds */ };

/* ---- identity ---- */

int64_t user_zero(struct machine *machine, const uint64_t *arguments)
{
    (void)machine, (void)arguments;
    return 0;
}

int64_t user_process_id(struct machine *machine, const uint64_t *arguments)
{
    (void)arguments;
    return machine->user.process->id;
}

int64_t user_parent_id(struct machine *machine, const uint64_t *arguments)
{
    (void)arguments;
    return machine->user.process->parent;
}

/* Returns the process of the id, or NULL; 0 is the calling one. One that has ended is in its group
 * until its parent knows. */
static struct user_process *find_process(const struct machine *machine, uint64_t id)
{
    return (uint32_t)id ? user_find_process(machine->user.processes, (uint32_t)id)
                        : machine->user.process;
}

int64_t user_getpgid(struct machine *machine, const uint64_t *arguments)
{
    const struct user_process *process = find_process(machine, arguments[0]);

    return process ? (int64_t)process->group : -ESRCH;
}

int64_t user_getsid(struct machine *machine, const uint64_t *arguments)
{
    const struct user_process *process = find_process(machine, arguments[0]);

    return process ? (int64_t)process->session : -ESRCH;
}

/* Is there a group with this id in the session? */
static bool has_group(const struct user_processes *processes, uint32_t group, uint32_t session)
{
    for (const struct user_process *process = processes->first; process; process = process->next)
        if (process->group == group && process->session == session)
            return true;
    return false;
}

/* A process may put itself and its children into a group. */
int64_t user_setpgid(struct machine *machine, const uint64_t *arguments)
{
    const struct user_process *self = machine->user.process;
    struct user_process *process = find_process(machine, arguments[0]);
    uint32_t group = (uint32_t)arguments[1];

    if ((int32_t)arguments[0] < 0 || (int32_t)group < 0)
        return -EINVAL;
    if (!process || (process != self && process->parent != self->id))
        return -ESRCH;
    group = group ? group : process->id;
    if (process->session != self->session || process->session == process->id)
        return -EPERM;
    if (group != process->id && !has_group(machine->user.processes, group, self->session))
        return -EPERM;
    process->group = group;
    return 0;
}

int64_t user_setsid(struct machine *machine, const uint64_t *arguments)
{
    struct user_process *process = machine->user.process;

    (void)arguments;
    if (has_group(machine->user.processes, process->id, process->session))
        return -EPERM;
    process->group = process->session = process->id;
    return process->id;
}

/* Serves calls that only root may make. */
int64_t user_not_permitted(struct machine *machine, const uint64_t *arguments)
{
    (void)machine, (void)arguments;
    return -EPERM;
}

int64_t user_user_id(struct machine *machine, const uint64_t *arguments)
{
    (void)machine, (void)arguments;
    return GUEST_UID;
}

/* getresuid, getresgid. */
int64_t user_user_ids(struct machine *machine, const uint64_t *arguments)
{
    uint32_t id = GUEST_UID;

    for (int i = 0; i < 3; i++)
        if (!user_copy_out(machine, arguments[i], &id, sizeof id))
            return -EFAULT;
    return 0;
}

/* Ids can only be set to the value that they have. */
static int64_t set_ids(const uint64_t *ids, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if ((uint32_t)ids[i] != UINT32_MAX && (uint32_t)ids[i] != GUEST_UID)
            return -EPERM;
    return 0;
}

int64_t user_set_user_id(struct machine *machine, const uint64_t *arguments)
{
    (void)machine;
    return (uint32_t)arguments[0] == UINT32_MAX ? -EINVAL : set_ids(arguments, 1);
}

/* setreuid, setregid. */
int64_t user_set_user_ids(struct machine *machine, const uint64_t *arguments)
{
    (void)machine;
    return set_ids(arguments, 2);
}

/* setresuid, setresgid. */
int64_t user_set_all_ids(struct machine *machine, const uint64_t *arguments)
{
    (void)machine;
    return set_ids(arguments, 3);
}

int64_t user_getgroups(struct machine *machine, const uint64_t *arguments)
{
    uint32_t group = GUEST_UID;

    if ((int32_t)arguments[0] < 0)
        return -EINVAL;
    if (arguments[0] && !user_copy_out(machine, arguments[1], &group, sizeof group))
        return -EFAULT;
    return 1;
}

int64_t user_uname(struct machine *machine, const uint64_t *arguments)
{
    const char names[6][65] = {"Linux", "temu", "6.1.0", "#1", "riscv64", "(none)"};

    return user_copy_out(machine, arguments[0], names, sizeof names) ? 0 : -EFAULT;
}

int64_t user_umask(struct machine *machine, const uint64_t *arguments)
{
    unsigned old = machine->user.creation_mask;

    machine->user.creation_mask = arguments[0] & 0777;
    return old;
}

/* ---- calls that are not served ---- */

#define ALONE "temu does not offer under a debugger and in a machine with a barrel"

static const struct refusal {
    int error; /* one with which shells and runtimes go on */
    const char *name, *why;
} refusals[] = {
    [REFUSED_FORK] = {ENOSYS, "fork", "makes a process, which " ALONE},
    [REFUSED_VFORK] = {ENOSYS, "vfork", "makes a process, which " ALONE},
    [REFUSED_CLONE] = {EINVAL, "clone",
                       "asks for a process that shares a part of this one, which temu does not "
                       "offer"},
    [REFUSED_EXECVE] = {ENOSYS, "execve", "executes another program, which " ALONE},
    [REFUSED_SOCKET] = {EAFNOSUPPORT, "socket", "needs a network, which temu does not offer"},
    [REFUSED_MEMORY] = {ENOMEM, "a mapping",
                        "needs more memory than memory.size of the machine, which --machine sets"},
};

int64_t user_refuse(struct machine *machine, enum user_refusal refusal)
{
    struct user *user = &machine->user;
    unsigned *reported = &user->processes->refused;
    const struct refusal *refused = &refusals[refusal];

    if (!(*reported >> refusal & 1)) {
        if (machine->trace)
            trace_flush(machine->trace);
        fprintf(stderr, "temu: %s: %s %s; it fails with %s\n", user->name, refused->name,
                refused->why, strerrorname_np(refused->error));
    }
    *reported |= 1u << refusal;
    return -refused->error;
}

void user_random(struct machine *machine, void *bytes, uint64_t length)
{
    uint64_t *state = &machine->user.random;

    for (uint64_t i = 0; i < length; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        ((unsigned char *)bytes)[i] = *state >> 56;
    }
}

int64_t user_getrandom(struct machine *machine, const uint64_t *arguments)
{
    enum { NONBLOCK = 1, RANDOM = 2, INSECURE = 4, MAXIMUM = 0x7ffff000 };
    uint64_t flags = arguments[2];
    uint64_t length = arguments[1] < MAXIMUM ? arguments[1] : MAXIMUM;

    if (flags & ~(uint64_t)(NONBLOCK | RANDOM | INSECURE) ||
        (flags & (RANDOM | INSECURE)) == (RANDOM | INSECURE))
        return -EINVAL;
    uint64_t wanted = length;
    length = user_accessible(machine, arguments[0], length, true);
    void *host = memory_range(&machine->memory, arguments[0], length, true);
    if (!host || (wanted && !length))
        return -EFAULT;
    user_random(machine, host, length);
    port_record_write(&machine->port, arguments[0], length, host);
    return length;
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
        .processes = (uint16_t)machine->user.processes->alive,
        .unit = 1,
    };
    _Static_assert(sizeof info == 112, "struct sysinfo of 64-bit machines");

    return user_copy_out(machine, arguments[0], &info, sizeof info) ? 0 : -EFAULT;
}

/* Reports a limit. Limits never change: setting one succeeds when it does not ask for more. */
static int64_t report_limit(struct machine *machine, uint64_t resource, uint64_t new, uint64_t old)
{
    enum {
        RLIMIT_STACK_ = 3,
        RLIMIT_CORE_ = 4,
        RLIMIT_NOFILE_ = 7,
        RLIMIT_SIGPENDING_ = 11,
        RLIMITS = 16
    };
    uint64_t limit[2] = {UINT64_MAX, UINT64_MAX}, wanted[2];

    if (resource >= RLIMITS)
        return -EINVAL;
    if (resource == RLIMIT_STACK_)
        limit[0] = limit[1] = machine->config.memory_stack;
    if (resource == RLIMIT_CORE_)
        limit[0] = limit[1] = 0;
    if (resource == RLIMIT_NOFILE_)
        limit[0] = limit[1] = USER_FILES;
    if (resource == RLIMIT_SIGPENDING_)
        limit[0] = limit[1] = USER_SIGNALS;
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
    if (!find_process(machine, arguments[0]))
        return -ESRCH;
    return report_limit(machine, arguments[1], arguments[2], arguments[3]);
}

int64_t user_setrlimit(struct machine *machine, const uint64_t *arguments)
{
    return arguments[1] ? report_limit(machine, arguments[0], arguments[1], 0) : -EFAULT;
}

int64_t user_getrlimit(struct machine *machine, const uint64_t *arguments)
{
    return arguments[1] ? report_limit(machine, arguments[0], 0, arguments[1]) : -EFAULT;
}

/* ---- scheduling ---- */

/* Is it the id of a thread of any process? 0 is the calling one. A process that has ended has its
 * id until its parent knows. */
static bool is_thread(const struct machine *machine, uint64_t id)
{
    const struct user_process *process = machine->user.processes->first;

    if ((int32_t)id == 0)
        return true;
    for (; process; process = process->next)
        if (process->id == (uint32_t)id ||
            (process->machine && user_find_thread(&process->machine->user, (uint32_t)id)))
            return true;
    return false;
}

int64_t user_sched_getaffinity(struct machine *machine, const uint64_t *arguments)
{
    uint64_t processors = 1;

    if (!is_thread(machine, arguments[0]))
        return -ESRCH;
    if (arguments[1] < sizeof processors || arguments[1] % sizeof processors)
        return -EINVAL;
    return user_copy_out(machine, arguments[2], &processors, sizeof processors)
               ? (int64_t)sizeof processors
               : -EFAULT;
}

int64_t user_sched_setaffinity(struct machine *machine, const uint64_t *arguments)
{
    uint64_t processors = 0;
    uint64_t length = arguments[1] < sizeof processors ? arguments[1] : sizeof processors;

    if (!user_copy_in(machine, &processors, arguments[2], length))
        return -EFAULT;
    if (!is_thread(machine, arguments[0]))
        return -ESRCH;
    return processors & 1 ? 0 : -EINVAL;
}

/* Scheduling policies, which have no effect: threads take turns. */
enum { POLICY_OTHER = 0, POLICY_FIFO = 1, POLICY_ROUND_ROBIN = 2, POLICIES = 7, PRIORITIES = 99 };

/* Is the number that of a policy? Linux has no policy 4. */
static bool is_policy(uint64_t policy)
{
    return (uint32_t)policy < POLICIES && (uint32_t)policy != 4;
}

static bool has_priorities(uint64_t policy)
{
    return (uint32_t)policy == POLICY_FIFO || (uint32_t)policy == POLICY_ROUND_ROBIN;
}

int64_t user_sched_priority_max(struct machine *machine, const uint64_t *arguments)
{
    (void)machine;
    if (!is_policy(arguments[0]))
        return -EINVAL;
    return has_priorities(arguments[0]) ? PRIORITIES : 0;
}

int64_t user_sched_priority_min(struct machine *machine, const uint64_t *arguments)
{
    (void)machine;
    if (!is_policy(arguments[0]))
        return -EINVAL;
    return has_priorities(arguments[0]) ? 1 : 0;
}

int64_t user_sched_getscheduler(struct machine *machine, const uint64_t *arguments)
{
    if ((int32_t)arguments[0] < 0)
        return -EINVAL;
    return is_thread(machine, arguments[0]) ? POLICY_OTHER : -ESRCH;
}

/* A normal process has the priority 0. */
int64_t user_sched_getparam(struct machine *machine, const uint64_t *arguments)
{
    uint32_t priority = 0;

    if (!arguments[1] || (int32_t)arguments[0] < 0)
        return -EINVAL;
    if (!is_thread(machine, arguments[0]))
        return -ESRCH;
    return user_copy_out(machine, arguments[1], &priority, sizeof priority) ? 0 : -EFAULT;
}

static int64_t set_policy(struct machine *machine, uint64_t process, uint64_t policy,
                          uint64_t address)
{
    uint32_t priority;

    if (!address || (int32_t)process < 0 || (int32_t)policy < 0)
        return -EINVAL;
    if (!user_copy_in(machine, &priority, address, sizeof priority))
        return -EFAULT;
    if (!is_thread(machine, process))
        return -ESRCH;
    if (!is_policy(policy) || priority > PRIORITIES || has_priorities(policy) != (priority != 0))
        return -EINVAL;
    return has_priorities(policy) ? -EPERM : 0;
}

int64_t user_sched_setscheduler(struct machine *machine, const uint64_t *arguments)
{
    return set_policy(machine, arguments[0], arguments[1], arguments[2]);
}

int64_t user_sched_setparam(struct machine *machine, const uint64_t *arguments)
{
    return set_policy(machine, arguments[0], POLICY_OTHER, arguments[1]);
}

/* sched_rr_get_interval. */
int64_t user_sched_interval(struct machine *machine, const uint64_t *arguments)
{
    const uint64_t interval[2] = {0, 4000000};

    if ((int32_t)arguments[0] < 0)
        return -EINVAL;
    if (!is_thread(machine, arguments[0]))
        return -ESRCH;
    return user_copy_out(machine, arguments[1], interval, sizeof interval) ? 0 : -EFAULT;
}

/* Is there anybody whose nice value can be asked for or set? Returns 0, or a negative error number.
 */
static int64_t check_nice(const struct machine *machine, const uint64_t *arguments)
{
    enum { PROCESS = 0, GROUP = 1, USER = 2 };
    uint32_t which = (uint32_t)arguments[0], id = (uint32_t)arguments[1];
    bool exists = which == PROCESS ? is_thread(machine, id)
                  : which == GROUP ? !id || has_group(machine->user.processes, id,
                                                      machine->user.process->session)
                                   : !id || id == GUEST_UID;

    return which > USER ? -EINVAL : exists ? 0 : -ESRCH;
}

/* Returns 20, which means the nice value 0. */
int64_t user_getpriority(struct machine *machine, const uint64_t *arguments)
{
    int64_t result = check_nice(machine, arguments);

    return result < 0 ? result : 20;
}

/* A nice value has no effect, so it is not kept. */
int64_t user_setpriority(struct machine *machine, const uint64_t *arguments)
{
    int64_t result = check_nice(machine, arguments);

    return result == 0 && (int32_t)arguments[2] < 0 ? -EACCES : result;
}

/* Threads see all effects of each other at once, so every command has been carried out already. */
int64_t user_membarrier(struct machine *machine, const uint64_t *arguments)
{
    enum { QUERY = 0, COMMANDS = 0x1f /* the global ones, and PRIVATE_EXPEDITED */ };
    uint32_t command = (uint32_t)arguments[0];

    (void)machine;
    if (arguments[1])
        return -EINVAL;
    if (command == QUERY)
        return COMMANDS;
    return command & (command - 1) || !(command & COMMANDS) ? -EINVAL : 0;
}

int64_t user_getcpu(struct machine *machine, const uint64_t *arguments)
{
    uint32_t number = 0;

    for (int i = 0; i < 2; i++)
        if (arguments[i] && !user_copy_out(machine, arguments[i], &number, sizeof number))
            return -EFAULT;
    return 0;
}
