/*
 * Writes the execution bodies, with code that reads and writes their operands by macros, and
 * csrs.inc. A body is the text of the YAML without changes. There
 * are two files of C for each file of the description, which differ in the header that defines the
 * macros, whole_FILE.c and direct_FILE.c. They contain nothing that depends on other files.
 */
#include "isa/isagen/emit.h"

#include <string.h>

static const char *const views[] = {"U64", "F64", "F32", "RAW32", "F16", "RAW16"};

/* Is the operand a register, or a group, of a file that is not standard? The hart has these
 * registers as an array of words. */
static bool is_own(const struct spec_operand_type *type)
{
    return type->file && !type->file->standard;
}

/* Writes the number of register `index` of the operand. A write to a register that is hard-wired to
 * 0 goes to the one after the last. */
static void put_number(struct text *text, const struct spec_operand *operand, unsigned index,
                       bool is_written)
{
    const struct spec_operand_type *type = operand->type;

    text_format(text, "IMMEDIATE_R(%u)", operand->slot_index);
    if (type->kind == ISA_REGISTER_GROUP)
        text_format(text, " + %u", index);
    else if (type->file->zero && type->access & ISA_WRITE && !is_written)
        text_format(text, " %% %zu", (size_t)type->file->count);
}

/* Writes where the register begins among the words. */
static void put_place(struct text *text, const struct spec_operand *operand, unsigned index,
                      bool is_written)
{
    const struct spec_register_file *file = operand->type->file;

    text_format(text, "%llu + %llu * (", (unsigned long long)file->place,
                (unsigned long long)file->words);
    put_number(text, operand, index, is_written);
    text_append(text, ")");
}

/* Writes the name of the variable that holds register `index` of the operand. */
static void put_variable(struct text *text, const struct spec_operand *operand, unsigned index)
{
    text_append(text, operand->name);
    if (operand->type->kind == ISA_REGISTER_GROUP)
        text_format(text, "[%u]", index);
}

static unsigned register_count(const struct spec_operand_type *type)
{
    return type->kind == ISA_REGISTER_GROUP ? (unsigned)type->group_count : 1;
}

/* Declares an integer for a register, or an array of them; for a group, an array of these. */
static void declare_own(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    struct text *text = &emitter->text;
    bool is_array = type->view_count > 1;

    if (type->access == ISA_READ && !is_array && type->kind != ISA_REGISTER_GROUP) {
        text_format(text, "    const uint%llu_t %s = GET_REGISTER(",
                    (unsigned long long)type->view_bits, operand->name);
        put_place(text, operand, 0, false);
        text_append(text, ");\n");
        return;
    }
    text_format(text, "    uint%llu_t %s", (unsigned long long)type->view_bits, operand->name);
    if (type->kind == ISA_REGISTER_GROUP)
        text_format(text, "[%llu]", (unsigned long long)type->group_count);
    if (is_array)
        text_format(text, "[%llu]", (unsigned long long)type->view_count);
    text_append(text, type->access != ISA_WRITE                      ? ";\n"
                      : is_array || type->kind == ISA_REGISTER_GROUP ? " = {0};\n"
                                                                     : " = 0;\n");
    for (unsigned i = 0; type->access != ISA_WRITE && i < register_count(type); i++) {
        text_append(text, is_array ? "    GET_REGISTER_WORDS(" : "    ");
        if (!is_array) {
            put_variable(text, operand, i);
            text_append(text, " = GET_REGISTER(");
        }
        put_place(text, operand, i, false);
        if (is_array) {
            text_append(text, ", ");
            put_variable(text, operand, i);
        }
        text_append(text, ");\n");
    }
}

/* Writes the statements that write the registers of the operand back. Register 0 of a group may be
 * hard-wired to 0. */
static void write_own(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    struct text *text = &emitter->text;
    bool is_array = type->view_count > 1;

    for (unsigned i = 0; i < register_count(type); i++) {
        text_append(text, "    ");
        if (type->kind == ISA_REGISTER_GROUP && type->file->zero && i == 0)
            text_format(text, "if (IMMEDIATE_R(%u) != 0)\n        ", operand->slot_index);
        text_format(text, "%s(%u, ", is_array ? "SET_REGISTER_WORDS" : "SET_REGISTER",
                    type->file->index);
        put_number(text, operand, i, true);
        text_append(text, ", ");
        put_place(text, operand, i, true);
        text_append(text, ", ");
        put_variable(text, operand, i);
        if (type->view_bits > type->file->width)
            text_format(text, " & 0x%llx", (1ULL << type->file->width) - 1);
        text_append(text, ");\n");
    }
}

static void declare_register(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    const char *c_type = emit_view_type(type->view), *view = views[type->view],
               *file = type->file->name;

    if (type->access == ISA_WRITE)
        text_format(&emitter->text, "    %s %s = 0;\n", c_type, operand->name);
    else
        text_format(&emitter->text, "    %s%s %s = %s_%s(%s, %u);\n",
                    type->access == ISA_READ ? "const " : "", c_type, operand->name,
                    type->access == ISA_READ ? "READ" : "READ_OLD", view, file,
                    operand->slot_index);
}

static void declare_group(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;

    unsigned long long count = type->group_count;
    text_format(&emitter->text, "    uint32_t %s[%llu]%s;\n", operand->name, count,
                type->access == ISA_WRITE ? " = {0}" : "");
    if (type->access != ISA_WRITE)
        text_format(&emitter->text, "    %s(%s, %u, %s, %llu);\n",
                    type->access == ISA_READ ? "READ_GROUP" : "READ_OLD_GROUP", type->file->name,
                    operand->slot_index, operand->name, count);
}

/* Declares the value of a register or an immediate. */
static void declare_choice(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_register_file *file = operand->type->file;

    if (is_own(operand->type))
        text_format(&emitter->text,
                    "    const uint64_t %s = GET_REGISTER_OR_IMMEDIATE(%llu, %u);\n", operand->name,
                    (unsigned long long)file->place, operand->slot_index);
    else
        text_format(&emitter->text, "    const uint64_t %s = READ_RI(%s, %u);\n", operand->name,
                    file->name, operand->slot_index);
}

/* Declares the number of the register. */
static void declare_index(struct emitter *emitter, const struct spec_operand *operand)
{
    text_format(&emitter->text, "    const unsigned %s_index = ", operand->name);
    if (is_own(operand->type))
        put_number(&emitter->text, operand, 0, false);
    else
        text_format(&emitter->text, "REGISTER(%u)", operand->slot_index);
    text_append(&emitter->text, ";\n");
}

static void declare_immediate(struct emitter *emitter, const struct spec_operand *operand)
{
    bool is_signed = operand->type->is_signed;

    if (operand->slot == ISA_SLOT_R)
        text_format(&emitter->text, "    const unsigned %s = IMMEDIATE_R(%u);\n", operand->name,
                    operand->slot_index);
    else if (operand->type->kind == ISA_CSR)
        text_format(&emitter->text, "    const unsigned %s = (unsigned)IMMEDIATE(%u);\n",
                    operand->name, operand->slot_index);
    else
        text_format(&emitter->text, "    const %s %s = %s(%u);\n",
                    is_signed ? "int64_t" : "uint64_t", operand->name,
                    is_signed ? "SIGNED_IMMEDIATE" : "IMMEDIATE", operand->slot_index);
}

static void declare_operand(struct emitter *emitter, const struct spec_operand *operand)
{
    if (operand->index_mentioned)
        declare_index(emitter, operand);
    if (!operand->mentioned)
        return;
    switch (operand->type->kind) {
    case ISA_REGISTER:
    case ISA_REGISTER_GROUP:
        if (is_own(operand->type))
            declare_own(emitter, operand);
        else if (operand->type->kind == ISA_REGISTER)
            declare_register(emitter, operand);
        else
            declare_group(emitter, operand);
        break;
    case ISA_REGISTER_OR_IMMEDIATE:
        declare_choice(emitter, operand);
        break;
    case ISA_IMMEDIATE:
    case ISA_TARGET:
    case ISA_ENUM:
    case ISA_SET:
    case ISA_CSR:
        declare_immediate(emitter, operand);
        break;
    case ISA_SYMBOL:
    case ISA_VALUE:
    case ISA_OPCODE:
        BUG("operand '%s' of an alias in a body", operand->name);
    }
}

static void write_operand(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;

    if (!operand->mentioned || !(type->access & ISA_WRITE))
        return;
    if (is_own(type))
        write_own(emitter, operand);
    else if (type->kind == ISA_REGISTER)
        text_format(&emitter->text, "    WRITE_%s(%s, %u, %s);\n", views[type->view],
                    type->file->name, operand->slot_index, operand->name);
    else if (type->kind == ISA_REGISTER_GROUP)
        text_format(&emitter->text, "    WRITE_GROUP(%s, %u, %s, %llu);\n", type->file->name,
                    operand->slot_index, operand->name, (unsigned long long)type->group_count);
}

int emit_code_alignment(const struct spec *spec)
{
    for (size_t i = 0; i < spec->instructions.count; i++)
        if (SPEC_AT(spec->instructions, i, struct spec_instruction)->layout->bits % 32)
            return 2;
    return 4;
}

/* Declares whether the target of the branch is misaligned. */
static void declare_misaligned(struct emitter *emitter, const struct spec_operand *distance)
{
    bool can_be =
        distance->field && 1 << distance->field->lowest < emit_code_alignment(emitter->spec);

    text_format(&emitter->text, "    const bool %s_is_misaligned = ", distance->name);
    text_format(&emitter->text, can_be ? "%s %% ISA_CODE_ALIGNMENT != 0;\n" : "false;\n",
                distance->name);
}

void emit_work(struct emitter *emitter, const struct spec_instruction *instruction)
{
    if (instruction->by_definition && !emitter->as_definitions) {
        text_append(&emitter->text, "RUN_DEFINITION();\n");
        return;
    }
    text_append(&emitter->text, "{\n");
    for (size_t i = 0; i < instruction->operands.count; i++)
        declare_operand(emitter, &instruction->operands.items[i]);
    if (instruction->distance)
        declare_misaligned(emitter, instruction->distance);
    for (size_t i = 0; i < instruction->elements.count; i++)
        text_format(&emitter->text, "    const enum isa_element_code %s = ISA_ELEMENT_%s;\n",
                    instruction->elements.names[i].name,
                    emit_upper(emitter->spec->arena, instruction->elements.names[i].element->name));
    if (instruction->fast && !emitter->as_definitions) {
        emit_fast_call(emitter, instruction);
    } else {
        emit_code(emitter, "{", &instruction->semantics, "}");
    }
    for (size_t i = 0; i < instruction->operands.count; i++)
        write_operand(emitter, &instruction->operands.items[i]);
    text_append(&emitter->text, "}\n");
}

static void emit_end(struct emitter *emitter, const struct spec_instruction *instruction)
{
    const char *name = emit_upper(emitter->spec->arena, instruction->mangled);

    if (!(instruction->effects & ISA_EFFECT_FLOW))
        text_format(&emitter->text, "END_INSTRUCTION(%s)\n", name);
    else if (instruction->distance)
        text_format(&emitter->text, "END_BLOCK(%s, SUCCESSOR(%u))\n", name,
                    instruction->distance->slot_index);
    else
        text_format(&emitter->text, "END_BLOCK(%s, NO_SUCCESSOR)\n", name);
}

static void emit_body(struct emitter *emitter, const struct spec_instruction *instruction)
{
    text_format(&emitter->text, "\nINSTRUCTION(%s, %s) /* %s */\n",
                emit_upper(emitter->spec->arena, instruction->mangled), instruction->mangled,
                instruction->mnemonic);
    emit_work(emitter, instruction);
    emit_end(emitter, instruction);
}

/* Begins a file of bodies, which includes the header when it has any. */
static void begin_bodies(struct emitter *emitter, const char *header)
{
    emit_header(emitter,
                arena_format(emitter->spec->arena, "Execution bodies of %s.", emitter->file));
    text_format(&emitter->text,
                "#ifndef BODY_FORM\n#define BODY_FORM \"%s\"\n#endif\n#include BODY_FORM\n",
                header);
}

static void emit_bodies(struct emitter *emitter, const char *header, bool direct)
{
    const struct spec *spec = emitter->spec;
    bool begun = false;
    const struct spec_instruction *model = NULL; /* the last one with stencils */

    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->compressed || strcmp(instruction->at.file->name, emitter->file) != 0 ||
            (direct && !spec_has_direct_form(spec, instruction)))
            continue;
        if (!begun)
            begin_bodies(emitter, header);
        begun = true;
        emit_body(emitter, instruction);
        if (!direct)
            continue;
        if (model && emit_has_same_stencils(model, instruction)) {
            text_format(&emitter->text, "STENCILS_AS(%s, %s)\n",
                        emit_upper(spec->arena, instruction->mangled),
                        emit_upper(spec->arena, model->mangled));
            continue;
        }
        emit_stencils(emitter, instruction);
        model = instruction;
    }
}

void emit_whole_bodies(struct emitter *emitter)
{
    emit_bodies(emitter, "emu/body/whole.h", false);
}

/* Writes the bodies of the superinstructions of the file: those of their parts in a row. */
static void emit_superinstructions(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    for (size_t i = 0; i < spec->superinstruction_count; i++) {
        const struct spec_superinstruction *super = &spec->superinstructions[i];
        if (strcmp(super->node->at.file->name, emitter->file) != 0)
            continue;
        if (!emitter->text.length)
            begin_bodies(emitter, "emu/body/direct.h");
        text_format(&emitter->text, "\n#ifdef SUPERINSTRUCTION\nSUPERINSTRUCTION(%s)\n",
                    emit_upper(spec->arena, super->name));
        for (size_t k = 0; k < super->count; k++) {
            text_append(&emitter->text, "PART()\n");
            emit_work(emitter, super->parts[k]);
            if (k + 1 < super->count)
                text_append(&emitter->text, "END_PART()\n");
            else
                emit_end(emitter, super->parts[k]);
        }
        text_append(&emitter->text, "#endif\n");
    }
}

void emit_direct_bodies(struct emitter *emitter)
{
    emit_bodies(emitter, "emu/body/direct.h", true);
    emit_superinstructions(emitter);
}

static void emit_csr_case(struct emitter *emitter, const struct spec_csr *csr, const char *before,
                          const struct spec_code *code, const char *after)
{
    text_format(&emitter->text, "case 0x%03llx: { /* %s */\n", (unsigned long long)csr->number,
                csr->name);
    if (csr->indexed)
        text_format(&emitter->text, "const unsigned index __attribute__((unused)) = %llu;\n",
                    (unsigned long long)csr->index);
    emit_code(emitter, before, code, after);
    text_append(&emitter->text, "break;\n}\n");
}

void emit_csrs(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    emit_header(emitter, "Cases of a switch over CSR numbers: define CSR_READ (sets `value`) or "
                         "CSR_WRITE (takes it).");
    text_append(&emitter->text, "#ifdef CSR_READ\n");
    for (size_t i = 0; i < spec->csrs.count; i++) {
        const struct spec_csr *csr = spec->csrs_by_number[i];
        emit_csr_case(emitter, csr, "value = csr_value(", &csr->read, ");");
    }
    text_append(&emitter->text, "#endif\n#ifdef CSR_WRITE\n");
    for (size_t i = 0; i < spec->csrs.count; i++) {
        const struct spec_csr *csr = spec->csrs_by_number[i];
        if (csr->writable)
            emit_csr_case(emitter, csr, "{ ", &csr->write, "; }");
    }
    text_append(&emitter->text, "#endif\n");
}
