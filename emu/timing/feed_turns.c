/* See feed_turns.h. */
#include "emu/timing/feed_turns.h"
#include "emu/machine.h"
#include <string.h>

/* A block, and the instructions of it that are executed in turns. */
struct counted_turns {
    struct turn_block block;
    uint64_t pc;
    struct site **sites;
    struct counted_turns *next; /* in the table */
};

/* Does the instruction only concern its thread, and can that go on in its next turn after it? */
static bool is_able(const struct feed_turns *turns, const struct site *site)
{
    const struct isa_instruction *instruction = site->common.instruction;

    if (!instruction || site->is_recorded || !site->common.is_fixed || site->is_csr ||
        site->is_float_csr || site->at.pc == turns->bounds[0] || site->at.pc == turns->bounds[1])
        return false;
    bool is_flow = instruction->effects & ISA_EFFECT_FLOW;
    bool is_jump = instruction->operand_count && !(instruction->effects & ISA_EFFECT_UNIT) &&
                   !isa_is_idle_branch(instruction, site->common.fields, site->at.length);
    return (!is_flow || is_jump) && pipeline_can_rotate(turns->pipeline, &site->common.model);
}

struct turn_block *feed_turns_find(struct feed_turns *turns, const struct decoded *entry)
{
    struct counted_turns **first = &turns->table[entry->pc / 2 % FEED_TURNS_TABLE];
    struct site *sites[BLOCK_LIMIT];
    unsigned able = 0;

    for (; able < entry->remaining && entry[1 + able].id < PSEUDO_FIRST; able++) {
        sites[able] = sites_of_record(turns->sites, &entry[1 + able]);
        if (!is_able(turns, sites[able]))
            break;
    }
    for (struct counted_turns *found = *first; found; found = found->next)
        if (found->pc == entry->pc && found->block.length == entry->remaining &&
            found->block.able == able && memcmp(found->sites, sites, able * sizeof *sites) == 0)
            return &found->block;
    struct counted_turns *made = arena_array(turns->arena, 1, sizeof *made);
    made->pc = entry->pc;
    made->block.length = entry->remaining;
    made->block.able = able;
    for (unsigned i = 0; i < able; i++)
        made->block.walks |= (uint64_t)(sites[i]->common.model.walk != WALK_NONE) << i;
    made->block.missed =
        arena_array(turns->arena, entry->remaining + 1u, sizeof *made->block.missed);
    made->sites = arena_array(turns->arena, able, sizeof *sites);
    memcpy(made->sites, sites, able * sizeof *sites);
    made->next = *first;
    *first = made;
    return &made->block;
}

void feed_turns_finish(struct feed_turns *turns)
{
    for (size_t i = 0; i < FEED_TURNS_TABLE; i++)
        for (struct counted_turns *counted = turns->table[i]; counted; counted = counted->next) {
            uint64_t executions = counted->block.executions;
            for (unsigned k = 0; k < counted->block.able; k++) {
                executions -= counted->block.missed[k];
                counted->sites[k]->counts.count += executions;
                counted->sites[k]->counts.decode_cycles += executions;
            }
        }
}
