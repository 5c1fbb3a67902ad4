/* The user environment's calls that wait for a process to end, to stop or to go on. */
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

struct guest_siginfo user_child_info(const struct user_process *process, int status)
{
    bool has_ended = WIFEXITED(status) || WIFSIGNALED(status);

    return (struct guest_siginfo){.signal = SIGCHLD,
                                  .code = WIFEXITED(status)      ? CLD_EXITED
                                          : WIFCONTINUED(status) ? CLD_CONTINUED
                                          : has_ended            ? CLD_KILLED
                                                                 : CLD_STOPPED,
                                  .pid = (int32_t)process->id,
                                  .uid = GUEST_UID,
                                  .value = (uint64_t)(WIFEXITED(status)      ? WEXITSTATUS(status)
                                                      : WIFCONTINUED(status) ? SIGCONT
                                                      : has_ended            ? WTERMSIG(status)
                                                                             : WSTOPSIG(status))};
}

/* The children that a call waits for. */
struct wanted {
    uint32_t id, group; /* 0: any */
};

/* Returns what a call with these options finds out of the child, as wait returns it; 0: nothing. */
static int news_of(const struct user_process *process, uint64_t options)
{
    uint64_t asked = process->news == USER_CONTINUED ? GUEST_WCONTINUED : GUEST_WSTOPPED;

    return process->machine && options & asked ? process->news : 0;
}

/* What a call has found. */
struct found {
    struct user_process *process; /* NULL: none */
    int status;
    bool has_ended;
};

/* Finds a child with news. Returns its id; 0: none has any; or a negative error number. A call that
 * does not ask for ends waits only for children that go on. */
static int64_t find_news(const struct machine *machine, const struct wanted *wanted,
                         uint64_t options, struct found *found)
{
    const struct user *user = &machine->user;
    bool exists = false;

    *found = (struct found){0};
    for (struct user_process *process = user->processes->first; process; process = process->next) {
        if (process->parent != user->process->id || (wanted->id && process->id != wanted->id) ||
            (wanted->group && process->group != wanted->group))
            continue;
        if (!process->machine && !(options & GUEST_WEXITED))
            continue;
        exists = true;
        if (!found->process && (!process->machine || news_of(process, options)))
            *found = (struct found){process,
                                    process->machine ? news_of(process, options) : process->status,
                                    !process->machine};
    }
    return found->process ? (int64_t)found->process->id : exists ? 0 : -ECHILD;
}

/* The same, and waits for one unless `options` say otherwise. */
static int64_t wait_for(struct machine *machine, const struct wanted *wanted, uint64_t options,
                        struct found *found)
{
    int64_t id = find_news(machine, wanted, options, found);

    if (id || options & GUEST_WNOHANG)
        return id;
    int64_t result = user_wait(machine, WAIT_CHILD, USER_FOREVER);
    return result == -EINTR ? USER_RESTART : result;
}

/* Writes what getrusage tells, of which temu knows the processor time. */
static bool put_usage(struct machine *machine, uint64_t address, const struct user_process *process)
{
    return !address ||
           user_put_usage(machine, address, user_process_executed(process) + process->of_children);
}

/* The parent knows now what the call has found. */
static void take_news(struct machine *machine, const struct found *found)
{
    struct user_process *process = found->process;

    process->news = 0;
    if (!found->has_ended)
        return;
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
    struct found found;

    if ((uint32_t)arguments[2] &
        ~(GUEST_WAIT_THREADS | GUEST_WNOHANG | GUEST_WSTOPPED | GUEST_WCONTINUED))
        return -EINVAL;
    if (which == INT32_MIN)
        return -ESRCH;
    int64_t id = wait_for(machine, &wanted, arguments[2] | GUEST_WEXITED, &found);
    if (!found.process)
        return id;
    if ((arguments[1] &&
         !user_copy_out(machine, arguments[1], &found.status, sizeof found.status)) ||
        !put_usage(machine, arguments[3], found.process))
        return -EFAULT;
    take_news(machine, &found);
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
    struct found found;

    if (kind > GROUP || (kind == PROCESS && id <= 0) || (kind == GROUP && id < 0) ||
        options & ~GUEST_WAITID || !(options & (GUEST_WEXITED | GUEST_WSTOPPED | GUEST_WCONTINUED)))
        return -EINVAL;
    int64_t result = wait_for(machine, &wanted, options, &found);
    if (result < 0)
        return result;
    if (found.process)
        info = user_child_info(found.process, found.status);
    if ((arguments[2] && !user_copy_out(machine, arguments[2], &info, sizeof info)) ||
        (found.process && !put_usage(machine, arguments[4], found.process)))
        return -EFAULT;
    if (found.process && !(options & GUEST_WNOWAIT))
        take_news(machine, &found);
    return 0;
}
