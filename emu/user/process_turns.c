/* The turns of processes, and their ends, between two turns. See processes.h. */
#include "emu/user/calls.h"
#include "emu/user/thread.h"

/* ---- the end of a process ---- */

/* Sends the parent the signal of the end. */
static void tell(const struct user_process *parent, const struct user_process *process)
{
    const struct guest_siginfo info = user_end_info(process);
    const struct user_sent_signal sent = {.signal = (uint8_t)process->end_signal,
                                          .code = info.code,
                                          .sender = process->id,
                                          .value = info.value};

    user_signal_send_to(parent->machine, NULL, &sent);
}

static void wake_waiting(struct user *user)
{
    for (unsigned i = 0; i < user->thread_count; i++)
        if (user->threads[i]->wait.kind == WAIT_CHILD)
            user_wake(user, user->threads[i]);
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
        if (!process->machine)
            user_forget_process(processes, process);
    }
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
        wake_waiting(&parent->machine->user);
    }
    if (is_known)
        user_forget_process(processes, process);
}

/* ---- turns ---- */

bool user_can_run(const struct user_process *process)
{
    const struct user *user = process->machine ? &process->machine->user : NULL;

    for (unsigned i = 0; user && !process->child && i < user->thread_count; i++)
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
        uint64_t event = process->machine ? user_next_event(process->machine) : USER_FOREVER;
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
