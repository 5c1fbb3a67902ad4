/* What the files that match operands share: operand.c walks over forms and their syntax,
 * operand_value.c looks at one operand, operand_message.c says what does not match. */
#ifndef ASM_OPERAND_MATCH_H
#define ASM_OPERAND_MATCH_H

#include "asm/instruction.h"
#include "lib/text.h"

enum { ITEM_LIMIT = 64 };

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
    struct item items[ITEM_LIMIT];
    size_t count;
    bool deferred; /* numbers may come later */
    struct match *match;
    struct text expected;                 /* at the furthest failure: "A or B" */
    size_t furthest;                      /* 3 * index + inside */
    const struct isa_form *furthest_form; /* the first that got there */
    unsigned operand;                     /* number of the operand there, from 1; 0: none */
    char problem[160]; /* instead of the expectation, where there is more to say */
    bool complete;     /* … and nothing else needs to be said */
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

/* Notes a failure at `place`, and returns false; `problem` says it better than the expectation, or
 * is NULL. */
bool match_fail(struct matcher *matcher, struct place place, unsigned number,
                const struct isa_operand *operand, char literal, const char *problem);
/* Reports the failure that got furthest. */
void match_report(struct matcher *matcher);

#endif
