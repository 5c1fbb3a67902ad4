/* See uneven_turns.h. */
#include "emu/execute/uneven_turns.h"
#include "emu/execute/bundles.h"
#include "emu/execute/dispatch.h"
#include "emu/keeper.h"
#include "emu/workers/workers.h"

enum { CALM = 1024 /* so many turns without an instruction that takes long end the run */ };

/* Finds the next turn of a thread in the ring. */
static void step(const struct turns *turns, struct uneven_turn *uneven)
{
    unsigned before = uneven->turn->distance, slots = (unsigned)turns->machine->workers->count;

    uneven->turn = uneven->turn->next;
    unsigned distance = uneven->turn->distance;
    uneven->number += distance > before ? distance - before : distance + slots - before;
}

/* Goes on to the next turn. */
static void advance(struct turns *turns, struct uneven_turn *uneven)
{
    step(turns, uneven);
    turns->rounds.turns++;
}

/* The model gets to know of the instructions that the thread, which is at `pc`, has executed
 * without it. */
static void tell_quick(struct keeper *keeper, struct turn *turn, uint64_t pc)
{
    if (turn->quick)
        keeper->rotate(keeper, turn->thread, turn->quick, turn->shared, turn->last, pc);
    turn->quick = turn->shared = 0;
}

/* The same for one that it had to look at. The thread goes on at `pc`. */
static __attribute__((noinline)) void tell_slow(const struct turns *turns, uint64_t pc)
{
    const struct uneven_turn *uneven = &turns->uneven;
    struct keeper *keeper = turns->machine->keeper;
    struct turn *turn = uneven->turn;

    keeper->issue(keeper, turn->thread, uneven->block, uneven->index, uneven->number, pc);
    if (turn->thread || !turns->has_slots)
        turn->settled = keeper->settled(keeper, turn->thread, uneven->number, pc);
}

/* Tells the model of the instruction that was executed. */
static void tell_model(const struct turns *turns, struct uneven_turn *uneven)
{
    struct turn *turn = uneven->turn;
    const struct hart *hart = turn->hart;

    if (uneven->is_quick) {
        uneven->block->single[uneven->index]++;
        uneven->block->second[uneven->index] += uneven->is_second;
        turn->quick++;
        turn->shared += uneven->is_second;
        turn->last = uneven->number;
    } else {
        tell_slow(turns, hart->next ? code_pc(hart->next) : hart->pc);
    }
}

/* The instruction of the turn was executed. */
static void tell(struct turns *turns, struct uneven_turn *uneven)
{
    if (turns->machine->keeper)
        tell_model(turns, uneven);
    if (turns->observer->after)
        turns->observer->after(uneven->turn->hart, uneven->number);
    uneven->turn->executed++;
    uneven->is_begun = uneven->is_second = false;
    uneven->last = uneven->number;
    if (!uneven->is_open)
        advance(turns, uneven);
}

/* Returns the instruction of the thread. NULL: the run has to end before it. */
static struct decoded *enter(const struct turns *turns, struct hart *hart, int64_t *left)
{
    struct machine *machine = turns->machine;
    struct decoded *record = hart->next;

    if (code_is_terminator(record)) {
        struct decoded *next = record->chain;
        if (!next && (machine->attention || code_is_full(&machine->code)))
            return NULL;
        if (!next)
            next = code_follow(&machine->code, record, code_pc(record));
        if (*left < next->remaining)
            return NULL;
        *left -= next->remaining;
        record = hart->next = next;
    }
    if (record->id == PSEUDO_ENTRY) {
        bool is_known = turns->uneven.begin_block(hart, record);
        hart->next = ++record;
        hart->is_refused = !is_known;
        if (!is_known)
            return NULL;
    }
    return record->id < PSEUDO_FIRST ? record : NULL;
}

/* May the run go on after a turn in which the instruction does not take long? */
static bool goes_on(const struct turns *turns, struct uneven_turn *uneven)
{
    bool is_lasting = uneven->is_paired || turns->machine->profile || turns->has_slots;

    if (is_lasting || uneven->index >= uneven->block->able)
        uneven->calm = CALM;
    return uneven->calm-- > 0;
}

/* Returns why the thread cannot execute the instruction in this turn; STALL_ALL: it can. */
static __attribute__((noinline)) enum pipeline_stall look_at(const struct turns *turns,
                                                             const struct decoded *record)
{
    const struct uneven_turn *uneven = &turns->uneven;
    struct keeper *keeper = turns->machine->keeper;
    struct turn *turn = uneven->turn;

    tell_quick(keeper, turn, record->pc);
    return keeper->look_in_block(keeper, turn->thread, turn->hart, uneven->block, uneven->index,
                                 uneven->number);
}

/* Asks the model whether the thread can execute the instruction in this turn: sets *stall to why it
 * cannot, or to STALL_ALL. Returns false if the model has to see it. */
static bool ask(const struct turns *turns, struct uneven_turn *uneven, const struct decoded *record,
                enum pipeline_stall *stall)
{
    const struct turn *turn = uneven->turn;
    const struct turn_block *block = uneven->block = turn->hart->counted;

    uneven->index = block->length - record->remaining;
    if (uneven->index >= block->known) {
        turn->hart->is_refused = true;
        return false;
    }
    uneven->is_quick = turn->settled <= uneven->number && block->quick >> uneven->index & 1;
    *stall = uneven->is_quick ? STALL_ALL : look_at(turns, record);
    return true;
}

/* Notes whether another instruction may share the turn of this one, which begins it. */
static void open_turn(const struct turns *turns, struct uneven_turn *uneven,
                      const struct decoded *record)
{
    uneven->is_open = bundles_may_begin(uneven->turn->hart->pairs, record);
    if (!uneven->is_open)
        return;
    uneven->first = workers_instruction_of(&turns->machine->code, record);
    uneven->is_unknown = !bundles_are_known(record);
}

/* Returns the second instruction of the turn. NULL: there is none, unless the turn is still open.
 */
static struct decoded *find_second(struct turns *turns)
{
    struct uneven_turn *uneven = &turns->uneven;
    const struct machine *machine = turns->machine;
    struct decoded *record = enter(turns, uneven->turn->hart, &uneven->left);
    enum pipeline_stall stall = STALL_ALL;

    if (!record)
        return NULL;
    bool is_bundle = true;
    if (uneven->is_unknown) {
        const struct workers_instruction second = workers_instruction_of(&machine->code, record);
        is_bundle = workers_are_bundle(&uneven->first, &second);
    }
    if (is_bundle && machine->keeper && !ask(turns, uneven, record, &stall))
        return NULL;
    uneven->is_open = false;
    uneven->is_second = is_bundle && stall == STALL_ALL;
    return uneven->is_second ? record : NULL;
}

/* Finds the instruction that begins the next turn which has one, and lets the turns before it pass.
 * Returns NULL if the run ends. */
static struct decoded *find_first(struct turns *turns)
{
    struct uneven_turn *uneven = &turns->uneven;
    struct keeper *keeper = turns->machine->keeper;

    for (; uneven->rest; advance(turns, uneven)) {
        const struct turn *turn = uneven->turn;
        enum pipeline_stall stall = STALL_ALL;
        struct decoded *record = enter(turns, turn->hart, &uneven->left);
        if (!record || (keeper && !ask(turns, uneven, record, &stall)))
            return NULL;
        uneven->rest--;
        if (uneven->is_noting) {
            turns->rounds.shared[uneven->noted] = false;
            turns->rounds.stalls[uneven->noted++] = (uint8_t)stall;
        }
        if (stall != STALL_ALL) {
            keeper->pass(keeper, turn->thread, stall, uneven->number);
            continue;
        }
        if (!goes_on(turns, uneven) && !uneven->is_noting)
            return NULL;
        if (uneven->is_paired)
            open_turn(turns, uneven, record);
        return record;
    }
    return NULL;
}

/* Finds the next instruction. Returns NULL if the run ends. */
static __attribute__((noinline)) struct decoded *find_instruction(struct turns *turns)
{
    struct uneven_turn *uneven = &turns->uneven;
    struct decoded *record = NULL;

    if (uneven->is_begun)
        tell(turns, uneven);
    if (uneven->is_open) {
        record = find_second(turns);
        if (uneven->is_open)
            return NULL;
        if (!record)
            advance(turns, uneven);
        else if (uneven->is_noting)
            turns->rounds.shared[uneven->noted - 1] = true;
    }
    if (!record)
        record = find_first(turns);
    uneven->is_begun = record != NULL;
    if (record && turns->observer->before)
        turns->observer->before(uneven->turn->hart, record);
    return record;
}

/* Stands between the turns. (No address of a variable is used here, so that the call at the end is
 * a jump.) */
static struct step look(STATE_PARAMETERS)
{
    struct turns *turns = turns_between(hart);

    turns->uneven.left = left;
    record = find_instruction(turns);
    left = turns->uneven.left;
    if (!record)
        return (struct step){NULL, left};
    hart = turns->hart = turns->uneven.turn->hart;
    if (turns->observer->before)
        BEGIN_TURN();
    BEGIN_TURN_BY(turns_bodies[record->id]);
}

/* ---- native code ---- */

static struct turns *turns_of(const struct rounds *rounds)
{
    return (struct turns *)((char *)rounds - offsetof(struct turns, rounds));
}

static void find_times(const struct rounds *rounds, uint32_t *times)
{
    const struct turns *turns = turns_of(rounds);
    struct keeper *keeper = turns->machine->keeper;
    struct uneven_turn uneven = turns->uneven;

    for (unsigned i = 0; i < turns->count; i++) {
        times[i] = !keeper ? ROUNDS_UNTIMED
                           : keeper->find_time(keeper, uneven.turn->thread, turns->uneven.number,
                                               uneven.number, uneven.turn->hart->pc);
        step(turns, &uneven);
    }
}

/* The model gets to know of what a thread has executed, which is at its pc. Returns the turn of the
 * last instruction. `next` is its next turn, or the one that is open; `index` is that of the thread
 * in the arrival, and `time` the state that it was in. */
static uint64_t skip(const struct turns *turns, const struct turn *turn, uint64_t next,
                     const struct rounds_arrival *arrival, unsigned index, uint32_t time)
{
    struct keeper *keeper = turns->machine->keeper;

    return keeper->skip(keeper, turn->thread, arrival->executed[index], arrival->shared[index],
                        next, time, turn->hart->pc);
}

/* The same for the thread that was in this state before its last turn, or the one that is open, in
 * which it has executed the late instructions. */
static void skip_late(const struct turns *turns, const struct turn *turn, uint64_t last,
                      const struct rounds_arrival *arrival, unsigned index, uint32_t time)
{
    struct keeper *keeper = turns->machine->keeper;
    const struct decoded *late = arrival->late;
    unsigned count = arrival->late_count;

    keeper->skip(keeper, turn->thread, arrival->executed[index] - count,
                 arrival->shared[index] - (count - 1), last, time, late[0].pc);
    for (unsigned i = 0; i < count; i++)
        keeper->retire(keeper, turn->thread, &late[i], last,
                       i + 1 < count ? late[i + 1].pc : turn->hart->pc);
}

/* The thread has its next turn in this one. `place` is that of its state in the arrival. */
static void arrive_thread(struct turns *turns, struct turn *turn, uint64_t number,
                          const struct rounds_arrival *arrival, unsigned place)
{
    struct uneven_turn *uneven = &turns->uneven;
    struct keeper *keeper = turns->machine->keeper;
    unsigned index = (unsigned)((turn - turns->ring + turns->rounds.first) % turns->count);
    bool is_open = arrival->is_open && place == 0,
         is_late = arrival->is_open ? is_open : arrival->late_count && place + 1 == turns->count;
    uint64_t last = is_open ? number : number - turns->machine->workers->count,
             count = arrival->executed[index];

    if (keeper && is_late)
        skip_late(turns, turn, last, arrival, index, arrival->times[place]);
    else if (keeper)
        last = skip(turns, turn, number, arrival, index, arrival->times[place]);
    if (count && (uneven->last == NO_TURN || uneven->last < last))
        uneven->last = last;
    turn->executed += count;
    if (keeper)
        turn->settled = keeper->settled(keeper, turn->thread, uneven->number, turn->hart->pc);
}

static void arrive(struct rounds *rounds, const struct rounds_arrival *arrival)
{
    struct turns *turns = turns_of(rounds);
    struct uneven_turn *uneven = &turns->uneven;

    uneven->number += arrival->turns / turns->count * turns->machine->workers->count;
    rounds->turns += arrival->turns / turns->count * turns->count;
    for (uint64_t i = 0; i < arrival->turns % turns->count; i++)
        advance(turns, uneven);
    struct uneven_turn next = *uneven;
    for (unsigned place = 0; place < turns->count; place++) {
        arrive_thread(turns, next.turn, next.number, arrival, place);
        step(turns, &next);
    }
    uneven->is_open = arrival->is_open;
    uneven->is_unknown = true;
    if (arrival->is_open)
        uneven->first = workers_instruction_of(&turns->machine->code, &arrival->late[0]);
}

void uneven_turns_begin(struct turns *turns, begin_turn_block *begin_block)
{
    const struct machine *machine = turns->machine;
    struct keeper *keeper = machine->keeper;

    turns->gap.body = look;
    turns->rounds.find_times = find_times;
    turns->rounds.arrive = arrive;
    turns->uneven = (struct uneven_turn){.begin_block = begin_block,
                                         .turn = turns->ring,
                                         .number = machine->workers->turn + turns->ring->distance,
                                         .last = NO_TURN,
                                         .is_paired = machine->workers->is_paired,
                                         .rest = UINT64_MAX,
                                         .calm = CALM};
    for (unsigned i = 0; i < turns->count; i++) {
        struct turn *turn = &turns->ring[i];
        turn->settled =
            !keeper ? 0
            : turn->thread == 0 && turns->has_slots
                ? UINT64_MAX
                : keeper->settled(keeper, turn->thread, turns->uneven.number, turn->hart->pc);
    }
}

void uneven_turns_settle(struct turns *turns)
{
    struct uneven_turn *uneven = &turns->uneven;
    struct keeper *keeper = turns->machine->keeper;

    if (uneven->is_begun && turns->is_refused)
        uneven->is_open = uneven->is_second; /* it was not executed */
    else if (uneven->is_begun)
        tell(turns, uneven);
    uneven->is_begun = uneven->is_second = false;
    for (unsigned i = 0; keeper && i < turns->count; i++)
        tell_quick(keeper, &turns->ring[i], turns->ring[i].hart->pc);
}
