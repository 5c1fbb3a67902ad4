/* Shared by the files that match operands: operand.c goes through the forms and their syntax,
 * operand_value.c matches one operand, operand_message.c reports what does not match. */
#ifndef ASM_INSTRUCTION_OPERAND_MATCH_H
#define ASM_INSTRUCTION_OPERAND_MATCH_H

#include "asm/instruction/instruction.h"
#include "lib/text.h"

enum inside { BEFORE, INSIDE, AFTER };

struct place {
    size_t index;
    enum inside inside;
};

struct matcher {
    struct assembler *as;
    const struct parsed *parsed;
    const struct isa_form *form, *forms;
    size_t form_count;
    struct item *items;
    size_t count;
    bool enabled_only; /* only forms of enabled extensions */
    bool deferred;     /* accept expressions whose value is known later */
    struct match *match;
    struct match_failure *failure; /* NULL: do not collect a message (the first attempt) */
};

/* The failure that got furthest. */
struct match_failure {
    struct text expected;        /* "A or B" */
    size_t reached;              /* 3 * index + inside, of its place */
    const struct isa_form *form; /* the first form that got there */
    unsigned operand;            /* number of the operand there, from 1; 0: none */
    char problem[160];           /* a message more precise than the expectation, or "" */
    bool complete;               /* the problem is the whole message */
    struct suggestion registers; /* that could have been meant by the name there */
};

/* ---- operand_value.c ---- */

bool expression_is_register(const struct expression *expression);
/* Returns the operand whose field the form's operand is stored in: the instruction's, or for an
 * alias that of the first step that uses it. */
const struct isa_operand *field_operand(const struct isa_form *form, unsigned index);
/* Matches one operand of the form. Returns NULL if it matches, else the problem; "" means that
 * there is nothing to say but the expectation. */
const char *match_expression(struct matcher *matcher, unsigned index, struct expression *expression,
                             struct operand_value *value);
/* Matches a register group, f8:f11, which has three items; moves *place to the last. Returns as
 * above. */
const char *match_group(struct matcher *matcher, const struct isa_operand_type *type,
                        struct place *place, int64_t *number);
/* The problem of a distance that the linker may change; it is the whole message. */
extern const char match_shrinking[];
/* The problem of a group of registers that ends with another register than its first one says. */
extern const char match_last_register[];

/* ---- operand_message.c ---- */

/* Each function records a failure at `place`, if failures are collected, and returns false.
 * `problem` is a message more precise than the expectation, or "". */
bool match_fail_operand(struct matcher *matcher, struct place place, unsigned token,
                        const char *problem);
bool match_fail_literal(struct matcher *matcher, struct place place, char literal);
/* The statement goes on after the last operand of the form. */
bool match_fail_end(struct matcher *matcher, struct place place);
/* Reports the failure that got furthest. */
void match_report(struct matcher *matcher);

#endif
