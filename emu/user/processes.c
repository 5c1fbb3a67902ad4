/* The list of processes. See processes.h. */
#include "emu/user/mapped.h"
#include "emu/user/storage.h"
#include <stdlib.h>

struct user_processes *user_open_processes(struct machine *machine)
{
    struct user_processes *processes = calloc(1, sizeof *processes);
    struct user_process *first = calloc(1, sizeof *first);

    if (!processes || !first)
        BUG("out of memory at the start");
    *first = (struct user_process){.machine = machine,
                                   .id = GUEST_PID,
                                   .parent = GUEST_PARENT,
                                   .group = GUEST_PID,
                                   .session = GUEST_PARENT};
    *processes =
        (struct user_processes){.first = first, .count = 1, .alive = 1, .last_id = GUEST_PID};
    return processes;
}

void user_close_processes(struct user_processes *processes)
{
    if (!processes)
        return;
    for (struct user_process *next, *process = processes->first; process; process = next) {
        next = process->next;
        free(process);
    }
    mapped_close(processes);
    inode_free_links(processes);
    store_free(&processes->store);
    times_free(&processes->times);
    recent_close(&processes->recent);
    free(processes);
}

struct user_process *user_find_process(const struct user_processes *processes, uint64_t id)
{
    struct user_process *process = processes->first;

    while (process && process->id != id)
        process = process->next;
    return process;
}

void user_forget_process(struct user_processes *processes, struct user_process *process)
{
    struct user_process **link = &processes->first;

    if (process == processes->first) {
        process->parent = 0;
        return;
    }
    while (*link != process)
        link = &(*link)->next;
    *link = process->next;
    processes->count--;
    free(process);
}

bool user_has_others(const struct machine *machine)
{
    return machine->user.processes->alive > 1;
}

bool user_can_share(const struct user_processes *processes, unsigned more)
{
    unsigned count = more;

    for (const struct user_process *process = processes->first; process; process = process->next)
        count += process->machine ? process->machine->memory.share_count : 0;
    return count <= PROCESS_SHARES;
}

uint64_t user_process_executed(const struct user_process *process)
{
    return process->before + (process->machine ? process->machine->hart.instret : 0);
}

uint64_t user_all_executed(const struct user_processes *processes)
{
    uint64_t executed = processes->ended;

    for (const struct user_process *process = processes->first; process; process = process->next)
        executed += process->machine ? user_process_executed(process) : 0;
    return executed;
}

struct machine *user_find_machine(const struct machine *machine, uint64_t id)
{
    const struct user_process *process =
        (int32_t)id > 0 ? user_find_process(machine->user.processes, (uint32_t)id) : NULL;

    return process ? process->machine : NULL;
}

bool user_is_orphaned(const struct user_processes *processes, uint32_t group)
{
    for (const struct user_process *process = processes->first; process; process = process->next) {
        if (process->group != group || !process->machine)
            continue;
        if (process == processes->first) /* its parent is the shell */
            return false;
        const struct user_process *parent = user_find_process(processes, process->parent);
        if (parent && parent->machine && parent->session == process->session &&
            parent->group != group)
            return false;
    }
    return true;
}

void user_release_parent(struct user_process *process)
{
    struct user_process *parent =
        user_find_process(process->machine->user.processes, process->parent);

    if (parent && parent->child == process)
        parent->child = NULL;
}
