/* See bundles.h. */
#include "emu/execute/bundles.h"
#include "lib/bundle.h"

static bool is_bundle(const struct code *code, const struct decoded *first,
                      const struct decoded *second)
{
    const struct workers_instruction one = workers_instruction_of(code, first),
                                     other = workers_instruction_of(code, second);

    return workers_are_bundle(&one, &other);
}

bool bundles_are_possible(const struct machine *machine, const struct decoded *first,
                          const struct decoded *second)
{
    return is_bundle(&machine->code, first, second);
}

uint64_t bundles_find(const struct code *code, const struct decoded *entry)
{
    const struct decoded *first = entry + 1;
    uint64_t bits = UINT64_C(1) << (BLOCK_LIMIT - 1);

    for (; first->remaining > 1; first++)
        bits |= (uint64_t)is_bundle(code, first, first + 1) << (first->remaining - 1);
    return bits | (first->id < PSEUDO_FIRST && bundle_may_begin(&isa_instructions[first->id]));
}
