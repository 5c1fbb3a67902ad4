/* The user environment's calls that wait for the end of a process. */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

enum {
    GUEST_WNOHANG = 1,
    GUEST_WSTOPPED = 2,
    GUEST_WEXITED = 4,
    GUEST_WCONTINUED = 8,
    GUEST_WNOWAIT = 0x1000000,
};
#define GUEST_WAIT_THREADS UINT32_C(0xe0000000) /* WNOTHREAD, WALL, WCLONE */
#define GUEST_WAITID                                                                               \
    ((uint64_t)(GUEST_WAIT_THREADS | GUEST_WNOHANG | GUEST_WSTOPPED | GUEST_WEXITED |              \
                GUEST_WCONTINUED | GUEST_WNOWAIT))

struct guest_siginfo user_end_info(const struct user_process *process)
{
    int status = process->status;
    bool has_exited = WIFEXITED(status);

    return (struct guest_siginfo){
        .signal = SIGCHLD,
        .code = has_exited ? CLD_EXITED : CLD_KILLED,
        .pid = (int32_t)process->id,
        .uid = GUEST_UID,
        .value = (uint64_t)(has_exited ? WEXITSTATUS(status) : WTERMSIG(status))};
}

/* The children that a call waits for. */
struct wanted {
    uint32_t id, group; /* 0: any */
};

/* Finds a child that has ended. Returns its id; 0: none has ended; or a negative error number. A
 * call that does not ask for ends waits only for children that go on, since none stops. */
static int64_t find_ended(const struct machine *machine, const struct wanted *wanted,
                          bool asks_for_ends, struct user_process **ended)
{
    const struct user *user = &machine->user;
    bool exists = false;

    *ended = NULL;
    for (struct user_process *process = user->processes->first; process; process = process->next) {
        if (process->parent != user->process->id || (wanted->id && process->id != wanted->id) ||
            (wanted->group && process->group != wanted->group))
            continue;
        if (!process->machine && !asks_for_ends)
            continue;
        exists = true;
        if (!process->machine && !*ended)
            *ended = process;
    }
    return *ended ? (int64_t)(*ended)->id : exists ? 0 : -ECHILD;
}

/* The same, and waits for one unless `options` say otherwise. */
static int64_t wait_for(struct machine *machine, const struct wanted *wanted, uint64_t options,
                        struct user_process **ended)
{
    int64_t id = find_ended(machine, wanted, options & GUEST_WEXITED, ended);

    if (id || options & GUEST_WNOHANG)
        return id;
    int64_t result = user_wait(machine, WAIT_CHILD, USER_FOREVER);
    return result == -EINTR ? USER_RESTART : result;
}

/* Writes what getrusage tells, of which temu knows the processor time. */
static bool put_usage(struct machine *machine, uint64_t address, const struct user_process *process)
{
    return !address || user_put_usage(machine, address, process->before + process->of_children);
}

/* The parent knows of the end of the process now. */
static void reap(struct machine *machine, struct user_process *process)
{
    machine->user.process->of_children += process->before + process->of_children;
    user_forget_process(machine->user.processes, process);
}

int64_t user_wait4(struct machine *machine, const uint64_t *arguments)
{
    int32_t which = (int32_t)arguments[0];
    const struct wanted wanted = {
        .id = which > 0 ? (uint32_t)which : 0,
        .group = which == 0    ? machine->user.process->group
                 : which == -1 ? 0
                 : which < 0   ? -(uint32_t)which
                               : 0,
    };
    struct user_process *ended;

    if ((uint32_t)arguments[2] &
        ~(GUEST_WAIT_THREADS | GUEST_WNOHANG | GUEST_WSTOPPED | GUEST_WCONTINUED))
        return -EINVAL;
    if (which == INT32_MIN)
        return -ESRCH;
    int64_t id = wait_for(machine, &wanted, arguments[2] | GUEST_WEXITED, &ended);
    if (!ended)
        return id;
    if ((arguments[1] &&
         !user_copy_out(machine, arguments[1], &ended->status, sizeof ended->status)) ||
        !put_usage(machine, arguments[3], ended))
        return -EFAULT;
    reap(machine, ended);
    return id;
}

int64_t user_waitid(struct machine *machine, const uint64_t *arguments)
{
    enum { ANY = 0, PROCESS = 1, GROUP = 2 };
    uint64_t kind = arguments[0], options = arguments[3];
    int32_t id = (int32_t)arguments[1];
    const struct wanted wanted = {
        .id = kind == PROCESS ? (uint32_t)id : 0,
        .group = kind != GROUP ? 0
                 : id          ? (uint32_t)id
                               : machine->user.process->group,
    };
    struct guest_siginfo info = {0};
    struct user_process *ended;

    if (kind > GROUP || (kind == PROCESS && id <= 0) || (kind == GROUP && id < 0) ||
        options & ~GUEST_WAITID || !(options & (GUEST_WEXITED | GUEST_WSTOPPED | GUEST_WCONTINUED)))
        return -EINVAL;
    int64_t result = wait_for(machine, &wanted, options, &ended);
    if (result < 0)
        return result;
    if (ended)
        info = user_end_info(ended);
    if ((arguments[2] && !user_copy_out(machine, arguments[2], &info, sizeof info)) ||
        (ended && !put_usage(machine, arguments[4], ended)))
        return -EFAULT;
    if (ended && !(options & GUEST_WNOWAIT))
        reap(machine, ended);
    return 0;
}
