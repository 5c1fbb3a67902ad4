/* Objects give sizes that nobody has checked. A section may have at most LARGEST bytes, and no more
 * than its compressed bytes can stand for, before memory is allocated for it. */
#include "ld/compress.h"

#include <elf.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* GNU's older form: "ZLIB", then the size as 8 bytes, the highest first. */
#define OLD_PREFIX  ".zdebug"
#define OLD_MAGIC   "ZLIB"
#define OLD_HEADER  12
#define LARGEST     (UINT64_C(1) << 30)
#define ZLIB_FACTOR 1100 /* deflate shortens at most to 1/1032 */

#define FAIL(...)                                                                                  \
    (diag_error(&linker->diag, &(struct position){.name = object->name}, __VA_ARGS__), false)

/* What a section says about its contents. */
struct compressed {
    const unsigned char *bytes; /* after the header */
    uint64_t length;
    uint64_t size, alignment; /* before compression */
    unsigned method;          /* ELFCOMPRESS_… */
};

static bool read_header(const struct elf_section *section, struct compressed *compressed)
{
    uint64_t length = section->header.sh_size;
    const unsigned char *bytes = section->bytes;
    Elf64_Chdr header;

    if (section->header.sh_flags & SHF_COMPRESSED) {
        if (!bytes || length < sizeof header)
            return false;
        memcpy(&header, bytes, sizeof header);
        *compressed = (struct compressed){bytes + sizeof header, length - sizeof header,
                                          header.ch_size, header.ch_addralign, header.ch_type};
        return true;
    }
    if (!bytes || length < OLD_HEADER || memcmp(bytes, OLD_MAGIC, strlen(OLD_MAGIC)) != 0)
        return false;
    *compressed = (struct compressed){.bytes = bytes + OLD_HEADER,
                                      .length = length - OLD_HEADER,
                                      .alignment = section->header.sh_addralign,
                                      .method = ELFCOMPRESS_ZLIB};
    for (size_t i = strlen(OLD_MAGIC); i < OLD_HEADER; i++)
        compressed->size = compressed->size << 8 | bytes[i];
    return true;
}

/* Does the compressed section give a size that its bytes can have? */
static bool is_plausible(const struct compressed *compressed)
{
    if (compressed->method == ELFCOMPRESS_ZLIB)
        return compressed->size / ZLIB_FACTOR <= compressed->length;
    return ZSTD_getFrameContentSize(compressed->bytes, compressed->length) == compressed->size;
}

static bool expand_into(unsigned char *to, const struct compressed *compressed)
{
    uLongf size = compressed->size;

    if (compressed->method == ELFCOMPRESS_ZLIB)
        return uncompress(to, &size, compressed->bytes, compressed->length) == Z_OK &&
               size == compressed->size;
    return ZSTD_decompress(to, size, compressed->bytes, compressed->length) == compressed->size;
}

bool compress_expand(struct linker *linker, struct object *object, struct elf_section *section)
{
    bool old = strncmp(section->name, OLD_PREFIX, strlen(OLD_PREFIX)) == 0;
    struct compressed compressed;

    if (!(section->header.sh_flags & SHF_COMPRESSED) && !old)
        return true;
    if (section->header.sh_flags & SHF_ALLOC)
        return FAIL("section '%s' is compressed and allocated (A), which contradict each other",
                    section->name);
    if (!read_header(section, &compressed))
        return FAIL("compressed section '%s' has no header; assemble the object again",
                    section->name);
    if (compressed.method != ELFCOMPRESS_ZLIB && compressed.method != ELFCOMPRESS_ZSTD)
        return FAIL("section '%s' is compressed by method %u, expected zlib (%u) or zstd (%u)",
                    section->name, compressed.method, ELFCOMPRESS_ZLIB, ELFCOMPRESS_ZSTD);
    if (compressed.size > LARGEST)
        return FAIL("section '%s' has 0x%llx bytes before compression, expected at most 0x%llx",
                    section->name, (unsigned long long)compressed.size,
                    (unsigned long long)LARGEST);
    unsigned char *bytes = NULL;
    if (is_plausible(&compressed)) {
        bytes = arena_alloc(&linker->arena, compressed.size + 1);
        if (!expand_into(bytes, &compressed))
            bytes = NULL;
    }
    if (!bytes)
        return FAIL("compressed section '%s' is damaged; assemble the object again", section->name);
    section->bytes = bytes;
    section->header.sh_size = compressed.size;
    section->header.sh_addralign = compressed.alignment;
    section->header.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
    if (old)
        section->name = arena_format(&linker->arena, ".%s", section->name + strlen(".z"));
    return true;
}

unsigned char *compress_contents(struct linker *linker, const struct output_section *output,
                                 const unsigned char *bytes, uint64_t *size)
{
    bool zlib = linker->config.compression == ELFCOMPRESS_ZLIB;
    Elf64_Chdr header = {.ch_type = linker->config.compression,
                         .ch_size = output->size,
                         .ch_addralign = output->alignment};
    size_t bound = zlib ? compressBound(output->size) : ZSTD_compressBound(output->size);
    unsigned char *to = arena_alloc(&linker->arena, sizeof header + bound);
    uLongf length = bound;

    memcpy(to, &header, sizeof header);
    if (zlib && compress(to + sizeof header, &length, bytes, output->size) != Z_OK)
        return NULL;
    if (!zlib) {
        size_t done =
            ZSTD_compress(to + sizeof header, bound, bytes, output->size, ZSTD_CLEVEL_DEFAULT);
        if (ZSTD_isError(done))
            return NULL;
        length = done;
    }
    *size = sizeof header + length;
    return *size < output->size ? to : NULL;
}
