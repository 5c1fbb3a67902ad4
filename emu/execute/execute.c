/* Runs the machine: divides the run into slices, lets the environment do its work between them, and
 * chooses the executor of each. See execute.h. */
#include "emu/execute/execute.h"
#include "emu/execute/executors.h"
#include "emu/execute/paired_turns.h"
#include "emu/execute/profiled_turns.h"
#include "emu/execute/recording_turns.h"
#include "emu/execute/timed_turns.h"
#include "emu/execute/turns.h"
#include "emu/keeper.h"
#include "emu/observe/observe.h"
#include "emu/observe/watch.h"
#include "emu/progress.h"
#include "emu/trace/trace.h"
#include "emu/user/thread.h"
#include "emu/workers/workers.h"

enum {
    SLICE = 1 << 18, /* instructions between two checks of the deadline, if they are interpreted, */
    TURNS = 32,      /* and turns of threads */
};

/* More than a run has. */
#define ENDLESS ((uint64_t)1 << 60)

/* Executes the slice in the plain executor. The end of a turn is exact, so its last instructions
 * follow at once. */
static enum run_end execute_slice(struct machine *machine, uint64_t slice)
{
    uint64_t until = machine->hart.instret + slice;

    if (slice >= BLOCK_LIMIT) {
        enum run_end end = execute_plain(machine, slice);
        slice = until - machine->hart.instret;
        if (end != RUN_SLICE || slice == 0 || slice >= BLOCK_LIMIT || machine->bare.active ||
            !user_has_turns(machine) || user_has_work(machine))
            return end;
    }
    return execute_few(machine, slice);
}

/* Must the observed executor run? Stops recording when nobody needs it any more, e.g. after the
 * trace has reached its limit. */
static bool is_watched(struct machine *machine)
{
    const struct watcher *watcher = machine->watcher;
    bool recorded = machine->stats || machine->profile || machine->races ||
                    (machine->trace && !trace_finished(machine->trace)) ||
                    (watcher && watcher->watchpoints);

    if (machine->keeper)
        machine->keeper->is_recorded = recorded;
    else if (!recorded)
        machine->recorder = machine->port.recorder = NULL;
    return recorded || machine->keeper || (watcher && watcher->count);
}

/* Is the program in an endless loop that no interrupt can end? This is a jump to itself in the bare
 * environment, which is not native code. Looks for it at certain counts of instructions only, where
 * slices end, so that the count at the end does not depend on when native code was left. */
static bool is_stuck(struct machine *machine)
{
    const struct hart before = machine->hart;

    if (machine->workers && workers_have_active(machine))
        return false;
    return machine->bare.active && before.instret % SLICE == 0 && !machine->attention &&
           bare_is_stuck(machine) && code_find_plain(&machine->code, before.pc)->remaining == 1 &&
           execute_observed(machine, 1) == RUN_SLICE && machine->hart.pc == before.pc &&
           machine->hart.instret == before.instret + 1 && !machine->attention;
}

/* Lets the user environment do its work before the next instruction. */
static enum run_end prepare_user(struct machine *machine, uint64_t *slice)
{
    enum user_next next = user_prepare(machine, slice);

    return next == USER_RUNS     ? RUN_SLICE
           : next == USER_HELD   ? RUN_HELD
           : next == USER_PASSES ? RUN_PASSED
                                 : RUN_EXIT;
}

/* Executes the slice, and then turns of other threads, for about as long as a slice of the
 * interpreter. So what has nothing to do with threads is looked at as often as with one thread. */
static enum run_end execute_turns(struct machine *machine, uint64_t slice,
                                  uint64_t max_instructions)
{
    const struct hart *hart = &machine->hart;
    uint64_t until = hart->instret + SLICE;
    enum run_end end = RUN_SLICE;

    if (max_instructions && max_instructions < until)
        until = max_instructions;
    for (unsigned turns = 0; end == RUN_SLICE && turns < TURNS; turns++) {
        end = execute_slice(machine, slice);
        if (end != RUN_SLICE || hart->instret >= until || machine->user.exited)
            return end;
        slice = until - hart->instret;
        end = prepare_user(machine, &slice);
    }
    return end;
}

/* Gives the hart to the thread of a barrel that has the next turn. If all wait, time passes until
 * one can go. Returns false when none ever can. */
static bool take_turn(struct machine *machine, uint64_t *slice)
{
    const struct user *user = &machine->user;

    if (user->is_threaded)
        user_wake_expired(machine);
    while (!workers_take_turn(machine, slice))
        if (!user->is_threaded || !user_pass_time(machine))
            return false;
    return true;
}

enum run_end machine_step(struct machine *machine)
{
    uint64_t slice = 1;

    if (machine->workers && !take_turn(machine, &slice))
        return RUN_HELD;
    if (machine->bare.active && !bare_prepare(machine, &slice, false))
        return RUN_IDLE;
    if (!machine->bare.active && user_has_turns(machine)) {
        enum run_end before = prepare_user(machine, &slice);
        if (before != RUN_SLICE || user_signal_is_held(machine))
            return before;
    }
    enum run_end end = execute_observed(machine, slice);
    return machine->user.exited && end == RUN_SLICE ? RUN_EXIT : end;
}

/* Lets the environment do its work before the next instruction, and shortens *slice to end where it
 * has work again. Returns RUN_SLICE when the run goes on. */
static enum run_end prepare(struct machine *machine, uint64_t *slice)
{
    if (machine->bare.active)
        return bare_prepare(machine, slice, !workers_has_hart(machine) && !workers_pair(machine))
                   ? RUN_SLICE
                   : RUN_IDLE;
    return prepare_user(machine, slice);
}

/* Does nothing but the model of time look at the turns of a barrel? */
static bool is_only_timed(const struct machine *machine)
{
    return machine->workers && machine->keeper && !machine->keeper->is_recorded;
}

/* Does nothing but a profile or statistics, and maybe the model of time, look at the turns of a
 * barrel? */
static bool is_only_profiled(const struct machine *machine)
{
    return machine->workers && profiled_is_enough(machine);
}

/* Executes instructions one by one. In a barrel, turns that need not be looked at may come after
 * them. */
static enum run_end observe(struct machine *machine, uint64_t slice)
{
    return is_only_timed(machine)      ? observed_run(machine, slice, &timed_turns_executor)
           : is_only_profiled(machine) ? observed_run(machine, slice, &profiled_turns_executor)
                                       : execute_observed(machine, slice);
}

/* Executes the turn of a thread while another one has a reservation, and nothing else is recorded.
 */
static enum run_end execute_reserved(struct machine *machine)
{
    struct recorder *const recorder = &machine->workers->recorder;

    machine->recorder = machine->port.recorder = recorder;
    enum run_end end = execute_few(machine, 1);
    workers_end_reservations(machine, recorder);
    recorder_clear(recorder);
    machine->recorder = machine->port.recorder = NULL;
    return end;
}

/* The same in the observed executor. */
static enum run_end observe_reserved(struct machine *machine)
{
    struct recorder *const recorder = machine->recorder;
    struct keeper *keeper = machine->keeper;

    if (!recorder || (keeper && !keeper->is_recorded))
        machine->recorder = machine->port.recorder = &machine->workers->recorder;
    if (keeper)
        keeper->is_recorded = true; /* until is_watched */
    enum run_end end = observe(machine, 1);
    machine->recorder = machine->port.recorder = recorder;
    return end;
}

/* Executes turns of the barrel for as long as none needs the machine's hart. Returns whether it
 * executed all that the slice has. */
static bool take_turns(struct machine *machine, uint64_t slice)
{
    if (!is_watched(machine))
        return machine->workers->is_paired ? paired_turns_run(machine, slice)
                                           : turns_run(machine, slice);
    if (is_only_timed(machine))
        return timed_turns_run(machine, slice);
    if (is_only_profiled(machine))
        return profiled_turns_run(machine, slice);
    if (machine->workers->is_paired)
        return false; /* otherwise turns that two instructions share are observed */
    return observe_only_traces(machine) && recording_turns_run(machine, slice);
}

/* Makes *slice short enough for the interpreter. Returns how many instructions more native code may
 * execute. In the bare environment, slices end where is_stuck looks, unless native code begins
 * there. */
static uint64_t shorten(const struct machine *machine, uint64_t *slice)
{
    uint64_t whole = *slice, since = machine->bare.active ? machine->hart.instret % SLICE : 0;

    if (whole <= SLICE - since)
        return 0;
    *slice = SLICE - since;
    return since ? 0 : whole - *slice;
}

/* Returns how many instructions may run, at most `slice`. 0: the limit is reached. */
static uint64_t limited(const struct machine *machine, uint64_t max_instructions, uint64_t slice)
{
    uint64_t left = max_instructions - machine->hart.instret;

    return max_instructions && left < slice ? left : slice;
}

/* Updates the line of progress and checks the deadline. Returns RUN_SLICE when the run goes on. */
static enum run_end look(struct machine *machine)
{
    if (machine->progress)
        machine->progress->look(machine->progress);
    return machine_expired(machine) ? RUN_STOPPED : RUN_SLICE;
}

/* No thread of the barrel can go on: the program ends, unless the debugger holds one of them. */
static enum run_end end_without_turn(struct machine *machine)
{
    if (workers_are_held(machine))
        return RUN_HELD;
    machine->user.exited = machine->user.stuck = true;
    machine->user.status = USER_STUCK_STATUS;
    return RUN_EXIT;
}

/* Does the debugger wait for the worker, or for the thread, that goes on now? */
static bool worker_is_awaited(struct machine *machine)
{
    const struct watcher *watcher = machine->watcher;

    return watcher && watcher->awaits_worker && watcher->awaited_worker == workers_self(machine);
}

static bool thread_is_awaited(const struct machine *machine)
{
    const struct watcher *watcher = machine->watcher;

    return watcher && watcher->awaited && watcher->awaited == machine->user.thread;
}

/* Finds out which thread has the next turn, and lets the environment do its work before the turn.
 * Returns RUN_SLICE when the machine's hart may execute the next *slice instructions. */
static enum run_end begin_slice(struct machine *machine, uint64_t max_instructions, uint64_t *slice)
{
    *slice = limited(machine, max_instructions, machine->workers ? SLICE : ENDLESS);
    if (*slice == 0)
        return RUN_LIMIT;
    if (machine->workers && !take_turn(machine, slice))
        return end_without_turn(machine);
    if (worker_is_awaited(machine)) {
        workers_stop(machine);
        return RUN_HELD;
    }
    enum run_end before = prepare(machine, slice);
    if (before != RUN_SLICE)
        return before;
    return user_signal_is_held(machine) || thread_is_awaited(machine) ? RUN_HELD : RUN_SLICE;
}

/* Executes the slice by the executor that does what is wanted and no more. *sampled is the count of
 * instructions at the last look at the registers that native code uses. */
static enum run_end execute(struct machine *machine, uint64_t slice, uint64_t max_instructions,
                            uint64_t *sampled)
{
    const struct hart *hart = &machine->hart;

    if (machine->workers && observe_only_traces(machine)) /* the next one may be known */
        slice = 1;
    uint64_t rest = shorten(machine, &slice);
    bool plain = !is_watched(machine);
    bool is_native = machine->native && (plain || profiled_suffices(machine) ||
                                         timed_suffices(machine) || held_suffices(machine));
    if (machine->native)
        native_run_ahead(machine->native, machine->watcher ? 0 : rest);
    if (is_native && !turns_are_running(machine) &&
        hart->instret - *sampled >= SLICE - BLOCK_LIMIT) {
        *sampled = hart->instret;
        native_look(machine->native, hart->pc);
    }
    bool only_traces = !plain && observe_only_traces(machine);
    if (!only_traces && machine->workers && workers_are_reserved(machine))
        return plain ? execute_reserved(machine) : observe_reserved(machine);
    if (plain && user_has_turns(machine) && rest == 0 && !machine->watcher && !machine->workers)
        return execute_turns(machine, slice, max_instructions);
    return plain                        ? execute_slice(machine, slice)
           : profiled_suffices(machine) ? execute_profiled(machine, slice)
           : timed_suffices(machine)    ? execute_timed(machine, slice)
           : held_suffices(machine)     ? execute_held(machine, slice)
           : only_traces                ? execute_recorded(machine, slice)
                                        : observe(machine, slice);
}

/* Does what follows a slice, whose executor has returned `end`. Returns RUN_SLICE when the run goes
 * on. */
static enum run_end end_slice(struct machine *machine, uint64_t max_instructions, enum run_end end)
{
    if (end == RUN_SLICE && machine->hart.instret != max_instructions && is_stuck(machine))
        return RUN_IDLE;
    if (machine->user.exited)
        return RUN_EXIT;
    if (end == RUN_PASSED)
        return end;
    if (end == RUN_HELD) {
        workers_stop(machine);
        return end;
    }
    /* A debugger sees the fault before the program's handler. In the bare environment, RUN_FAULT
     * means that there is no handler. */
    if (end == RUN_FAULT && (machine->watcher || machine->bare.active || !user_fault(machine)))
        return end;
    return look(machine);
}

static enum run_end run(struct machine *machine, uint64_t max_instructions)
{
    uint64_t sampled = machine->hart.instret - SLICE, slice;
    enum run_end end;

    do {
        slice = limited(machine, max_instructions, SLICE);
        if (slice == 0)
            return RUN_LIMIT;
        if (machine->watcher && watcher_interrupted(machine->watcher))
            return RUN_HELD;
        if (machine->workers && take_turns(machine, slice)) {
            end = look(machine);
            continue;
        }
        end = begin_slice(machine, max_instructions, &slice);
        if (end == RUN_SLICE)
            end = end_slice(machine, max_instructions,
                            execute(machine, slice, max_instructions, &sampled));
    } while (end == RUN_SLICE);
    return end;
}

enum run_end machine_run(struct machine *machine, uint64_t max_instructions)
{
    enum run_end end = run(machine, max_instructions);

    if (end != RUN_PASSED)
        memory_end_mirror(&machine->memory); /* reports look at all pages */
    return end;
}
