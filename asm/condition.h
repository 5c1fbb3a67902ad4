/* Conditional assembly: .if and its relatives. */
#ifndef ASM_CONDITION_H
#define ASM_CONDITION_H

#include "asm/input.h"
#include "asm/word.h"

struct condition {
    const struct position *at; /* the .if */
    bool active;               /* statements are assembled */
    bool taken;                /* some branch was */
    bool inherited;            /* false: inside a branch that is left out */
    bool else_seen;
};

struct conditions {
    struct condition *stack;
    size_t count, capacity;
};

/* Is the source assembled here, or in a branch that is left out? */
bool condition_is_active(const struct assembler *as);
/* Makes .if, .else … known. */
void condition_init(struct assembler *as);
/* Handles the statement, whose word (`length` bytes at `offset`) may be .if, .else …; true if it is
 * that, or stands in a branch that is left out. */
bool condition_statement(struct assembler *as, const struct statement *statement,
                         const struct meaning *meaning, size_t offset, size_t length);
/* At the end of a source: reports what it left open, and closes it. */
void condition_end_source(struct assembler *as, size_t depth);
/* .exitm: closes silently. */
void condition_unwind(struct assembler *as, size_t depth);

#endif
