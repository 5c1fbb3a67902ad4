/* Format: Linux Standard Base, "Exception Frames". A record consists of a u32 length of what
 * follows (0 ends the list; 0xffffffff means that a u64 length follows, which RISC-V compilers do
 * not write, so the rest of the section is not changed), a u32 id (0: CIE; otherwise the distance
 * back to the CIE), and in an FDE the address of the function.
 *
 * Programs read the tables of all objects as one list. Therefore there must not be an end of the
 * list between two of them, nor padding, which would be read as an end: the last record before
 * padding is extended over it with zeros, which unwinders skip. */
#include "ld/eh_frame.h"

#include "lib/bytes.h"
#include "lib/text.h"
#include <stdlib.h>
#include <string.h>

/* A CIE of a section, and the equal CIE that is written instead, which may be the same one. */
struct common_part {
    uint64_t offset;
    bool used; /* a function in the output uses it */
    const struct section *section;
    uint64_t written;
};

struct unwind_parts {
    struct common_part *items; /* by offset */
    size_t count, capacity;
};

bool eh_frame_is(const struct section *section)
{
    return strcmp(section->name, ".eh_frame") == 0;
}

bool eh_frame_record(const unsigned char *bytes, uint64_t size, uint64_t offset,
                     struct eh_record *record)
{
    *record = (struct eh_record){.offset = offset, .size = 4, .is_end = true};
    if (size < 4 || offset > size - 4)
        return false;
    uint32_t length = (uint32_t)bytes_get(bytes + offset, 4);
    if (length == 0)
        return true;
    if (size - offset < 12 || length < 8 || length == UINT32_MAX || length > size - offset - 4)
        return false;
    record->id = (uint32_t)bytes_get(bytes + offset + 4, 4);
    record->size = (uint64_t)length + 4;
    record->is_end = false;
    return true;
}

bool eh_frame_is_function(const struct eh_record *record)
{
    return !record->is_end && record->id != 0;
}

bool eh_frame_is_dead(const struct section *section, const struct eh_record *record)
{
    size_t count;
    const struct relocation *relocations =
        section_relocations_at(section, record->offset + 8, NULL, &count);

    for (size_t i = 0; i < count; i++) {
        const struct symbol *symbol = relocations[i].symbol;
        if (symbol->state == SYMBOL_DEFINED && symbol->section && !symbol->section->live)
            return true;
    }
    return false;
}

/* ---- what is written ---- */

struct pruner {
    struct linker *linker;
    const struct output_section *output;
    const struct section *last; /* the end of its list is kept */
    struct map cies;            /* contents of a CIE → its first struct common_part */
    size_t functions;
};

static int compare_offset(const void *offset, const void *part)
{
    uint64_t a = *(const uint64_t *)offset, b = ((const struct common_part *)part)->offset;

    return a < b ? -1 : a > b;
}

static struct common_part *find_part(const struct section *section, uint64_t offset)
{
    struct unwind_parts *parts = section->unwind_parts;

    if (!parts || !parts->count)
        return NULL;
    return bsearch(&offset, parts->items, parts->count, sizeof *parts->items, compare_offset);
}

/* Collects the CIEs of the section, and whether functions in the output use them. */
static void collect_parts(struct pruner *pruner, struct section *section)
{
    struct arena *arena = &pruner->linker->arena;
    struct eh_record record;
    struct unwind_parts *parts = arena_new(arena, struct unwind_parts);

    section->unwind_parts = parts;
    for (uint64_t offset = 0; eh_frame_record(section->bytes, section->size, offset, &record);
         offset += record.size) {
        if (record.is_end || record.id != 0)
            continue;
        parts->items =
            arena_grow(arena, parts->items, parts->count, &parts->capacity, sizeof *parts->items);
        parts->items[parts->count++] =
            (struct common_part){.offset = offset, .section = section, .written = offset};
    }
    for (uint64_t offset = 0; eh_frame_record(section->bytes, section->size, offset, &record);
         offset += record.size) {
        struct common_part *part = find_part(section, offset + 4 - record.id);
        if (eh_frame_is_function(&record) && part && !eh_frame_is_dead(section, &record))
            part->used = true;
    }
}

/* Finds equal CIEs: those with equal bytes and equal relocations (to the personality routine). */
static struct map_entry *entry_of(struct pruner *pruner, const struct section *section,
                                  const struct eh_record *cie)
{
    struct text key = TEXT_INIT;

    text_append_bytes(&key, section->bytes + cie->offset, cie->size);
    for (size_t i = 0; i < section->relocation_count; i++) {
        const struct relocation *relocation = &section->relocations[i];
        if (relocation->offset < cie->offset)
            continue;
        if (relocation->offset >= cie->offset + cie->size)
            break;
        uint64_t words[] = {relocation->offset - cie->offset, (uint64_t)relocation->addend,
                            relocation->type, (uintptr_t)relocation->symbol};
        text_append_bytes(&key, words, sizeof words);
    }
    struct map_entry *entry = map_entry(&pruner->cies, key.bytes, key.length);
    text_free(&key);
    return entry;
}

static bool cie_is_written(struct pruner *pruner, const struct section *section,
                           const struct eh_record *record)
{
    struct common_part *part = find_part(section, record->offset);

    if (!part || !part->used)
        return false;
    struct map_entry *entry = entry_of(pruner, section, record);
    if (!entry->value) {
        entry->value = part;
        return true;
    }
    const struct common_part *first = entry->value;
    part->section = first->section;
    part->written = first->offset;
    return false;
}

static void prune_section(struct pruner *pruner, struct section *section)
{
    struct eh_record record;

    collect_parts(pruner, section);
    for (uint64_t offset = 0; eh_frame_record(section->bytes, section->size, offset, &record);
         offset += record.size) {
        bool keep;
        if (record.is_end)
            keep = section == pruner->last && offset + record.size == section->size;
        else if (record.id == 0)
            keep = cie_is_written(pruner, section, &record);
        else
            keep = !eh_frame_is_dead(section, &record);
        pruner->functions += keep && eh_frame_is_function(&record);
        if (!keep)
            section_delete(pruner->linker, section, record.offset, record.size);
    }
}

static bool is_table(const struct section *section)
{
    return eh_frame_is(section) && section->bytes;
}

size_t eh_frame_prune(struct linker *linker)
{
    struct pruner pruner = {.linker = linker};

    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        map_init(&pruner.cies, &linker->arena);
        pruner.last = NULL;
        for (size_t j = 0; j < output->member_count; j++)
            if (output->members[j]->size)
                pruner.last = output->members[j];
        for (size_t j = 0; j < output->member_count; j++)
            if (is_table(output->members[j]))
                prune_section(&pruner, output->members[j]);
    }
    return pruner.functions;
}

/* ---- after relocation ---- */

static bool is_written(const struct section *section, const struct eh_record *record)
{
    return section_place(section, record->offset) != section_place(section, record->offset + 1);
}

void eh_frame_correct(const struct section *section, unsigned char *bytes)
{
    struct eh_record record;

    for (uint64_t offset = 0; eh_frame_record(bytes, section->size, offset, &record);
         offset += record.size) {
        const struct common_part *part = find_part(section, offset + 4 - record.id);
        if (!eh_frame_is_function(&record) || !part || !is_written(section, &record))
            continue;
        uint32_t distance = (uint32_t)(section_address(section, offset + 4) -
                                       section_address(part->section, part->written));
        memcpy(bytes + offset + 4, &distance, 4);
    }
}

/* Extends the last record of the section. */
static void pad(const struct section *section, uint64_t padding)
{
    struct eh_record record, last = {.is_end = true};
    uint64_t offset = 0;

    for (; eh_frame_record(section->bytes, section->size, offset, &record); offset += record.size)
        if (is_written(section, &record))
            last = record;
    if (last.is_end || offset != section->size)
        return;
    uint32_t length = (uint32_t)(last.size - 4 + padding);
    memcpy(section->patched + last.offset, &length, 4);
}

void eh_frame_pad(struct linker *linker)
{
    enum { ONLY_END = 4 };
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        const struct section *last = NULL;
        for (size_t j = 0; j < output->member_count; j++) {
            const struct section *section = output->members[j];
            uint64_t size = section_final_size(section);
            uint64_t end = last ? last->offset + section_final_size(last) : 0;
            if (last && size > ONLY_END && section->offset > end)
                pad(last, section->offset - end);
            if (size)
                last = is_table(section) ? section : NULL;
        }
    }
}
