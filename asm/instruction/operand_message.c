/* Messages for operands that match no form: what was expected at the place where a match got
 * furthest, and what was found there. */
#include "asm/expression.h"
#include "asm/instruction/operand_match.h"
#include "asm/tasm.h"
#include <inttypes.h>
#include <string.h>

const char *operand_range(const struct isa_operand *operand, char *buffer, size_t size)
{
    int64_t minimum, maximum, step;

    isa_range(operand, &minimum, &maximum, &step);
    if (operand->type->also_negative)
        minimum = -((int64_t)1 << (operand->type->bits - 1));
    int used = snprintf(buffer, size, "%" PRId64 "..%" PRId64, minimum, maximum);
    if (step > 1)
        used += snprintf(buffer + used, size - (size_t)used, ", a multiple of %" PRId64, step);
    if (operand->type->nonzero)
        snprintf(buffer + used, size - (size_t)used, ", not 0");
    return buffer;
}

static void expect_names(struct text *text, const struct isa_enum *values, const char *separator)
{
    for (unsigned i = 0; i < values->count; i++)
        text_format(text, "%s%s", i ? separator : "", values->values[i].name);
}

/* Appends the group that begins with a register, by numeric names if there are some. */
static void expect_group(struct text *text, const struct isa_operand_type *type, unsigned first)
{
    const struct isa_register_file *file = type->file;
    unsigned last = first + type->group_count - 1;

    if (*file->numeric)
        text_format(text, "%s%u:%s%u", file->numeric, first, file->numeric, last);
    else
        text_format(text, "%s:%s", file->names[first], file->names[last]);
}

/* Appends what an operand may be: its summary, and its values where the summary does not have
 * them. */
static void expect_operand(struct text *text, const struct isa_operand *operand)
{
    const struct isa_operand_type *type = operand->type;
    char range[80];

    text_append(text, type->summary);
    switch (type->kind) {
    case ISA_IMMEDIATE:
        text_format(text, " (%s)", operand_range(operand, range, sizeof range));
        break;
    case ISA_REGISTER_OR_IMMEDIATE:
        text_format(text, " (a register of %s, or 0..%u)", type->file->name,
                    (1u << type->ri_immediate_bits) - 1);
        break;
    case ISA_REGISTER_GROUP:
        text_format(text, " (%u registers, the first a multiple of %u: ", type->group_count,
                    type->group_count);
        /* the second group as an example, if there is one */
        expect_group(text, type,
                     2u * type->group_count <= type->file->count ? type->group_count : 0);
        text_append(text, ")");
        break;
    case ISA_ENUM:
        text_append(text, " (");
        expect_names(text, type->values, ", ");
        text_append(text, ")");
        break;
    case ISA_OPCODE:
        text_format(text, " of %u-byte instructions (a name such as %s, or a number)",
                    operand->field->length, type->values->values[0].name);
        break;
    case ISA_SET:
        text_append(text, " (letters of ");
        expect_names(text, type->values, "");
        text_append(text, ")");
        break;
    case ISA_CSR:
        text_format(text, " (a name, or 0..%u)", (1u << type->bits) - 1);
        break;
    default:
        break;
    }
}

static void describe_expression(struct text *text, const struct matcher *matcher,
                                const struct expression *expression)
{
    int64_t number;
    bool is_name = expression->kind == EXPRESSION_NAME && !expression->parenthesized;

    if (is_name && expression->quoted)
        text_append(text, "a string");
    else if (is_name && expression_is_register(expression))
        text_format(text, "register '%s'", expression->name);
    else if (expression_try_number(matcher->as, expression, &number))
        text_format(text, "%" PRId64, number);
    else if (is_name)
        text_format(text, "symbol '%s'", expression->name);
    else
        text_format(text, "'%.*s'", (int)expression->length,
                    matcher->parsed->statement->text + expression->offset);
}

static void describe_found(struct text *text, const struct matcher *matcher, struct place place)
{
    if (place.index >= matcher->count) {
        text_append(text, "the end of the statement");
        return;
    }
    const struct item *item = &matcher->items[place.index];
    if (place.inside == AFTER)
        text_append(text, "')'");
    else if (item->kind == ITEM_PUNCTUATION)
        text_format(text, "'%c'", item->punctuation);
    else if (item->kind == ITEM_TYPE)
        text_format(text, "'%s'", item->type);
    else
        describe_expression(text, matcher, item->expression);
}

/* ---- failures ---- */

/* Prepares to record a failure at that place; false if another one got further. If this one got
 * further, the others are dropped. */
static bool begin_note(struct matcher *matcher, struct place place)
{
    struct match_failure *failure = matcher->failure;
    size_t reached = 3 * place.index + place.inside;

    if (!failure || reached < failure->reached)
        return false;
    if (reached > failure->reached) {
        text_free(&failure->expected);
        *failure = (struct match_failure){.reached = reached};
    }
    if (!failure->form)
        failure->form = matcher->form;
    return true;
}

static void add_expectation(struct match_failure *failure, const char *words)
{
    if (!failure->expected.length)
        text_append(&failure->expected, words);
    else if (!strstr(failure->expected.bytes, words))
        text_format(&failure->expected, " or %s", words);
}

static unsigned operand_number(const struct isa_form *form, unsigned token)
{
    unsigned number = 1;

    for (unsigned i = 0; i < token; i++)
        number += form->syntax[i].kind == ISA_TOKEN_OPERAND;
    return number;
}

/* Adds the registers of the operand that a name which is none may be a misspelling of. */
static void suggest_registers(struct matcher *matcher, struct place place,
                              const struct isa_operand_type *type)
{
    const struct item *item = &matcher->items[place.index];
    struct suggestion *suggestion = &matcher->failure->registers;

    if (!type->file || place.index >= matcher->count || place.inside == AFTER ||
        item->kind != ITEM_EXPRESSION || item->expression->kind != EXPRESSION_NAME ||
        item->expression->quoted || expression_is_register(item->expression))
        return;
    if (!suggestion->word)
        suggest_init(suggestion, item->expression->name);
    for (size_t i = 0; i < isa_register_name_count; i++)
        if (isa_register_names[i].file == type->file &&
            isa_is_register(type, isa_register_names[i].number))
            suggest_add(suggestion, isa_register_names[i].name);
}

bool match_fail_operand(struct matcher *matcher, struct place place, unsigned token,
                        const char *problem)
{
    struct match_failure *failure = matcher->failure;

    if (!begin_note(matcher, place))
        return false;
    unsigned index = matcher->form->syntax[token].operand;
    const struct isa_operand *own = &matcher->form->operands[index];
    const struct isa_operand *field = field_operand(matcher->form, index);
    struct text words = TEXT_INIT;
    if (*problem && !failure->problem[0])
        snprintf(failure->problem, sizeof failure->problem, "%s", problem);
    failure->complete |= problem == match_shrinking;
    if (!failure->operand)
        failure->operand = operand_number(matcher->form, token);
    if (problem == match_last_register)
        expect_group(&words, own->type, (unsigned)matcher->match->operands[index].number);
    else
        expect_operand(&words, own->type->kind == field->type->kind ? field : own);
    add_expectation(failure, words.bytes);
    text_free(&words);
    suggest_registers(matcher, place, own->type);
    return false;
}

bool match_fail_literal(struct matcher *matcher, struct place place, char literal)
{
    const char words[] = {'\'', literal, '\'', '\0'};

    if (begin_note(matcher, place))
        add_expectation(matcher->failure, words);
    return false;
}

bool match_fail_end(struct matcher *matcher, struct place place)
{
    if (begin_note(matcher, place))
        add_expectation(matcher->failure, "the end of the statement");
    return false;
}

/* Counts the operands, between commas, that the form takes: returns the smallest number, stores the
 * largest. */
static size_t operand_count(const struct isa_form *form, size_t *most)
{
    size_t least = form->syntax_count > 0;
    bool optional = false;

    *most = least;
    for (unsigned i = 0; i < form->syntax_count; i++) {
        const struct isa_token *token = &form->syntax[i];
        optional = token->kind == ISA_TOKEN_OPTIONAL ||
                   (optional && token->kind != ISA_TOKEN_END_OPTIONAL);
        if (token->kind != ISA_TOKEN_LITERAL || token->literal != ',')
            continue;
        ++*most;
        least += !optional;
    }
    return least;
}

static void describe_form(struct text *text, const struct matcher *matcher,
                          const struct isa_form *form)
{
    text_format(text, "%s ", matcher->parsed->name);
    for (unsigned i = 0; i < form->syntax_count; i++) {
        const struct isa_token *token = &form->syntax[i];
        if (token->kind == ISA_TOKEN_OPERAND)
            text_append(text, form->operands[token->operand].name);
        else if (token->kind == ISA_TOKEN_LITERAL)
            text_format(text, "%c%s", token->literal, token->literal == ',' ? " " : "");
        else
            text_append_char(text, token->kind == ISA_TOKEN_OPTIONAL ? '[' : ']');
    }
}

static bool is_comma(const struct item *item)
{
    return item->kind == ITEM_PUNCTUATION && item->punctuation == ',';
}

/* Reports too few or too many operands; false if their number is right. */
static bool report_count(const struct matcher *matcher, struct place place,
                         const struct position *at)
{
    const struct isa_form *form = matcher->failure->form;
    size_t found = matcher->count > 0, most, least = operand_count(form, &most);

    for (size_t i = 0; i < matcher->form_count; i++) {
        size_t more, fewer = operand_count(&matcher->forms[i], &more);
        least = fewer < least ? fewer : least;
        most = more > most ? more : most;
    }
    for (size_t i = 0; i < matcher->count; i++)
        found += is_comma(&matcher->items[i]);
    bool at_end = place.index >= matcher->count;
    bool at_comma = !at_end && is_comma(&matcher->items[place.index]);
    bool few = at_end && found < least, many = at_comma && found > most;
    if (matcher->failure->problem[0] || !(few || many))
        return false;
    struct text text = TEXT_INIT;
    describe_form(&text, matcher, form);
    diag_error(matcher->as->diag, at, "'%s': expected %s%zu operand%s (%s), found %zu",
               matcher->parsed->name,
               least == most ? ""
               : few         ? "at least "
                             : "at most ",
               few ? least : most, (few ? least : most) == 1 ? "" : "s", text.bytes, found);
    text_free(&text);
    return true;
}

/* Returns the place of an item; for a comma, that of the argument after it, which is unexpected. */
static struct position item_place(const struct matcher *matcher, size_t index)
{
    const struct item *item = &matcher->items[index];
    size_t argument = 0;

    if (!is_comma(item))
        return statement_place(matcher->parsed->statement, item->offset, item->length);
    for (size_t i = 0; i <= index; i++)
        argument += is_comma(&matcher->items[i]);
    return argument_place(matcher->parsed, argument);
}

void match_report(struct matcher *matcher)
{
    const struct match_failure *failure = matcher->failure;
    struct place place = {.index = failure->reached / 3, .inside = failure->reached % 3};
    const struct statement *statement = matcher->parsed->statement;
    struct suggestion suggestion = failure->registers;
    struct position at = statement_place(statement, statement->length, 1);

    if (place.index < matcher->count)
        at = item_place(matcher, place.index);
    if (report_count(matcher, place, &at))
        return;
    struct text message = TEXT_INIT;
    if (failure->operand)
        text_format(&message, "operand %u of ", failure->operand);
    text_format(&message, "'%s': ", matcher->parsed->name);
    if (failure->problem[0])
        text_format(&message, "%s%s", failure->problem, failure->complete ? "" : "; ");
    if (!failure->complete) {
        text_format(&message, "expected %s, found ", failure->expected.bytes);
        describe_found(&message, matcher, place);
        if (failure->registers.count)
            text_format(&message, "; did you mean %s?", suggest_text(&suggestion));
    }
    diag_error(matcher->as->diag, &at, "%s", message.bytes);
    text_free(&message);
}
