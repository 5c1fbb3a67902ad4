/* Deleting code bytes that the final addresses make superfluous: psABI, "Linker Relaxation". */
#ifndef LD_RELAX_H
#define LD_RELAX_H

#include "ld/linker.h"

/* Where R_RISCV_RELAX allows it: calls become one jump ("Function Call Relaxation"), high parts of
 * addresses near address 0 or the global pointer go ("Global-pointer Relaxation", "Zero-page
 * Relaxation"), others are compressed ("Compressed" call and load relaxation), thread-local
 * accesses near the thread pointer lose their first two instructions ("Local Exec"). Cuts the
 * padding of every R_RISCV_ALIGN to what its place needs, also under --no-relax, because assemblers
 * rely on it. Sets each relocation's form and leaves addresses assigned for the final sizes. */
void relax(struct linker *linker);

/* What a low part may be added to in place of its high part. */
enum near { NEAR_NOTHING, NEAR_ZERO, NEAR_POINTER };
/* For the relocation of a high or low part, with the address (thread-local: the offset from the
 * thread pointer) that it makes, in *offset what is left to add. `margin`: by how much the address
 * may still change. */
enum near relax_near(const struct linker *linker, const struct relocation *relocation,
                     int64_t margin, int64_t *offset);

/* The alignment that padding of `addend` bytes was written for. */
uint64_t relax_alignment(int64_t addend);
/* Cuts the padding of an R_RISCV_ALIGN (relax_align.c). */
void relax_padding(struct linker *linker, struct section *section,
                   const struct relocation *relocation);

#endif
