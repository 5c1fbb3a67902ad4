/*
 * The element types for C: float_formats.h numbers the formats of floats, float_layouts.inc
 * describes them for lib/float_format.c, and isa_tables.c has the table of all types.
 *
 * A format's number is its place among the floats. So the files of floats do not change when an
 * instruction or an integer is added.
 */
#include "isa/isagen/emit.h"

static void put(struct emitter *emitter, const char *string)
{
    text_append(&emitter->text, string);
}

static const char *upper(struct emitter *emitter, const struct spec_element *element)
{
    return emit_upper(emitter->spec->arena, element->name);
}

/* Writes a line for each float. */
static void each_float(struct emitter *emitter,
                       void (*line)(struct emitter *emitter, const struct spec_element *element))
{
    const struct map *elements = &emitter->spec->elements;

    for (size_t i = 0; i < elements->count; i++)
        if (SPEC_AT(*elements, i, struct spec_element)->exponent)
            line(emitter, SPEC_AT(*elements, i, struct spec_element));
}

static void line_number(struct emitter *emitter, const struct spec_element *element)
{
    text_format(&emitter->text, "    FLOAT_%s,\n", upper(emitter, element));
}

void emit_float_formats(struct emitter *emitter)
{
    emit_header(emitter, "Numbers of the formats of floats.");
    put(emitter, "#ifndef FLOAT_FORMATS_H\n#define FLOAT_FORMATS_H\n\nenum float_format {\n");
    each_float(emitter, line_number);
    put(emitter, "    FLOAT_FORMAT_COUNT\n};\n\n#endif\n");
}

static void line_layout(struct emitter *emitter, const struct spec_element *element)
{
    struct spec_float_layout layout = spec_float_layout(element);

    text_format(&emitter->text,
                "    [FLOAT_%s] = {\"%s\", %llu, %llu, %lld, 0x%llx, 0x%llx, 0x%llx, 0x%llx},\n",
                upper(emitter, element), element->name, (unsigned long long)element->exponent,
                (unsigned long long)element->fraction, (long long)element->bias,
                (unsigned long long)layout.largest, (unsigned long long)layout.infinity,
                (unsigned long long)layout.quiet_nan, (unsigned long long)layout.quiet_bit);
}

void emit_float_layouts(struct emitter *emitter)
{
    emit_header(emitter, "Formats of floats (struct float_layout).");
    each_float(emitter, line_layout);
}

/* ---- the table of all types ---- */

static void put_directives(struct emitter *emitter, const struct spec_element *element, bool block)
{
    text_format(&emitter->text, ", .%s = (const char *const[]){", block ? "blocks" : "directives");
    for (size_t i = 0; i < element->directive_count; i++)
        if (element->directives[i].block == block)
            text_format(&emitter->text, "\"%s\", ", element->directives[i].name);
    put(emitter, "NULL}");
}

/* Returns the place of the type in the table. */
static size_t place_of(const struct emitter *emitter, const struct spec_element *element)
{
    const struct map *elements = &emitter->spec->elements;
    size_t place = 0;

    while (SPEC_AT(*elements, place, struct spec_element) != element)
        place++;
    return place;
}

static void put_element(struct emitter *emitter, const struct spec_element *element)
{
    put(emitter, "    {.name = ");
    emit_string(emitter, element->name);
    put(emitter, ", .summary = ");
    emit_string(emitter, element->summary);
    text_format(&emitter->text,
                ", .bits = %llu, .bytes = %u, .exponent = %llu, .fraction = %llu, .code = %lld, "
                ".is_signed = %d, .print = %d",
                (unsigned long long)element->bits, spec_element_bytes(element),
                (unsigned long long)element->exponent, (unsigned long long)element->fraction,
                element->has_code ? (long long)element->code : -1, element->is_signed,
                (int)element->print);
    if (element->exponent)
        text_format(&emitter->text, ", .format = FLOAT_%s", upper(emitter, element));
    if (element->part)
        text_format(&emitter->text, ", .part = &isa_elements[%zu]",
                    place_of(emitter, element->part));
    put_directives(emitter, element, false);
    put_directives(emitter, element, true);
    put(emitter, "},\n");
}

void emit_elements(struct emitter *emitter)
{
    const struct map *elements = &emitter->spec->elements;

    put(emitter, "const struct isa_element isa_elements[] = {\n");
    for (size_t i = 0; i < elements->count; i++)
        put_element(emitter, SPEC_AT(*elements, i, struct spec_element));
    put(emitter, elements->count ? "};\n" : "    {0},\n};\n");
    text_format(&emitter->text, "const size_t isa_element_count = %zu;\n\n", elements->count);
}

/* ---- codes ---- */

void emit_element_codes(struct emitter *emitter, const char *prefix)
{
    const struct map *elements = &emitter->spec->elements;
    unsigned long long limit = 0;

    for (size_t i = 0; i < elements->count; i++) {
        const struct spec_element *element = SPEC_AT(*elements, i, struct spec_element);
        if (!element->has_code)
            continue;
        text_format(&emitter->text, "    %s%s = %llu,\n", prefix, upper(emitter, element),
                    (unsigned long long)element->code);
        if (element->code >= limit)
            limit = element->code + 1;
    }
    text_format(&emitter->text, "    %sLIMIT = %llu, /* one more than the largest */\n", prefix,
                limit);
}

void emit_pair_numbers(struct emitter *emitter)
{
    const struct map *elements = &emitter->spec->elements;

    text_format(&emitter->text, "    ISA_ELEMENT_PLACES = %d, /* see isa_element_by_number */\n",
                SPEC_CODE_LIMIT);
    for (size_t i = 0; i < elements->count; i++) {
        const struct spec_element *element = SPEC_AT(*elements, i, struct spec_element);
        if (element->part)
            text_format(&emitter->text, "    ISA_ELEMENT_%s = ISA_ELEMENT_PLACES + %zu,\n",
                        upper(emitter, element), i);
    }
}
