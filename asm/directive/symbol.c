/* Directives for symbols: binding, visibility, type, size, values, common storage. */
#include "asm/directive/directive.h"
#include <inttypes.h>
#include <string.h>

static struct symbol *named_symbol(struct assembler *as, const struct parsed *parsed, size_t index)
{
    const char *name = argument_name(as, parsed, index);

    return name ? symbol_lookup(as, name) : NULL;
}

static const char *binding_name(unsigned char binding)
{
    return binding == STB_GLOBAL ? "global" : binding == STB_WEAK ? "weak" : "local";
}

/* .globl .weak .local: weak overrides global; local together with another is an error. */
static void bind(struct assembler *as, const struct parsed *parsed, int binding)
{
    for (size_t i = 0; i < parsed->argument_count; i++) {
        struct symbol *symbol = named_symbol(as, parsed, i);
        if (!symbol)
            continue;
        if (symbol->binding_set && symbol->binding != binding &&
            (symbol->binding == STB_LOCAL || binding == STB_LOCAL)) {
            struct position at = argument_place(parsed, i);
            diag_error(as->diag, &at, "symbol '%s' is already %s", symbol->name,
                       binding_name(symbol->binding));
            continue;
        }
        if (!(symbol->binding_set &&
              (symbol->binding == STB_WEAK || symbol->binding == STB_GNU_UNIQUE)))
            symbol->binding = (unsigned char)binding;
        symbol->binding_set = true;
    }
}

/* .extern: only creates the symbols, because undefined symbols are external anyway. */
static void mention(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    for (size_t i = 0; i < parsed->argument_count; i++)
        named_symbol(as, parsed, i);
}

static void show(struct assembler *as, const struct parsed *parsed, int visibility)
{
    for (size_t i = 0; i < parsed->argument_count; i++) {
        struct symbol *symbol = named_symbol(as, parsed, i);
        if (symbol)
            symbol->visibility = (unsigned char)visibility;
    }
}

/* .type NAME, @function (or %function, "function", STT_FUNC) */
static void type(struct assembler *as, const struct parsed *parsed, int unused)
{
    static const struct {
        const char *word, *constant;
        unsigned char type;
    } types[] = {
        {"function", "STT_FUNC", STT_FUNC},
        {"object", "STT_OBJECT", STT_OBJECT},
        {"notype", "STT_NOTYPE", STT_NOTYPE},
        {"tls_object", "STT_TLS", STT_TLS},
        {"common", "STT_COMMON", STT_COMMON},
        {"gnu_indirect_function", "STT_GNU_IFUNC", STT_GNU_IFUNC},
        {"gnu_unique_object", "", STT_OBJECT},
    };
    (void)unused;
    struct symbol *symbol = named_symbol(as, parsed, 0);
    const char *word = argument_text(as, parsed, 1);
    word += *word == '@' || *word == '%';
    for (size_t i = 0; symbol && i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].word, word) == 0 || strcmp(types[i].constant, word) == 0) {
            symbol->type = types[i].type;
            if (!*types[i].constant) { /* @gnu_unique_object: a binding, not a type */
                symbol->binding = STB_GNU_UNIQUE;
                symbol->binding_set = true;
            }
            return;
        }
    }
    if (!symbol)
        return;
    struct position at = argument_place(parsed, 1);
    diag_error(as->diag, &at,
               "unknown type '%s' of a symbol; expected @function, @object, @tls_object, @common, "
               "@notype, @gnu_indirect_function or @gnu_unique_object",
               word);
}

static void size(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct symbol *symbol = named_symbol(as, parsed, 0);
    struct expression *expression = argument_expression(as, parsed, 1);

    if (!symbol || !expression)
        return;
    symbol->size = expression_keep(as, expression);
}

static void set(struct assembler *as, const struct parsed *parsed, int once)
{
    const char *name = argument_name(as, parsed, 0);
    struct expression *expression = argument_expression(as, parsed, 1);

    if (!name || !expression)
        return;
    struct position at = argument_place(parsed, 0);
    symbol_assign(as, name, expression, &at, once);
}

/* .weakref NAME, TARGET */
static void weakref(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    const char *name = argument_name(as, parsed, 0);
    struct symbol *target = named_symbol(as, parsed, 1);

    if (!name || !target)
        return;
    const struct position *at = position_new(as, argument_place(parsed, 0));
    symbol_weakref(as, name, target, at);
}

static void variant_cc(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    for (size_t i = 0; i < parsed->argument_count; i++) {
        struct symbol *symbol = named_symbol(as, parsed, i);
        if (symbol)
            symbol->variant_cc = true;
    }
}

/* .eqv NAME, EXPRESSION */
static void set_lazy(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    const char *name = argument_name(as, parsed, 0);
    struct expression *expression = argument_expression(as, parsed, 1);

    if (!name || !expression)
        return;
    struct position at = argument_place(parsed, 0);
    symbol_assign_lazy(as, name, expression, &at);
}

/* Reads SIZE[, ALIGNMENT] of .comm and .lcomm. Without an alignment it is the size, up to the same
 * limit as in GNU as. */
static bool common_shape(struct assembler *as, const struct parsed *parsed, const char *name,
                         int64_t limit, int64_t *length, int64_t *alignment)
{
    *alignment = 0;
    if (!argument_number(as, parsed, 1, length) ||
        (parsed->argument_count > 2 && !argument_number(as, parsed, 2, alignment)))
        return false;
    struct position at = argument_place(parsed, 1);
    if (*length < 0) {
        diag_error(as->diag, &at, "the size of '%s' is negative", name);
        return false;
    }
    at = argument_place(parsed, 2);
    if (*alignment < 0 || (*alignment & (*alignment - 1))) {
        diag_error(as->diag, &at, "the alignment of '%s' is %" PRId64 "; expected a power of two",
                   name, *alignment);
        return false;
    }
    if (!*alignment)
        for (*alignment = 1; *alignment < limit && *alignment < *length;)
            *alignment *= 2;
    return true;
}

/* Reserves storage in .bss, after the contents that the source gives it, as in GNU as. */
static void reserve_common(struct assembler *as, const struct parsed *parsed, struct symbol *symbol,
                           uint64_t length, uint64_t alignment, const struct position *place)
{
    bool made;

    section_push(as);
    section_enter(as, section_lookup(as, ".bss", NULL, &made), 1);
    section_align(as->sections.current.section, alignment);
    struct fragment *fragment = section_variable(as, FRAGMENT_ALIGN, parsed->statement->at);
    fragment->alignment = alignment;
    fragment->pattern_length = 1;
    symbol_define_label(as, symbol, place);
    symbol->type = STT_OBJECT;
    symbol->size = expression_constant(as, parsed->statement->at, length);
    section_reserve(as, length, place);
    section_pop(as);
}

/* .comm NAME, SIZE[, ALIGNMENT]: storage that the linker allocates; .lcomm: storage in .bss. */
static void common(struct assembler *as, const struct parsed *parsed, int local)
{
    int64_t length, alignment;
    struct symbol *symbol = named_symbol(as, parsed, 0);

    if (!symbol || !common_shape(as, parsed, symbol->name, local ? 8 : 16, &length, &alignment))
        return;
    struct position place = argument_place(parsed, 0);
    if (local || (symbol->binding_set && symbol->binding == STB_LOCAL)) {
        reserve_common(as, parsed, symbol, (uint64_t)length, (uint64_t)alignment, &place);
        return;
    }
    if (symbol->kind == SYMBOL_LABEL || symbol->kind == SYMBOL_EQUATED) {
        symbol_report_second(as, symbol, &place);
        return;
    }
    symbol->kind = SYMBOL_COMMON;
    symbol->type = STT_OBJECT;
    symbol->defined_at = location_of(as, &place);
    if (symbol->common_size < (uint64_t)length)
        symbol->common_size = (uint64_t)length;
    if (symbol->common_alignment < (uint64_t)alignment)
        symbol->common_alignment = (uint64_t)alignment;
}

const struct directive directives_symbol[] = {
    {".globl", bind, STB_GLOBAL, 1, 255},
    {".global", bind, STB_GLOBAL, 1, 255},
    {".xdef", bind, STB_GLOBAL, 1, 255},
    {".extern", mention, 0, 0, 255},
    {".xref", mention, 0, 0, 255},
    {".lsym", set, 0, 2, 2},
    {".local", bind, STB_LOCAL, 1, 255},
    {".weak", bind, STB_WEAK, 1, 255},
    {".hidden", show, STV_HIDDEN, 1, 255},
    {".internal", show, STV_INTERNAL, 1, 255},
    {".protected", show, STV_PROTECTED, 1, 255},
    {".type", type, 0, 2, 2},
    {".size", size, 0, 2, 2},
    {".set", set, 0, 2, 2},
    {".equ", set, 0, 2, 2},
    {".equiv", set, 1, 2, 2},
    {".eqv", set_lazy, 0, 2, 2},
    {".weakref", weakref, 0, 2, 2},
    {".variant_cc", variant_cc, 0, 1, 255},
    {".comm", common, 0, 2, 3},
    {".common", common, 0, 2, 3},
    {".lcomm", common, 1, 2, 3},
    {0},
};
