/* The file has its header, the section headers, and then the contents of the sections: those that
 * were given, the symbols, their names, and the names of the sections. See elf_image.h. */
#include "emu/native/elf_image.h"

#include <elf.h>
#include <string.h>

enum { SECTIONS_LIMIT = 8, OWN_SECTIONS = 4 /* the null section, symbols and two of names */ };

unsigned elf_image_machine(void)
{
#ifdef __aarch64__
    return EM_AARCH64;
#else
    return EM_X86_64;
#endif
}

struct image {
    struct text *file;
    size_t start;
    Elf64_Shdr headers[SECTIONS_LIMIT];
    unsigned count;
    struct text names; /* of the sections */
};

/* Adds the header of a section, and its bytes, if there are any. */
static Elf64_Shdr *add_section(struct image *image, const char *name, uint32_t type,
                               const void *bytes, uint64_t size)
{
    Elf64_Shdr *header = &image->headers[image->count++];

    *header = (Elf64_Shdr){.sh_name = (uint32_t)image->names.length,
                           .sh_type = type,
                           .sh_offset = image->file->length - image->start,
                           .sh_size = size,
                           .sh_addralign = 1};
    text_append_bytes(&image->names, name, strlen(name) + 1);
    if (bytes && size)
        text_append_bytes(image->file, bytes, size);
    return header;
}

static void add_symbols(struct image *image, const struct elf_image_symbol *symbols, size_t count)
{
    Elf64_Sym raw = {0};
    struct text table = TEXT_INIT;

    text_append_bytes(&table, &raw, sizeof raw);
    for (size_t i = 0; i < count; i++) {
        raw = (Elf64_Sym){.st_name = (uint32_t)symbols[i].name + 1,
                          .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
                          .st_shndx = (uint16_t)symbols[i].section,
                          .st_value = symbols[i].address,
                          .st_size = symbols[i].size};
        text_append_bytes(&table, &raw, sizeof raw);
    }
    Elf64_Shdr *header = add_section(image, ".symtab", SHT_SYMTAB, table.bytes, table.length);
    header->sh_entsize = sizeof raw;
    header->sh_info = (uint32_t)count + 1; /* all are local */
    header->sh_link = image->count;
    text_free(&table);
}

void elf_image_append(struct text *file, const struct elf_image_section *sections, unsigned count,
                      const struct elf_image_symbol *symbols, size_t symbol_count,
                      const struct text *names)
{
    struct image image = {.file = file, .start = file->length};
    struct text strings = TEXT_INIT;
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = (uint16_t)elf_image_machine(),
        .e_version = EV_CURRENT,
        .e_shoff = sizeof header,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof *image.headers,
        .e_shnum = (uint16_t)(count + OWN_SECTIONS),
        .e_shstrndx = (uint16_t)(count + OWN_SECTIONS - 1)};
    size_t room = sizeof header + header.e_shnum * sizeof *image.headers;

    text_reserve(file, room);
    memset(file->bytes + file->length, 0, room);
    file->length += room;
    add_section(&image, "", SHT_NULL, NULL, 0)->sh_offset = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct elf_image_section *section = &sections[i];
        Elf64_Shdr *raw =
            add_section(&image, section->name, section->bytes ? SHT_PROGBITS : SHT_NOBITS,
                        section->bytes, section->size);
        raw->sh_addr = section->address;
        raw->sh_flags = section->is_code ? SHF_ALLOC | SHF_EXECINSTR : 0;
    }
    add_symbols(&image, symbols, symbol_count);
    text_append_bytes(&strings, "", 1);
    if (names->length)
        text_append_bytes(&strings, names->bytes, names->length);
    add_section(&image, ".strtab", SHT_STRTAB, strings.bytes, strings.length);
    Elf64_Shdr *last = add_section(&image, ".shstrtab", SHT_STRTAB, NULL, 0);
    last->sh_size = image.names.length;
    text_append_bytes(file, image.names.bytes, image.names.length);
    memcpy(file->bytes + image.start, &header, sizeof header);
    memcpy(file->bytes + image.start + sizeof header, image.headers,
           image.count * sizeof *image.headers);
    text_free(&strings);
    text_free(&image.names);
}
