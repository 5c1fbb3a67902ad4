/* Unwind tables: a list of records, each the common part of several functions (CIE) or one function
 * (FDE). */
#ifndef LD_EH_FRAME_H
#define LD_EH_FRAME_H

#include "ld/linker.h"

struct eh_record {
    uint64_t offset, size; /* with the length field */
    uint32_t id;           /* 0: CIE; FDE: distance back to its CIE */
    bool is_end;           /* of the list: nothing but a length of 0 */
};

bool eh_frame_is(const struct section *section);
/* The record at `offset`; false at the section's end and where none can be. */
bool eh_frame_record(const unsigned char *bytes, uint64_t size, uint64_t offset,
                     struct eh_record *record);
bool eh_frame_is_function(const struct eh_record *record);

/* Deletes the records of functions that are not in the output (garbage, or a copy of a COMDAT
 * group), common parts that no function uses or that an earlier one equals, and every end of a list
 * but the last. After lay out. Returns how many records of functions are left. */
size_t eh_frame_prune(struct linker *linker);
/* The distances from records to their common parts as they are in the output. `bytes`: the patched
 * contents. */
void eh_frame_correct(const struct section *section, unsigned char *bytes);
/* Makes records longer by the padding that follows them, which must not read as an end. After all
 * tables are corrected. */
void eh_frame_pad(struct linker *linker);

/* --eh-frame-hdr (eh_frame_index.c): makes the section .eh_frame_hdr, before lay out. */
void eh_frame_make_header(struct linker *linker);
/* Gives it room for so many functions. */
void eh_frame_size_header(struct linker *linker, size_t functions);
/* Writes it: a table of the functions' addresses in order, for a binary search. After the unwind
 * tables are relocated. */
void eh_frame_fill_header(struct linker *linker);

#endif
