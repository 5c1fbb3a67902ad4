/* The file header, the sections, each at its alignment, and their headers. Nothing is written twice
 * and nothing needs a seek, so the output may be a pipe. Where a count or an index does not fit in
 * the file header, it is in the null section (System V gABI, "ELF Header"). */
#include "asm/object.h"

enum { HEADER_ALIGNMENT = 8 };

void object_begin(struct object *object, struct arena *arena)
{
    *object = (struct object){.header = {.e_type = ET_REL,
                                         .e_machine = EM_RISCV,
                                         .e_version = EV_CURRENT,
                                         .e_ehsize = sizeof(Elf64_Ehdr),
                                         .e_shentsize = sizeof(Elf64_Shdr)}};

    unsigned char *identity = object->header.e_ident;
    for (int i = 0; i < SELFMAG; i++)
        identity[i] = (unsigned char)ELFMAG[i];
    identity[EI_CLASS] = ELFCLASS64;
    identity[EI_DATA] = ELFDATA2LSB;
    identity[EI_VERSION] = EV_CURRENT;
    object_add(object, arena, &(Elf64_Shdr){0}, NULL);
}

size_t object_add(struct object *object, struct arena *arena, const Elf64_Shdr *header,
                  const void *bytes)
{
    object->sections = arena_grow(arena, object->sections, object->count, &object->capacity,
                                  sizeof *object->sections);
    object->sections[object->count] = (struct object_section){*header, bytes};
    return object->count++;
}

static uint64_t align(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) & -alignment;
}

/* Returns how many bytes of the file the section takes. */
static uint64_t file_size(const struct object_section *section)
{
    return section->header.sh_type == SHT_NOBITS ? 0 : section->header.sh_size;
}

void object_place(struct object *object, size_t names)
{
    Elf64_Shdr *null = &object->sections[0].header;
    uint64_t offset = sizeof object->header;

    for (size_t i = 1; i < object->count; i++) {
        Elf64_Shdr *header = &object->sections[i].header;
        offset = header->sh_offset = align(offset, header->sh_addralign);
        offset += file_size(&object->sections[i]);
    }
    object->header.e_shoff = align(offset, HEADER_ALIGNMENT);
    if (object->count < SHN_LORESERVE)
        object->header.e_shnum = (Elf64_Half)object->count;
    else
        null->sh_size = object->count;
    object->header.e_shstrndx = names < SHN_LORESERVE ? (Elf64_Half)names : SHN_XINDEX;
    if (names >= SHN_LORESERVE)
        null->sh_link = (Elf64_Word)names;
}

size_t object_size(const struct object *object)
{
    return object->header.e_shoff + object->count * sizeof(Elf64_Shdr);
}

/* Writes zeros from one offset to the other. */
static bool write_gap(FILE *stream, uint64_t from, uint64_t to)
{
    static const char zeros[64];

    for (; from < to; from += to - from < sizeof zeros ? to - from : sizeof zeros)
        if (!fwrite(zeros, to - from < sizeof zeros ? to - from : sizeof zeros, 1, stream))
            return false;
    return true;
}

bool object_write(const struct object *object, FILE *stream)
{
    uint64_t offset = sizeof object->header;

    if (!fwrite(&object->header, sizeof object->header, 1, stream))
        return false;
    for (size_t i = 1; i < object->count; i++) {
        const struct object_section *section = &object->sections[i];
        uint64_t size = file_size(section), start = section->header.sh_offset;
        if (size && (!write_gap(stream, offset, start) || !fwrite(section->bytes, size, 1, stream)))
            return false;
        offset = size ? start + size : offset;
    }
    if (!write_gap(stream, offset, object->header.e_shoff))
        return false;
    for (size_t i = 0; i < object->count; i++)
        if (!fwrite(&object->sections[i].header, sizeof(Elf64_Shdr), 1, stream))
            return false;
    return fflush(stream) == 0;
}
