/* Call frame information: .cfi_* directives into .eh_frame and .debug_frame.
 *
 * A function between .cfi_startproc and .cfi_endproc becomes one frame description entry (FDE);
 * functions that begin alike share a common information entry (CIE). The format is that of DWARF 5,
 * 6.4, with the augmentations of the Linux Standard Base 5.0, 10.6; which of several encodings is
 * written is GNU as's choice. */
#ifndef ASM_FRAME_H
#define ASM_FRAME_H

#include "asm/statement.h"

struct fixup;

/* A run of encoded instructions, or a step of the location from one label to the next. */
struct frame_piece {
    struct symbol *from, *to; /* of a step; NULL in a run of instructions */
    bool movable;             /* the linker may change the step's length */
    bool stays;               /* a run that no CIE may take over */
    unsigned char *bytes;     /* of the run */
    size_t length, capacity;  /* of the run */
    struct frame_piece *next; /* in order */
};

struct frame {
    const struct position *at;        /* of .cfi_startproc */
    struct symbol *start, *end;       /* end: NULL while it is open */
    struct frame_piece *first, *last; /* pieces */
    struct symbol *here;              /* label of the last step */
    const struct fixup *fixup;        /* last one of the section then */
    int64_t cfa_offset;               /* offset of the canonical frame address from its register */
    int64_t *remembered;              /* such offsets, by .cfi_remember_state */
    size_t remembered_count, remembered_capacity;
    unsigned return_column;
    bool signal;                                       /* .cfi_signal_frame */
    unsigned char personality_encoding, lsda_encoding; /* DW_EH_PE_omit: there is none */
    struct expression *personality, *lsda;
    struct frame *next;
};

struct frames {
    struct frame *first, *last;    /* in the order of .cfi_startproc */
    bool no_eh_frame, debug_frame; /* .cfi_sections */
};

enum { FRAME_DATA_ALIGNMENT = -4 };

/* Writes what the directives described; to be called behind the last statement. Reports functions
 * that are still open. */
void frames_finish(struct assembler *as);
/* Is the distance of two places of one section fixed, before the linker has seen the code between
 * them? `fixup` is the section's last one where the label `from` was made. */
bool frame_is_fixed(const struct symbol *from, const struct fixup *fixup, const struct symbol *to);

#endif
