/* See feed.h. */
#include "emu/timing/feed.h"

#include "emu/machine.h"
#include "emu/observe/observe.h"
#include "emu/timing/execution.h"
#include "emu/timing/feed_blocks.h"
#include "emu/workers/workers.h"
#include "instruction_ids.h"
#include "isa_ids.h"
#include "lib/isa.h"
#include "lib/trace/log.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Finds the ranges that follow from the operands. Those of a tile in memory are one, from its first
 * row to the end of its last one. Returns false if there are others. */
static bool find_ranges(struct feed *feed, const struct config *config, const struct site *site)
{
    struct execution_value *value = &feed->value;

    value->config = config;
    value->pc = site->at.pc;
    memcpy(value->operands, feed->operands, sizeof value->operands);
    return execution_value(value, site->id) && value->is_complete;
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
    feed->has_ranges = site->is_recorded && find_ranges(feed, &machine->config, site);
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

/* ---- the threads of a barrel ---- */

/* Sets the bytes that a scalar instruction will access; where the operands do not say it, all. */
static void expect_ranges(struct feed *feed, const struct config *config, const struct site *site,
                          struct pipeline_instruction *instruction)
{
    static const struct range all = {0, UINT64_MAX, true};
    bool is_known = find_ranges(feed, config, site);

    instruction->ranges = is_known ? feed->value.ranges : &all;
    instruction->range_count = is_known ? feed->value.range_count : 1;
}

/* Does it depend on the operands of the instruction what it may have to wait for? */
static bool needs_operands(const struct feed *feed, const struct site *site)
{
    return site->common.model.walk || (site->has_memory && site->common.model.unit < 0 &&
                                       pipeline_needs_ranges(feed->pipeline));
}

/* Fills that in, for the thread whose registers are in the hart. */
static void fill_operands(struct feed *feed, const struct hart *hart, const struct site *site,
                          struct pipeline_instruction *instruction)
{
    execution_values(hart, site->common.instruction, site->common.fields, feed->operands);
    if (instruction->walk)
        instruction->row = (unsigned)feed->operands[site->common.row];
    if (site->has_memory && instruction->unit < 0 && pipeline_needs_ranges(feed->pipeline))
        expect_ranges(feed, feed->sites.config, site, instruction);
}

static enum pipeline_stall look(struct keeper *keeper, struct machine *machine, uint64_t turn)
{
    struct feed *feed = (struct feed *)keeper;
    struct decoded record = {0};

    code_decode(&machine->code, &record, machine->hart.pc);
    const struct site *site = sites_of_record(&feed->sites, &record);
    struct pipeline_instruction instruction = site->common.model;
    if (site->id == ISA_ID_ECALL && !machine->bare.active)
        timed_word_call(&instruction);
    if (needs_operands(feed, site))
        fill_operands(feed, &machine->hart, site, &instruction);
    return pipeline_look(feed->pipeline, (unsigned)workers_self(machine), &instruction, turn);
}

static bool may_look(struct keeper *keeper)
{
    const struct feed *feed = (const struct feed *)keeper;

    return !keeper->is_recorded && !feed->has_observer && !pipeline_is_observed(feed->pipeline);
}

static void pass(struct keeper *keeper, unsigned thread, enum pipeline_stall stall, uint64_t turn)
{
    pipeline_pass(((struct feed *)keeper)->pipeline, thread, stall, turn);
}

static uint64_t settled(struct keeper *keeper, unsigned thread, uint64_t turn, uint64_t pc)
{
    struct feed *feed = (struct feed *)keeper;
    bool is_expected = pc == feed->expected[thread]; /* else there was a signal */

    return is_expected && pipeline_is_free(feed->pipeline, turn)
               ? pipeline_settled(feed->pipeline, thread)
               : UINT64_MAX;
}

static bool may_rotate(struct keeper *keeper, struct machine *machine)
{
    const struct feed *feed = (const struct feed *)keeper;
    uint64_t now = workers_turn(machine);

    if (!may_look(keeper))
        return false;
    for (uint64_t turn = now; turn < now + feed->threads - 1; turn++) {
        unsigned thread = workers_thread_of_turn(machine, turn);
        if (workers_context_of_turn(machine, turn) &&
            settled(keeper, thread, now, workers_pc(machine, thread)) > turn)
            return false;
    }
    return true;
}

static enum pipeline_stall look_in_block(struct keeper *keeper, unsigned thread,
                                         const struct hart *hart, const struct turn_block *block,
                                         unsigned index, uint64_t turn)
{
    struct feed *feed = (struct feed *)keeper;
    const struct site *site = feed_turns_site(block, index);

    feed->looked = &site->common.model;
    if (needs_operands(feed, site)) {
        feed->walk = site->common.model;
        fill_operands(feed, hart, site, &feed->walk);
        feed->looked = &feed->walk;
    }
    return pipeline_look(feed->pipeline, thread, feed->looked, turn);
}

static void issue(struct keeper *keeper, unsigned thread, const struct turn_block *block,
                  unsigned index, uint64_t turn, uint64_t pc)
{
    struct feed *feed = (struct feed *)keeper;
    const struct site *site = feed_turns_site(block, index);

    if (site->at.pc != feed->expected[thread]) /* a signal */
        pipeline_turn_thread(feed->pipeline, thread);
    pipeline_issue(feed->pipeline, thread, feed->looked, turn);
    if (pc != site->at.pc + site->at.length || sites_always_turns(site))
        pipeline_turn_thread(feed->pipeline, thread);
    feed->expected[thread] = pc;
    feed->leave = turn;
    feed->told = ++feed->added;
}

static struct turn_block *find_turn_block(struct keeper *keeper, const struct decoded *entry)
{
    return feed_turns_find(&((struct feed *)keeper)->turns, entry);
}

static struct pipeline_site *quick_site(struct keeper *keeper, const struct decoded *record)
{
    return feed_turns_quick_site(&((struct feed *)keeper)->turns, record);
}

static struct pipeline_site *timed_site(struct keeper *keeper, const struct decoded *record)
{
    return feed_turns_timed_site(&((struct feed *)keeper)->turns, record);
}

static uint32_t find_time(struct keeper *keeper, unsigned thread, uint64_t now, uint64_t turn,
                          uint64_t pc)
{
    struct feed *feed = (struct feed *)keeper;
    struct pipeline_thread_moment moment;

    return pc == feed->expected[thread] && pipeline_is_free(feed->pipeline, now) &&
                   pipeline_take_thread(feed->pipeline, thread, turn, &moment)
               ? feed_turns_find_time(&feed->turns, &moment)
               : NO_TIME;
}

static void skipped(struct feed *feed, unsigned thread, uint64_t instructions, uint64_t last,
                    uint64_t pc)
{
    feed->expected[thread] = pc;
    feed->added = feed->told = feed->added + instructions;
    if (feed->leave < last)
        feed->leave = last;
}

static uint64_t skip(struct keeper *keeper, unsigned thread, uint64_t instructions, uint64_t turn,
                     uint32_t time, uint64_t pc)
{
    struct feed *feed = (struct feed *)keeper;
    const struct pipeline_thread_moment *moment = feed_turns_time(&feed->turns, time);

    pipeline_skip_turns(feed->pipeline, thread, instructions, turn, moment);
    skipped(feed, thread, instructions, turn - moment->since, pc);
    return turn - moment->since;
}

static void jump(struct keeper *keeper, unsigned thread, const struct decoded *record,
                 uint64_t turn, uint64_t pc)
{
    struct feed *feed = (struct feed *)keeper;
    const struct site *site = sites_of_record(&feed->sites, record);
    struct pipeline_instruction instruction = site->common.model;

    instruction.site = NULL;
    pipeline_issue(feed->pipeline, thread, &instruction, turn);
    if (pc != site->at.pc + site->at.length || sites_always_turns(site))
        pipeline_turn_thread(feed->pipeline, thread);
    skipped(feed, thread, 1, turn, pc);
}

static bool has_address(struct keeper *keeper, unsigned thread, const struct hart *hart,
                        const struct decoded *record, uint64_t turn)
{
    struct feed *feed = (struct feed *)keeper;
    const struct site *site = sites_of_record(&feed->sites, record);

    execution_values(hart, site->common.instruction, site->common.fields, feed->operands);
    feed->walk = site->common.model;
    feed->walk.row = (unsigned)feed->operands[site->common.row];
    return pipeline_has_address(feed->pipeline, thread, &feed->walk, turn);
}

static void take_address(struct keeper *keeper, unsigned thread, uint64_t turn)
{
    const struct feed *feed = (const struct feed *)keeper;

    pipeline_take_address(feed->pipeline, thread, &feed->walk, turn);
}

static void rotate(struct keeper *keeper, unsigned thread, uint64_t instructions, uint64_t last,
                   uint64_t pc)
{
    struct feed *feed = (struct feed *)keeper;

    pipeline_rotate(feed->pipeline, thread, instructions, last);
    feed->expected[thread] = pc;
    feed->added = feed->told = feed->added + instructions;
    if (feed->leave < last)
        feed->leave = last;
}

static void rest(struct keeper *keeper, unsigned thread, enum pipeline_stall stall, uint64_t turns)
{
    pipeline_rest(((struct feed *)keeper)->pipeline, thread, stall, turns);
}

static void start(struct keeper *keeper, unsigned thread, uint64_t pc)
{
    struct feed *feed = (struct feed *)keeper;

    feed->expected[thread] = pc;
    pipeline_start(feed->pipeline, thread);
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
        settings.walk.rows *= settings.threads;
    }
    feed->threads = settings.threads;
    feed->keeper = (struct keeper){.before = before,
                                   .after = after,
                                   .is_plain = is_plain,
                                   .log = log_one,
                                   .clock = clock_of,
                                   .performance = performance,
                                   .look = look,
                                   .pass = pass,
                                   .may_rotate = may_rotate,
                                   .may_look = may_look,
                                   .find_turn_block = find_turn_block,
                                   .settled = settled,
                                   .look_in_block = look_in_block,
                                   .issue = issue,
                                   .quick_site = quick_site,
                                   .timed_site = timed_site,
                                   .find_time = find_time,
                                   .skip = skip,
                                   .jump = jump,
                                   .has_address = has_address,
                                   .take_address = take_address,
                                   .rotate = rotate,
                                   .rest = rest,
                                   .start = start,
                                   .may_skip = may_skip,
                                   .find_block = find_block,
                                   .enter = enter,
                                   .interrupt = interrupt};
    feed->sites.arena = arena;
    feed->sites.config = &machine->config;
    feed->sites.code = &machine->code;
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
