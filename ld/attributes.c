/* .riscv.attributes (psABI, "Attributes"): 'A', then the part of a vendor (length, "riscv"), which
 * contains parts for the whole file (tag 1, length). Each attribute in them is a ULEB128 tag and a
 * value: a NUL-terminated string for an odd tag, a ULEB128 number for an even one.
 *
 * If values differ for a tag that this linker does not know, the first value is kept, with a
 * warning. */
#include "ld/attributes.h"

#include "ld/march.h"
#include "ld/object.h"
#include "lib/bytes.h"
#include "lib/elf_write.h"
#include "lib/leb128.h"
#include <string.h>

enum tag {
    TAG_FILE = 1,
    TAG_STACK_ALIGN = 4,
    TAG_ARCH = 5,
    TAG_UNALIGNED_ACCESS = 6,
    TAG_PRIVILEGED = 8, /* version of the privileged specification; minor: 10, revision: 12 */
    TAG_LAST = 64,      /* higher tags are ignored */
};

struct attribute {
    const struct object *object; /* the object that gave it first; NULL: not given */
    const char *string;          /* odd tags */
    uint64_t number;             /* even tags */
};

enum { VERSION_PARTS = 3 };

/* A version of the privileged specification. Its parts are three attributes. */
struct version {
    struct attribute parts[VERSION_PARTS];
};

struct merger {
    struct linker *linker;
    struct attribute attributes[TAG_LAST];
    struct version privileged; /* of the object that is being read */
    struct march march;
    bool any;
};

struct reader {
    const unsigned char *next, *end;
    bool good;
};

static uint64_t read_uleb128(struct reader *reader)
{
    uint64_t value;

    if (leb128_get_unsigned(&reader->next, reader->end, &value))
        return value;
    reader->good = false;
    return 0;
}

static const char *read_string(struct reader *reader)
{
    const unsigned char *start = reader->next;
    const unsigned char *nul = memchr(start, 0, (size_t)(reader->end - start));

    if (!nul) {
        reader->good = false;
        return "";
    }
    reader->next = nul + 1;
    return (const char *)start;
}

/* Reads a part with a length field. The length counts from `start`, where the part begins. */
static struct reader read_part(struct reader *reader, const unsigned char *start)
{
    size_t length = reader->end - reader->next >= 4 ? bytes_get(reader->next, 4) : 0;

    if (length > (size_t)(reader->end - start) || start + length < reader->next + 4) {
        reader->good = false;
        return (struct reader){.next = reader->end, .end = reader->end};
    }
    struct reader part = {.next = reader->next + 4, .end = start + length, .good = true};
    reader->next = part.end;
    return part;
}

static void merge_arch(struct merger *merger, const struct object *object, const char *arch)
{
    struct march march;
    struct position at = object_position(object);
    const char *wrong = march_parse(&march, &merger->linker->arena, arch);

    if (wrong) {
        diag_error(&merger->linker->diag, &at, "%s: architecture '%s': %s", ATTRIBUTES_SECTION,
                   arch, wrong);
        return;
    }
    if (!merger->march.base) {
        merger->march = march;
        return;
    }
    wrong = march_merge(&merger->march, &march, &merger->linker->arena);
    if (wrong)
        diag_error(&merger->linker->diag, &at, "architecture '%s' and that of %s, '%s': %s", arch,
                   merger->attributes[TAG_ARCH].object->name, merger->attributes[TAG_ARCH].string,
                   wrong);
}

static bool is_privileged_version(uint64_t tag)
{
    return tag >= TAG_PRIVILEGED && tag < TAG_PRIVILEGED + 2 * VERSION_PARTS && tag % 2 == 0;
}

static const char *version_text(struct arena *arena, const struct version *version)
{
    const struct attribute *parts = version->parts;

    return arena_format(arena, "%llu.%llu.%llu", (unsigned long long)parts[0].number,
                        (unsigned long long)parts[1].number, (unsigned long long)parts[2].number);
}

/* Compares two versions. The result is that of strcmp. */
static int compare_versions(const struct version *a, const struct version *b)
{
    for (unsigned i = 0; i < VERSION_PARTS; i++)
        if (a->parts[i].number != b->parts[i].number)
            return a->parts[i].number < b->parts[i].number ? -1 : 1;
    return 0;
}

/* Replaces the version of the privileged specification by that of the object, if it is newer. */
static void merge_privileged(struct merger *merger, const struct object *object)
{
    struct version before = {0}, *now = &merger->privileged;
    const struct version none = {0};
    struct arena *arena = &merger->linker->arena;
    struct position at = object_position(object);

    for (unsigned i = 0; i < VERSION_PARTS; i++)
        before.parts[i] = merger->attributes[TAG_PRIVILEGED + 2 * i];
    bool replaced = compare_versions(&before, &none) == 0;
    int order = compare_versions(now, &before);
    if (compare_versions(now, &none) == 0 && !replaced)
        return;
    if (order && !replaced)
        diag_warning(&merger->linker->diag, &at,
                     "is for version %s of the privileged specification, other objects for %s; the "
                     "newer one is kept",
                     version_text(arena, now), version_text(arena, &before));
    for (unsigned i = 0; (order > 0 || replaced) && i < VERSION_PARTS; i++)
        merger->attributes[TAG_PRIVILEGED + 2 * i] = now->parts[i];
}

static void merge_attribute(struct merger *merger, const struct object *object, uint64_t tag,
                            uint64_t number, const char *string)
{
    if (tag >= TAG_LAST)
        return;
    if (tag == TAG_ARCH)
        merge_arch(merger, object, string);
    struct attribute *attribute = is_privileged_version(tag)
                                      ? &merger->privileged.parts[(tag - TAG_PRIVILEGED) / 2]
                                      : &merger->attributes[tag];
    struct position at = object_position(object);
    if (!attribute->object) {
        *attribute = (struct attribute){.object = object, .string = string, .number = number};
    } else if (tag == TAG_UNALIGNED_ACCESS) {
        attribute->number |= number;
    } else if (tag == TAG_STACK_ALIGN && attribute->number != number) {
        diag_error(&merger->linker->diag, &at,
                   "aligns the stack to %llu bytes, %s to %llu; compile both for the same ABI",
                   (unsigned long long)number, attribute->object->name,
                   (unsigned long long)attribute->number);
    } else if (tag != TAG_ARCH &&
               (string ? strcmp(string, attribute->string) != 0 : number != attribute->number)) {
        diag_warning(&merger->linker->diag, &at,
                     "attribute %llu differs from that of %s, which is kept",
                     (unsigned long long)tag, attribute->object->name);
    }
}

static bool read_attributes(struct merger *merger, const struct object *object,
                            const struct elf_section *section)
{
    struct reader all = {section->bytes, section->bytes + section->header.sh_size, true};

    if (!section->bytes || *all.next++ != 'A')
        return false;
    while (all.good && all.next < all.end) {
        struct reader vendor = read_part(&all, all.next);
        if (!all.good || strcmp(read_string(&vendor), "riscv") != 0)
            continue;
        while (vendor.good && vendor.next < vendor.end) {
            const unsigned char *start = vendor.next;
            uint64_t scope = read_uleb128(&vendor);
            struct reader part = read_part(&vendor, start);
            while (vendor.good && scope == TAG_FILE && part.good && part.next < part.end) {
                uint64_t tag = read_uleb128(&part);
                const char *string = tag & 1 ? read_string(&part) : NULL;
                uint64_t number = tag & 1 ? 0 : read_uleb128(&part);
                if (part.good)
                    merge_attribute(merger, object, tag, number, string);
            }
            vendor.good &= part.good || scope != TAG_FILE;
        }
        all.good &= vendor.good;
    }
    return all.good;
}

static void write_attributes(struct merger *merger)
{
    struct arena *arena = &merger->linker->arena;
    struct text attributes = TEXT_INIT, section = TEXT_INIT;

    for (unsigned tag = 0; tag < TAG_LAST; tag++) {
        const struct attribute *attribute = &merger->attributes[tag];
        if (!attribute->object)
            continue;
        const char *string =
            tag == TAG_ARCH ? march_text(&merger->march, arena) : attribute->string;
        elf_write_attribute(&attributes, tag, attribute->number, string);
    }
    elf_write_attributes(&section, &attributes);
    section_new(merger->linker, ATTRIBUTES_SECTION, SHT_RISCV_ATTRIBUTES, 0, 1,
                arena_copy(arena, section.bytes, section.length), section.length);
    text_free(&attributes);
    text_free(&section);
}

/* Objects of one compiler have equal tables. A table adds nothing to an equal one right before it,
 * unless that had errors or warnings, which come for each object. */
static bool is_repeated(struct linker *linker, const struct elf_section *before,
                        const struct elf_section *section)
{
    return before && !diag_failed(&linker->diag) && !linker->diag.warnings && section->bytes &&
           before->header.sh_size == section->header.sh_size &&
           memcmp(before->bytes, section->bytes, section->header.sh_size) == 0;
}

void attributes_merge(struct linker *linker)
{
    struct merger merger = {.linker = linker};
    const struct elf_section *before = NULL;

    for (size_t i = 0; i < linker->object_count; i++) {
        const struct object *object = linker->objects[i];
        for (size_t j = 1; j < object->elf.section_count; j++) {
            const struct elf_section *section = &object->elf.sections[j];
            if (section->header.sh_type != SHT_RISCV_ATTRIBUTES ||
                is_repeated(linker, before, section))
                continue;
            before = section;
            struct position at = object_position(object);
            merger.privileged = (struct version){0};
            if (!read_attributes(&merger, object, section))
                diag_error(&linker->diag, &at, "section '%s' is damaged; assemble the object again",
                           section->name);
            merge_privileged(&merger, object);
            merger.any = true;
        }
    }
    if (merger.any && !diag_failed(&linker->diag))
        write_attributes(&merger);
}

/* ---- e_flags ---- */

static bool has_code(const struct object *object)
{
    for (size_t i = 1; i < object->elf.section_count; i++)
        if (object->elf.sections[i].header.sh_flags & SHF_EXECINSTR &&
            object->elf.sections[i].header.sh_size)
            return true;
    return false;
}

static const char *calling_convention(uint32_t flags)
{
    switch (flags & EF_RISCV_FLOAT_ABI) {
    case EF_RISCV_FLOAT_ABI_SOFT:
        return "soft-float (lp64)";
    case EF_RISCV_FLOAT_ABI_SINGLE:
        return "single-float (lp64f)";
    case EF_RISCV_FLOAT_ABI_DOUBLE:
        return "double-float (lp64d)";
    default:
        return "quad-float (lp64q)";
    }
}

void attributes_merge_flags(struct linker *linker)
{
    uint32_t must_agree = EF_RISCV_FLOAT_ABI | EF_RISCV_RVE;
    const struct object *first = NULL;

    for (size_t i = 0; i < linker->object_count; i++) {
        const struct object *object = linker->objects[i];
        uint32_t flags = object->elf.header.e_flags;
        if (!has_code(object)) /* only data: nothing is called */
            continue;
        linker->elf_flags |= flags & ~must_agree;
        if (!first) {
            first = object;
            linker->elf_flags |= flags & must_agree;
        } else if ((flags ^ linker->elf_flags) & must_agree) {
            struct position at = object_position(object);
            diag_error(
                &linker->diag, &at,
                "has the %s%s calling convention, %s the %s%s one; build both with the same -mabi",
                calling_convention(flags), flags & EF_RISCV_RVE ? " RVE" : "", first->name,
                calling_convention(linker->elf_flags),
                linker->elf_flags & EF_RISCV_RVE ? " RVE" : "");
        }
    }
    if (!first && linker->object_count)
        linker->elf_flags = linker->objects[0]->elf.header.e_flags;
}
