/* The context of a thread that does not run: a copy of what each thread of the hart has of its own.
 * These are the registers, fcsr, the reservation, the rows of the traversal unit, and the format of
 * 8-bit values (tf8). The hart holds the state of the running thread. Counters and CSRs belong to
 * the hart. */
#ifndef EMU_CONTEXT_H
#define EMU_CONTEXT_H

#include "emu/machine.h"

struct context {
    struct hart hart; /* of which a thread has these registers; instret is that of turns.c */
    bool f8_format;
    struct traversal_row *rows; /* a copy of the rows, in one allocation; or NULL */
    bool has_rows;              /* any row is in use, and `rows` holds them; else these are 0 */
    /* As in the unit, while threads take turns with harts of their own (turns.h); else all 0. */
    bool is_unsettled; /* there may be some */
    bool *steps;       /* in the allocation of `rows` */
    struct traversal_streak streaks[TRAVERSAL_STREAKS];
};

static inline struct context *context_of(struct hart *hart)
{
    return (struct context *)((char *)hart - offsetof(struct context, hart));
}

/* Copies the state of the hart to the context. */
void context_save(struct machine *machine, struct context *context);
/* Copies the context to the hart. `from` is the context that was just saved; NULL: none was. */
void context_load(struct machine *machine, const struct context *context,
                  const struct context *from);
/* Makes all of the context 0. */
void context_reset(const struct machine *machine, struct context *context);
void context_free(struct context *context);

/* An instruction of the thread is executed while the machine's hart has the state of another one:
 * the units have the state of this thread meanwhile. */
void context_begin_loan(struct machine *machine, struct context *context);
void context_end_loan(struct machine *machine, struct context *context);
/* Ends the streaks of the context's rows, so that the rows are exact. */
void context_settle(struct machine *machine, struct context *context);

#endif
