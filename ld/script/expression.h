/* Expressions over numbers and symbols, for --defsym and linker scripts. Those of scripts depend on
 * their place, so value.c evaluates them. */
#ifndef LD_SCRIPT_EXPRESSION_H
#define LD_SCRIPT_EXPRESSION_H

#include "ld/linker.h"

enum operation {
    NUMBER,
    SYMBOL,
    NEGATE,
    COMPLEMENT,
    LOG2_CEIL, /* only in scripts */
    NOT,
    CONDITIONAL,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    ADD,
    SUBTRACT,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    EQUAL,
    NOT_EQUAL,
    AND,
    EXCLUSIVE_OR,
    OR,
    LOGICAL_AND,
    LOGICAL_OR,
    /* only in scripts */
    MAXIMUM,
    MINIMUM,
    HERE,
    ALIGN_UP,   /* `left` to a multiple of `right` */
    ABSOLUTE,   /* `left`, without its section */
    IS_DEFINED, /* the symbol `name` */
    ADDRESS_OF, /* the output section `name` */
    LOAD_ADDRESS_OF,
    SIZE_OF,
    ALIGNMENT_OF,
    ORIGIN_OF, /* the memory region `name` */
    LENGTH_OF,
    HEADERS_SIZE,
    DATA_ALIGN,     /* DATA_SEGMENT_ALIGN: page sizes `left`, `right` */
    DATA_RELRO_END, /* DATA_SEGMENT_RELRO_END: `left` bytes beyond `right` */
    ASSERTION,      /* `left`, which must not be 0; `name` is the message if it is */
};

struct expression {
    enum operation operation;
    struct expression *condition, *left, *right;
    uint64_t number;
    unsigned hex_digits; /* NUMBER: as it is written (struct script_number) */
    struct symbol *symbol;
    const char *name;
    unsigned depth; /* depth of nested operations */
    struct position position;
};

/* Gives each symbol of --defsym its value. Addresses must be known. Reports cycles, undefined
 * symbols and divisions by zero. */
void expressions_evaluate(struct linker *linker);

/* Gives a symbol of --defsym its value now. */
void expression_evaluate_symbol(struct linker *linker, struct symbol *symbol);

/* Returns the result of an operation on numbers. The divisor must not be zero. */
uint64_t expression_apply(enum operation operation, uint64_t a, uint64_t b);

/* Calls `visit` for every symbol that the expression names. */
void expression_symbols(const struct expression *expression,
                        void (*visit)(void *context, struct symbol *symbol), void *context);

#endif
