/* Writes names of numbers: isa_ids.h, and instruction_ids.h, which a new instruction changes. */
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

/* X(NAME, number of parts, ids of the parts) for each superinstruction, in their order. */
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
            text_format(&emitter->text, ", ISA_ID_%s",
                        emit_upper(spec->arena, super->parts[k]->mangled));
        text_append(&emitter->text, ")");
    }
    text_format(&emitter->text, "\n\nenum { ISA_SUPERINSTRUCTION_COUNT = %zu };\n\n",
                spec->superinstruction_count);
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

void emit_instruction_ids(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    struct arena *arena = spec->arena;

    emit_header(emitter, "Numbers of instructions and superinstructions, which a new instruction "
                         "changes: include this where they are needed.");
    text_append(&emitter->text,
                "#ifndef INSTRUCTION_IDS_H\n#define INSTRUCTION_IDS_H\n\nenum isa_id {\n");
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (!instruction->compressed)
            text_format(&emitter->text, "    ISA_ID_%s,\n",
                        emit_upper(arena, instruction->mangled));
    }
    text_append(&emitter->text, "    ISA_ID_COUNT /* those of compressed ones follow, which run as "
                                "their bases */\n};\n\n");
    emit_id_list(emitter);
    emit_superinstruction_list(emitter);
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
