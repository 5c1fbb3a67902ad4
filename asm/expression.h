/* Expressions: built by the parser, bound to symbols where they are used, evaluated then or at the
 * end.
 *
 * Operators, ranks and results are GNU as's (its manual, "Infix Operators"): comparisons give 0 or
 * -1, `!` between operands is or-not, arithmetic is modulo 2^64. */
#ifndef ASM_EXPRESSION_H
#define ASM_EXPRESSION_H

#include "lib/diag.h"
#include <stdint.h>

struct assembler;
struct isa_register_name;
struct statement;
struct symbol;
struct word;

enum expression_kind {
    EXPRESSION_CONSTANT,
    EXPRESSION_FLOAT,  /* a floating-point constant: its text, for directives of float data only */
    EXPRESSION_BIG,    /* an integer of more than 64 bits: its text, for .octa only */
    EXPRESSION_NAME,   /* a name that is not bound yet: of a symbol, a register, a CSR … */
    EXPRESSION_LOCAL,  /* 1b, 1f */
    EXPRESSION_DOT,    /* the current location */
    EXPRESSION_SYMBOL, /* bound */
    EXPRESSION_UNARY,
    EXPRESSION_BINARY,
    EXPRESSION_RELOCATED /* %operator(operand) */
};

enum operation {
    OPERATION_NEGATE = 1,
    OPERATION_COMPLEMENT,
    OPERATION_NOT,
    OPERATION_MULTIPLY,
    OPERATION_DIVIDE,
    OPERATION_REMAINDER,
    OPERATION_SHIFT_LEFT,
    OPERATION_SHIFT_RIGHT,
    OPERATION_OR,
    OPERATION_OR_NOT,
    OPERATION_XOR,
    OPERATION_AND,
    OPERATION_ADD,
    OPERATION_SUBTRACT,
    OPERATION_EQUAL,
    OPERATION_UNEQUAL,
    OPERATION_LESS,
    OPERATION_LESS_EQUAL,
    OPERATION_GREATER,
    OPERATION_GREATER_EQUAL,
    OPERATION_AND_ALSO,
    OPERATION_OR_ELSE
};

struct expression {
    enum expression_kind kind : 8;
    enum operation operation : 8; /* UNARY, BINARY */
    bool parenthesized;
    bool quoted;               /* NAME: written as a string, and so never a register */
    unsigned depth;            /* of the tree: limited, because walking it recurses */
    unsigned offset, length;   /* in the statement */
    const struct position *at; /* of the statement */
    union {
        uint64_t constant;
        struct {
            const char *name; /* NAME; RELOCATED: the operator; BIG: the digits */
            union {
                struct word *word;  /* NAME, not quoted */
                size_t name_length; /* quoted: the string may contain a NUL, a name may not */
            };
        };
        struct {
            unsigned number;
            bool forward, dollar; /* 1f, 1$; neither: 1b */
        } local;
        struct symbol *symbol;
        struct expression *right; /* BINARY */
    };
    struct expression *left; /* BINARY; UNARY, RELOCATED: the operand */
};

/* The value of an expression: add - subtract + constant. */
struct value {
    struct symbol *add, *subtract; /* or NULL */
    int64_t constant;
};

enum { EXPRESSION_DEPTH_LIMIT = 2000 };

/* The parser makes these; they live as long as the statement. */
struct expression *expression_new(struct assembler *as, const struct statement *statement,
                                  enum expression_kind kind, unsigned offset, unsigned length);
struct expression *expression_unary(struct assembler *as, const struct statement *statement,
                                    enum operation operation, struct expression *operand,
                                    unsigned offset);
struct expression *expression_binary(struct assembler *as, const struct statement *statement,
                                     enum operation operation, struct expression *left,
                                     struct expression *right);
/* The following expressions live until the end of the run. */
struct expression *expression_constant(struct assembler *as, const struct position *at,
                                       uint64_t constant);
struct expression *expression_symbol(struct assembler *as, const struct position *at,
                                     struct symbol *symbol);
/* Makes the expression `to - from`. */
struct expression *expression_distance(struct assembler *as, struct symbol *from,
                                       struct symbol *to);
/* Both return the symbol of a NAME. The first creates it if it does not exist, the second returns
 * NULL then. */
struct symbol *expression_name(struct assembler *as, const struct expression *expression);
struct symbol *expression_known(const struct assembler *as, const struct expression *expression);
/* Returns the register that a NAME stands for: its own name, or that of a symbol which `.equ` has
 * set to a register. NULL if it is neither. */
const struct isa_register_name *expression_register(const struct expression *expression);
struct position expression_place(const struct expression *expression);

/* Replaces names by symbols, creating them where needed; `.`, 1b and 1f by labels; and a name that
 * .set has given a number by that number. Must be called before the current location moves. */
void expression_bind(struct assembler *as, struct expression *expression);

/* Binds, and returns a copy that outlives the statement. */
struct expression *expression_keep(struct assembler *as, struct expression *expression);
/* Returns a copy that outlives the statement, without binding its names. */
struct expression *expression_copy(struct assembler *as, const struct expression *expression);

/* Computes a binary operation on numbers. False if it divides by zero. */
bool expression_calculate(enum operation operation, uint64_t a, uint64_t b, uint64_t *result);

/* Computes the value of a bound expression. A difference of labels is added to the constant where
 * their distance is known: before layout only within a run of fixed fragments, after layout always.
 * False after a diagnostic, or without one if `quiet`. */
bool expression_evaluate(struct assembler *as, const struct expression *expression, bool quiet,
                         struct value *value);
/* The same, but keeps the outermost difference of labels: data may need a pair of relocations for
 * it. */
bool expression_evaluate_unfolded(struct assembler *as, const struct expression *expression,
                                  struct value *value);

/* Binds and evaluates an expression whose value must be a number that is known now. The diagnostic
 * calls the expression `what`. */
bool expression_number(struct assembler *as, struct expression *expression, const char *what,
                       int64_t *number);
/* Returns whether the value is a number that is known now, without a diagnostic. Creates no
 * symbols. */
bool expression_try_number(struct assembler *as, const struct expression *expression,
                           int64_t *number);
/* The same, but a difference of labels does not count as a number, because the linker may change
 * it. */
bool expression_try_constant(struct assembler *as, const struct expression *expression,
                             int64_t *number);

/* Does the value depend on the distance of two labels with code between them that the linker may
 * shorten? */
bool expression_may_shrink(struct assembler *as, const struct expression *expression);

/* Can a relocation refer to the symbol, which the value of the expression contains? Labels and
 * undefined symbols are in the symbol table; an equated symbol is not when its value is a number or
 * made of several symbols. NULL counts as one that can. False after a diagnostic. */
bool expression_check_address(struct assembler *as, const struct expression *expression,
                              struct symbol *symbol);

#endif
