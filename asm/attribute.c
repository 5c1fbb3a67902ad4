/* The attributes of an object, in order of their tags. */
#include "asm/attribute.h"
#include "asm/tasm.h"
#include "lib/elf_write.h"
#include <stdio.h>
#include <stdlib.h>
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

/* As in GNU as: the version of an object that does not say which. */
static const char default_privileged[] = "1.11";

bool attribute_set_privileged(struct assembler *as, const char *version)
{
    struct text list = TEXT_INIT;

    for (size_t i = 0; isa_privileged_versions[i]; i++) {
        if (strcmp(isa_privileged_versions[i], version) == 0) {
            as->options.privileged = isa_privileged_versions[i];
            text_free(&list);
            return true;
        }
        text_format(&list, "%s%s",
                    !i                               ? ""
                    : isa_privileged_versions[i + 1] ? ", "
                                                     : " or ",
                    isa_privileged_versions[i]);
    }
    diag_error(as->diag, NULL, "unknown version '%s' of the privileged architecture; expected %s",
               version, list.bytes);
    text_free(&list);
    return false;
}

unsigned attribute_privileged(const struct assembler *as)
{
    const char *version = as->options.privileged ? as->options.privileged : default_privileged;
    uint64_t parts[3] = {0};
    char stated[80];

    for (const struct attribute *attribute = as->attributes; attribute; attribute = attribute->next)
        if (attribute->tag == ATTRIBUTE_PRIV_SPEC || attribute->tag == ATTRIBUTE_PRIV_SPEC_MINOR ||
            attribute->tag == ATTRIBUTE_PRIV_SPEC_REVISION)
            parts[(attribute->tag - ATTRIBUTE_PRIV_SPEC) / 2] = attribute->number;
    snprintf(stated, sizeof stated, parts[2] ? "%u.%u.%u" : "%u.%u", (unsigned)parts[0],
             (unsigned)parts[1], (unsigned)parts[2]);
    if (parts[0])
        version = stated;
    for (unsigned i = 0; isa_privileged_versions[i]; i++)
        if (strcmp(isa_privileged_versions[i], version) == 0)
            return i + 1;
    return 0;
}

/* States the version of the privileged architecture, unless the source does. */
static void state_privileged(struct assembler *as)
{
    const char *version = as->options.privileged ? as->options.privileged : default_privileged;

    for (const struct attribute *attribute = as->attributes; attribute; attribute = attribute->next)
        if (attribute->tag >= ATTRIBUTE_PRIV_SPEC && attribute->tag <= ATTRIBUTE_PRIV_SPEC_REVISION)
            return;
    for (uint64_t tag = ATTRIBUTE_PRIV_SPEC; *version; tag += 2) {
        char *end;
        attribute_set(as, tag, strtoul(version, &end, 10), NULL);
        version = *end ? end + 1 : end;
    }
}

bool attribute_wanted(const struct assembler *as)
{
    return !as->options.no_attributes || as->has_attributes;
}

void attribute_text(struct assembler *as, struct text *text)
{
    struct text attributes = TEXT_INIT;

    if (as->is_privileged)
        state_privileged(as);
    attribute_set(as, ATTRIBUTE_ARCH, 0, arch_text(as));
    for (const struct attribute *attribute = as->attributes; attribute; attribute = attribute->next)
        if (attribute->tag & 1 || attribute->number) /* 0 is the default */
            elf_write_attribute(&attributes, attribute->tag, attribute->number, attribute->string);
    elf_write_attributes(text, &attributes);
    text_free(&attributes);
}
