#include "lib/elf_file.h"
#include "lib/map.h"

#include <stdlib.h>
#include <string.h>

/* Do `length` bytes at `offset` lie in a file of `total` bytes? */
static bool lies_within(uint64_t offset, uint64_t length, uint64_t total)
{
    return offset <= total && length <= total - offset;
}

bool elf_is_elf(const void *bytes, size_t length)
{
    return length >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

bool elf_is_archive(const void *bytes, size_t length)
{
    return length >= 8 &&
           (memcmp(bytes, "!<arch>\n", 8) == 0 || memcmp(bytes, "!<thin>\n", 8) == 0);
}

#define FAIL(...) (diag_error(diag, &(struct position){.name = file->name}, __VA_ARGS__), false)

static bool check_header(struct elf_file *file, struct diag *diag)
{
    if (!elf_is_elf(file->bytes, file->length))
        return FAIL("not an ELF file (it does not begin with \\x7fELF)");
    if (file->length < sizeof file->header)
        return FAIL("the ELF header is truncated: the file has %zu bytes, the header %zu",
                    file->length, sizeof file->header);
    memcpy(&file->header, file->bytes, sizeof file->header);
    const Elf64_Ehdr *header = &file->header;
    if (header->e_ident[EI_CLASS] != ELFCLASS64)
        return FAIL("found ELF class %u, expected 64-bit (2)", header->e_ident[EI_CLASS]);
    if (header->e_ident[EI_DATA] != ELFDATA2LSB)
        return FAIL("found ELF data encoding %u, expected little-endian (1)",
                    header->e_ident[EI_DATA]);
    if (header->e_machine != EM_RISCV)
        return FAIL("found machine %u, expected RISC-V (%u)", header->e_machine, EM_RISCV);
    if (header->e_type < ET_REL || header->e_type > ET_CORE)
        return FAIL("found ELF file type %u, expected relocatable (1) or executable (2)",
                    header->e_type);
    if (header->e_shoff && header->e_shentsize != sizeof(Elf64_Shdr))
        return FAIL("section headers of %u bytes, expected %zu", header->e_shentsize,
                    sizeof(Elf64_Shdr));
    if (header->e_phnum && header->e_phentsize != sizeof(Elf64_Phdr))
        return FAIL("program headers of %u bytes, expected %zu", header->e_phentsize,
                    sizeof(Elf64_Phdr));
    return true;
}

/* Reads the null section, which has the numbers that do not fit in the header (gABI, "ELF Header").
 * It is all zeros in a file without section headers. */
static bool read_null_section(const struct elf_file *file, struct diag *diag, Elf64_Shdr *null)
{
    uint64_t offset = file->header.e_shoff;

    *null = (Elf64_Shdr){0};
    if (!offset)
        return true;
    if (!lies_within(offset, sizeof *null, file->length))
        return FAIL(
            "the file is truncated: its section headers are at offset 0x%llx, but it has %zu bytes",
            (unsigned long long)offset, file->length);
    memcpy(null, file->bytes + offset, sizeof *null);
    return true;
}

static bool read_segments(struct elf_file *file, struct diag *diag, const Elf64_Shdr *null)
{
    size_t count = file->header.e_phnum == PN_XNUM ? null->sh_info : file->header.e_phnum;
    uint64_t offset = file->header.e_phoff;

    if (count == 0 || offset == 0)
        return true;
    if (count > file->length / sizeof(Elf64_Phdr) ||
        !lies_within(offset, count * sizeof(Elf64_Phdr), file->length))
        return FAIL("the %zu program headers at offset 0x%llx run past the end of the file "
                    "(%zu bytes)",
                    count, (unsigned long long)offset, file->length);
    file->segment_count = count;
    file->segments = arena_array(file->arena, count, sizeof *file->segments);
    memcpy(file->segments, file->bytes + offset, count * sizeof *file->segments);
    for (size_t i = 0; i < count; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        if (!lies_within(segment->p_offset, segment->p_filesz, file->length))
            return FAIL("program header %zu: 0x%llx bytes at offset 0x%llx run past the end of "
                        "the file (%zu bytes)",
                        i, (unsigned long long)segment->p_filesz,
                        (unsigned long long)segment->p_offset, file->length);
    }
    return true;
}

const char *elf_string(const struct elf_section *table, uint64_t offset)
{
    if (!table->bytes || table->header.sh_type != SHT_STRTAB || offset >= table->header.sh_size)
        return NULL;
    if (table->bytes[table->header.sh_size - 1] != 0 && /* otherwise every string in it ends */
        !memchr(table->bytes + offset, 0, table->header.sh_size - offset))
        return NULL;
    return (const char *)table->bytes + offset;
}

static bool name_sections(struct elf_file *file, struct diag *diag, size_t names)
{
    for (size_t i = 0; i < file->section_count; i++)
        file->sections[i].name = "";
    if (names == SHN_UNDEF)
        return true;
    if (names >= file->section_count)
        return FAIL("section name table %zu: there are only %zu sections", names,
                    file->section_count);
    for (size_t i = 1; i < file->section_count; i++) {
        const char *name = elf_string(&file->sections[names], file->sections[i].header.sh_name);
        if (!name)
            return FAIL("section %zu: its name is outside the section name table", i);
        file->sections[i].name = name;
    }
    return true;
}

static bool check_section(const struct elf_file *file, struct diag *diag,
                          struct elf_section *section)
{
    const Elf64_Shdr *header = &section->header;
    uint64_t alignment = header->sh_addralign;

    if (header->sh_type != SHT_NOBITS && header->sh_type != SHT_NULL) {
        if (!lies_within(header->sh_offset, header->sh_size, file->length))
            return FAIL("section %u: 0x%llx bytes at offset 0x%llx run past the end of the file "
                        "(%zu bytes)",
                        section->index, (unsigned long long)header->sh_size,
                        (unsigned long long)header->sh_offset, file->length);
        section->bytes = header->sh_size ? file->bytes + header->sh_offset : NULL;
    }
    if (alignment & (alignment - 1))
        return FAIL("section %u: alignment 0x%llx, expected a power of two", section->index,
                    (unsigned long long)alignment);
    if (header->sh_type != SHT_NULL && header->sh_link >= file->section_count)
        return FAIL("section %u: link to section %u; there are only %zu sections", section->index,
                    header->sh_link, file->section_count);
    return true;
}

static bool read_sections(struct elf_file *file, struct diag *diag, const Elf64_Shdr *null)
{
    const Elf64_Ehdr *header = &file->header;
    size_t count = header->e_shnum ? header->e_shnum : null->sh_size,
           names = header->e_shstrndx == SHN_XINDEX ? null->sh_link : header->e_shstrndx;

    if (!header->e_shoff)
        return true;
    if (count > file->length / sizeof(Elf64_Shdr) ||
        !lies_within(file->header.e_shoff, count * sizeof(Elf64_Shdr), file->length))
        return FAIL("the %zu section headers at offset 0x%llx run past the end of the file "
                    "(%zu bytes)",
                    count, (unsigned long long)file->header.e_shoff, file->length);
    file->section_count = count;
    file->sections = arena_array(file->arena, count, sizeof *file->sections);
    for (size_t i = 0; i < count; i++) {
        struct elf_section *section = &file->sections[i];
        memcpy(&section->header, file->bytes + file->header.e_shoff + i * sizeof section->header,
               sizeof section->header);
        section->index = (unsigned)i;
        file->has_groups |= section->header.sh_type == SHT_GROUP;
        if (!check_section(file, diag, section))
            return false;
    }
    return name_sections(file, diag, names);
}

/* Returns the section with the extended section indices of symbol table `table`, or NULL. */
static const struct elf_section *find_extended(const struct elf_file *file, unsigned table)
{
    for (size_t i = 1; i < file->section_count; i++)
        if (file->sections[i].header.sh_type == SHT_SYMTAB_SHNDX &&
            file->sections[i].header.sh_link == table)
            return &file->sections[i];
    return NULL;
}

static bool check_symbol(const struct elf_file *file, struct diag *diag,
                         const struct elf_section *table, const struct elf_section *extended,
                         size_t i)
{
    Elf64_Sym raw = elf_raw_symbol(file, i);
    const char *name =
        raw.st_name || i ? elf_string(&file->sections[table->header.sh_link], raw.st_name) : "";

    if (!name)
        return FAIL("symbol %zu: its name is outside the string table", i);
    if (raw.st_shndx == SHN_XINDEX && (!extended || (i + 1) * 4 > extended->header.sh_size))
        return FAIL("symbol %zu '%s': its extended section index is missing", i, name);
    bool special = raw.st_shndx >= SHN_LORESERVE && raw.st_shndx != SHN_XINDEX;
    unsigned section = elf_symbol_at(file, i).section;
    if (!special && section >= file->section_count)
        return FAIL("symbol %zu '%s': in section %u; there are only %zu sections", i, name, section,
                    file->section_count);
    return true;
}

/* Checks all symbols; most of them by two comparisons. */
static bool check_table(const struct elf_file *file, struct diag *diag,
                        const struct elf_section *table, const struct elf_section *extended)
{
    const struct elf_section *names = &file->sections[table->header.sh_link];
    uint64_t size = names->header.sh_size;
    uint64_t good_names = elf_string(names, 0) && !names->bytes[size - 1] ? size : 0;
    size_t count = file->section_count,
           good_sections = count < SHN_LORESERVE ? count : SHN_LORESERVE;

    for (size_t i = 0; i < file->symbol_count; i++) {
        Elf64_Sym raw = elf_raw_symbol(file, i);
        bool good = raw.st_name < good_names && raw.st_shndx < good_sections;
        if (!good && !check_symbol(file, diag, table, extended, i))
            return false;
    }
    return true;
}

/* Checks the symbols of the section of this type, SHT_SYMTAB or SHT_DYNSYM. */
static bool check_symbols(struct elf_file *file, struct diag *diag, uint32_t type)
{
    const struct elf_section *table = NULL;

    for (size_t i = 1; i < file->section_count; i++) {
        if (file->sections[i].header.sh_type != type)
            continue;
        if (table)
            return FAIL("sections %u and %zu are both symbol tables, expected one", table->index,
                        i);
        table = &file->sections[i];
    }
    if (!table || !table->bytes)
        return true;
    if (table->header.sh_entsize != sizeof(Elf64_Sym) ||
        table->header.sh_size % sizeof(Elf64_Sym) != 0)
        return FAIL("symbol table '%s': 0x%llx bytes in entries of %llu, expected entries of %zu",
                    table->name, (unsigned long long)table->header.sh_size,
                    (unsigned long long)table->header.sh_entsize, sizeof(Elf64_Sym));
    const struct elf_section *extended = find_extended(file, table->index);
    file->symbol_count = table->header.sh_size / sizeof(Elf64_Sym);
    file->symbol_bytes = table->bytes;
    file->symbol_names_index = table->header.sh_link;
    file->symbol_sections_index = extended ? extended->index : 0;
    file->symbol_names = (const char *)file->sections[table->header.sh_link].bytes;
    file->symbol_sections = extended ? extended->bytes : NULL;
    return check_table(file, diag, table, extended);
}

static struct elf_symbol *copy_symbols(const struct elf_file *file, struct arena *arena)
{
    struct elf_symbol *symbols = arena_array(arena, file->symbol_count, sizeof *symbols);

    for (size_t i = 0; i < file->symbol_count; i++)
        symbols[i] = elf_symbol_at(file, i);
    return symbols;
}

static bool read_symbols(struct elf_file *file, struct arena *arena, struct diag *diag,
                         uint32_t type)
{
    if (!check_symbols(file, diag, type))
        return false;
    file->symbols = copy_symbols(file, arena);
    return true;
}

bool elf_open_sections(struct elf_file *file, struct arena *arena, struct diag *diag,
                       const char *name, const void *bytes, size_t length)
{
    *file = (struct elf_file){.name = name, .arena = arena, .bytes = bytes, .length = length};
    Elf64_Shdr null;

    return check_header(file, diag) && read_null_section(file, diag, &null) &&
           read_segments(file, diag, &null) && read_sections(file, diag, &null);
}

bool elf_read_symbols(struct elf_file *file, struct arena *arena, struct diag *diag)
{
    return read_symbols(file, arena, diag, SHT_SYMTAB);
}

bool elf_check_symbols(struct elf_file *file, struct diag *diag)
{
    return check_symbols(file, diag, SHT_SYMTAB);
}

/* The table of section names, or NULL. */
static const struct elf_section *name_table(const struct elf_file *file)
{
    size_t index = file->header.e_shstrndx == SHN_XINDEX ? file->sections[0].header.sh_link
                                                         : file->header.e_shstrndx;

    return index && file->section_count ? &file->sections[index] : NULL;
}

void elf_keep(struct elf_file *file, elf_section_test *is_temporary)
{
    for (size_t i = 1; i < file->section_count; i++) {
        struct elf_section *section = &file->sections[i];
        const unsigned char *before = section->bytes;
        if (!before || is_temporary(file, section))
            continue;
        section->bytes = (const unsigned char *)arena_copy(file->arena, (const char *)before,
                                                           section->header.sh_size);
        if (i == file->symbol_names_index)
            file->symbol_names = (const char *)section->bytes;
        if (i == file->symbol_sections_index)
            file->symbol_sections = section->bytes;
    }
    const struct elf_section *names = name_table(file);
    for (size_t i = 1; names && i < file->section_count; i++)
        file->sections[i].name = elf_string(names, file->sections[i].header.sh_name);
    file->bytes = NULL;
}

bool elf_open(struct elf_file *file, struct arena *arena, struct diag *diag, const char *name,
              const void *bytes, size_t length)
{
    return elf_open_sections(file, arena, diag, name, bytes, length) &&
           elf_read_symbols(file, arena, diag);
}

bool elf_dynamic_view(struct elf_file *view, const struct elf_file *file, struct diag *diag)
{
    *view = *file;
    view->symbols = NULL;
    view->symbol_count = 0;
    return read_symbols(view, file->arena, diag, SHT_DYNSYM);
}

uint64_t elf_code_digest(const struct elf_file *file)
{
    uint64_t digest = 0;

    for (size_t i = 1; i < file->section_count; i++)
        if (file->sections[i].header.sh_flags & SHF_EXECINSTR && file->sections[i].bytes)
            digest = hash_bytes(file->sections[i].bytes, file->sections[i].header.sh_size, digest);
    return digest;
}

void elf_move(struct elf_file *file, uint64_t distance)
{
    file->header.e_entry += distance;
    for (size_t i = 0; i < file->segment_count; i++) {
        file->segments[i].p_vaddr += distance;
        file->segments[i].p_paddr += distance;
    }
    for (size_t i = 1; i < file->section_count; i++)
        if (file->sections[i].header.sh_flags & SHF_ALLOC)
            file->sections[i].header.sh_addr += distance;
    for (size_t i = 1; file->symbols && i < file->symbol_count; i++)
        if (elf_symbol_moves(&file->symbols[i]))
            file->symbols[i].raw.st_value += distance;
    file->moved += distance;
}

bool elf_count_relocations(const struct elf_file *file, struct diag *diag,
                           const struct elf_section *section, size_t *count)
{
    const Elf64_Shdr *header = &section->header;
    *count = 0;
    if (!header->sh_size)
        return true;
    if (header->sh_entsize != sizeof(Elf64_Rela) || header->sh_size % sizeof(Elf64_Rela) != 0)
        return FAIL("relocation section '%s': 0x%llx bytes in entries of %llu, expected entries of "
                    "%zu",
                    section->name, (unsigned long long)header->sh_size,
                    (unsigned long long)header->sh_entsize, sizeof(Elf64_Rela));
    *count = header->sh_size / sizeof(Elf64_Rela);
    uint32_t last = 0;
    for (size_t i = 0; i < *count; i++) {
        uint32_t symbol = elf_relocation_at(section, i).symbol;
        last = symbol > last ? symbol : last;
    }
    if (!last || last < file->symbol_count)
        return true;
    size_t i = 0;
    while (elf_relocation_at(section, i).symbol == 0 ||
           elf_relocation_at(section, i).symbol < file->symbol_count)
        i++;
    return FAIL("relocation %zu of '%s': symbol %u; there are only %zu symbols", i, section->name,
                elf_relocation_at(section, i).symbol, file->symbol_count);
}

bool elf_relocations(const struct elf_file *file, struct diag *diag,
                     const struct elf_section *section, struct elf_relocation **relocations,
                     size_t *count)
{
    *relocations = NULL;
    if (!elf_count_relocations(file, diag, section, count))
        return false;
    *relocations = arena_array(file->arena, *count, sizeof **relocations);
    for (size_t i = 0; i < *count; i++)
        (*relocations)[i] = elf_relocation_at(section, i);
    return true;
}

const struct elf_section *elf_find_section(const struct elf_file *file, const char *name)
{
    for (size_t i = 1; i < file->section_count; i++)
        if (strcmp(file->sections[i].name, name) == 0)
            return &file->sections[i];
    return NULL;
}

/* ---- symbolizer ---- */

/* Is the symbol at the end of its section or after it? */
static bool is_outside(const struct elf_file *file, const struct elf_symbol *symbol)
{
    const Elf64_Shdr *header =
        symbol->section < file->section_count ? &file->sections[symbol->section].header : NULL;
    uint64_t begin = header && file->header.e_type != ET_REL ? header->sh_addr : 0;

    return header && symbol->raw.st_value - begin >= header->sh_size;
}

/* Is it one of the global labels of data that linkers make where sections begin? Their names are
 * reserved: `__DATA_BEGIN__`, `__bss_start`. */
static bool is_of_linker(const struct elf_file *file, const struct elf_symbol *symbol)
{
    return symbol->name[0] == '_' && ELF64_ST_TYPE(symbol->raw.st_info) == STT_NOTYPE &&
           symbol->section < file->section_count &&
           !(file->sections[symbol->section].header.sh_flags & SHF_EXECINSTR);
}

/* Returns how well a symbol names an address: symbols of the section that holds it before those
 * that end another one, functions before objects before labels, global before local, and those of
 * the linker last. Where the linker's share an address with one label, gdb prints the same
 * (tests/trace/symbols.test). */
static int rank(const struct elf_file *file, const struct elf_symbol *symbol)
{
    enum { KINDS = 3, BINDINGS = 3 };
    int type = ELF64_ST_TYPE(symbol->raw.st_info);
    int kind = type == STT_FUNC ? 0 : type == STT_OBJECT ? 1 : 2;
    bool is_local = ELF64_ST_BIND(symbol->raw.st_info) == STB_LOCAL;
    int binding = is_of_linker(file, symbol) && !is_local ? 2 : is_local;

    return (is_outside(file, symbol) * KINDS + kind) * BINDINGS + binding;
}

static int by_address(const void *left, const void *right, void *file)
{
    const struct elf_symbol *a = *(const struct elf_symbol *const *)left;
    const struct elf_symbol *b = *(const struct elf_symbol *const *)right;

    if (a->raw.st_value != b->raw.st_value)
        return a->raw.st_value < b->raw.st_value ? -1 : 1;
    if (rank(file, a) != rank(file, b))
        return rank(file, a) - rank(file, b);
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Mapping symbols ($x, $d) and labels that the assembler made are not names that a user wrote. */
static bool names_an_address(const struct elf_symbol *symbol)
{
    int type = ELF64_ST_TYPE(symbol->raw.st_info);
    bool placed = symbol->section != SHN_UNDEF && symbol->raw.st_shndx != SHN_ABS &&
                  symbol->raw.st_shndx != SHN_COMMON;

    return placed && (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE) &&
           symbol->name[0] && symbol->name[0] != '$' && strncmp(symbol->name, ".L", 2) != 0;
}

void symbolizer_init(struct symbolizer *symbolizer, const struct elf_file *file)
{
    symbolizer->order = arena_new(file->arena, struct symbol_order);
    symbolizer->order->file = file;
}

static void read_order(struct symbol_order *order)
{
    const struct elf_file *file = order->file;
    const struct elf_symbol *symbols =
        file->symbols ? file->symbols : copy_symbols(file, file->arena);

    order->symbols = arena_array(file->arena, file->symbol_count + 1, sizeof *order->symbols);
    for (size_t i = 1; i < file->symbol_count; i++)
        if (names_an_address(&symbols[i]))
            order->symbols[order->count++] = &symbols[i];
    qsort_r(order->symbols, order->count, sizeof *order->symbols, by_address, (void *)file);
    order->is_read = true;
}

bool elf_is_loaded(const struct elf_file *file, uint64_t address)
{
    bool found = file->segment_count == 0;

    for (size_t i = 0; !found && i < file->segment_count; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        found = segment->p_type == PT_LOAD && address - segment->p_vaddr <= segment->p_memsz;
    }
    return found;
}

const struct elf_symbol *symbolizer_find(const struct symbolizer *symbolizer, uint64_t address)
{
    struct symbol_order *order = symbolizer->order;

    if (!order->is_read)
        read_order(order);
    size_t low = 0, high = order->count; /* symbols before `low` begin at or below the address */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order->symbols[middle]->raw.st_value <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    uint64_t start = order->symbols[low - 1]->raw.st_value;
    while (low > 1 && order->symbols[low - 2]->raw.st_value == start)
        low--;
    const struct elf_symbol *symbol = order->symbols[low - 1];
    uint64_t size = symbol->raw.st_size;
    if (size == 0 ? !elf_is_loaded(order->file, address) : address - start >= size)
        return NULL;
    return symbol;
}
