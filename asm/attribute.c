/* The attributes of an object, in order of their tags. */
#include "asm/attribute.h"
#include "asm/tasm.h"
#include "lib/elf_write.h"
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

    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (strcmp(tags[i].name, name) == 0)
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

void attribute_text(struct assembler *as, struct text *text)
{
    struct text attributes = TEXT_INIT;

    attribute_set(as, ATTRIBUTE_ARCH, 0, arch_text(as));
    for (const struct attribute *attribute = as->attributes; attribute; attribute = attribute->next)
        if (attribute->tag & 1 || attribute->number) /* 0 is the default */
            elf_write_attribute(&attributes, attribute->tag, attribute->number, attribute->string);
    elf_write_attributes(text, &attributes);
    text_free(&attributes);
}
