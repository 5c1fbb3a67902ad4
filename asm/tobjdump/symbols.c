/* Symbols and relocations: their tables (-t, -r), and the choice of the symbol that names an
 * address. Several symbols may stand at one address; objdump has an order of preference (functions,
 * objects, global, weak, larger, not dotted, by name), kept here so that a disassembly can be
 * compared with its line by line. */
#include "asm/tobjdump/tobjdump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_WIDTH = 11, TYPE_WIDTH = 16 };

static bool is_undefined(const struct elf_symbol *symbol)
{
    return symbol->raw.st_shndx == SHN_UNDEF;
}

static bool is_common(const struct elf_symbol *symbol)
{
    return symbol->raw.st_shndx == SHN_COMMON;
}

static int type_of(const struct elf_symbol *symbol)
{
    return ELF64_ST_TYPE(symbol->raw.st_info);
}

static int binding_of(const struct elf_symbol *symbol)
{
    return ELF64_ST_BIND(symbol->raw.st_info);
}

static const struct elf_section *section_of(const struct elf_file *file,
                                            const struct elf_symbol *symbol)
{
    if (is_undefined(symbol) || is_common(symbol) || symbol->raw.st_shndx == SHN_ABS ||
        symbol->section >= file->section_count)
        return NULL;
    return &file->sections[symbol->section];
}

/* The name; a section's symbol is called as the section. */
static const char *name_of(const struct elf_file *file, const struct elf_symbol *symbol)
{
    const struct elf_section *section = section_of(file, symbol);

    if (type_of(symbol) == STT_SECTION && !symbol->name[0] && section)
        return section->name;
    return symbol->name;
}

/* Address: symbols of an object are relative to their section, whose own address is 0. */
static uint64_t value_of(const struct elf_symbol *symbol)
{
    return symbol->raw.st_value;
}

/* Offset in its section; the value of an absolute one. */
static uint64_t offset_of(const struct elf_file *file, const struct elf_symbol *symbol)
{
    const struct elf_section *section = section_of(file, symbol);

    return symbol->raw.st_value - (section ? section->header.sh_addr : 0);
}

/* ---- -t ---- */

static const char *section_name(const struct elf_file *file, const struct elf_symbol *symbol)
{
    const struct elf_section *section = section_of(file, symbol);

    if (is_undefined(symbol))
        return "*UND*";
    if (is_common(symbol))
        return "*COM*";
    return section ? section->name : "*ABS*";
}

/* The seven letters between value and section. */
static void write_symbol_flags(struct text *out, const struct elf_symbol *symbol, bool dynamic)
{
    int type = type_of(symbol), binding = binding_of(symbol);
    bool placed = !is_undefined(symbol) && !is_common(symbol);
    char flags[] = "       ";

    if (binding == STB_LOCAL)
        flags[0] = 'l';
    else if (binding == STB_GLOBAL && placed)
        flags[0] = 'g';
    else if (binding == STB_GNU_UNIQUE)
        flags[0] = 'u';
    if (binding == STB_WEAK)
        flags[1] = 'w';
    if (type == STT_GNU_IFUNC)
        flags[4] = 'i';
    if (type == STT_SECTION || type == STT_FILE)
        flags[5] = 'd';
    else if (dynamic)
        flags[5] = 'D';
    if (type == STT_FUNC)
        flags[6] = 'F';
    else if (type == STT_FILE)
        flags[6] = 'f';
    else if (type == STT_OBJECT || type == STT_COMMON)
        flags[6] = 'O';
    text_append(out, flags);
}

/* `  version`, `(version)` when it is not the default one; nothing in a file without versions. */
static void write_version(const struct tobjdump *objdump, struct text *out,
                          const struct elf_symbol *symbol)
{
    bool hidden;
    const char *version = dynamic_version(objdump, symbol, &hidden);
    size_t before;

    if (!version)
        return;
    text_append(out, hidden ? " (" : "  ");
    before = out->length;
    disasm_name(out, version);
    if (hidden)
        text_append_char(out, ')');
    while (out->length - before < VERSION_WIDTH)
        text_append_char(out, ' ');
}

void write_symbol(struct tobjdump *objdump, const struct elf_file *file,
                  const struct elf_symbol *symbol, bool dynamic)
{
    struct text *out = &objdump->out;
    static const char *const visibility[] = {"", " .internal", " .hidden", " .protected"};
    bool common = is_common(symbol);
    unsigned other = symbol->raw.st_other;

    text_append_hex(out, common ? symbol->raw.st_size : value_of(symbol), 16);
    text_append_char(out, ' ');
    write_symbol_flags(out, symbol, dynamic);
    text_append_char(out, ' ');
    disasm_name(out, section_name(file, symbol));
    text_append_char(out, '\t');
    text_append_hex(out, common ? symbol->raw.st_value : symbol->raw.st_size, 16);
    write_version(objdump, out, symbol);
    text_append(out, visibility[ELF64_ST_VISIBILITY(other)]);
    if (other & ~3u)
        text_format(out, " 0x%02x", other);
    text_append_char(out, ' ');
    disasm_name(out, name_of(file, symbol));
    text_append_char(out, '\n');
    tobjdump_flush_much(objdump);
}

/* Mapping symbols and the local labels of assemblers, which objdump shows only when asked
 * (--special-syms). */
static bool is_special(const struct elf_symbol *symbol)
{
    const char *name = symbol->name;

    if (!name[0])
        return type_of(symbol) != STT_SECTION;
    return symbol_is_mapping(symbol) || strncmp(name, ".L", 2) == 0 ||
           strncmp(name, "..", 2) == 0 || strncmp(name, "_.L_", 4) == 0;
}

void print_symbols(struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;

    text_append(&objdump->out, "SYMBOL TABLE:\n");
    if (file->symbol_count <= 1)
        text_append(&objdump->out, "no symbols\n");
    for (size_t i = 1; i < file->symbol_count; i++)
        if (objdump->options.special_symbols || !is_special(&file->symbols[i]))
            write_symbol(objdump, file, &file->symbols[i], false);
    text_append(&objdump->out, "\n\n");
    tobjdump_flush(objdump);
}

/* ---- -r ---- */

void write_relocation_type(struct text *text, uint32_t type)
{
    const struct isa_relocation *relocation = isa_relocation_by_number(type);

    if (relocation)
        text_append(text, relocation->name);
    else
        text_format(text, "*unknown:%u*", type);
}

/* "+0x8", of so many digits at least. */
static void write_offset(struct text *text, bool negative, uint64_t offset, unsigned digits)
{
    text_append(text, negative ? "-0x" : "+0x");
    text_append_hex(text, negative ? -offset : offset, digits);
}

void write_relocation_value(const struct elf_file *file, struct text *text,
                            const struct elf_relocation *relocation)
{
    int64_t addend = relocation->addend;

    if (relocation->symbol == 0)
        text_append(text, "*ABS*");
    else
        disasm_name(text, name_of(file, &file->symbols[relocation->symbol]));
    if (addend)
        write_offset(text, addend < 0, (uint64_t)addend, 1);
}

/* The name, and behind @ its version: @@ for the default one. */
static void write_versioned(const struct tobjdump *objdump, struct text *out,
                            const struct elf_file *file, const struct elf_symbol *symbol)
{
    bool hidden;
    const char *version = dynamic_version(objdump, symbol, &hidden);

    disasm_name(out, name_of(file, symbol));
    if (type_of(symbol) != STT_SECTION && version && *version) {
        text_append(out, hidden || is_undefined(symbol) ? "@" : "@@");
        disasm_name(out, version);
    }
}

void write_relocation(struct tobjdump *objdump, const struct elf_file *file,
                      const struct elf_relocation *relocation)
{
    struct text *out = &objdump->out;
    int64_t addend = relocation->addend;
    size_t before;

    text_append_hex(out, relocation->offset, 16);
    text_append_char(out, ' ');
    before = out->length;
    write_relocation_type(out, relocation->type);
    if (out->length - before < TYPE_WIDTH)
        text_append_blanks(out, TYPE_WIDTH - (out->length - before));
    text_append(out, "  ");
    if (relocation->symbol == 0)
        text_append(out, "*ABS*");
    else
        write_versioned(objdump, out, file, &file->symbols[relocation->symbol]);
    if (addend)
        write_offset(out, addend < 0, (uint64_t)addend, 16);
    text_append_char(out, '\n');
    tobjdump_flush_much(objdump);
}

void print_relocations(struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;
    struct text *out = &objdump->out;

    for (size_t i = 1; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        const struct elf_section *relocation_section = objdump->facts[i].relocations;
        struct elf_relocation *relocations;
        size_t count;
        if (!section_is_selected(objdump, section) || !relocation_section ||
            !elf_relocations(file, &objdump->diag, relocation_section, &relocations, &count))
            continue;
        text_append(out, "RELOCATION RECORDS FOR [");
        disasm_name(out, section->name);
        text_append(out, "]:\nOFFSET           TYPE              VALUE\n");
        for (size_t j = 0; j < count; j++)
            if (relocations[j].offset >= objdump->options.start &&
                relocations[j].offset < objdump->options.stop)
                write_relocation(objdump, file, &relocations[j]);
        text_append(out, "\n\n");
        tobjdump_flush(objdump);
    }
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

/* Object and archive names stand for files. */
static bool looks_like_file(const char *name)
{
    size_t length = strlen(name);

    return length > 2 && name[length - 2] == '.' &&
           (name[length - 1] == 'o' || name[length - 1] == 'a');
}

/* The larger, the better: what objdump compares one after the other. */
static int compare_flags(bool a, bool b)
{
    return a == b ? 0 : a ? -1 : 1;
}

static int by_preference(const void *left, const void *right)
{
    const struct elf_symbol *a = *(const struct elf_symbol *const *)left;
    const struct elf_symbol *b = *(const struct elf_symbol *const *)right;
    int order = 0;

    if (value_of(a) != value_of(b))
        return value_of(a) < value_of(b) ? -1 : 1;
    order = compare_flags(looks_like_file(b->name), looks_like_file(a->name));
    if (!order)
        order = compare_flags(type_of(b) == STT_SECTION, type_of(a) == STT_SECTION);
    if (!order)
        order = compare_flags(type_of(a) == STT_FUNC, type_of(b) == STT_FUNC);
    if (!order)
        order = compare_flags(type_of(a) == STT_OBJECT, type_of(b) == STT_OBJECT);
    if (!order)
        order = compare_flags(binding_of(a) != STB_LOCAL, binding_of(b) != STB_LOCAL);
    if (!order)
        order = compare_flags(binding_of(a) == STB_GLOBAL, binding_of(b) == STB_GLOBAL);
    if (!order && a->raw.st_size != b->raw.st_size)
        order = a->raw.st_size > b->raw.st_size ? -1 : 1;
    if (!order)
        order = compare_flags(b->name[0] == '.', a->name[0] == '.');
    if (!order)
        order = strcmp(a->name, b->name);
    return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

/* May the symbol name an address? Of section symbols, those of the tables that a dynamic linker
 * fills in. */
static bool is_useful(const struct elf_file *file, const struct elf_symbol *symbol)
{
    int type = type_of(symbol);
    const char *name = name_of(file, symbol);

    if (!name[0] || type == STT_FILE || is_undefined(symbol) || is_common(symbol))
        return false;
    return type != STT_SECTION || strncmp(name, ".plt", 4) == 0 || strncmp(name, ".got", 4) == 0;
}

/* The symbol itself; a section's, with its name. */
static const struct elf_symbol *named(const struct elf_file *file, const struct elf_symbol *symbol)
{
    struct elf_symbol *copy;

    if (symbol->name[0])
        return symbol;
    copy = arena_new(file->arena, struct elf_symbol);
    *copy = *symbol;
    copy->name = name_of(file, symbol);
    return copy;
}

/* The same within sections. */
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

/* How many of the symbols are at or below the address. */
static size_t count_up_to(const struct name_list *list, uint64_t address)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (value_of(list->symbols[middle]) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The best of the symbols at the nearest address that is not above `address`; when all are above,
 * of the lowest. */
static const struct elf_symbol *nearest(const struct name_list *list, uint64_t address)
{
    size_t place = count_up_to(list, address);
    uint64_t value;

    if (list->count == 0)
        return NULL;
    place = place ? place - 1 : 0;
    value = value_of(list->symbols[place]);
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
    if (own && other && value_of(own) == value_of(other))
        return own;
    /* objdump prefers what the dynamic linker stores at the address to symbols of other sections.
     * It compares the address with an offset in the section, so that only absolute symbols can be a
     * better match. */
    if (other && offset_of(names->file, other) != address && !is_plt_entry(names, other) &&
        dynamic_symbol_at(names->objdump, address))
        return dynamic_symbol_at(names->objdump, address);
    return other;
}

static bool may_be_function(const struct elf_symbol *symbol)
{
    int type = type_of(symbol);

    return (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
           strncmp(symbol->name, ".L", 2) != 0;
}

/* Of two at one address: a function before a label, the smaller, the first in the file. */
static bool is_better_function(const struct elf_symbol *symbol, const struct elf_symbol *best)
{
    bool label = type_of(symbol) == STT_NOTYPE, best_label = type_of(best) == STT_NOTYPE;

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
        if (best && value_of(symbol) != value_of(best))
            break;
        if (may_be_function(symbol) && (!best || is_better_function(symbol, best)))
            best = symbol;
    }
    return best ? best->name : NULL;
}

uint64_t names_next(const struct names *names, uint64_t address)
{
    size_t place = count_up_to(&names->own, address);

    return place < names->own.count ? value_of(names->own.symbols[place]) : address;
}

void names_write(const struct names *names, struct text *text, const struct elf_symbol *symbol,
                 uint64_t address)
{
    uint64_t base = symbol ? value_of(symbol) : names->section->header.sh_addr;

    text_append(text, " <");
    if (symbol && !is_plt_entry(names, symbol))
        write_versioned(names->objdump, text, names->file, symbol);
    else
        disasm_name(text, symbol ? symbol->name : names->section->name);
    if (symbol && is_undefined(symbol))
        base = address;
    if (address != base)
        write_offset(text, address < base, address - base, 1);
    text_append_char(text, '>');
}
