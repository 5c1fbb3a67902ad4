/* Native code counts for a profile (emu/profile/tally.h): the entries of blocks, and the calls and
 * returns, which it follows before it jumps. What is not the same as the last time, as a call from
 * a new node, is followed by functions. See parts.h. */
#include "emu/native/parts.h"
#include "isa_ids.h"
#include "lib/diag.h"

#include <limits.h>

bool native_may_count(const struct native *native, const struct decoded *record,
                      const struct decoded *first, uint64_t target, bool *ends)
{
    struct profile *profile = native_profile(native);
    struct tally_view view = tally_look(profile, native->machine, record, target);

    *ends = record != first && view.function != profile_function(profile, first->pc);
    return view.is_steady && view.exit != TALLY_UNKNOWN;
}

bool native_is_foreign(const struct run *run, uint64_t pc)
{
    const struct profile *profile = native_profile(run->native);

    return profile && profile_function(profile, pc) != run->function;
}

uint32_t native_name_block(struct run *run, const struct decoded *records, unsigned count,
                           uint64_t target, struct tally_block *block)
{
    const struct native *native = run->native;
    struct profile *profile = native_profile(native);
    uint64_t function = profile_function(profile, records[0].pc);
    struct tally_view view = {0};

    *block = (struct tally_block){.pc = records[0].pc,
                                  .end = code_next_pc(&records[count - 1]),
                                  .last = records[count - 1].pc,
                                  .function = function,
                                  .instructions = count,
                                  .counter = run->way_on,
                                  .target = target};
    for (unsigned i = 0; i < count; i++) {
        view = tally_look(profile, native->machine, &records[i], i + 1 == count ? target : 0);
        block->read += view.read;
        block->written += view.written;
    }
    block->has_jump = view.has_jump;
    block->is_branch = view.is_branch;
    block->exit = view.has_jump ? (uint8_t)view.exit : TALLY_PLAIN;
    bool has_link = block->exit == TALLY_CALL || block->exit == TALLY_CALL_REGISTER;
    uint32_t number = tally_add_block(profile, block, has_link);
    if (!number)
        return 0;
    run->function = function;
    run->last = block->last;
    run->way_on = block->next;
    run->is_foreign = target && block->exit != TALLY_CALL && block->exit != TALLY_TAIL &&
                      native_is_foreign(run, target);
    return number;
}

void native_count_block(const struct run *run, uint32_t counter, uint32_t number)
{
    struct filling filling = {0};

    filling.values[HOLE_VALUE] = counter;
    filling.values[HOLE_IMMEDIATE] = number;
    native_add(run->native, stencil_glue(STENCIL_glue_tally), &filling);
}

void native_count_way_on(struct run *run)
{
    struct tally_block block = {
        .last = run->last, .function = run->function, .counter = run->way_on};

    if (!run->way_on)
        return;
    run->way_on = 0;
    /* Without room for the number, 0 does: no instruction is counted twice. */
    native_count_block(run, block.counter,
                       tally_add_block(native_profile(run->native), &block, false));
}

/* Returns the stencil for the jump. */
static unsigned glue_of(enum tally_exit exit)
{
    switch (exit) {
    case TALLY_BACK:
        return STENCIL_glue_tally_back;
    case TALLY_CALL:
        return STENCIL_glue_tally_call;
    case TALLY_CALL_REGISTER:
        return STENCIL_glue_tally_call_register;
    case TALLY_RETURN:
        return STENCIL_glue_tally_return;
    case TALLY_JUMP_REGISTER:
    case TALLY_TAIL:
        return STENCIL_glue_tally_jump;
    default:
        BUG("a jump that nothing follows");
    }
}

/* Returns the register with the target of a jump. */
static unsigned base_of(const struct native *native, const struct decoded *record)
{
    return record->r[__builtin_ctz(native_shape(native, record->id)->reads)];
}

/* Fills in what the stencil compares the target with. */
static void fill_targets(const struct native *native, const struct tally_block *block,
                         const struct decoded *record, struct filling *filling)
{
    uint64_t begin, size;

    filling->values[HOLE_IMMEDIATE] = block->target ? (int64_t)block->target : record->imm[0];
    filling->values[HOLE_IMMEDIATE + 1] = block->link;
    if (block->exit == TALLY_TAIL) { /* no target is in an empty range */
        filling->values[HOLE_IMMEDIATE] = filling->values[HOLE_IMMEDIATE + 1] = 0;
    } else if (block->exit == TALLY_JUMP_REGISTER) {
        tally_range(native_profile(native), block->function, &begin, &size);
        filling->values[HOLE_IMMEDIATE] = (int64_t)begin;
        filling->values[HOLE_IMMEDIATE + 1] = (int64_t)size;
    }
}

void native_count_jump(struct run *run, const struct decoded *record,
                       const struct tally_block *block)
{
    struct native *native = run->native;
    struct filling filling = {.numbers = {[1] = ISA_REGISTER_SP}};

    if (block->exit == TALLY_PLAIN)
        return;
    unsigned base = block->target ? 0 : base_of(native, record);
    native_settle(native);
    native_clear(native, UINT_MAX);
    if (base && native->host_of[base] != NOT_PINNED)
        native_move_pin(native, STENCIL_glue_spill, base);
    if (native->host_of[ISA_REGISTER_SP] != NOT_PINNED)
        native_move_pin(native, STENCIL_glue_spill, ISA_REGISTER_SP);
    filling.values[HOLE_PC] = (int64_t)record->pc;
    filling.values[HOLE_NEXT_PC] = (int64_t)block->end;
    filling.values[HOLE_OFFSET] = base * 8;
    filling.values[HOLE_VALUE] = CALLS + (int64_t)native->hook_count;
    fill_targets(native, block, record, &filling);
    native_add(native, stencil_glue(glue_of(block->exit)), &filling);
    native->hooks[native->hook_count++] = (struct hook){.after = native->copier.hot,
                                                        .pc = record->pc,
                                                        .back = block->end,
                                                        .target = block->target,
                                                        .offset = record->imm[0],
                                                        .link = block->link,
                                                        .exit = block->exit,
                                                        .base = (uint8_t)base};
}

static bool follow(struct profile *profile, struct machine *machine, const struct hook *hook)
{
    uint64_t target = hook->target
                          ? hook->target
                          : (machine->hart.x[hook->base] + (uint64_t)hook->offset) & ~UINT64_C(1);

    if (hook->exit == TALLY_CALL || hook->exit == TALLY_CALL_REGISTER)
        return tally_call(profile, machine, hook->pc, hook->back, target, hook->link);
    return hook->exit == TALLY_RETURN ? tally_return(profile, machine, target)
                                      : tally_jump(profile, machine, target, !hook->target);
}

struct native_place native_follow(struct hart *hart, const struct hook *hook, int64_t left)
{
    struct machine *machine = machine_of(hart);
    const struct native *native = machine->native;

    hart->native_left = left;
    if (follow(machine->profile, machine, hook))
        return (struct native_place){native->copier.executable + hook->after, left};
    hart->native_exit = EXIT_STEP;
    hart->pc = hook->pc;
    return (struct native_place){NULL, left + 1};
}

bool native_has_hooks(const struct native *native)
{
    const struct profile *profile = native_profile(native);

    return native->hook_count + RUN_EXITS < HOOKS && !(profile && tally_is_full(profile));
}

bool native_begin_count(const struct native *native, uint64_t pc)
{
    struct profile *profile = native_profile(native);

    return !profile || tally_begin(profile, native->machine, pc);
}

void native_end_count(const struct native *native)
{
    struct profile *profile = native_profile(native);
    const struct hart *hart = &native->machine->hart;
    const struct decoded *called = native->called;
    bool is_done;

    if (!profile)
        return;
    switch (hart->native_exit) {
    case EXIT_STEP:
        tally_end(profile, native->machine, hart->pc, 0, TALLY_BEFORE);
        return;
    case EXIT_CALL:
        is_done = native->flow == 0;
        tally_end(profile, native->machine, is_done ? code_next_pc(called) : called->pc,
                  called->remaining - is_done, TALLY_BEFORE);
        return;
    case EXIT_LIMIT:
        tally_end(profile, native->machine, hart->pc, 0, TALLY_LIMIT);
        return;
    default:
        tally_end(profile, native->machine, hart->pc, 0, TALLY_DONE);
    }
}

void native_forget_counts(struct native *native)
{
    native->hook_count = 0;
    if (!native_profile(native))
        return;
    native->learned = native_profile(native)->learned;
    tally_flush(native_profile(native));
}
