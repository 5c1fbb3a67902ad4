/* Directives for data: integers, floating-point numbers, strings, files. */
#include "asm/constant.h"
#include "asm/directive/directive.h"
#include "asm/instruction/instruction.h"
#include "lib/bytes.h"
#include "lib/file.h"
#include "lib/float_text.h"
#include "lib/leb128.h"
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* Appends a value. In a section without contents, a zero reserves space. */
static unsigned char *append_value(struct assembler *as, unsigned size, bool zero,
                                   const struct position *at)
{
    static unsigned char nowhere[16];

    if (zero && !section_has_contents(as->sections.current.section)) {
        section_reserve(as, size, at);
        return nowhere;
    }
    section_content(as, CONTENT_DATA);
    return section_append(as, size, at);
}

static void report_misfit(struct assembler *as, const struct parsed *parsed,
                          const struct position *at, int64_t number, unsigned size)
{
    diag_error(as->diag, at, "%" PRId64 " does not fit in '%s'; expected %" PRId64 "..%" PRIu64,
               number, parsed->name, -(INT64_C(1) << (8 * size - 1)),
               (UINT64_C(1) << 8 * size) - 1);
}

static bool is_place(const struct expression *expression)
{
    return expression->kind == EXPRESSION_SYMBOL && expression->symbol->kind != SYMBOL_EQUATED;
}

/* Appends an address, perhaps with an offset, or a distance, which are kept in little memory.
 * Returns false for all other expressions. */
static bool put_address(struct assembler *as, const struct expression *expression, unsigned size,
                        const struct position *at)
{
    const struct expression *left = expression->left, *right = expression->right;
    enum operation operation = expression->operation;

    if (expression->kind == EXPRESSION_SYMBOL) {
        if (section_append(as, size, at))
            section_address(as, size, expression->symbol, NULL, at);
        return true;
    }
    if (expression->kind != EXPRESSION_BINARY || !is_place(left) ||
        (operation != OPERATION_ADD && operation != OPERATION_SUBTRACT))
        return false;
    if (right->kind == EXPRESSION_CONSTANT) {
        uint64_t addend = operation == OPERATION_ADD ? right->constant : 0 - right->constant;
        if (section_append(as, size, at))
            section_sum(as, size, left->symbol, (int64_t)addend, at);
        return true;
    }
    if (operation != OPERATION_SUBTRACT || !is_place(right))
        return false;
    if (section_append(as, size, at))
        section_address(as, size, left->symbol, right->symbol, at);
    return true;
}

static void put_expression(struct assembler *as, const struct parsed *parsed,
                           struct expression *expression, unsigned size)
{
    int64_t number;
    struct position at = expression_place(expression);

    if (expression_try_constant(as, expression, &number)) {
        if (!directive_fits((uint64_t)number, size)) {
            report_misfit(as, parsed, &at, number, size);
            return;
        }
        unsigned char *place = append_value(as, size, number == 0, &at);
        if (place)
            bytes_put(place, (uint64_t)number, size);
        return;
    }
    section_content(as, CONTENT_DATA);
    expression_bind(as, expression);
    if (put_address(as, expression, size, &at))
        return;
    expression = expression_copy(as, expression);
    if (!section_append(as, size, &at))
        return;
    struct fragment *fragment = section_fragment(as);
    struct fixup *fixup = section_fixup(as, fragment, fragment->length - size);
    fixup->expression = expression;
    fixup->size = size;
}

static void integers(struct assembler *as, const struct parsed *parsed, int size)
{
    for (size_t i = 0; i < parsed->argument_count; i++) {
        struct expression *expression = argument_expression(as, parsed, i);
        if (expression)
            put_expression(as, parsed, expression, (unsigned)size);
    }
}

/* Reads the digits of `0f:3f800000`: the bits of a number, of which missing ones at the end are 0.
 */
static bool raw_bits(const char *digits, int width, uint64_t *bits)
{
    size_t length = strlen(digits), most = (size_t)(width + 3) / 4;

    if (!length || length > most || strspn(digits, "0123456789abcdefABCDEF") != length)
        return false;
    *bits = 0;
    for (size_t i = 0; i < most; i++)
        *bits = *bits << 4 | (i < length ? (unsigned)text_hex_digit(digits[i]) : 0);
    return width == 64 || *bits >> width == 0;
}

static void report_too_large(struct assembler *as, const struct parsed *parsed, size_t index,
                             enum float_format format)
{
    struct position at = argument_place(parsed, index);

    diag_warning(as->diag, &at, "'%s' is too large for '%s': it becomes %s",
                 argument_text(as, parsed, index), parsed->name,
                 float_has_infinity(format) ? "infinity"
                 : float_has_nan(format)    ? "NaN"
                                            : "the largest number");
}

static bool float_bits(struct assembler *as, const struct parsed *parsed, size_t index,
                       enum float_format format, uint64_t *bits)
{
    int width = float_width(format);
    const char *text = argument_text(as, parsed, index), *number = text;
    struct position at = argument_place(parsed, index);
    bool negative = *number == '-';

    number += negative || *number == '+';
    bool prefixed = number[0] == '0' && isalpha((unsigned char)number[1]) &&
                    !strchr("xX", number[1]); /* GNU's 0f1.5 */
    number += prefixed ? 2 : 0;
    if (prefixed && *number == ':' && number == text + 2) {
        bool fits = raw_bits(number + 1, width, bits);
        if (!fits)
            diag_error(as->diag, &at,
                       "found '%s', expected at most %d hexadecimal digits after ':'%s", text,
                       (width + 3) / 4, width % 4 ? ", of a number that the type has" : "");
        return fits;
    }
    if (*number == '-' || *number == '+') {
        negative ^= *number == '-';
        number++;
    }
    unsigned flags = 0;
    const char *end = float_parse(format, number, bits, &flags);
    if (!end || *end) {
        diag_error(as->diag, &at, "expected a floating-point number%s, found '%s'%s",
                   float_has_nan(format) ? "" : " (the type has no NaN)", text,
                   strpbrk(number, "()*/") ? "; only integers may be expressions" : "");
        return false;
    }
    if (flags & FLOAT_OF)
        report_too_large(as, parsed, index, format);
    if (negative)
        *bits |= UINT64_C(1) << (width - 1);
    return true;
}

/* Reads the argument as a number of a pair: a float, or an integer that needs no relocation. */
static bool part_bits(struct assembler *as, const struct parsed *parsed, size_t index,
                      const struct isa_element *type, uint64_t *bits)
{
    int64_t number;

    if (type->exponent)
        return float_bits(as, parsed, index, (enum float_format)type->format, bits);
    if (!argument_number(as, parsed, index, &number))
        return false;
    if (!directive_fits((uint64_t)number, type->bytes)) {
        struct position at = argument_place(parsed, index);
        report_misfit(as, parsed, &at, number, type->bytes);
        return false;
    }
    *bits = (uint64_t)number & ((UINT64_C(1) << 8 * type->bytes) - 1);
    return true;
}

/* Reads the pair whose real part is the argument of this index. */
static bool pair_bits(struct assembler *as, const struct parsed *parsed, size_t index,
                      const struct isa_element *type, uint64_t *bits)
{
    const struct isa_element *part = type->part;
    uint64_t real = 0, imaginary = 0;
    bool good = part_bits(as, parsed, index, part, &real);

    good = part_bits(as, parsed, index + 1, part, &imaginary) && good;
    *bits = real | imaginary << 8 * part->bytes;
    return good;
}

/* Reports the last argument of a list of pairs, which has no imaginary part. */
static void report_single(struct assembler *as, const struct parsed *parsed, size_t index)
{
    struct position at = argument_place(parsed, index);

    diag_error(
        as->diag, &at,
        "found '%s' without an imaginary part; expected two numbers for each element of '%s'",
        argument_text(as, parsed, index), parsed->name);
}

static void pairs(struct assembler *as, const struct parsed *parsed, const struct isa_element *type)
{
    size_t count = parsed->argument_count;

    for (size_t i = 0; i + 1 < count; i += 2) {
        struct position at = argument_place(parsed, i);
        uint64_t bits;
        if (!pair_bits(as, parsed, i, type, &bits))
            continue;
        unsigned char *place = append_value(as, type->bytes, bits == 0, &at);
        if (place)
            bytes_put(place, bits, type->bytes);
    }
    if (count % 2)
        report_single(as, parsed, count - 1);
}

/* The directives of the element type of this index. */
void directive_elements(struct assembler *as, const struct parsed *parsed, int element)
{
    const struct isa_element *type = &isa_elements[element];

    if (type->part) {
        pairs(as, parsed, type);
        return;
    }
    if (!type->exponent) {
        integers(as, parsed, type->bytes);
        return;
    }
    for (size_t i = 0; i < parsed->argument_count; i++) {
        struct position at = argument_place(parsed, i);
        uint64_t bits = 0;
        if (!float_bits(as, parsed, i, (enum float_format)type->format, &bits))
            continue;
        unsigned char *place = append_value(as, type->bytes, bits == 0, &at);
        if (place)
            bytes_put(place, bits, type->bytes);
    }
}

/* COUNT[, NUMBER], or of pairs COUNT[, NUMBER, NUMBER] */
void directive_element_block(struct assembler *as, const struct parsed *parsed, int element)
{
    const struct isa_element *type = &isa_elements[element];
    uint64_t bits = 0;
    int64_t value = 0;
    struct expression *count = argument_expression(as, parsed, 0);

    if (!count)
        return;
    if (type->part && parsed->argument_count == 2) {
        report_single(as, parsed, 1);
        return;
    }
    if (type->part && parsed->argument_count == 3 && !pair_bits(as, parsed, 1, type, &bits))
        return;
    if (type->exponent && parsed->argument_count == 2 &&
        !float_bits(as, parsed, 1, (enum float_format)type->format, &bits))
        return;
    if (!type->part && !type->exponent && parsed->argument_count == 2) {
        if (!argument_number(as, parsed, 1, &value))
            return;
        bits = (uint64_t)value << (64 - 8 * type->bytes) >> (64 - 8 * type->bytes);
    }
    directive_space(as, parsed, count, type->bytes, bits);
}

static void octas(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    for (size_t i = 0; i < parsed->argument_count; i++) {
        uint64_t value[2] = {0};
        int64_t number;
        struct position at = argument_place(parsed, i);
        struct expression *expression = argument_expression(as, parsed, i);
        if (!expression)
            continue;
        if (!constant_read_octa(argument_text(as, parsed, i), value)) {
            if (!expression_number(as, expression, "a value of '.octa'", &number))
                continue;
            value[0] = (uint64_t)number;
            value[1] = number < 0 ? UINT64_MAX : 0;
        }
        unsigned char *place = append_value(as, 16, !value[0] && !value[1], &at);
        if (place) {
            bytes_put(place, value[0], 8);
            bytes_put(place + 8, value[1], 8);
        }
    }
}

/* `width` is the size of a character in bytes; 0 means one byte, and no NUL after the string. */
static void strings(struct assembler *as, const struct parsed *parsed, int width)
{
    size_t size = width ? (size_t)width : 1;

    section_content(as, CONTENT_DATA);
    for (size_t i = 0; i < parsed->argument_count; i++) {
        const struct argument *argument = &parsed->arguments[i];
        struct position at = argument_place(parsed, i);
        bool ok = argument->count > 0;
        for (size_t j = 0; j < argument->count; j++)
            ok &= argument->items[j].kind == ITEM_STRING;
        if (!ok) {
            diag_error(as->diag, &at, "'%s' expects strings in quotes", parsed->name);
            continue;
        }
        for (size_t j = 0; j < argument->count; j++) { /* adjacent strings are one string */
            const struct item *item = &argument->items[j];
            bool end = width && j + 1 == argument->count;
            unsigned char *place = section_append(as, size * (item->string.length + end), &at);
            for (size_t k = 0; place && k < item->string.length; k++)
                place[k * size] = (unsigned char)item->string.bytes[k];
        }
    }
}

/* Appends a LEB128 number that needs no layout. Returns false for all others. */
static bool append_leb128(struct assembler *as, const struct expression *expression, bool is_signed,
                          const struct position *at)
{
    int64_t value;

    if (!expression_try_constant(as, expression, &value))
        return false;
    unsigned char bytes[LEB128_LIMIT];
    size_t length =
        is_signed ? leb128_put_signed(bytes, value) : leb128_put_unsigned(bytes, (uint64_t)value);
    unsigned char *place = section_append(as, length, at);
    if (place)
        memcpy(place, bytes, length);
    return true;
}

static void leb128(struct assembler *as, const struct parsed *parsed, int is_signed)
{
    section_content(as, CONTENT_DATA);
    for (size_t i = 0; i < parsed->argument_count; i++) {
        struct expression *expression = argument_expression(as, parsed, i);
        if (!expression)
            continue;
        expression_bind(as, expression);
        if (append_leb128(as, expression, is_signed, parsed->statement->at))
            continue;
        expression = expression_copy(as, expression);
        if (!section_append(as, 0, parsed->statement->at))
            return;
        struct fragment *fragment = section_variable(as, FRAGMENT_LEB128, parsed->statement->at);
        fragment->expression = expression;
        fragment->is_signed = is_signed;
    }
}

const char *directive_find_file(struct assembler *as, const char *name)
{
    FILE *file = fopen(name, "r");
    const char *found = name;

    for (size_t i = 0; !file && name[0] != '/' && i < as->options.include.count; i++) {
        found = arena_format(as->arena, "%s/%s", as->options.include.items[i], name);
        file = fopen(found, "r");
    }
    if (!file)
        return name;
    fclose(file);
    return found;
}

/* .incbin "FILE"[, SKIP[, COUNT]] */
static void incbin(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    const char *name;
    size_t length;
    int64_t skip = 0, count = INT64_MAX;

    if (!argument_string(as, parsed, 0, &name, &length) ||
        (!argument_is_empty(parsed, 1) && !argument_number(as, parsed, 1, &skip)) ||
        (!argument_is_empty(parsed, 2) && !argument_number(as, parsed, 2, &count)))
        return;
    struct position at = argument_place(parsed, 0);
    struct diag_file file;
    const char *found = directive_find_file(as, arena_string(as->arena, name));
    if (!file_read(as->arena, as->diag, &at, found, &file))
        return;
    strings_add(&as->dependencies, as->arena, found);
    if (skip < 0 || count < 0 || (uint64_t)skip > file.length) {
        at = argument_place(parsed, skip < 0 || (uint64_t)skip > file.length ? 1 : 2);
        diag_error(as->diag, &at, "'%s' has %zu bytes: expected 0..%zu", found, file.length,
                   file.length);
        return;
    }
    size_t rest = file.length - (size_t)skip;
    if ((uint64_t)count < rest)
        rest = (size_t)count;
    section_content(as, CONTENT_DATA);
    unsigned char *place = section_append(as, rest, &at);
    if (place)
        memcpy(place, file.bytes + skip, rest);
}

const struct directive directives_data[] = {
    {".byte", integers, 1, 0, 255},    {".1byte", integers, 1, 0, 255},
    {".half", integers, 2, 0, 255},    {".short", integers, 2, 0, 255},
    {".hword", integers, 2, 0, 255},   {".2byte", integers, 2, 0, 255},
    {".word", integers, 4, 0, 255},    {".long", integers, 4, 0, 255},
    {".int", integers, 4, 0, 255},     {".4byte", integers, 4, 0, 255},
    {".dword", integers, 8, 0, 255},   {".quad", integers, 8, 0, 255},
    {".8byte", integers, 8, 0, 255},   {".dc", integers, 2, 0, 255},
    {".dc.b", integers, 1, 0, 255},    {".dc.w", integers, 2, 0, 255},
    {".dc.l", integers, 4, 0, 255},    {".dc.a", integers, 8, 0, 255},
    {".ascii", strings, 0, 0, 255},    {".asciz", strings, 1, 0, 255},
    {".string", strings, 1, 0, 255},   {".string8", strings, 1, 0, 255},
    {".string16", strings, 2, 0, 255}, {".string32", strings, 4, 0, 255},
    {".string64", strings, 8, 0, 255}, {".octa", octas, 0, 0, 255},
    {".uleb128", leb128, 0, 1, 255},   {".sleb128", leb128, 1, 1, 255},
    {".incbin", incbin, 0, 1, 3},      {0},
};

enum list_kind directive_list_kind(const struct directive *directive)
{
    if (directive->run == integers)
        return LIST_INTEGERS;
    if (directive->run == directive_elements && !isa_elements[directive->parameter].part)
        return LIST_ELEMENTS;
    if (directive->run == leb128)
        return directive->parameter ? LIST_SIGNED_LEB128 : LIST_UNSIGNED_LEB128;
    return directive->run == strings && directive->parameter <= 1 ? LIST_STRINGS : LIST_NONE;
}
