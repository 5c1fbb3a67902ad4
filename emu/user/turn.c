/* The turns of threads, and what the environment does between two instructions. See thread.h. */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include "emu/workers/workers.h"
#include <stdlib.h>

bool user_has_work(const struct machine *machine)
{
    const struct user *user = &machine->user;

    return user->is_timed || user->turns_changed || user_signal_is_held(machine);
}

/* Returns when the wait ends by itself. */
static uint64_t end_of_wait(const struct user_thread *thread)
{
    const struct user_wait *wait = &thread->wait;

    return wait->alarm < wait->deadline ? wait->alarm : wait->deadline;
}

void user_wake_expired(struct machine *machine)
{
    struct user *user = &machine->user;

    for (unsigned i = 0; i < user->thread_count; i++)
        if (user->threads[i]->state == THREAD_WAITS &&
            user_is_past(machine, end_of_wait(user->threads[i])))
            user_wake(user, user->threads[i]);
}

/* Returns the earliest deadline of a thread that waits; USER_FOREVER: none. */
static uint64_t next_deadline(const struct user *user)
{
    uint64_t least = USER_FOREVER;

    for (unsigned i = 0; i < user->thread_count; i++) {
        const struct user_thread *thread = user->threads[i];
        if (thread->state == THREAD_WAITS && !thread->is_held && end_of_wait(thread) < least)
            least = end_of_wait(thread);
    }
    return least;
}

uint64_t user_next_event(const struct machine *machine)
{
    uint64_t alarm = user_next_alarm(machine), deadline = next_deadline(&machine->user);

    return alarm < deadline ? alarm : deadline;
}

static bool can_run(const struct user_thread *thread)
{
    return thread->state == THREAD_RUNS && !thread->is_held;
}

/* Returns the first place after `place` of a thread that can run, `place` itself last; or the
 * number of threads. */
static unsigned find_next(const struct user *user, unsigned place)
{
    for (unsigned at = place + 1; at < user->thread_count; at++)
        if (can_run(user->threads[at]))
            return at;
    for (unsigned at = 0; at <= place && at < user->thread_count; at++)
        if (can_run(user->threads[at]))
            return at;
    return user->thread_count;
}

bool user_pass_time(struct machine *machine)
{
    struct user *user = &machine->user;
    uint64_t deadline = next_deadline(user);

    if (user_pass_alarm(machine, deadline) && find_next(user, user->turn) < user->thread_count)
        return true;
    if (deadline == USER_FOREVER)
        return false;
    user_advance(machine, deadline);
    user_timer_fire(machine);
    user_wake_expired(machine);
    return true;
}

static bool is_any_held(const struct user *user)
{
    for (unsigned i = 0; i < user->thread_count; i++)
        if (user->threads[i]->is_held)
            return true;
    return false;
}

/* Gives the turn to the next thread that can run. */
static enum user_next begin_turn(struct machine *machine)
{
    struct user *user = &machine->user;
    unsigned next;

    while ((next = find_next(user, user->turn)) == user->thread_count) {
        if (user_has_others(machine))
            return USER_PASSES;
        if (user_pass_time(machine))
            continue;
        if (is_any_held(user))
            return USER_HELD;
        user->exited = user->stuck = true;
        user->status = USER_STUCK_STATUS;
        return USER_ENDED;
    }
    user_change_thread(machine, user->threads[next]);
    user->turn = next;
    user->turn_end = machine->hart.instret + machine->config.threads_quantum;
    user->turn_over = false;
    return USER_RUNS;
}

/* A thread that runs alone has one turn after the other, without a stop at the end of each. Sets
 * the end of its turn to that of the current one. Returns true when a turn ends right now. */
static bool is_at_end(struct machine *machine)
{
    struct user *user = &machine->user;
    uint64_t now = machine->hart.instret, quantum = machine->config.threads_quantum;

    if (now <= user->turn_end)
        return now == user->turn_end;
    uint64_t since = (now - user->turn_end) % quantum;
    user->turn_end = now - since + quantum;
    return since == 0;
}

enum user_next user_take_turn(struct machine *machine)
{
    struct user *user = &machine->user;

    user->turns_changed = false;
    user_wake_expired(machine);
    if (!is_at_end(machine) && !user->turn_over && can_run(user->thread))
        return USER_RUNS;
    return begin_turn(machine);
}

void user_limit_turn(struct machine *machine, uint64_t *slice)
{
    struct user *user = &machine->user;
    uint64_t instret = machine->hart.instret, quantum = machine->config.threads_quantum;
    uint64_t end = user->turn_end;

    if (find_next(user, user->turn) == user->turn) {
        uint64_t deadline = next_deadline(user);
        if (deadline == USER_FOREVER)
            return;
        uint64_t reached = instret + (deadline - user_time(machine));
        if (reached > end)
            end += (reached - end + quantum - 1) / quantum * quantum;
    }
    if (end - instret < *slice)
        *slice = end - instret;
}

/* Sets when the thread whose turn begins gets the signals that came since its last one: up to 255
 * instructions later, differently each time. Otherwise a loop whose length divides that of a turn
 * would always be interrupted at the same instruction, and a runtime that can stop a thread only at
 * some instructions, as Go's, might never stop it. */
static void plan_signals(struct machine *machine)
{
    enum { GOLDEN_RATIO = 0x9e3779b9u, BYTE_SHIFT = 24 };
    struct user *user = &machine->user;

    user->signal_at = UINT64_MAX;
    if (user->thread->repeats || !user_signal_is_ready(machine))
        return;
    uint32_t delay = user->late_signals++ * (uint32_t)GOLDEN_RATIO >> BYTE_SHIFT;
    user->signal_at = machine->hart.instret + delay % machine->config.threads_quantum;
}

/* A thread whose call waited gets its signals from that call. */
static void deliver_signals(struct machine *machine)
{
    machine->user.signal_at = UINT64_MAX;
    if (!machine->user.thread->repeats)
        user_signal_deliver(machine);
}

/* Can the running thread of the barrel get its signals now? One that `trun` started gets none; the
 * supervisor does. */
static bool takes_signals(const struct machine *machine)
{
    const struct user_thread *thread = machine->user.thread;

    return thread->worker == workers_self(machine) && !thread->repeats && !workers_pair(machine) &&
           thread->state != THREAD_ENDED && user_signal_is_ready(machine);
}

/* The same as user_prepare in a barrel, where workers_take_turn has chosen the thread. */
static enum user_next prepare_turn(struct machine *machine, uint64_t *slice)
{
    struct user *user = &machine->user;

    if (user_timer_left(machine) == 0)
        user_timer_fire(machine);
    user->turns_changed = false;
    if (user->ended != user->thread) {
        free(user->ended);
        user->ended = NULL;
    }
    if (takes_signals(machine))
        user_signal_deliver(machine);
    if (user->exited)
        return USER_ENDED;
    uint64_t timer = user_timer_left(machine);
    if (timer < *slice)
        *slice = timer;
    return USER_RUNS;
}

bool user_can_rotate(const struct machine *machine, uint64_t *limit)
{
    const struct user *user = &machine->user;
    uint64_t now = user_time(machine), deadline = next_deadline(user);

    if (user_has_work(machine) || deadline <= now)
        return false;
    for (unsigned i = 0; i < user->thread_count; i++) {
        const struct user_thread *thread = user->threads[i];
        if ((thread->pending.set | user->signals.pending.set) & ~thread->blocked)
            return false;
    }
    if (deadline - now < *limit)
        *limit = deadline - now;
    return true;
}

enum user_next user_prepare(struct machine *machine, uint64_t *slice)
{
    struct user *user = &machine->user;
    bool is_due = user_timer_left(machine) == 0;
    const struct user_thread *before = user->thread;

    if (machine->workers)
        return prepare_turn(machine, slice);
    if (machine->hart.instret >= user->pass_at)
        return USER_PASSES;
    if (is_due)
        user_timer_fire(machine);
    if (user->thread_count > 1 || user->turns_changed) {
        enum user_next next = user_take_turn(machine);
        if (next != USER_RUNS)
            return next;
    }
    if (user->thread != before)
        plan_signals(machine);
    if (is_due || machine->hart.instret >= user->signal_at)
        deliver_signals(machine);
    if (user->exited)
        return USER_ENDED;
    if (user->process->is_stopped)
        return USER_PASSES;
    if (user->thread_count > 1)
        user_limit_turn(machine, slice);
    if (user->pass_at - machine->hart.instret < *slice)
        *slice = user->pass_at - machine->hart.instret;
    if (user->signal_at - machine->hart.instret < *slice)
        *slice = user->signal_at - machine->hart.instret;
    uint64_t timer = user_timer_left(machine);
    if (timer < *slice)
        *slice = timer;
    return USER_RUNS;
}

/* The next thread has its turn, or the next process if no other thread of this one can run. */
int64_t user_sched_yield(struct machine *machine, const uint64_t *arguments)
{
    struct user *user = &machine->user;
    bool is_alone = find_next(user, user->turn) == user->turn;

    (void)arguments;
    user->turn_over = !is_alone;
    if (is_alone && user_has_others(machine))
        user->pass_at = machine->hart.instret;
    user->turns_changed = user->turn_over || user->pass_at <= machine->hart.instret;
    return 0;
}
