/* The relocations of an object. Invariants from here on: the place of a relocation lies in its
 * section; its type is in the ISA description and allowed in objects; the relocations of a section
 * are in order of offsets. */
#include "ld/object.h"
#include "ld/object_parts.h"
#include "ld/relax.h"
#include <stdlib.h>
#include <string.h>

/* Returns how many bytes a relocation changes at its place. */
static uint64_t place_width(const struct isa_relocation *type, int64_t addend)
{
    switch (type->place) {
    case ISA_PLACE_FIELD:
        return type->field->length;
    case ISA_PLACE_PAIR:
        return (uint64_t)type->field->length + type->second->length;
    case ISA_PLACE_DATA:
        return ((unsigned)type->data_bits + 7) / 8;
    case ISA_PLACE_ULEB128:
        return 1;
    default:
        return type->value == ISA_VALUE_ALIGN ? (uint64_t)addend : 0;
    }
}

static bool is_dynamic(const struct isa_relocation *type)
{
    return type->value == ISA_VALUE_DYNAMIC || type->value == ISA_VALUE_RESOLVE ||
           type->value == ISA_VALUE_REBASE;
}

/* Says why a relocation of this type cannot be at this place of the section; NULL if it can. */
static const char *wrong_relocation(struct linker *linker, const struct section *section,
                                    const struct elf_relocation *from,
                                    const struct isa_relocation *type)
{
    if (!type)
        return arena_format(&linker->arena,
                            "relocation type %u is unknown to the ISA description; assemble the "
                            "object for the extensions that this linker knows",
                            from->type);
    uint64_t width = place_width(type, from->addend);
    if (from->offset > section->size || width > section->size - from->offset)
        return arena_format(&linker->arena,
                            "relocation %s is outside its section, which has 0x%llx bytes",
                            type->name, (unsigned long long)section->size);
    if (is_dynamic(type))
        return arena_format(&linker->arena,
                            "relocation %s is for dynamic linkers only, expected none in an object",
                            type->name);
    if (type->value == ISA_VALUE_RELAXED)
        return arena_format(&linker->arena,
                            "relocation %s is what relaxation leaves in a program, expected none "
                            "in an object; link the objects that the program was made of",
                            type->name);
    return NULL;
}

void object_prepare(struct linker *linker)
{
    for (size_t i = 0; i < isa_relocation_count; i++) {
        const struct isa_relocation *type = &isa_relocations[i];
        bool special =
            type->value == ISA_VALUE_ALIGN || is_dynamic(type) || type->value == ISA_VALUE_RELAXED;
        if (!special && type->number < RELOCATION_NUMBERS)
            linker->kinds[type->number] = (struct relocation_kind){
                (uint16_t)(i + 1), (uint8_t)type->value, (uint8_t)place_width(type, 0)};
    }
}

static void set_symbol(const struct object *object, const struct elf_relocation *from,
                       struct relocation *to)
{
    to->symbol = object->symbols[from->symbol];
    if (!to->symbol) {
        to->symbol_number = from->symbol;
        to->unresolved = true;
    }
}

static bool read_relocation(struct linker *linker, struct object *object, struct section *section,
                            const struct elf_relocation *from, struct relocation *to)
{
    const struct isa_relocation *type = isa_relocation_by_number(from->type);
    const char *wrong = wrong_relocation(linker, section, from, type);

    if (wrong) {
        struct position at = place_position(linker, section, from->offset);
        diag_error(&linker->diag, &at, "%s", wrong);
        return false;
    }
    section->values |= UINT32_C(1) << type->value;
    *to = (struct relocation){.offset = (uint32_t)from->offset,
                              .type = (uint16_t)(type - isa_relocations),
                              .addend = from->addend};
    set_symbol(object, from, to);
    /* Then padding can be cut without looking at other sections. */
    if (type->value == ISA_VALUE_ALIGN && relax_alignment(to->addend) > section->alignment)
        section->alignment = relax_alignment(to->addend);
    return true;
}

struct ordered {
    struct relocation relocation;
    size_t order; /* index in the file */
};

static int compare_offsets(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;

    if (x->relocation.offset != y->relocation.offset)
        return x->relocation.offset < y->relocation.offset ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Assemblers write relocations in order, but files need not be in order. */
static void sort_relocations(struct arena *arena, struct relocation *relocations, size_t count)
{
    bool sorted = true;

    for (size_t i = 1; i < count && sorted; i++)
        sorted = relocations[i - 1].offset <= relocations[i].offset;
    if (sorted)
        return;
    struct ordered *all = arena_array(arena, count, sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = (struct ordered){relocations[i], i};
    qsort(all, count, sizeof *all, compare_offsets);
    for (size_t i = 0; i < count; i++)
        relocations[i] = all[i].relocation;
}

/* Does R_RISCV_RELAX leave nothing but marks? It stays if it is written to the output or names a
 * symbol. */
static bool is_only_mark(const struct linker *linker, bool is_named)
{
    return !is_named && !linker->config.relocatable && !linker->config.emit_relocations;
}

/* Marks the last of the relocations that were read, those at this place. */
static void set_mark(struct relocation *relocations, size_t count, uint64_t offset)
{
    while (count > 0 && relocations[count - 1].offset == offset)
        relocations[--count].marked = true;
}

/* Turns each R_RISCV_RELAX into a mark on the relocations before it at the same place. Returns how
 * many relocations are left. */
static size_t set_marks(const struct linker *linker, const struct object *object,
                        struct relocation *relocations, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const struct relocation *relocation = &relocations[i];
        bool is_mark = relocation_type(relocation)->value == ISA_VALUE_RELAX,
             is_named = relocation->unresolved || relocation->symbol != object->symbols[0];
        if (is_mark)
            set_mark(relocations, kept, relocation->offset);
        if (!is_mark || !is_only_mark(linker, is_named))
            relocations[kept++] = *relocation;
    }
    return kept;
}

/* Reads and marks relocations as assemblers write them: valid, without further consequences, and in
 * order. Returns how many are left, or 0 if they are not like that. */
static size_t read_plain_relocations(const struct linker *linker, const struct object *object,
                                     struct section *section, const struct elf_section *table,
                                     size_t count)
{
    struct relocation *to = section->relocations;
    uint64_t before = 0, size = section->size;
    uint32_t values = 0;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const struct elf_relocation from = elf_relocation_at(table, i);
        const struct relocation_kind kind = linker->kinds[from.type % RELOCATION_NUMBERS];
        if (from.type >= RELOCATION_NUMBERS || !kind.type || from.offset < before ||
            from.offset > size || kind.width > size - from.offset)
            return 0;
        before = from.offset;
        values |= UINT32_C(1) << kind.value;
        if (kind.value == ISA_VALUE_RELAX) {
            set_mark(to, kept, from.offset);
            if (is_only_mark(linker, from.symbol != 0))
                continue;
        }
        to[kept] = (struct relocation){
            .offset = (uint32_t)from.offset, .type = kind.type - 1, .addend = from.addend};
        set_symbol(object, &from, &to[kept++]);
    }
    section->values |= values;
    return kept;
}

static void note_unresolved(struct linker *linker, struct object *object,
                            const struct section *section)
{
    struct parsed *parsed = object->parsed;

    for (size_t i = 0; i < section->relocation_count; i++) {
        if (!section->relocations[i].unresolved)
            continue;
        parsed->unresolved =
            arena_grow(&linker->arena, parsed->unresolved, parsed->unresolved_count,
                       &parsed->unresolved_capacity, sizeof *parsed->unresolved);
        parsed->unresolved[parsed->unresolved_count++] = &section->relocations[i];
    }
}

void object_resolve(const struct object *object)
{
    const struct parsed *parsed = object->parsed;

    for (size_t i = 0; i < parsed->unresolved_count; i++) {
        struct relocation *relocation = parsed->unresolved[i];
        relocation->symbol = object->symbols[relocation->symbol_number];
        relocation->unresolved = false;
    }
}

static bool read_relocations(struct linker *linker, struct object *object,
                             const struct elf_section *table)
{
    if (table->header.sh_info == 0 || table->header.sh_info >= object->elf.section_count)
        return FAIL("relocation section '%s' is for section %u; there are only %zu sections",
                    table->name, table->header.sh_info, object->elf.section_count);
    struct section *section = object->sections[table->header.sh_info];
    size_t count;
    if (!elf_count_relocations(&object->elf, &linker->diag, table, &count))
        return false;
    if (section->discarded || !count)
        return true;
    if (!section->bytes)
        return FAIL("relocation section '%s' is for section '%s', which has no contents",
                    table->name, section->name);
    if (section->relocations)
        return FAIL("section '%s' has two relocation sections, expected one", section->name);
    struct relocation *read = section->relocations =
        arena_array(&linker->arena, count, sizeof *read);
    size_t kept = read_plain_relocations(linker, object, section, table, count);
    if (!kept) {
        bool good = true;
        for (size_t i = 0; i < count && !diag_full(&linker->diag); i++) {
            struct elf_relocation from = elf_relocation_at(table, i);
            good &= read_relocation(linker, object, section, &from, &read[i]);
        }
        if (!good) {
            section->relocations = NULL; /* so another table of the section is no further error */
            return false;
        }
        sort_relocations(&linker->scratch, read, count);
        kept = set_marks(linker, object, read, count);
        memset(&read[kept], 0, (count - kept) * sizeof *read);
    }
    arena_shorten(&linker->arena, read, count * sizeof *read, kept * sizeof *read);
    section->relocation_count = (uint32_t)kept;
    note_unresolved(linker, object, section);
    return true;
}

/* Is the table for a section of a group, which another object may supply? */
static bool is_for_group(const struct object *object, const struct elf_section *table)
{
    return table->header.sh_info && table->header.sh_info < object->elf.section_count &&
           object->sections[table->header.sh_info]->group;
}

bool object_read_relocations(struct linker *linker, struct object *object, bool of_groups)
{
    bool good = true;

    for (size_t i = 1; i < object->elf.section_count && !diag_full(&linker->diag); i++) {
        const struct elf_section *section = &object->elf.sections[i];
        if (section->header.sh_type == SHT_RELA && is_for_group(object, section) == of_groups)
            good &= read_relocations(linker, object, section);
    }
    return good;
}
