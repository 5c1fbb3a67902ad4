/*
 * isa.md: the reference manual, in Markdown. Chapters on what instructions share come first, then
 * the extensions in the order of the files, then aliases and an index.
 */
#include "isa/manual.h"

#include <ctype.h>
#include <string.h>

static void put(struct emitter *emitter, const char *string)
{
    text_append(&emitter->text, string);
}

static void emit_introduction(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    put(emitter, "# Instruction set reference\n\n"
                 "Written by isagen from the ISA description, which is also what the assembler, "
                 "the disassembler and the\n"
                 "emulator are made from. Encoding diagrams run from the most significant bit "
                 "down: `0` and `1` are fixed,\n"
                 "`/` is reserved (an encoding with it set is illegal), `-` is ignored. The "
                 "operation is C over the operands;\n"
                 "docs/isa-format.md lists the accessors it may use.\n\n");
    text_format(&emitter->text, "Fingerprint of this description: `%016llx`.\n\n",
                (unsigned long long)spec_fingerprint(spec));
    for (size_t i = 0; i < spec->extensions.count; i++) {
        const struct spec_extension *extension =
            SPEC_AT(spec->extensions, i, struct spec_extension);
        text_format(&emitter->text, "- %s %s: %s\n", extension->name, extension->version,
                    extension->summary);
    }
    put(emitter, "\n");
}

static void emit_registers(struct emitter *emitter)
{
    const struct map *files = &emitter->spec->register_files;
    put(emitter, "## Registers\n\n");
    for (size_t i = 0; i < files->count; i++) {
        const struct spec_register_file *file = SPEC_AT(*files, i, struct spec_register_file);
        text_format(
            &emitter->text,
            "File `%s`: %s, %zu registers of %llu bits%s.\n\n| number | name |\n| --- | --- |\n",
            file->name, file->summary, (size_t)file->count, (unsigned long long)file->width,
            file->zero ? "; register 0 is always 0" : "");
        for (size_t k = 0; k < file->count; k++) {
            text_format(&emitter->text, "| %s%zu | %s", file->numeric ? file->numeric : "", k,
                        file->names[k]);
            for (size_t a = 0; a < file->also.count; a++)
                if (*SPEC_AT(file->also, a, uint64_t) == k)
                    text_format(&emitter->text, ", %s", file->also.entries[a].key);
            put(emitter, " |\n");
        }
        put(emitter, "\n");
    }
}

static void emit_csr(struct emitter *emitter, const struct spec_csr *csr)
{
    struct text *text = &emitter->text;
    text_format(text, "### CSR %s\n\n0x%03llx, %s, extension %s: %s.\n\n", csr->name,
                (unsigned long long)csr->number, csr->writable ? "read-write" : "read-only",
                csr->extension->name, csr->summary);
    for (size_t i = 0; i < csr->field_count; i++) {
        const struct isa_csr_field *field = &csr->fields[i];
        text_format(text, "- bits %u:%u `%s`\n", field->lsb + field->width - 1u, field->lsb,
                    field->name);
    }
    put(emitter, csr->field_count ? "\n" : "");
    if (csr->description)
        text_format(text, "%s\n\n", csr->description);
    if (csr->source)
        text_format(text, "Source: %s.\n\n", csr->source);
}

static void emit_csr_chapter(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    put(emitter, "## Control and status registers\n\n");
    for (size_t i = 0; i < spec->csrs.count; i++)
        emit_csr(emitter, spec->csrs_by_number[i]);
}

static void emit_enums_chapter(struct emitter *emitter)
{
    const struct map *enums = &emitter->spec->enums;
    put(emitter, "## Named operand values\n\n");
    for (size_t i = 0; i < enums->count; i++) {
        const struct spec_enum *values = SPEC_AT(*enums, i, struct spec_enum);
        text_format(&emitter->text, "### %s\n\n%s.\n\n", values->name, values->summary);
        for (size_t k = 0; k < values->count; k++)
            text_format(&emitter->text, "- `%s`: %u\n", values->values[k].name,
                        values->values[k].value);
        put(emitter, values->decodes_reserved
                         ? "\nOther values decode; the operation deals with them.\n\n"
                         : "\nOther values are illegal encodings.\n\n");
    }
}

static void emit_small_chapters(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    put(emitter, "## Element types\n\n| name | code | bits | exponent | fraction | |\n| --- | --- "
                 "| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < spec->elements.count; i++) {
        const struct spec_element *element = SPEC_AT(spec->elements, i, struct spec_element);
        text_format(&emitter->text, "| %s | %llu | %llu | %llu | %llu | %s |\n", element->name,
                    (unsigned long long)element->code, (unsigned long long)element->bits,
                    (unsigned long long)element->exponent, (unsigned long long)element->fraction,
                    element->summary);
    }
    put(emitter, "\n## Timing classes\n\n| name | latency | |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < spec->classes.count; i++) {
        const struct spec_class *timing = SPEC_AT(spec->classes, i, struct spec_class);
        text_format(&emitter->text, "| %s | %llu | %s |\n", timing->name,
                    (unsigned long long)timing->latency, timing->summary);
    }
    put(emitter, "\n");
}

static void emit_relocations_chapter(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    put(emitter, "## Relocations\n\nS is the symbol's address, A the addend, P the place, V the "
                 "value there, G the offset of a GOT entry, TP the\n"
                 "thread pointer.\n\n| number | name | operator | value | |\n| --- | --- | --- | "
                 "--- | --- |\n");
    for (size_t i = 0; i < spec->relocations.count; i++) {
        const struct spec_relocation *relocation = spec->relocations_by_number[i];
        const char *operator_name = relocation->operator_name;
        text_format(&emitter->text, "| %llu | %s | %s%s | %s | %s |\n",
                    (unsigned long long)relocation->number, relocation->name,
                    operator_name ? "%" : "", operator_name ? operator_name : "",
                    node_get(relocation->node, "value")->text, relocation->summary);
    }
    put(emitter, "\n");
}

static void emit_extensions(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    for (size_t i = 0; i < spec->extensions.count; i++) {
        const struct spec_extension *extension =
            SPEC_AT(spec->extensions, i, struct spec_extension);
        text_format(&emitter->text, "## Extension %s: %s\n\nVersion %s.", extension->name,
                    extension->summary, extension->version);
        if (extension->source)
            text_format(&emitter->text, " Source: %s.", extension->source);
        put(emitter, "\n\n");
        if (extension->description)
            text_format(&emitter->text, "%s\n\n", extension->description);
        for (size_t k = 0; k < spec->instructions.count; k++) {
            const struct spec_instruction *instruction =
                SPEC_AT(spec->instructions, k, struct spec_instruction);
            if (instruction->extension == extension)
                emit_page(emitter, instruction);
        }
    }
}

static void emit_aliases_chapter(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    put(emitter, "## Aliases and pseudo-instructions\n\n");
    for (size_t i = 0; i < spec->form_count; i++) {
        const struct spec_alias *alias = spec->forms[i].alias;
        if (!alias)
            continue;
        text_format(&emitter->text, "- `%s`: `%s`", alias->text, alias->expansion);
        if (alias->expander == ISA_EXPAND_LOAD_IMMEDIATE)
            put(emitter, ", as many of them as the constant needs");
        if (alias->summary)
            text_format(&emitter->text, ". %s", alias->summary);
        put(emitter, "\n");
    }
    put(emitter, "\n");
}

/* The anchor that Markdown renderers make of a heading: lower case, without dots. */
static const char *anchor(struct arena *arena, const char *heading)
{
    char *copy = arena_string(arena, heading), *to = copy;
    for (const char *from = copy; *from; from++)
        if (*from != '.')
            *to++ = (char)tolower((unsigned char)*from);
    *to = 0;
    return copy;
}

static void emit_index(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    put(emitter, "## Index\n\n");
    for (size_t i = 0; i < spec->form_count; i++) {
        const struct spec_instruction *instruction = spec->forms[i].instruction;
        if (instruction)
            text_format(&emitter->text, "- [%s](#%s): %s\n", instruction->mnemonic,
                        anchor(spec->arena, instruction->mnemonic), instruction->summary);
    }
}

void emit_manual(struct emitter *emitter)
{
    emit_introduction(emitter);
    emit_registers(emitter);
    emit_csr_chapter(emitter);
    emit_enums_chapter(emitter);
    emit_small_chapters(emitter);
    emit_relocations_chapter(emitter);
    emit_extensions(emitter);
    emit_aliases_chapter(emitter);
    emit_index(emitter);
}
