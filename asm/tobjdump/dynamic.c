/* The tables that a dynamic linker reads: the dynamic section and the versions, which -p prints,
 * and the symbols and relocations, from which a disassembly takes names. Offsets and counts in
 * these tables are checked against their sections; a damaged entry ends its table. */
#include "asm/tobjdump/tobjdump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* gABI, "Dynamic Section"; GNU's extensions as in elf.h. */
static const struct {
    int64_t tag;
    const char *name;
    bool string;
} tags[] = {
    {DT_NEEDED, "NEEDED", true},
    {DT_PLTRELSZ, "PLTRELSZ", false},
    {DT_PLTGOT, "PLTGOT", false},
    {DT_HASH, "HASH", false},
    {DT_STRTAB, "STRTAB", false},
    {DT_SYMTAB, "SYMTAB", false},
    {DT_RELA, "RELA", false},
    {DT_RELASZ, "RELASZ", false},
    {DT_RELAENT, "RELAENT", false},
    {DT_STRSZ, "STRSZ", false},
    {DT_SYMENT, "SYMENT", false},
    {DT_INIT, "INIT", false},
    {DT_FINI, "FINI", false},
    {DT_SONAME, "SONAME", true},
    {DT_RPATH, "RPATH", true},
    {DT_SYMBOLIC, "SYMBOLIC", false},
    {DT_REL, "REL", false},
    {DT_RELSZ, "RELSZ", false},
    {DT_RELENT, "RELENT", false},
    {DT_PLTREL, "PLTREL", false},
    {DT_DEBUG, "DEBUG", false},
    {DT_TEXTREL, "TEXTREL", false},
    {DT_JMPREL, "JMPREL", false},
    {DT_BIND_NOW, "BIND_NOW", false},
    {DT_INIT_ARRAY, "INIT_ARRAY", false},
    {DT_FINI_ARRAY, "FINI_ARRAY", false},
    {DT_INIT_ARRAYSZ, "INIT_ARRAYSZ", false},
    {DT_FINI_ARRAYSZ, "FINI_ARRAYSZ", false},
    {DT_RUNPATH, "RUNPATH", true},
    {DT_FLAGS, "FLAGS", false},
    {DT_PREINIT_ARRAY, "PREINIT_ARRAY", false},
    {DT_PREINIT_ARRAYSZ, "PREINIT_ARRAYSZ", false},
    {DT_GNU_HASH, "GNU_HASH", false},
    {DT_AUDIT, "AUDIT", true},
    {DT_RELACOUNT, "RELACOUNT", false},
    {DT_RELCOUNT, "RELCOUNT", false},
    {DT_FLAGS_1, "FLAGS_1", false},
    {DT_VERDEF, "VERDEF", false},
    {DT_VERDEFNUM, "VERDEFNUM", false},
    {DT_VERNEED, "VERNEED", false},
    {DT_VERNEEDNUM, "VERNEEDNUM", false},
    {DT_VERSYM, "VERSYM", false},
    {DT_AUXILIARY, "AUXILIARY", true},
    {DT_FILTER, "FILTER", true},
};

/* A version of symbols: defined by the file, or needed from another file. */
struct version {
    unsigned index;
    bool base; /* the file's own name */
    bool needed;
    const char *name;
};

struct dynamic {
    struct elf_file file;               /* with the symbols of .dynsym */
    const struct elf_section *versions; /* SHT_GNU_versym, or NULL */
    struct version *items;
    size_t count, capacity;
    struct elf_relocation *relocations; /* sorted by offset, for names of addresses */
    size_t relocation_count;
};

static const struct elf_section *find_type(const struct elf_file *file, uint32_t type)
{
    for (size_t i = 1; i < file->section_count; i++)
        if (file->sections[i].header.sh_type == type && file->sections[i].bytes)
            return &file->sections[i];
    return NULL;
}

static const struct elf_section *strings_of(const struct elf_file *file,
                                            const struct elf_section *section)
{
    return &file->sections[section->header.sh_link < file->section_count ? section->header.sh_link
                                                                         : 0];
}

static const char *string_of(const struct elf_file *file, const struct elf_section *section,
                             uint64_t offset)
{
    const char *string = elf_string(strings_of(file, section), offset);

    return string ? string : "<corrupt>";
}

/* Copies `size` bytes at the offset; false if they are not all in the section. */
static bool fetch(const struct elf_section *section, uint64_t offset, void *bytes, size_t size)
{
    if (offset > section->header.sh_size || section->header.sh_size - offset < size)
        return false;
    memcpy(bytes, section->bytes + offset, size);
    return true;
}

/* ---- versions ---- */

static void add_version(struct dynamic *dynamic, unsigned index, bool base, bool needed,
                        const char *name)
{
    dynamic->items = arena_grow(dynamic->file.arena, dynamic->items, dynamic->count,
                                &dynamic->capacity, sizeof *dynamic->items);
    dynamic->items[dynamic->count++] = (struct version){index, base, needed, name};
}

/* Writes the number, the flags and the name of a version; on another line, the versions that it
 * inherits from. */
static void write_definition(struct text *out, const struct elf_file *file,
                             const struct elf_section *section, uint64_t at,
                             const Elf64_Verdef *definition)
{
    uint64_t aux = at + definition->vd_aux;
    unsigned count = 0;

    Elf64_Verdaux name;

    text_format(out, "%u 0x%02x 0x%08x ", definition->vd_ndx, definition->vd_flags,
                definition->vd_hash);
    while (count < definition->vd_cnt && fetch(section, aux, &name, sizeof name)) {
        text_append(out, count == 1 ? "\t" : "");
        disasm_name(out, string_of(file, section, name.vda_name));
        text_append(out, count == 0 ? "\n" : " ");
        count++;
        if (name.vda_next == 0)
            break;
        aux += name.vda_next;
    }
    if (count != 1)
        text_append_char(out, '\n');
}

/* Follows the list of definitions. Offsets only lead forwards, so it ends at the end of the section
 * at the latest. Prints the definitions to `out`, or stores them if that is NULL. */
static void walk_definitions(struct dynamic *dynamic, struct text *out)
{
    const struct elf_file *file = &dynamic->file;
    const struct elf_section *section = find_type(file, SHT_GNU_verdef);

    Elf64_Verdef definition;
    Elf64_Verdaux name;

    for (uint64_t at = 0; section && fetch(section, at, &definition, sizeof definition);
         at += definition.vd_next) {
        if (out)
            write_definition(out, file, section, at, &definition);
        else if (fetch(section, at + definition.vd_aux, &name, sizeof name))
            add_version(dynamic, definition.vd_ndx & 0x7fff, definition.vd_flags & VER_FLG_BASE,
                        false, string_of(file, section, name.vda_name));
        if (definition.vd_next == 0)
            break;
    }
}

static void walk_needs(struct dynamic *dynamic, struct text *out)
{
    const struct elf_file *file = &dynamic->file;
    const struct elf_section *section = find_type(file, SHT_GNU_verneed);

    Elf64_Verneed need;
    Elf64_Vernaux version;

    for (uint64_t at = 0; section && fetch(section, at, &need, sizeof need); at += need.vn_next) {
        uint64_t aux = at + need.vn_aux;
        if (out) {
            text_append(out, "  required from ");
            disasm_name(out, string_of(file, section, need.vn_file));
            text_append(out, ":\n");
        }
        for (unsigned i = 0; i < need.vn_cnt && fetch(section, aux, &version, sizeof version);
             i++, aux += version.vna_next) {
            const char *text = string_of(file, section, version.vna_name);
            if (!out) {
                add_version(dynamic, version.vna_other & 0x7fff, false, true, text);
            } else {
                text_format(out, "    0x%08x 0x%02x %02u ", version.vna_hash, version.vna_flags,
                            version.vna_other);
                disasm_name(out, text);
                text_append_char(out, '\n');
            }
            if (version.vna_next == 0)
                break;
        }
        if (need.vn_next == 0)
            break;
    }
}

const char *dynamic_version(const struct tobjdump *objdump, const struct elf_symbol *symbol,
                            bool *hidden)
{
    const struct dynamic *dynamic = objdump->dynamic;
    bool own = dynamic && symbol->index < dynamic->file.symbol_count &&
               symbol == &dynamic->file.symbols[symbol->index];
    uint16_t number = 0;

    *hidden = false;
    if (!dynamic || !dynamic->versions || dynamic->count == 0)
        return NULL;
    if (own)
        fetch(dynamic->versions, symbol->index * sizeof number, &number, sizeof number);
    *hidden = number & 0x8000;
    number &= 0x7fff;
    for (size_t i = 0; number > 0 && i < dynamic->count; i++) {
        const struct version *version = &dynamic->items[i];
        if (version->index == number) {
            *hidden |= version->needed;
            return version->base ? "Base" : version->name;
        }
    }
    return number == 1 ? "Base" : number ? "<corrupt>" : "";
}

/* ---- relocations ---- */

bool dynamic_is_relocations(const struct elf_file *file, const struct elf_section *section)
{
    const Elf64_Shdr *header = &section->header;

    return header->sh_type == SHT_RELA && header->sh_link > 0 &&
           header->sh_link < file->section_count &&
           file->sections[header->sh_link].header.sh_type == SHT_DYNSYM;
}

static int by_offset(const void *left, const void *right)
{
    const struct elf_relocation *a = left, *b = right;

    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Collects the relocations of all sections that have a symbol. */
static void collect_relocations(struct tobjdump *objdump, struct dynamic *dynamic)
{
    const struct elf_file *file = &dynamic->file;
    size_t capacity = 0;

    for (size_t i = 1; i < file->section_count; i++) {
        struct elf_relocation *relocations;
        size_t count;
        if (!dynamic_is_relocations(file, &file->sections[i]) ||
            !elf_relocations(file, &objdump->diag, &file->sections[i], &relocations, &count))
            continue;
        for (size_t j = 0; j < count; j++) {
            if (relocations[j].symbol == 0)
                continue;
            dynamic->relocations =
                arena_grow(file->arena, dynamic->relocations, dynamic->relocation_count, &capacity,
                           sizeof *dynamic->relocations);
            dynamic->relocations[dynamic->relocation_count++] = relocations[j];
        }
    }
    if (dynamic->relocation_count > 0)
        qsort(dynamic->relocations, dynamic->relocation_count, sizeof *dynamic->relocations,
              by_offset);
}

const struct elf_symbol *dynamic_symbol_at(const struct tobjdump *objdump, uint64_t address)
{
    const struct dynamic *dynamic = objdump->dynamic;
    struct elf_relocation key = {.offset = address}, *found;

    if (!dynamic || dynamic->relocation_count == 0)
        return NULL;
    found = bsearch(&key, dynamic->relocations, dynamic->relocation_count, sizeof key, by_offset);
    while (found && found > dynamic->relocations && found[-1].offset == address)
        found--;
    return found ? &dynamic->file.symbols[found->symbol] : NULL;
}

/* ---- names of PLT entries ---- */

/* psABI, "Procedure Linkage Table": a header, then entries in the order of .rela.plt. */
enum { PLT_HEADER = 32, PLT_ENTRY = 16 };

size_t dynamic_plt_symbols(struct tobjdump *objdump, struct elf_symbol **symbols)
{
    struct dynamic *dynamic = objdump->dynamic;
    const struct elf_section *plt = elf_find_section(&objdump->file, ".plt");
    const struct elf_section *section = elf_find_section(&objdump->file, ".rela.plt");
    struct elf_relocation *relocations;
    size_t count;

    *symbols = NULL;
    if (!dynamic || !plt || !section || !dynamic_is_relocations(&dynamic->file, section) ||
        !elf_relocations(&dynamic->file, &objdump->diag, section, &relocations, &count))
        return 0;
    *symbols = arena_array(objdump->file.arena, count + 1, sizeof **symbols);
    for (size_t i = 0; i < count; i++) {
        const struct elf_symbol *symbol = &dynamic->file.symbols[relocations[i].symbol];
        struct elf_symbol *entry = &(*symbols)[i];
        *entry = *symbol;
        entry->section = plt->index;
        entry->index = (unsigned)(objdump->file.symbol_count + i);
        entry->raw.st_shndx = (uint16_t)plt->index;
        entry->raw.st_value = plt->header.sh_addr + PLT_HEADER + i * PLT_ENTRY;
        entry->name = relocations[i].addend
                          ? arena_format(objdump->file.arena, "%s+0x%" PRIx64 "@plt", symbol->name,
                                         (uint64_t)relocations[i].addend)
                          : arena_format(objdump->file.arena, "%s@plt", symbol->name);
    }
    return count;
}

/* ---- opening, and -p ---- */

void dynamic_init(struct tobjdump *objdump)
{
    struct dynamic *dynamic = arena_new(objdump->file.arena, struct dynamic);

    objdump->dynamic = NULL;
    if (!find_type(&objdump->file, SHT_DYNSYM) ||
        !elf_dynamic_view(&dynamic->file, &objdump->file, &objdump->diag))
        return;
    objdump->dynamic = dynamic;
    dynamic->versions = find_type(&objdump->file, SHT_GNU_versym);
    walk_definitions(dynamic, NULL);
    walk_needs(dynamic, NULL);
    collect_relocations(objdump, dynamic);
}

const struct elf_file *dynamic_file(const struct tobjdump *objdump)
{
    return objdump->dynamic ? &objdump->dynamic->file : NULL;
}

static void write_tag(struct text *out, const struct elf_file *file,
                      const struct elf_section *section, const Elf64_Dyn *entry)
{
    char number[24];
    const char *name = number, *string = NULL;

    snprintf(number, sizeof number, "0x%" PRIx64, (uint64_t)entry->d_tag);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (tags[i].tag == entry->d_tag) {
            name = tags[i].name;
            if (tags[i].string)
                string = string_of(file, section, entry->d_un.d_val);
        }
    }
    text_format(out, "  %-20s ", name);
    if (string)
        disasm_name(out, string);
    else
        text_format(out, "0x%016" PRIx64, entry->d_un.d_val);
    text_append_char(out, '\n');
}

void print_dynamic_section(struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;
    const struct elf_section *section = find_type(file, SHT_DYNAMIC);
    struct text *out = &objdump->out;

    Elf64_Dyn entry;

    if (section) {
        text_append(out, "\nDynamic Section:\n");
        for (uint64_t at = 0; fetch(section, at, &entry, sizeof entry) && entry.d_tag != DT_NULL;
             at += sizeof entry)
            write_tag(out, file, section, &entry);
    }
    if (objdump->dynamic && find_type(file, SHT_GNU_verdef)) {
        text_append(out, "\nVersion definitions:\n");
        walk_definitions(objdump->dynamic, out);
    }
    if (objdump->dynamic && find_type(file, SHT_GNU_verneed)) {
        text_append(out, "\nVersion References:\n");
        walk_needs(objdump->dynamic, out);
    }
}
