#include "ld/symbol.h"

#include <string.h>

struct symbol *symbol_find(const struct linker *linker, const char *name)
{
    return map_get(&linker->symbols, name);
}

struct symbol *symbol_intern(struct linker *linker, const char *name)
{
    struct map_entry *entry = map_entry(&linker->symbols, name, strlen(name));

    if (!entry->value) {
        struct symbol *symbol = arena_new(&linker->arena, struct symbol);
        symbol->name = entry->key;
        symbol->binding = STB_WEAK; /* until there is a strong use */
        entry->value = symbol;
    }
    return entry->value;
}

struct symbol *symbol_use(struct linker *linker, const char *name)
{
    struct symbol *symbol = symbol_intern(linker, name);

    symbol->referenced = true;
    if (symbol->state == SYMBOL_UNDEFINED)
        symbol->binding = STB_GLOBAL;
    return symbol;
}

void symbol_assign(struct linker *linker, struct symbol *symbol)
{
    if (!symbol->assignment)
        symbol->assignment = arena_new(&linker->arena, struct assignment);
    symbol->state = SYMBOL_ASSIGNED;
    symbol->binding = STB_GLOBAL;
    symbol->type = STT_NOTYPE;
    symbol->object = NULL;
    symbol->section = NULL;
    symbol->size = 0;
}

const char *symbol_wrapped(struct linker *linker, const char *name)
{
    static const char real[] = "__real_";
    const struct config *config = &linker->config;
    bool is_real = strncmp(name, real, strlen(real)) == 0;

    for (size_t i = 0; i < config->wrapped.count; i++) {
        if (strcmp(name, config->wrapped.items[i]) == 0)
            return arena_format(&linker->arena, "__wrap_%s", name);
        if (is_real && strcmp(name + strlen(real), config->wrapped.items[i]) == 0)
            return config->wrapped.items[i];
    }
    return name;
}

bool symbol_is_wanted(const struct linker *linker, const char *name)
{
    const struct symbol *symbol = symbol_find(linker, name);

    return symbol && symbol->state == SYMBOL_UNDEFINED && symbol->referenced &&
           symbol->binding != STB_WEAK;
}

const char *symbol_place(struct linker *linker, const struct symbol *symbol)
{
    if (symbol->state == SYMBOL_ASSIGNED || !symbol->object)
        return "defined by the linker";
    if (symbol->state == SYMBOL_COMMON)
        return arena_format(&linker->arena, "common in %s", symbol->object->name);
    if (!symbol->section)
        return arena_format(&linker->arena, "absolute in %s", symbol->object->name);
    return place_text(linker, symbol->section, symbol->value);
}

/* STV_DEFAULT is 0, INTERNAL 1, HIDDEN 2, PROTECTED 3: among the last three the smaller one
 * constrains more. */
static uint8_t stricter(uint8_t a, uint8_t b)
{
    if (a == STV_DEFAULT || b == STV_DEFAULT)
        return a == STV_DEFAULT ? b : a;
    return a < b ? a : b;
}

static void set_definition(struct symbol *symbol, struct object *object, const Elf64_Sym *raw,
                           struct section *section)
{
    symbol->state = SYMBOL_DEFINED;
    symbol->binding = ELF64_ST_BIND(raw->st_info);
    symbol->type = ELF64_ST_TYPE(raw->st_info);
    symbol->object = object;
    symbol->section = section;
    symbol->value = raw->st_value;
    symbol->size = raw->st_size;
}

static void enter_use(struct symbol *symbol, struct object *object, const Elf64_Sym *raw)
{
    if (symbol->state == SYMBOL_UNDEFINED) {
        if (ELF64_ST_BIND(raw->st_info) != STB_WEAK)
            symbol->binding = STB_GLOBAL;
        if (!symbol->referenced)
            symbol->object = object;
        if (symbol->type == STT_NOTYPE)
            symbol->type = ELF64_ST_TYPE(raw->st_info);
    }
    symbol->referenced = true;
}

static void enter_common(struct linker *linker, struct symbol *symbol, struct object *object,
                         const Elf64_Sym *raw)
{
    uint64_t alignment = raw->st_value ? raw->st_value : 1;

    if (alignment & (alignment - 1)) {
        struct position at = object_position(object);
        diag_error(&linker->diag, &at,
                   "common symbol '%s': alignment 0x%llx, expected a power of two", symbol->name,
                   (unsigned long long)alignment);
        return;
    }
    if (symbol->state == SYMBOL_DEFINED && symbol->binding != STB_WEAK)
        return;
    if (symbol->state == SYMBOL_COMMON) {
        if (alignment > symbol->value)
            symbol->value = alignment;
        if (raw->st_size <= symbol->size)
            return;
        symbol->size = raw->st_size;
        symbol->object = object;
        return;
    }
    set_definition(symbol, object, raw, NULL);
    symbol->state = SYMBOL_COMMON;
    symbol->binding = STB_GLOBAL;
    symbol->value = alignment;
}

static void report_duplicate(struct linker *linker, const struct symbol *symbol,
                             const struct object *object, const Elf64_Sym *raw,
                             const struct section *section)
{
    struct position at =
        section ? place_position(linker, section, raw->st_value) : object_position(object);

    diag_error(&linker->diag, &at,
               "symbol '%s' is defined more than once; rename one, or make one weak or local",
               symbol->name);
    const char *first = symbol_place(linker, symbol);
    if (symbol->section)
        diag_note(&linker->diag, &(struct position){.name = first}, "first defined here");
    else
        diag_note(&linker->diag, NULL, "first definition: %s", first);
}

static void enter_definition(struct linker *linker, struct symbol *symbol, struct object *object,
                             const Elf64_Sym *raw, struct section *section)
{
    bool weak = ELF64_ST_BIND(raw->st_info) == STB_WEAK;
    bool strong_before = symbol->state == SYMBOL_DEFINED && symbol->binding != STB_WEAK;

    if (strong_before && !weak && !linker->config.multiple_definitions) {
        report_duplicate(linker, symbol, object, raw, section);
        linker->duplicates++;
        return;
    }
    if (symbol->state == SYMBOL_UNDEFINED || (!weak && !strong_before))
        set_definition(symbol, object, raw, section);
}

struct symbol *symbol_enter(struct linker *linker, struct object *object,
                            const struct elf_symbol *raw, struct section *section)
{
    bool use = raw->raw.st_shndx == SHN_UNDEF;
    struct symbol *symbol =
        symbol_intern(linker, use ? symbol_wrapped(linker, raw->name) : raw->name);

    symbol->visibility = stricter(symbol->visibility, ELF64_ST_VISIBILITY(raw->raw.st_other));
    symbol->other |= symbol_other_bits(&raw->raw);
    bool left_out =
        section && section->discarded; /* the kept copy of the group has the definition */
    if (use || left_out)
        enter_use(symbol, object, &raw->raw);
    else if (symbol->state == SYMBOL_ASSIGNED)
        symbol->referenced = true; /* --defsym wins, as in GNU ld */
    else if (raw->raw.st_shndx == SHN_COMMON)
        enter_common(linker, symbol, object, &raw->raw);
    else
        enter_definition(linker, symbol, object, &raw->raw, section);
    return symbol;
}

void symbols_allocate_commons(struct linker *linker)
{
    for (size_t i = 0; i < linker->symbols.count; i++) {
        struct symbol *symbol = linker->symbols.entries[i].value;
        if (symbol->state != SYMBOL_COMMON)
            continue;
        bool tls = symbol->type == STT_TLS;
        struct section *section = section_new(linker, tls ? ".tcommon" : "COMMON", SHT_NOBITS,
                                              SHF_ALLOC | SHF_WRITE | (tls ? SHF_TLS : 0),
                                              symbol->value, NULL, symbol->size);
        section->object = symbol->object;
        section->keep = false;
        symbol->state = SYMBOL_DEFINED;
        symbol->type = tls ? STT_TLS : STT_OBJECT;
        symbol->section = section;
        symbol->value = 0;
    }
}

bool symbol_moves(const struct linker *linker, const struct symbol *symbol)
{
    if (!linker->config.pie)
        return false;
    switch (symbol->state) {
    case SYMBOL_DEFINED:
        return symbol->section;
    case SYMBOL_ASSIGNED: /* without an expression: the layout's own */
        return symbol_output(symbol) || (!symbol->scripted && !symbol_expression(symbol));
    default:
        return false;
    }
}
