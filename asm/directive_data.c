/* Directives that put bytes: integers, floating-point numbers, strings, space, alignment, files. */
#include "asm/directive.h"
#include "asm/instruction.h"
#include "lib/file.h"
#include "lib/float_text.h"
#include <inttypes.h>
#include <string.h>

/* Bytes of one directive, in sections with contents. */
static const uint64_t content_limit = UINT64_C(1) << 28;

static void put(unsigned char *place, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        place[i] = (unsigned char)(value >> 8 * i);
}

static bool fits(uint64_t value, unsigned size)
{
    if (size == 8)
        return true;
    unsigned bits = 8 * size;
    return !(value >> bits) ||
           ((int64_t)value < 0 && (int64_t)value >= -((int64_t)1 << (bits - 1)));
}

/* Zeros in a section without contents are space. */
static unsigned char *append_value(struct assembler *as, unsigned size, bool zero,
                                   const struct position *at)
{
    static unsigned char nowhere[8];
    if (zero && !section_has_contents(as->sections.current.section)) {
        section_reserve(as, size, at);
        return nowhere;
    }
    section_content(as, CONTENT_DATA);
    return section_append(as, size, at);
}

static void put_expression(struct assembler *as, const struct parsed *parsed,
                           struct expression *expression, unsigned size)
{
    int64_t number;
    struct position at = expression_place(expression);
    if (expression_try_constant(as, expression, &number)) {
        if (!fits((uint64_t)number, size)) {
            diag_error(as->diag, &at,
                       "%" PRId64 " does not fit in '%s'; expected %" PRId64 "..%" PRIu64, number,
                       parsed->name, -(INT64_C(1) << (8 * size - 1)),
                       (UINT64_C(1) << 8 * size) - 1);
            return;
        }
        unsigned char *place = append_value(as, size, number == 0, &at);
        if (place)
            put(place, (uint64_t)number, size);
        return;
    }
    section_content(as, CONTENT_DATA);
    expression_bind(as, expression);
    if (!section_append(as, size, &at))
        return;
    struct fragment *fragment = section_fragment(as);
    struct fixup *fixup =
        section_fixup(as, fragment, fragment->length - size, parsed->statement->at);
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

static void floats(struct assembler *as, const struct parsed *parsed, int format)
{
    unsigned size = (unsigned)float_width((enum float_format)format) / 8;
    for (size_t i = 0; i < parsed->argument_count; i++) {
        const char *text = argument_text(as, parsed, i), *number = text;
        struct position at = argument_place(parsed, i);
        bool negative = *number == '-';
        number += negative || *number == '+';
        if (number[0] == '0' && strchr("fFdDrR", number[1]) && number[1]) /* GNU's 0f1.5 */
            number += 2;
        if (*number == '-' || *number == '+') {
            negative ^= *number == '-';
            number++;
        }
        uint64_t bits = 0;
        unsigned flags = 0;
        const char *end = float_parse((enum float_format)format, number, &bits, &flags);
        if (!end || *end) {
            diag_error(as->diag, &at, "expected a floating-point number, found '%s'", text);
            continue;
        }
        if (flags & FLOAT_OF)
            diag_warning(
                as->diag, &at, "'%s' is too large for '%s': it becomes %s", text, parsed->name,
                float_layouts[format].infinity == float_layouts[format].quiet_nan ? "NaN"
                                                                                  : "infinity");
        if (negative)
            bits |= UINT64_C(1) << (8 * size - 1);
        unsigned char *place = append_value(as, size, bits == 0, &at);
        if (place)
            put(place, bits, size);
    }
}

static void strings(struct assembler *as, const struct parsed *parsed, int terminated)
{
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
        for (size_t j = 0; j < argument->count; j++) { /* strings side by side are one */
            const struct item *item = &argument->items[j];
            bool last = j + 1 == argument->count;
            unsigned char *place =
                section_append(as, item->string.length + (terminated && last), &at);
            if (place)
                memcpy(place, item->string.bytes, item->string.length);
        }
    }
}

/* `count` elements of `size` bytes of `value`. A count that is not known yet becomes a variable
 * fragment. */
static void space(struct assembler *as, const struct parsed *parsed, struct expression *count,
                  unsigned size, uint64_t value)
{
    int64_t number;
    struct position at = expression_place(count);
    section_content(as, CONTENT_DATA);
    bool zero = !value || !size;
    if (!zero && !section_has_contents(as->sections.current.section)) {
        diag_error(as->diag, &at, "section '%s' has no contents: it can only be filled with 0",
                   as->sections.current.section->name);
        return;
    }
    if (!expression_try_number(as, count, &number)) {
        expression_bind(as, count);
        struct fragment *fragment = section_variable(as, FRAGMENT_SPACE, parsed->statement->at);
        fragment->expression = count;
        fragment->pattern_length = size;
        put(fragment->pattern, value, size);
        return;
    }
    if (number < 0) {
        diag_error(as->diag, &at, "the count of '%s' is %" PRId64 "; it must not be negative",
                   parsed->name, number);
        return;
    }
    bool contents = section_has_contents(as->sections.current.section);
    uint64_t bytes, limit = contents ? content_limit : INT64_MAX / 4;
    if (__builtin_mul_overflow((uint64_t)number, (uint64_t)size, &bytes) || bytes > limit) {
        diag_error(as->diag, &at, "'%s' makes more than %" PRIu64 " bytes", parsed->name, limit);
        return;
    }
    if (!contents) {
        section_reserve(as, bytes, &at);
        return;
    }
    unsigned char *place = section_append(as, bytes, &at);
    for (uint64_t i = 0; place && !zero && i < (uint64_t)number; i++)
        put(place + i * size, value, size);
}

/* .zero .space .skip COUNT[, VALUE] */
static void reserve(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    int64_t value = 0;
    struct expression *count = argument_expression(as, parsed, 0);
    if (!count || (parsed->argument_count > 1 && !argument_number(as, parsed, 1, &value)))
        return;
    space(as, parsed, count, 1, (uint64_t)value & 0xff);
}

/* .fill COUNT[, SIZE[, VALUE]]; the value is one of 32 bits, as in GNU as. */
static void fill(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    int64_t size = 1, value = 0;
    struct expression *count = argument_expression(as, parsed, 0);
    if (!count || (!argument_is_empty(parsed, 1) && !argument_number(as, parsed, 1, &size)) ||
        (!argument_is_empty(parsed, 2) && !argument_number(as, parsed, 2, &value)))
        return;
    if (size < 0 || size > 8) {
        struct position at = argument_place(parsed, 1);
        diag_error(as->diag, &at, "the size of '.fill' is %" PRId64 "; expected 0..8", size);
        return;
    }
    uint64_t mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
    space(as, parsed, count, (unsigned)size, (uint64_t)value & mask & UINT32_MAX);
}

static struct fragment *append_align(struct assembler *as, const struct parsed *parsed,
                                     uint64_t alignment, uint64_t maximum, bool code)
{
    struct fragment *fragment = section_variable(as, FRAGMENT_ALIGN, parsed->statement->at);
    fragment->alignment = alignment;
    fragment->maximum = maximum;
    fragment->code_fill = code;
    fragment->short_nops = arch_compresses(as);
    fragment->pattern_length = 1;
    return fragment;
}

/* Code is filled with nops; with relaxation the linker is told, so that it can align again after
 * taking bytes out. */
static bool align_code(struct assembler *as, const struct parsed *parsed, uint64_t alignment)
{
    const struct isa_relocation *relocation = isa_relocation_of(ISA_VALUE_ALIGN, ISA_PLACE_NONE, 0);
    unsigned shortest = arch_code_alignment(as);
    if (alignment <= shortest || !as->mode.relax || !relocation)
        return false;
    if (as->sections.current.section->content == CONTENT_DATA)
        append_align(as, parsed, shortest, 0, false); /* nops must be aligned themselves */
    section_content(as, CONTENT_CODE);
    uint64_t worst = alignment - shortest;
    unsigned char *place = section_append(as, worst, parsed->statement->at);
    if (place)
        instruction_nops(place, worst, arch_compresses(as));
    struct fragment *fragment = section_fragment(as);
    struct fixup *fixup =
        section_fixup(as, fragment, fragment->length - worst, parsed->statement->at);
    fixup->relocation = relocation;
    fixup->expression = expression_constant(as, parsed->statement->at, worst);
    return true;
}

/* .align .p2align N, .balign BYTES [, [FILL][, MAXIMUM]]. Parameter: 0 for a power of two, 1 for
 * bytes; fill size in the upper bits. */
static void align(struct assembler *as, const struct parsed *parsed, int parameter)
{
    int64_t number, fill_value = 0, maximum = 0;
    unsigned fill_size = (unsigned)parameter >> 1;
    bool filled = !argument_is_empty(parsed, 1);
    if (!argument_number(as, parsed, 0, &number) ||
        (filled && !argument_number(as, parsed, 1, &fill_value)) ||
        (!argument_is_empty(parsed, 2) && !argument_number(as, parsed, 2, &maximum)))
        return;
    struct position at = argument_place(parsed, 0);
    uint64_t alignment = (uint64_t)number;
    if (!(parameter & 1)) {
        if (number < 0 || number > 20) {
            diag_error(as->diag, &at, "the alignment of '%s' is 2^%" PRId64 "; expected 0..20",
                       parsed->name, number);
            return;
        }
        alignment = UINT64_C(1) << number;
    } else if (number < 0 || number > 1 << 20 || (number & (number - 1))) {
        diag_error(as->diag, &at,
                   "the alignment of '%s' is %" PRId64 "; expected a power of two up to %d",
                   parsed->name, number, 1 << 20);
        return;
    }
    if (maximum < 0) {
        at = argument_place(parsed, 2);
        diag_error(as->diag, &at, "the largest padding of '%s' is negative", parsed->name);
        return;
    }
    if (alignment < 1)
        return;
    struct section *section = as->sections.current.section;
    section_align(section, alignment);
    if (section_is_code(section) && !filled && align_code(as, parsed, alignment))
        return;
    bool code = section_is_code(section) && !filled;
    if (alignment > arch_code_alignment(as) || !code)
        section_content(as, code ? CONTENT_CODE : CONTENT_DATA);
    struct fragment *fragment = append_align(as, parsed, alignment, (uint64_t)maximum, code);
    fragment->pattern_length = fill_size ? fill_size : 1;
    put(fragment->pattern, (uint64_t)fill_value, fragment->pattern_length);
}

static void org(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    int64_t value = 0;
    struct expression *target = argument_expression(as, parsed, 0);
    if (!target || (parsed->argument_count > 1 && !argument_number(as, parsed, 1, &value)))
        return;
    expression_bind(as, target);
    section_content(as, CONTENT_DATA);
    struct fragment *fragment = section_variable(as, FRAGMENT_ORG, parsed->statement->at);
    fragment->expression = target;
    fragment->pattern_length = 1;
    fragment->pattern[0] = (unsigned char)value;
}

static void leb128(struct assembler *as, const struct parsed *parsed, int is_signed)
{
    section_content(as, CONTENT_DATA);
    for (size_t i = 0; i < parsed->argument_count; i++) {
        struct expression *expression = argument_expression(as, parsed, i);
        if (!expression)
            continue;
        expression_bind(as, expression);
        if (!section_append(as, 0, parsed->statement->at))
            return;
        struct fragment *fragment = section_variable(as, FRAGMENT_LEB128, parsed->statement->at);
        fragment->expression = expression;
        fragment->is_signed = is_signed;
    }
}

/* Looks for a file beside the current directory in those of -I. */
const char *directive_find_file(struct assembler *as, const char *name)
{
    FILE *file = fopen(name, "r");
    const char *found = name;
    for (size_t i = 0; !file && name[0] != '/' && i < as->options.include.count; i++) {
        found = arena_format(as->arena, "%s/%s", as->options.include.words[i], name);
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
    const char *found = directive_find_file(as, name);
    if (!file_read(as->arena, as->diag, &at, found, &file))
        return;
    word_list_add(as, &as->dependencies, found);
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
    {".byte", integers, 1, 0, 255},
    {".1byte", integers, 1, 0, 255},
    {".half", integers, 2, 0, 255},
    {".short", integers, 2, 0, 255},
    {".hword", integers, 2, 0, 255},
    {".2byte", integers, 2, 0, 255},
    {".word", integers, 4, 0, 255},
    {".long", integers, 4, 0, 255},
    {".int", integers, 4, 0, 255},
    {".4byte", integers, 4, 0, 255},
    {".dword", integers, 8, 0, 255},
    {".quad", integers, 8, 0, 255},
    {".8byte", integers, 8, 0, 255},
    {".float", floats, FLOAT_F32, 0, 255},
    {".single", floats, FLOAT_F32, 0, 255},
    {".double", floats, FLOAT_F64, 0, 255},
    {".f16", floats, FLOAT_F16, 0, 255},
    {".float16", floats, FLOAT_F16, 0, 255},
    {".bf16", floats, FLOAT_BF16, 0, 255},
    {".e4m3", floats, FLOAT_E4M3, 0, 255},
    {".e5m2", floats, FLOAT_E5M2, 0, 255},
    {".ascii", strings, 0, 0, 255},
    {".asciz", strings, 1, 0, 255},
    {".string", strings, 1, 0, 255},
    {".zero", reserve, 0, 1, 2},
    {".space", reserve, 0, 1, 2},
    {".skip", reserve, 0, 1, 2},
    {".fill", fill, 0, 1, 3},
    {".align", align, 0, 1, 3},
    {".p2align", align, 0, 1, 3},
    {".p2alignw", align, 2 << 1, 1, 3},
    {".p2alignl", align, 4 << 1, 1, 3},
    {".balign", align, 1, 1, 3},
    {".balignw", align, 2 << 1 | 1, 1, 3},
    {".balignl", align, 4 << 1 | 1, 1, 3},
    {".org", org, 0, 1, 2},
    {".uleb128", leb128, 0, 1, 255},
    {".sleb128", leb128, 1, 1, 255},
    {".incbin", incbin, 0, 1, 3},
    {0},
};
