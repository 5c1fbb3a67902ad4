/* The context of a thread that does not run: a copy of what each thread of the hart has of its own.
 * These are the registers, fcsr, the reservation, the rows of the traversal unit, and the format of
 * 8-bit values (tf8). The hart holds the state of the running thread. Counters and CSRs belong to
 * the hart. */
#ifndef EMU_CONTEXT_H
#define EMU_CONTEXT_H

#include "emu/machine.h"

struct context {
    uint64_t x[SINK + 1];
    uint64_t f[ISA_F_REGISTERS];
    uint64_t pc;
    unsigned fflags, frm;
    bool reserved;
    uint64_t reserved_address, reserved_value;
    bool f8_format;
    struct traversal_row *rows; /* a copy of the rows, in one allocation; or NULL */
    bool has_rows;              /* any row is in use, and `rows` holds them */
    uint64_t registers[ISA_REGISTER_WORDS + 1];
};

/* Copies the state of the hart to the context. */
void context_save(struct machine *machine, struct context *context);
/* Copies the context to the hart. `from` is the context that was just saved; NULL: none was. */
void context_load(struct machine *machine, const struct context *context,
                  const struct context *from);
void context_free(struct context *context);

#endif
