/* See recording_turns.h. */
#define RECORDED_FORM
#include "emu/execute/recording_turns.h"
#include "emu/execute/dispatch.h"
#include "emu/execute/recording.h"
#include "emu/execute/turn_counts.h"
#include "emu/execute/turns.h"
#include "emu/trace/trace.h"
#include "emu/workers/workers.h"
#include "isa_ids.h"

/* ---- bodies ---- */

/* The entry of the block that the thread goes on with, after ENTER has put a place that is not
 * kept: the thread of the next turn goes on. */
static struct step begin_turn(STATE_PARAMETERS)
{
    struct turns *turns = hart->barrel->workers->turns;
    const struct turn *turn = turns->next;

    hart->next = record + 1;
    hart = turns->hart = turn->hart;
    turns->next = turn->next;
    record = hart->next;
    target -= sizeof(uint64_t);
    BEGIN_BLOCK();
    GO_ON();
}

/* ---- the trace ---- */

/* Appends the first instruction of the log, which has raised these flags; -1: none. */
static void append_turn(struct machine *machine, const struct log_step *step, const uint64_t *log,
                        int flags, const struct trace_start *start)
{
    struct ttrace_record record = {
        .sequence = start->sequence, .thread = start->thread, .turn = start->turn};

    if (flags >= 0 || trace_is_direct(machine->trace))
        recording_put(machine, step, log + 1, flags, &record, 0);
    else
        trace_log(machine->trace, &machine->recording->steps, start, 1, log, machine->recorder);
}

/* Appends the instructions of the log to the trace. */
static void append(struct turns *turns, const uint64_t *log, const uint64_t *end)
{
    struct machine *machine = turns->machine;
    const struct log_steps *steps = &machine->recording->steps;
    uint64_t number = turns->rounds.executed;
    const struct turn *turn = &turns->ring[number % turns->count];
    uint64_t first = turn_counts_turn(turns, number) - turn->distance;

    for (; log < end; number++) {
        const struct log_step *step = &steps->items[*log];
        const uint64_t *raised = log + 1 + step->words;
        bool has_raised = raised < end && *raised & RECORDING_RAISED;
        append_turn(machine, step, log, has_raised ? (int)*raised : -1,
                    &(struct trace_start){.sequence = machine->hart.instret + number,
                                          .thread = turn->thread + 1,
                                          .turn = first + turn->distance});
        log = raised + has_raised;
        turn = turn->next;
        if (turn == turns->ring)
            first += machine->workers->count;
    }
    turns->rounds.executed = number;
}

/* Appends an instruction that the machine has executed, and learns from it. */
static void append_lent(const struct turns *turns, struct decoded *record,
                        struct observed *observed)
{
    struct machine *machine = turns->machine;
    uint64_t number = turns->rounds.executed;

    if (observed->raised)
        observe_csr(machine, ISA_CSR_FFLAGS, machine->hart.fflags);
    observed->record.sequence = machine->hart.instret + number;
    observed->record.thread = observe_thread(machine);
    observed->record.turn = turn_counts_turn(turns, number);
    observe_record(machine, &observed->record);
    if (record->id == observed->id)
        recording_learn(machine, record, observed);
}

static const struct turns_observer observer = {.lent = append_lent};

/* ---- instructions that the machine executes ---- */

/* The log before the instruction is appended, and the log begins anew after it. */
static struct step lend(STATE_PARAMETERS)
{
    struct machine *machine = hart->barrel;
    struct turns *turns = machine->workers->turns;
    struct recording *recording = machine->recording;

    if (!lend_is_possible(machine, record))
        return recording_leave(STATE_WITH(target));
    append(turns, recording->log, (uint64_t *)target - 1); /* without the place of this one */
    recording_place(machine, record);
    enum lent lent = lend_hart(hart, record, turns->rounds.executed);
    target = (uint64_t)&recording->log[lent == LENT_REFUSED];
    if (lent == LENT_REFUSED)
        return recording_leave(STATE_WITH(target));
    turns->rounds.executed++;
    record++;
    if (lent == LENT_LAST) {
        END_RUN();
        return dispatch_leave(hart, code_pc(record), left);
    }
    GO_ON();
}

static body_function *const pseudo_bodies[PSEUDO_COUNT] = PSEUDO_BODIES(
    recording_leave, recording_leave, recording_next_block, begin_turn, recording_leave);

const struct executor recording_turns_executor = {
    .pseudo_bodies = pseudo_bodies, .whole = lend, .every = lend, .has_single_blocks = true};

/* ---- runs ---- */

/* Each thread enters its block. */
static void enter_blocks(struct turns *turns)
{
    struct machine *machine = turns->machine;

    for (unsigned i = 0; i < turns->count; i++) {
        struct hart *hart = turns->ring[i].hart;
        struct decoded *record = code_find_plain(&machine->code, hart->pc);
        hart->barrel = machine;
        hart->recording = machine->recording;
        hart->next = record->id == PSEUDO_ENTRY ? record + 1 : record;
    }
}

/* The threads stand at their pc again. */
static void leave_blocks(struct turns *turns)
{
    for (unsigned i = 0; i < turns->count; i++) {
        struct hart *hart = turns->ring[i].hart;
        if (hart->next)
            hart->pc = code_pc(hart->next);
        hart->next = NULL;
    }
}

/* Executes the turns from the record on, which is that of the first one. */
static void run(struct turns *turns, struct decoded *record, uint64_t limit)
{
    struct machine *machine = turns->machine;
    struct recording *recording = machine->recording;
    const struct memory *memory = &machine->memory;
    /* Entries count the instruction before them. */
    struct step step = {record, (int64_t)limit - 1};

    turns->hart = turns->ring->hart;
    turns->next = turns->ring->next;
    recording->record = NULL;
    recording->log[0] = recording_place_of(record);
    recording->end = &recording->log[1];
    while (step.record)
        step = dispatch_call(step.record, step.left, turns->hart, (uint64_t)recording->end,
                             memory->host, memory->fast);
    if (recording->record)
        recording->end--; /* the place of the instruction that was not executed */
    append(turns, recording->log, recording->end);
}

bool recording_turns_run(struct machine *machine, uint64_t limit)
{
    limit--;
    if (machine->recorder->count || !turns_are_possible(machine, &limit))
        return false;
    struct turns *turns = turns_begin(machine, &recording_turns_executor);
    if (!turns)
        return false;
    recording_begin(machine);
    struct recording *recording = machine->recording;
    enter_blocks(turns);
    struct decoded *record = turns->ring->hart->next;
    bool is_known = limit && recording_knows(record);
    turns->observer = &observer;
    turns->rounds.executed = 0;
    if (is_known)
        run(turns, record, limit < RECORDING_SLICE ? limit : RECORDING_SLICE);
    leave_blocks(turns);
    turns_end(turns, turns->rounds.executed);
    return is_known && !recording->record;
}
