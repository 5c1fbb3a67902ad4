/* Blocks that are counted as a whole, because each execution costs the same. What their places are
 * due is told later, at once for many executions (profile_finish_runs). See profile.h. */
#include "emu/profile/parts.h"

static void begin_run(const struct profile *profile, struct profile_run *run,
                      const struct machine *machine, const struct decoded *record)
{
    *run = (struct profile_run){.pc = record->pc,
                                .drops = machine->code.drops,
                                .functions = profile->learned,
                                .function = profile_function(profile, record->pc),
                                .is_pending = run->is_pending,
                                .next = run->next};
}

static void extend_run(struct profile_run *run, const struct decoded *record,
                       struct profile_place *place)
{
    run->instructions++;
    run->read += place->read;
    run->written += place->written;
    run->length += place->length;
    run->last = place;
    run->has_jump = isa_instructions[record->id].effects & ISA_EFFECT_FLOW;
    run->has_branch = place->is_branch;
}

/* Makes the run of the block, if all its instructions are steady, were observed before, and belong
 * to one function. */
static struct profile_run *make_run(struct profile *profile, struct profile_run *run,
                                    const struct machine *machine, const struct decoded *record)
{
    const struct decoded *end = record + record->remaining;

    begin_run(profile, run, machine, record);
    for (const struct decoded *at = record; at < end; at++) {
        if (at->id >= PSEUDO_FIRST)
            return NULL;
        struct profile_place *place =
            profile_place(profile, at->pc, code_word(&machine->code, at), at->length);
        if (!place->is_usual || place->function != run->function)
            return NULL;
        extend_run(run, at, place);
    }
    return run;
}

/* Are the instructions of the block still those of the run? */
static bool is_same(const struct profile *profile, const struct machine *machine,
                    const struct profile_run *run, const struct decoded *record)
{
    if (run->instructions != record->remaining || run->functions != profile->learned)
        return false;
    for (unsigned i = 0; i < run->instructions; i++) {
        uint64_t pc = record[i].pc;
        const struct profile_place *place = profile_place_at(profile, pc);
        if (record[i].id >= PSEUDO_FIRST || place->word != code_word(&machine->code, &record[i]))
            return false;
    }
    return true;
}

struct profile_run *profile_find_run(struct profile *profile, const struct machine *machine,
                                     const struct decoded *record)
{
    struct profile_thread *thread = profile_thread(profile, machine);
    struct profile_place *page = profile->pages[code_pc(record) % MEMORY_CODE_LIMIT / PROFILE_PAGE];

    /* Only the first instruction tells the stack pointer of a handler or of a new thread. */
    if (!page || thread->depth == 0 || code_pc(record) != thread->expected)
        return NULL;
    struct profile_place *place = &page[record->pc % PROFILE_PAGE / 2];
    struct profile_run *run = place->run;
    if (run && run->instructions == record->remaining && run->functions == profile->learned &&
        run->drops == machine->code.drops)
        return run;
    if (run && run->instructions && is_same(profile, machine, run, record)) {
        run->drops = machine->code.drops;
        return run;
    }
    if (!run)
        place->run = run = arena_new(profile->arena, struct profile_run);
    profile_finish_run(profile, run);
    if (make_run(profile, run, machine, record))
        return run;
    run->instructions = 0;
    return NULL;
}

struct profile_run *profile_make_turns(struct profile *profile, const struct machine *machine,
                                       const struct decoded *entry,
                                       bool (*may_lend)(const struct machine *machine,
                                                        const struct decoded *record))
{
    const struct decoded *record = entry + 1, *end = record + entry->remaining;

    if (record->id >= PSEUDO_FIRST)
        return NULL;
    struct profile_run **run =
        &profile_place(profile, record->pc, code_word(&machine->code, record), record->length)->run;
    if (!*run)
        *run = arena_new(profile->arena, struct profile_run);
    profile_finish_run(profile, *run);
    begin_run(profile, *run, machine, record);
    (*run)->decoded = entry->remaining;
    (*run)->is_safe = isa_instructions[record->id].effects == 0;
    for (const struct decoded *at = record; at < end && at->id < PSEUDO_FIRST; at++) {
        struct profile_place *place =
            profile_place(profile, at->pc, code_word(&machine->code, at), at->length);
        if (place->function != (*run)->function || !(place->is_steady || may_lend(machine, at)))
            break;
        extend_run(*run, at, place);
    }
    return (*run)->instructions ? *run : NULL;
}

void profile_count_run(struct profile *profile, struct profile_thread *thread,
                       struct profile_run *run, uint64_t executed, uint64_t cycles, uint64_t next,
                       uint64_t stack)
{
    struct profile_frame *frame = profile_top(thread);

    if (frame->function != run->function && executed) {
        profile_replace(profile, thread, run->function);
        frame = profile_top(thread);
    }
    struct profile_cost *cost = &profile->nodes[frame->node].cost;
    if (__builtin_expect(executed < run->instructions, 0)) {
        uint64_t pc = run->pc;
        for (uint64_t i = 0; i < executed; i++) {
            struct profile_place *place = profile_place_at(profile, pc);
            cost->instructions++;
            cost->read += place->read;
            cost->written += place->written;
            pc += place->length;
            profile->last = place;
            profile->last_node = frame->node;
        }
        profile_tell_places(profile, run->pc, executed, 1);
        thread->expected = pc;
        return;
    }
    if (!run->is_pending) {
        run->is_pending = true;
        run->next = profile->pending;
        profile->pending = run;
    }
    run->count++;
    cost->instructions += run->instructions;
    cost->cycles += cycles;
    cost->read += run->read;
    cost->written += run->written;
    profile->last = run->last;
    profile->last_node = frame->node;
    if (run->has_jump && (!run->has_branch || next != run->pc + run->length)) {
        run->last->turned++;
        if (!run->has_branch || thread->depth > 1)
            profile_follow(profile, thread, run->last, stack,
                           run->pc + run->length - run->last->length, next);
    }
    thread->expected = next;
}
