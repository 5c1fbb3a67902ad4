/* The turns of processes, and their ends, between two turns. See processes.h. */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include <signal.h>

/* ---- the end of a process ---- */

/* Sends the parent the signal of the end. */
static void tell(const struct user_process *parent, const struct user_process *process)
{
    const struct guest_siginfo info = user_child_info(process, process->status);
    const struct user_sent_signal sent = {.signal = (uint8_t)process->end_signal,
                                          .code = info.code,
                                          .sender = process->id,
                                          .value = info.value};

    user_signal_send_to(parent->machine, NULL, &sent);
}

/* Processes of a group that have stopped, and that nobody can continue any more, are told so and go
 * on. */
static void leave_group(const struct user_processes *processes, uint32_t group)
{
    bool is_stopped = false;

    for (const struct user_process *process = processes->first; process; process = process->next)
        is_stopped |= process->group == group && process->machine && process->is_stopped;
    if (!is_stopped || !user_is_orphaned(processes, group))
        return;
    for (const struct user_process *process = processes->first; process; process = process->next) {
        if (process->group != group || !process->machine)
            continue;
        for (unsigned i = 0; i < 2; i++)
            user_signal_send_to(process->machine, NULL,
                                &(struct user_sent_signal){.signal = i ? SIGCONT : SIGHUP,
                                                           .code = USER_SIGNAL_BY_KERNEL});
    }
}

/* The children of a process that has ended get process 1 as their parent, which asks for their end
 * at once. */
static void leave_children(struct user_processes *processes, const struct user_process *parent)
{
    for (struct user_process *next, *process = processes->first; process; process = next) {
        next = process->next;
        if (process->parent != parent->id)
            continue;
        process->parent = GUEST_PARENT;
        if (!process->machine) {
            user_forget_process(processes, process);
            continue;
        }
        if (process->death_signal)
            user_signal_send_to(process->machine, NULL,
                                &(struct user_sent_signal){.signal = (uint8_t)process->death_signal,
                                                           .code = USER_SIGNAL_BY_USER,
                                                           .sender = parent->id});
        leave_group(processes, process->group);
    }
    leave_group(processes, parent->group);
}

void user_end_process(struct user_process *process, int status)
{
    struct machine *machine = process->machine;
    struct user_processes *processes = machine->user.processes;
    struct user_process *parent = user_find_process(processes, process->parent);

    user_release_all_locks(machine);
    if (parent && parent->child == process) /* it had its parent's memory */
        memory_take_changes(&parent->machine->memory, &machine->memory);
    user_release_parent(process);
    process->before = user_process_executed(process);
    processes->ended += process->before;
    process->machine = NULL;
    process->status = status;
    processes->alive--;
    user_leave(&machine->user);
    leave_children(processes, process);
    bool is_known =
        !parent || !parent->machine || user_signal_ignores_children(&parent->machine->user.signals);
    if (parent && parent->machine) {
        if (process->end_signal)
            tell(parent, process);
        user_wake_on_children(&parent->machine->user);
    }
    if (is_known)
        user_forget_process(processes, process);
}

/* ---- turns ---- */

/* Has the process not stopped, and does it not stand still? */
static bool can_go_on(const struct user_process *process)
{
    return !process->child && !process->is_stopped;
}

bool user_can_run(const struct user_process *process)
{
    const struct user *user = process->machine ? &process->machine->user : NULL;

    for (unsigned i = 0; user && can_go_on(process) && i < user->thread_count; i++)
        if (user->threads[i]->state == THREAD_RUNS)
            return true;
    return false;
}

void user_begin_turn(struct machine *machine)
{
    struct user *user = &machine->user;
    uint64_t now = machine->hart.instret;

    user->pass_at = user_has_others(machine) ? now + PROCESS_TURN : UINT64_MAX;
    if (user_signal_is_ready(machine) && user->signal_at > now)
        user->signal_at = now;
}

void user_synchronize(struct user_process *process)
{
    uint64_t now = user_time(process->machine);

    for (struct user_process *other = process->machine->user.processes->first; other;
         other = other->next) {
        if (!other->machine || other == process)
            continue;
        user_advance(other->machine, now);
        user_timer_fire(other->machine);
        user_wake_expired(other->machine);
    }
}

bool user_pass_time_of_all(struct user_processes *processes)
{
    struct user_process *first = NULL;
    uint64_t least = USER_FOREVER;

    for (struct user_process *process = processes->first; process; process = process->next) {
        uint64_t event = process->machine && !process->is_stopped
                             ? user_next_event(process->machine)
                             : USER_FOREVER;
        if (event < least) {
            least = event;
            first = process;
        }
    }
    if (!first)
        return false;
    user_pass_time(first->machine);
    user_synchronize(first);
    return true;
}

struct user_process *user_find_last(struct user_processes *processes)
{
    struct user_process *process = processes->first;

    if (processes->alive != 1)
        return NULL;
    while (!process->machine)
        process = process->next;
    struct user *user = &process->machine->user;
    user->turns_changed = true;
    if (user->thread_count == 1)
        user->thread->state = THREAD_RUNS;
    return process;
}
