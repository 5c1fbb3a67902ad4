/* See feed_turns.h. */
#include "emu/timing/feed_turns.h"
#include "emu/machine.h"
#include "lib/map.h"
#include <string.h>

/* A block, and the instructions of it that are executed in turns. */
struct counted_turns {
    struct turn_block block; /* first */
    uint64_t pc;
    struct site **sites;
    struct counted_turns *next; /* in the table */
};

/* Does the instruction only concern its thread, and is it known before it is executed how long that
 * takes? */
static bool is_known(const struct feed_turns *turns, const struct site *site)
{
    const struct isa_instruction *instruction = site->common.instruction;

    if (!instruction || site->is_recorded || !site->common.is_fixed || site->is_csr ||
        site->at.pc == turns->bounds[0] || site->at.pc == turns->bounds[1])
        return false;
    bool is_flow = instruction->effects & ISA_EFFECT_FLOW;
    bool is_jump = instruction->operand_count && !(instruction->effects & ISA_EFFECT_UNIT) &&
                   !isa_is_idle_branch(instruction, site->common.fields, site->at.length);
    return (!is_flow || is_jump) && site->common.model.walk != WALK_BEGIN;
}

/* Can the thread go on in its next turn after it, too? */
static bool is_able(const struct feed_turns *turns, const struct site *site)
{
    return pipeline_can_rotate(turns->pipeline, &site->common.model,
                               site->common.instruction->effects & ISA_EFFECT_FLOW);
}

static bool is_quick(const struct feed_turns *turns, const struct site *site)
{
    return site->common.model.walk == WALK_NONE && is_able(turns, site);
}

struct turn_block *feed_turns_find(struct feed_turns *turns, const struct decoded *entry)
{
    struct counted_turns **first = &turns->table[entry->pc / 2 % FEED_TURNS_TABLE];
    struct site *sites[BLOCK_LIMIT];
    unsigned known = 0, able = 0;

    for (; known < entry->remaining && entry[1 + known].id < PSEUDO_FIRST; known++) {
        sites[known] = sites_of_record(turns->sites, &entry[1 + known]);
        if (!is_known(turns, sites[known]))
            break;
    }
    while (able < known && is_able(turns, sites[able]))
        able++;
    for (struct counted_turns *found = *first; found; found = found->next)
        if (found->pc == entry->pc && found->block.length == entry->remaining &&
            found->block.known == known && memcmp(found->sites, sites, known * sizeof *sites) == 0)
            return &found->block;
    struct counted_turns *made = arena_array(turns->arena, 1, sizeof *made);
    made->pc = entry->pc;
    made->block.length = entry->remaining;
    made->block.able = able;
    made->block.known = known;
    for (unsigned i = 0; i < known; i++) {
        made->block.walks |= (uint64_t)(sites[i]->common.model.walk != WALK_NONE) << i;
        made->block.quick |= (uint64_t)is_quick(turns, sites[i]) << i;
    }
    made->block.missed =
        arena_array(turns->arena, entry->remaining + 1u, sizeof *made->block.missed);
    made->block.single = arena_array(turns->arena, known, sizeof *made->block.single);
    made->block.second = arena_array(turns->arena, known, sizeof *made->block.second);
    made->sites = arena_array(turns->arena, known, sizeof *sites);
    memcpy(made->sites, sites, known * sizeof *sites);
    made->next = *first;
    *first = made;
    return &made->block;
}

struct site *feed_turns_site(const struct turn_block *block, unsigned index)
{
    return ((const struct counted_turns *)block)->sites[index];
}

struct pipeline_site *feed_turns_quick_site(struct feed_turns *turns, const struct decoded *record)
{
    struct site *site = sites_of_record(turns->sites, record);

    return is_known(turns, site) && is_quick(turns, site) ? &site->counts : NULL;
}

struct pipeline_site *feed_turns_timed_site(struct feed_turns *turns, const struct decoded *record)
{
    struct site *site = sites_of_record(turns->sites, record);

    return is_known(turns, site) && pipeline_can_skip_turn(turns->pipeline, &site->common.model)
               ? &site->counts
               : NULL;
}

/* ---- the states of threads ---- */

struct thread_time {
    struct pipeline_thread_moment moment;
    uint32_t number; /* from 1 on */
    struct thread_time *next;
};

uint32_t feed_turns_find_time(struct feed_turns *turns, const struct pipeline_thread_moment *moment)
{
    enum { MOST = 1 << 16 };
    uint64_t hash = hash_bytes(moment, sizeof *moment, 0);
    struct thread_time **first = &turns->times[hash % FEED_TURNS_TABLE];

    for (struct thread_time *time = *first; time; time = time->next)
        if (memcmp(&time->moment, moment, sizeof *moment) == 0)
            return time->number;
    if (turns->time_count == MOST)
        return NO_TIME;
    if (!turns->numbered)
        turns->numbered = arena_array(turns->arena, MOST + 1, sizeof(struct thread_time *));
    struct thread_time *made = arena_array(turns->arena, 1, sizeof *made);
    *made = (struct thread_time){*moment, ++turns->time_count, *first};
    *first = made;
    turns->numbered[made->number] = made;
    return made->number;
}

const struct pipeline_thread_moment *feed_turns_time(const struct feed_turns *turns,
                                                     uint32_t number)
{
    return &turns->numbered[number]->moment;
}

static void add(struct site *site, uint64_t executions)
{
    site->counts.count += executions;
    site->counts.decode_cycles += executions;
}

void feed_turns_finish(struct feed_turns *turns)
{
    for (size_t i = 0; i < FEED_TURNS_TABLE; i++)
        for (struct counted_turns *counted = turns->table[i]; counted; counted = counted->next) {
            uint64_t executions = counted->block.executions;
            for (unsigned k = 0; k < counted->block.able; k++) {
                executions -= counted->block.missed[k];
                add(counted->sites[k], executions);
            }
            for (unsigned k = 0; k < counted->block.known; k++) {
                add(counted->sites[k], counted->block.single[k]);
                counted->sites[k]->counts.decode_cycles -= counted->block.second[k];
            }
        }
}
