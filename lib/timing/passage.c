/* See passage.h. */
#include "lib/timing/passage.h"
#include "lib/map.h"
#include <string.h>

enum { PASSAGES = 1 << 17 }; /* the most */

bool passages_init(struct passages *passages, const struct pipeline_settings *settings,
                   struct arena *arena)
{
    *passages = (struct passages){.arena = arena, .scratch = pipeline_new(settings)};
    return passages->scratch != NULL;
}

struct known_moment *passages_moment(struct passages *passages,
                                     const struct pipeline_moment *moment)
{
    uint64_t hash = hash_bytes(moment, sizeof *moment, 0);
    struct known_moment **first = &passages->table[hash % PASSAGE_TABLE];

    for (struct known_moment *known = *first; known; known = known->next)
        if (memcmp(&known->moment, moment, sizeof *moment) == 0)
            return known;
    struct known_moment *known = arena_array(passages->arena, 1, sizeof *known);
    known->moment = *moment;
    known->next = *first;
    *first = known;
    return known;
}

struct known_moment *passages_turn(struct passages *passages, struct known_moment *moment)
{
    if (!moment->turned) {
        struct pipeline_moment turned = moment->moment;
        turned.has_turned = true;
        moment->turned = passages_moment(passages, &turned);
    }
    return moment->turned;
}

/* Tells the counts of an instruction that was executed so many times in this way. */
static void tell(const struct passages *passages, const struct pipeline_instruction *instruction,
                 const struct pipeline_site *once, uint64_t cycles, uint64_t times)
{
    struct pipeline_site *site = instruction->site;

    if (passages->told)
        passages->told(passages->context, instruction, cycles * times);
    if (!site)
        return;
    site->count += times;
    site->decode_cycles += once->decode_cycles * times;
    for (unsigned k = 0; k < STALL_COUNT; k++)
        site->stalls[k] += once->stalls[k] * times;
}

/* Executes the block in the scratch pipeline. The counts of each instruction are told, `times`
 * times, unless that is 0. Returns false when its end has no moment. */
static bool compute(struct passages *passages, const struct timed_block *block,
                    struct known_moment *from, uint64_t times, struct pipeline_moment *to)
{
    pipeline_restart(passages->scratch, &from->moment);
    for (unsigned i = 0; i < block->count; i++) {
        struct pipeline_instruction instruction = *block->instructions[i];
        struct pipeline_site once = {0};
        instruction.site = &once;
        uint64_t before = pipeline_left(passages->scratch),
                 after = pipeline_add(passages->scratch, &instruction);
        if (times)
            tell(passages, block->instructions[i], &once, after - before, times);
    }
    return pipeline_take_moment(passages->scratch, to);
}

static struct passage *make_passage(struct passages *passages, struct timed_block *block,
                                    struct known_moment *from)
{
    struct pipeline_moment to;

    if (passages->count == PASSAGES || !compute(passages, block, from, 0, &to))
        return NULL;
    struct pipeline_span span = pipeline_since_restart(passages->scratch);
    struct passage *passage = arena_array(passages->arena, 1, sizeof *passage);
    passages->count++;
    passage->from = from;
    passage->to[0] = passages_moment(passages, &to);
    passage->to[1] = passages_turn(passages, passage->to[0]);
    passage->end = block->end;
    passage->block = block;
    passage->cycles = (uint32_t)span.cycles;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        passage->stalls[i] = (uint32_t)span.stalls[i];
    passage->next = passages->all;
    passages->all = passage;
    return passage;
}

struct passage *passages_find(struct passages *passages, struct timed_block *block,
                              struct known_moment *from)
{
    struct passage **link = &block->passages;

    while (*link && (*link)->from != from)
        link = &(*link)->next_of_block;
    struct passage *passage = *link ? *link : make_passage(passages, block, from);
    if (!passage)
        return NULL;
    if (*link)
        *link = passage->next_of_block;
    passage->next_of_block = block->passages;
    block->passages = passage;
    return passage;
}

void passages_add(struct passages *passages, struct pipeline *pipeline, struct known_moment *to)
{
    struct pipeline_span span = {0};

    for (struct passage *passage = passages->listed; passage; passage = passage->next_listed) {
        uint64_t count = passage->count;
        span.instructions += count * passage->block->count;
        span.cycles += count * passage->cycles;
        for (unsigned i = 0; i < STALL_COUNT; i++)
            span.stalls[i] += count * passage->stalls[i];
        passage->total += count;
        passage->count = 0;
        passage->is_listed = false;
    }
    passages->listed = NULL;
    pipeline_skip(pipeline, &span, &to->moment);
}

void passages_tell(struct passages *passages)
{
    struct pipeline_moment ignored;

    for (struct passage *passage = passages->all; passage; passage = passage->next)
        if (passage->total)
            compute(passages, passage->block, passage->from, passage->total, &ignored);
}
