/* Call frame information: .cfi_* directives into .eh_frame and .debug_frame.
 *
 * A function between .cfi_startproc and .cfi_endproc becomes one frame description entry (FDE);
 * functions with the same initial instructions share a common information entry (CIE). The format
 * is that of DWARF 5, 6.4, with the augmentations of the Linux Standard Base 5.0, 10.6. Where
 * several encodings are possible, the choice is that of GNU as. */
#ifndef ASM_FRAME_H
#define ASM_FRAME_H

#include "asm/statement.h"

struct fixup;

/* A run of encoded instructions, or an advance of the location from one label to another. */
struct frame_piece {
    struct symbol *from, *to; /* of an advance; NULL in a run of instructions */
    bool movable;             /* the linker may change the distance; if not, both labels are in one
                                 fragment */
    bool stays;               /* a run that must not move to a CIE */
    unsigned char *bytes;     /* of the run */
    size_t length, capacity;  /* of the run */
    struct frame_piece *next; /* in order */
};

struct frame {
    const struct position *at;        /* of .cfi_startproc */
    struct symbol *start, *end;       /* end: NULL while it is open */
    struct frame_piece *first, *last; /* pieces */
    struct symbol *here;              /* label that the last advance leads to */
    const struct fixup *fixup;        /* last one of the section at that time */
    int64_t cfa_offset;               /* offset of the canonical frame address from its register */
    int64_t *remembered;              /* stack of such offsets (.cfi_remember_state) */
    size_t remembered_count, remembered_capacity;
    unsigned return_column;
    bool signal;                                       /* .cfi_signal_frame */
    unsigned char personality_encoding, lsda_encoding; /* DW_EH_PE_omit: none */
    struct expression *personality, *lsda;
    struct frame *next;
};

struct frames {
    struct frame *first, *last;    /* in the order of .cfi_startproc */
    bool no_eh_frame, debug_frame; /* .cfi_sections */
};

enum { FRAME_DATA_ALIGNMENT = -4 };

/* Returns the size of DW_CFA_advance_loc: an opcode, and the bytes of a distance that does not fit
 * in its low six bits. */
enum { FRAME_ADVANCE_LIMIT = 5 };
size_t frame_advance_size(uint64_t distance);
/* Stores DW_CFA_advance_loc with the distance in its low six bits, or, with a size above 1,
 * DW_CFA_advance_loc1, 2 or 4 with the distance after the opcode. */
void frame_put_advance(unsigned char *place, size_t size, uint64_t distance);
/* Writes the entries of all functions, after the last statement. Reports functions that are still
 * open. */
void frames_finish(struct assembler *as);
/* Is the distance of two labels of one section certain not to change in the linker? `fixup` is the
 * last one that the section had when the label `from` was made. */
bool frame_is_fixed(const struct symbol *from, const struct fixup *fixup, const struct symbol *to);

#endif
