/* See feed.h. */
#include "emu/timing/feed.h"

#include "emu/machine.h"
#include "emu/observe/observe.h"
#include "emu/timing/execution.h"
#include "emu/timing/feed_barrel.h"
#include "emu/timing/feed_blocks.h"
#include "emu/workers/workers.h"
#include "isa_ids.h"
#include "lib/isa.h"
#include "lib/trace/log.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- regions ---- */

static void subtract(uint64_t *sums, const uint64_t *end, const uint64_t *start, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += end[i] - start[i];
}

static void end_region(struct feed *feed, uint64_t pc, const struct pipeline_counters *now)
{
    struct region *region = NULL;
    const struct pipeline_counters *start = &feed->region_start;

    for (size_t i = 0; i < feed->region_count; i++)
        if (feed->regions[i].from == feed->region_pc && feed->regions[i].to == pc)
            region = &feed->regions[i];
    if (!region && feed->region_count < FEED_REGIONS) {
        region = &feed->regions[feed->region_count++];
        *region = (struct region){.from = feed->region_pc, .to = pc};
    }
    if (!region)
        return;
    region->count++;
    region->counters.cycles += now->cycles - start->cycles;
    region->counters.instructions += now->instructions - start->instructions;
    region->counters.issued += now->issued - start->issued;
    subtract(region->counters.stalls, now->stalls, start->stalls, STALL_ALL);
    subtract(region->counters.units[0], now->units[0], start->units[0],
             PIPELINE_UNITS * (size_t)UNIT_STATES);
}

/* A region ends and another one begins before the instruction that left D in feed->leave. */
static void bound_region(struct feed *feed, uint64_t pc, bool begins)
{
    struct pipeline_counters now = pipeline_count(feed->pipeline, feed->leave);

    now.instructions--;
    now.issued--;
    if (!feed->has_bounds || feed->is_in_region)
        end_region(feed, pc, &now);
    feed->has_region = true;
    feed->is_in_region = begins;
    feed->region_pc = pc;
    feed->region_start = now;
}

static void look_for_region(struct feed *feed, const struct site *site)
{
    if (!feed->has_bounds) {
        if (site->is_region)
            bound_region(feed, site->at.pc, true);
    } else if (feed->is_in_region && feed->has_to && site->at.pc == feed->to) {
        bound_region(feed, site->at.pc, feed->has_from && feed->from == feed->to);
    } else if (feed->has_from && site->at.pc == feed->from) {
        bound_region(feed, site->at.pc, true);
    }
}

/* ---- an instruction ---- */

static inline void add(struct feed *feed, const struct pipeline_instruction *instruction,
                       const struct site *site)
{
    if (feed->threads) {
        pipeline_issue(feed->pipeline, feed->thread, instruction, feed->turn);
        feed->leave = feed->turn;
    } else {
        feed->leave = pipeline_add(feed->pipeline, instruction);
    }
    feed->is_added = true;
    feed->added++;
    if (site->is_region || feed->has_bounds)
        look_for_region(feed, site);
}

/* Control does not go to the next instruction in memory. */
static void turn(struct feed *feed)
{
    if (feed->threads)
        pipeline_turn_thread(feed->pipeline, feed->thread);
    else
        pipeline_turn(feed->pipeline);
}

static void before(struct keeper *keeper, struct machine *machine, const struct decoded *record)
{
    struct feed *feed = (struct feed *)keeper;
    struct site *site = feed->site = sites_of_record(&feed->sites, record);

    feed_blocks_end(&feed->blocks);
    if (feed->threads) {
        feed->thread = (unsigned)workers_self(machine);
        feed->turn = workers_turn(machine);
    }
    if (code_pc(record) != feed->expected[feed->thread])
        turn(feed); /* an interrupt or a signal */
    if (site->is_prepared)
        execution_values(&machine->hart, site->common.instruction, site->common.fields,
                         feed->operands);
    feed->has_ranges =
        site->is_recorded && sites_find_ranges(&feed->sites, site, feed->operands, &feed->value);
    machine->port.without_digests = !keeper->is_recorded;
    if (!keeper->is_recorded) {
        bool is_recorded = (site->is_recorded && !feed->has_ranges) ||
                           (site->has_memory && pipeline_needs_ranges(feed->pipeline));
        machine->recorder = machine->port.recorder = is_recorded ? feed->recorder : NULL;
    }
    feed->is_added = false;
    if (site->is_csr) {
        add(feed, &site->common.model, site);
        machine->hart.cycle = feed->leave;
    }
}

static void make_room(struct feed *feed, size_t count)
{
    if (count <= feed->range_capacity)
        return;
    struct range *ranges = reallocarray(feed->ranges, count, sizeof *ranges);
    if (!ranges) {
        fputs("temu: error: out of memory\n", stderr);
        exit(1);
    }
    feed->ranges = ranges;
    feed->range_capacity = count;
}

/* Collects the ranges of the recorder. */
static size_t collect_ranges(struct feed *feed, const struct recorder *recorder,
                             struct timed *timed)
{
    size_t count = 0;

    if (!recorder)
        return 0;
    make_room(feed, recorder->count);
    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        bool is_read = effect->kind == EFFECT_LOAD || effect->kind == EFFECT_RANGE_READ;
        bool is_write = effect->kind == EFFECT_STORE || effect->kind == EFFECT_RANGE_WRITE;
        if (!is_read && !is_write)
            continue;
        feed->ranges[count++] = (struct range){effect->address, effect->length, is_write};
        *(is_write ? &timed->bytes_written : &timed->bytes_read) += effect->length;
    }
    return count;
}

static uint64_t count_products(const struct machine *machine)
{
    uint64_t products = 0;

    for (unsigned i = 0; i < ISA_ELEMENT_LIMIT; i++)
        products += machine->matrix.state.multiply_adds[i];
    return products;
}

/* Returns how many addresses the nest has that begins at the row; 0: it is not a nest. */
static uint64_t count_addresses(const struct machine *machine, uint64_t row)
{
    const struct traversal_state *state = &machine->traversal.state;
    uint64_t total = 0;

    for (uint64_t at = row; at < state->row_count && state->row[row].nest &&
                            state->row[at].nest == state->row[row].nest;
         at++) {
        uint64_t addresses = 1;
        for (unsigned dim = 0; dim < state->row[at].dims; dim++) {
            int64_t step = state->row[at].dim[dim].step;
            int64_t length = state->row[at].dim[dim].end - state->row[at].dim[dim].init;
            addresses *= step ? (uint64_t)(length / step) : 1;
        }
        total += addresses;
    }
    return total;
}

/* Fills in what depends on the execution. */
static void describe_execution(struct feed *feed, struct machine *machine, const struct site *site,
                               struct pipeline_instruction *instruction, bool has_trapped)
{
    struct execution_state state = execution_state(machine);
    struct timed timed = {.config = &machine->config,
                          .state = &state.state,
                          .id = site->id,
                          .operands = feed->operands};
    uint64_t products = count_products(machine);

    if (feed->has_ranges && !has_trapped) {
        instruction->range_count = feed->value.range_count;
        instruction->ranges = feed->value.ranges;
        timed.bytes_read = feed->value.bytes_read;
        timed.bytes_written = feed->value.bytes_written;
    } else {
        instruction->range_count = collect_ranges(feed, machine->recorder, &timed);
        instruction->ranges = feed->ranges;
    }
    instruction->has_trapped = has_trapped;
    timed.network_cycles = machine->sparse.network_cycles;
    if (has_trapped) {
        instruction->walk = WALK_NONE;
        return;
    }
    timed_word_execute(&site->common, instruction, &timed,
                       instruction->walk == WALK_BEGIN
                           ? count_addresses(machine, feed->operands[site->common.row])
                           : 0);
    if (instruction->unit < 0)
        return;
    feed->ports[instruction->unit].read += timed.bytes_read;
    feed->ports[instruction->unit].written += timed.bytes_written;
    ((struct site *)site)->products += products - feed->products;
    feed->products = products;
}

/* Counts the instruction that the observer will be told of. */
static void count_told(struct feed *feed)
{
    feed->keeper.timed = feed->has_observer && feed->added != feed->told ? feed->added : 0;
    feed->told = feed->added;
}

static void after(struct keeper *keeper, struct machine *machine, const struct observed *observed,
                  const struct fault *trap)
{
    struct feed *feed = (struct feed *)keeper;
    struct site *site = feed->site;
    bool is_call = trap && trap->cause == CAUSE_USER_ECALL && !machine->bare.active;
    bool has_trapped = trap && !is_call;

    if (!feed->is_added && !site->is_prepared && !machine->recorder && !trap) {
        add(feed, &site->common.model, site);
    } else if (!feed->is_added) {
        struct pipeline_instruction instruction = site->common.model;
        if (is_call)
            timed_word_call(&instruction);
        else
            describe_execution(feed, machine, site, &instruction, has_trapped);
        add(feed, &instruction, site);
    }
    count_told(feed);
    uint64_t *expected = &feed->expected[feed->thread];
    *expected = observed->record.pc + observed->record.length;
    if (observed->has_turned || has_trapped) {
        turn(feed);
        *expected = machine->execution.destination;
    }
    if (is_call || has_trapped)
        *expected = machine->hart.pc;
}

/* ---- a log of instructions ---- */

static bool is_plain(struct keeper *keeper, const struct decoded *record)
{
    struct feed *feed = (struct feed *)keeper;

    return feed_blocks_is_plain(&feed->blocks, sites_of_record(&feed->sites, record));
}

static void log_one(struct keeper *keeper, const struct log_step *step,
                    const struct recorder *recorder, uint64_t next)
{
    struct feed *feed = (struct feed *)keeper;
    struct site *site = sites_find(&feed->sites, step->pc, step->word, step->length);
    uint64_t *expected = &feed->expected[0];

    feed_blocks_end(&feed->blocks);
    if (step->pc != *expected)
        turn(feed); /* an interrupt or a signal */
    if (site->has_memory && pipeline_needs_ranges(feed->pipeline)) {
        struct pipeline_instruction instruction = site->common.model;
        struct timed timed = {0};
        instruction.range_count = collect_ranges(feed, recorder, &timed);
        instruction.ranges = feed->ranges;
        add(feed, &instruction, site);
    } else {
        add(feed, &site->common.model, site);
    }
    count_told(feed);
    *expected = next;
    if (next != step->pc + step->length || sites_always_turns(site))
        turn(feed);
}

/* ---- blocks that are timed as a whole ---- */

static bool may_skip(struct keeper *keeper, const struct decoded *record)
{
    struct feed *feed = (struct feed *)keeper;

    return feed_blocks_may_skip(&feed->blocks, sites_of_record(&feed->sites, record));
}

static struct timed_block *find_block(struct keeper *keeper, const struct decoded *records,
                                      unsigned count)
{
    return feed_blocks_find(&((struct feed *)keeper)->blocks, records, count);
}

static struct passage *enter(struct keeper *keeper, struct timed_block *block)
{
    return feed_blocks_enter(&((struct feed *)keeper)->blocks, block);
}

static void interrupt(struct keeper *keeper, unsigned executed, bool has_trapped, uint64_t pc)
{
    feed_blocks_interrupt(&((struct feed *)keeper)->blocks, executed, has_trapped, pc);
}

/* ---- the counters ---- */

static bool is_busy(const struct keeper *keeper)
{
    return pipeline_needs_ranges(((const struct feed *)keeper)->pipeline);
}

static uint64_t clock_of(const struct keeper *keeper)
{
    return ((const struct feed *)keeper)->leave;
}

static uint64_t performance(const struct keeper *keeper, unsigned index)
{
    const struct feed *feed = (const struct feed *)keeper;
    struct pipeline_counters now = pipeline_count(feed->pipeline, feed->leave);

    index -= 3;
    if (index < STALL_COUNT)
        return now.stalls[index];
    index -= STALL_COUNT;
    return index / UNIT_EMPTY < time_unit_count ? now.units[index / UNIT_EMPTY][index % UNIT_EMPTY]
                                                : 0;
}

/* ---- the run ---- */

bool feed_init(struct feed *feed, struct machine *machine, struct arena *arena,
               struct recorder *recorder)
{
    struct pipeline_settings settings = timed_word_settings(&machine->config);

    if (machine->workers) {
        settings.threads = (unsigned)machine->config.barrel_workers + 1;
        settings.per_turn = machine->workers->is_paired ? 2 : 1;
        settings.walk.rows *= settings.threads;
    }
    feed->threads = settings.threads;
    feed->keeper = (struct keeper){.before = before,
                                   .after = after,
                                   .is_plain = is_plain,
                                   .log = log_one,
                                   .is_busy = is_busy,
                                   .clock = clock_of,
                                   .performance = performance,
                                   .may_skip = may_skip,
                                   .find_block = find_block,
                                   .enter = enter,
                                   .interrupt = interrupt};
    feed_barrel_keep(&feed->keeper);
    sites_init(&feed->sites, &machine->config, &machine->code, arena);
    feed->recorder = recorder;
    feed->expected[0] = machine->hart.pc;
    feed->has_bounds = feed->has_from || feed->has_to;
    feed->is_in_region = !feed->has_from;
    feed->pipeline = pipeline_new(&settings);
    machine->sparse.times = (struct sparse_times){
        machine->config.sparse_hop, machine->config.sparse_link, machine->config.sparse_fetch};
    machine->keeper = &feed->keeper;
    machine->hart.is_timed = true;
    feed->blocks = (struct feed_blocks){
        .machine = machine,
        .times = &feed->keeper.blocks,
        .arena = arena,
        .sites = &feed->sites,
        .pipeline = feed->pipeline,
        .expected = &feed->expected[0],
        .leave = &feed->leave,
        .bounds = {feed->has_from ? feed->from : NOWHERE, feed->has_to ? feed->to : NOWHERE},
    };
    feed->turns = (struct feed_turns){
        .arena = arena,
        .sites = &feed->sites,
        .pipeline = feed->pipeline,
        .bounds = feed->blocks.bounds,
    };
    return feed->pipeline && feed_blocks_init(&feed->blocks, &settings);
}

void feed_finish(struct feed *feed)
{
    feed_blocks_finish(&feed->blocks);
    feed_turns_finish(&feed->turns);
    feed->counters = pipeline_finish(feed->pipeline);
    if (feed->has_bounds ? feed->is_in_region : feed->has_region)
        end_region(feed, 0, &feed->counters);
}
