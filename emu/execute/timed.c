/* The executor of times: where nothing but the model of time observes a program, blocks run as a
 * whole in an executor of their own. A record at the entry of each counts the passage through it
 * (keeper.h). */
#include "emu/execute/executors.h"
#include "emu/keeper.h"

bool timed_suffices(const struct machine *machine)
{
    return machine->keeper && !machine->keeper->is_recorded && !machine->watcher &&
           !machine->workers && !machine->native && !machine->code.is_defined;
}

/* Returns the passage through the block from the state in which control arrived, or NULL. */
static __attribute__((noinline)) struct passage *find_passage(struct hart *hart,
                                                              struct decoded *record)
{
    struct keeper *keeper = machine_of(hart)->keeper;

    return keeper->enter(keeper, record);
}

/* Counts the passage through the block. Most blocks are entered in the same state each time. */
static struct step run_timed(STATE_PARAMETERS)
{
    struct block_times *times = &machine_of(hart)->keeper->blocks;
    struct passage *passage = (struct passage *)record->imm[0];
    const struct passage *last = times->last;

    if (__builtin_expect(!passage || passage->from != last->to[record->pc != last->end], 0)) {
        passage = find_passage(hart, record);
        if (!passage)
            return dispatch_limit(hart, record, left);
        record->imm[0] = (intptr_t)passage;
    }
    passage_count(&times->passages, passage);
    times->last = passage;
    times->left = left;
    record++;
    EXECUTE();
}

static body_function *const timed_pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(blocks_end, blocks_end, blocks_next, run_timed, blocks_end);

static const struct executor timed_executor = {.bodies = direct_bodies,
                                               .pseudo_bodies = timed_pseudo_bodies,
                                               .superinstructions = blocks_super,
                                               .whole = dispatch_whole,
                                               .evaluate = blocks_evaluate};

/* Executes blocks that are timed as a whole, as many as follow on each other. */
static void run_timed_blocks(struct machine *machine, struct decoded *record, int64_t left)
{
    struct execution *execution = &machine->execution;
    struct keeper *keeper = machine->keeper;
    uint64_t until = machine->hart.instret + (uint64_t)left;

    *execution =
        (struct execution){.fflags = &machine->hart.fflags, .left = left, .end_count = until};
    keeper->blocks.left = left;
    machine->recorder = machine->port.recorder = NULL; /* it is that of the last instruction */
    blocks_run(machine, record, left);
    uint64_t missing = until - (uint64_t)keeper->blocks.left - machine->hart.instret;
    if (missing)
        keeper->interrupt(keeper, keeper->blocks.last->block->count - (unsigned)missing,
                          execution->has_trapped, machine->hart.pc);
}

/* Executes instructions one by one that are not timed as a part of a block, at most `left`; while
 * units are at work, more than a block at once. Returns false when the run or the slice has ended.
 */
static bool observe_some(struct machine *machine, unsigned block, uint64_t left)
{
    uint64_t few = machine->keeper->blocks.last->to[0] ? block : BLOCK_LIMIT;
    uint64_t until = machine->hart.instret + (few < left ? few : left);

    return observed_run(machine, until - machine->hart.instret, &timed_executor) == RUN_SLICE &&
           machine->hart.instret == until && (machine->bare.active || !user_has_work(machine));
}

enum run_end execute_timed(struct machine *machine, uint64_t limit)
{
    const struct hart *hart = &machine->hart;
    uint64_t until = hart->instret + limit;

    blocks_begin(machine, limit, &timed_executor);
    while (hart->instret < until && !machine->attention) {
        struct decoded *record = code_find_plain(&machine->code, hart->pc);
        uint64_t before = hart->instret, left = until - before;
        run_timed_blocks(machine, record, (int64_t)left);
        if (machine->execution.end != RUN_SLICE)
            break;
        if (hart->instret == before && !machine->execution.has_trapped &&
            !observe_some(machine, record->remaining, left))
            break;
    }
    return machine->execution.end;
}
