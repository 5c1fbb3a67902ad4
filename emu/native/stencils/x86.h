/* Where an instruction of x86-64 names registers. */
#ifndef EMU_NATIVE_STENCILS_X86_H
#define EMU_NATIVE_STENCILS_X86_H

#include <stdbool.h>
#include <stddef.h>

/* A field of three bits that, with a bit of the REX prefix, has the number of a register. */
struct x86_field {
    size_t at;      /* the byte */
    unsigned shift; /* of the lowest bit in it: 0 or 3 */
    size_t rex;     /* the byte of the prefix */
    unsigned bit;   /* in it */
    unsigned number;
    bool prefix_inverted, inverted; /* the bit of the prefix, the three bits */
};

enum { X86_FIELDS = 4 };

/* Decodes one instruction, of those that compilers write for integers, SSE2 and below. Returns its
 * length, or 0 if it is not one of them, and the fields for registers from 8 on. */
size_t x86_decode(const unsigned char *code, size_t length, struct x86_field *fields,
                  size_t *field_count);

#endif
