/* .riscv.attributes: 'A', then one vendor's block, in it one block for the whole file, in it tags
 * and values in ULEB128. */
#include "asm/attribute.h"
#include "asm/tasm.h"
#include <string.h>

uint64_t attribute_tag(const char *name)
{
    static const struct {
        const char *name;
        uint64_t tag;
    } tags[] = {
        {"stack_align", ATTRIBUTE_STACK_ALIGN},
        {"arch", ATTRIBUTE_ARCH},
        {"unaligned_access", ATTRIBUTE_UNALIGNED_ACCESS},
        {"priv_spec", ATTRIBUTE_PRIV_SPEC},
        {"priv_spec_minor", ATTRIBUTE_PRIV_SPEC_MINOR},
        {"priv_spec_revision", ATTRIBUTE_PRIV_SPEC_REVISION},
    };
    static const char prefix[] = "Tag_RISCV_";
    if (!strncmp(name, prefix, sizeof prefix - 1))
        name += sizeof prefix - 1;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (!strcmp(tags[i].name, name))
            return tags[i].tag;
    return 0;
}

void attribute_set(struct assembler *as, uint64_t tag, uint64_t number, const char *string)
{
    struct attribute **link = &as->attributes;
    while (*link && (*link)->tag < tag)
        link = &(*link)->next;
    if (!*link || (*link)->tag != tag) {
        struct attribute *attribute = arena_new(as->arena, struct attribute);
        attribute->tag = tag;
        attribute->next = *link;
        *link = attribute;
    }
    (*link)->number = number;
    (*link)->string = string;
}

static void put_uleb128(struct text *text, uint64_t value)
{
    do {
        unsigned char byte = value & 0x7f;
        value >>= 7;
        text_append_char(text, (char)(byte | (value ? 0x80 : 0)));
    } while (value);
}

static void put_word(struct text *text, size_t value)
{
    for (int i = 0; i < 4; i++)
        text_append_char(text, (char)(value >> 8 * i));
}

void attribute_text(struct assembler *as, struct text *text)
{
    static const char vendor[] = "riscv";
    enum { WHOLE_FILE = 1 };
    struct text values = TEXT_INIT;
    attribute_set(as, ATTRIBUTE_ARCH, 0, arch_text(as));
    for (const struct attribute *attribute = as->attributes; attribute;
         attribute = attribute->next) {
        if (!(attribute->tag & 1) && !attribute->number)
            continue; /* what it is without the attribute */
        put_uleb128(&values, attribute->tag);
        if (attribute->tag & 1)
            text_append_bytes(&values, attribute->string, strlen(attribute->string) + 1);
        else
            put_uleb128(&values, attribute->number);
    }
    text_append_char(text, 'A');
    put_word(text, 4 + sizeof vendor + 1 + 4 + values.length);
    text_append_bytes(text, vendor, sizeof vendor);
    text_append_char(text, WHOLE_FILE);
    put_word(text, 1 + 4 + values.length);
    text_append_bytes(text, values.bytes, values.length);
    text_free(&values);
}
