/*
 * Writes isa_tables.c: the tables of lib/isa.h. Arrays that belong to one thing are named after it;
 * tables refer to each other by index.
 */
#include "isa/isagen/emit.h"

#include <stdlib.h>
#include <string.h>

static void put(struct emitter *emitter, const char *string)
{
    text_append(&emitter->text, string);
}

/* Writes `.name = "string", `. */
static void put_string(struct emitter *emitter, const char *name, const char *string)
{
    text_format(&emitter->text, ".%s = ", name);
    emit_string(emitter, string);
    put(emitter, ", ");
}

static void put_count(struct emitter *emitter, const char *table, size_t count)
{
    text_format(&emitter->text, "const size_t isa_%s_count = %zu;\n\n", table, count);
}

/* Writes an element for an empty table, since C has no empty arrays. */
static void put_none(struct emitter *emitter, size_t count)
{
    if (!count)
        put(emitter, "    {0},\n");
}

static void emit_register_files(struct emitter *emitter)
{
    const struct map *files = &emitter->spec->register_files;

    for (size_t i = 0; i < files->count; i++) {
        const struct spec_register_file *file = SPEC_AT(*files, i, struct spec_register_file);
        text_format(&emitter->text, "static const char *const names_%s[] = {", file->name);
        for (size_t k = 0; k < file->count; k++) {
            put(emitter, k % 8 ? " " : "\n    ");
            emit_string(emitter, file->names[k]);
            put(emitter, ",");
        }
        put(emitter, "\n};\n");
    }
    put(emitter, "const struct isa_register_file isa_register_files[] = {\n");
    for (size_t i = 0; i < files->count; i++) {
        const struct spec_register_file *file = SPEC_AT(*files, i, struct spec_register_file);
        put(emitter, "    {");
        put_string(emitter, "name", file->name);
        put_string(emitter, "summary", file->summary);
        put_string(emitter, "numeric", file->numeric ? file->numeric : "");
        text_format(&emitter->text,
                    ".names = names_%s, .standard = %d, .count = %zu, .words = %llu, "
                    ".width = %llu, .place = %llu, .zero = %d},\n",
                    file->name, file->standard, (size_t)file->count,
                    (unsigned long long)file->words, (unsigned long long)file->width,
                    (unsigned long long)file->place, file->zero);
    }
    put_none(emitter, files->count);
    put(emitter, "};\n");
    put_count(emitter, "register_file", files->count);
}

struct register_name {
    const char *name;
    unsigned file, number;
};

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct register_name *)left)->name,
                  ((const struct register_name *)right)->name);
}

/* spec->names contains every name once. */
static void emit_register_names(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    size_t count = spec->names.count;
    struct register_name *names = arena_array(spec->arena, count, sizeof *names);

    for (size_t i = 0; i < count; i++) {
        names[i].name = spec->names.entries[i].key;
        for (size_t k = 0; k < spec->register_files.count; k++) {
            int number = spec_register_number(
                SPEC_AT(spec->register_files, k, struct spec_register_file), names[i].name);
            if (number >= 0) {
                names[i].file = (unsigned)k;
                names[i].number = (unsigned)number;
            }
        }
    }
    qsort(names, count, sizeof *names, by_name);
    put(emitter, "const struct isa_register_name isa_register_names[] = {\n");
    for (size_t i = 0; i < count; i++)
        text_format(&emitter->text, "    {\"%s\", &isa_register_files[%u], %u},\n", names[i].name,
                    names[i].file, names[i].number);
    put_none(emitter, count);
    put(emitter, "};\n");
    put_count(emitter, "register_name", count);
}

static void emit_enums(struct emitter *emitter)
{
    const struct map *enums = &emitter->spec->enums;

    for (size_t i = 0; i < enums->count; i++) {
        const struct spec_enum *values = SPEC_AT(*enums, i, struct spec_enum);
        text_format(&emitter->text, "static const struct isa_named_value values_%u[] = {",
                    values->index);
        for (size_t k = 0; k < values->count; k++)
            text_format(&emitter->text, "{\"%s\", %u}, ", values->values[k].name,
                        values->values[k].value);
        put(emitter, values->count ? "};\n" : "{0}};\n");
    }
    put(emitter, "static const struct isa_enum enums[] = {\n");
    for (size_t i = 0; i < enums->count; i++) {
        const struct spec_enum *values = SPEC_AT(*enums, i, struct spec_enum);
        put(emitter, "    {");
        put_string(emitter, "name", values->name);
        put_string(emitter, "summary", values->summary);
        text_format(&emitter->text, ".values = values_%u, .count = %zu, .decodes_reserved = %d},\n",
                    values->index, values->count, values->decodes_reserved);
    }
    put_none(emitter, enums->count);
    put(emitter, "};\n\n");
}

static void emit_layout(struct emitter *emitter, const struct spec_layout *layout,
                        const struct spec_field **fields)
{
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct spec_field *field = layout->fields[i];
        fields[field->index] = field;
        text_format(&emitter->text, "static const struct isa_piece pieces_%u[] = {", field->index);
        for (size_t k = 0; k < field->piece_count; k++)
            text_format(&emitter->text, "{%u, %u, %u}, ", field->pieces[k].value_lsb,
                        field->pieces[k].word_lsb, field->pieces[k].width);
        put(emitter, "};\n");
    }
}

static void emit_fields(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    const struct spec_field **fields =
        arena_array(spec->arena, spec->field_count + 1, sizeof *fields);

    for (size_t i = 0; i < spec->layouts.count; i++)
        emit_layout(emitter, SPEC_AT(spec->layouts, i, struct spec_layout), fields);
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_layout *layout =
            SPEC_AT(spec->instructions, i, struct spec_instruction)->layout;
        if (map_get(&spec->layouts, layout->name) != layout)
            emit_layout(emitter, layout, fields);
    }
    if (spec->no_field) {
        fields[spec->no_field->index] = spec->no_field;
        text_format(&emitter->text, "static const struct isa_piece pieces_%u[] = {{0, 0, 0}};\n",
                    spec->no_field->index);
    }
    put(emitter, "static const struct isa_field fields[] = {\n");
    for (size_t i = 0; i < spec->field_count; i++)
        text_format(&emitter->text, "    {\"%s\", \"%s\", pieces_%zu, %zu, %u, %u, %u},\n",
                    fields[i]->layout, fields[i]->name, i, fields[i]->piece_count, fields[i]->bits,
                    fields[i]->lowest, fields[i]->length);
    put_none(emitter, spec->field_count);
    put(emitter, "};\n\n");
}

static void emit_relocations(struct emitter *emitter)
{
    static const char *const places[] = {"NONE", "FIELD", "PAIR", "DATA", "ULEB128"};
    const struct spec *spec = emitter->spec;

    put(emitter, "const struct isa_relocation isa_relocations[] = {\n");
    for (size_t i = 0; i < spec->relocations.count; i++) {
        const struct spec_relocation *relocation = spec->relocations_by_number[i];
        put(emitter, "    {");
        put_string(emitter, "name", relocation->name);
        put_string(emitter, "summary", relocation->summary);
        put_string(emitter, "operator_name", relocation->operator_name);
        text_format(&emitter->text, ".number = %llu, .value = %d, .place = ISA_PLACE_%s, ",
                    (unsigned long long)relocation->number, relocation->value,
                    places[relocation->place]);
        if (relocation->field)
            text_format(&emitter->text, ".field = &fields[%u], ", relocation->field->index);
        if (relocation->second)
            text_format(&emitter->text, ".second = &fields[%u], ", relocation->second->index);
        if (relocation->base)
            text_format(&emitter->text, ".base = &fields[%u], ", relocation->base->index);
        text_format(&emitter->text, ".pointer = %d, .data_bits = %u, .relaxable = %d, ",
                    relocation->pointer, relocation->data_bits, relocation->relaxable);
        if (relocation->relaxed)
            text_format(&emitter->text, ".relaxed = &isa_relocations[%u]",
                        relocation->relaxed->index);
        put(emitter, "},\n");
    }
    put_none(emitter, spec->relocations.count);
    put(emitter, "};\n");
    put_count(emitter, "relocation", spec->relocations.count);
}

static void emit_operand_type(struct emitter *emitter, const struct spec_operand_type *type)
{
    put(emitter, "    {");
    put_string(emitter, "name", type->name);
    put_string(emitter, "summary", type->summary);
    text_format(&emitter->text, ".kind = %d, .access = %d, .view = %d, ", type->kind, type->access,
                type->view);
    if (type->file)
        text_format(&emitter->text, ".file = &isa_register_files[%u], ", type->file->index);
    if (type->values)
        text_format(&emitter->text, ".values = &enums[%u], ", type->values->index);
    if (type->relocation)
        text_format(&emitter->text, ".relocation = &isa_relocations[%u], ",
                    type->relocation->index);
    text_format(
        &emitter->text,
        ".bits = %llu, .group_count = %llu, .is_signed = %d, .nonzero = %d, .also_negative = %d, ",
        (unsigned long long)type->bits, (unsigned long long)type->group_count, type->is_signed,
        type->nonzero, type->also_negative);
    text_format(&emitter->text, ".first = %llu, .count = %llu, .except = %#llx, .extends = %llu, ",
                (unsigned long long)type->first, (unsigned long long)type->count,
                (unsigned long long)type->except, (unsigned long long)type->extends);
    text_format(&emitter->text, ".hex = %d, .has_default = %d, .default_value = %lld", type->hex,
                type->has_default, (long long)type->default_value);
    if (type->kind == ISA_REGISTER_OR_IMMEDIATE)
        text_format(
            &emitter->text,
            ", .ri_register_mask = %#llx, .ri_register_match = %#llx, .ri_immediate_mask = %#llx, "
            ".ri_immediate_match = %#llx, .ri_register_bits = %u, .ri_immediate_bits = %u",
            (unsigned long long)type->register_mask, (unsigned long long)type->register_match,
            (unsigned long long)type->immediate_mask, (unsigned long long)type->immediate_match,
            type->register_bits, type->immediate_bits);
    put(emitter, "},\n");
}

static void emit_operand_types(struct emitter *emitter)
{
    const struct map *types = &emitter->spec->operand_types;

    put(emitter, "static const struct isa_operand_type operand_types[] = {\n");
    for (size_t i = 0; i < types->count; i++)
        emit_operand_type(emitter, SPEC_AT(*types, i, struct spec_operand_type));
    put_none(emitter, types->count);
    put(emitter, "};\n\n");
}

/* Returns the number of the other CSR that a field of the CSR is, or 0. */
static unsigned part_of(const struct spec *spec, const struct spec_csr *csr,
                        const struct isa_csr_field *field)
{
    const struct spec_csr *part = map_get(&spec->csrs, field->name);

    return part && part != csr ? (unsigned)part->number : 0;
}

/* Are all fields of the CSR others, as those of fcsr? */
static bool is_composed(const struct spec *spec, const struct spec_csr *csr)
{
    for (size_t i = 0; i < csr->field_count; i++)
        if (!part_of(spec, csr, &csr->fields[i]))
            return false;
    return csr->field_count > 1;
}

static void emit_csr_table(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    for (size_t i = 0; i < spec->csrs.count; i++) {
        const struct spec_csr *csr = spec->csrs_by_number[i];
        if (!csr->field_count)
            continue;
        text_format(&emitter->text, "static const struct isa_csr_field csr_fields_%s[] = {",
                    csr->name);
        for (size_t k = 0; k < csr->field_count; k++)
            text_format(&emitter->text, "{\"%s\", %u, %u, %u}, ", csr->fields[k].name,
                        csr->fields[k].lsb, csr->fields[k].width,
                        part_of(spec, csr, &csr->fields[k]));
        put(emitter, "};\n");
    }
    put(emitter, "const struct isa_csr isa_csrs[] = {\n");
    for (size_t i = 0; i < spec->csrs.count; i++) {
        const struct spec_csr *csr = spec->csrs_by_number[i];
        put(emitter, "    {");
        put_string(emitter, "name", csr->name);
        put_string(emitter, "summary", csr->summary);
        put_string(emitter, "extension", csr->extension->name);
        emit_needs(emitter, &(struct isa_needs){{(isa_set)1 << csr->extension->index}});
        if (csr->field_count)
            text_format(&emitter->text, ".fields = csr_fields_%s, ", csr->name);
        text_format(&emitter->text,
                    ".number = 0x%03llx, .field_count = %zu, .writable = %d, .is_composed = %d},\n",
                    (unsigned long long)csr->number, csr->field_count, csr->writable,
                    is_composed(spec, csr));
    }
    put_none(emitter, spec->csrs.count);
    put(emitter, "};\n");
    put_count(emitter, "csr", spec->csrs.count);
    put(emitter, "const uint16_t isa_csr_places[ISA_CSR_LIMIT] = {\n");
    for (size_t i = 0; i < spec->csrs.count; i++)
        text_format(&emitter->text, "    [0x%03llx] = %zu,\n",
                    (unsigned long long)spec->csrs_by_number[i]->number, i + 1);
    put(emitter, "};\n");
}

/* Does the extension have encodings of other instructions, which need no other extension? */
static bool compresses(const struct spec *spec, const struct spec_extension *extension)
{
    for (size_t i = 0; extension && i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        for (unsigned k = 0; k < ISA_NEEDS && instruction->compressed; k++)
            if (instruction->needs.any[k] == (isa_set)1 << extension->index)
                return true;
    }
    return false;
}

static void emit_architecture_name(struct emitter *emitter,
                                   const struct spec_architecture_name *name)
{
    put(emitter, "    {");
    put_string(emitter, "name", name->name);
    put_string(emitter, "version", name->version);
    put_string(emitter, "abi", name->abi);
    put(emitter, ".implies = (const char *const[]){");
    for (size_t i = 0; name->implies && i < name->implies->count; i++) {
        emit_string(emitter, name->implies->items[i]->text);
        put(emitter, ", ");
    }
    text_format(&emitter->text, "NULL}, .elf_flags = 0x%x, .described = %d, .compresses = %d},\n",
                name->elf_flags, name->extension != NULL,
                compresses(emitter->spec, name->extension));
}

static void emit_architecture(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    put(emitter, "const struct isa_architecture_name isa_architecture_names[] = {\n");
    for (size_t i = 0; i < spec->architecture_names.count; i++)
        emit_architecture_name(emitter,
                               SPEC_AT(spec->architecture_names, i, struct spec_architecture_name));
    put_none(emitter, spec->architecture_names.count);
    put(emitter, "};\n");
    put_count(emitter, "architecture_name", spec->architecture_names.count);
    put(emitter, "const char isa_architecture_order[] = ");
    emit_string(emitter, spec->architecture_order ? spec->architecture_order : "");
    put(emitter, ";\n\n");
    put(emitter, "const char *const isa_privileged_versions[] = {");
    for (size_t i = 0; i < spec->privileged_count; i++) {
        emit_string(emitter, spec->privileged_versions[i]);
        put(emitter, ", ");
    }
    put(emitter, "NULL};\n");
    put(emitter, "const struct isa_specification isa_specifications[] = {\n");
    for (size_t i = 0; i < spec->specification_count; i++) {
        const struct spec_specification *specification = &spec->specifications[i];
        put(emitter, "    {");
        put_string(emitter, "name", specification->name);
        put(emitter, ".changes = (const struct isa_version[]){");
        for (size_t k = 0; k < specification->versions->count; k++) {
            const char *version = specification->versions->items[2 * k + 1]->text;
            put(emitter, "{");
            put_string(emitter, "name", specification->versions->items[2 * k]->text);
            put_string(emitter, "version", strcmp(version, "none") == 0 ? NULL : version);
            put(emitter, "}, ");
        }
        put(emitter, "{0}}},\n");
    }
    put(emitter, "    {0}\n};\n");
}

static void emit_csr_names(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    put(emitter, "const struct isa_csr_name isa_csr_names[] = {\n");
    for (size_t i = 0; i < spec->csr_names.count; i++) {
        const struct spec_csr_name *name = SPEC_AT(spec->csr_names, i, struct spec_csr_name);
        put(emitter, "    {");
        put_string(emitter, "name", name->name);
        put_string(emitter, "extension", name->extension);
        put_string(emitter, "also", name->also);
        text_format(&emitter->text, ".number = 0x%03llx, .since = %u, .before = %u, .rv32 = %d},\n",
                    (unsigned long long)name->number, name->since, name->before, name->rv32);
    }
    put_none(emitter, spec->csr_names.count);
    put(emitter, "};\n");
    put_count(emitter, "csr_name", spec->csr_names.count);
}

static void emit_small_tables(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    put(emitter, "const struct isa_extension isa_extensions[] = {\n");
    for (size_t i = 0; i < spec->extensions.count; i++) {
        const struct spec_extension *extension =
            SPEC_AT(spec->extensions, i, struct spec_extension);
        put(emitter, "    {");
        put_string(emitter, "name", extension->name);
        put_string(emitter, "version", extension->version);
        put_string(emitter, "summary", extension->summary);
        text_format(&emitter->text, ".initial = %d},\n", extension->initial);
    }
    put_none(emitter, spec->extensions.count);
    put(emitter, "};\n");
    put_count(emitter, "extension", spec->extensions.count);

    emit_elements(emitter);

    put(emitter, "const struct isa_class isa_classes[] = {\n");
    for (size_t i = 0; i < spec->classes.count; i++) {
        const struct spec_class *timing = SPEC_AT(spec->classes, i, struct spec_class);
        put(emitter, "    {");
        put_string(emitter, "name", timing->name);
        put_string(emitter, "summary", timing->summary);
        text_format(&emitter->text, ".latency = %llu, .bundle = ISA_BUNDLE_%s},\n",
                    (unsigned long long)timing->latency, timing->bundle);
    }
    put_none(emitter, spec->classes.count);
    put(emitter, "};\n");
    put_count(emitter, "class", spec->classes.count);
}

void emit_tables(struct emitter *emitter)
{
    emit_header(emitter, "The tables of lib/isa.h.");
    put(emitter, "#include \"float_formats.h\"\n#include \"isa_ids.h\"\n#include "
                 "\"lib/isa.h\"\n#include \"lib/isa_tree.h\"\n\n");
    emit_register_files(emitter);
    emit_register_names(emitter);
    emit_enums(emitter);
    emit_fields(emitter);
    emit_relocations(emitter);
    emit_operand_types(emitter);
    emit_csr_table(emitter);
    emit_small_tables(emitter);
    emit_architecture(emitter);
    emit_csr_names(emitter);
    emit_forms(emitter);
    emit_tree(emitter);
    text_format(&emitter->text, "const char isa_fingerprint[17] = \"%016llx\";\n",
                (unsigned long long)spec_fingerprint(emitter->spec));
}
