/* A parsed statement: labels, then nothing, an operation with arguments, or an assignment. */
#ifndef ASM_STATEMENT_H
#define ASM_STATEMENT_H

#include "asm/expression.h"
#include "asm/input.h"

enum item_kind { ITEM_EXPRESSION, ITEM_STRING, ITEM_TYPE /* @name, %name */, ITEM_PUNCTUATION };

struct item {
    enum item_kind kind;
    char punctuation;
    unsigned offset, length; /* in the statement */
    union {
        struct expression *expression;
        struct {
            const char *bytes;
            size_t length;
        } string;
        const char *type;
    };
};

/* The items between two commas; there may be none. */
struct argument {
    struct item *items; /* among those of the statement */
    size_t count;
    unsigned offset, length;
};

struct label {
    struct word *word; /* NULL: a local label, N: or N$: */
    unsigned number;
    bool dollar; /* N$: */
    unsigned offset, length;
};

enum operation_kind { OPERATION_NONE, OPERATION_NAMED, OPERATION_ASSIGNMENT };

struct parsed {
    const struct statement *statement;
    struct label *labels;
    size_t label_count, label_capacity;
    enum operation_kind kind;
    struct word *word; /* mnemonic, directive, or symbol assigned to */
    const char *name;  /* of the word */
    unsigned name_offset, name_length;
    struct item *items; /* of all arguments, with a punctuation ',' between any two */
    size_t item_count, item_capacity;
    struct argument *arguments; /* none: count 0 */
    size_t argument_count, argument_capacity;
    struct expression *value; /* ASSIGNMENT */
    bool lazy;                /* == */
    bool failed;              /* after a diagnostic */
};

/* Makes an expression of a string that is the name of a symbol. It lives as long as the
 * statement. */
struct expression *item_as_name(struct assembler *as, const struct statement *statement,
                                const struct item *string);
/* Return the place of an argument, and of the operation's name, for diagnostics. */
struct position argument_place(const struct parsed *parsed, size_t index);
struct position name_place(const struct parsed *parsed);

#endif
