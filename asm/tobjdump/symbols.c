/* Symbols as objdump prints them, and the choice of the one that names an address.
 *
 * Several symbols may have one address. objdump prefers functions, then objects, global, weak and
 * larger symbols, names without a dot, and then the first by name. The order here is the same, so
 * that a disassembly can be compared with objdump's line by line. */
#include "asm/tobjdump/tobjdump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool symbol_is_undefined(const struct elf_symbol *symbol)
{
    return symbol->raw.st_shndx == SHN_UNDEF;
}

bool symbol_is_common(const struct elf_symbol *symbol)
{
    return symbol->raw.st_shndx == SHN_COMMON;
}

int symbol_type(const struct elf_symbol *symbol)
{
    return ELF64_ST_TYPE(symbol->raw.st_info);
}

int symbol_binding(const struct elf_symbol *symbol)
{
    return ELF64_ST_BIND(symbol->raw.st_info);
}

const struct elf_section *symbol_section(const struct elf_file *file,
                                         const struct elf_symbol *symbol)
{
    if (symbol_is_undefined(symbol) || symbol_is_common(symbol) ||
        symbol->raw.st_shndx == SHN_ABS || symbol->section >= file->section_count)
        return NULL;
    return &file->sections[symbol->section];
}

const char *symbol_name(const struct elf_file *file, const struct elf_symbol *symbol)
{
    const struct elf_section *section = symbol_section(file, symbol);

    if (symbol_type(symbol) == STT_SECTION && !symbol->name[0] && section)
        return section->name;
    return symbol->name;
}

uint64_t symbol_value(const struct elf_symbol *symbol)
{
    return symbol->raw.st_value;
}

/* ---- names of addresses ---- */

bool symbol_is_mapping(const struct elf_symbol *symbol)
{
    return symbol->name[0] == '$' && (symbol->name[1] == 'x' || symbol->name[1] == 'd');
}

bool symbol_is_presentable(const struct elf_symbol *symbol)
{
    return !symbol_is_mapping(symbol) && strcmp(symbol->name, ".L0 ") != 0;
}

/* Does the name end like that of an object or an archive? */
static bool looks_like_file(const char *name)
{
    size_t length = strlen(name);

    return length > 2 && name[length - 2] == '.' &&
           (name[length - 1] == 'o' || name[length - 1] == 'a');
}

/* Compares two flags; the symbol with the flag set is preferred. */
static int compare_flags(bool a, bool b)
{
    return a == b ? 0 : a ? -1 : 1;
}

static int by_preference(const void *left, const void *right)
{
    const struct elf_symbol *a = *(const struct elf_symbol *const *)left;
    const struct elf_symbol *b = *(const struct elf_symbol *const *)right;
    int order = 0;

    if (symbol_value(a) != symbol_value(b))
        return symbol_value(a) < symbol_value(b) ? -1 : 1;
    order = compare_flags(looks_like_file(b->name), looks_like_file(a->name));
    if (!order)
        order = compare_flags(symbol_type(b) == STT_SECTION, symbol_type(a) == STT_SECTION);
    if (!order)
        order = compare_flags(symbol_type(a) == STT_FUNC, symbol_type(b) == STT_FUNC);
    if (!order)
        order = compare_flags(symbol_type(a) == STT_OBJECT, symbol_type(b) == STT_OBJECT);
    if (!order)
        order = compare_flags(symbol_binding(a) != STB_LOCAL, symbol_binding(b) != STB_LOCAL);
    if (!order)
        order = compare_flags(symbol_binding(a) == STB_GLOBAL, symbol_binding(b) == STB_GLOBAL);
    if (!order && a->raw.st_size != b->raw.st_size)
        order = a->raw.st_size > b->raw.st_size ? -1 : 1;
    if (!order)
        order = compare_flags(b->name[0] == '.', a->name[0] == '.');
    if (!order)
        order = strcmp(a->name, b->name);
    return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

/* May the symbol name an address? Of section symbols, only those of .plt and .got may. */
static bool is_useful(const struct elf_file *file, const struct elf_symbol *symbol)
{
    int type = symbol_type(symbol);
    const char *name = symbol_name(file, symbol);

    if (!name[0] || type == STT_FILE || symbol_is_undefined(symbol) || symbol_is_common(symbol))
        return false;
    return type != STT_SECTION || strncmp(name, ".plt", 4) == 0 || strncmp(name, ".got", 4) == 0;
}

/* Returns the symbol; for the symbol of a section, a copy with the name of the section. */
static const struct elf_symbol *named(const struct elf_file *file, const struct elf_symbol *symbol)
{
    struct elf_symbol *copy;

    if (symbol->name[0])
        return symbol;
    copy = arena_new(file->arena, struct elf_symbol);
    *copy = *symbol;
    copy->name = symbol_name(file, symbol);
    return copy;
}

/* Compares symbols by their section, then by preference. */
static int by_section(const void *left, const void *right)
{
    const struct elf_symbol *a = *(const struct elf_symbol *const *)left;
    const struct elf_symbol *b = *(const struct elf_symbol *const *)right;

    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    return by_preference(left, right);
}

static void add_name(struct names *names, const struct elf_symbol *symbol)
{
    if (!is_useful(names->file, symbol))
        return;
    names->any = true;
    if (symbol_is_presentable(symbol))
        names->all.symbols[names->all.count++] = named(names->file, symbol);
}

void names_init(struct names *names, struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;
    struct elf_symbol *plt;
    size_t plt_count = dynamic_plt_symbols(objdump, &plt), size;

    if (file->symbol_count <= 1 && dynamic_file(objdump))
        file = dynamic_file(objdump);
    size = file->symbol_count + plt_count + 1;
    *names = (struct names){.objdump = objdump, .file = file, .plt = plt, .plt_count = plt_count};
    names->all.symbols = arena_array(file->arena, size, sizeof *names->all.symbols);
    for (size_t i = 1; i < file->symbol_count; i++)
        add_name(names, &file->symbols[i]);
    for (size_t i = 0; i < plt_count; i++)
        add_name(names, &plt[i]);
    names->sections = arena_array(file->arena, size, sizeof *names->sections);
    memcpy(names->sections, names->all.symbols, names->all.count * sizeof *names->sections);
    qsort(names->sections, names->all.count, sizeof *names->sections, by_section);
    qsort(names->all.symbols, names->all.count, sizeof *names->all.symbols, by_preference);
}

void names_enter(struct names *names, const struct elf_section *section)
{
    size_t low = 0, high = names->all.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (names->sections[middle]->section < section->index)
            low = middle + 1;
        else
            high = middle;
    }
    names->section = section;
    names->own = (struct name_list){.symbols = names->sections + low};
    while (low + names->own.count < names->all.count &&
           names->own.symbols[names->own.count]->section == section->index)
        names->own.count++;
}

/* Returns the number of symbols at or below the address. */
static size_t count_up_to(const struct name_list *list, uint64_t address)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbol_value(list->symbols[middle]) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the preferred symbol at the nearest address that is not above `address`; if all are
 * above, at the lowest. */
static const struct elf_symbol *nearest(const struct name_list *list, uint64_t address)
{
    size_t place = count_up_to(list, address);
    uint64_t value;

    if (list->count == 0)
        return NULL;
    place = place ? place - 1 : 0;
    value = symbol_value(list->symbols[place]);
    return list->symbols[value ? count_up_to(list, value - 1) : 0];
}

static bool is_plt_entry(const struct names *names, const struct elf_symbol *symbol)
{
    return names->plt_count && symbol >= names->plt && symbol < names->plt + names->plt_count;
}

const struct elf_symbol *names_find(const struct names *names, uint64_t address,
                                    bool in_section_only)
{
    const Elf64_Shdr *header = &names->section->header;
    const struct elf_symbol *own = nearest(&names->own, address), *other;

    if (in_section_only || (names->file->header.e_type == ET_REL && address >= header->sh_addr &&
                            address - header->sh_addr < header->sh_size))
        return own;
    other = nearest(&names->all, address);
    if (own && other && symbol_value(own) == symbol_value(other))
        return own;
    /* The symbol that the dynamic linker stores at the address is a better name than one before the
     * address. */
    if (other && symbol_value(other) != address && !is_plt_entry(names, other) &&
        dynamic_symbol_at(names->objdump, address))
        return dynamic_symbol_at(names->objdump, address);
    return other;
}

static bool may_be_function(const struct elf_symbol *symbol)
{
    int type = symbol_type(symbol);

    return (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
           strncmp(symbol->name, ".L", 2) != 0;
}

/* Tells which of two symbols at one address is printed: a function rather than a label, then the
 * smaller one, then the first in the file. */
static bool is_better_function(const struct elf_symbol *symbol, const struct elf_symbol *best)
{
    bool label = symbol_type(symbol) == STT_NOTYPE, best_label = symbol_type(best) == STT_NOTYPE;

    if (label != best_label)
        return best_label;
    if (symbol->raw.st_size != best->raw.st_size)
        return symbol->raw.st_size < best->raw.st_size;
    return symbol->index < best->index;
}

const char *names_function(const struct names *names, uint64_t address)
{
    const struct elf_symbol *best = NULL;

    for (size_t i = count_up_to(&names->own, address); i > 0; i--) {
        const struct elf_symbol *symbol = names->own.symbols[i - 1];
        if (best && symbol_value(symbol) != symbol_value(best))
            break;
        if (may_be_function(symbol) && (!best || is_better_function(symbol, best)))
            best = symbol;
    }
    return best ? best->name : NULL;
}

uint64_t names_next(const struct names *names, uint64_t address)
{
    size_t place = count_up_to(&names->own, address);

    return place < names->own.count ? symbol_value(names->own.symbols[place]) : address;
}

void write_offset(struct text *text, bool negative, uint64_t offset, unsigned digits)
{
    text_append(text, negative ? "-0x" : "+0x");
    text_append_hex(text, negative ? -offset : offset, digits);
}

void write_symbol_name(const struct tobjdump *objdump, struct text *out,
                       const struct elf_file *file, const struct elf_symbol *symbol)
{
    bool hidden;
    const char *version = dynamic_version(objdump, symbol, &hidden);

    disasm_name(out, symbol_name(file, symbol));
    if (symbol_type(symbol) != STT_SECTION && version && *version) {
        text_append(out, hidden || symbol_is_undefined(symbol) ? "@" : "@@");
        disasm_name(out, version);
    }
}

void names_write(const struct names *names, struct text *text, const struct elf_symbol *symbol,
                 uint64_t address)
{
    uint64_t base = symbol ? symbol_value(symbol) : names->section->header.sh_addr;

    text_append(text, " <");
    if (symbol && !is_plt_entry(names, symbol))
        write_symbol_name(names->objdump, text, names->file, symbol);
    else
        disasm_name(text, symbol ? symbol->name : names->section->name);
    if (symbol && symbol_is_undefined(symbol))
        base = address;
    if (address != base)
        write_offset(text, address < base, address - base, 1);
    text_append_char(text, '>');
}
