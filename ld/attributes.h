/* What objects say about themselves: e_flags, .riscv.attributes, and the fingerprint of the ISA
 * description. They are compared with each other and merged for the executable. */
#ifndef LD_ATTRIBUTES_H
#define LD_ATTRIBUTES_H

#include "ld/linker.h"

/* Merges e_flags. Objects whose calling conventions differ are an error that names both. */
void attributes_merge_flags(struct linker *linker);
/* Merges .riscv.attributes into one section: the union of the extensions. Contradictions are
 * reported (psABI, "Attributes"). */
void attributes_merge(struct linker *linker);
/* Merges the ISA fingerprint notes into one. Warns about objects with different fingerprints, and
 * about objects whose fingerprint is not that of this linker. */
void notes_merge(struct linker *linker);

/* Adds the build ID note, as in GNU ld. Its 20 bytes, at the offset of notes_build_id_offset(), are
 * zero until the file is complete. */
struct section *notes_add_build_id(struct linker *linker);
size_t notes_build_id_offset(void);

#endif
