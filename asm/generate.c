/* Appending bytes, numbers and differences of labels to sections that no statement writes. */
#include "asm/generate.h"
#include "asm/expression.h"
#include "lib/bytes.h"
#include "lib/leb128.h"
#include <string.h>

struct section *generate_section(struct assembler *as, const char *name, uint64_t flags,
                                 uint64_t alignment)
{
    bool made;
    struct section *section = section_lookup(as, name, NULL, &made);

    if (made)
        section->flags = flags;
    if (!section_has_contents(section) || section_is_code(section)) {
        diag_error(
            as->diag, NULL,
            "section '%s' is written by the assembler; it must have type @progbits and no flag x",
            name);
        section->type = SHT_PROGBITS; /* so that the error is reported only once */
        section->flags = flags;
    }
    section_align(section, alignment);
    section_push(as);
    section_enter(as, section, 0);
    return section;
}

void generate_bytes(struct assembler *as, const struct position *at, const void *bytes,
                    size_t length)
{
    unsigned char *place = section_append(as, length, at);

    if (place && length)
        memcpy(place, bytes, length);
}

void generate_number(struct assembler *as, const struct position *at, uint64_t value, unsigned size)
{
    unsigned char *place = section_append(as, size, at);

    if (place)
        bytes_put(place, value, size);
}

void generate_unsigned(struct assembler *as, const struct position *at, uint64_t value)
{
    unsigned char bytes[LEB128_LIMIT];

    generate_bytes(as, at, bytes, leb128_put_unsigned(bytes, value));
}

void generate_signed(struct assembler *as, const struct position *at, int64_t value)
{
    unsigned char bytes[LEB128_LIMIT];

    generate_bytes(as, at, bytes, leb128_put_signed(bytes, value));
}

void generate_expression(struct assembler *as, const struct position *at,
                         struct expression *expression, unsigned size)
{
    if (!section_append(as, size, at))
        return;
    struct fragment *fragment = section_fragment(as);
    struct fixup *fixup = section_fixup(as, fragment, fragment->length - size);
    fixup->expression = expression;
    fixup->size = size;
}

void generate_distance(struct assembler *as, const struct position *at, struct symbol *add,
                       struct symbol *subtract, unsigned size)
{
    if (section_append(as, size, at))
        section_address(as, size, add, subtract, at);
}

static struct expression *binary(struct assembler *as, const struct position *at,
                                 enum operation operation, struct expression *left,
                                 struct expression *right)
{
    struct expression *expression = expression_constant(as, at, 0);

    expression->kind = EXPRESSION_BINARY;
    expression->operation = operation;
    expression->left = left;
    expression->right = right;
    return expression;
}

struct expression *generate_difference(struct assembler *as, const struct position *at,
                                       struct expression *left, struct expression *right)
{
    return binary(as, at, OPERATION_SUBTRACT, left, right);
}

struct expression *generate_sum(struct assembler *as, const struct position *at,
                                struct expression *left, struct expression *right)
{
    return binary(as, at, OPERATION_ADD, left, right);
}

struct expression *generate_label(struct assembler *as, const struct position *at)
{
    return expression_symbol(as, at, symbol_here(as, ".L0 "));
}

struct symbol *generate_undefined(struct assembler *as)
{
    struct symbol *symbol = symbol_here(as, ".L0 ");

    symbol->kind = SYMBOL_UNDEFINED;
    return symbol;
}

void generate_define(struct assembler *as, struct symbol *symbol)
{
    struct fragment *fragment = section_fragment(as);

    symbol->kind = SYMBOL_LABEL;
    symbol->fragment = fragment;
    symbol->offset = fragment->length;
}

struct symbol *generate_length(struct assembler *as, const struct position *at)
{
    struct symbol *end = generate_undefined(as), *after = generate_undefined(as);

    generate_distance(as, at, end, after, 4);
    generate_define(as, after);
    return end;
}

void generate_string(struct assembler *as, const struct position *at, const char *section,
                     const char *text)
{
    generate_section(as, section, SHF_MERGE | SHF_STRINGS, 1)->entry_size = 1;
    struct expression *label = generate_label(as, at);
    generate_bytes(as, at, text, strlen(text) + 1);
    section_pop(as);
    generate_expression(as, at, label, 4);
}

struct symbol *generate_section_start(struct assembler *as, struct section *section)
{
    struct symbol *symbol = generate_undefined(as);

    symbol->kind = SYMBOL_LABEL;
    symbol->fragment = section->subsections->first;
    symbol->offset = 0;
    return symbol;
}

struct symbol *generate_section_end(struct assembler *as, struct section *section)
{
    const struct subsection *last = section->subsections;

    while (last->next)
        last = last->next;
    section_push(as);
    section_enter(as, section, last->number);
    struct symbol *symbol = symbol_here(as, ".L0 ");
    section_pop(as);
    return symbol;
}
