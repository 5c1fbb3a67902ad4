/* The threads of a program: their list, their contexts, and the ends of waits. See thread.h. */
#include "emu/user/thread.h"
#include "emu/races/races.h"
#include "emu/user/calls.h"
#include "emu/workers/workers.h"
#include "standard_ids.h"
#include <stdlib.h>

/* A reservation lasts over the end of a turn only where turns are too short for a whole loop of lr
 * and sc, which has at most 16 instructions (Unprivileged ISA, 8.3). */
enum { RESERVATION_QUANTUM = 64 };

/* ---- all threads ---- */

struct user_thread *user_add_thread(struct user *user, uint32_t id)
{
    struct user_thread *thread = calloc(1, sizeof *thread);

    if (thread) {
        thread->id = id;
        user->threads[user->thread_count++] = thread;
        user->is_threaded |= user->thread_count > 1;
    }
    return thread;
}

void user_reset_threads(struct user *user)
{
    user->thread_count = user->turn = user->late_signals = 0;
    user->thread = user->ended = NULL;
    user->is_threaded = user->turn_over = user->turns_changed = false;
    user->turn_start = user->turn_end = 0;
    user->pass_at = user->signal_at = UINT64_MAX;
    user->running = 1;
}

bool user_make_main_thread(struct user *user)
{
    user_reset_threads(user);
    user->thread = user_add_thread(user, user->process->id);
    return user->thread != NULL;
}

static void free_thread(struct user_thread *thread)
{
    context_free(&thread->context);
    free(thread);
}

void user_free_threads(struct user *user)
{
    if (user->thread && user->thread->state == THREAD_ENDED)
        free_thread(user->thread);
    else
        free(user->ended);
    for (unsigned i = 0; i < user->thread_count; i++)
        free_thread(user->threads[i]);
    user->thread_count = 0;
    user->thread = NULL;
}

struct user_thread *user_find_thread(const struct user *user, uint64_t id)
{
    for (unsigned i = 0; i < user->thread_count; i++)
        if (user->threads[i]->id == id)
            return user->threads[i];
    return NULL;
}

uint32_t user_thread_number(const struct user_thread *thread)
{
    return thread->id - GUEST_PID + 1;
}

struct user_thread *user_numbered_thread(const struct user *user, uint64_t number)
{
    return number ? user_find_thread(user, number + GUEST_PID - 1) : NULL;
}

struct user_thread *user_worker_thread(const struct user *user, unsigned worker)
{
    for (unsigned i = 0; i < user->thread_count; i++)
        if (user->threads[i]->worker == worker)
            return user->threads[i];
    return NULL;
}

const char *user_thread_activity(const struct user_thread *thread)
{
    static const char *const waits[] = {
        [WAIT_TIME] = "waits for a timeout",           [WAIT_SIGNAL] = "waits for a signal",
        [WAIT_FILES] = "waits for a pipe or an event", [WAIT_FUTEX] = "waits for a futex",
        [WAIT_CHILD] = "waits for a process",
    };

    return thread->state == THREAD_WAITS ? waits[thread->wait.kind] : "runs";
}

const char *user_worker_activity(const struct machine *machine, unsigned worker)
{
    const struct user_thread *thread = user_worker_thread(&machine->user, worker);

    return thread && thread->state == THREAD_WAITS ? user_thread_activity(thread)
                                                   : workers_activity(machine, worker);
}

uint64_t user_thread_pc(const struct machine *machine, const struct user_thread *thread)
{
    return thread == machine->user.thread ? machine->hart.pc : thread->context.hart.pc;
}

/* ---- the running thread ---- */

static void set_running(struct machine *machine, struct user_thread *thread)
{
    machine->user.thread = thread;
    machine->user.running = user_thread_number(thread);
    races_run(machine->races, thread->races_number);
}

/* Counts what the running thread has executed, before another one becomes it. */
static void end_turn(struct machine *machine)
{
    struct user *user = &machine->user;

    user->thread->executed += machine->hart.instret - user->turn_start;
    user->turn_start = machine->hart.instret;
}

uint64_t user_thread_executed(const struct machine *machine, const struct user_thread *thread)
{
    const struct user *user = &machine->user;
    bool runs = thread == user->thread;

    if (!machine->workers)
        return thread->executed + (runs ? machine->hart.instret - user->turn_start : 0);
    return (runs ? machine->hart.instret - machine->hart.foreign
                 : workers_retired(machine, workers_context(machine, thread->worker))) -
           thread->executed;
}

void user_change_thread(struct machine *machine, struct user_thread *thread)
{
    struct user *user = &machine->user;
    struct user_thread *before = user->thread;

    if (thread == before)
        return;
    end_turn(machine);
    if (before->state == THREAD_ENDED) {
        free_thread(before);
        context_load(machine, &thread->context, NULL);
    } else {
        if (machine->config.threads_quantum >= RESERVATION_QUANTUM)
            machine->hart.reserved = false;
        context_save(machine, &before->context);
        context_load(machine, &thread->context, &before->context);
    }
    set_running(machine, thread);
}

void user_show_thread(struct machine *machine, struct user_thread *thread)
{
    struct user *user = &machine->user;

    if (thread == user->thread)
        return;
    end_turn(machine);
    context_save(machine, &user->thread->context);
    context_load(machine, &thread->context, &user->thread->context);
    set_running(machine, thread);
}

/* ---- waiting ---- */

uint64_t user_call_pc(const struct machine *machine)
{
    return machine->hart.pc - isa_instructions[ISA_ID_ECALL].length;
}

void user_wake(struct user *user, struct user_thread *thread)
{
    if (thread->state != THREAD_WAITS)
        return;
    thread->state = THREAD_RUNS;
    user->turns_changed = true;
}

void user_wake_on_children(struct user *user)
{
    for (unsigned i = 0; i < user->thread_count; i++)
        if (user->threads[i]->wait.kind == WAIT_CHILD)
            user_wake(user, user->threads[i]);
}

void user_wake_on_files(struct user *user)
{
    for (struct user_process *process = user->processes->first; process; process = process->next) {
        struct user *of = process->machine ? &process->machine->user : NULL;
        for (unsigned i = 0; of && i < of->thread_count; i++)
            if (of->threads[i]->wait.kind == WAIT_FILES)
                user_wake(of, of->threads[i]);
    }
}

uint64_t user_deadline(const struct machine *machine, uint64_t deadline)
{
    const struct user_thread *thread = machine->user.thread;

    return thread->repeats ? thread->wait.deadline : deadline;
}

bool user_is_waiting(const struct machine *machine)
{
    return machine->user.thread->state == THREAD_WAITS;
}

bool user_has_turns(const struct machine *machine)
{
    return machine->user.thread_count > 1 || machine->user.turns_changed;
}
