/* Unwind tables: lists of records. A record is either the common part of several functions (CIE) or
 * the description of one function (FDE). */
#ifndef LD_EH_FRAME_H
#define LD_EH_FRAME_H

#include "ld/linker.h"

struct eh_record {
    uint64_t offset, size; /* size includes the length field */
    uint32_t id;           /* 0: a CIE; otherwise the distance from an FDE back to its CIE */
    bool is_end;           /* the end of the list: a length of 0 */
};

bool eh_frame_is(const struct section *section);
/* Reads the record at `offset`. Returns false at the end of the section and where there cannot be a
 * record. */
bool eh_frame_record(const unsigned char *bytes, uint64_t size, uint64_t offset,
                     struct eh_record *record);
bool eh_frame_is_function(const struct eh_record *record);
/* Is the function of this FDE not in the output? The relocation of its address tells. */
bool eh_frame_is_dead(const struct section *section, const struct eh_record *record);

/* Deletes the records of functions that are not in the output (garbage, or a copy of a COMDAT
 * group), common parts that no function uses or that equal an earlier one, and every end of a list
 * except the last. Call it after lay out. Returns how many records of functions are left. */
size_t eh_frame_prune(struct linker *linker);
/* Corrects the distances from records to their common parts for the output. `bytes`: the relocated
 * contents. */
void eh_frame_correct(const struct section *section, unsigned char *bytes);
/* Extends records by the padding after them, which unwinders would otherwise read as the end of the
 * list. Call it after all tables are corrected. */
void eh_frame_pad(struct linker *linker);

/* --eh-frame-hdr (eh_frame_index.c): makes the section .eh_frame_hdr. Call it before lay out. */
void eh_frame_make_header(struct linker *linker);
/* Sets the size of the index for this number of functions. */
void eh_frame_size_header(struct linker *linker, size_t functions);
/* Writes the index: the addresses of the functions in order, for a binary search. Call it after the
 * unwind tables are relocated. */
void eh_frame_fill_header(struct linker *linker);

#endif
