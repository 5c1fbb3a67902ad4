/*
 * isa.md: the reference manual, in Markdown. Chapters about what instructions share come first,
 * then the extensions in the order of the files, then aliases, opcodes and an index.
 */
#include "isa/isagen/manual.h"

#include <string.h>

static void put(struct emitter *emitter, const char *string)
{
    text_append(&emitter->text, string);
}

static const char *extension_heading(struct emitter *emitter,
                                     const struct spec_extension *extension)
{
    return arena_format(emitter->spec->arena, "Extension %s: %s", extension->name,
                        extension->summary);
}

static void emit_contents(struct emitter *emitter)
{
    static const char *const before[] = {"Registers",
                                         "Control and status registers",
                                         "Named operand values",
                                         "Element types",
                                         "Units",
                                         "Timing classes",
                                         "Relocations"};
    static const char *const after[] = {MANUAL_ALIASES, MANUAL_INSN, "Opcodes", "Index"};
    const struct map *extensions = &emitter->spec->extensions;
    size_t front = sizeof before / sizeof *before, back = sizeof after / sizeof *after;

    for (size_t i = 0; i < front + extensions->count + back; i++) {
        const char *heading =
            i < front ? before[i]
            : i < front + extensions->count
                ? extension_heading(emitter, SPEC_AT(*extensions, i - front, struct spec_extension))
                : after[i - front - extensions->count];
        put(emitter, "- ");
        emit_link(emitter, heading, heading);
        put(emitter, "\n");
    }
    put(emitter, "\n");
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
                 "operation is C code over the operands;\n"
                 "docs/isa-format.md lists the accessors that it may use.\n\n");
    text_format(&emitter->text, "Fingerprint of this description: `%016llx`.\n\n",
                (unsigned long long)spec_fingerprint(spec));
    emit_contents(emitter);
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

    if (csr->indexed && !csr->last)
        return;
    text_format(text, "### CSR %s", csr->name);
    if (csr->last)
        text_format(text, " to %s", csr->last);
    text_format(text, "\n\n0x%03llx%s, %s, extension %s: %s.\n\n", (unsigned long long)csr->number,
                csr->last ? " and following" : "", csr->writable ? "read-write" : "read-only",
                csr->extension->name, csr->summary);
    for (size_t i = 0; i < csr->field_count; i++) {
        const struct isa_csr_field *field = &csr->fields[i];
        if (field->width == 1)
            text_format(text, "- bit %u `%s`\n", field->lsb, field->name);
        else
            text_format(text, "- bits %u:%u `%s`\n", field->lsb + field->width - 1u, field->lsb,
                        field->name);
    }
    put(emitter, csr->field_count ? "\n" : "");
    if (csr->description)
        text_format(text, "%s\n\n", csr->description);
    if (csr->source)
        text_format(text, "Source: %s.\n\n", csr->source);
}

/* Lists the names of CSRs that the machine does not have. */
static void emit_other_csrs(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    bool first = true;

    for (size_t i = 0; i < spec->csr_names.count; i++) {
        const struct spec_csr_name *name = SPEC_AT(spec->csr_names, i, struct spec_csr_name);
        if (map_get(&spec->csrs, name->name))
            continue;
        if (first)
            put(emitter, "### Other CSRs\n\nThe assembler and the disassembler also know the names "
                         "of these CSRs, which the machine does not have: ");
        text_format(&emitter->text, "%s`%s` (0x%03llx)", first ? "" : ", ", name->name,
                    (unsigned long long)name->number);
        first = false;
    }
    if (!first)
        put(emitter, ".\n\n");
}

static void emit_csr_chapter(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    put(emitter, "## Control and status registers\n\n");
    for (size_t i = 0; i < spec->csrs.count; i++)
        emit_csr(emitter, spec->csrs_by_number[i]);
    emit_other_csrs(emitter);
}

static bool names_opcodes(const struct spec *spec, const struct spec_enum *values)
{
    for (size_t i = 0; i < spec->operand_types.count; i++) {
        const struct spec_operand_type *type =
            SPEC_AT(spec->operand_types, i, struct spec_operand_type);
        if (type->kind == ISA_OPCODE && type->values == values)
            return true;
    }
    return false;
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
        put(emitter, names_opcodes(emitter->spec, values)
                         ? "\nFor `.insn`, which also takes numbers.\n\n"
                     : values->decodes_reserved
                         ? "\nOther values decode, too; the operation handles them.\n\n"
                         : "\nOther values are illegal encodings.\n\n");
    }
}

/* Writes the encodings of a float: the largest number, infinity, the canonical NaN. */
static void emit_float_row(struct text *text, const struct spec_element *element)
{
    struct spec_float_layout layout = spec_float_layout(element);
    bool infinity = element->nan == SPEC_NAN_IEEE, nan = element->nan != SPEC_NAN_NONE;

    text_format(text, "| %s | %llu, %llu | %lld | 0x%llx | ", element->name,
                (unsigned long long)element->exponent, (unsigned long long)element->fraction,
                (long long)element->bias, (unsigned long long)layout.largest);
    text_format(text, infinity ? "0x%llx | " : "none | ", (unsigned long long)layout.infinity);
    text_format(text, nan ? "0x%llx |\n" : "none |\n", (unsigned long long)layout.quiet_nan);
}

static void emit_element_row(struct text *text, const struct spec_element *element)
{
    text_format(text, "| %s | ", element->name);
    if (element->has_code)
        text_format(text, "%llu", (unsigned long long)element->code);
    text_format(text, " | %llu |", (unsigned long long)element->bits);
    for (size_t i = 0; i < element->directive_count; i++)
        text_format(text, "%s `%s`", i ? "," : "", element->directives[i].name);
    text_format(text, " | %s |\n", element->summary);
}

static bool any_pair(const struct map *elements)
{
    bool any = false;

    for (size_t i = 0; i < elements->count; i++)
        any = any || SPEC_AT(*elements, i, struct spec_element)->part;
    return any;
}

/* Writes the table of pairs; nothing where there is none. */
static void emit_pairs(struct emitter *emitter)
{
    const struct map *elements = &emitter->spec->elements;

    if (!any_pair(elements))
        return;
    put(emitter,
        "\nA pair is a complex number: two numbers, of which the real part is at the lower "
        "address, in the low bits.\n\n"
        "| name | numbers | alignment |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < elements->count; i++) {
        const struct spec_element *element = SPEC_AT(*elements, i, struct spec_element);
        if (element->part)
            text_format(&emitter->text, "| %s | %s, %s | %u |\n", element->name,
                        element->part->name, element->part->name, spec_element_bytes(element));
    }
}

static void emit_element_chapter(struct emitter *emitter)
{
    const struct map *elements = &emitter->spec->elements;

    put(emitter, "## Element types\n\nThe code is that of instructions and descriptors.\n\n"
                 "| name | code | bits | directives | |\n| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < elements->count; i++)
        emit_element_row(&emitter->text, SPEC_AT(*elements, i, struct spec_element));
    put(emitter, "\nA float with a code has a sign, an exponent and a fraction. The encodings are "
                 "of its largest "
                 "number, its infinity and its canonical NaN.\n\n"
                 "| name | exponent, fraction | bias | largest | infinity | NaN |\n"
                 "| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < elements->count; i++)
        if (SPEC_AT(*elements, i, struct spec_element)->exponent &&
            SPEC_AT(*elements, i, struct spec_element)->has_code)
            emit_float_row(&emitter->text, SPEC_AT(*elements, i, struct spec_element));
    emit_pairs(emitter);
    put(emitter, "\n");
}

static void emit_small_chapters(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    emit_element_chapter(emitter);
    emit_units_chapter(emitter);
    put(emitter, "## Timing classes\n\nThe latency is the number of cycles until a result can be "
                 "used; the setting `timing.classes.NAME` changes it. Where a class has none, each "
                 "of its instructions has cycles of its own.\n\n"
                 "| name | latency | |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < spec->classes.count; i++) {
        const struct spec_class *timing = SPEC_AT(spec->classes, i, struct spec_class);
        text_format(&emitter->text, "| %s | ", timing->name);
        if (timing->latency)
            text_format(&emitter->text, "%llu ", (unsigned long long)timing->latency);
        text_format(&emitter->text, "| %s%s |\n", timing->summary,
                    timing->is_pipelined ? "" : ", one at a time");
    }
    put(emitter, "\n");
}

/* Returns what a relocation patches: the field of a format, both fields of a pair, or data. */
static void emit_place(struct emitter *emitter, const struct spec_relocation *relocation)
{
    if (relocation->field)
        text_format(&emitter->text, " in %s.%s", relocation->field->layout,
                    relocation->field->name);
    else if (relocation->place != ISA_PLACE_NONE)
        text_format(&emitter->text, " in %s", node_get(relocation->node, "patches")->text);
    if (relocation->second)
        text_format(&emitter->text, " and %s.%s", relocation->second->layout,
                    relocation->second->name);
}

static void emit_relocations_chapter(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    put(emitter, "## Relocations\n\n"
                 "S is the symbol's address, A the addend, P the place, V the value there, G the "
                 "offset of a GOT entry, TP the\n"
                 "thread pointer; hi is the part of a value in a 20-bit upper immediate, lo the "
                 "signed 12-bit number that is added to it, and\n"
                 "lo(pcrel) belongs to the hi at label S. A value is stored in a field of a format "
                 "(U.imm) or in data of this\n"
                 "number of bits. A relaxable relocation with R_RISCV_RELAX lets the linker "
                 "shorten code. A dynamic one is\n"
                 "for a dynamic linker. A relaxed one describes what relaxation leaves (tld "
                 "--emit-relocs).\n\n");
    for (size_t i = 0; i < spec->relocations.count; i++) {
        const struct spec_relocation *relocation = spec->relocations_by_number[i];
        text_format(&emitter->text, "- %llu `%s`", (unsigned long long)relocation->number,
                    relocation->name);
        if (relocation->operator_name)
            text_format(&emitter->text, ", `%%%s`", relocation->operator_name);
        text_format(&emitter->text, ": %s; %s", relocation->summary,
                    node_get(relocation->node, "value")->text);
        emit_place(emitter, relocation);
        put(emitter, relocation->relaxable ? "; relaxable\n" : "\n");
    }
    put(emitter, "\n");
}

static void emit_extensions(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    for (size_t i = 0; i < spec->extensions.count; i++) {
        const struct spec_extension *extension =
            SPEC_AT(spec->extensions, i, struct spec_extension);
        text_format(&emitter->text, "## %s\n\nVersion %s.", extension_heading(emitter, extension),
                    extension->version);
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
    emit_insn_chapter(emitter);
    emit_opcodes_chapter(emitter);
    emit_index(emitter);
}
