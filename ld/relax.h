/* Deleting code bytes that the final addresses make superfluous. */
#ifndef LD_RELAX_H
#define LD_RELAX_H

#include "ld/linker.h"

/* Cuts the padding of every R_RISCV_ALIGN to what its place needs (psABI, "Alignment Relaxation";
 * also under --no-relax, because assemblers rely on it), and makes calls to near functions a single
 * jump where R_RISCV_RELAX allows it ("Function Call Relaxation"). Leaves addresses assigned for
 * the final sizes. */
void relax(struct linker *linker);

/* The alignment that padding of `addend` bytes was written for. */
uint64_t relax_alignment(int64_t addend);

/* The instruction that replaces a call: jump to `distance`, with the link register of the pair's
 * second word. */
struct isa_instruction;
const struct isa_instruction *relax_jump_instruction(const struct isa_operand **target,
                                                     const struct isa_operand **link);

#endif
