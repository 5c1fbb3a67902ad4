/* What objects say about themselves: e_flags, .riscv.attributes, the fingerprint of the ISA
 * description. Checked against each other, and merged into one answer for the executable. */
#ifndef LD_ATTRIBUTES_H
#define LD_ATTRIBUTES_H

#include "ld/linker.h"

/* e_flags of the output; objects whose calling conventions differ are an error that names both. */
void attributes_merge_flags(struct linker *linker);
/* One .riscv.attributes section: the union of the extensions; what contradicts is reported (psABI,
 * "Attributes"). */
void attributes_merge(struct linker *linker);
/* One ISA fingerprint note; objects of different descriptions, or of another one than this
 * linker's, get a warning that names them. */
void notes_merge(struct linker *linker);

/* The build ID note (as GNU ld has it); its 20 bytes, at the offset of notes_build_id_offset(), are
 * zeros until the file is complete. */
struct section *notes_add_build_id(struct linker *linker);
size_t notes_build_id_offset(void);

#endif
