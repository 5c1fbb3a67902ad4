/* See elf_write.h. Words are little-endian, as in all files that the tools write. */
#include "lib/elf_write.h"
#include "lib/bytes.h"
#include "lib/leb128.h"

#include <string.h>

static void append_word(struct text *text, uint64_t value)
{
    unsigned char bytes[4];

    bytes_put(bytes, value, sizeof bytes);
    text_append_bytes(text, bytes, sizeof bytes);
}

static void append_padded(struct text *text, const void *bytes, size_t size)
{
    static const char zeroes[3];

    text_append_bytes(text, bytes, size);
    text_append_bytes(text, zeroes, -size & 3);
}

void elf_write_note(struct text *text, const char *owner, uint32_t type, const void *description,
                    size_t size)
{
    size_t owner_size = strlen(owner) + 1;

    append_word(text, owner_size);
    append_word(text, size);
    append_word(text, type);
    append_padded(text, owner, owner_size);
    append_padded(text, description, size);
}

static void append_uleb128(struct text *text, uint64_t value)
{
    unsigned char bytes[LEB128_LIMIT];

    text_append_bytes(text, bytes, leb128_put_unsigned(bytes, value));
}

void elf_write_attribute(struct text *attributes, uint64_t tag, uint64_t number, const char *string)
{
    append_uleb128(attributes, tag);
    if (tag & 1)
        text_append_bytes(attributes, string, strlen(string) + 1);
    else
        append_uleb128(attributes, number);
}

/* The contents are a version, then the part of the vendor with its length and name. It holds one
 * part for the whole file, with its tag and length. */
void elf_write_attributes(struct text *text, const struct text *attributes)
{
    static const char vendor[] = "riscv";

    enum { VERSION = 'A', WHOLE_FILE = 1, LENGTH_SIZE = 4 };
    size_t part = 1 + LENGTH_SIZE + attributes->length;

    text_append_char(text, VERSION);
    append_word(text, LENGTH_SIZE + sizeof vendor + part);
    text_append_bytes(text, vendor, sizeof vendor);
    text_append_char(text, WHOLE_FILE);
    append_word(text, part);
    text_append_bytes(text, attributes->bytes, attributes->length);
}
