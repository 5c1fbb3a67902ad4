/* Matching what was written against the forms of a mnemonic.
 *
 * Problem: one mnemonic may have several forms (`add rd, rs1, rs2` and `add rd, rs1, imm`), and a
 * message must say what was expected where the match failed, not just that it did. So each form is
 * tried, the failures that got furthest are kept, and their expectations are joined. Forms with
 * numbers that are known are tried before those whose numbers come later.
 *
 * The operands are a row of items; a place in the row is an index and, for `(a0)`, which the parser
 * took for an expression, whether the match is before, inside or behind the operand in the
 * parentheses. */
#include "asm/instruction.h"
#include "asm/tasm.h"
#include "lib/text.h"
#include <inttypes.h>
#include <string.h>

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

static bool is_register_name(const struct expression *expression)
{
    return expression->kind == EXPRESSION_NAME && !expression->quoted &&
           isa_find_register(expression->name);
}

/* A string among operands is the name of a symbol. */
static struct item operand_item(struct matcher *matcher, const struct item *item)
{
    struct item operand = *item;
    if (item->kind == ITEM_STRING) {
        operand.kind = ITEM_EXPRESSION;
        operand.expression = expression_quoted(matcher->as, matcher->parsed->statement, item);
    }
    return operand;
}

static void flatten(struct matcher *matcher)
{
    const struct parsed *parsed = matcher->parsed;
    for (size_t i = 0; i < parsed->argument_count; i++) {
        const struct argument *argument = &parsed->arguments[i];
        if (i && matcher->count < ITEM_LIMIT) {
            struct position at = argument_place(parsed, i);
            unsigned offset = at.column - parsed->statement->at->column;
            matcher->items[matcher->count++] = (struct item){.kind = ITEM_PUNCTUATION,
                                                             .punctuation = ',',
                                                             .offset = offset,
                                                             .length = at.length};
        }
        for (size_t j = 0; j < argument->count && matcher->count < ITEM_LIMIT; j++)
            matcher->items[matcher->count++] = operand_item(matcher, &argument->items[j]);
    }
}

/* ---- words for messages ---- */

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

/* What an operand may be: its summary, and its values where the summary cannot know them. */
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
        text_format(text, " (%u registers, the first a multiple of %u: %s%u:%s%u)",
                    type->group_count, type->group_count, type->file->numeric, type->group_count,
                    type->file->numeric, 2 * type->group_count - 1);
        break;
    case ISA_ENUM:
        text_append(text, " (");
        expect_names(text, type->values, ", ");
        text_append(text, ")");
        break;
    case ISA_OPCODE:
        text_format(text, " of %u-byte instructions (a name, as %s, or a number)",
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
    else if (is_name && is_register_name(expression))
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
    if (place.inside == BEHIND)
        text_append(text, "')'");
    else if (item->kind == ITEM_PUNCTUATION)
        text_format(text, "'%c'", item->punctuation);
    else if (item->kind == ITEM_TYPE)
        text_format(text, "'%s'", item->type);
    else
        describe_expression(text, matcher, item->expression);
}

/* ---- failures ---- */

static const char shrinking[] =
    "the linker may shorten the code between these labels ('.option norelax' forbids it)";

/* Notes a failure at `place`; `problem` says it better than the expectation, or is NULL. */
static bool fail(struct matcher *matcher, struct place place, unsigned number,
                 const struct isa_operand *operand, char literal, const char *problem)
{
    size_t reached = 3 * place.index + place.inside;
    if (reached < matcher->furthest)
        return false;
    if (reached > matcher->furthest) {
        text_clear(&matcher->expected);
        matcher->problem[0] = '\0';
        matcher->complete = false;
        matcher->operand = 0;
        matcher->furthest = reached;
        matcher->furthest_form = NULL;
    }
    if (!matcher->furthest_form)
        matcher->furthest_form = matcher->form;
    if (problem && !matcher->problem[0])
        snprintf(matcher->problem, sizeof matcher->problem, "%s", problem);
    matcher->complete |= problem == shrinking;
    struct text words = TEXT_INIT;
    if (operand)
        expect_operand(&words, operand);
    else if (literal)
        text_format(&words, "'%c'", literal);
    else
        text_append(&words, "the end of the statement");
    if (!matcher->operand)
        matcher->operand = number;
    if (!matcher->expected.length)
        text_append(&matcher->expected, words.bytes);
    else if (!strstr(matcher->expected.bytes, words.bytes))
        text_format(&matcher->expected, " or %s", words.bytes);
    text_free(&words);
    return false;
}

/* ---- operands ---- */

/* The operand whose field the form's operand goes to: its own, or that of the first step of an
 * alias that uses it. */
static const struct isa_operand *field_operand(const struct isa_form *form, unsigned index)
{
    if (!form->step_count)
        return &form->operands[index];
    for (unsigned i = 0; i < form->step_count; i++) {
        const struct isa_step *step = &form->steps[i];
        for (unsigned j = 0; j < step->instruction->operand_count; j++)
            if (step->arguments[j].kind == ISA_ARGUMENT_OPERAND &&
                step->arguments[j].operand == index)
                return &step->instruction->operands[j];
    }
    return &form->operands[index];
}

static bool named_value(const struct isa_enum *values, const char *name, int64_t *number)
{
    for (unsigned i = 0; i < values->count; i++) {
        if (!strcmp(values->values[i].name, name)) {
            *number = values->values[i].value;
            return true;
        }
    }
    return false;
}

/* Letters of a set, each at most once. */
static bool set_value(const struct isa_enum *values, const char *name, int64_t *number)
{
    *number = 0;
    for (; *name; name++) {
        const char letter[2] = {*name, '\0'};
        int64_t bit;
        if (!named_value(values, letter, &bit) || (*number & bit))
            return false;
        *number |= bit;
    }
    return true;
}

static bool match_register(const struct isa_operand_type *type, const struct expression *expression,
                           int64_t *number)
{
    if (!is_register_name(expression))
        return false;
    const struct isa_register_name *name = isa_find_register(expression->name);
    if ((type->file && name->file != type->file) || !isa_is_register(type, name->number))
        return false;
    *number = name->number;
    return true;
}

/* f8:f11: three items. */
static const char *match_group(struct matcher *matcher, const struct isa_operand_type *type,
                               struct place *place, int64_t *number)
{
    const struct item *items = &matcher->items[place->index];
    int64_t first, last;
    if (items[0].kind != ITEM_EXPRESSION || !match_register(type, items[0].expression, &first))
        return "";
    if (place->index + 2 >= matcher->count || items[1].kind != ITEM_PUNCTUATION ||
        items[1].punctuation != ':' || items[2].kind != ITEM_EXPRESSION ||
        !match_register(type, items[2].expression, &last))
        return "a register group is written first:last";
    if (first % type->group_count)
        return "the first register of a group must be a multiple of the group's size";
    if (last != first + type->group_count - 1)
        return "the last register must be the first plus the group's size less 1";
    *number = first;
    place->index += 2;
    return NULL;
}

/* Operators that exist, but not here, are told from those that do not exist. */
static const char *operator_problem(struct matcher *matcher, const char *name)
{
    struct suggestion suggestion;
    suggest_init(&suggestion, name);
    for (size_t i = 0; i < isa_relocation_count; i++) {
        const char *known = isa_relocations[i].operator_name;
        if (known && !strcmp(known, name))
            return arena_format(matcher->as->arena, "'%%%s' cannot be used in this operand", name);
        if (known)
            suggest_add(&suggestion, known);
    }
    const char *near = suggest_text(&suggestion);
    return arena_format(matcher->as->arena, "unknown operator '%%%s'%s%s%s", name,
                        near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* A name that is no opcode: the nearest ones. */
static const char *opcode_problem(struct matcher *matcher, const struct isa_enum *values,
                                  const char *name)
{
    struct suggestion suggestion;
    suggest_init(&suggestion, name);
    for (unsigned i = 0; i < values->count; i++)
        suggest_add(&suggestion, values->values[i].name);
    const char *near = suggest_text(&suggestion);
    return near ? arena_format(matcher->as->arena, "unknown opcode '%s'; did you mean %s?", name,
                               near)
                : "";
}

/* A number, a relocated value, or (deferred) something that will be a number. Returns the problem;
 * "" if expectation says it. */
static const char *match_immediate(struct matcher *matcher, const struct isa_operand *operand,
                                   struct expression *expression, struct operand_value *value)
{
    const struct isa_operand_type *type = operand->type;
    if (expression->kind == EXPRESSION_RELOCATED) {
        value->relocation = isa_relocation_for(expression->name, operand);
        value->expression = expression->left;
        return value->relocation ? NULL : operator_problem(matcher, expression->name);
    }
    if (is_register_name(expression) || expression->kind == EXPRESSION_FLOAT)
        return "";
    if (!expression_try_number(matcher->as, expression, &value->number)) {
        value->expression = expression;
        return matcher->deferred && !expression->quoted ? NULL : "";
    }
    if (expression_may_shrink(matcher->as, expression))
        return shrinking;
    bool negative = type->also_negative && value->number < 0 &&
                    value->number >= -((int64_t)1 << (type->bits - 1));
    if (negative)
        value->number &= (int64_t)((UINT64_C(1) << type->bits) - 1);
    return isa_fits(operand, value->number) ? NULL : "";
}

static const char *match_register_or_immediate(struct matcher *matcher,
                                               const struct isa_operand_type *type,
                                               const struct expression *expression, int64_t *number)
{
    int64_t written;
    if (match_register(type, expression, &written)) {
        *number = (int64_t)isa_ri_register(type, (unsigned)written);
        return NULL;
    }
    if (is_register_name(expression) || !expression_try_number(matcher->as, expression, &written))
        return "";
    if (written < 0 || written >> type->ri_immediate_bits)
        return "";
    *number = (int64_t)isa_ri_immediate(type, (uint64_t)written);
    return NULL;
}

/* Loads and stores have a form with a symbol beside that with a register in parentheses; a
 * register's name that no symbol bears is then a forgotten parenthesis. Elsewhere (call, la) any
 * name is a symbol, as compilers may write it. */
static bool match_symbol(struct matcher *matcher, struct expression *expression,
                         struct operand_value *value)
{
    bool has_own_form = !matcher->forms->step_count;
    int64_t number;
    if (expression->kind == EXPRESSION_RELOCATED || expression->kind == EXPRESSION_FLOAT)
        return false;
    if (has_own_form && is_register_name(expression) && !symbol_find(matcher->as, expression->name))
        return false;
    if (has_own_form && expression_try_number(matcher->as, expression, &number))
        return false;
    value->expression = expression;
    return true;
}

static bool match_enum(struct matcher *matcher, const struct isa_operand *operand,
                       const struct expression *expression, int64_t *number)
{
    const struct isa_operand_type *type = operand->type;
    if (expression->kind == EXPRESSION_NAME && type->kind == ISA_CSR) {
        const struct isa_csr *csr = isa_find_csr(expression->name);
        if (csr) {
            *number = csr->number;
            return true;
        }
    } else if (expression->kind == EXPRESSION_NAME && type->kind == ISA_SET) {
        if (set_value(type->values, expression->name, number))
            return true;
    } else if (expression->kind == EXPRESSION_NAME) {
        if (named_value(type->values, expression->name, number))
            return isa_fits(operand, *number);
    }
    return type->kind != ISA_ENUM && expression_try_number(matcher->as, expression, number) &&
           isa_fits(operand, *number);
}

/* Matches one operand; returns NULL, or the problem ("": the expectation says it). */
static const char *match_expression(struct matcher *matcher, unsigned index,
                                    struct expression *expression, struct operand_value *value)
{
    const struct isa_operand *operand = field_operand(matcher->form, index);
    const struct isa_operand_type *type = matcher->form->operands[index].type;
    bool ok = false;
    switch (type->kind) {
    case ISA_REGISTER:
        ok = match_register(type, expression, &value->number);
        break;
    case ISA_REGISTER_OR_IMMEDIATE:
        return match_register_or_immediate(matcher, type, expression, &value->number);
    case ISA_IMMEDIATE:
        return match_immediate(matcher, operand, expression, value);
    case ISA_TARGET:
        ok = expression->kind != EXPRESSION_RELOCATED && expression->kind != EXPRESSION_FLOAT &&
             (!is_register_name(expression) || symbol_find(matcher->as, expression->name));
        value->expression = expression;
        break;
    case ISA_ENUM:
    case ISA_SET:
    case ISA_CSR:
        ok = match_enum(matcher, operand, expression, &value->number);
        break;
    case ISA_OPCODE:
        ok = match_enum(matcher, operand, expression, &value->number);
        if (!ok && expression->kind == EXPRESSION_NAME && !is_register_name(expression))
            return opcode_problem(matcher, type->values, expression->name);
        break;
    case ISA_SYMBOL:
        ok = match_symbol(matcher, expression, value);
        break;
    case ISA_VALUE:
        ok = !is_register_name(expression) &&
             expression_try_number(matcher->as, expression, &value->number);
        if (ok && expression_may_shrink(matcher->as, expression))
            return shrinking;
        break;
    case ISA_REGISTER_GROUP:
        break;
    }
    return ok ? NULL : "";
}

/* `symbol@plt`, as compilers write calls of position-independent code: the linker decides anyway.
 */
static void skip_plt(const struct matcher *matcher, unsigned index, struct place *place)
{
    if (matcher->form->operands[index].type->kind != ISA_SYMBOL || place->index >= matcher->count)
        return;
    const struct item *item = &matcher->items[place->index];
    if (item->kind == ITEM_TYPE && !strcmp(item->type, "plt"))
        place->index++;
}

static bool match_operand(struct matcher *matcher, unsigned index, unsigned number,
                          struct place *place)
{
    const struct isa_operand *operand = field_operand(matcher->form, index);
    struct operand_value *value = &matcher->match->operands[index];
    const char *problem = "";
    *value = (struct operand_value){0};
    if (place->index < matcher->count && place->inside != BEHIND) {
        const struct item *item = &matcher->items[place->index];
        if (matcher->form->operands[index].type->kind == ISA_REGISTER_GROUP)
            problem =
                match_group(matcher, matcher->form->operands[index].type, place, &value->number);
        else if (item->kind == ITEM_EXPRESSION &&
                 (place->inside == INSIDE || !item->expression->parenthesized ||
                  item->expression->kind != EXPRESSION_NAME))
            problem = match_expression(matcher, index, item->expression, value);
    }
    if (problem) {
        const struct isa_operand *shown =
            matcher->form->operands[index].type->kind == operand->type->kind
                ? operand
                : &matcher->form->operands[index];
        return fail(matcher, *place, number, shown, 0, *problem ? problem : NULL);
    }
    if (place->inside == INSIDE)
        place->inside = BEHIND;
    else
        place->index++;
    skip_plt(matcher, index, place);
    return true;
}

static bool match_literal(struct matcher *matcher, char literal, struct place *place)
{
    if (place->index < matcher->count) {
        const struct item *item = &matcher->items[place->index];
        if (place->inside == BEHIND && literal == ')') {
            *place = (struct place){.index = place->index + 1};
            return true;
        }
        if (place->inside == BEFORE && literal == '(' && item->kind == ITEM_EXPRESSION &&
            item->expression->parenthesized) {
            place->inside = INSIDE;
            return true;
        }
        if (place->inside == BEFORE && item->kind == ITEM_PUNCTUATION &&
            item->punctuation == literal) {
            place->index++;
            return true;
        }
    }
    return fail(matcher, *place, 0, NULL, literal, NULL);
}

/* An operator that marks the whole instruction, behind its operands: add a0, a0, tp, %tprel_add(x).
 */
static bool match_mark(struct matcher *matcher, struct place place)
{
    if (place.inside != BEFORE || place.index + 2 != matcher->count ||
        matcher->items[place.index].kind != ITEM_PUNCTUATION ||
        matcher->items[place.index].punctuation != ',' ||
        matcher->items[place.index + 1].kind != ITEM_EXPRESSION)
        return false;
    struct expression *expression = matcher->items[place.index + 1].expression;
    for (size_t i = 0; expression->kind == EXPRESSION_RELOCATED && i < isa_relocation_count; i++) {
        const struct isa_relocation *relocation = &isa_relocations[i];
        if (relocation->place == ISA_PLACE_NONE && relocation->operator_name &&
            !strcmp(relocation->operator_name, expression->name)) {
            matcher->match->mark = relocation;
            matcher->match->mark_expression = expression->left;
            return true;
        }
    }
    return false;
}

static unsigned operand_number(const struct isa_form *form, unsigned token)
{
    unsigned number = 1;
    for (unsigned i = 0; i < token; i++)
        number += form->syntax[i].kind == ISA_TOKEN_OPERAND;
    return number;
}

static unsigned end_of_optional(const struct isa_form *form, unsigned token)
{
    while (form->syntax[token].kind != ISA_TOKEN_END_OPTIONAL)
        token++;
    return token;
}

static void use_defaults(struct matcher *matcher, unsigned token, unsigned end)
{
    for (; token < end; token++) {
        const struct isa_token *syntax = &matcher->form->syntax[token];
        if (syntax->kind == ISA_TOKEN_OPERAND)
            matcher->match->operands[syntax->operand] = (struct operand_value){
                .number = matcher->form->operands[syntax->operand].type->default_value};
    }
}

/* `0(a0)` where the syntax has `(rs1)`: the offset of an instruction that has none. */
static void skip_zero_offset(struct matcher *matcher, unsigned token, struct place *place)
{
    const struct isa_token *syntax = &matcher->form->syntax[token];
    int64_t number;
    bool no_offset = syntax->literal == '(' && token && syntax[-1].kind == ISA_TOKEN_LITERAL;
    if (!no_offset || place->inside != BEFORE || place->index + 1 >= matcher->count)
        return;
    const struct item *item = &matcher->items[place->index], *next = item + 1;
    bool opens = (next->kind == ITEM_PUNCTUATION && next->punctuation == '(') ||
                 (next->kind == ITEM_EXPRESSION && next->expression->parenthesized);
    if (opens && item->kind == ITEM_EXPRESSION && !item->expression->parenthesized &&
        expression_try_constant(matcher->as, item->expression, &number) && number == 0)
        place->index++;
}

static bool match_tokens(struct matcher *matcher, unsigned token, struct place place)
{
    const struct isa_form *form = matcher->form;
    for (; token < form->syntax_count; token++) {
        const struct isa_token *syntax = &form->syntax[token];
        if (syntax->kind == ISA_TOKEN_LITERAL)
            skip_zero_offset(matcher, token, &place);
        if (syntax->kind == ISA_TOKEN_LITERAL && !match_literal(matcher, syntax->literal, &place))
            return false;
        if (syntax->kind == ISA_TOKEN_OPERAND &&
            !match_operand(matcher, syntax->operand, operand_number(form, token), &place))
            return false;
        if (syntax->kind == ISA_TOKEN_OPTIONAL) {
            if (match_tokens(matcher, token + 1, place))
                return true;
            unsigned end = end_of_optional(form, token);
            use_defaults(matcher, token, end);
            token = end;
        }
    }
    if (place.index >= matcher->count || match_mark(matcher, place))
        return true;
    return fail(matcher, place, 0, NULL, 0, NULL);
}

static bool try_forms(struct matcher *matcher, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        matcher->form = &matcher->forms[i];
        if (matcher->form->pic && !matcher->as->mode.pic)
            continue;
        *matcher->match = (struct match){.form = matcher->form};
        if (match_tokens(matcher, 0, (struct place){0}))
            return true;
    }
    return false;
}

/* How many operands the form takes between commas; returns the least, stores the most. */
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

/* Too few or too many operands are told as that; false if their number is right. */
static bool report_count(const struct matcher *matcher, struct place place,
                         const struct position *at)
{
    const struct isa_form *form = matcher->furthest_form;
    size_t found = matcher->count > 0, most, least = operand_count(form, &most);
    for (size_t i = 0; i < matcher->form_count; i++) {
        size_t more, fewer = operand_count(&matcher->forms[i], &more);
        least = fewer < least ? fewer : least;
        most = more > most ? more : most;
    }
    for (size_t i = 0; i < matcher->count; i++)
        found += matcher->items[i].kind == ITEM_PUNCTUATION && matcher->items[i].punctuation == ',';
    bool at_end = place.index >= matcher->count;
    bool at_comma = !at_end && matcher->items[place.index].kind == ITEM_PUNCTUATION &&
                    matcher->items[place.index].punctuation == ',';
    bool few = at_end && found < least, many = at_comma && found > most;
    if (matcher->problem[0] || !(few || many))
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

static void report(struct matcher *matcher)
{
    struct place place = {.index = matcher->furthest / 3, .inside = matcher->furthest % 3};
    const struct statement *statement = matcher->parsed->statement;
    struct position at = statement_place(statement, statement->length, 1);
    if (place.index < matcher->count)
        at = statement_place(statement, matcher->items[place.index].offset,
                             matcher->items[place.index].length);
    if (report_count(matcher, place, &at))
        return;
    struct text message = TEXT_INIT;
    if (matcher->operand)
        text_format(&message, "operand %u of ", matcher->operand);
    text_format(&message, "'%s': ", matcher->parsed->name);
    if (matcher->problem[0])
        text_format(&message, "%s%s", matcher->problem, matcher->complete ? "" : "; ");
    if (!matcher->complete) {
        text_format(&message, "expected %s, found ", matcher->expected.bytes);
        describe_found(&message, matcher, place);
    }
    diag_error(matcher->as->diag, &at, "%s", message.bytes);
    text_free(&message);
}

bool operand_match(struct assembler *as, const struct parsed *parsed, const struct isa_form *forms,
                   size_t count, struct match *match)
{
    struct matcher matcher = {
        .as = as, .parsed = parsed, .forms = forms, .form_count = count, .match = match};
    flatten(&matcher);
    bool ok = try_forms(&matcher, count);
    if (!ok) {
        matcher.deferred = true;
        ok = try_forms(&matcher, count);
    }
    if (!ok)
        report(&matcher);
    text_free(&matcher.expected);
    return ok;
}
