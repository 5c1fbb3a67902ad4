/* The costs of instructions that are observed one by one. See profile.h. */
#include "emu/keeper.h"
#include "emu/profile/parts.h"
#include "emu/profile/stats.h"
#include "isa_ids.h"
#include <stdlib.h>

enum {
    FIRST_NODES = 1024,
};

void profile_add(struct profile_cost *sum, const struct profile_cost *cost)
{
    sum->instructions += cost->instructions;
    sum->cycles += cost->cycles;
    sum->read += cost->read;
    sum->written += cost->written;
    sum->products += cost->products;
}

static uint64_t count_products(const struct machine *machine)
{
    uint64_t products = 0;

    for (unsigned i = 0; i < ISA_ELEMENT_LIMIT; i++)
        products += machine->matrix.state.multiply_adds[i];
    return products;
}

/* Counts the operands of a tensor instruction. */
static void count_operands(struct profile *profile, struct machine *machine,
                           const struct profile_place *place, const struct recorder *recorder)
{
    struct operand_bins **bins = &profile->bins[place->id];

    if (!*bins)
        *bins = arena_new(profile->arena, struct operand_bins);
    operand_bins_count(*bins, &isa_instructions[place->id], place->word, machine, recorder,
                       profile->arena);
}

/* Returns what an instruction with these effects costs, besides that it is one, and its time. */
static struct profile_cost cost_of_effects(struct profile *profile, const struct machine *machine,
                                           const struct profile_place *place,
                                           const struct recorder *recorder)
{
    struct profile_cost cost = {0};

    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (effect->kind == EFFECT_LOAD || effect->kind == EFFECT_RANGE_READ)
            cost.read += effect->length;
        else if (effect->kind == EFFECT_STORE || effect->kind == EFFECT_RANGE_WRITE)
            cost.written += effect->length;
    }
    if (place->is_unit) {
        uint64_t products = count_products(machine);
        cost.products = products - profile->products;
        profile->products = products;
    }
    return cost;
}

static struct profile_cost cost_of(struct profile *profile, const struct machine *machine,
                                   const struct profile_place *place,
                                   const struct recorder *recorder)
{
    struct profile_cost cost = cost_of_effects(profile, machine, place, recorder);

    cost.instructions = 1;
    if (machine->keeper) {
        uint64_t clock = machine->keeper->clock(machine->keeper);
        cost.cycles = clock - profile->clock;
        profile->clock = clock;
    }
    return cost;
}

/* Did the steady instruction do nothing besides, e.g. an access of the environment? */
static bool is_usual(const struct profile_place *place, const struct recorder *recorder)
{
    unsigned accesses = 0;

    for (size_t i = 0; i < recorder->count; i++)
        accesses += recorder->effects[i].kind >= EFFECT_LOAD &&
                    recorder->effects[i].kind <= EFFECT_RANGE_WRITE;
    return place->is_steady && accesses == (unsigned)((place->read > 0) + (place->written > 0));
}

void profile_count(struct profile *profile, struct machine *machine,
                   const struct observed *observed, const struct recorder *recorder,
                   bool is_system_call)
{
    struct profile_thread *thread = profile_thread(profile, machine);
    struct profile_place *place =
        profile_place(profile, observed->record.pc, observed->record.word, observed->record.length);
    uint64_t next = observed->record.pc + observed->record.length;

    uint64_t stack = machine->hart.x[ISA_REGISTER_SP];
    profile_arrive(profile, thread, place, stack, observed->record.pc);
    struct profile_cost cost = cost_of(profile, machine, place, recorder);
    place->is_usual |= is_usual(place, recorder);
    if (place->has_bins && recorder->keeps_reads)
        count_operands(profile, machine, place, recorder);
    profile->last = place;
    profile->last_node = profile_top(thread)->node;
    profile_add(&place->cost, &cost);
    profile_add(&profile->nodes[profile->last_node].cost, &cost);
    if (is_system_call) {
        next = machine->hart.pc;
        profile_leave_handler(profile, thread, next);
    } else if (observed->has_turned) {
        next = machine->execution.destination;
        place->turned++;
        profile_follow(profile, thread, place, stack, observed->record.pc, next);
    }
    thread->expected = next;
}

void profile_count_lent(struct profile *profile, struct machine *machine, uint64_t pc,
                        const struct recorder *recorder)
{
    struct profile_place *place = profile_place_at(profile, pc);

    if (place->is_steady) {
        if (profile->stats)
            stats_look(profile->stats, &isa_instructions[place->id], recorder);
        return;
    }
    struct profile_cost cost = cost_of_effects(profile, machine, place, recorder);
    if (place->has_bins && recorder->keeps_reads)
        count_operands(profile, machine, place, recorder);
    profile_add(&place->cost, &cost);
    profile_add(&profile->nodes[profile_top(profile_thread(profile, machine))->node].cost, &cost);
    if (profile->stats)
        stats_count_effects(profile->stats, &isa_instructions[place->id], recorder);
}

void profile_time(struct profile *profile, uint64_t pc, uint64_t cycles)
{
    profile_place_at(profile, pc)->cost.cycles += cycles;
}

void profile_time_one(struct profile *profile, uint64_t pc, uint64_t cycles)
{
    profile_time(profile, pc, cycles);
    profile->nodes[profile_top(profile->thread)->node].cost.cycles += cycles;
}

void profile_begin_one(struct profile *profile, const struct profile_thread *thread, uint64_t pc)
{
    profile->begun = profile_place_at(profile, pc);
    profile->begun_node = profile_top(thread)->node;
}

void profile_end_one(struct profile *profile, uint64_t turn)
{
    uint64_t cycles = profile->is_timed ? turn - profile->clock : 0;

    profile->ended = profile->begun;
    profile->ended_node = profile->begun_node;
    profile->ended->cost.cycles += cycles;
    profile->nodes[profile->ended_node].cost.cycles += cycles;
    profile->clock += cycles;
}

void profile_end_turns(struct profile *profile)
{
    if (!profile->ended)
        return;
    profile->last = profile->ended;
    profile->last_node = profile->ended_node;
    profile->ended = NULL;
}

void profile_trap(struct profile *profile, const struct machine *machine, uint64_t pc)
{
    profile_thread(profile, machine)->expected = pc;
}

void profile_finish(struct profile *profile, uint64_t cycles)
{
    struct profile_cost rest = {.cycles = cycles - profile->clock};

    profile_finish_runs(profile);
    if (!profile->last || cycles <= profile->clock)
        return;
    profile_add(&profile->last->cost, &rest);
    profile_add(&profile->nodes[profile->last_node].cost, &rest);
}

void profile_init(struct profile *profile, const struct program *program,
                  const struct machine *machine, struct arena *arena)
{
    *profile = (struct profile){.arena = arena,
                                .program = program,
                                .node_count = 1,
                                .node_capacity = FIRST_NODES,
                                .table_size = FIRST_NODES * 2,
                                .is_timed = machine->keeper != NULL,
                                .products = count_products(machine)};
    profile->pages = profile_need(calloc(MEMORY_CODE_LIMIT / PROFILE_PAGE, sizeof *profile->pages));
    profile->nodes = profile_need(calloc(profile->node_capacity, sizeof *profile->nodes));
    profile->table = profile_need(calloc(profile->table_size, sizeof *profile->table));
    profile->bins = arena_array(arena, isa_instruction_count, sizeof *profile->bins);
    if (program)
        profile_find_functions(profile);
}
