/* What the files that match operands share: operand.c walks over forms and their syntax,
 * operand_value.c looks at one operand, operand_message.c says what does not match. */
#ifndef ASM_INSTRUCTION_OPERAND_MATCH_H
#define ASM_INSTRUCTION_OPERAND_MATCH_H

#include "asm/instruction/instruction.h"
#include "lib/text.h"

enum inside { BEFORE, INSIDE, BEHIND };

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
    bool deferred; /* numbers may come later */
    struct match *match;
    struct match_failure *failure; /* NULL: no form may match, which costs no words yet */
};

/* The failure that got furthest. */
struct match_failure {
    struct text expected;        /* "A or B" */
    size_t reached;              /* 3 * index + inside */
    const struct isa_form *form; /* the first that got there */
    unsigned operand;            /* number of the operand there, from 1; 0: none */
    char problem[160];           /* instead of the expectation, where there is more to say */
    bool complete;               /* … and nothing else needs to be said */
};

/* ---- operand_value.c ---- */

bool expression_is_register(const struct expression *expression);
/* The operand whose field the form's operand goes to: its own, or that of the first step of an
 * alias that uses it. */
const struct isa_operand *field_operand(const struct isa_form *form, unsigned index);
/* Matches one operand of the form; returns NULL, or the problem ("": the expectation says it). */
const char *match_expression(struct matcher *matcher, unsigned index, struct expression *expression,
                             struct operand_value *value);
/* f8:f11: three items; moves *place to the last. Returns the same. */
const char *match_group(struct matcher *matcher, const struct isa_operand_type *type,
                        struct place *place, int64_t *number);
/* The problem of a distance that the linker may change: nothing else needs to be said. */
extern const char match_shrinking[];

/* ---- operand_message.c ---- */

/* Each notes a failure at `place`, if failures are noted, and returns false. Of an operand:
 * `problem` says it better than the expectation, or is "". */
bool match_fail_operand(struct matcher *matcher, struct place place, unsigned token,
                        const char *problem);
bool match_fail_literal(struct matcher *matcher, struct place place, char literal);
bool match_fail_end(struct matcher *matcher, struct place place); /* more than the form has */
/* Reports the failure that got furthest. */
void match_report(struct matcher *matcher);

#endif
