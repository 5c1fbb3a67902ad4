/* See waiting_turns.h. */
#include "emu/execute/waiting_turns.h"
#include "emu/execute/dispatch.h"
#include "emu/keeper.h"
#include "emu/workers/workers.h"

enum { CALM = 1024 /* so many turns without an instruction that takes long end the run */ };

/* Finds the next turn of a thread in the ring. */
static void step(const struct turns *turns, struct waiting_turn *waiting)
{
    unsigned before = waiting->turn->distance, slots = (unsigned)turns->machine->workers->count;

    waiting->turn = waiting->turn->next;
    unsigned distance = waiting->turn->distance;
    waiting->number += distance > before ? distance - before : distance + slots - before;
}

/* Goes on to the next turn. */
static void advance(struct turns *turns, struct waiting_turn *waiting)
{
    step(turns, waiting);
    turns->rounds.turns++;
}

/* The model gets to know of the instructions that the thread, which is at `pc`, has executed
 * without it. */
static void tell_quick(struct keeper *keeper, struct turn *turn, uint64_t pc)
{
    if (turn->quick)
        keeper->rotate(keeper, turn->thread, turn->quick, turn->last, pc);
    turn->quick = 0;
}

/* The same for one that it had to look at. The thread goes on at `pc`. */
static __attribute__((noinline)) void tell_slow(const struct turns *turns, uint64_t pc)
{
    const struct waiting_turn *waiting = &turns->waiting;
    struct keeper *keeper = turns->machine->keeper;
    struct turn *turn = waiting->turn;

    keeper->issue(keeper, turn->thread, waiting->block, waiting->index, waiting->number, pc);
    if (turn->thread || !turns->has_slots)
        turn->settled = keeper->settled(keeper, turn->thread, waiting->number, pc);
}

/* The instruction of the turn was executed. */
static void tell(struct turns *turns, struct waiting_turn *waiting)
{
    struct turn *turn = waiting->turn;
    const struct hart *hart = turn->hart;

    if (waiting->is_quick) {
        waiting->block->single[waiting->index]++;
        turn->quick++;
        turn->last = waiting->number;
    } else {
        tell_slow(turns, hart->next ? code_pc(hart->next) : hart->pc);
    }
    turn->executed++;
    waiting->is_begun = false;
    waiting->last = waiting->number;
    advance(turns, waiting);
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
        hart->counted = turns->waiting.find_block(machine->keeper, record);
        hart->next = ++record;
    }
    return record->id < PSEUDO_FIRST ? record : NULL;
}

/* May the run go on after a turn in which the instruction does not take long? */
static bool goes_on(const struct turns *turns, struct waiting_turn *waiting)
{
    if (waiting->index >= waiting->block->able || turns->has_slots)
        waiting->calm = CALM;
    return waiting->calm-- > 0;
}

/* Returns why the thread cannot execute the instruction in this turn; STALL_ALL: it can. */
static __attribute__((noinline)) enum pipeline_stall look_at(const struct turns *turns,
                                                             const struct decoded *record)
{
    const struct waiting_turn *waiting = &turns->waiting;
    struct keeper *keeper = turns->machine->keeper;
    struct turn *turn = waiting->turn;

    tell_quick(keeper, turn, record->pc);
    return keeper->look_in_block(keeper, turn->thread, turn->hart, waiting->block, waiting->index,
                                 waiting->number);
}

/* Finds the next instruction, and lets the turns before it pass. Returns NULL if the run ends. */
static __attribute__((noinline)) struct decoded *find_instruction(struct turns *turns)
{
    struct waiting_turn *waiting = &turns->waiting;
    struct keeper *keeper = turns->machine->keeper;

    if (waiting->is_begun)
        tell(turns, waiting);
    for (; waiting->rest; advance(turns, waiting)) {
        const struct turn *turn = waiting->turn;
        struct decoded *record = enter(turns, turn->hart, &waiting->left);
        if (!record)
            return NULL;
        const struct turn_block *block = waiting->block = turn->hart->counted;
        waiting->index = block->length - record->remaining;
        if (waiting->index >= block->known) {
            turn->hart->is_refused = true;
            return NULL;
        }
        waiting->is_quick = turn->settled <= waiting->number && block->quick >> waiting->index & 1;
        enum pipeline_stall stall = waiting->is_quick ? STALL_ALL : look_at(turns, record);
        waiting->rest--;
        if (waiting->is_noting)
            turns->rounds.stalls[waiting->noted++] = (uint8_t)stall;
        if (stall != STALL_ALL) {
            keeper->pass(keeper, turn->thread, stall, waiting->number);
            continue;
        }
        waiting->is_begun = goes_on(turns, waiting) || waiting->is_noting;
        return waiting->is_begun ? record : NULL;
    }
    return NULL;
}

/* Stands between the turns. (No address of a variable is used here, so that the call at the end is
 * a jump.) */
static struct step look(STATE_PARAMETERS)
{
    struct turns *turns = turns_between(hart);

    turns->waiting.left = left;
    record = find_instruction(turns);
    left = turns->waiting.left;
    if (!record)
        return (struct step){NULL, left};
    hart = turns->hart = turns->waiting.turn->hart;
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
    struct waiting_turn waiting = turns->waiting;

    for (unsigned i = 0; i < turns->count; i++) {
        times[i] = keeper->find_time(keeper, waiting.turn->thread, turns->waiting.number,
                                     waiting.number, waiting.turn->hart->pc);
        step(turns, &waiting);
    }
}

/* The thread has its next turn in this one. */
static void arrive_thread(struct turns *turns, struct turn *turn, uint64_t number, uint64_t count,
                          uint32_t time, const struct decoded *branch)
{
    struct waiting_turn *waiting = &turns->waiting;
    struct keeper *keeper = turns->machine->keeper;
    uint64_t pc = turn->hart->pc, last = number - turns->machine->workers->count;

    if (branch) {
        keeper->skip(keeper, turn->thread, count - 1, last, time, branch->pc);
        keeper->jump(keeper, turn->thread, branch, last, pc);
    } else {
        last = keeper->skip(keeper, turn->thread, count, number, time, pc);
    }
    if (count && (waiting->last == NO_TURN || waiting->last < last))
        waiting->last = last;
    turn->executed += count;
    turn->settled = keeper->settled(keeper, turn->thread, waiting->number, pc);
}

static void arrive(struct rounds *rounds, const struct rounds_arrival *arrival)
{
    struct turns *turns = turns_of(rounds);
    struct waiting_turn *waiting = &turns->waiting;

    waiting->number += arrival->turns / turns->count * turns->machine->workers->count;
    rounds->turns += arrival->turns / turns->count * turns->count;
    for (uint64_t i = 0; i < arrival->turns % turns->count; i++)
        advance(turns, waiting);
    struct waiting_turn next = *waiting;
    for (unsigned i = 0; i < turns->count; i++) {
        unsigned index = (unsigned)((next.turn - turns->ring + rounds->first) % turns->count);
        arrive_thread(turns, next.turn, next.number, arrival->executed[index], arrival->times[i],
                      i + 1 == turns->count ? arrival->branch : NULL);
        step(turns, &next);
    }
}

void waiting_turns_begin(struct turns *turns, find_turn_block *find_block)
{
    const struct machine *machine = turns->machine;
    struct keeper *keeper = machine->keeper;

    turns->gap.body = look;
    turns->rounds.find_times = find_times;
    turns->rounds.arrive = arrive;
    turns->waiting = (struct waiting_turn){.find_block = find_block,
                                           .turn = turns->ring,
                                           .number = machine->workers->turn + turns->ring->distance,
                                           .last = NO_TURN,
                                           .rest = UINT64_MAX,
                                           .calm = CALM};
    for (unsigned i = 0; i < turns->count; i++) {
        struct turn *turn = &turns->ring[i];
        turn->settled =
            turn->thread == 0 && turns->has_slots
                ? UINT64_MAX
                : keeper->settled(keeper, turn->thread, turns->waiting.number, turn->hart->pc);
    }
}

void waiting_turns_settle(struct turns *turns)
{
    struct waiting_turn *waiting = &turns->waiting;

    if (waiting->is_begun && !turns->is_refused)
        tell(turns, waiting);
    waiting->is_begun = false;
    for (unsigned i = 0; i < turns->count; i++)
        tell_quick(turns->machine->keeper, &turns->ring[i], turns->ring[i].hart->pc);
}
