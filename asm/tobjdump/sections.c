/* Headers and contents of sections, as objdump prints them. objdump does not list every ELF
 * section. The flags that it prints are those of BFD, which are derived here from type, flags and
 * name. */
#include "asm/tobjdump/tobjdump.h"
#include "lib/digits.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { NAME_WIDTH = 13 }; /* of section names, without -w */

static bool starts_with(const char *string, const char *prefix)
{
    return strncmp(string, prefix, strlen(prefix)) == 0;
}

static unsigned name_flags(const char *name)
{
    static const char *const octets[] = {".debug", ".gnu.debuglto_.debug_", ".gnu.linkonce.wi.",
                                         ".zdebug"};

    for (unsigned i = 0; i < sizeof octets / sizeof *octets; i++)
        if (starts_with(name, octets[i]))
            return SECTION_DEBUGGING | SECTION_OCTETS;
    if (starts_with(name, ".gnu.build.attributes") || starts_with(name, ".note.gnu"))
        return SECTION_OCTETS;
    if (starts_with(name, ".line") || starts_with(name, ".stab") || strcmp(name, ".gdb_index") == 0)
        return SECTION_DEBUGGING;
    return 0;
}

/* Is it the table of a section's relocations, in an object or in a program that was linked with
 * --emit-relocs? */
static bool is_relocations(const struct elf_file *file, const Elf64_Shdr *header)
{
    if (header->sh_type != SHT_RELA && header->sh_type != SHT_REL)
        return false;
    return file->header.e_type == ET_REL ||
           (!(header->sh_flags & SHF_ALLOC) && header->sh_info > 0 &&
            header->sh_link < file->section_count &&
            file->sections[header->sh_link].header.sh_type == SHT_SYMTAB);
}

void sections_init(struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;
    size_t names = file->header.e_shstrndx;

    if (names == SHN_XINDEX && file->section_count > 0)
        names = file->sections[0].header.sh_link;
    objdump->facts = arena_array(file->arena, file->section_count + 1, sizeof *objdump->facts);
    if (names < file->section_count)
        objdump->facts[names].internal = true;
    for (size_t i = 1; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        const Elf64_Shdr *header = &section->header;
        if (header->sh_type == SHT_SYMTAB && header->sh_link < file->section_count)
            objdump->facts[header->sh_link].internal = true;
        if (header->sh_type == SHT_RELA && is_relocations(file, header) && header->sh_size > 0 &&
            header->sh_info < file->section_count && !objdump->facts[header->sh_info].relocations)
            objdump->facts[header->sh_info].relocations = section;
    }
}

/* Is it a group of which the linker keeps only one (gABI, "Section Groups")? */
static bool is_comdat(const struct elf_section *section)
{
    uint32_t flags;

    if (!section->bytes || section->header.sh_size < sizeof flags)
        return false;
    memcpy(&flags, section->bytes, sizeof flags);
    return flags & GRP_COMDAT;
}

unsigned section_flags(const struct tobjdump *objdump, const struct elf_section *section)
{
    const Elf64_Shdr *header = &section->header;
    bool has_bytes = header->sh_type != SHT_NOBITS;
    unsigned flags = has_bytes ? SECTION_CONTENTS : 0;

    if (header->sh_type == SHT_GROUP)
        flags |= SECTION_GROUP | (is_comdat(section) ? SECTION_LINK_ONCE : 0);
    if (starts_with(section->name, ".gnu.linkonce"))
        flags |= SECTION_LINK_ONCE;
    if (header->sh_flags & SHF_ALLOC)
        flags |= SECTION_ALLOC | (has_bytes ? SECTION_LOAD : 0);
    if (!(header->sh_flags & SHF_WRITE))
        flags |= SECTION_READONLY;
    if (header->sh_flags & SHF_EXECINSTR)
        flags |= SECTION_CODE;
    else if (flags & SECTION_LOAD)
        flags |= SECTION_DATA;
    if (header->sh_flags & SHF_TLS)
        flags |= SECTION_THREAD_LOCAL;
    if (header->sh_flags & SHF_EXCLUDE)
        flags |= SECTION_EXCLUDE;
    if (!(header->sh_flags & SHF_ALLOC))
        flags |= name_flags(section->name);
    if (objdump->facts[section->index].relocations)
        flags |= SECTION_RELOC;
    return flags;
}

bool section_relocations(struct tobjdump *objdump, const struct elf_section *section,
                         struct elf_relocation **relocations, size_t *count)
{
    const struct elf_section *table = objdump->facts[section->index].relocations;

    if (!table || !elf_relocations(&objdump->file, &objdump->diag, table, relocations, count))
        return false;
    for (size_t i = 0; objdump->file.header.e_type != ET_REL && i < *count; i++)
        (*relocations)[i].offset -= section->header.sh_addr;
    return true;
}

bool section_is_listed(const struct tobjdump *objdump, const struct elf_section *section)
{
    switch (section->header.sh_type) {
    case SHT_NULL:
    case SHT_SYMTAB:
    case SHT_SYMTAB_SHNDX:
        return false;
    case SHT_STRTAB:
        return !objdump->facts[section->index].internal;
    case SHT_RELA:
    case SHT_REL:
        return !is_relocations(&objdump->file, &section->header);
    default:
        return true;
    }
}

bool section_is_selected(struct tobjdump *objdump, const struct elf_section *section)
{
    const struct tobjdump_options *options = &objdump->options;
    bool selected = options->only.count == 0;

    if (!section_is_listed(objdump, section))
        return false;
    for (size_t i = 0; i < options->only.count; i++) {
        if (strcmp(options->only.items[i], section->name) == 0) {
            objdump->only_seen[i] = true;
            selected = true;
        }
    }
    return selected;
}

bool section_window(const struct tobjdump *objdump, const struct elf_section *section,
                    uint64_t *start, uint64_t *stop)
{
    const struct tobjdump_options *options = &objdump->options;
    uint64_t address = section->header.sh_addr;

    *start = options->start > address ? options->start - address : 0;
    *stop = options->stop > address ? options->stop - address : 0;
    if (*stop > section->header.sh_size)
        *stop = section->header.sh_size;
    return *start < *stop;
}

static bool has_symbols(const struct tobjdump *objdump)
{
    return objdump->file.symbol_count > 1 || objdump->dynamic;
}

void print_file_header(struct tobjdump *objdump)
{
    static const struct {
        unsigned flag;
        const char *name;
    } names[] = {{0x01, "HAS_RELOC"},
                 {0x02, "EXEC_P"},
                 {0x10, "HAS_SYMS"},
                 {0x40, "DYNAMIC"},
                 {0x100, "D_PAGED"}};
    const struct elf_file *file = &objdump->file;
    unsigned flags = has_symbols(objdump) ? 0x10 : 0;
    const char *separator = "";

    for (size_t i = 1; i < file->section_count; i++)
        if (objdump->facts[i].relocations)
            flags |= 0x01;
    if (file->header.e_type == ET_EXEC)
        flags |= 0x102;
    else if (file->header.e_type == ET_DYN)
        flags |= 0x140;
    text_format(&objdump->out, "architecture: riscv:rv%d, flags 0x%08x:\n",
                objdump->is_32 ? 32 : 64, flags);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (flags & names[i].flag) {
            text_format(&objdump->out, "%s%s", separator, names[i].name);
            separator = ", ";
        }
    }
    text_format(&objdump->out, "\nstart address 0x%0*" PRIx64 "\n\n", (int)objdump->digits,
                file->header.e_entry);
}

static const char *segment_name(uint32_t type)
{
    static const struct {
        uint32_t type;
        const char *name;
    } names[] = {
        {PT_NULL, "NULL"},       {PT_LOAD, "LOAD"},       {PT_DYNAMIC, "DYNAMIC"},
        {PT_INTERP, "INTERP"},   {PT_NOTE, "NOTE"},       {PT_SHLIB, "SHLIB"},
        {PT_PHDR, "PHDR"},       {PT_TLS, "TLS"},         {PT_GNU_EH_FRAME, "EH_FRAME"},
        {PT_GNU_STACK, "STACK"}, {PT_GNU_RELRO, "RELRO"},
    };

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].type == type)
            return names[i].name;
    return NULL;
}

/* Returns the exponent of the smallest power of two that is at least `alignment`. */
static unsigned log2_up(uint64_t alignment)
{
    unsigned exponent = 0;

    while (exponent < 63 && UINT64_C(1) << exponent < alignment)
        exponent++;
    return exponent;
}

void print_program_headers(struct tobjdump *objdump)
{
    int digits = (int)objdump->digits;
    const struct elf_file *file = &objdump->file;
    struct text *out = &objdump->out;

    if (file->segment_count == 0)
        return;
    text_append(out, "Program Header:\n");
    for (size_t i = 0; i < file->segment_count; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        const char *name = segment_name(segment->p_type);
        char number[16];
        snprintf(number, sizeof number, "0x%x", segment->p_type);
        text_format(out, "%8s off    0x%0*" PRIx64 " vaddr 0x%0*" PRIx64 " paddr 0x%0*" PRIx64,
                    name ? name : number, digits, segment->p_offset - objdump->shift, digits,
                    segment->p_vaddr, digits, segment->p_paddr);
        text_format(out, " align 2**%u\n", log2_up(segment->p_align));
        text_format(out, "         filesz 0x%0*" PRIx64 " memsz 0x%0*" PRIx64 " flags %c%c%c",
                    digits, segment->p_filesz, digits, segment->p_memsz,
                    segment->p_flags & PF_R ? 'r' : '-', segment->p_flags & PF_W ? 'w' : '-',
                    segment->p_flags & PF_X ? 'x' : '-');
        if (segment->p_flags & ~(uint32_t)(PF_R | PF_W | PF_X))
            text_format(out, " %x", segment->p_flags & ~(uint32_t)(PF_R | PF_W | PF_X));
        text_append_char(out, '\n');
    }
    print_dynamic_section(objdump);
    text_append_char(out, '\n');
}

/* Returns the load address of a section, by the segment that contains it. */
static uint64_t load_address(const struct elf_file *file, const Elf64_Shdr *section)
{
    for (size_t i = 0; i < file->segment_count && section->sh_flags & SHF_ALLOC; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        if (segment->p_type == PT_LOAD && section->sh_addr >= segment->p_vaddr &&
            section->sh_addr - segment->p_vaddr < segment->p_memsz)
            return section->sh_addr - segment->p_vaddr + segment->p_paddr;
    }
    return section->sh_addr;
}

static void write_flags(struct text *out, unsigned flags)
{
    static const char *const names[] = {"CONTENTS",         "ALLOC",   "LOAD",         "RELOC",
                                        "READONLY",         "CODE",    "DATA",         "DEBUGGING",
                                        "OCTETS",           "EXCLUDE", "THREAD_LOCAL", "GROUP",
                                        "LINK_ONCE_DISCARD"};
    const char *separator = "";

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (flags & 1u << i) {
            text_format(out, "%s%s", separator, names[i]);
            separator = ", ";
        }
    }
}

/* Returns the width of the column of names: with -w, that of the longest name. */
static size_t name_width(struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;
    size_t width = NAME_WIDTH;

    for (size_t i = 1; objdump->options.wide && i < file->section_count; i++)
        if (section_is_selected(objdump, &file->sections[i]) &&
            strlen(file->sections[i].name) > width)
            width = strlen(file->sections[i].name);
    return width;
}

static void write_padded(struct text *out, const char *name, size_t width)
{
    size_t before = out->length;

    disasm_name(out, name);
    while (out->length - before < width)
        text_append_char(out, ' ');
}

static void print_section_header(struct tobjdump *objdump, const struct elf_section *section,
                                 unsigned index, size_t width)
{
    const Elf64_Shdr *header = &section->header;
    struct text *out = &objdump->out;
    int digits = (int)objdump->digits;

    text_format(out, "%3u ", index);
    write_padded(out, section->name, width);
    text_format(out, " %08" PRIx64 "  %0*" PRIx64 "  %0*" PRIx64 "  %08" PRIx64 "  2**%u",
                header->sh_size, digits, header->sh_addr, digits,
                load_address(&objdump->file, header), header->sh_offset - objdump->shift,
                log2_up(header->sh_addralign));
    if (objdump->options.wide)
        text_append(out, "  ");
    else
        text_format(out, "\n%18s", "");
    write_flags(out, section_flags(objdump, section));
    text_append_char(out, '\n');
}

void print_section_headers(struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;
    struct text *out = &objdump->out;
    size_t width = name_width(objdump);
    unsigned number = 0;

    text_append(out, "Sections:\nIdx ");
    write_padded(out, "Name", width);
    text_format(out, " Size      %-*s  %-*s  File off  Algn", (int)objdump->digits, "VMA",
                (int)objdump->digits, "LMA");
    text_append(out, objdump->options.wide ? "  Flags\n" : "\n");
    for (size_t i = 1; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        if (!section_is_listed(objdump, section))
            continue;
        if (section_is_selected(objdump, section))
            print_section_header(objdump, section, number, width);
        number++;
    }
}

/* ---- -s ---- */

/* Writes a line of contents. Groups of four bytes begin at multiples of four in the section. */
static void write_contents_line(struct text *out, const unsigned char *bytes, size_t count,
                                uint64_t offset)
{
    for (size_t i = 0; i < 16; i++) {
        if (i < count)
            text_append_hex(out, bytes[i], 2);
        else
            text_append(out, "  ");
        if ((offset + i) % 4 == 3)
            text_append_char(out, ' ');
    }
    text_append_char(out, ' ');
    for (size_t i = 0; i < 16; i++)
        text_append_char(out, i >= count                            ? ' '
                              : bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i]
                                                                    : '.');
    text_append_char(out, '\n');
}

void print_contents(struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;

    for (size_t i = 1; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        uint64_t address = section->header.sh_addr, start, stop;
        unsigned width = 4;
        if (!section_is_selected(objdump, section) || !section->bytes ||
            !section_window(objdump, section, &start, &stop))
            continue;
        if (hex_length(address + start) > width)
            width = hex_length(address + start);
        if (hex_length(address + stop - 1) > width)
            width = hex_length(address + stop - 1);
        text_append(&objdump->out, "Contents of section ");
        disasm_name(&objdump->out, section->name);
        text_append(&objdump->out, ":\n");
        for (uint64_t at = start; at < stop; at += 16) {
            text_append_char(&objdump->out, ' ');
            text_append_hex(&objdump->out, address + at, width);
            text_append_char(&objdump->out, ' ');
            write_contents_line(&objdump->out, section->bytes + at, stop - at < 16 ? stop - at : 16,
                                at);
            tobjdump_flush_much(objdump);
        }
    }
}
