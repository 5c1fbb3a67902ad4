/* See waiting_turns.h. */
#include "emu/execute/waiting_turns.h"
#include "emu/execute/dispatch.h"
#include "emu/keeper.h"
#include "emu/workers/workers.h"

enum { CALM = 1024 /* so many turns without an instruction that takes long end the run */ };

/* Goes on to the next turn of a thread in the ring. */
static void advance(const struct turns *turns, struct waiting_turn *waiting)
{
    unsigned before = waiting->turn->distance, slots = (unsigned)turns->machine->workers->count;

    waiting->turn = waiting->turn->next;
    unsigned distance = waiting->turn->distance;
    waiting->number += distance > before ? distance - before : distance + slots - before;
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
static void tell(const struct turns *turns, struct waiting_turn *waiting)
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
    for (;; advance(turns, waiting)) {
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
        if (stall != STALL_ALL) {
            keeper->pass(keeper, turn->thread, stall, waiting->number);
            continue;
        }
        waiting->is_begun = goes_on(turns, waiting);
        return waiting->is_begun ? record : NULL;
    }
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

void waiting_turns_begin(struct turns *turns, find_turn_block *find_block)
{
    const struct machine *machine = turns->machine;
    struct keeper *keeper = machine->keeper;

    turns->gap.body = look;
    turns->waiting = (struct waiting_turn){.find_block = find_block,
                                           .turn = turns->ring,
                                           .number = machine->workers->turn + turns->ring->distance,
                                           .last = NO_TURN,
                                           .calm = CALM};
    for (unsigned i = 0; i < turns->count; i++) {
        struct turn *turn = &turns->ring[i];
        turn->settled =
            turn->thread == 0 && turns->has_slots
                ? UINT64_MAX
                : keeper->settled(keeper, turn->thread, turns->waiting.number, turn->hart->pc);
    }
}

void waiting_turns_end(struct turns *turns)
{
    struct waiting_turn *waiting = &turns->waiting;

    if (waiting->is_begun && !turns->is_refused)
        tell(turns, waiting);
    for (unsigned i = 0; i < turns->count; i++)
        tell_quick(turns->machine->keeper, &turns->ring[i], turns->ring[i].hart->pc);
}
