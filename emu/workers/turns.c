/* Whose turn is it? See workers.h. */
#include "emu/keeper.h"
#include "emu/workers/parts.h"
#include "lib/bundle.h"
#include "lib/isa.h"

/* ---- who can go ---- */

/* Can a worker execute an instruction in its next turn? */
static bool has_runnable(const struct workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        if (worker_is_runnable(&workers->workers[i]))
            return true;
    return false;
}

/* The same, without the workers that the debugger holds. */
static bool has_free(const struct workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        if (worker_is_runnable(&workers->workers[i]) && !workers->workers[i].is_held)
            return true;
    return false;
}

/* Can the supervisor execute an instruction now? After a wfi it waits for an interrupt while
 * workers run; without them, the environment goes on to the time of the interrupt. */
static bool can_supervise(const struct machine *machine)
{
    const struct workers *workers = machine->workers;

    if (workers->has_ended || owner_is_waiting(&workers->owner))
        return false;
    if (workers->is_synchronizing)
        return !workers_any_active(workers);
    if (machine->waiting && has_runnable(workers))
        return machine->environment->pending(machine) & machine->hart.mie;
    return true;
}

static bool can_supervisor_go(const struct machine *machine)
{
    return !machine->workers->is_held && can_supervise(machine);
}

/* Is one turn of each slot without an instruction enough to know that none will come? */
static bool can_anyone_go(const struct machine *machine)
{
    const struct workers *workers = machine->workers;

    return has_free(workers) || (workers_any_slot(workers) && can_supervisor_go(machine));
}

bool workers_are_held(const struct machine *machine)
{
    const struct workers *workers = machine->workers;

    if (workers->schedule && workers->schedule->has_failed)
        return false;
    return has_runnable(workers) || (workers_any_slot(workers) && can_supervise(machine));
}

/* ---- turns ---- */

uint64_t workers_turn(const struct machine *machine)
{
    return machine->workers ? machine->workers->turn : 0;
}

void workers_attempt(struct machine *machine)
{
    if (machine->workers)
        machine->workers->attempts++;
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

void workers_stop(struct machine *machine)
{
    struct workers *workers = machine->workers;

    if (workers &&
        machine->hart.instret + workers->attempts == workers->turn_retired + workers->turn_attempts)
        workers->is_begun = false;
}

struct workers_instruction workers_instruction_of(const struct code *code,
                                                  const struct decoded *record)
{
    uint64_t word = code_word(code, record);

    if (record->length == 2 && record->id < PSEUDO_FIRST)
        isa_expand(isa_decode_enabled(word, record->length, code->extensions), &word);
    return (struct workers_instruction){record->id, code_pc(record), word};
}

/* Decodes the instruction at the pc. The id is that of no instruction if there is none. */
static struct workers_instruction decode(struct machine *machine)
{
    struct decoded record = {0};

    code_decode(&machine->code, &record, machine->hart.pc);
    return workers_instruction_of(&machine->code, &record);
}

bool workers_are_bundle(const struct workers_instruction *first,
                        const struct workers_instruction *second)
{
    return first->id < PSEUDO_FIRST && second->id < PSEUDO_FIRST &&
           bundle_check(&isa_instructions[first->id], first->word, &isa_instructions[second->id],
                        second->word, NULL) == BUNDLE_POSSIBLE;
}

/* Does the instruction at the pc share the turn of the one that was just executed? */
static bool find_second(struct machine *machine)
{
    struct workers *workers = machine->workers;

    if (!workers->is_paired || workers->is_second || !workers->is_begun ||
        machine->hart.instret != workers->turn_retired + 1)
        return false;
    const struct workers_instruction second = decode(machine);
    return workers_are_bundle(&workers->first, &second) && look(machine) == STALL_ALL;
}

/* Ends the turn of the last slice, if it had one. */
static void close_turn(struct machine *machine)
{
    if (machine->workers->is_second)
        machine->workers->turn++;
    else
        end_turns(machine);
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
    if (workers->is_paired || machine->keeper || workers_any_active(workers))
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
    bool can_go =
        thread ? worker_is_runnable(worker_of(workers, thread)) : can_supervisor_go(machine);

    if (!can_go) {
        workers->schedule->has_failed = true;
        return false;
    }
    schedule_take(workers->schedule);
    workers_give_hart(machine, thread);
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
    close_turn(machine);
    unsigned scheduled;
    if (workers->schedule && schedule_thread(workers->schedule, &scheduled))
        return follow_schedule(machine, scheduled, slice);
    if (!can_anyone_go(machine))
        return false;
    for (;; workers->turn++) {
        unsigned slot = (unsigned)(workers->turn % workers->count);
        const struct worker *worker = &workers->workers[slot];
        unsigned thread = worker_is_active(worker) ? slot + 1 : 0;
        if (thread ? !worker_is_runnable(worker) || worker->is_held : !can_supervisor_go(machine)) {
            pass(machine, thread,
                 thread && worker->state == WORKER_AT_BARRIER ? STALL_BARRIER : STALL_SYNC);
            continue;
        }
        workers_give_hart(machine, thread);
        enum pipeline_stall stall = look(machine);
        if (stall == STALL_ALL)
            break;
        pass(machine, thread, stall);
    }
    begin_turn(machine, false, slice);
    return true;
}

/* ---- turns without changes of the hart ---- */

bool workers_can_rotate(struct machine *machine)
{
    struct workers *workers = machine->workers;
    const struct hart *hart = &machine->hart;

    if (workers->schedule || workers->is_held || machine->watcher || machine->attention ||
        machine->waiting || machine->views_stale || machine->code.is_defined)
        return false;
    for (unsigned thread = 0; thread <= workers->count; thread++)
        if (thread != workers->running && !workers_is_idle(machine, thread) &&
            workers_privilege(machine, thread) != hart->privilege)
            return false;
    return !workers->is_paired || !(is_interrupted(workers) || find_second(machine));
}

void workers_count_turns(struct machine *machine)
{
    struct workers *workers = machine->workers;

    close_turn(machine);
    workers->turn_retired = machine->hart.instret;
    workers->turn_attempts = workers->attempts;
    workers->is_begun = workers->is_second = false;
}

void workers_open_turn(struct machine *machine, const struct workers_instruction *first)
{
    struct workers *workers = machine->workers;

    workers->turn_retired = machine->hart.instret - 1;
    workers->is_begun = true;
    workers->first = *first;
}

bool workers_have_active(const struct machine *machine)
{
    return workers_any_active(machine->workers);
}

struct context *workers_context_of_turn(const struct machine *machine, uint64_t turn)
{
    struct workers *workers = machine->workers;
    unsigned thread = workers_thread_of_turn(machine, turn);
    bool can_go =
        thread ? worker_is_runnable(worker_of(workers, thread)) : can_supervisor_go(machine);

    return can_go ? workers_context(machine, thread) : NULL;
}
