/* A stencil: machine code with holes, and fields for registers. */
#ifndef EMU_NATIVE_STENCIL_H
#define EMU_NATIVE_STENCIL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    STENCIL_OPERANDS = 3, /* that may be in registers of the host, or in memory */
    STENCIL_REGISTERS,    /* registers that stand for operands, one more for floating point */
    STENCIL_BYTES = 2048, /* the most of a stencil */
    STENCIL_UNIT = 32,    /* so many bytes are copied at least */
    STENCIL_PLACE_BITS = 2,
    STENCIL_CHOICES = 1 << STENCIL_OPERANDS * STENCIL_PLACE_BITS, /* where operands are */
};

/* What goes into a hole. */
enum hole_kind {
    HOLE_PC,
    HOLE_NEXT_PC,
    HOLE_REMAINING,
    HOLE_VALUE,
    HOLE_IMMEDIATE,                         /* of slot 0 or 1 */
    HOLE_OFFSET = HOLE_IMMEDIATE + 2,       /* of the register in slot 0 to 7, in its file */
    HOLE_NUMBER = HOLE_OFFSET + 8,          /* what is in slot 0 to 7 */
    HOLE_MINUS_IMMEDIATE = HOLE_NUMBER + 8, /* of slot 0 */
    HOLE_JUMPS,
    HOLE_CODES,
    HOLE_OWN,  /* the stencil's own code, plus the addend */
    HOLE_NEXT, /* code that follows */
    HOLE_NEXT_RARELY,
    HOLE_TAKEN,
    HOLE_TAKEN_RARELY,
    HOLE_LEAVE,
    HOLE_CALL_RARELY,
    HOLE_CALL,
    HOLE_USUAL, /* another stencil for the instruction, which is added to the cold code */
};

/* How it goes there. */
enum hole_form {
    FORM_X86_ABSOLUTE, /* 32 bits, sign-extended or zero-extended */
    FORM_X86_RELATIVE, /* 32 bits, the distance from the end of the hole */
    FORM_X86_BYTE,     /* 8 bits */
    FORM_ARM_JUMP,     /* the distance of B, */
    FORM_ARM_BRANCH,   /* of B.cond, CBZ and CBNZ, */
    FORM_ARM_TEST,     /* of TBZ and TBNZ */
    FORM_ARM_HIGH,     /* a pair of moves: the upper 16 of 32 bits, */
    FORM_ARM_LOW,      /* and the lower ones */
    FORM_ARM_SMALL,    /* a move of 16 bits, and of their complement */
    FORM_ARM_OFFSET,   /* of LDR and STR of 64 bits */
    FORM_ARM_ADD,      /* of ADD, or negative of SUB */
};

/* The constants for immediates in stencils that are compiled twice. The small ones are such that
 * compilers rotate in the same direction by both. */
enum {
    STENCIL_SMALL = 21,
    STENCIL_SECOND_SMALL = 18,
};

struct stencil_hole {
    uint16_t at;
    uint8_t kind; /* enum hole_kind */
    uint8_t form; /* enum hole_form */
    int32_t addend;
};

/* Where the number of a register is. On x86-64: in three bits of the byte `at`, and a bit of the
 * byte that is `back` before it. On aarch64: in five bits of the word `at`. The code in the tables
 * has the field of register 0, so an exclusive or with the number makes that of another one, also
 * where the instruction has it inverted. */
struct stencil_field {
    uint16_t at;
    uint8_t back, shift, bit, operand;
};

struct stencil {
    uint32_t code;                    /* where its bytes begin */
    uint16_t first_hole, first_field; /* in the tables */
    uint16_t hot, cold;               /* bytes */
    uint8_t holes, fields;
    uint8_t uses; /* bits: registers of the host below 8 that it may change by itself */
    bool leaves;  /* may control leave native code in it? */
    uint16_t id;  /* of the instruction, or of glue */
};

/* Where an operand is. Those of an instruction make a number, with that in slot 0 lowest. */
enum stencil_place {
    PLACE_MEMORY,
    PLACE_REGISTER,
    PLACE_FIRST, /* in the register of operand 0 */
    PLACE_ZERO,  /* nowhere: it reads as 0, or is not needed */
};
/* Their letters in the names of stencils (stencils/form.h). */
#define STENCIL_PLACES "mr0z"

/* Kinds of stencils with the same operands. */
enum stencil_kind {
    KIND_USUAL,     /* checks its access to memory, if it has one */
    KIND_UNCHECKED, /* relies on a check before */
    KIND_PLAIN,     /* so does this, which is smaller or faster, for the immediate 0 */
    KIND_IMMEDIATE, /* smaller or faster, for an immediate that is not 0 */
    KIND_ZERO,      /* for the immediate 0 */
    KIND_BOXED,     /* smaller or faster, for operands that are NaN-boxed */
    KIND_TO_ZERO,   /* smaller or faster, for rounding toward zero */
    KIND_EQUAL,     /* smaller or faster, where operands 1 and 2 are one floating-point register */
    /* Only the common case: */
    KIND_COMMON_TO_ZERO,
    KIND_COMMON,
    KIND_COMMON_BOXED, /* for operands that are NaN-boxed */
    KIND_EXACT,        /* has the cases of arithmetic inline that are rare */
    STENCIL_KINDS,
};
/* Their letters. */
#define STENCIL_KIND_LETTERS "cupiobtqzefx"

/* The stencils of an instruction, or of glue, that are of one kind. */
struct stencil_group {
    uint64_t choices; /* bits: the places of operands for which there is one */
    uint16_t first;   /* the row of that for the lowest of them; the others follow in order */
};

/* The section of objects that says which instructions have the stencils of another one: strings of
 * the two ids, with a space between. */
#define STENCILS_AS_SECTION "stencils_as"

/* The stencils of an instruction, or of glue: the groups of the library that have them. */
struct stencil_span {
    uint16_t first;                /* group */
    uint8_t groups[STENCIL_KINDS]; /* after it, from 1 on; 0: none of the kind */
};

/* The stencils that are not instructions; after the ids of instructions. */
enum {
    STENCIL_GLUE = 0xfe00,
    STENCIL_glue_count = STENCIL_GLUE,
    STENCIL_glue_count_simple,
    STENCIL_glue_fill,
    STENCIL_glue_spill,
    STENCIL_glue_extend,
    STENCIL_glue_fill_float,
    STENCIL_glue_spill_float,
    STENCIL_glue_goto,
    STENCIL_glue_step,
    STENCIL_glue_call,
    STENCIL_glue_rarely,
    STENCIL_glue_site,
    STENCIL_glue_turn_r,
    STENCIL_glue_turn_m,
    STENCIL_glue_constant_r,
    STENCIL_glue_constant_m,
    STENCIL_glue_address_r,
    STENCIL_glue_address_m,
    STENCIL_glue_constant_high,
    STENCIL_glue_constant_boxed,
    STENCIL_glue_check_read_r,
    STENCIL_glue_check_read_m,
    STENCIL_glue_check_write_r,
    STENCIL_glue_check_write_m,
    STENCIL_glue_check_both_r,
    STENCIL_glue_check_both_m,
    STENCIL_glue_check_base_r,
    STENCIL_glue_check_base_m,
    STENCIL_glue_check_common,
    STENCIL_glue_read_fflags,
    STENCIL_glue_read_frm,
    STENCIL_glue_read_fcsr,
    STENCIL_glue_write_fflags,
    STENCIL_glue_write_frm,
    STENCIL_glue_write_fcsr,
    STENCIL_glue_set_fflags,
    STENCIL_glue_set_frm,
    STENCIL_glue_set_fcsr,
    STENCIL_glue_clear_fflags,
    STENCIL_glue_clear_frm,
    STENCIL_glue_clear_fcsr,
    STENCIL_glue_read_counter,
    STENCIL_glue_read_time,
    STENCIL_glue_time,
    STENCIL_glue_time_profiled,
    STENCIL_glue_tally,
    STENCIL_glue_tally_call,
    STENCIL_glue_tally_call_register,
    STENCIL_glue_tally_return,
    STENCIL_glue_tally_jump,
    STENCIL_glue_tally_back,
    STENCIL_glue_next_hart,
    STENCIL_glue_give_back,
    STENCIL_glue_way_out,
    STENCIL_glue_check_target,
    STENCIL_glue_return_address,
    STENCIL_GLUE_END,
};

#endif
