/* The types of values in a trace, as far as the instruction that wrote or read them says it. */
#ifndef LIB_TRACE_VALUE_TYPE_H
#define LIB_TRACE_VALUE_TYPE_H

#include "lib/isa.h"
#include "lib/trace/recorder.h"

static inline bool type_is_float(const struct isa_element *type)
{
    return type && type->exponent && !type->part;
}

/* All return NULL if the instruction, which may be NULL, does not say the type. */

/* The type of the elements that a tensor instruction wrote, or of those that it read. */
const struct isa_element *type_written(const struct isa_instruction *instruction,
                                       const struct recorder *recorder);
const struct isa_element *type_read(const struct isa_instruction *instruction);
/* The type of the value in a register that is an operand of the instruction. */
const struct isa_element *type_of_register(const struct isa_instruction *instruction, uint64_t word,
                                           unsigned file, unsigned number);
/* Does the instruction write the register as raw bits, which it does not say to be an element? A
 * bin of a histogram, for example. */
bool register_is_raw(const struct isa_instruction *instruction, uint64_t word, unsigned file,
                     unsigned number);
/* The type of what a store of `size` bytes writes, from the register that it comes from. */
const struct isa_element *type_stored(const struct isa_instruction *instruction, uint64_t word,
                                      unsigned size);

#endif
