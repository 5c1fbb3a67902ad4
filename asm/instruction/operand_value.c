/* Matching one operand against its type in the form. */
#include "asm/expression.h"
#include "asm/instruction/operand_match.h"
#include "asm/tasm.h"
#include "lib/float_text.h"
#include <string.h>

const char match_last_register[] =
    "the last register must be the first plus the group's size less 1";
const char match_shrinking[] =
    "the linker may shorten the code between these labels ('.option norelax' prevents it)";

bool expression_is_register(const struct expression *expression)
{
    return expression_register(expression) != NULL;
}

const struct isa_operand *field_operand(const struct isa_form *form, unsigned index)
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
        if (strcmp(values->values[i].name, name) == 0) {
            *number = values->values[i].value;
            return true;
        }
    }
    return false;
}

/* Reads a set of letters, each at most once. */
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
    const struct isa_register_name *name = expression_register(expression);

    if (!name)
        return false;
    if ((type->file && name->file != type->file) || !isa_is_register(type, name->number))
        return false;
    *number = name->number;
    return true;
}

const char *match_group(struct matcher *matcher, const struct isa_operand_type *type,
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
    *number = first;
    place->index += 2;
    return last == first + type->group_count - 1 ? NULL : match_last_register;
}

/* Returns the problem of an operator: it is unknown, or not for this operand. */
static const char *operator_problem(struct matcher *matcher, const char *name)
{
    struct suggestion suggestion;

    suggest_init(&suggestion, name);
    for (size_t i = 0; i < isa_relocation_count; i++) {
        const char *known = isa_relocations[i].operator_name;
        if (known && strcmp(known, name) == 0)
            return arena_format(matcher->as->arena, "'%%%s' cannot be used in this operand", name);
        if (known)
            suggest_add(&suggestion, known);
    }
    const char *near = suggest_text(&suggestion);
    return arena_format(matcher->as->arena, "unknown operator '%%%s'%s%s%s", name,
                        near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Returns the problem of a name that is not an opcode, with similar names. */
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

/* Returns the problem of a name that is not a CSR, with similar names, of the machine or of the
 * standard. */
static const char *csr_problem(struct matcher *matcher, const char *name)
{
    struct suggestion suggestion;

    suggest_init(&suggestion, name);
    for (size_t i = 0; i < isa_csr_count; i++)
        suggest_add(&suggestion, isa_csrs[i].name);
    for (size_t i = 0; i < isa_csr_name_count; i++)
        if (!isa_find_csr(isa_csr_names[i].name))
            suggest_add(&suggestion, isa_csr_names[i].name);
    const char *near = suggest_text(&suggestion);
    return near ? arena_format(matcher->as->arena, "unknown CSR '%s'; did you mean %s?", name, near)
                : "";
}

/* Matches a number, a relocated value, or (deferred) an expression whose value is known later.
 * Returns as match_expression does. */
static const char *match_immediate(struct matcher *matcher, const struct isa_operand *operand,
                                   struct expression *expression, struct operand_value *value)
{
    const struct isa_operand_type *type = operand->type;

    if (expression->kind == EXPRESSION_RELOCATED) {
        value->relocation = isa_relocation_for(expression->name, operand);
        value->expression = expression->left;
        return value->relocation ? NULL : operator_problem(matcher, expression->name);
    }
    if (expression_is_register(expression) || expression->kind == EXPRESSION_FLOAT)
        return "";
    if (!expression_try_number(matcher->as, expression, &value->number)) {
        value->expression = expression;
        return matcher->deferred && !expression->quoted ? NULL : "";
    }
    if (expression_may_shrink(matcher->as, expression))
        return match_shrinking;
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
    if (expression_is_register(expression) ||
        !expression_try_number(matcher->as, expression, &written))
        return "";
    if (written < 0 || written >> type->ri_immediate_bits)
        return "";
    *number = (int64_t)isa_ri_immediate(type, (uint64_t)written);
    return NULL;
}

/* Does another form of the mnemonic take a number instead of the symbol? */
static bool takes_value(const struct matcher *matcher)
{
    for (size_t i = 0; i < matcher->form_count; i++)
        for (unsigned k = 0; k < matcher->forms[i].operand_count; k++)
            if (matcher->forms[i].operands[k].type->kind == ISA_VALUE)
                return true;
    return false;
}

/* Matches a symbol. Loads and stores have one form with a symbol and one with a register in
 * parentheses. There the name of a register is not accepted as a last operand unless such a symbol
 * exists: the parentheses were forgotten. Elsewhere (call, la, a store with a temporary register)
 * any name is a symbol, because compilers may emit it. */
static bool match_symbol(struct matcher *matcher, unsigned index, struct expression *expression,
                         struct operand_value *value)
{
    bool has_own_form = !matcher->forms->step_count;
    bool is_last = index + 1 == matcher->form->operand_count;
    int64_t number;

    if (expression->kind == EXPRESSION_RELOCATED || expression->kind == EXPRESSION_FLOAT)
        return false;
    if (has_own_form && is_last && expression_is_register(expression) &&
        !expression_known(matcher->as, expression))
        return false;
    if ((has_own_form || takes_value(matcher)) &&
        expression_try_number(matcher->as, expression, &number))
        return false;
    value->expression = expression;
    return true;
}

/* Reads a floating-point constant at the start of `text`; `end` is where it must end. */
static bool read_float(const char *text, const char *end, uint64_t *bits)
{
    unsigned flags = 0;
    bool negative = *text == '-';

    if (float_parse(FLOAT_F64, text + negative, bits, &flags) != end)
        return false;
    *bits ^= (uint64_t)negative << 63;
    return true;
}

/* Finds a value among constants that have names, too. As for llvm-mc, their case does not matter.
 */
static bool named_constant(const struct isa_enum *values, const char *name, int64_t *number)
{
    bool constants = false, found = false;
    uint64_t bits;

    for (unsigned i = 0; i < values->count; i++) {
        const char *known = values->values[i].name;
        constants |= read_float(known, known + strlen(known), &bits);
        if (strcasecmp(known, name) == 0) {
            *number = values->values[i].value;
            found = true;
        }
    }
    return constants && found;
}

/* Matches a floating-point constant, however it is written, to the value whose name is this number.
 * As for llvm-mc, an integer is not one. */
static bool match_float(const struct matcher *matcher, const struct isa_enum *values,
                        const struct expression *expression, int64_t *number)
{
    const char *text = matcher->parsed->statement->text + expression->offset;
    uint64_t wanted, bits;

    if (!expression->quoted && expression->kind == EXPRESSION_NAME &&
        named_constant(values, expression->name, number))
        return true;
    if (expression->quoted || expression_try_number(matcher->as, expression, number) ||
        !read_float(text, text + expression->length, &wanted))
        return false;
    for (unsigned i = 0; i < values->count; i++) {
        const char *name = values->values[i].name;
        if (read_float(name, name + strlen(name), &bits) && bits == wanted) {
            *number = values->values[i].value;
            return true;
        }
    }
    return false;
}

static bool match_enum(struct matcher *matcher, const struct isa_operand *operand,
                       const struct expression *expression, int64_t *number)
{
    const struct isa_operand_type *type = operand->type;

    if (expression->kind == EXPRESSION_NAME && type->kind == ISA_CSR) {
        unsigned csr;
        if (isa_csr_number(expression->name, &csr)) {
            *number = csr;
            return true;
        }
    } else if (expression->kind == EXPRESSION_NAME && type->kind == ISA_SET) {
        if (set_value(type->values, expression->name, number))
            return true;
    } else if (expression->kind == EXPRESSION_NAME && !expression->quoted) {
        if (named_value(type->values, expression->name, number))
            return isa_fits(operand, *number);
    }
    if (type->kind == ISA_ENUM)
        return !expression_is_register(expression) &&
               match_float(matcher, type->values, expression, number);
    return expression_try_number(matcher->as, expression, number) && isa_fits(operand, *number);
}

const char *match_expression(struct matcher *matcher, unsigned index, struct expression *expression,
                             struct operand_value *value)
{
    const struct isa_operand_type *type = matcher->form->operands[index].type;
    bool ok = false;

    switch (type->kind) {
    case ISA_REGISTER:
        ok = match_register(type, expression, &value->number) &&
             (type->file || isa_fits(field_operand(matcher->form, index), value->number));
        break;
    case ISA_REGISTER_OR_IMMEDIATE:
        return match_register_or_immediate(matcher, type, expression, &value->number);
    case ISA_IMMEDIATE:
        if (type->nonzero && expression_try_number(matcher->as, expression, &value->number) &&
            !value->number)
            return ""; /* which the field of an alias could hold */
        return match_immediate(matcher, field_operand(matcher->form, index), expression, value);
    case ISA_TARGET:
        ok = expression->kind != EXPRESSION_RELOCATED && expression->kind != EXPRESSION_FLOAT &&
             (!expression_is_register(expression) || expression_known(matcher->as, expression));
        value->expression = expression;
        break;
    case ISA_ENUM:
    case ISA_SET:
        ok = match_enum(matcher, field_operand(matcher->form, index), expression, &value->number);
        break;
    case ISA_CSR:
        ok = match_enum(matcher, field_operand(matcher->form, index), expression, &value->number);
        if (!ok && expression->kind == EXPRESSION_NAME && !expression->quoted &&
            !expression_is_register(expression))
            return csr_problem(matcher, expression->name);
        break;
    case ISA_OPCODE:
        ok = match_enum(matcher, field_operand(matcher->form, index), expression, &value->number);
        if (!ok && expression->kind == EXPRESSION_NAME && !expression_is_register(expression))
            return opcode_problem(matcher, type->values, expression->name);
        break;
    case ISA_SYMBOL:
        ok = match_symbol(matcher, index, expression, value);
        break;
    case ISA_VALUE:
        ok = !expression_is_register(expression) &&
             expression_try_number(matcher->as, expression, &value->number) &&
             isa_fits(&matcher->form->operands[index], value->number);
        if (ok && expression_may_shrink(matcher->as, expression))
            return match_shrinking;
        break;
    case ISA_REGISTER_GROUP:
        break;
    }
    return ok ? NULL : "";
}
