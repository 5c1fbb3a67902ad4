/* What the time of an execution depends on, as the machine has it: values of operands, and the
 * state of the units. */
#ifndef EMU_TIMING_EXECUTION_H
#define EMU_TIMING_EXECUTION_H

#include "lib/isa.h"
#include "lib/timing/time.h"

struct machine;
struct hart;

/* Stores the values of the operands of a word that isa_decode decoded as `instruction`, before it
 * is executed. `values` has ISA_OPERAND_LIMIT places. Returns the instruction that the operands
 * belong to, the base of a compressed one. */
const struct isa_instruction *execution_operands(const struct hart *hart,
                                                 const struct isa_instruction *instruction,
                                                 uint64_t word, uint64_t *values);

/* The same for an instruction that is not compressed, whose operands have these fields. */
void execution_values(const struct hart *hart, const struct isa_instruction *instruction,
                      const int64_t *fields, uint64_t *values);

/* The state of the units of a machine. */
struct execution_state {
    struct time_state state;
    struct machine *machine;
};

struct execution_state execution_state(struct machine *machine);

#endif
