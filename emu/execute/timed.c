/* The executor of times: where nothing but the model of time observes a program, native code counts
 * the passages through blocks (keeper.h), or blocks run as a whole in an executor of their own, in
 * which a record at the entry of each counts. */
#include "emu/execute/executors.h"
#include "emu/keeper.h"

enum { FEW = 4 }; /* instructions that are executed one by one between looks at the units */

bool timed_suffices(const struct machine *machine)
{
    return machine->keeper && !machine->keeper->is_recorded && !machine->watcher &&
           !machine->workers && !machine->code.is_defined;
}

/* Returns the passage through the block from the state in which control arrived, or NULL. */
static __attribute__((noinline)) struct passage *find_passage(struct hart *hart,
                                                              struct decoded *record)
{
    struct keeper *keeper = machine_of(hart)->keeper;
    struct timed_block *block = keeper->find_block(keeper, record + 1, record->remaining);

    return block ? keeper->enter(keeper, block) : NULL;
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

void timed_begin(struct machine *machine, uint64_t until)
{
    struct hart *hart = &machine->hart;

    machine->execution = (struct execution){
        .fflags = &hart->fflags, .left = (int64_t)(until - hart->instret), .end_count = until};
    machine->keeper->blocks.left = machine->execution.left;
}

/* The same where nothing is recorded. */
static void begin_blocks(struct machine *machine, uint64_t until)
{
    timed_begin(machine, until);
    machine->recorder = machine->port.recorder = NULL; /* it is that of the last instruction */
}

void timed_end(struct machine *machine)
{
    struct keeper *keeper = machine->keeper;
    uint64_t counted = machine->execution.end_count - (uint64_t)keeper->blocks.left,
             missing = counted - machine->hart.instret;

    if (missing)
        keeper->interrupt(keeper, keeper->blocks.last->block->count - (unsigned)missing,
                          machine->execution.has_trapped, machine->hart.pc);
}

/* Executes blocks that are timed as a whole, as many as follow on each other. */
static void run_timed_blocks(struct machine *machine, struct decoded *record, uint64_t left)
{
    begin_blocks(machine, machine->hart.instret + left);
    blocks_run(machine, record, (int64_t)left);
    timed_end(machine);
}

/* Executes native code, which counts the blocks as well, if there is some of the present
 * instruction. Returns false when the run has ended. */
static bool visit_counting(struct machine *machine, uint64_t until)
{
    if (!machine->native)
        return true;
    begin_blocks(machine, until);
    if (!native_may_visit(machine->native, machine->hart.pc))
        return true;
    bool goes_on = plain_go_native(machine, until);
    timed_end(machine);
    return goes_on;
}

/* Returns how many of the instructions that are left the interpreter executes from the record on:
 * only its block, where the next one may have native code. */
static uint64_t interpreted(const struct machine *machine, const struct decoded *record,
                            uint64_t left)
{
    return machine->native && record->remaining && record->remaining < left ? record->remaining
                                                                            : left;
}

/* Returns how many instructions of the block are executed one by one: up to the last one that
 * cannot be timed as a part of a block, or all if there is none. */
static unsigned count_single(struct keeper *keeper, const struct decoded *block)
{
    for (unsigned i = block->remaining; i > 0; i--)
        if (block[i].id < PSEUDO_FIRST && !keeper->may_skip(keeper, &block[i]))
            return i;
    return block->remaining;
}

/* Executes instructions one by one that are not timed as a part of a block, at most `left`. While
 * units are at work, it goes on with a few at a time, so that blocks are timed as a whole again
 * soon after. Returns false when the run or the slice has ended. */
static bool observe_some(struct machine *machine, const struct decoded *block, uint64_t left)
{
    struct keeper *keeper = machine->keeper;
    uint64_t end = machine->hart.instret + left, some = BLOCK_LIMIT;

    if (keeper->is_busy(keeper))
        some = FEW;
    else if (keeper->blocks.last->to[0])
        some = count_single(keeper, block);
    do {
        uint64_t rest = end - machine->hart.instret,
                 until = some < rest ? machine->hart.instret + some : end;
        if (observed_run(machine, until - machine->hart.instret, &timed_executor) != RUN_SLICE ||
            machine->hart.instret != until || (!machine->bare.active && user_has_work(machine)))
            return false;
        some = FEW;
    } while (machine->hart.instret < end && keeper->is_busy(keeper));
    return true;
}

enum run_end execute_timed(struct machine *machine, uint64_t limit)
{
    const struct hart *hart = &machine->hart;
    uint64_t until = hart->instret + limit;

    blocks_begin(machine, limit, &timed_executor);
    while (hart->instret < until && !machine->attention) {
        if (!visit_counting(machine, until) || hart->instret >= until || machine->attention)
            break;
        struct decoded *record = code_find_plain(&machine->code, hart->pc);
        uint64_t before = hart->instret, left = until - before;
        run_timed_blocks(machine, record, interpreted(machine, record, left));
        if (machine->execution.end != RUN_SLICE)
            break;
        if (hart->instret == before && !machine->execution.has_trapped &&
            !observe_some(machine, record, left))
            break;
    }
    return machine->execution.end;
}
