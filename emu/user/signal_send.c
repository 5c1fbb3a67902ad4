/* Sending signals: those that are pending, and what a signal changes at once. A signal that is sent
 * to the program goes to the first thread that does not block it. While all threads block it, it is
 * pending for the program. */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <signal.h>

/* SIGKILL and SIGSTOP cannot be blocked, handled or ignored. */
uint64_t user_unstoppable(void)
{
    return signal_bit(SIGKILL) | signal_bit(SIGSTOP);
}

/* Returns the signals that stop a process that has no handler for them. */
static uint64_t stopping(void)
{
    return signal_bit(SIGSTOP) | signal_bit(SIGTSTP) | signal_bit(SIGTTIN) | signal_bit(SIGTTOU);
}

bool user_signal_stops(const struct user_signals *signals, unsigned signal)
{
    return stopping() & signal_bit(signal) && signals->actions[signal].handler == GUEST_SIG_DFL;
}

/* By default these are the signals that do nothing, and those that stop a process, if no other
 * process could continue it. */
bool user_signal_is_ignored(const struct machine *machine, unsigned signal)
{
    uint64_t handler = machine->user.signals.actions[signal].handler;
    uint64_t harmless = signal_bit(SIGCHLD) | signal_bit(SIGCONT) | signal_bit(SIGURG) |
                        signal_bit(SIGWINCH) | (user_has_others(machine) ? 0 : stopping());

    return handler == GUEST_SIG_IGN || (handler == GUEST_SIG_DFL && harmless & signal_bit(signal));
}

/* Does the thread take the signal, by a handler or in sigtimedwait? */
static bool wants(const struct user_thread *thread, unsigned signal)
{
    uint64_t blocked = thread->blocked;

    if (thread->state == THREAD_WAITS)
        blocked &= ~thread->wait.signals;
    return thread->state != THREAD_ENDED && !(blocked & signal_bit(signal));
}

static int add_pending(struct arena *arena, struct user_pending *pending,
                       const struct user_sent_signal *sent)
{
    if (pending->set & signal_bit(sent->signal) && sent->signal < USER_REAL_TIME && !sent->timer)
        return 0;
    if (pending->count == USER_SIGNALS)
        return -EAGAIN;
    if (pending->count == pending->room) {
        pending->room = pending->room ? 2 * pending->room : 4;
        struct user_sent_signal *more = arena_array(arena, pending->room, sizeof *more);
        if (pending->count > 0)
            memcpy(more, pending->sent, pending->count * sizeof *more);
        pending->sent = more;
    }
    pending->sent[pending->count++] = *sent;
    pending->set |= signal_bit(sent->signal);
    return 1;
}

/* Removes the signal that was sent first of those with this number, one of which is pending. */
static struct user_sent_signal remove_pending(struct user_pending *pending, unsigned signal)
{
    struct user_sent_signal *first = pending->sent, *end = pending->sent + pending->count;

    while (first->signal != signal)
        first++;
    const struct user_sent_signal sent = *first;
    memmove(first, first + 1, (size_t)(end - first - 1) * sizeof *first);
    pending->count--;
    pending->set &= ~signal_bit(signal);
    for (; first < end - 1; first++)
        if (first->signal == signal)
            pending->set |= signal_bit(signal);
    return sent;
}

/* Drops a signal that is ignored from now on. Timers may send it again. */
static void drop_pending(struct user *user, struct user_pending *pending, unsigned signal)
{
    while (pending->set & signal_bit(signal)) {
        const struct user_sent_signal sent = remove_pending(pending, signal);
        if (sent.timer)
            user->timers[sent.timer].is_sent = false;
    }
}

/* ---- processes that stop ---- */

void user_signal_drop(struct user *user, unsigned signal)
{
    drop_pending(user, &user->signals.pending, signal);
    for (unsigned i = 0; i < user->thread_count; i++)
        drop_pending(user, &user->threads[i]->pending, signal);
}

/* Tells the parent that the process stops or goes on: by a signal, unless it does not want that,
 * and by what it finds out when it waits. */
static void tell_parent(struct user_process *process, int status, int code, unsigned signal)
{
    const struct user_process *parent =
        user_find_process(process->machine->user.processes, process->parent);
    const struct user_sent_signal sent = {
        .signal = SIGCHLD, .code = code, .sender = process->id, .value = signal};

    process->news = status;
    if (!parent || !parent->machine)
        return;
    struct user *user = &parent->machine->user;
    if (!(user->signals.actions[SIGCHLD].flags & GUEST_SA_NOCLDSTOP))
        user_signal_send_to(parent->machine, NULL, &sent);
    user_wake_on_children(user);
}

void user_stop_process(struct machine *machine, unsigned signal)
{
    struct user *user = &machine->user;
    struct user_process *process = user->process;

    if (process->is_stopped ||
        (signal != SIGSTOP && user_is_orphaned(user->processes, process->group)))
        return;
    process->is_stopped = true;
    user->pass_at = machine->hart.instret;
    user->turns_changed = true;
    tell_parent(process, (int)signal << 8 | 0x7f, CLD_STOPPED, signal);
}

/* What a signal does when it is sent, whoever blocks it. */
static void change_stop(struct machine *machine, unsigned signal)
{
    struct user *user = &machine->user;
    struct user_process *process = user->process;

    if (signal_bit(signal) & stopping())
        user_signal_drop(user, SIGCONT);
    if (signal != SIGCONT && signal != SIGKILL)
        return;
    for (uint64_t rest = stopping(); rest; rest &= rest - 1)
        user_signal_drop(user, (unsigned)__builtin_ctzll(rest) + 1);
    if (!process->is_stopped)
        return;
    process->is_stopped = false;
    if (signal == SIGCONT)
        tell_parent(process, USER_CONTINUED, CLD_CONTINUED, SIGCONT);
}

/* ---- sending ---- */

/* A thread may wait for a signalfd that takes the signal. */
static int add_and_tell(struct machine *machine, struct user_pending *pending,
                        const struct user_sent_signal *sent)
{
    struct user *user = &machine->user;
    int result = add_pending(machine->arena, pending, sent);

    if (result == 1 && user->signals.watched & signal_bit(sent->signal)) {
        user->signals.watched_count++;
        user_wake_on_files(user);
    }
    return result;
}

int user_signal_send_to(struct machine *machine, struct user_thread *thread,
                        const struct user_sent_signal *sent)
{
    struct user *user = &machine->user;
    unsigned signal = sent->signal;

    change_stop(machine, signal);
    if (!thread) { /* to the program */
        for (unsigned i = 0; i < user->thread_count && !thread; i++)
            if (wants(user->threads[i], signal))
                thread = user->threads[i];
        if (!thread)
            return add_and_tell(machine, &user->signals.pending, sent);
    }
    if (user_signal_is_ignored(machine, signal) && !(thread->blocked & signal_bit(signal)))
        return 0;
    if (thread->state == THREAD_WAITS && wants(thread, signal) &&
        user_signal_stops(&user->signals, signal)) {
        user_stop_process(machine, signal); /* which does not interrupt its call */
        return 1;
    }
    int result = add_and_tell(machine, &thread->pending, sent);
    if (result == 1 && wants(thread, signal))
        user_wake(user, thread);
    return result;
}

void user_signal_send(struct machine *machine, unsigned signal, int code)
{
    uint32_t sender = code == USER_SIGNAL_BY_USER ? machine->user.process->id : 0;

    user_signal_send_to(
        machine, NULL,
        &(struct user_sent_signal){.signal = (uint8_t)signal, .code = code, .sender = sender});
}

bool user_signal_is_wanted(const struct machine *machine, unsigned signal)
{
    const struct user *user = &machine->user;

    if (user_signal_is_ignored(machine, signal))
        return false;
    for (unsigned i = 0; i < user->thread_count; i++)
        if (wants(user->threads[i], signal))
            return true;
    return false;
}

uint64_t user_signal_pending(const struct machine *machine)
{
    const struct user *user = &machine->user;

    return user->thread->pending.set | user->signals.pending.set;
}

/* Returns the siginfo of the signal of a timer, which is delivered now. */
static struct guest_siginfo timer_info(struct machine *machine, unsigned signal, uint64_t index)
{
    struct user_timer *timer = &machine->user.timers[index];

    timer->delivered = timer->overruns;
    timer->overruns = 0;
    timer->is_sent = false;
    return (struct guest_siginfo){
        .signal = (int32_t)signal,
        .code = USER_SIGNAL_BY_TIMER,
        .pid = (int32_t)index - USER_INTERVAL_TIMERS, /* si_tid */
        .uid = timer->delivered,                      /* si_overrun */
        .value = timer->value,
    };
}

struct guest_siginfo user_signal_take(struct machine *machine, unsigned signal)
{
    struct user *user = &machine->user;
    struct user_pending *pending = user->thread->pending.set & signal_bit(signal)
                                       ? &user->thread->pending
                                       : &user->signals.pending;
    const struct user_sent_signal sent = remove_pending(pending, signal);

    if (sent.timer)
        return timer_info(machine, signal, sent.timer);
    return (struct guest_siginfo){
        .signal = signal,
        .code = sent.code,
        .pid = (int32_t)sent.sender,
        .uid = sent.sender ? GUEST_UID : 0,
        .value = sent.value,
    };
}
