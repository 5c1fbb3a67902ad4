/* What gather knows of the architectures that it reads: x86.c and so on. */
#ifndef EMU_NATIVE_STENCILS_READER_H
#define EMU_NATIVE_STENCILS_READER_H

#include "emu/native/stencil.h"

#include <stdbool.h>
#include <stddef.h>

enum { READER_FIELDS = 4 };

struct reader {
    unsigned machine;  /* EM_… */
    unsigned operand0; /* number of the register of operand 0; those of 1 and 2 follow */
    size_t jump_size;  /* bytes of a jump without a condition */
    size_t jump_hole;  /* where its hole is */
    /* Is it such a jump, to a symbol? */
    bool (*is_jump)(const unsigned char *code);
    /* Decodes one instruction, of those that compilers write. Returns its length, or 0 if it is not
     * one of them, and the fields with numbers of registers: `operand` is the number, and where it
     * is counts from the instruction. Adds the registers below 8 that it may change to *uses. */
    size_t (*decode)(const unsigned char *code, size_t length, struct stencil_field *fields,
                     size_t *field_count, unsigned *uses);
    /* Changes the field, which has the number, to that of register 0. */
    void (*clear)(unsigned char *code, const struct stencil_field *field, unsigned number);
    /* Finds the form of the hole of the type of relocation, and changes the addend to one from
     * where the hole is. Returns false for other types. */
    bool (*find_form)(unsigned type, int64_t *addend, enum hole_form *form);
    /* Where the compiler leaves the cold part to gather, because jumps on a condition do not reach
     * far; else NULL: is the instruction a jump to an address in a register; and is it one, maybe
     * on a condition, to another place of the stencil? */
    bool (*is_indirect_jump)(const unsigned char *code);
    bool (*find_branch)(const unsigned char *code, int64_t *distance, enum hole_form *form);
};

extern const struct reader x86_reader, arm_reader;

#endif
