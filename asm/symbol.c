/* The table of symbols.
 *
 * A name may be used before it is defined, be defined once as a label, or be given several values,
 * one after the other, by .set. Each use has a pointer to a struct symbol. When .set gives a name
 * another value, the name gets a new struct, and the earlier uses keep the earlier value. */
#include "asm/symbol.h"
#include "asm/expression.h"
#include "asm/tasm.h"
#include <string.h>

/* The local labels N: of one number. */
struct local_label {
    unsigned number;
    unsigned count;      /* definitions so far */
    struct symbol *last; /* that Nb refers to; or NULL */
    struct symbol *next; /* that Nf refers to, not defined yet; or NULL */
};

void symbol_init(struct assembler *as)
{
    map_init(&as->symbols.locals, as->arena);
}

/* Allocates symbols from arrays: all of them are visited in order several times. */
static struct symbol *symbol_new(struct assembler *as, const char *name)
{
    struct symbols *symbols = &as->symbols;

    enum { AT_ONCE = 64 };
    if (!symbols->spare_count) {
        symbols->spare = arena_array(as->arena, AT_ONCE, sizeof *symbols->spare);
        symbols->spare_count = AT_ONCE;
    }
    struct symbol *symbol = symbols->spare++;
    symbols->spare_count--;
    symbol->name = name;
    symbol->binding = STB_LOCAL;
    if (symbols->last)
        symbols->last->next = symbol;
    else
        symbols->first = symbol;
    symbols->last = symbol;
    symbols->count++;
    return symbol;
}

struct symbol *symbol_find(const struct assembler *as, const char *name)
{
    const struct word *word = word_find(&as->words, name, strlen(name));

    return word ? word->symbol : NULL;
}

struct symbol *symbol_of(struct assembler *as, struct word *word)
{
    if (word->symbol)
        return word->symbol;
    if (word->meaning && word->meaning->register_name)
        words_change(&as->words);
    return word->symbol = symbol_new(as, word->name);
}

struct symbol *symbol_lookup(struct assembler *as, const char *name)
{
    return symbol_of(as, word_get(&as->words, name, strlen(name)));
}

const struct isa_register_name *symbol_register(const struct symbol *symbol)
{
    return symbol->is_register ? symbol->register_name : NULL;
}

/* Makes a label of .struct a number: its distance from the start of the section. If that is not
 * known yet, layout finds it. */
static void make_number(struct assembler *as, struct symbol *symbol)
{
    struct symbol *here = arena_new(as->arena, struct symbol);

    *here = *symbol;
    symbol->value = expression_distance(as, symbol_section(symbol)->symbol, here);
    symbol->kind = SYMBOL_EQUATED;
    symbol->once = true;
    struct value now;
    if (expression_evaluate(as, symbol->value, true, &now) && !now.add && !now.subtract)
        symbol->value = expression_constant(as, as->at, (uint64_t)now.constant);
}

static void place_here(struct assembler *as, struct symbol *symbol)
{
    struct fragment *fragment = section_fragment(as);

    symbol->kind = SYMBOL_LABEL;
    symbol->fragment = fragment;
    symbol->offset = fragment->length;
    if (fragment->section->absolute)
        make_number(as, symbol);
    if (fragment->section->flags & SHF_TLS)
        symbol->type = STT_TLS;
}

void symbol_report_second(struct assembler *as, const struct symbol *symbol,
                          const struct position *at)
{
    diag_error(as->diag, at, "symbol '%s' is already defined", symbol->name);
    if (!symbol->defined_at.origin)
        return;
    struct position first = location_position(as, symbol->defined_at);
    diag_note(as->diag, &first, "first defined here");
}

/* The label may have the name of a register, because GNU as accepts that. */
void symbol_define_label(struct assembler *as, struct symbol *symbol, const struct position *at)
{
    if (symbol_is_defined(symbol)) {
        symbol_report_second(as, symbol, at);
        return;
    }
    symbol->defined_at = location_of(as, at);
    place_here(as, symbol);
    if (strncmp(symbol->name, ".L", 2) != 0)
        as->symbols.dollar_scope++;
}

void symbol_assign(struct assembler *as, const char *name, struct expression *value,
                   const struct position *at, bool once)
{
    const struct isa_register_name *register_name = expression_register(value);

    if (register_name && value->word->meaning && value->word->symbol)
        register_name = NULL; /* of a symbol that is known, such as a function */
    expression_bind(as, value);
    struct symbol *symbol = symbol_lookup(as, name);
    if (register_name || symbol_register(symbol))
        words_change(&as->words);
    if (symbol_is_defined(symbol)) {
        if (once || symbol->once || symbol->kind != SYMBOL_EQUATED) {
            symbol_report_second(as, symbol, at);
            return;
        }
        struct symbol *older = symbol, fresh = *older;
        fresh.next = NULL;
        symbol = symbol_new(as, older->name);
        *symbol = fresh;
        older->superseded = true;
        word_get(&as->words, name, strlen(name))->symbol = symbol;
    }
    /* A value that is a number now stays that number when the names in it change. */
    struct value now;
    if (value->kind != EXPRESSION_CONSTANT && expression_evaluate(as, value, true, &now) &&
        !now.add && !now.subtract)
        value = expression_constant(as, value->at, (uint64_t)now.constant);
    else
        value = expression_copy(as, value);
    symbol->kind = SYMBOL_EQUATED;
    symbol->value = value;
    symbol->is_register = register_name != NULL;
    if (register_name)
        symbol->register_name = register_name;
    symbol->defined_at = location_of(as, at);
    symbol->once = once;
}

void symbol_assign_lazy(struct assembler *as, const char *name, struct expression *value,
                        const struct position *at)
{
    struct symbol *symbol = symbol_lookup(as, name);

    if (symbol_is_defined(symbol)) {
        symbol_report_second(as, symbol, at);
        return;
    }
    symbol->kind = SYMBOL_EQUATED;
    symbol->value = expression_copy(as, value);
    symbol->defined_at = location_of(as, at);
    symbol->once = symbol->lazy = true;
}

void symbol_weakref(struct assembler *as, const char *name, struct symbol *target,
                    const struct position *at)
{
    struct symbol *symbol = symbol_lookup(as, name), *end = target;

    while (end->weakref && end != symbol)
        end = end->value->symbol;
    if (end == symbol) {
        diag_error(as->diag, at, "'%s' would be defined as itself", name);
        return;
    }
    if (symbol_is_defined(symbol) && !(symbol->weakref && symbol->value->symbol == target)) {
        symbol_report_second(as, symbol, at);
        return;
    }
    symbol->kind = SYMBOL_EQUATED;
    symbol->value = expression_symbol(as, at, target);
    symbol->defined_at = location_of(as, at);
    symbol->weakref = symbol->once = true;
    target->weak_alias = true;
}

bool symbol_is_weak_alias(const struct symbol *symbol)
{
    return symbol->kind == SYMBOL_UNDEFINED && symbol->weak_alias && !symbol->named &&
           !symbol->binding_set;
}

struct symbol *symbol_here(struct assembler *as, const char *name)
{
    struct symbol *symbol = symbol_new(as, name);

    symbol->generated = true;
    place_here(as, symbol);
    symbol->type = STT_NOTYPE;
    return symbol;
}

static struct local_label *local_label(struct assembler *as, unsigned number)
{
    const char *key = arena_format(as->arena, "%u", number);
    struct map_entry *entry = map_entry(&as->symbols.locals, key, strlen(key));

    if (!entry->value) {
        struct local_label *label = arena_new(as->arena, struct local_label);
        label->number = number;
        entry->value = label;
    }
    return entry->value;
}

static struct symbol *local_symbol(struct assembler *as, struct local_label *label)
{
    struct symbol *symbol =
        symbol_new(as, arena_format(as->arena, ".L%u^B%u", label->number, label->count + 1));

    symbol->generated = true;
    return symbol;
}

void symbol_define_local(struct assembler *as, unsigned number, const struct position *at)
{
    struct local_label *label = local_label(as, number);
    struct symbol *symbol = label->next ? label->next : local_symbol(as, label);

    label->next = NULL;
    label->last = symbol;
    label->count++;
    symbol->defined_at = location_of(as, at);
    place_here(as, symbol);
    symbol->type = STT_NOTYPE;
}

struct symbol *symbol_local(struct assembler *as, unsigned number, bool forward,
                            const struct position *at)
{
    struct local_label *label = local_label(as, number);

    if (!forward) {
        if (label->last)
            return label->last;
        diag_error(as->diag, at, "there is no label '%u:' before '%ub'", number, number);
        return symbol_here(as, ".L0 ");
    }
    if (!label->next) {
        label->next = local_symbol(as, label);
        label->next->defined_at = location_of(as, at);
    }
    return label->next;
}

struct symbol *symbol_dollar(struct assembler *as, unsigned number, const struct position *at)
{
    /* The name contains a byte that no name in a source can contain. */
    struct symbol *symbol =
        symbol_lookup(as, arena_format(as->arena, ".L%u\001%lu", number, as->symbols.dollar_scope));
    symbol->dollar = symbol->generated = true;
    if (!symbol->defined_at.origin)
        symbol->defined_at = location_of(as, at);
    return symbol;
}

void symbol_define_dollar(struct assembler *as, unsigned number, const struct position *at)
{
    struct symbol *symbol = symbol_dollar(as, number, at);

    if (symbol_is_defined(symbol)) {
        struct position first = location_position(as, symbol->defined_at);
        diag_error(as->diag, at, "label '%u$' is already defined", number);
        diag_note(as->diag, &first, "first defined here");
        return;
    }
    symbol->defined_at = location_of(as, at);
    place_here(as, symbol);
    symbol->type = STT_NOTYPE;
}

static void report_missing_locals(struct assembler *as)
{
    for (size_t i = 0; i < as->symbols.locals.count; i++) {
        const struct local_label *label = as->symbols.locals.entries[i].value;
        if (!label->next)
            continue;
        struct position at = location_position(as, label->next->defined_at);
        diag_error(as->diag, &at, "there is no label '%u:' after '%uf'", label->number,
                   label->number);
    }
}

const char *symbol_title(struct assembler *as, const struct symbol *symbol)
{
    const char *name = symbol->name;
    bool is_local = strncmp(name, ".L", 2) == 0;
    size_t digits = is_local ? strspn(name + 2, "0123456789") : 0;

    if (!symbol->generated && !(digits && name[2 + digits] == '\001'))
        return name;
    if (strcmp(name, ".L0 ") == 0)
        return ".";
    return digits ? arena_format(as->arena, "%.*s%s:", (int)digits, name + 2,
                                 name[2 + digits] == '\001' ? "$" : "")
                  : name;
}

static void report_missing_dollar(struct assembler *as, const struct symbol *symbol)
{
    struct position at = location_position(as, symbol->defined_at);

    diag_error(as->diag, &at,
               "there is no label '%.*s$:' between the named labels around this place",
               (int)strcspn(symbol->name + 2, "\001"), symbol->name + 2);
}

/* The name of a section that nothing else defines is that of its beginning: compilers write
 * `.word .debug_abbrev`. */
static void name_sections(struct assembler *as)
{
    for (struct symbol *symbol = as->symbols.first; symbol; symbol = symbol->next) {
        struct section *section = symbol_is_defined(symbol) || symbol->binding_set
                                      ? NULL
                                      : section_find(as, symbol->name);
        if (!section)
            continue;
        symbol->kind = SYMBOL_LABEL;
        symbol->fragment = section->main->first;
        symbol->offset = 0;
        symbol->is_section = true;
    }
}

void symbol_finish(struct assembler *as)
{
    report_missing_locals(as);
    name_sections(as);
    for (struct symbol *symbol = as->symbols.first; symbol && !diag_full(as->diag);
         symbol = symbol->next) {
        struct value value;
        if (symbol->dollar && !symbol_is_defined(symbol))
            report_missing_dollar(as, symbol);
        if (symbol->lazy) { /* in the symbol table, it has its value at the end of the source */
            symbol->lazy = false;
            expression_bind(as, symbol->value);
            if (as->symbols.lazy_full)
                continue;
        }
        if (symbol->kind == SYMBOL_EQUATED && !symbol->superseded)
            expression_evaluate(as, symbol->value, false, &value);
    }
}
