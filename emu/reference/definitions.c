/* The definitions of instructions by id. They are in reference.c, which is long to compile and
 * contains no ids. */
#include "emu/reference/reference.h"

#include "instruction_ids.h"

#define DEFINED(id, name) define_function define_instruction_##name;
#include "definition_table.inc"
#undef DEFINED

static define_function *const definitions[ISA_ID_COUNT] = {
#define DEFINED(id, name) [id] = define_instruction_##name,
#include "definition_table.inc"
#undef DEFINED
};

bool reference_defines(unsigned id)
{
    return id < ISA_ID_COUNT && definitions[id] != NULL;
}

bool reference_execute(struct machine *machine, const struct decoded *record, struct fault *fault)
{
    return reference_run(machine, definitions[record->id], record, fault);
}
