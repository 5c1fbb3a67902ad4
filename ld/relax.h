/* Deleting code bytes that are unnecessary at the final addresses: psABI, "Linker Relaxation". */
#ifndef LD_RELAX_H
#define LD_RELAX_H

#include "ld/linker.h"

/* Relaxes code where R_RISCV_RELAX allows it. Calls become one jump ("Function Call Relaxation").
 * High parts of addresses near address 0 or the global pointer are deleted ("Global-pointer
 * Relaxation", "Zero-page Relaxation"), others are compressed ("Compressed" call and load
 * relaxation). Thread-local accesses near the thread pointer lose their first two instructions
 * ("Local Exec"). The padding of every R_RISCV_ALIGN is cut to what its place needs, also under
 * --no-relax, because assemblers rely on it. Sets the form of each relocation and leaves addresses
 * assigned for the final sizes. */
void relax(struct linker *linker);

/* The register that a low part may be added to when its high part is deleted. */
enum near { NEAR_NOTHING, NEAR_ZERO, NEAR_POINTER };
/* Returns that base for a relocation of a high or low part with this address (thread-local: offset
 * from the thread pointer), and in *offset the value that the low part then has. `margin`: by how
 * much the address may still change. */
enum near relax_near(const struct linker *linker, const struct relocation *relocation,
                     int64_t margin, int64_t *offset);

/* Returns the alignment that padding of `addend` bytes was written for. */
uint64_t relax_alignment(int64_t addend);
/* Cuts the padding of an R_RISCV_ALIGN (relax_align.c). */
void relax_padding(struct linker *linker, struct section *section,
                   const struct relocation *relocation);

/* Returns how many bytes of instructions are left in this form. */
uint64_t relax_form_length(const struct isa_relocation *type, enum relocation_form form);

#endif
