/* See widen.h. The image begins with the wide header, followed by the bytes of the file: contents
 * that are the same in both forms move by WIDEN_SHIFT. The tables whose entries differ follow:
 * section and program headers, symbols, relocations, the dynamic section, and the headers of
 * compressed sections. */
#include "asm/tobjdump/widen.h"

#include <elf.h>
#include <string.h>

struct widening {
    struct diag *diag;
    const char *name;
    const unsigned char *from;
    size_t from_length;
    unsigned char *to;
    size_t at; /* end of the image so far */
};

/* Returns the number of bytes that an entry of the section grows from and to; 0 if its contents
 * stay as they are. */
static size_t entry_size(const Elf32_Shdr *header, size_t *wide)
{
    switch (header->sh_type) {
    case SHT_SYMTAB:
    case SHT_DYNSYM:
        *wide = sizeof(Elf64_Sym);
        return sizeof(Elf32_Sym);
    case SHT_RELA:
        *wide = sizeof(Elf64_Rela);
        return sizeof(Elf32_Rela);
    case SHT_DYNAMIC:
        *wide = sizeof(Elf64_Dyn);
        return sizeof(Elf32_Dyn);
    }
    return 0;
}

static void put_entry(uint32_t type, const unsigned char *from, unsigned char *to)
{
    Elf32_Sym symbol;
    Elf32_Rela relocation;
    Elf32_Dyn entry;

    if (type == SHT_RELA) {
        memcpy(&relocation, from, sizeof relocation);
        Elf64_Rela wide = {.r_offset = relocation.r_offset,
                           .r_info = ELF64_R_INFO((uint64_t)ELF32_R_SYM(relocation.r_info),
                                                  ELF32_R_TYPE(relocation.r_info)),
                           .r_addend = relocation.r_addend};
        memcpy(to, &wide, sizeof wide);
    } else if (type == SHT_DYNAMIC) {
        memcpy(&entry, from, sizeof entry);
        Elf64_Dyn wide = {.d_tag = entry.d_tag, .d_un.d_val = entry.d_un.d_val};
        memcpy(to, &wide, sizeof wide);
    } else {
        memcpy(&symbol, from, sizeof symbol);
        Elf64_Sym wide = {.st_name = symbol.st_name,
                          .st_info = symbol.st_info,
                          .st_other = symbol.st_other,
                          .st_shndx = symbol.st_shndx,
                          .st_value = symbol.st_value,
                          .st_size = symbol.st_size};
        memcpy(to, &wide, sizeof wide);
    }
}

/* Appends the wide form of the contents and corrects the header. */
static void widen_contents(struct widening *widening, const Elf32_Shdr *narrow, Elf64_Shdr *header)
{
    const unsigned char *from = widening->from + narrow->sh_offset;
    size_t wide = 0, size = entry_size(narrow, &wide), start = widening->at;

    if (size && narrow->sh_entsize == size && narrow->sh_size % size == 0) {
        for (size_t i = 0; i < narrow->sh_size / size; i++, widening->at += wide)
            put_entry(narrow->sh_type, from + i * size, widening->to + widening->at);
        header->sh_entsize = wide;
    } else if (narrow->sh_flags & SHF_COMPRESSED && narrow->sh_size >= sizeof(Elf32_Chdr)) {
        Elf32_Chdr compression;
        memcpy(&compression, from, sizeof compression);
        Elf64_Chdr larger = {.ch_type = compression.ch_type,
                             .ch_size = compression.ch_size,
                             .ch_addralign = compression.ch_addralign};
        size_t rest = narrow->sh_size - sizeof compression;
        memcpy(widening->to + start, &larger, sizeof larger);
        memcpy(widening->to + start + sizeof larger, from + sizeof compression, rest);
        widening->at += sizeof larger + rest;
    } else {
        return;
    }
    header->sh_offset = start;
    header->sh_size = widening->at - start;
    widening->at = (widening->at + 7) & ~(size_t)7;
}

/* Do `count` entries of `size` bytes at the offset lie in the file? */
static bool lies_within(const struct widening *widening, uint64_t offset, uint64_t count,
                        uint64_t size)
{
    return offset <= widening->from_length && count <= (widening->from_length - offset) / size;
}

static bool fail(const struct widening *widening, const char *what)
{
    diag_error(widening->diag, &(struct position){.name = widening->name},
               "%s of this 32-bit file run past its end, or have another size than expected", what);
    return false;
}

static bool check(const struct widening *widening, const Elf32_Ehdr *header)
{
    if (header->e_phnum &&
        (header->e_phentsize != sizeof(Elf32_Phdr) ||
         !lies_within(widening, header->e_phoff, header->e_phnum, sizeof(Elf32_Phdr))))
        return fail(widening, "the program headers");
    if (header->e_shnum &&
        (header->e_shentsize != sizeof(Elf32_Shdr) ||
         !lies_within(widening, header->e_shoff, header->e_shnum, sizeof(Elf32_Shdr))))
        return fail(widening, "the section headers");
    for (size_t i = 0; i < header->e_shnum; i++) {
        Elf32_Shdr section;
        memcpy(&section, widening->from + header->e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
            !lies_within(widening, section.sh_offset, section.sh_size, 1))
            return fail(widening, "the contents of a section");
    }
    return true;
}

static void widen_sections(struct widening *widening, const Elf32_Ehdr *narrow, Elf64_Ehdr *header)
{
    size_t count = narrow->e_shnum;

    header->e_shoff = count ? widening->at : 0;
    widening->at += count * sizeof(Elf64_Shdr);
    for (size_t i = 0; i < count; i++) {
        Elf32_Shdr from;
        memcpy(&from, widening->from + narrow->e_shoff + i * sizeof from, sizeof from);
        Elf64_Shdr to = {.sh_name = from.sh_name,
                         .sh_type = from.sh_type,
                         .sh_flags = from.sh_flags,
                         .sh_addr = from.sh_addr,
                         .sh_offset = from.sh_offset + WIDEN_SHIFT,
                         .sh_size = from.sh_size,
                         .sh_link = from.sh_link,
                         .sh_info = from.sh_info,
                         .sh_addralign = from.sh_addralign,
                         .sh_entsize = from.sh_entsize};
        if (from.sh_type != SHT_NOBITS && from.sh_type != SHT_NULL)
            widen_contents(widening, &from, &to);
        memcpy(widening->to + header->e_shoff + i * sizeof to, &to, sizeof to);
    }
}

static void widen_segments(struct widening *widening, const Elf32_Ehdr *narrow, Elf64_Ehdr *header)
{
    header->e_phoff = narrow->e_phnum ? widening->at : 0;
    for (size_t i = 0; i < narrow->e_phnum; i++) {
        Elf32_Phdr from;
        memcpy(&from, widening->from + narrow->e_phoff + i * sizeof from, sizeof from);
        Elf64_Phdr to = {.p_type = from.p_type,
                         .p_flags = from.p_flags,
                         .p_offset = from.p_offset + WIDEN_SHIFT,
                         .p_vaddr = from.p_vaddr,
                         .p_paddr = from.p_paddr,
                         .p_filesz = from.p_filesz,
                         .p_memsz = from.p_memsz,
                         .p_align = from.p_align};
        memcpy(widening->to + widening->at, &to, sizeof to);
        widening->at += sizeof to;
    }
}

/* Returns the number of bytes of the sections whose contents change. It is larger than the file
 * only if damaged sections share their contents. */
static uint64_t converted_bytes(const struct widening *widening, const Elf32_Ehdr *header)
{
    uint64_t total = 0;

    for (size_t i = 0; i < header->e_shnum; i++) {
        Elf32_Shdr section;
        size_t wide;
        memcpy(&section, widening->from + header->e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
            (entry_size(&section, &wide) || section.sh_flags & SHF_COMPRESSED))
            total += section.sh_size;
    }
    return total;
}

bool widen_is_needed(const void *bytes, size_t length)
{
    Elf32_Ehdr header;

    if (length < sizeof header)
        return false;
    memcpy(&header, bytes, sizeof header);
    return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS32 &&
           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == EM_RISCV;
}

const void *widen(struct arena *arena, struct diag *diag, const char *name, const void *bytes,
                  size_t *length)
{
    struct widening widening = {.diag = diag, .name = name, .from = bytes, .from_length = *length};

    Elf32_Ehdr narrow;
    memcpy(&narrow, bytes, sizeof narrow);
    if (!check(&widening, &narrow))
        return NULL;
    Elf64_Ehdr header = {.e_type = narrow.e_type,
                         .e_machine = narrow.e_machine,
                         .e_version = narrow.e_version,
                         .e_entry = narrow.e_entry,
                         .e_flags = narrow.e_flags,
                         .e_ehsize = sizeof header,
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = narrow.e_phnum,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = narrow.e_shnum,
                         .e_shstrndx = narrow.e_shstrndx};
    memcpy(header.e_ident, narrow.e_ident, sizeof header.e_ident);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    uint64_t converted = converted_bytes(&widening, &narrow);
    if (converted > *length) {
        fail(&widening, "the tables");
        return NULL;
    }
    /* No entry grows to more than double its size and some bytes. */
    size_t most = ((*length + WIDEN_SHIFT + 7) & ~(size_t)7) + 2 * converted +
                  narrow.e_shnum * (sizeof(Elf64_Shdr) + sizeof(Elf64_Chdr) + 8) +
                  narrow.e_phnum * sizeof(Elf64_Phdr);
    widening.to = arena_alloc(arena, most);
    memcpy(widening.to + WIDEN_SHIFT, bytes, *length);
    widening.at = (*length + WIDEN_SHIFT + 7) & ~(size_t)7;
    widen_sections(&widening, &narrow, &header);
    widen_segments(&widening, &narrow, &header);
    memcpy(widening.to, &header, sizeof header);
    *length = widening.at;
    return widening.to;
}
