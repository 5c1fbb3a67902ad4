/* Directives that reserve and fill space, align, and set the location. */
#include "asm/directive/directive.h"
#include "asm/instruction/instruction.h"
#include "lib/bytes.h"
#include <inttypes.h>

/* Largest number of bytes of one directive in a section with contents. */
static const uint64_t content_limit = UINT64_C(1) << 28;

/* A count that is not known yet makes a variable fragment. */
void directive_space(struct assembler *as, const struct parsed *parsed, struct expression *count,
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
        count = expression_keep(as, count);
        struct fragment *fragment = section_variable(as, FRAGMENT_SPACE, parsed->statement->at);
        fragment->expression = count;
        fragment->pattern_length = size;
        bytes_put(fragment->pattern, value, size);
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
        bytes_put(place + i * size, value, size);
}

/* .zero .space .skip COUNT[, VALUE] */
static void reserve(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    int64_t value = 0;
    struct expression *count = argument_expression(as, parsed, 0);

    if (!count || (parsed->argument_count > 1 && !argument_number(as, parsed, 1, &value)))
        return;
    directive_space(as, parsed, count, 1, (uint64_t)value & 0xff);
}

/* .fill COUNT[, SIZE[, VALUE]]. As in GNU as, the value has 32 bits. */
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
    directive_space(as, parsed, count, (unsigned)size, (uint64_t)value & mask & UINT32_MAX);
}

/* .dcb COUNT, VALUE and .ds COUNT[, VALUE]: elements of `size` bytes. */
static void block(struct assembler *as, const struct parsed *parsed, int size)
{
    int64_t value = 0;
    struct expression *count = argument_expression(as, parsed, 0);

    if (!count || (parsed->argument_count > 1 && !argument_number(as, parsed, 1, &value)))
        return;
    uint64_t mask = size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
    directive_space(as, parsed, count, (unsigned)size, (uint64_t)value & mask);
}

/* Without relaxation code is padded as in GNU as: a zero at an odd address, then a nop of two bytes
 * where needed, even if compressed instructions are not enabled. */
enum { SHORT_NOP = 2 };

static struct fragment *append_align(struct assembler *as, const struct parsed *parsed,
                                     uint64_t alignment, uint64_t maximum, bool code)
{
    struct fragment *fragment = section_variable(as, FRAGMENT_ALIGN, parsed->statement->at);

    fragment->alignment = alignment;
    fragment->maximum = maximum;
    fragment->code_fill = code;
    fragment->short_nops = !as->mode.relax || arch_compresses(as);
    fragment->pattern_length = 1;
    return fragment;
}

/* Pads code with nops. With relaxation, adds a relocation, so that the linker can align the code
 * again after removing bytes. */
static bool align_code(struct assembler *as, const struct parsed *parsed, uint64_t alignment)
{
    unsigned shortest = arch_code_alignment(as);

    if (alignment <= shortest || !as->mode.relax || !as->align)
        return false;
    if (as->sections.current.section->content == CONTENT_DATA)
        append_align(as, parsed, shortest, 0, false); /* the nops have to be aligned too */
    section_content(as, CONTENT_CODE);
    uint64_t worst = alignment - shortest;
    unsigned char *place = section_append(as, worst, parsed->statement->at);
    if (place)
        instruction_nops(as, place, worst, arch_compresses(as));
    struct fragment *fragment = section_fragment(as);
    struct fixup *fixup = section_fixup(as, fragment, fragment->length - worst);
    fixup_ask(fixup, as->align);
    fixup->expression = expression_constant(as, parsed->statement->at, worst);
    return true;
}

/* .align .p2align N, .balign BYTES [, [FILL][, MAXIMUM]]. Bit 0 of the parameter: 0 for a power of
 * two, 1 for bytes. The upper bits are the size of the fill. */
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
    if (code && alignment > arch_code_alignment(as) && section->content == CONTENT_DATA)
        append_align(as, parsed, as->mode.relax ? arch_code_alignment(as) : SHORT_NOP, 0,
                     false); /* nops have to be aligned */
    if (alignment > arch_code_alignment(as) || !code)
        section_content(as, code ? CONTENT_CODE : CONTENT_DATA);
    struct fragment *fragment = append_align(as, parsed, alignment, (uint64_t)maximum, code);
    fragment->pattern_length = fill_size ? fill_size : 1;
    bytes_put(fragment->pattern, (uint64_t)fill_value, fragment->pattern_length);
}

static void org(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    int64_t value = 0;
    struct expression *target = argument_expression(as, parsed, 0);

    if (!target || (parsed->argument_count > 1 && !argument_number(as, parsed, 1, &value)))
        return;
    target = expression_keep(as, target);
    section_content(as, CONTENT_DATA);
    struct fragment *fragment = section_variable(as, FRAGMENT_ORG, parsed->statement->at);
    fragment->expression = target;
    fragment->pattern_length = 1;
    fragment->pattern[0] = (unsigned char)value;
}

const struct directive directives_space[] = {
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
    {".dcb", block, 2, 1, 2},
    {".dcb.b", block, 1, 1, 2},
    {".dcb.w", block, 2, 1, 2},
    {".dcb.l", block, 4, 1, 2},
    {".ds", block, 2, 1, 2},
    {".ds.b", block, 1, 1, 2},
    {".ds.w", block, 2, 1, 2},
    {".ds.l", block, 4, 1, 2},
    {".ds.s", block, 4, 1, 2},
    {".ds.d", block, 8, 1, 2},
    {0},
};
