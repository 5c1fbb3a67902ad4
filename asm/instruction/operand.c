/* Matching operands against the forms of a mnemonic.
 *
 * A mnemonic may have several forms (`add rd, rs1, rs2` and `add rd, rs1, imm`). When none matches,
 * the message has to say what was expected, and where. So all forms are tried twice: first without
 * collecting failures, then, if no form matched, collecting them. The message joins the
 * expectations of the forms that matched furthest. Forms are first tried with known numbers only,
 * then with expressions whose value is known later.
 *
 * The operands are a sequence of items. A place is an index into it. The parser takes `(a0)` for an
 * expression in parentheses, so a place also tells whether it is before, inside or after the
 * operand in them. */
#include "asm/expression.h"
#include "asm/instruction/operand_match.h"
#include "asm/tasm.h"
#include <string.h>

/* Replaces strings by names of symbols. */
static void take_strings(struct matcher *matcher)
{
    for (size_t i = 0; i < matcher->count; i++) {
        struct item *item = &matcher->items[i];
        if (item->kind != ITEM_STRING)
            continue;
        item->expression = item_as_name(matcher->as, matcher->parsed->statement, item);
        item->kind = ITEM_EXPRESSION;
    }
}

/* Is the operand the target of a call, which is a pair of instructions with one relocation? */
static bool is_call(const struct isa_form *form, unsigned index)
{
    for (unsigned i = 0; i < form->step_count; i++)
        for (unsigned j = 0; j < form->steps[i].instruction->operand_count; j++) {
            const struct isa_argument *argument = &form->steps[i].arguments[j];
            const struct isa_relocation *relocation =
                argument->kind == ISA_ARGUMENT_RELOCATED && argument->operand == index
                    ? isa_relocation_for(argument->operator_name,
                                         &form->steps[i].instruction->operands[j])
                    : NULL;
            if (relocation && relocation->second)
                return true;
        }
    return false;
}

/* Skips the `@plt` of `symbol@plt`, which compilers write in position-independent code: the linker
 * decides anyway whether the call needs it. */
static void skip_plt(const struct matcher *matcher, unsigned index, struct place *place)
{
    if (matcher->form->operands[index].type->kind != ISA_SYMBOL || place->index >= matcher->count ||
        !is_call(matcher->form, index))
        return;
    const struct item *item = &matcher->items[place->index];
    if (item->kind == ITEM_TYPE && strcmp(item->type, "plt") == 0)
        place->index++;
}

static bool match_operand(struct matcher *matcher, unsigned token, struct place *place)
{
    unsigned index = matcher->form->syntax[token].operand;
    struct operand_value *value = &matcher->match->operands[index];
    const char *problem = "";

    *value = (struct operand_value){0};
    if (place->index < matcher->count && place->inside != AFTER) {
        const struct item *item = &matcher->items[place->index];
        if (matcher->form->operands[index].type->kind == ISA_REGISTER_GROUP)
            problem =
                match_group(matcher, matcher->form->operands[index].type, place, &value->number);
        else if (item->kind == ITEM_EXPRESSION &&
                 (place->inside == INSIDE || !item->expression->parenthesized ||
                  item->expression->kind != EXPRESSION_NAME))
            problem = match_expression(matcher, index, item->expression, value);
    }
    if (problem)
        return match_fail_operand(matcher, *place, token, problem);
    if (place->inside == INSIDE)
        place->inside = AFTER;
    else
        place->index++;
    skip_plt(matcher, index, place);
    return true;
}

static bool match_literal(struct matcher *matcher, char literal, struct place *place)
{
    if (place->index < matcher->count) {
        const struct item *item = &matcher->items[place->index];
        if (place->inside == AFTER && literal == ')') {
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
    return match_fail_literal(matcher, *place, literal);
}

/* Matches an operator after the operands, which marks the whole instruction: `add a0, a0, tp,
 * %tprel_add(x)`. */
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
            strcmp(relocation->operator_name, expression->name) == 0) {
            matcher->match->mark = relocation;
            matcher->match->mark_expression = expression->left;
            return true;
        }
    }
    return false;
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

/* Skips the 0 of `0(a0)` or `(2 - 2)(a0)` where the syntax is `(rs1)`, without an offset. */
static void skip_zero_offset(struct matcher *matcher, unsigned token, struct place *place)
{
    const struct isa_token *syntax = &matcher->form->syntax[token];
    int64_t number;
    bool no_offset = syntax->literal == '(' && (!token || syntax[-1].kind == ISA_TOKEN_LITERAL);

    if (!no_offset || place->inside != BEFORE || place->index + 1 >= matcher->count)
        return;
    const struct item *item = &matcher->items[place->index], *next = item + 1;
    bool opens = (next->kind == ITEM_PUNCTUATION && next->punctuation == '(') ||
                 (next->kind == ITEM_EXPRESSION && next->expression->parenthesized);
    if (opens && item->kind == ITEM_EXPRESSION &&
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
        if (syntax->kind == ISA_TOKEN_OPERAND && !match_operand(matcher, token, &place))
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
    return match_fail_end(matcher, place);
}

static bool try_forms(struct matcher *matcher, bool deferred)
{
    matcher->deferred = deferred;
    for (size_t i = 0; i < matcher->form_count; i++) {
        matcher->form = &matcher->forms[i];
        if ((matcher->form->pic && !matcher->as->mode.pic) ||
            (matcher->enabled_only && !isa_has(matcher->as->arch.enabled, &matcher->form->needs)))
            continue;
        matcher->match->form = matcher->form;
        matcher->match->mark = NULL;
        if (match_tokens(matcher, 0, (struct place){0}))
            return true;
    }
    return false;
}

/* Is one of the forms in an enabled extension? The others are not considered then. */
static bool any_enabled(const struct assembler *as, const struct isa_form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isa_has(as->arch.enabled, &forms[i].needs))
            return true;
    return false;
}

bool operand_match(struct assembler *as, const struct parsed *parsed, const struct isa_form *forms,
                   size_t count, struct match *match)
{
    struct matcher matcher = {.as = as,
                              .parsed = parsed,
                              .forms = forms,
                              .form_count = count,
                              .items = parsed->items,
                              .count = parsed->item_count,
                              .match = match,
                              .enabled_only = any_enabled(as, forms, count)};

    take_strings(&matcher);
    if (try_forms(&matcher, false) || try_forms(&matcher, true))
        return true;
    struct match_failure failure = {.reached = 0};
    matcher.failure = &failure; /* try again, collecting failures for the message */
    try_forms(&matcher, false);
    try_forms(&matcher, true);
    match_report(&matcher);
    text_free(&failure.expected);
    return false;
}
