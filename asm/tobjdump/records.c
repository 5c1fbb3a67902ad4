/* The tables of symbols (-t, -T) and of relocations (-r, -R). */
#include "asm/tobjdump/tobjdump.h"

#include <inttypes.h>
#include <string.h>

enum { VERSION_WIDTH = 11, TYPE_WIDTH = 16 };

/* ---- symbols: -t, -T ---- */

static const char *section_name(const struct elf_file *file, const struct elf_symbol *symbol)
{
    const struct elf_section *section = symbol_section(file, symbol);

    if (symbol_is_undefined(symbol))
        return "*UND*";
    if (symbol_is_common(symbol))
        return "*COM*";
    return section ? section->name : "*ABS*";
}

/* Writes the seven letters between the value and the section. */
static void write_symbol_flags(struct text *out, const struct elf_symbol *symbol, bool dynamic)
{
    int type = symbol_type(symbol), binding = symbol_binding(symbol);
    bool placed = !symbol_is_undefined(symbol) && !symbol_is_common(symbol);
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

/* Writes `  version`, or `(version)` if it is not the default; nothing in a file without versions.
 */
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

static void write_symbol(struct tobjdump *objdump, const struct elf_file *file,
                         const struct elf_symbol *symbol, bool dynamic)
{
    struct text *out = &objdump->out;
    static const char *const visibility[] = {"", " .internal", " .hidden", " .protected"};
    bool common = symbol_is_common(symbol);
    unsigned other = symbol->raw.st_other;

    text_append_hex(out, common ? symbol->raw.st_size : symbol_value(symbol), objdump->digits);
    text_append_char(out, ' ');
    write_symbol_flags(out, symbol, dynamic);
    text_append_char(out, ' ');
    disasm_name(out, section_name(file, symbol));
    text_append_char(out, '\t');
    text_append_hex(out, common ? symbol->raw.st_value : symbol->raw.st_size, objdump->digits);
    write_version(objdump, out, symbol);
    text_append(out, visibility[ELF64_ST_VISIBILITY(other)]);
    if (other & ~3u)
        text_format(out, " 0x%02x", other);
    text_append_char(out, ' ');
    disasm_name(out, symbol_name(file, symbol));
    text_append_char(out, '\n');
    tobjdump_flush_much(objdump);
}

/* Is it a mapping symbol or a local label of an assembler? objdump only prints those with
 * --special-syms. */
static bool is_special(const struct elf_symbol *symbol)
{
    const char *name = symbol->name;

    if (!name[0])
        return symbol_type(symbol) != STT_SECTION;
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

static void fail_static(struct tobjdump *objdump)
{
    diag_error(&objdump->diag, &(struct position){.name = objdump->file.name},
               "not a dynamic object: it has no dynamic symbols or relocations");
}

void print_dynamic_symbols(struct tobjdump *objdump)
{
    const struct elf_file *file = dynamic_file(objdump);

    text_append(&objdump->out, "DYNAMIC SYMBOL TABLE:\n");
    if (!file || file->symbol_count <= 1)
        text_append(&objdump->out, "no symbols\n");
    for (size_t i = 1; file && i < file->symbol_count; i++)
        write_symbol(objdump, file, &file->symbols[i], true);
    text_append(&objdump->out, "\n\n");
    if (!file)
        fail_static(objdump);
}

/* ---- relocations: -r, -R ---- */

void write_relocation_type(struct text *text, uint32_t type)
{
    const struct isa_relocation *relocation = isa_relocation_by_number(type);

    if (relocation)
        text_append(text, relocation->name);
    else
        text_format(text, "*unknown:%u*", type);
}

void write_relocation_value(const struct elf_file *file, struct text *text,
                            const struct elf_relocation *relocation)
{
    int64_t addend = relocation->addend;

    if (relocation->symbol == 0)
        text_append(text, "*ABS*");
    else
        disasm_name(text, symbol_name(file, &file->symbols[relocation->symbol]));
    if (addend)
        write_offset(text, addend < 0, (uint64_t)addend, 1);
}

static void write_relocation(struct tobjdump *objdump, const struct elf_file *file,
                             const struct elf_relocation *relocation)
{
    struct text *out = &objdump->out;
    int64_t addend = relocation->addend;
    size_t before;

    text_append_hex(out, relocation->offset, objdump->digits);
    text_append_char(out, ' ');
    before = out->length;
    write_relocation_type(out, relocation->type);
    if (out->length - before < TYPE_WIDTH)
        text_append_blanks(out, TYPE_WIDTH - (out->length - before));
    text_append(out, "  ");
    if (relocation->symbol == 0)
        text_append(out, "*ABS*");
    else
        write_symbol_name(objdump, out, file, &file->symbols[relocation->symbol]);
    if (addend)
        write_offset(out, addend < 0, (uint64_t)addend, objdump->digits);
    text_append_char(out, '\n');
    tobjdump_flush_much(objdump);
}

static void write_relocation_heading(struct tobjdump *objdump)
{
    text_format(&objdump->out, "%-*s TYPE              VALUE\n", (int)objdump->digits, "OFFSET");
}

void print_relocations(struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;
    struct text *out = &objdump->out;

    for (size_t i = 1; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        struct elf_relocation *relocations;
        size_t count;
        if (!section_is_selected(objdump, section) ||
            !section_relocations(objdump, section, &relocations, &count))
            continue;
        text_append(out, "RELOCATION RECORDS FOR [");
        disasm_name(out, section->name);
        text_append(out, "]:\n");
        write_relocation_heading(objdump);
        for (size_t j = 0; j < count; j++)
            if (relocations[j].offset >= objdump->options.start &&
                relocations[j].offset < objdump->options.stop)
                write_relocation(objdump, file, &relocations[j]);
        text_append(out, "\n\n");
        tobjdump_flush(objdump);
    }
}

void print_dynamic_relocations(struct tobjdump *objdump)
{
    const struct elf_file *file = dynamic_file(objdump);

    if (!file) {
        fail_static(objdump);
        return;
    }
    text_append(&objdump->out, "DYNAMIC RELOCATION RECORDS");
    bool any = false;
    for (size_t i = 1; i < file->section_count; i++) {
        struct elf_relocation *relocations;
        size_t count;
        if (!dynamic_is_relocations(file, &file->sections[i]) ||
            !elf_relocations(file, &objdump->diag, &file->sections[i], &relocations, &count))
            continue;
        if (count && !any) {
            text_append_char(&objdump->out, '\n');
            write_relocation_heading(objdump);
            any = true;
        }
        for (size_t j = 0; j < count; j++)
            write_relocation(objdump, file, &relocations[j]);
    }
    text_append(&objdump->out, any ? "\n\n" : " (none)\n\n");
    tobjdump_flush(objdump);
}
