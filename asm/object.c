/* The file header, the sections, each at its alignment, and their headers. Nothing is written twice
 * and nothing needs a seek, so the output may be a pipe. Where a count or an index does not fit in
 * the file header, it is in the null section (System V gABI, "ELF Header"). */
#include "asm/object.h"
#include <errno.h>
#include <sys/uio.h>

enum { HEADER_ALIGNMENT = 8 };
enum { PIECES = 256 }; /* that are written at once */

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

/* ---- writing ---- */

/* Collects what is to be written, so that the host copies it once, without a buffer between, and
 * is called rarely. */
struct writer {
    FILE *stream;
    int count;
    struct iovec pieces[PIECES];
};

/* Writes all pieces, which change, to the descriptor. */
static bool write_vector(int descriptor, struct iovec *piece, int count)
{
    while (count) {
        ssize_t written = writev(descriptor, piece, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        for (; count && (size_t)written >= piece->iov_len; piece++, count--)
            written -= (ssize_t)piece->iov_len;
        if (count) {
            piece->iov_base = (char *)piece->iov_base + written;
            piece->iov_len -= (size_t)written;
        }
    }
    return true;
}

/* Writes the pieces. A stream that collects them in memory has no descriptor. */
static bool write_pieces(struct writer *writer)
{
    int count = writer->count, descriptor = fileno(writer->stream);

    writer->count = 0;
    if (descriptor >= 0)
        return write_vector(descriptor, writer->pieces, count);
    for (int i = 0; i < count; i++)
        if (!fwrite(writer->pieces[i].iov_base, writer->pieces[i].iov_len, 1, writer->stream))
            return false;
    return true;
}

static bool add_piece(struct writer *writer, const void *bytes, size_t size)
{
    if (!size)
        return true;
    if (writer->count == PIECES && !write_pieces(writer))
        return false;
    writer->pieces[writer->count++] = (struct iovec){.iov_base = (void *)bytes, .iov_len = size};
    return true;
}

/* Adds zeros from one offset to the other. */
static bool add_gap(struct writer *writer, uint64_t from, uint64_t to)
{
    static const char zeros[256];

    for (; from < to; from += to - from < sizeof zeros ? to - from : sizeof zeros)
        if (!add_piece(writer, zeros, to - from < sizeof zeros ? to - from : sizeof zeros))
            return false;
    return true;
}

bool object_write(const struct object *object, FILE *stream)
{
    uint64_t offset = sizeof object->header;
    struct writer writer;

    writer.stream = stream;
    writer.count = 0;
    if (!add_piece(&writer, &object->header, sizeof object->header))
        return false;
    for (size_t i = 1; i < object->count; i++) {
        const struct object_section *section = &object->sections[i];
        uint64_t size = file_size(section), start = section->header.sh_offset;
        if (size && (!add_gap(&writer, offset, start) || !add_piece(&writer, section->bytes, size)))
            return false;
        offset = size ? start + size : offset;
    }
    if (!add_gap(&writer, offset, object->header.e_shoff))
        return false;
    for (size_t i = 0; i < object->count; i++)
        if (!add_piece(&writer, &object->sections[i].header, sizeof(Elf64_Shdr)))
            return false;
    return write_pieces(&writer) && fflush(stream) == 0;
}
