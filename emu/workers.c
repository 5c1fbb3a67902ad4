/* See workers.h. */
#include "emu/workers.h"
#include "emu/float_host.h"
#include "emu/keeper.h"
#include "emu/observe.h"
#include "emu/races.h"
#include "isa_ids.h"
#include "lib/bundle.h"
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

static struct worker *worker_of(struct workers *workers, unsigned thread)
{
    return &workers->workers[thread - 1];
}

static struct context *context_of(struct workers *workers, unsigned thread)
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

/* Gives the hart to the thread. */
static void change_thread(struct machine *machine, unsigned thread)
{
    struct workers *workers = machine->workers;
    struct hart *hart = &machine->hart;
    unsigned before = workers->running;

    if (thread == before)
        return;
    context_save(machine, context_of(workers, before));
    *retired_of(workers, before) = hart->instret - hart->foreign;
    *privilege_of(workers, before) = hart->privilege;
    context_load(machine, context_of(workers, thread), context_of(workers, before));
    hart->foreign = hart->instret - *retired_of(workers, thread);
    if (hart->privilege != *privilege_of(workers, thread)) {
        hart->privilege = *privilege_of(workers, thread);
        machine->views_stale = true;
    }
    set_running(machine, thread);
    races_run(machine->races, thread ? worker_of(workers, thread)->races_number : 0);
}

uint64_t workers_self(const struct machine *machine)
{
    return machine->workers ? machine->workers->running : 0;
}

/* ---- turns ---- */

static bool is_active(const struct worker *worker)
{
    return worker->state == WORKER_RUNS || worker->state == WORKER_AT_BARRIER;
}

static bool has_active(const struct workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        if (is_active(&workers->workers[i]))
            return true;
    return false;
}

/* Does the thread of a Linux program wait, or is it over? */
static bool is_waiting(const struct workers_owner *owner)
{
    return owner->thread && *owner->state != THREAD_RUNS;
}

static bool is_runnable(const struct worker *worker)
{
    return worker->state == WORKER_RUNS && !is_waiting(&worker->owner);
}

/* Can a worker execute an instruction in its next turn? */
static bool has_runnable(const struct workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        if (is_runnable(&workers->workers[i]))
            return true;
    return false;
}

/* Has a worker not come to the barrier yet? */
static bool has_running(const struct workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        if (workers->workers[i].state == WORKER_RUNS)
            return true;
    return false;
}

/* The same, without the workers that the debugger holds. */
static bool has_free(const struct workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        if (is_runnable(&workers->workers[i]) && !workers->workers[i].is_held)
            return true;
    return false;
}

/* Can the supervisor execute an instruction now? After a wfi it waits for an interrupt while
 * workers run; without them, the environment goes on to the time of the interrupt. */
static bool can_supervise(const struct machine *machine)
{
    const struct workers *workers = machine->workers;

    if (workers->has_ended || is_waiting(&workers->owner))
        return false;
    if (workers->is_synchronizing)
        return !has_active(workers);
    if (machine->waiting && has_runnable(workers))
        return machine->environment->pending(machine) & machine->hart.mie;
    return true;
}

/* Does the supervisor have a slot? */
static bool has_slot(const struct workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        if (!is_active(&workers->workers[i]))
            return true;
    return false;
}

static bool can_supervisor_go(const struct machine *machine)
{
    return !machine->workers->is_held && can_supervise(machine);
}

/* Is one turn of each slot without an instruction enough to know that none will come? */
static bool can_anyone_go(const struct machine *machine)
{
    const struct workers *workers = machine->workers;

    return has_free(workers) || (has_slot(workers) && can_supervisor_go(machine));
}

bool workers_are_held(const struct machine *machine)
{
    const struct workers *workers = machine->workers;

    if (workers->schedule && workers->schedule->has_failed)
        return false;
    return has_runnable(workers) || (has_slot(workers) && can_supervise(machine));
}

uint64_t workers_turn(const struct machine *machine)
{
    return machine->workers ? machine->workers->turn : 0;
}

/* A turn of the thread passes. */
static void pass(struct machine *machine, unsigned thread, enum pipeline_stall stall)
{
    if (machine->keeper)
        machine->keeper->pass(machine->keeper, thread, stall, machine->workers->turn);
}

void workers_wait(struct machine *machine)
{
    unsigned thread = machine->workers->running;

    pass(machine, thread, thread ? STALL_BARRIER : STALL_SYNC);
}

/* Returns why the running thread cannot execute its next instruction in this turn. */
static enum pipeline_stall look(struct machine *machine)
{
    return machine->keeper ? machine->keeper->look(machine->keeper, machine, machine->workers->turn)
                           : STALL_ALL;
}

/* Ends the turns of the last slice. Its instructions took a turn each, but the second one of a
 * bundle. An instruction that waits or raises an exception takes its turn, too. */
static void end_turns(struct machine *machine)
{
    struct workers *workers = machine->workers;

    workers->turn +=
        machine->hart.instret - workers->turn_retired + workers->attempts - workers->turn_attempts;
    if (machine->hart.instret + workers->attempts !=
            workers->turn_retired + workers->turn_attempts ||
        !workers->is_begun)
        return;
    pass(machine, workers->running, STALL_SYNC); /* a call that waits */
    workers->turn++;
}

/* Decodes the instruction at the pc. The id is that of no instruction if there is none. */
static struct workers_instruction decode(struct machine *machine)
{
    struct decoded record = {0};

    code_decode(&machine->code, &record, machine->hart.pc);
    return (struct workers_instruction){record.id, record.pc, record.word};
}

/* Does the instruction at the pc share the turn of the one that was just executed? */
static bool find_second(struct machine *machine)
{
    struct workers *workers = machine->workers;

    if (!workers->is_paired || workers->is_second || !workers->is_begun ||
        machine->hart.instret != workers->turn_retired + 1)
        return false;
    struct workers_instruction first = workers->first, second = decode(machine);
    return first.id < PSEUDO_FIRST && second.id < PSEUDO_FIRST &&
           bundle_check(&isa_instructions[first.id], first.word, &isa_instructions[second.id],
                        second.word, NULL) == BUNDLE_POSSIBLE &&
           look(machine) == STALL_ALL;
}

/* Notes the turn that begins. */
static void begin_turn(struct machine *machine, bool is_second, uint64_t *slice)
{
    struct workers *workers = machine->workers;
    struct hart *hart = &machine->hart;

    hart->passed = workers->turn - hart->instret;
    workers->turn_retired = hart->instret;
    workers->turn_attempts = workers->attempts;
    workers->is_second = is_second;
    workers->is_begun = true;
    if (workers->is_paired)
        workers->first = decode(machine);
    if (workers->is_paired || machine->keeper || has_active(workers))
        *slice = 1;
}

static bool is_held(const struct workers *workers, unsigned thread)
{
    return thread ? workers->workers[thread - 1].is_held : workers->is_held;
}

/* Has the debugger stopped the running thread before the second instruction of a bundle? */
static bool is_interrupted(const struct workers *workers)
{
    return workers->is_second && !workers->is_begun && !is_held(workers, workers->running);
}

/* Gives the turn to the thread that the schedule says. Returns false if that cannot go. */
static bool follow_schedule(struct machine *machine, unsigned thread, uint64_t *slice)
{
    struct workers *workers = machine->workers;
    bool can_go = thread ? is_runnable(worker_of(workers, thread)) : can_supervisor_go(machine);

    if (!can_go) {
        workers->schedule->has_failed = true;
        return false;
    }
    schedule_take(workers->schedule);
    change_thread(machine, thread);
    begin_turn(machine, false, slice);
    *slice = 1;
    return true;
}

bool workers_take_turn(struct machine *machine, uint64_t *slice)
{
    struct workers *workers = machine->workers;

    if (is_interrupted(workers) || find_second(machine)) {
        begin_turn(machine, true, slice);
        return true;
    }
    if (workers->is_second)
        workers->turn++;
    else
        end_turns(machine);
    unsigned scheduled;
    if (workers->schedule && schedule_thread(workers->schedule, &scheduled))
        return follow_schedule(machine, scheduled, slice);
    if (!can_anyone_go(machine))
        return false;
    for (;; workers->turn++) {
        unsigned slot = (unsigned)(workers->turn % workers->count);
        const struct worker *worker = &workers->workers[slot];
        unsigned thread = is_active(worker) ? slot + 1 : 0;
        if (thread ? !is_runnable(worker) || worker->is_held : !can_supervisor_go(machine)) {
            pass(machine, thread,
                 thread && worker->state == WORKER_AT_BARRIER ? STALL_BARRIER : STALL_SYNC);
            continue;
        }
        change_thread(machine, thread);
        enum pipeline_stall stall = look(machine);
        if (stall == STALL_ALL)
            break;
        pass(machine, thread, stall);
    }
    begin_turn(machine, false, slice);
    return true;
}

/* ---- turns without changes of the hart ---- */

bool workers_can_rotate(const struct machine *machine)
{
    struct workers *workers = machine->workers;
    const struct hart *hart = &machine->hart;

    if (workers->is_paired || workers->schedule || workers->is_held || machine->keeper ||
        machine->watcher || machine->attention || machine->waiting || machine->views_stale ||
        machine->code.is_defined)
        return false;
    for (unsigned thread = 0; thread <= workers->count; thread++)
        if (thread != workers->running && !workers_is_idle(machine, thread) &&
            *privilege_of(workers, thread) != hart->privilege)
            return false;
    return true;
}

void workers_count_turns(struct machine *machine)
{
    struct workers *workers = machine->workers;

    end_turns(machine);
    workers->turn_retired = machine->hart.instret;
    workers->turn_attempts = workers->attempts;
    workers->is_begun = false;
}

bool workers_have_active(const struct machine *machine)
{
    return has_active(machine->workers);
}

unsigned workers_thread_of_turn(const struct machine *machine, uint64_t turn)
{
    const struct workers *workers = machine->workers;
    unsigned slot = (unsigned)(turn % workers->count);

    return is_active(&workers->workers[slot]) ? slot + 1 : 0;
}

struct context *workers_context_of_turn(const struct machine *machine, uint64_t turn)
{
    struct workers *workers = machine->workers;
    unsigned thread = workers_thread_of_turn(machine, turn);
    bool can_go = thread ? is_runnable(worker_of(workers, thread)) : can_supervisor_go(machine);

    return can_go ? context_of(workers, thread) : NULL;
}

/* The thread has the hart no more. */
static void put_away(struct machine *machine)
{
    struct workers *workers = machine->workers;
    unsigned thread = workers->running;

    context_save(machine, context_of(workers, thread));
    *retired_of(workers, thread) = machine->hart.instret - machine->hart.foreign;
    *privilege_of(workers, thread) = machine->hart.privilege;
}

uint64_t workers_reserved_lines(const struct machine *machine)
{
    struct workers *workers = machine->workers;
    uint64_t lines = 0;

    for (unsigned thread = 0; thread <= workers->count; thread++) {
        const struct hart *hart = &context_of(workers, thread)->hart;
        if (hart->reserved && (thread == 0 || is_active(worker_of(workers, thread))))
            lines |= hart_reserved_line(hart->reserved_address);
    }
    return lines;
}

void workers_put_away(struct machine *machine)
{
    put_away(machine);
}

void workers_take_back(struct machine *machine, uint64_t last, uint64_t turn)
{
    struct workers *workers = machine->workers;
    struct hart *hart = &machine->hart;

    for (unsigned thread = 0; thread <= workers->count; thread++) {
        struct hart *its = &context_of(workers, thread)->hart;
        *retired_of(workers, thread) += its->instret;
        hart->instret += its->instret;
        its->instret = 0;
    }
    unsigned thread = workers_thread_of_turn(machine, turn);
    context_load(machine, context_of(workers, thread), context_of(workers, workers->running));
    hart->foreign = hart->instret - *retired_of(workers, thread);
    set_running(machine, thread);
    if (last != NO_TURN)
        hart->passed = last + 1 - hart->instret;
    workers->turn = turn;
    workers->turn_retired = hart->instret;
}

void workers_stop(struct machine *machine)
{
    struct workers *workers = machine->workers;

    if (workers &&
        machine->hart.instret + workers->attempts == workers->turn_retired + workers->turn_attempts)
        workers->is_begun = false;
}

void workers_show(struct machine *machine, unsigned thread)
{
    change_thread(machine, thread);
}

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
                  : machine->workers->is_synchronizing && has_active(machine->workers);
}

void workers_attempt(struct machine *machine)
{
    if (machine->workers)
        machine->workers->attempts++;
}

/* ---- reservations ---- */

bool workers_are_reserved(const struct machine *machine)
{
    struct workers *workers = machine->workers;
    bool reserved = workers->running && workers->supervisor.hart.reserved;

    for (unsigned i = 0; i < workers->count; i++)
        reserved = reserved || (workers->running != i + 1 && is_active(&workers->workers[i]) &&
                                workers->workers[i].context.hart.reserved);
    return reserved;
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
            end_reservation(context_of(workers, thread), recorder);
}

/* ---- for reports and debuggers ---- */

bool workers_is_active(const struct machine *machine, unsigned thread)
{
    return thread ? is_active(worker_of(machine->workers, thread)) : !machine->workers->has_ended;
}

const char *workers_name(const struct machine *machine, unsigned thread)
{
    return thread ? worker_of(machine->workers, thread)->short_name : "sup";
}

uint64_t workers_pc(const struct machine *machine, unsigned thread)
{
    return machine->workers->running == thread ? machine->hart.pc
                                               : context_of(machine->workers, thread)->hart.pc;
}

const char *workers_activity(const struct machine *machine, unsigned thread)
{
    const struct workers *workers = machine->workers;

    if (!thread)
        return workers->is_synchronizing ? "waits for the workers (tsync)"
               : machine->waiting        ? "waits for an interrupt (wfi)"
               : has_slot(workers)       ? "runs"
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

/* ---- roles ---- */

static bool illegal(struct fault *fault, uint64_t word)
{
    return fault_set(fault, CAUSE_ILLEGAL_INSTRUCTION, word);
}

static bool check_supervisor(const struct machine *machine, uint64_t word, struct fault *fault)
{
    return workers_has_hart(machine) ? illegal(fault, word) : true;
}

static bool check_worker(const struct machine *machine, uint64_t word, struct fault *fault)
{
    return workers_has_hart(machine) ? true : illegal(fault, word);
}

/* ---- start ---- */

static void record_value(struct machine *machine, const char *unit, const char *name,
                         uint64_t value)
{
    if (!machine->recorder)
        return;
    struct effect *effect = recorder_add(machine->recorder, EFFECT_STATE);
    effect->unit = unit;
    effect->name = name;
    effect->number = EFFECT_NO_ROW;
    effect->value = value;
}

/* The worker's first turn is the next one of its slot. */
static void run(struct machine *machine, unsigned thread, const struct workers_owner *owner)
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

static void start(struct machine *machine, unsigned number, uint64_t entry, uint64_t argument)
{
    struct worker *worker = &machine->workers->workers[number];
    struct context *context = &worker->context;
    struct traversal_row *rows = context->rows;

    *context = (struct context){.hart = {.pc = entry, .frm = machine->hart.frm}, .rows = rows};
    for (unsigned i = 0; i < ISA_F_REGISTERS; i++)
        context->hart.f[i] = box_f32(0);
    context->hart.x[ISA_REGISTER_A0] = argument;
    context->hart.x[ISA_REGISTER_A1] = number;
    context->hart.x[ISA_REGISTER_GP] = machine->hart.x[ISA_REGISTER_GP];
    run(machine, number + 1, &(struct workers_owner){0});
    record_value(machine, worker->name, "pc", entry);
    record_value(machine, worker->name, "a0", argument);
    record_value(machine, worker->name, "a1", number);
    record_value(machine, worker->name, "gp", context->hart.x[ISA_REGISTER_GP]);
    record_value(machine, worker->name, "frm", context->hart.frm);
}

static bool can_start(const struct machine *machine, uint64_t number, struct fault *fault)
{
    const struct workers *workers = machine->workers;

    if (number >= workers->count || is_active(&workers->workers[number]))
        return fault_set(fault, CAUSE_TENSOR_CONFIGURATION, number);
    return true;
}

static bool check_entry(uint64_t entry, struct fault *fault)
{
    return entry % ISA_CODE_ALIGNMENT ? fault_set(fault, CAUSE_TENSOR_CONFIGURATION, entry) : true;
}

bool workers_start(struct machine *machine, uint64_t word, uint64_t number, uint64_t entry,
                   uint64_t argument, struct fault *fault)
{
    if (!check_supervisor(machine, word, fault) || !can_start(machine, number, fault) ||
        !check_entry(entry, fault))
        return false;
    start(machine, (unsigned)number, entry, argument);
    return true;
}

bool workers_start_all(struct machine *machine, uint64_t word, uint64_t entry, uint64_t argument,
                       uint64_t stride, struct fault *fault)
{
    if (!check_supervisor(machine, word, fault))
        return false;
    for (unsigned i = 0; i < machine->workers->count; i++)
        if (!can_start(machine, i, fault))
            return false;
    if (!check_entry(entry, fault))
        return false;
    for (unsigned i = 0; i < machine->workers->count; i++)
        start(machine, i, entry, argument + i * stride);
    return true;
}

/* ---- barrier, end ---- */

/* If all workers that run are at the barrier, their waits end. */
static void release(struct machine *machine)
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

/* The instruction is executed again in the next turn in which it need not wait. */
static bool wait_here(struct fault *fault)
{
    return fault_set(fault, CAUSE_WAIT, 0);
}

bool workers_meet(struct machine *machine, uint64_t word, struct fault *fault)
{
    if (!check_worker(machine, word, fault))
        return false;
    struct workers *workers = machine->workers;
    struct worker *worker = worker_of(workers, workers->running);
    if (!worker->is_released) {
        worker->state = WORKER_AT_BARRIER;
        release(machine);
    }
    if (!worker->is_released)
        return wait_here(fault);
    worker->is_released = false;
    return true;
}

bool workers_end(struct machine *machine, uint64_t word, uint64_t status, struct fault *fault)
{
    if (!check_worker(machine, word, fault))
        return false;
    struct workers *workers = machine->workers;
    struct worker *worker = worker_of(workers, workers->running);
    if (worker->owner.thread) /* ends by the call `exit` */
        return illegal(fault, word);
    worker->state = WORKER_IDLE;
    worker->status = status;
    machine->barrel.state.exits =
        status ? machine->barrel.state.exits | 2 : machine->barrel.state.exits & ~1u;
    record_value(machine, NULL, "exits", machine->barrel.state.exits);
    races_end(machine->races, worker->races_number);
    release(machine);
    return true;
}

void workers_fault(struct machine *machine)
{
    struct workers *workers = machine->workers;
    struct worker *worker = worker_of(workers, workers->running);

    worker->state = WORKER_FAULTED;
    worker->fault = machine->fault;
    worker->fault_pc = machine->hart.pc;
    races_end(machine->races, worker->races_number);
    release(machine);
}

bool workers_synchronize(struct machine *machine, uint64_t word, struct fault *fault)
{
    if (!check_supervisor(machine, word, fault))
        return false;
    struct workers *workers = machine->workers;
    workers->is_synchronizing = has_active(workers);
    if (workers->is_synchronizing)
        return wait_here(fault);
    for (unsigned i = 0; i < workers->count; i++)
        races_join(machine->races, workers->workers[i].races_number);
    for (unsigned i = 0; i < workers->count; i++)
        if (workers->workers[i].state == WORKER_FAULTED)
            return fault_set(fault, CAUSE_WORKER_FAULT, i);
    return true;
}

/* ---- the threads of a Linux program ---- */

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
    return context_of(machine->workers, thread);
}

void workers_set_owner(struct machine *machine, const struct workers_owner *owner)
{
    machine->workers->owner = *owner;
}

unsigned workers_begin(struct machine *machine, unsigned thread, const struct workers_owner *owner)
{
    const struct worker *worker = worker_of(machine->workers, thread);
    const struct hart *hart = &worker->context.hart;

    run(machine, thread, owner);
    record_value(machine, worker->name, "pc", hart->pc);
    record_value(machine, worker->name, "a0", hart->x[ISA_REGISTER_A0]);
    record_value(machine, worker->name, "sp", hart->x[ISA_REGISTER_SP]);
    record_value(machine, worker->name, "tp", hart->x[ISA_REGISTER_TP]);
    return worker->races_number;
}

void workers_leave(struct machine *machine)
{
    struct workers *workers = machine->workers;

    if (workers->running)
        worker_of(workers, workers->running)->state = WORKER_IDLE;
    else
        workers->has_ended = true;
    release(machine);
}

bool workers_have_started(const struct machine *machine)
{
    const struct workers *workers = machine->workers;

    for (unsigned i = 0; i < workers->count; i++)
        if (is_active(&workers->workers[i]) && !workers->workers[i].owner.thread)
            return true;
    return false;
}

/* ---- status and weights ---- */

bool workers_status(struct machine *machine, uint64_t word, uint64_t number, uint64_t field,
                    uint64_t *value, struct fault *fault)
{
    if (!check_supervisor(machine, word, fault))
        return false;
    if (number >= machine->workers->count)
        return fault_set(fault, CAUSE_TENSOR_CONFIGURATION, number);
    const struct worker *worker = &machine->workers->workers[number];
    const uint64_t fields[] = {worker->state, worker->status, worker->fault.cause, worker->fault_pc,
                               worker->fault.value};
    if (field >= sizeof fields / sizeof fields[0])
        return fault_set(fault, CAUSE_TENSOR_CONFIGURATION, field);
    *value = fields[field];
    return true;
}

static bool check_weight(const struct machine *machine, uint64_t number, struct fault *fault)
{
    return number < machine->barrel.state.place_count
               ? true
               : fault_set(fault, CAUSE_TENSOR_CONFIGURATION, number);
}

bool workers_put_weight(struct machine *machine, uint64_t word, uint64_t number, uint32_t value,
                        struct fault *fault)
{
    if (!check_supervisor(machine, word, fault) || !check_weight(machine, number, fault))
        return false;
    machine->barrel.state.place[number].shared_weight = value;
    record_value(machine, NULL, machine->workers->weights[number], value);
    return true;
}

bool workers_get_weight(const struct machine *machine, uint64_t number, uint32_t *value,
                        struct fault *fault)
{
    if (!check_weight(machine, number, fault))
        return false;
    *value = machine->barrel.state.place[number].shared_weight;
    return true;
}
