/* Machine code to text.
 *
 * This reverses what tasm does with a form: the values of the operands are extracted from the word,
 * an alias is chosen whose single step would produce the same values, and the syntax of the form is
 * written with them. Everything comes from the tables. What is written assembles to the same word
 * (except for ignored bits), which tests/roundtrip checks. */
#include "lib/disasm.h"

#include "lib/diag.h"

#include <string.h>

/* Does the single step of the alias produce exactly these operand values? Fills `values` with the
 * operands of the alias. */
static bool alias_matches(const struct isa_form *alias, const struct isa_instruction *instruction,
                          const int64_t *fields, int64_t *values)
{
    const struct isa_step *step = alias->steps;
    uint32_t bound = 0;

    if (alias->step_count != 1 || alias->expander != ISA_EXPAND_STEPS ||
        step->instruction != instruction)
        return false;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_argument *argument = &step->arguments[i];
        switch (argument->kind) {
        case ISA_ARGUMENT_CONSTANT:
            if (argument->constant != fields[i])
                return false;
            break;
        case ISA_ARGUMENT_OPERAND:
            if ((bound >> argument->operand & 1) && values[argument->operand] != fields[i])
                return false;
            bound |= UINT32_C(1) << argument->operand;
            values[argument->operand] = fields[i];
            break;
        default:
            return false;
        }
    }
    return true;
}

/* Chooses what is written for a compressed instruction: its base, as objdump does; a HINT is
 * written as itself. */
static bool is_expanded(const struct isa_instruction *instruction, uint64_t word)
{
    int64_t fields[ISA_OPERAND_LIMIT];

    if (!instruction->expansion || !instruction->hint)
        return instruction->expansion;
    isa_extract_all(instruction, word, fields);
    return !instruction->hint(fields);
}

const struct isa_form *disasm_form(const struct isa_instruction *instruction, uint64_t word,
                                   isa_set enabled, bool no_aliases, int64_t *values)
{
    const struct isa_instruction *meaning = instruction;
    int64_t fields[ISA_OPERAND_LIMIT];
    bool expanded = !no_aliases && is_expanded(instruction, word);

    if (expanded)
        meaning = isa_operands(instruction, word, fields);
    else
        isa_extract_all(instruction, word, fields);
    for (unsigned i = 0; expanded && i < instruction->print_count; i++)
        if (alias_matches(instruction->prints[i], meaning, fields, values))
            return instruction->prints[i];
    for (unsigned i = 0; !no_aliases && i < meaning->alias_count; i++)
        if (isa_has(enabled, &meaning->aliases[i]->needs) &&
            alias_matches(meaning->aliases[i], meaning, fields, values))
            return meaning->aliases[i];
    memcpy(values, fields, meaning->operand_count * sizeof *fields);
    return meaning->form;
}

void disasm_name(struct text *text, const char *name)
{
    text_append_visible(text, name);
}

static void write_hex(struct text *text, uint64_t value)
{
    text_append(text, "0x");
    text_append_hex(text, value, 1);
}

void disasm_address(const struct disasm *disasm, struct text *text, uint64_t address)
{
    const struct elf_symbol *symbol;

    if (disasm->address) {
        disasm->address(disasm->context, text, address);
        return;
    }
    symbol = disasm->symbols ? symbolizer_find(disasm->symbols, address) : NULL;
    if (!symbol) {
        write_hex(text, address);
        return;
    }
    text_append_hex(text, address, 1);
    text_append(text, " <");
    disasm_name(text, symbol->name);
    if (address != symbol->raw.st_value) {
        text_append_char(text, '+');
        write_hex(text, address - symbol->raw.st_value);
    }
    text_append_char(text, '>');
}

static void write_register(const struct disasm *disasm, struct text *text,
                           const struct isa_register_file *file, unsigned number)
{
    bool numeric = disasm->numeric && *file->numeric;

    text_append(text, numeric ? file->numeric : file->names[number]);
    if (numeric)
        text_append_decimal(text, number);
}

/* Writes a value that has no name: a reserved rounding mode, an empty set. */
static void write_unnamed(const struct disasm *disasm, struct text *text, int64_t value)
{
    if (disasm->unnamed)
        text_append(text, disasm->unnamed);
    else
        text_append_decimal(text, value);
}

static void write_enum(const struct disasm *disasm, struct text *text,
                       const struct isa_enum *values, int64_t value)
{
    for (unsigned i = 0; i < values->count; i++) {
        if (values->values[i].value == (uint64_t)value) {
            text_append(text, values->values[i].name);
            return;
        }
    }
    write_unnamed(disasm, text, value);
}

/* Writes the letters of the bits that are set. */
static void write_set(const struct disasm *disasm, struct text *text, const struct isa_enum *values,
                      int64_t value)
{
    if (value == 0)
        write_unnamed(disasm, text, value);
    for (unsigned i = 0; i < values->count; i++)
        if (values->values[i].value & (uint64_t)value)
            text_append(text, values->values[i].name);
}

static void write_immediate(struct text *text, const struct isa_operand_type *type, int64_t value)
{
    if (type->hex)
        write_hex(text, (uint64_t)value);
    else
        text_append_decimal(text, value);
}

static void write_operand(const struct disasm *disasm, struct text *text, uint64_t pc,
                          const struct isa_operand_type *type, int64_t value)
{
    const char *name;

    switch (type->kind) {
    case ISA_REGISTER:
        write_register(disasm, text, type->file, (unsigned)value);
        break;
    case ISA_REGISTER_GROUP:
        write_register(disasm, text, type->file, (unsigned)value);
        text_append_char(text, ':');
        write_register(disasm, text, type->file, (unsigned)value + type->group_count - 1);
        break;
    case ISA_REGISTER_OR_IMMEDIATE:
        if (isa_ri_is_immediate(type, (uint64_t)value))
            text_append_decimal(text, isa_ri_value(type, (uint64_t)value));
        else
            write_register(disasm, text, type->file, isa_ri_value(type, (uint64_t)value));
        break;
    case ISA_IMMEDIATE:
        write_immediate(text, type, value);
        break;
    case ISA_TARGET:
        disasm_address(disasm, text, pc + (uint64_t)value);
        break;
    case ISA_ENUM:
        write_enum(disasm, text, type->values, value);
        break;
    case ISA_SET:
        write_set(disasm, text, type->values, value);
        break;
    case ISA_CSR:
        name = isa_csr_name((unsigned)value);
        if (name)
            text_append(text, name);
        else
            write_hex(text, (uint64_t)value);
        break;
    case ISA_SYMBOL:
    case ISA_VALUE:
    case ISA_OPCODE:
        BUG("the disassembler met an operand that only the assembler has");
    }
}

/* May the optional part that begins at `token` be omitted? It may if every operand in it has its
 * default value and the part follows another operand (`[, rm]`). An offset before a register
 * (`[imm](rs1)`) is always written, as in objdump. A mnemonic without operands (`fence`) counts as
 * an alias: -M no-aliases writes the operands. */
static bool optional_is_default(const struct isa_form *form, unsigned token, const int64_t *values)
{
    bool comma = false;

    for (token++; form->syntax[token].kind != ISA_TOKEN_END_OPTIONAL; token++) {
        const struct isa_token *part = &form->syntax[token];
        if (part->kind == ISA_TOKEN_LITERAL) {
            comma |= part->literal == ',';
            continue;
        }
        const struct isa_operand_type *type = form->operands[part->operand].type;
        if (!type->has_default || type->default_value != values[part->operand])
            return false;
    }
    return comma;
}

static unsigned skip_optional(const struct isa_form *form, unsigned token)
{
    while (form->syntax[token].kind != ISA_TOKEN_END_OPTIONAL)
        token++;
    return token;
}

static void write_form(const struct disasm *disasm, struct text *text, uint64_t pc,
                       const struct isa_form *form, const int64_t *values)
{
    bool started = false;

    text_append(text, form->mnemonic);
    for (unsigned i = 0; i < form->syntax_count; i++) {
        const struct isa_token *token = &form->syntax[i];
        if (token->kind == ISA_TOKEN_END_OPTIONAL)
            continue;
        if (token->kind == ISA_TOKEN_OPTIONAL) {
            if (!(disasm->no_aliases && i == 0) && optional_is_default(form, i, values))
                i = skip_optional(form, i);
            continue;
        }
        if (!started)
            text_append_char(text, '\t');
        started = true;
        if (token->kind == ISA_TOKEN_LITERAL)
            text_append_char(text, token->literal);
        else
            write_operand(disasm, text, pc, form->operands[token->operand].type,
                          values[token->operand]);
    }
}

/* Writes an unknown word as objdump does. */
static void write_unknown(struct text *text, uint64_t word, int length)
{
    if (length == 2 || length == 4 || length == 8) {
        text_append_char(text, '.');
        text_append_decimal(text, length);
        text_append(text, "byte\t");
        write_hex(text, word);
        return;
    }
    text_append(text, ".byte\t");
    for (int i = 0; i < length; i++)
        text_format(text, "%s0x%02x", i ? ", " : "", (unsigned)(word >> 8 * i & 0xff));
}

/* Has RV32 an instruction of another name or none here? */
static bool is_only_64(const struct isa_instruction *instruction)
{
    return instruction->expansion ? instruction->expansion->step.instruction->only_64
                                  : instruction->only_64;
}

const struct isa_instruction *disasm_instruction(const struct disasm *disasm, struct text *text,
                                                 uint64_t pc, uint64_t word, int length)
{
    const struct isa_instruction *instruction =
        disasm->no_compressed && length == 2 ? NULL
                                             : isa_decode_enabled(word, length, ~disasm->missing);
    int64_t values[ISA_OPERAND_LIMIT];

    if (instruction && disasm->is_32 && is_only_64(instruction))
        instruction = NULL;
    if (instruction) {
        const struct isa_form *form =
            disasm_form(instruction, word, ~disasm->missing, disasm->no_aliases, values);
        write_form(disasm, text, pc, form, values);
    } else {
        write_unknown(text, word, length);
    }
    return instruction;
}
