/* See workers.h. */
#include "emu/keeper.h"
#include "emu/races/races.h"
#include "emu/workers/parts.h"
#include "lib/isa.h"
#include "lib/trace/thread_name.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- contexts ---- */

void workers_open(struct machine *machine)
{
    unsigned count = (unsigned)machine->config.barrel_workers;

    if (!count)
        return;
    struct workers *workers = calloc(1, sizeof *workers + count * sizeof workers->workers[0]);
    if (!workers || !(workers->meeting = calloc(count, sizeof *workers->meeting)))
        BUG("out of memory for the workers");
    workers->count = count;
    workers->is_paired = machine->config.barrel_pair == ISA_SETTING_BARREL_PAIR_YES;
    for (unsigned i = 0; i < count; i++) {
        struct worker *worker = &workers->workers[i];
        snprintf(worker->name, sizeof worker->name, "worker[%u]", i);
        thread_name(worker->short_name, true, i + 2);
    }
    for (unsigned i = 0; i < sizeof workers->weights / sizeof workers->weights[0]; i++)
        snprintf(workers->weights[i], sizeof workers->weights[i], "weight%u", i);
    machine->workers = workers;
}

void workers_free(struct machine *machine)
{
    struct workers *workers = machine->workers;

    if (!workers)
        return;
    context_free(&workers->supervisor);
    for (unsigned i = 0; i < workers->count; i++)
        context_free(&workers->workers[i].context);
    recorder_free(&workers->recorder);
    free(workers->meeting);
    free(workers->turns);
    free(workers);
    machine->workers = NULL;
}

static struct context *context_of_thread(struct workers *workers, unsigned thread)
{
    return thread ? &worker_of(workers, thread)->context : &workers->supervisor;
}

static uint64_t *retired_of(struct workers *workers, unsigned thread)
{
    return thread ? &worker_of(workers, thread)->retired : &workers->supervisor_retired;
}

static unsigned *privilege_of(struct workers *workers, unsigned thread)
{
    return thread ? &worker_of(workers, thread)->privilege : &workers->supervisor_privilege;
}

unsigned workers_privilege(const struct machine *machine, unsigned thread)
{
    return *privilege_of(machine->workers, thread);
}

static void set_running(struct machine *machine, unsigned thread)
{
    struct workers *workers = machine->workers;
    const struct workers_owner *owner = thread ? &worker_of(workers, thread)->owner : NULL;

    if (!owner || !owner->thread)
        owner = &workers->owner;
    workers->running = thread;
    machine->port.is_worker = thread != 0;
    if (owner->thread) {
        machine->user.thread = owner->thread;
        machine->user.running = owner->number;
    }
}

void workers_put_away(struct machine *machine)
{
    struct workers *workers = machine->workers;
    unsigned thread = workers->running;

    context_save(machine, context_of_thread(workers, thread));
    *retired_of(workers, thread) = machine->hart.instret - machine->hart.foreign;
    *privilege_of(workers, thread) = machine->hart.privilege;
}

static unsigned thread_of_context(const struct workers *workers, const struct context *context)
{
    const struct worker *worker =
        (const struct worker *)((const char *)context - offsetof(struct worker, context));

    return context == &workers->supervisor ? 0 : (unsigned)(worker - workers->workers) + 1;
}

void workers_lend(struct machine *machine, const struct context *context)
{
    set_running(machine, thread_of_context(machine->workers, context));
}

uint64_t workers_retired(const struct machine *machine, const struct context *context)
{
    struct workers *workers = machine->workers;

    return *retired_of(workers, thread_of_context(workers, context));
}

void workers_give_hart(struct machine *machine, unsigned thread)
{
    struct workers *workers = machine->workers;
    struct hart *hart = &machine->hart;
    unsigned before = workers->running;

    if (thread == before)
        return;
    workers_put_away(machine);
    context_load(machine, context_of_thread(workers, thread), context_of_thread(workers, before));
    hart->foreign = hart->instret - *retired_of(workers, thread);
    if (hart->privilege != *privilege_of(workers, thread)) {
        hart->privilege = *privilege_of(workers, thread);
        machine->views_stale = true;
    }
    set_running(machine, thread);
    races_run(machine->races, thread ? worker_of(workers, thread)->races_number : 0);
}

unsigned workers_thread_of_turn(const struct machine *machine, uint64_t turn)
{
    const struct workers *workers = machine->workers;
    unsigned slot = (unsigned)(turn % workers->count);

    return worker_is_active(&workers->workers[slot]) ? slot + 1 : 0;
}

void workers_take_back(struct machine *machine, uint64_t last, uint64_t turn)
{
    struct workers *workers = machine->workers;
    struct hart *hart = &machine->hart;

    for (unsigned thread = 0; thread <= workers->count; thread++) {
        struct context *context = context_of_thread(workers, thread);
        struct hart *its = &context->hart;
        *retired_of(workers, thread) += its->instret;
        hart->instret += its->instret;
        its->instret = 0;
        context_settle(machine, context);
    }
    unsigned thread = workers_thread_of_turn(machine, turn);
    context_load(machine, context_of_thread(workers, thread), NULL);
    hart->foreign = hart->instret - *retired_of(workers, thread);
    set_running(machine, thread);
    if (last != NO_TURN)
        hart->passed = last + 1 - hart->instret;
    workers->turn = turn;
    workers->turn_retired = hart->instret;
}

uint64_t workers_self(const struct machine *machine)
{
    return machine->workers ? machine->workers->running : 0;
}

/* ---- barrier ---- */

/* Has a worker not come to the barrier yet? */
static bool has_running(const struct workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        if (workers->workers[i].state == WORKER_RUNS)
            return true;
    return false;
}

void workers_release(struct machine *machine)
{
    struct workers *workers = machine->workers;
    size_t count = 0;

    if (has_running(workers))
        return;
    for (unsigned i = 0; i < workers->count; i++)
        if (workers->workers[i].state == WORKER_AT_BARRIER) {
            workers->workers[i].state = WORKER_RUNS;
            workers->workers[i].is_released = true;
            workers->meeting[count++] = workers->workers[i].races_number;
        }
    races_meet(machine->races, workers->meeting, count);
}

void workers_fault(struct machine *machine)
{
    struct workers *workers = machine->workers;
    struct worker *worker = worker_of(workers, workers->running);

    worker->state = WORKER_FAULTED;
    worker->fault = machine->fault;
    worker->fault_pc = machine->hart.pc;
    races_end(machine->races, worker->races_number);
    workers_release(machine);
}

/* ---- the threads of a Linux program ---- */

void workers_record(struct machine *machine, const char *unit, const char *name, uint64_t value)
{
    if (!machine->recorder)
        return;
    struct effect *effect = recorder_add(machine->recorder, EFFECT_STATE);
    effect->unit = unit;
    effect->name = name;
    effect->number = EFFECT_NO_ROW;
    effect->value = value;
}

void workers_run(struct machine *machine, unsigned thread, const struct workers_owner *owner)
{
    struct worker *worker = worker_of(machine->workers, thread);

    worker->state = WORKER_RUNS;
    worker->is_released = false;
    worker->retired = 0;
    worker->privilege = machine->hart.privilege;
    worker->owner = *owner;
    worker->races_number = races_start(machine->races, thread);
    if (machine->keeper)
        machine->keeper->start(machine->keeper, thread, worker->context.hart.pc);
}

unsigned workers_find_idle(const struct machine *machine)
{
    const struct workers *workers = machine->workers;
    unsigned lowest = 0, idle = 0;

    for (unsigned i = workers->count; i > 0; i--)
        if (workers->workers[i - 1].state == WORKER_IDLE) {
            lowest = i;
            idle++;
        }
    return idle > 1 ? lowest : 0;
}

struct context *workers_context(const struct machine *machine, unsigned thread)
{
    return context_of_thread(machine->workers, thread);
}

void workers_set_owner(struct machine *machine, const struct workers_owner *owner)
{
    machine->workers->owner = *owner;
}

unsigned workers_begin(struct machine *machine, unsigned thread, const struct workers_owner *owner)
{
    const struct worker *worker = worker_of(machine->workers, thread);
    const struct hart *hart = &worker->context.hart;

    workers_run(machine, thread, owner);
    workers_record(machine, worker->name, "pc", hart->pc);
    workers_record(machine, worker->name, "a0", hart->x[ISA_REGISTER_A0]);
    workers_record(machine, worker->name, "sp", hart->x[ISA_REGISTER_SP]);
    workers_record(machine, worker->name, "tp", hart->x[ISA_REGISTER_TP]);
    return worker->races_number;
}

void workers_leave(struct machine *machine)
{
    struct workers *workers = machine->workers;

    if (workers->running)
        worker_of(workers, workers->running)->state = WORKER_IDLE;
    else
        workers->has_ended = true;
    workers_release(machine);
}

bool workers_have_started(const struct machine *machine)
{
    const struct workers *workers = machine->workers;

    for (unsigned i = 0; i < workers->count; i++)
        if (worker_is_active(&workers->workers[i]) && !workers->workers[i].owner.thread)
            return true;
    return false;
}

/* ---- reservations ---- */

bool workers_are_reserved(const struct machine *machine)
{
    struct workers *workers = machine->workers;
    bool reserved = workers->running && workers->supervisor.hart.reserved;

    for (unsigned i = 0; i < workers->count; i++)
        reserved =
            reserved || (workers->running != i + 1 && worker_is_active(&workers->workers[i]) &&
                         workers->workers[i].context.hart.reserved);
    return reserved;
}

uint64_t workers_reserved_lines(const struct machine *machine)
{
    struct workers *workers = machine->workers;
    uint64_t lines = 0;

    for (unsigned thread = 0; thread <= workers->count; thread++) {
        const struct hart *hart = &context_of_thread(workers, thread)->hart;
        if (hart->reserved && (thread == 0 || worker_is_active(worker_of(workers, thread))))
            lines |= hart_reserved_line(hart->reserved_address);
    }
    return lines;
}

static bool stores_to(const struct effect *effect, uint64_t address)
{
    uint64_t first = address & ~UINT64_C(7);

    return (effect->kind == EFFECT_STORE || effect->kind == EFFECT_RANGE_WRITE) &&
           effect->address < first + 8 && first < effect->address + effect->length;
}

static void end_reservation(struct context *context, const struct recorder *recorder)
{
    for (size_t i = 0; i < recorder->count && context->hart.reserved; i++)
        context->hart.reserved = !stores_to(&recorder->effects[i], context->hart.reserved_address);
}

void workers_end_reservations(struct machine *machine, const struct recorder *recorder)
{
    struct workers *workers = machine->workers;

    for (unsigned thread = 0; thread <= workers->count; thread++)
        if (thread != workers->running)
            end_reservation(context_of_thread(workers, thread), recorder);
}

/* ---- for reports and debuggers ---- */

void workers_hold(struct machine *machine, unsigned thread, bool is_held)
{
    if (thread)
        worker_of(machine->workers, thread)->is_held = is_held;
    else
        machine->workers->is_held = is_held;
}

bool workers_is_idle(const struct machine *machine, unsigned thread)
{
    return thread ? worker_of(machine->workers, thread)->state == WORKER_IDLE
                  : machine->workers->has_ended;
}

bool workers_is_waiting(const struct machine *machine, unsigned thread)
{
    return thread ? worker_of(machine->workers, thread)->state == WORKER_AT_BARRIER
                  : machine->workers->is_synchronizing && workers_any_active(machine->workers);
}

bool workers_is_active(const struct machine *machine, unsigned thread)
{
    return thread ? worker_is_active(worker_of(machine->workers, thread))
                  : !machine->workers->has_ended;
}

const char *workers_name(const struct machine *machine, unsigned thread)
{
    return thread ? worker_of(machine->workers, thread)->short_name : "sup";
}

uint64_t workers_pc(const struct machine *machine, unsigned thread)
{
    return machine->workers->running == thread
               ? machine->hart.pc
               : context_of_thread(machine->workers, thread)->hart.pc;
}

const char *workers_activity(const struct machine *machine, unsigned thread)
{
    const struct workers *workers = machine->workers;

    if (!thread)
        return workers->is_synchronizing   ? "waits for the workers (tsync)"
               : machine->waiting          ? "waits for an interrupt (wfi)"
               : workers_any_slot(workers) ? "runs"
                                           : "waits for a slot";
    switch (worker_of(machine->workers, thread)->state) {
    case WORKER_RUNS:
        return "runs";
    case WORKER_AT_BARRIER:
        return "waits at the barrier (tbar)";
    case WORKER_FAULTED:
        return "is faulted";
    default:
        return "is idle";
    }
}
