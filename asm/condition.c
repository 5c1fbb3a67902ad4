/* Conditional assembly. In a branch that is left out only .if, .else, .endif and their relatives
 * are recognized; the other statements are not parsed. */
#include "asm/condition.h"
#include "asm/argument.h"
#include "asm/constant.h"
#include "asm/expression.h"
#include "asm/parse.h"
#include "asm/tasm.h"
#include <string.h>

enum test {
    TEST_NONE,
    TEST_NOT_ZERO,
    TEST_ZERO,
    TEST_LESS,
    TEST_LESS_EQUAL,
    TEST_GREATER,
    TEST_GREATER_EQUAL,
    TEST_DEFINED,
    TEST_NOT_DEFINED,
    TEST_BLANK,
    TEST_NOT_BLANK,
    TEST_SAME,
    TEST_NOT_SAME,
    TEST_SAME_STRING,
    TEST_NOT_SAME_STRING,
    TEST_ELSE,
    TEST_ELSEIF,
    TEST_ENDIF
};

static const struct {
    const char *name;
    enum test test;
} tests[] = {
    {".if", TEST_NOT_ZERO},        {".ifne", TEST_NOT_ZERO},
    {".ifeq", TEST_ZERO},          {".iflt", TEST_LESS},
    {".ifle", TEST_LESS_EQUAL},    {".ifgt", TEST_GREATER},
    {".ifge", TEST_GREATER_EQUAL}, {".ifdef", TEST_DEFINED},
    {".ifndef", TEST_NOT_DEFINED}, {".ifnotdef", TEST_NOT_DEFINED},
    {".ifb", TEST_BLANK},          {".ifnb", TEST_NOT_BLANK},
    {".ifc", TEST_SAME},           {".ifnc", TEST_NOT_SAME},
    {".ifeqs", TEST_SAME_STRING},  {".ifnes", TEST_NOT_SAME_STRING},
    {".else", TEST_ELSE},          {".elseif", TEST_ELSEIF},
    {".endif", TEST_ENDIF},
};

void condition_init(struct assembler *as)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        words_mean(&as->words, tests[i].name)->condition = tests[i].test;
}

static struct condition *innermost(struct assembler *as)
{
    struct conditions *conditions = &as->conditions;

    return conditions->count ? &conditions->stack[conditions->count - 1] : NULL;
}

static void trim(const char **text, size_t *length)
{
    while (*length && ((*text)[0] == ' ' || (*text)[0] == '\t')) {
        ++*text;
        --*length;
    }
    while (*length && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t'))
        --*length;
}

/* .ifc: compares the texts on both sides of the first comma outside quotes. */
static bool same_text(struct assembler *as, const struct statement *statement, const char *text,
                      size_t length, bool *same)
{
    const char *comma = NULL;
    char quote = 0;

    for (const char *c = text; c < text + length && !comma; c++) {
        if (quote ? *c == quote : *c == '"' || *c == '\'')
            quote = quote ? 0 : *c;
        else if (!quote && *c == ',')
            comma = c;
    }
    if (!comma) {
        struct position at = statement_place(statement, (size_t)(text - statement->text), length);
        diag_error(as->diag, &at, "expected two texts with ',' between them");
        return false;
    }
    const char *right = comma + 1;
    size_t left_length = (size_t)(comma - text), right_length = length - left_length - 1;
    trim(&text, &left_length);
    trim(&right, &right_length);
    *same = left_length == right_length && memcmp(text, right, left_length) == 0;
    return true;
}

static bool same_strings(struct assembler *as, const struct parsed *parsed, bool *same)
{
    const char *left, *right;
    size_t left_length, right_length;

    if (!argument_string(as, parsed, 0, &left, &left_length) ||
        !argument_string(as, parsed, 1, &right, &right_length))
        return false;
    *same = left_length == right_length && memcmp(left, right, left_length) == 0;
    return true;
}

static bool is_defined(struct assembler *as, const char *name)
{
    const struct symbol *symbol = symbol_find(as, name);

    return (symbol && symbol_is_defined(symbol)) || section_find(as, name);
}

static bool compare_number(enum test test, int64_t number)
{
    switch (test) {
    case TEST_ZERO:
        return number == 0;
    case TEST_LESS:
        return number < 0;
    case TEST_LESS_EQUAL:
        return number <= 0;
    case TEST_GREATER:
        return number > 0;
    case TEST_GREATER_EQUAL:
        return number >= 0;
    default:
        return number != 0;
    }
}

/* Is the condition of the statement true? Reports a malformed one, which counts as false. */
static bool holds(struct assembler *as, const struct statement *statement, size_t offset,
                  enum test test)
{
    const char *text = statement->text + offset;
    size_t length = statement->length - offset;

    trim(&text, &length);
    bool same = false;
    if (test == TEST_BLANK || test == TEST_NOT_BLANK)
        return (length == 0) == (test == TEST_BLANK);
    if (test == TEST_SAME || test == TEST_NOT_SAME)
        return same_text(as, statement, text, length, &same) && same == (test == TEST_SAME);
    struct parsed parsed;
    if (!parse_arguments(as, statement, offset, &parsed))
        return false;
    if (test == TEST_SAME_STRING || test == TEST_NOT_SAME_STRING)
        return same_strings(as, &parsed, &same) && same == (test == TEST_SAME_STRING);
    if (test == TEST_DEFINED || test == TEST_NOT_DEFINED) {
        const char *name = argument_name(as, &parsed, 0);
        return name && is_defined(as, name) == (test == TEST_DEFINED);
    }
    int64_t number;
    struct expression *expression = argument_expression(as, &parsed, 0);
    return expression && expression_number(as, expression, "a condition", &number) &&
           compare_number(test, number);
}

static void push(struct assembler *as, const struct position *at, bool active)
{
    struct conditions *conditions = &as->conditions;
    bool inherited = condition_is_active(conditions);

    if (conditions->count == conditions->capacity)
        conditions->stack = arena_grow(as->arena, conditions->stack, conditions->count,
                                       &conditions->capacity, sizeof *conditions->stack);
    conditions->stack[conditions->count++] = (struct condition){
        .at = location_of(as, at), .active = active, .taken = active, .inherited = inherited};
}

static void open_condition(struct assembler *as, const struct statement *statement, size_t offset,
                           enum test test)
{
    bool active = condition_is_active(&as->conditions) && holds(as, statement, offset, test);

    push(as, statement->at, active);
}

static void next_branch(struct assembler *as, const struct statement *statement, size_t offset,
                        enum test test)
{
    struct condition *condition = innermost(as);

    if (condition->else_seen) {
        diag_error(as->diag, statement->at, "'%s' after the '.else' of the same '.if'",
                   test == TEST_ELSE ? ".else" : ".elseif");
        return;
    }
    condition->active = false;
    if (test == TEST_ELSE)
        condition->else_seen = true;
    if (!condition->inherited || condition->taken)
        return;
    bool active = test == TEST_ELSE || holds(as, statement, offset, TEST_NOT_ZERO);
    condition = innermost(as);
    condition->active = condition->taken = active;
}

bool condition_statement(struct assembler *as, const struct statement *statement,
                         const struct meaning *meaning, size_t offset, size_t length)
{
    enum test test = meaning ? (enum test)meaning->condition : TEST_NONE;

    if (test == TEST_NONE)
        return !condition_is_active(&as->conditions);
    if (test < TEST_ELSE) {
        open_condition(as, statement, offset + length, test);
        return true;
    }
    if (as->conditions.count <= as->input.top->condition_depth) {
        struct position at = statement_place(statement, offset, length);
        diag_error(as->diag, &at, "'%.*s' without '.if'", (int)length, statement->text + offset);
        return true;
    }
    if (test == TEST_ENDIF)
        as->conditions.count--;
    else
        next_branch(as, statement, offset + length, test);
    return true;
}

/* ---- simple statements, straight from the source ---- */

static bool quick_name(struct assembler *as, const char *text, const char *newline, bool *defined)
{
    const char *end = text;

    while (cut_class(*end) & CUT_IN_WORD)
        end++;
    const struct word *word = word_get(&as->words, text, (size_t)(end - text));
    if (end == text || end != newline || (*text >= '0' && *text <= '9') || word->meaning)
        return false;
    *defined = is_defined(as, word->name);
    return true;
}

/* Judges a condition. Returns false if that is not easy. */
static bool quick_holds(struct assembler *as, enum test test, const char *text, const char *newline,
                        bool *holds)
{
    uint64_t number;
    bool defined;

    if (test == TEST_DEFINED || test == TEST_NOT_DEFINED) {
        if (!quick_name(as, text, newline, &defined))
            return false;
        *holds = defined == (test == TEST_DEFINED);
        return true;
    }
    if ((test < TEST_NOT_ZERO || test > TEST_GREATER_EQUAL) ||
        constant_read(&as->words, text, &number) != newline)
        return false;
    *holds = compare_number(test, (int64_t)number);
    return true;
}

static bool quick_branch(struct assembler *as, enum test test, const char *text,
                         const char *newline)
{
    struct condition *condition = innermost(as);
    bool open = condition->inherited && !condition->taken, active = open;

    if (condition->else_seen || (test == TEST_ELSE && text != newline) ||
        (test == TEST_ELSEIF && open && !quick_holds(as, TEST_NOT_ZERO, text, newline, &active)))
        return false;
    condition->else_seen = test == TEST_ELSE;
    condition->active = active;
    condition->taken |= active;
    return true;
}

bool condition_quick(struct assembler *as, const struct meaning *meaning, const char *start,
                     const char *text, const char *end)
{
    enum test test = (enum test)meaning->condition;
    bool active = false;

    if (test < TEST_ELSE) {
        if (condition_is_active(&as->conditions) && !quick_holds(as, test, text, end, &active))
            return false;
        struct position at = source_place(as->input.top, start);
        at.length = (unsigned)(end - start);
        push(as, &at, active);
        return true;
    }
    if (as->conditions.count <= as->input.top->condition_depth)
        return false;
    if (test != TEST_ENDIF)
        return quick_branch(as, test, text, end);
    as->conditions.count -= text == end;
    return text == end;
}

/* ---- the ends of sources ---- */

void condition_end_source(struct assembler *as, size_t depth)
{
    for (; as->conditions.count > depth; as->conditions.count--) {
        struct position at = location_position(as, innermost(as)->at);
        diag_error(as->diag, &at, "unterminated '.if': its '.endif' is missing");
    }
}

void condition_unwind(struct assembler *as, size_t depth)
{
    if (as->conditions.count > depth)
        as->conditions.count = depth;
}
