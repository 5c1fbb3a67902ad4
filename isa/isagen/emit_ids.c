/* Writes names of numbers: isa_ids.h, standard_ids.h, and instruction_ids.h, which a new
 * instruction changes. */
#include "isa/isagen/emit.h"

/* Writes lists by id, for tables of the bodies. */
static void emit_id_list(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    text_append(&emitter->text, "/* X(ID, name) for each instruction, in the order of the ids. */\n"
                                "#define ISA_FOR_EACH_INSTRUCTION(X)");
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const char *name = SPEC_AT(spec->instructions, i, struct spec_instruction)->mangled;
        if (SPEC_AT(spec->instructions, i, struct spec_instruction)->compressed)
            break;
        text_format(&emitter->text, " \\\n    X(%s, %s)", emit_upper(spec->arena, name), name);
    }
    text_append(&emitter->text,
                "\n\n/* DIRECT(ID, name) or WHOLE(ID, name): has its body a direct form? */\n"
                "#define ISA_FOR_EACH_BODY(DIRECT, WHOLE)");
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->compressed)
            break;
        text_format(&emitter->text, " \\\n    %s(%s, %s)",
                    spec_has_direct_form(spec, instruction) ? "DIRECT" : "WHOLE",
                    emit_upper(spec->arena, instruction->mangled), instruction->mangled);
    }
    text_append(&emitter->text, "\n\n");
}

/* X(NAME, number of parts, ids of the parts) for each superinstruction, in their order. The ids are
 * numbers, since parts may be instructions whose names are in instruction_ids.h. */
static void emit_superinstruction_list(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    text_append(&emitter->text,
                "/* X(NAME, parts, their ids) for each superinstruction: by the id of the first "
                "part, longest first. */\n#define ISA_FOR_EACH_SUPERINSTRUCTION(X)");
    for (size_t i = 0; i < spec->superinstruction_count; i++) {
        const struct spec_superinstruction *super = &spec->superinstructions[i];
        text_format(&emitter->text, " \\\n    X(%s, %zu", emit_upper(spec->arena, super->name),
                    super->count);
        for (size_t k = 0; k < super->count; k++)
            text_format(&emitter->text, ", %u", super->parts[k]->index);
        text_append(&emitter->text, ")");
    }
    text_append(&emitter->text, "\n\n");
}

/* Writes the index and the size of each standard file, which C code names, and the numbers of its
 * registers. */
static void emit_files(struct emitter *emitter)
{
    struct arena *arena = emitter->spec->arena;
    const struct map *files = &emitter->spec->register_files;

    text_append(&emitter->text, "/* Register files that are standard: index in isa_register_files, "
                                "size, register numbers. */\nenum {\n");
    for (size_t i = 0; i < files->count; i++) {
        const struct spec_register_file *file = SPEC_AT(*files, i, struct spec_register_file);
        if (!file->standard)
            continue;
        const char *name = emit_upper(arena, file->name);
        text_format(&emitter->text, "    ISA_FILE_%s = %zu,\n    ISA_%s_REGISTERS = %zu,\n", name,
                    i, name, (size_t)file->count);
        for (size_t k = 0; k < file->count; k++)
            text_format(&emitter->text, "    ISA_REGISTER_%s = %zu,\n",
                        emit_upper(arena, file->names[k]), k);
    }
    text_format(&emitter->text,
                "};\n\n/* All register files, and the words of those that are not standard. */\n"
                "enum {\n    ISA_FILE_COUNT = %zu,\n    ISA_REGISTER_LIMIT = 64,\n"
                "    ISA_REGISTER_WORDS = %llu,\n};\n\n",
                files->count, (unsigned long long)emitter->spec->register_words);
}

static void emit_enum_values(struct emitter *emitter)
{
    struct arena *arena = emitter->spec->arena;
    const struct map *enums = &emitter->spec->enums;

    for (size_t i = 0; i < enums->count; i++) {
        const struct spec_enum *values = SPEC_AT(*enums, i, struct spec_enum);
        for (size_t k = 0; k < values->count; k++)
            if (!node_is_number(values->values[k].name))
                text_format(&emitter->text, "    ISA_VALUE_%s_%s = %lld,\n",
                            emit_upper(arena, values->name),
                            emit_upper(arena, values->values[k].name),
                            (long long)values->values[k].value);
    }
}

/* Writes the ids of instructions of vendors, or of all others. Returns how many instructions have
 * an id. */
static size_t emit_numbers(struct emitter *emitter, bool of_vendors)
{
    const struct spec *spec = emitter->spec;
    size_t i;

    for (i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->compressed)
            break;
        if (emit_is_of_vendor(instruction) == of_vendors)
            text_format(&emitter->text, "    ISA_ID_%s = %u,\n",
                        emit_upper(spec->arena, instruction->mangled), instruction->index);
    }
    return i;
}

void emit_standard_ids(struct emitter *emitter)
{
    emit_header(emitter,
                "Numbers of RISC-V's own instructions, and superinstructions. A new instruction of "
                "a vendor does not change them if it comes after these.");
    text_format(&emitter->text,
                "#ifndef STANDARD_IDS_H\n#define STANDARD_IDS_H\n\nenum {\n"
                "    ISA_SUPERINSTRUCTION_COUNT = %zu,\n",
                emitter->spec->superinstruction_count);
    emit_numbers(emitter, false);
    text_append(&emitter->text, "};\n\n");
    emit_superinstruction_list(emitter);
    text_append(&emitter->text, "#endif\n");
}

void emit_instruction_ids(struct emitter *emitter)
{
    emit_header(emitter, "Numbers of all instructions, which a new one changes: include this where "
                         "standard_ids.h is not enough.");
    text_append(&emitter->text, "#ifndef INSTRUCTION_IDS_H\n#define INSTRUCTION_IDS_H\n\n"
                                "#include \"standard_ids.h\"\n\nenum {\n");
    size_t count = emit_numbers(emitter, true);
    text_format(&emitter->text,
                "    ISA_ID_COUNT = %zu /* those of compressed ones follow, which run as their "
                "bases */\n};\n\n",
                count);
    emit_id_list(emitter);
    text_append(&emitter->text, "#endif\n");
}

void emit_ids(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    struct arena *arena = spec->arena;

    emit_header(emitter, "Numbers of CSRs, register files and element types, and sizes.");
    text_append(&emitter->text, "#ifndef ISA_IDS_H\n#define ISA_IDS_H\n\n");
    text_format(
        &emitter->text,
        "enum { ISA_CODE_ALIGNMENT = %d }; /* bytes: of the addresses of instructions */\n\n",
        emit_code_alignment(spec));
    text_format(&emitter->text, "enum { ISA_SUPERINSTRUCTION_PARTS = %d }; /* at most */\n\n",
                SPEC_SUPERINSTRUCTION_PARTS);
    text_append(&emitter->text, "enum isa_csr_number {\n");
    for (size_t i = 0; i < spec->csrs.count; i++)
        text_format(&emitter->text, "    ISA_CSR_%s = 0x%03llx,\n",
                    emit_upper(arena, spec->csrs_by_number[i]->name),
                    (unsigned long long)spec->csrs_by_number[i]->number);
    text_append(&emitter->text, "    ISA_CSR_LIMIT = 0x1000\n};\n\n");
    emit_files(emitter);
    text_append(&emitter->text, "/* Values of enumerated operands. */\nenum {\n");
    emit_enum_values(emitter);
    text_append(&emitter->text, "};\n\n/* Values of settings that are words. */\n");
    emit_setting_words(emitter);
    text_append(&emitter->text, "\n/* Codes of element types. */\nenum isa_element_code {\n");
    emit_element_codes(emitter, "ISA_ELEMENT_");
    emit_pair_numbers(emitter);
    text_append(&emitter->text, "};\n\n#endif\n");
}
