/* Conditional assembly: .if and its relatives. */
#ifndef ASM_CONDITION_H
#define ASM_CONDITION_H

#include "asm/input.h"
#include "asm/location.h"
#include "asm/word.h"

struct condition {
    struct location at; /* the .if */
    bool active;        /* statements are assembled */
    bool taken;         /* a branch of it has been assembled */
    bool inherited;     /* false: the .if itself is in a branch that is left out */
    bool else_seen;
};

struct conditions {
    struct condition *stack;
    size_t count, capacity;
};

/* Are statements assembled here? False in a branch that is left out. */
static inline bool condition_is_active(const struct conditions *conditions)
{
    return !conditions->count || conditions->stack[conditions->count - 1].active;
}
/* Enters the names .if, .else … */
void condition_init(struct assembler *as);
/* Executes the statement if its word (`length` bytes at `offset`) is .if, .else …; returns true if
 * it is, or if the statement is in a branch that is left out. */
bool condition_statement(struct assembler *as, const struct statement *statement,
                         const struct meaning *meaning, size_t offset, size_t length);
/* The same for a statement on a line of its own that is easy to judge: without an argument, in a
 * branch that is left out, or with numbers, names of numbers, or a name that may be defined.
 * `start` is where it begins in its source, `text` what follows the word, `end` the end. Returns
 * false, without a message, for all others. */
bool condition_quick(struct assembler *as, const struct meaning *meaning, const char *start,
                     const char *text, const char *end);
/* Reports every .if beyond the first `depth` that is still open at the end of a source, and closes
 * it. */
void condition_end_source(struct assembler *as, size_t depth);
/* The same for .exitm and .end, which may leave an .if: without a diagnostic. */
void condition_unwind(struct assembler *as, size_t depth);

#endif
