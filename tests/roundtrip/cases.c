/* Lines of assembly and the words that they must make. The words are computed from the tables:
 * match bits, and the value of each operand in its field. The lines are written here and not by the
 * disassembler, so that the two are checked against each other. */
#include "tests/roundtrip/roundtrip.h"

#include "lib/diag.h"

#include <inttypes.h>
#include <string.h>

/* ---- text ---- */

static void write_register(FILE *stream, const struct isa_register_file *file, unsigned number,
                           bool numeric)
{
    if (numeric && *file->numeric)
        fprintf(stream, "%s%u", file->numeric, number);
    else
        fputs(file->names[number], stream);
}

static void write_named(FILE *stream, const struct isa_enum *values, int64_t value)
{
    for (unsigned i = 0; i < values->count; i++) {
        if (values->values[i].value == (uint64_t)value) {
            fputs(values->values[i].name, stream);
            return;
        }
    }
    fprintf(stream, "%" PRId64, value);
}

static void write_set(FILE *stream, const struct isa_enum *values, int64_t value)
{
    if (value == 0)
        fputc('0', stream);
    for (unsigned i = 0; i < values->count; i++)
        if (values->values[i].value & (uint64_t)value)
            fputs(values->values[i].name, stream);
}

static void write_value(FILE *stream, const struct isa_operand_type *type, int64_t value,
                        bool numeric)
{
    const struct isa_csr *csr;

    switch (type->kind) {
    case ISA_REGISTER:
        write_register(stream, type->file, (unsigned)value, numeric);
        break;
    case ISA_REGISTER_GROUP:
        write_register(stream, type->file, (unsigned)value, numeric);
        fputc(':', stream);
        write_register(stream, type->file, (unsigned)value + type->group_count - 1, numeric);
        break;
    case ISA_REGISTER_OR_IMMEDIATE:
        if (isa_ri_is_immediate(type, (uint64_t)value))
            fprintf(stream, "%u", isa_ri_value(type, (uint64_t)value));
        else
            write_register(stream, type->file, isa_ri_value(type, (uint64_t)value), numeric);
        break;
    case ISA_TARGET:
        fprintf(stream, ". + %" PRId64, value);
        break;
    case ISA_ENUM:
        write_named(stream, type->values, value);
        break;
    case ISA_SET:
        write_set(stream, type->values, value);
        break;
    case ISA_CSR:
        csr = isa_csr_by_number((unsigned)value);
        if (csr && !numeric)
            fputs(csr->name, stream);
        else
            fprintf(stream, numeric ? "0x%" PRIx64 : "%" PRId64, value);
        break;
    case ISA_SYMBOL:
        fputs("here", stream);
        break;
    default:
        if (type->extends) /* written as the extended value */
            value &= (INT64_C(1) << type->extends) - 1;
        fprintf(stream, "%" PRId64, value);
    }
}

void write_line_with(FILE *stream, const struct line *line, unsigned operand, const char *text)
{
    const struct isa_form *form = line->form;
    bool skipping = false;

    fprintf(stream, "%s ", form->mnemonic);
    for (unsigned i = 0; i < form->syntax_count; i++) {
        const struct isa_token *token = &form->syntax[i];
        if (token->kind == ISA_TOKEN_OPTIONAL)
            skipping = line->omit;
        else if (token->kind == ISA_TOKEN_END_OPTIONAL)
            skipping = false;
        else if (skipping)
            continue;
        else if (token->kind == ISA_TOKEN_LITERAL)
            fputc(token->literal, stream);
        else if (text && token->operand == operand)
            fputs(text, stream);
        else
            write_value(stream, form->operands[token->operand].type, line->values[token->operand],
                        line->numeric);
    }
    fputc('\n', stream);
}

void write_line(FILE *stream, const struct line *line)
{
    write_line_with(stream, line, 0, NULL);
}

/* ---- words ---- */

static uint64_t field_mask(const struct isa_field *field)
{
    return isa_insert(field, 0, -1);
}

/* Computes the value that the step gives to the instruction's operand. Returns false if it comes
 * from a relocation. */
static bool argument_value(const struct line *line, const struct isa_step *step, unsigned operand,
                           int64_t *value)
{
    const struct isa_argument *argument = &step->arguments[operand];

    if (argument->kind == ISA_ARGUMENT_CONSTANT)
        *value = argument->constant;
    else if (argument->kind == ISA_ARGUMENT_OPERAND)
        *value = line->values[argument->operand];
    else
        return false;
    return true;
}

static void own_word(const struct line *line, struct word *word)
{
    const struct isa_instruction *instruction = line->form->instruction;

    *word = (struct word){instruction->match, ~UINT64_C(0), instruction->length};
    for (unsigned i = 0; i < instruction->operand_count; i++)
        word->bits = isa_insert(instruction->operands[i].field, word->bits, line->values[i]);
}

static void step_word(const struct line *line, const struct isa_step *step, struct word *word)
{
    const struct isa_instruction *instruction = step->instruction;
    int64_t value;

    *word = (struct word){instruction->match, ~UINT64_C(0), instruction->length};
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_field *field = instruction->operands[i].field;
        if (argument_value(line, step, i, &value))
            word->bits = isa_insert(field, word->bits, value);
        else
            word->mask &= ~field_mask(field);
    }
}

static unsigned words_of(const struct line *line, struct word *words)
{
    const struct isa_form *form = line->form;

    if (form->expander != ISA_EXPAND_STEPS)
        return 0;
    if (form->step_count == 0) {
        own_word(line, words);
        return 1;
    }
    if (form->step_count > STEPS)
        BUG("alias %s has %u steps", form->mnemonic, form->step_count);
    for (unsigned i = 0; i < form->step_count; i++)
        step_word(line, &form->steps[i], &words[i]);
    return form->step_count;
}

static bool step_holds(const struct line *line, const struct isa_step *step)
{
    const struct isa_instruction *instruction = step->instruction;
    int64_t values[OPERANDS] = {0};

    for (unsigned i = 0; i < instruction->operand_count; i++)
        argument_value(line, step, i, &values[i]);
    for (unsigned i = 0; i < instruction->constraint_count; i++)
        if (!instruction->constraints[i].holds(values))
            return false;
    return true;
}

bool constraints_hold(const struct line *line)
{
    const struct isa_form *form = line->form;

    if (form->step_count == 0) {
        for (unsigned i = 0; i < form->instruction->constraint_count; i++)
            if (!form->instruction->constraints[i].holds(line->values))
                return false;
        return true;
    }
    for (unsigned i = 0; i < form->step_count; i++)
        if (!step_holds(line, &form->steps[i]))
            return false;
    return true;
}

/* ---- enumeration ---- */

void plain_line(const struct isa_form *form, struct line *line)
{
    *line = (struct line){.form = form};
    for (unsigned i = 0; i < form->operand_count; i++) {
        const struct isa_operand *operand = encoded_operand(form, i);
        line->values[i] = operand ? plain_value(operand, i) : 0;
    }
}

/* Does the first of several instructions put a part of an address into x0? */
static bool loses_address(const struct line *line)
{
    const struct isa_form *form = line->form;
    bool has_symbol = false, loses = false;

    for (unsigned i = 0; i < form->operand_count; i++)
        has_symbol |= form->operands[i].type->kind == ISA_SYMBOL;
    if (!has_symbol || form->step_count < 2)
        return false;
    const struct isa_step *step = &form->steps[0];
    for (unsigned i = 0; i < step->instruction->operand_count; i++)
        loses |= step->instruction->operands[i].type->access == ISA_WRITE &&
                 step->arguments[i].kind == ISA_ARGUMENT_OPERAND &&
                 line->values[step->arguments[i].operand] == 0;
    return loses;
}

static void visit_if_legal(const struct line *line, line_visitor *visit, void *context)
{
    struct word words[STEPS];

    for (unsigned i = 0; i < line->form->operand_count; i++)
        if (line->form->operands[i].type->nonzero && !line->values[i])
            return; /* an alias may refuse what the field of its instruction can hold */
    if (constraints_hold(line) && !loses_address(line))
        visit(line, words, words_of(line, words), context);
}

/* Tries all values of each operand, with plain values of the others; then all first and all last
 * values. */
static void visit_operands(const struct isa_form *form, line_visitor *visit, void *context)
{
    static struct values values; /* large */
    struct line line, first, last;

    plain_line(form, &line);
    first = last = line;
    visit_if_legal(&line, visit, context);
    for (unsigned i = 0; i < form->operand_count; i++) {
        const struct isa_operand *operand = encoded_operand(form, i);
        int64_t plain = line.values[i];
        if (!operand)
            continue;
        values_of(operand, &values);
        for (size_t j = 0; j < values.count; j++) {
            line.values[i] = values.value[j];
            line.numeric = j & 1;
            visit_if_legal(&line, visit, context);
        }
        line.values[i] = plain;
        first.values[i] = values.value[0];
        last.values[i] = values.value[values.count - 1];
    }
    visit_if_legal(&first, visit, context);
    visit_if_legal(&last, visit, context);
}

/* Tries the form without its optional operands. */
static void visit_omitted(const struct isa_form *form, line_visitor *visit, void *context)
{
    struct line line;
    bool optional = false;

    plain_line(form, &line);
    line.omit = true;
    for (unsigned i = 0; i < form->syntax_count; i++) {
        const struct isa_token *token = &form->syntax[i];
        if (token->kind == ISA_TOKEN_OPTIONAL)
            optional = true;
        else if (token->kind == ISA_TOKEN_END_OPTIONAL)
            break;
        else if (optional && token->kind == ISA_TOKEN_OPERAND)
            line.values[token->operand] = form->operands[token->operand].type->default_value;
    }
    if (optional)
        visit_if_legal(&line, visit, context);
}

/* Constants whose expansions need one to eight instructions. */
static void visit_constants(const struct isa_form *form, line_visitor *visit, void *context)
{
    struct line line;

    plain_line(form, &line);
    for (unsigned bit = 10; bit < 64; bit++) {
        for (int near = -1; near <= 1; near++) {
            for (unsigned i = 0; i < form->operand_count; i++)
                if (form->operands[i].type->kind == ISA_VALUE) {
                    int64_t value = (int64_t)((UINT64_C(1) << bit) + (uint64_t)(int64_t)near);
                    if (isa_fits(&form->operands[i], value))
                        line.values[i] = value;
                }
            visit(&line, NULL, 0, context);
        }
    }
}

void for_each_line(line_visitor *visit, void *context)
{
    for (size_t i = 0; i < isa_form_count; i++) {
        if (isa_forms[i].expander != ISA_EXPAND_STEPS || isa_forms[i].pic)
            continue;
        visit_operands(&isa_forms[i], visit, context);
        visit_omitted(&isa_forms[i], visit, context);
    }
    for (size_t i = 0; i < isa_form_count; i++)
        if (isa_forms[i].expander != ISA_EXPAND_STEPS)
            visit_constants(&isa_forms[i], visit, context);
}

static bool is_base_extension(const char *extension)
{
    static const char *const extensions[] = {"i", "m", "a", "f", "d", "c", "zicsr", "zifencei"};

    for (unsigned i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (strcmp(extension, extensions[i]) == 0)
            return true;
    return false;
}

static bool has_name(const struct isa_enum *values, int64_t value)
{
    for (unsigned i = 0; i < values->count; i++)
        if (values->values[i].value == (uint64_t)value)
            return true;
    return false;
}

/* Does GNU as accept this value of the operand? It does not accept the empty fence set, reserved
 * rounding modes, our CSRs, and rounding modes of exact conversions (whose default is not the
 * dynamic one). Its relocations and expansions differ. */
static bool is_base_value(const struct line *line, unsigned index)
{
    const struct isa_operand_type *type = line->form->operands[index].type;
    int64_t value = line->values[index];
    const struct isa_csr *csr;

    switch (type->kind) {
    case ISA_SYMBOL:
    case ISA_VALUE:
    case ISA_OPCODE:
        return false;
    case ISA_SET:
        return value != 0;
    case ISA_ENUM:
        return has_name(type->values, value) && (line->omit || type->default_value != 0);
    case ISA_CSR:
        csr = isa_csr_by_number((unsigned)value);
        return !csr || is_base_extension(csr->extension);
    default:
        return true;
    }
}

bool is_base(const struct line *line)
{
    const struct isa_form *form = line->form;

    if (!is_base_extension(form->instruction->extension) || !is_base_extension(form->extension))
        return false;
    for (unsigned i = 0; i < form->operand_count; i++)
        if (!is_base_value(line, i))
            return false;
    return true;
}

bool is_hidden(const struct isa_form *form)
{
    size_t count;
    const struct isa_form *forms = isa_find_forms(form->mnemonic, &count);

    for (const struct isa_form *other = forms; form->step_count > 1 && other < form; other++) {
        bool same = other->operand_count == form->operand_count;
        for (unsigned i = 0; same && i < form->operand_count; i++)
            same = other->operands[i].type == form->operands[i].type;
        if (same && memcmp(&other->needs, &form->needs, sizeof form->needs) != 0)
            return true;
    }
    return false;
}
