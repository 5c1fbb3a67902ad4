/* See feed_barrel.h. */
#include "emu/timing/feed_barrel.h"

#include "emu/machine.h"
#include "emu/timing/execution.h"
#include "emu/timing/feed.h"
#include "emu/workers/workers.h"
#include "standard_ids.h"

/* Sets the bytes that a scalar instruction will access; where the operands do not say it, all. */
static void expect_ranges(struct feed *feed, const struct site *site,
                          struct pipeline_instruction *instruction)
{
    static const struct range all = {0, UINT64_MAX, true};
    bool is_known = sites_find_ranges(&feed->sites, site, feed->operands, &feed->value);

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
        expect_ranges(feed, site, instruction);
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

static uint64_t skip(struct keeper *keeper, unsigned thread, uint64_t instructions, uint64_t shared,
                     uint64_t turn, uint32_t time, uint64_t pc)
{
    struct feed *feed = (struct feed *)keeper;
    const struct pipeline_thread_moment *moment = feed_turns_time(&feed->turns, time);

    pipeline_skip_turns(feed->pipeline, thread, instructions, shared, turn, moment);
    skipped(feed, thread, instructions, turn - moment->since, pc);
    return turn - moment->since;
}

static void retire(struct keeper *keeper, unsigned thread, const struct decoded *record,
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

static void rotate(struct keeper *keeper, unsigned thread, uint64_t instructions, uint64_t shared,
                   uint64_t last, uint64_t pc)
{
    struct feed *feed = (struct feed *)keeper;

    pipeline_rotate(feed->pipeline, thread, instructions, shared, last);
    skipped(feed, thread, instructions, last, pc);
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

void feed_barrel_keep(struct keeper *keeper)
{
    keeper->look = look;
    keeper->pass = pass;
    keeper->may_rotate = may_rotate;
    keeper->may_look = may_look;
    keeper->find_turn_block = find_turn_block;
    keeper->settled = settled;
    keeper->look_in_block = look_in_block;
    keeper->issue = issue;
    keeper->quick_site = quick_site;
    keeper->timed_site = timed_site;
    keeper->find_time = find_time;
    keeper->skip = skip;
    keeper->retire = retire;
    keeper->has_address = has_address;
    keeper->take_address = take_address;
    keeper->rotate = rotate;
    keeper->rest = rest;
    keeper->start = start;
}
