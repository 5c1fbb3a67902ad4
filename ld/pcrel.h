/* High and low parts of pc-relative addresses. A low part refers to its high part by the label of
 * the instruction that has it: psABI, "PC-Relative Symbol Addresses". */
#ifndef LD_PCREL_H
#define LD_PCREL_H

#include "ld/linker.h"

/* Is the relocation the high part of a distance to a symbol or to its GOT entry? */
bool pcrel_is_high(const struct relocation *relocation);

/* Returns the high part at the label that the low part names, or NULL if there is none or the
 * label's section is not in the link. *count receives how many there are: more than one is
 * ambiguous. */
struct relocation *pcrel_find_high(const struct relocation *low, size_t *count);

/* Returns the address that the high part leads to: of the symbol, or of its GOT entry. */
uint64_t pcrel_target(const struct linker *linker, const struct relocation *high);

/* Is the target too far from the high part, which is at `place`, but near enough to address 0 for
 * an absolute address? An undefined weak symbol may be. */
bool pcrel_is_absolute(const struct linker *linker, const struct relocation *high, uint64_t place,
                       uint64_t target);

#endif
