/* See recording_turns.h. */
#define RECORDED_FORM
#include "emu/execute/recording_turns.h"
#include "emu/execute/dispatch.h"
#include "emu/execute/recording.h"
#include "emu/execute/turns.h"
#include "emu/workers/workers.h"

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

static body_function *const pseudo_bodies[PSEUDO_COUNT] = PSEUDO_BODIES(
    recording_leave, recording_leave, recording_next_block, begin_turn, recording_leave);

const struct executor recording_turns_executor = {.pseudo_bodies = pseudo_bodies,
                                                  .whole = recording_leave,
                                                  .every = recording_leave,
                                                  .has_single_blocks = true};

/* ---- the trace ---- */

/* Appends the instructions of the log to the trace. Returns how many they are. */
static uint64_t append(const struct turns *turns, const uint64_t *log, const uint64_t *end)
{
    struct machine *machine = turns->machine;
    const struct log_step *steps = machine->recording->steps.items;
    const struct turn *turn = turns->ring;
    uint64_t first = machine->workers->turn, count = 0;

    for (; log < end; count++) {
        struct ttrace_record record = {.sequence = machine->hart.instret + count,
                                       .thread = turn->thread + 1,
                                       .turn = first + turn->distance};
        const struct log_step *step = &steps[*log++];
        const uint64_t *raised = log + step->words;
        bool has_raised = raised < end && *raised & RECORDING_RAISED;
        recording_put(machine, step, log, has_raised ? (int)*raised : -1, &record, 0);
        log = raised + has_raised;
        turn = turn->next;
        if (turn == turns->ring)
            first += machine->workers->count;
    }
    return count;
}

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
    uint64_t executed = 0;
    if (is_known) {
        run(turns, record, limit < RECORDING_SLICE ? limit : RECORDING_SLICE);
        executed = append(turns, recording->log, recording->end);
    }
    leave_blocks(turns);
    turns_end(turns, executed);
    return is_known && !recording->record;
}
