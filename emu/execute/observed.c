/* The observed executor: runs the whole forms of bodies, and reports each instruction to observe.h.
 */
#include "emu/execute/executors.h"
#include "emu/keeper.h"
#include "emu/observe/observe.h"
#include "emu/observe/watch.h"

/* With breakpoints, native code has instructions executed by functions, too. */
static const struct executor observed_executor = {.evaluate = blocks_evaluate};

bool observed_skip(struct machine *machine, struct decoded **record)
{
    struct decoded *at = *record;

    if (at->id == PSEUDO_STALE)
        *record = code_find(&machine->code, at->pc);
    else if (at->id == PSEUDO_ENTRY)
        *record = at + 1;
    else if (code_is_terminator(at))
        *record = at->chain ? at->chain : code_follow(&machine->code, at, code_pc(at));
    else
        return false;
    return true;
}

/* Did control go elsewhere than to the next instruction? A jump to that one is a jump, too. */
static bool has_turned(const struct execution *execution, enum flow flow)
{
    const struct observed *observed = execution->observed;

    return flow == FLOW_FIXED || flow == FLOW_TARGET ||
           (flow == FLOW_LEAVE &&
            execution->destination != observed->record.pc + observed->record.length);
}

/* Returns the record after the instruction, or NULL when the run has ended. */
static inline __attribute__((always_inline)) struct decoded *observe_one(struct machine *machine,
                                                                         struct decoded *record)
{
    struct execution *execution = &machine->execution;
    struct hart *hart = &machine->hart;
    struct observed *observed = execution->observed;

    observed->record.pc = code_pc(record);
    observed->record.word = code_word(&machine->code, record);
    observed->record.length = record->length;
    observed->record.privilege = (uint8_t)hart->privilege;
    observed->raised = 0;
    observed->id = record->id;
    observed->has_turned = false;
    if (machine->keeper)
        machine->keeper->before(machine->keeper, machine, record);
    execution->left--;
    enum flow flow = dispatch_flow(machine, record);
    if (flow <= FLOW_LEAVE) {
        observed->has_turned = has_turned(execution, flow);
        hart->instret = execution->end_count - (uint64_t)execution->left - 1;
        observe_end(machine, observed, NULL);
    }
    if (flow == FLOW_NEXT)
        return record + 1;
    if (flow > FLOW_TARGET && !dispatch_settle(machine, record, flow))
        return NULL;
    struct decoded **link = code_link(record);
    return link && *link && (*link)->pc == execution->destination
               ? *link
               : code_follow(&machine->code, record, execution->destination);
}

struct decoded *observed_step(struct machine *machine, struct decoded *record)
{
    return observe_one(machine, record);
}

enum run_end observed_run(struct machine *machine, uint64_t limit, const struct executor *executor)
{
    struct execution *execution = &machine->execution;
    struct hart *hart = &machine->hart;
    struct observed observed = {.record.flags = machine->bare.active ? TTRACE_BARE : 0,
                                .record.recorder = machine->recorder};

    blocks_begin(machine, limit, executor);
    execution->observed = &observed;
    execution->fflags = &observed.raised;
    struct decoded *record = code_find(&machine->code, hart->pc);
    for (;;) {
        if (record->id >= PSEUDO_FIRST && observed_skip(machine, &record))
            continue;
        bool is_over = execution->left <= 0 || machine->attention;
        if (is_over || (machine->watcher && watcher_holds(machine->watcher, code_pc(record)))) {
            hart->pc = code_pc(record);
            hart->instret = execution->end_count - (uint64_t)execution->left;
            return is_over ? RUN_SLICE : RUN_HELD;
        }
        record = observe_one(machine, record);
        if (!record)
            return execution->end;
    }
}

enum run_end execute_observed(struct machine *machine, uint64_t limit)
{
    return observed_run(machine, limit, &observed_executor);
}

/* ---- with breakpoints ---- */

bool held_suffices(const struct machine *machine)
{
    const struct watcher *watcher = machine->watcher;

    return watcher && watcher->count && !watcher->watchpoints && machine->native &&
           !machine->keeper && !machine->recorder && !machine->workers;
}

/* Executes native code from the present instruction on, if there is some. Returns false when the
 * run has ended. */
static bool visit_held(struct machine *machine, uint64_t until)
{
    blocks_begin(machine, until - machine->hart.instret, &observed_executor);
    return !native_may_visit(machine->native, machine->hart.pc) || plain_go_native(machine, until);
}

enum run_end execute_held(struct machine *machine, uint64_t limit)
{
    const struct hart *hart = &machine->hart;
    uint64_t until = hart->instret + limit;

    while (hart->instret < until && !machine->attention) {
        if (!visit_held(machine, until))
            return machine->execution.end;
        if (hart->instret >= until || machine->attention)
            break;
        uint64_t before = hart->instret, left = until - before,
                 block = code_find_plain(&machine->code, hart->pc)->remaining,
                 few = block && block < left ? block : left;
        enum run_end end = observed_run(machine, few, &observed_executor);
        if (end != RUN_SLICE || hart->instret != before + few)
            return end;
        if (!machine->bare.active && user_has_work(machine))
            break;
    }
    return RUN_SLICE;
}
