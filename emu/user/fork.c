/* How a process begins. See processes.h. */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include "isa_ids.h"
#include <errno.h>
#include <stdlib.h>

/* The process has what its parent has, but timers, pending signals and the other threads. */
static bool inherit(struct user *user, const struct user *parent, struct user_process *process)
{
    *user = *parent;
    user->process = process;
    user->working = strdup(parent->working);
    user->program_path = strdup(parent->program_path);
    user->name = strdup(parent->name);
    user->signals.pending = (struct user_pending){0};
    memset(user->timers, 0, sizeof user->timers);
    user->is_timed = false;
    for (unsigned i = 0; i < USER_FILES; i++)
        if (user->files[i])
            user->files[i]->references++;
    return user->working && user->program_path && user->name && user_make_main_thread(user);
}

static void begin_thread(struct machine *machine, const struct user_thread *parent,
                         const struct user_fork *parts)
{
    struct user_thread *thread = machine->user.thread;
    struct hart *hart = &machine->hart;
    uint32_t id = thread->id;

    thread->blocked = parent->is_kept ? parent->kept : parent->blocked;
    thread->stack = parent->stack;
    thread->stack_size = parent->stack_size;
    thread->stack_disarms = parent->stack_disarms;
    thread->clear_address = parts->clear_address;
    memcpy(thread->name, parent->name, sizeof thread->name);
    thread->no_new_privileges = parent->no_new_privileges;
    hart->reserved = false;
    hart->x[ISA_REGISTER_A0] = 0;
    if (parts->stack)
        hart->x[ISA_REGISTER_SP] = parts->stack;
    if (parts->has_thread_pointer)
        hart->x[ISA_REGISTER_TP] = parts->thread_pointer;
    if (parts->id_address)
        user_copy_out(machine, parts->id_address, &id, sizeof id);
}

static struct user_process *add_process(struct user_processes *processes,
                                        const struct user_process *parent)
{
    struct user_process **end = &processes->first, *process = calloc(1, sizeof *process);

    if (!process)
        return NULL;
    *process = (struct user_process){.id = ++processes->last_id,
                                     .parent = parent->id,
                                     .group = parent->group,
                                     .session = parent->session};
    while (*end)
        end = &(*end)->next;
    *end = process;
    processes->count++;
    return process;
}

int64_t user_fork(struct machine *machine, const struct user_fork *parts)
{
    struct user *user = &machine->user;
    struct user_processes *processes = user->processes;

    if (processes->count == PROCESS_LIMIT)
        return -EAGAIN;
    if (!user_can_share(processes, machine->memory.share_count))
        return -ENOMEM;
    struct user_process *process = add_process(processes, user->process);
    if (!process)
        return -ENOMEM;
    process->machine = processes->makers->copy(processes->makers, machine);
    if (!process->machine) {
        user_forget_process(processes, process);
        return -ENOMEM;
    }
    processes->alive++;
    struct user *child = &process->machine->user;
    if (!inherit(child, user, process))
        BUG("out of memory for a process");
    child->random ^= (uint64_t)process->id << 32;
    begin_thread(process->machine, user->thread, parts);
    if (parts->resets_signals)
        user_signal_reset(&child->signals);
    process->end_signal = parts->end_signal;
    user->process->child = parts->holds_parent ? process : NULL;
    user->turns_changed = true; /* it has turns from now on */
    user->pass_at = parts->holds_parent ? 0 : machine->hart.instret + PROCESS_TURN;
    return process->id;
}
