/* Input sections: where their bytes end up, and how messages name a place in them. */
#include "ld/linker.h"

#include <string.h>

struct section *section_new(struct linker *linker, const char *name, uint32_t type, uint64_t flags,
                            uint64_t alignment, const void *bytes, uint64_t size)
{
    struct section *section = arena_new(&linker->arena, struct section);

    *section = (struct section){.name = name,
                                .type = type,
                                .flags = flags,
                                .alignment = alignment ? alignment : 1,
                                .bytes = bytes,
                                .size = size,
                                .live = true,
                                .keep = true};
    linker->extra = arena_grow(&linker->arena, linker->extra, linker->extra_count,
                               &linker->extra_capacity, sizeof(struct section *));
    linker->extra[linker->extra_count++] = section;
    return section;
}

uint64_t section_read_size(const struct section *section)
{
    return section->merged ? section->merged_size : section->size;
}

static uint64_t deleted_bytes(const struct section *section)
{
    if (!section->deletion_count)
        return 0;
    const struct deletion *last = &section->deletions[section->deletion_count - 1];
    return last->before + last->count;
}

uint64_t section_final_size(const struct section *section)
{
    return section->size - deleted_bytes(section);
}

uint64_t section_place_after_deletions(const struct section *section, uint64_t offset)
{
    size_t low = 1,
           high = section->deletion_count; /* the first deletion that starts at or after `offset` */

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (section->deletions[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    const struct deletion *deletion = &section->deletions[low - 1];
    uint64_t inside = offset - deletion->offset;
    return offset - deletion->before - (inside < deletion->count ? inside : deletion->count);
}

void section_delete(struct linker *linker, struct section *section, uint64_t offset, uint64_t count)
{
    uint64_t before = deleted_bytes(section);

    if (!count)
        return;
    if (section->deletion_count) {
        const struct deletion *last = &section->deletions[section->deletion_count - 1];
        if (offset < last->offset + last->count)
            BUG("deletions out of order in %s", section->name);
    }
    section->deletions = arena_grow(&linker->arena, section->deletions, section->deletion_count,
                                    &section->deletion_capacity, sizeof *section->deletions);
    section->deletions[section->deletion_count++] =
        (struct deletion){.offset = offset, .count = count, .before = before};
}

/* Returns the piece that contains the byte at `offset`, which lies in the section. */
static const struct piece *find_piece(const struct section *section, uint64_t offset)
{
    size_t low = 0, high = section->piece_count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (section->pieces[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return &section->pieces[low];
}

uint64_t section_merged_address(const struct section *section, uint64_t offset)
{
    const struct section *copy = section;

    if (offset < section->merged_size) {
        const struct piece *piece = find_piece(section, offset);
        offset = piece->place + (offset - piece->offset);
        copy = section->merged;
    }
    uint64_t base = copy->output ? copy->output->address + copy->offset : 0;
    return base + section_place(copy, offset);
}

/* Returns the index of the first relocation from `offset` on. */
static size_t find_relocation(const struct section *section, uint64_t offset,
                              const struct relocation *before)
{
    enum { STEPS = 16 };
    const struct relocation *first = section->relocations;
    size_t low = 0, high = section->relocation_count;

    if (high && before >= first && before < first + high && before->offset >= offset) {
        high = (size_t)(before - first);
        for (int step = 0; step < STEPS && high > 0 && first[high - 1].offset >= offset; step++)
            high--;
        if (high == 0 || first[high - 1].offset < offset)
            return high;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (first[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct relocation *section_relocations_at(const struct section *section, uint64_t offset,
                                          const struct relocation *before, size_t *count)
{
    size_t low = find_relocation(section, offset, before);

    *count = 0;
    while (low + *count < section->relocation_count &&
           section->relocations[low + *count].offset == offset)
        ++*count;
    return *count ? section->relocations + low : NULL;
}

bool section_is_debug(const struct section *section)
{
    return !(section->flags & SHF_ALLOC) &&
           (strncmp(section->name, ".debug", 6) == 0 || strncmp(section->name, ".stab", 5) == 0 ||
            strcmp(section->name, ".line") == 0 ||
            strncmp(section->name, ".gnu.debuglto_", 14) == 0);
}

static bool names(const struct object *object, symbol_test *is_such, const void *context)
{
    for (size_t i = 0; i < object->global_count; i++)
        if (is_such(context, object->globals[i]))
            return true;
    return object->odd_locals;
}

struct section *section_next_naming(const struct linker *linker, struct section_walk *walk,
                                    symbol_test *is_such, const void *context)
{
    for (; walk->object < linker->object_count; walk->object++, walk->section = 0) {
        const struct object *object = linker->objects[walk->object];
        if (walk->section == 0 && is_such && !names(object, is_such, context))
            continue;
        if (walk->section < object->linked_count)
            return object->linked[walk->section++];
    }
    return walk->extra < linker->extra_count ? linker->extra[walk->extra++] : NULL;
}

struct section *section_next(const struct linker *linker, struct section_walk *walk)
{
    return section_next_naming(linker, walk, NULL, NULL);
}

const char *section_object_name(const struct section *section)
{
    return section->object ? section->object->name : "<linker>";
}

const char *place_text(struct linker *linker, const struct section *section, uint64_t offset)
{
    return arena_format(&linker->arena, "%s:(%s+0x%llx)", section_object_name(section),
                        section->name, (unsigned long long)offset);
}

struct position place_position(struct linker *linker, const struct section *section,
                               uint64_t offset)
{
    return (struct position){.name = place_text(linker, section, offset)};
}

struct position object_position(const struct object *object)
{
    return (struct position){.name = object ? object->name : NULL};
}

const char *place_function(struct linker *linker, const struct section *section, uint64_t offset)
{
    const struct symbol *best = NULL;

    if (!section->object)
        return "";
    for (size_t i = 0; i < section->object->elf.symbol_count; i++) {
        const struct symbol *symbol = section->object->symbols[i];
        if (!symbol || symbol->section != section || symbol->state != SYMBOL_DEFINED ||
            symbol->type != STT_FUNC || symbol->value > offset)
            continue;
        if (symbol->size && offset - symbol->value >= symbol->size)
            continue;
        if (!best || symbol->value > best->value)
            best = symbol;
    }
    return best ? arena_format(&linker->arena, " in function '%s'", best->name) : "";
}

const char *symbol_text(struct linker *linker, const struct symbol *symbol)
{
    if (symbol->type == STT_SECTION && symbol->section)
        return arena_format(&linker->arena, "section '%s'", symbol->section->name);
    return arena_format(&linker->arena, "'%s'", symbol->name);
}
