/* Blocks that are counted as a whole, because each execution costs the same. What their places are
 * due is told later, at once for many executions (profile_finish_runs). See profile.h. */
#include "emu/profile/parts.h"

/* Makes the run of the block, if all its instructions are steady, were observed before, and belong
 * to one function. */
static struct profile_run *make_run(struct profile *profile, struct profile_run *run,
                                    const struct machine *machine, const struct decoded *record)
{
    const struct decoded *end = record + record->remaining;

    *run = (struct profile_run){.pc = record->pc,
                                .drops = machine->code.drops,
                                .functions = profile->learned,
                                .is_pending = run->is_pending,
                                .next = run->next};
    for (const struct decoded *at = record; at < end; at++) {
        if (at->id >= PSEUDO_FIRST)
            return NULL;
        struct profile_place *place =
            profile_place(profile, at->pc, code_word(&machine->code, at), at->length);
        if (!place->is_usual)
            return NULL;
        if (at == record)
            run->function = place->function;
        if (place->function != run->function)
            return NULL;
        run->instructions++;
        run->read += place->read;
        run->written += place->written;
        run->length += place->length;
        run->last = place;
    }
    const struct isa_instruction *instruction = &isa_instructions[end[-1].id];
    run->has_jump = instruction->effects & ISA_EFFECT_FLOW;
    run->has_branch = run->last->is_branch;
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
        const struct profile_place *place =
            &profile->pages[pc % MEMORY_CODE_LIMIT / PROFILE_PAGE][pc % PROFILE_PAGE / 2];
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

void profile_count_run(struct profile *profile, const struct machine *machine,
                       struct profile_run *run, uint64_t executed)
{
    struct profile_thread *thread = profile->thread;
    struct profile_frame *frame = profile_top(thread);
    uint64_t next = machine->hart.pc;

    if (frame->function != run->function && executed) {
        profile_replace(profile, thread, run->function);
        frame = profile_top(thread);
    }
    struct profile_cost *cost = &profile->nodes[frame->node].cost;
    if (__builtin_expect(executed < run->instructions, 0)) {
        uint64_t pc = run->pc;
        for (uint64_t i = 0; i < executed; i++) {
            struct profile_place *place =
                &profile->pages[pc % MEMORY_CODE_LIMIT / PROFILE_PAGE][pc % PROFILE_PAGE / 2];
            cost->instructions++;
            cost->read += place->read;
            cost->written += place->written;
            pc += place->length;
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
    cost->read += run->read;
    cost->written += run->written;
    profile->last = run->last;
    profile->last_node = frame->node;
    if (run->has_jump && (!run->has_branch || next != run->pc + run->length)) {
        run->last->turned++;
        if (!run->has_branch || thread->depth > 1)
            profile_follow(profile, thread, run->last, machine,
                           run->pc + run->length - run->last->length, next);
    }
    thread->expected = next;
}
