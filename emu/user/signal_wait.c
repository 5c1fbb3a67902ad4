/* The user environment's calls that wait for signals, or send them with a value. While a call
 * waits, only another thread or a timer of the program can raise a signal (user_wait). */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include <errno.h>

int64_t user_signal_mask_while(struct machine *machine, uint64_t address, uint64_t size)
{
    struct user_thread *thread = machine->user.thread;
    uint64_t mask;

    if (size != sizeof mask)
        return -EINVAL;
    if (!user_copy_in(machine, &mask, address, sizeof mask))
        return -EFAULT;
    if (thread->is_kept) /* the call waited, and is made again */
        return 0;
    thread->kept = thread->blocked;
    thread->is_kept = true;
    thread->blocked = mask & ~user_unstoppable();
    return 0;
}

int64_t user_rt_sigsuspend(struct machine *machine, const uint64_t *arguments)
{
    int64_t result = user_signal_mask_while(machine, arguments[0], arguments[1]);

    if (result == 0)
        result = user_wait(machine, WAIT_SIGNAL, USER_FOREVER);
    return result;
}

/* Takes the lowest pending signal of the set and writes its siginfo to `address`, unless that is 0.
 * Returns the number of the signal; 0: none is pending. */
static int64_t take_lowest(struct machine *machine, uint64_t set, uint64_t address)
{
    uint64_t found = user_signal_pending(machine) & set;

    if (!found)
        return 0;
    unsigned signal = __builtin_ctzll(found) + 1;
    const struct guest_siginfo info = user_signal_take(machine, signal);
    return address && !user_copy_out(machine, address, &info, sizeof info) ? -EFAULT
                                                                           : (int64_t)signal;
}

int64_t user_rt_sigtimedwait(struct machine *machine, const uint64_t *arguments)
{
    struct user_thread *thread = machine->user.thread;
    uint64_t blocked = thread->blocked;
    uint64_t set, time, deadline = USER_FOREVER;

    if (arguments[3] != sizeof set)
        return -EINVAL;
    if (!user_copy_in(machine, &set, arguments[0], sizeof set))
        return -EFAULT;
    if (arguments[2]) {
        int64_t result = user_read_time(machine, arguments[2], &time);
        if (result < 0)
            return result;
        deadline = user_time(machine) + time;
    }
    set &= ~user_unstoppable();
    int64_t signal = take_lowest(machine, set, arguments[1]);
    if (signal)
        return signal;
    thread->blocked &= ~set;
    int64_t result = user_wait(machine, WAIT_SIGNAL, deadline);
    thread->blocked = blocked;
    if (result == USER_WAITS) {
        thread->wait.signals = set;
        return result;
    }
    signal = take_lowest(machine, set, arguments[1]);
    return signal ? signal : result == 0 ? -EAGAIN : result;
}

/* Sends a signal to a thread (NULL: to all) of the process that has this machine (NULL: there is
 * none), with the siginfo that the program gives. Only to itself (`is_self`) a sender may tell that
 * the signal comes from elsewhere. */
static int64_t queue(struct machine *process, struct user_thread *thread, uint64_t signal,
                     const struct guest_siginfo *info, bool is_self)
{
    if (!is_self && (info->code >= 0 || info->code == USER_SIGNAL_BY_TKILL))
        return -EPERM;
    if (!process)
        return -ESRCH;
    if (signal > USER_SIGNAL_LAST)
        return -EINVAL;
    if (!signal)
        return 0;
    int result = user_signal_send_to(process, thread,
                                     &(struct user_sent_signal){.signal = (uint8_t)signal,
                                                                .code = info->code,
                                                                .sender = (uint32_t)info->pid,
                                                                .value = info->value});
    return result < 0 ? result : 0;
}

int64_t user_rt_sigqueueinfo(struct machine *machine, const uint64_t *arguments)
{
    bool is_self = (uint32_t)arguments[0] == machine->user.process->id;
    struct guest_siginfo info;

    if (!user_copy_in(machine, &info, arguments[2], sizeof info))
        return -EFAULT;
    return queue(user_find_machine(machine, arguments[0]), NULL, arguments[1], &info, is_self);
}

int64_t user_rt_tgsigqueueinfo(struct machine *machine, const uint64_t *arguments)
{
    struct machine *process = user_find_machine(machine, arguments[0]);
    struct user_thread *thread =
        process ? user_find_thread(&process->user, (uint32_t)arguments[1]) : NULL;
    struct guest_siginfo info;

    if (!user_copy_in(machine, &info, arguments[3], sizeof info))
        return -EFAULT;
    if ((int32_t)arguments[0] <= 0 || (int32_t)arguments[1] <= 0)
        return -EINVAL;
    return queue(thread ? process : NULL, thread, arguments[2], &info,
                 thread == machine->user.thread);
}
