/* See feed_blocks.h. */
#include "emu/timing/feed_blocks.h"
#include "emu/machine.h"
#include "emu/profile/profile.h"
#include <string.h>

/* No block was entered since the pipeline was up to date. */
static struct passage no_passage;

/* Has the instruction at most these effects and those that any instruction may have, and none
 * besides that the pipeline has to know? One that calls the environment has. */
static bool has_few_effects(const struct feed_blocks *blocks, const struct site *site,
                            unsigned effects)
{
    const struct isa_instruction *instruction = site->common.instruction;

    effects |=
        ISA_EFFECT_LOAD | ISA_EFFECT_STORE | ISA_EFFECT_TRAP | ISA_EFFECT_FLOW | ISA_EFFECT_FLOAT;
    return instruction && !(instruction->effects & ~effects) && !site->is_prepared &&
           (!(instruction->effects & ISA_EFFECT_FLOW) || instruction->operand_count) &&
           !(instruction->effects & ISA_EFFECT_FLOW &&
             isa_is_idle_branch(instruction, site->common.fields, site->at.length)) &&
           site->at.pc != blocks->bounds[0] && site->at.pc != blocks->bounds[1];
}

bool feed_blocks_is_plain(const struct feed_blocks *blocks, const struct site *site)
{
    return has_few_effects(blocks, site, 0);
}

bool feed_blocks_may_skip(const struct feed_blocks *blocks, const struct site *site)
{
    unsigned effects = site->is_float_csr ? ISA_EFFECT_CSR | ISA_EFFECT_CODE : 0;

    return has_few_effects(blocks, site, effects) &&
           pipeline_can_skip(blocks->pipeline, &site->common.model);
}

/* What tells a block from all others. The instructions exist once. */
struct block_key {
    uint64_t pc;
    const struct pipeline_instruction *instructions[BLOCK_LIMIT];
};

/* Describes the block of the records. Returns false when it cannot be timed as a whole. */
static bool describe(struct feed_blocks *blocks, const struct decoded *records, unsigned count,
                     struct timed_block *block, struct block_key *key)
{
    const struct site *site = NULL;

    block->pc = key->pc = records->pc;
    block->count = count;
    for (unsigned i = 0; i < count; i++) {
        if (records[i].id >= PSEUDO_FIRST)
            return false;
        site = sites_of_record(blocks->sites, &records[i]);
        if (!feed_blocks_may_skip(blocks, site))
            return false;
        key->instructions[i] = &site->common.model;
    }
    block->end = site->at.pc + site->at.length;
    if (sites_always_turns(site))
        block->end = NOWHERE;
    return true;
}

struct timed_block *feed_blocks_find(struct feed_blocks *blocks, const struct decoded *records,
                                     unsigned count)
{
    struct block_key key;
    struct timed_block found = {0};

    if (!describe(blocks, records, count, &found, &key))
        return NULL;
    size_t size = count * sizeof *key.instructions;
    struct map_entry *entry = map_entry(&blocks->all, (const char *)&key,
                                        offsetof(struct block_key, instructions) + size);
    if (entry->value)
        return entry->value;
    struct timed_block *block = entry->value = arena_array(blocks->arena, 1, sizeof *block);
    *block = found;
    block->instructions = arena_array(blocks->arena, count, sizeof *key.instructions);
    memcpy(block->instructions, key.instructions, size);
    return block;
}

/* Returns the state of the pipeline when control arrives at `pc`. NULL: units are at work. */
static struct known_moment *arrive(struct feed_blocks *blocks, uint64_t pc)
{
    struct block_times *times = blocks->times;
    struct pipeline_moment moment;

    if (times->last == &no_passage) {
        if (!pipeline_take_moment(blocks->pipeline, &moment))
            return NULL;
        times->start.to[0] = passages_moment(&times->passages, &moment);
        times->start.to[1] = passages_turn(&times->passages, times->start.to[0]);
        times->start.end = *blocks->expected;
        times->last = &times->start;
    }
    return times->last->to[pc != times->last->end];
}

struct passage *feed_blocks_enter(struct feed_blocks *blocks, struct timed_block *block)
{
    struct known_moment *from = arrive(blocks, block->pc);

    return from ? passages_find(&blocks->times->passages, block, from) : NULL;
}

static struct site *site_of(const struct pipeline_instruction *instruction)
{
    return (struct site *)((char *)instruction - offsetof(struct site, common.model));
}

/* The profile has the cycles up to now. */
static void set_clock(const struct feed_blocks *blocks, uint64_t cycle)
{
    struct profile *profile = blocks->machine->profile;

    *blocks->leave = cycle;
    if (profile)
        profile->clock = cycle;
}

void feed_blocks_end(struct feed_blocks *blocks)
{
    struct block_times *times = blocks->times;

    if (times->last == &no_passage)
        return;
    passages_add(&times->passages, blocks->pipeline, times->last->to[0]);
    *blocks->expected = times->last->end;
    set_clock(blocks, pipeline_left(blocks->pipeline));
    times->last = &no_passage;
}

/* Adds an instruction of a block that was left before its end. */
static void add_one(struct feed_blocks *blocks, const struct pipeline_instruction *instruction)
{
    uint64_t before = *blocks->leave, after = pipeline_add(blocks->pipeline, instruction);

    if (blocks->machine->profile)
        profile_time_one(blocks->machine->profile, site_of(instruction)->at.pc, after - before);
    set_clock(blocks, after);
}

void feed_blocks_interrupt(struct feed_blocks *blocks, unsigned executed, bool has_trapped,
                           uint64_t pc)
{
    struct block_times *times = blocks->times;
    struct passage *last = times->last;

    last->count--;
    passages_add(&times->passages, blocks->pipeline, last->from);
    set_clock(blocks, pipeline_left(blocks->pipeline));
    for (unsigned i = 0; i < executed; i++)
        add_one(blocks, last->block->instructions[i]);
    if (has_trapped) {
        struct pipeline_instruction instruction = *last->block->instructions[executed];
        instruction.has_trapped = true;
        *blocks->leave = pipeline_add(blocks->pipeline, &instruction);
        pipeline_turn(blocks->pipeline);
    }
    *blocks->expected = pc;
    times->last = &no_passage;
}

/* Tells the profile the cycles of an instruction in all blocks. */
static void tell_profile(void *context, const struct pipeline_instruction *instruction,
                         uint64_t cycles)
{
    const struct feed_blocks *blocks = context;

    if (blocks->machine->profile)
        profile_time(blocks->machine->profile, site_of(instruction)->at.pc, cycles);
}

bool feed_blocks_init(struct feed_blocks *blocks, const struct pipeline_settings *settings)
{
    struct passages *passages = &blocks->times->passages;

    map_init(&blocks->all, blocks->arena);
    blocks->times->last = &no_passage;
    if (!passages_init(passages, settings, blocks->arena))
        return false;
    passages->told = tell_profile;
    passages->context = blocks;
    return true;
}

void feed_blocks_finish(struct feed_blocks *blocks)
{
    feed_blocks_end(blocks);
    passages_tell(&blocks->times->passages);
}
