/* See region.h.
 *
 * The search collects leaders, the instructions that begin basic blocks. Decoding from a leader to
 * the end of its block finds more leaders. At the end the leaders are sorted, and each block is cut
 * at the next leader, so that every instruction is in one block only. */
#include "emu/native/region.h"
#include "lib/map.h"
#include <stdlib.h>

struct leader {
    uint64_t pc;
    bool is_entry;
};

struct search {
    struct region *region;
    const struct code *code;
    struct leader *leaders; /* in the order in which they were found */
    size_t count, capacity;
    struct map places; /* pc (8 bytes) → place in `leaders`, plus 1 */
    size_t instructions;
    bool everywhere;
};

static void add_leader(struct search *search, uint64_t pc, bool is_entry)
{
    struct map_entry *entry = map_entry(&search->places, (const char *)&pc, sizeof pc);
    size_t place = (size_t)(uintptr_t)entry->value;

    if (!place) {
        if (!search->everywhere && !code_known(search->code, pc))
            return;
        search->leaders = arena_grow(search->region->arena, search->leaders, search->count,
                                     &search->capacity, sizeof *search->leaders);
        search->leaders[search->count++] = (struct leader){pc, false};
        place = search->count;
        entry->value = (void *)(uintptr_t)place;
    }
    search->leaders[place - 1].is_entry |= is_entry;
}

/* ---- what an instruction does to the flow ---- */

static const struct isa_instruction *instruction_of(const struct decoded *record)
{
    return record->id < PSEUDO_FIRST ? &isa_instructions[record->id] : NULL;
}

static bool find_target(const struct decoded *record, uint64_t *target)
{
    const struct isa_instruction *instruction = instruction_of(record);

    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].type->kind == ISA_TARGET) {
            *target = record->pc + record->imm[instruction->operands[i].slot_index];
            return true;
        }
    return false;
}

static bool is_jump(const struct decoded *record)
{
    return strcmp(instruction_of(record)->timing->name, "jump") == 0;
}

/* Is it a jump that saves a return address? */
static bool is_call(const struct decoded *record)
{
    const struct isa_instruction *instruction = instruction_of(record);

    for (unsigned i = 0; is_jump(record) && i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (operand->type->kind == ISA_REGISTER && operand->type->access & ISA_WRITE &&
            operand->type->file->standard == ISA_STANDARD_INTEGER)
            return record->r[operand->slot_index] != SINK;
    }
    return false;
}

/* ---- the search ---- */

/* Adds the targets that an indirect jump had so far. */
static void add_hops(struct search *search, uint64_t from)
{
    for (size_t i = 0; i < CODE_HOPS; i++)
        if (search->code->hops[i].from == from)
            add_leader(search, search->code->hops[i].to, true);
}

static void add_successors(struct search *search, const struct decoded *last)
{
    uint64_t after = last->pc + last->length;
    bool is_branch = strcmp(instruction_of(last)->timing->name, "branch") == 0;
    uint64_t target;

    if (find_target(last, &target))
        add_leader(search, target, target <= last->pc || is_call(last));
    else
        add_hops(search, last->pc);
    if (!is_jump(last) || is_call(last))
        add_leader(search, after, !is_branch);
}

static void scan(struct search *search, uint64_t leader)
{
    struct decoded record = {0};
    uint64_t pc = leader;

    for (;;) {
        record = (struct decoded){0};
        bool open = code_decode(search->code, &record, pc);
        if (record.id >= PSEUDO_FIRST)
            return;
        search->instructions++;
        pc += record.length;
        if (!open)
            break;
        if (pc - leader >= MEMORY_PAGE || (pc ^ leader) >> MEMORY_PAGE_BITS) {
            add_leader(search, pc, false);
            return;
        }
    }
    add_successors(search, &record);
}

int compare_pcs(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

/* ---- the blocks ---- */

static void make_block(struct search *search, const struct leader *leader, uint64_t next_leader)
{
    struct region *region = search->region;
    struct region_block block = {.pc = leader->pc, .is_entry = leader->is_entry};
    struct decoded record;
    size_t capacity = 0;
    bool open = true;

    block.end = block.pc;
    do {
        record = (struct decoded){0};
        open = code_decode(search->code, &record, block.end);
        if (record.id >= PSEUDO_FIRST)
            break;
        block.records =
            arena_grow(region->arena, block.records, block.count, &capacity, sizeof *block.records);
        block.records[block.count++] = record;
        block.end += record.length;
        if (!open)
            break;
    } while (block.end != next_leader && !((block.end ^ block.pc) >> MEMORY_PAGE_BITS) &&
             block.count < BLOCK_LIMIT);
    if (!block.count)
        return;
    if (!open) {
        block.has_target = find_target(&block.records[block.count - 1], &block.target);
        block.is_indirect = !block.has_target;
    }
    region->blocks = arena_grow(region->arena, region->blocks, region->count, &region->capacity,
                                sizeof *region->blocks);
    region->blocks[region->count++] = block;
    region->instructions += block.count;
}

struct region_block *region_block_at(const struct region *region, uint64_t pc)
{
    return region->count
               ? bsearch(&pc, region->blocks, region->count, sizeof *region->blocks, compare_pcs)
               : NULL;
}

static void find_guesses(const struct search *search, struct region_block *block)
{
    uint64_t from = block->records[block->count - 1].pc;

    for (size_t i = 0; i < CODE_HOPS; i++) {
        const struct code_hop *hop = &search->code->hops[i];
        if (hop->from != from || !region_block_at(search->region, hop->to))
            continue;
        if (block->guess_count == REGION_GUESSES) {
            block->guess_count = 0;
            return;
        }
        block->guesses[block->guess_count++] = hop->to;
    }
    qsort(block->guesses, block->guess_count, sizeof *block->guesses, compare_pcs);
}

static void mark_heads(struct region *region)
{
    for (size_t i = 0; i < region->count; i++) {
        const struct region_block *block = &region->blocks[i];
        struct region_block *target =
            block->has_target ? region_block_at(region, block->target) : NULL;
        if (target && target->pc <= block->pc)
            target->is_head = true;
        for (size_t k = 0; k < block->guess_count; k++)
            region_block_at(region, block->guesses[k])->is_head = true;
    }
}

static size_t longest_from(const struct region *region, uint64_t pc)
{
    const struct region_block *block = region_block_at(region, pc);

    return block && !block->is_head ? block->longest : 0;
}

/* Paths between loop headers only lead forward, so one pass from the last block to the first
 * suffices. */
static void find_longest(struct region *region)
{
    for (size_t i = region->count; i-- > 0;) {
        struct region_block *block = &region->blocks[i];
        size_t next = longest_from(region, block->end);
        size_t target = block->has_target ? longest_from(region, block->target) : 0;
        block->longest = block->count + (next > target ? next : target);
    }
}

bool region_find(struct region *region, struct arena *arena, const struct code *code, uint64_t pc,
                 size_t limit, bool everywhere)
{
    struct search search = {.region = region, .code = code, .everywhere = everywhere};

    *region = (struct region){.arena = arena};
    map_init(&search.places, arena);
    add_leader(&search, pc, true);
    for (size_t i = 0; i < search.count && search.instructions < limit; i++)
        scan(&search, search.leaders[i].pc);
    if (search.count)
        qsort(search.leaders, search.count, sizeof *search.leaders, compare_pcs);
    for (size_t i = 0; i < search.count; i++)
        make_block(&search, &search.leaders[i],
                   i + 1 < search.count ? search.leaders[i + 1].pc : UINT64_MAX);
    for (size_t i = 0; i < region->count; i++)
        if (region->blocks[i].is_indirect)
            find_guesses(&search, &region->blocks[i]);
    mark_heads(region);
    find_longest(region);
    return region->count != 0;
}
