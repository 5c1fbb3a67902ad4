/* See executors.h. */
#include "emu/execute/executors.h"
#include "standard_ids.h"

#define DECLARE_SUPER(name, ...) body_function super_##name;
ISA_FOR_EACH_SUPERINSTRUCTION(DECLARE_SUPER)

#define SUPER(name, ...) super_##name,
body_function *const blocks_super[] = {ISA_FOR_EACH_SUPERINSTRUCTION(SUPER) NULL};

struct step blocks_next(STATE_PARAMETERS)
{
    LINK(record->chain, code_pc(record));
}

struct step blocks_end(STATE_PARAMETERS)
{
    (void)host;
    (void)fast;
    return dispatch_limit(hart, record, left);
}

_Static_assert(FLOW_NEXT == 0, "evaluate says so");
int blocks_evaluate(struct machine *machine, struct decoded *record)
{
    return (int)dispatch_flow(machine, record);
}

void blocks_begin(struct machine *machine, uint64_t limit, const struct executor *executor)
{
    struct execution *execution = &machine->execution;

    *execution = (struct execution){.fflags = &machine->hart.fflags};
    execution->left = limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
    execution->end_count = machine->hart.instret + (uint64_t)execution->left;
    if (machine->code.executor != executor)
        code_reset(&machine->code, executor);
}

void blocks_run(struct machine *machine, struct decoded *record, int64_t left)
{
    const struct memory *memory = &machine->memory;
    struct hart *hart = &machine->hart;
    struct step step = {record, left - record->remaining};

    if (step.left < 0)
        step = dispatch_limit(hart, record, step.left);
    /* `host` and `fast` only change between runs. */
    while (step.record)
        step = dispatch_call(step.record, step.left, hart, 0, memory->host, memory->fast);
}
