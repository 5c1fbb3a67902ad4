/* Format: Linux Standard Base, "Exception Frames". A record: u32 length of what follows (0 ends the
 * list, 0xffffffff: a u64 follows, which RISC-V compilers do not write: the rest is left as it is),
 * u32 id (0: CIE, else the distance back to the CIE), for an FDE then the function's address. */
#include "ld/eh_frame.h"

#include <stdlib.h>
#include <string.h>

struct record {
    uint64_t offset, size; /* with the length field */
    uint32_t id;
};

bool eh_frame_is(const struct section *section)
{
    return strcmp(section->name, ".eh_frame") == 0;
}

/* The record at `offset`; false at the end of the list and where it is not one. */
static bool read_record(const unsigned char *bytes, uint64_t size, uint64_t offset,
                        struct record *record)
{
    uint32_t length;
    if (size - offset < 12)
        return false;
    memcpy(&length, bytes + offset, 4);
    memcpy(&record->id, bytes + offset + 4, 4);
    record->offset = offset;
    record->size = (uint64_t)length + 4;
    return length >= 8 && length != UINT32_MAX && record->size <= size - offset;
}

/* Is the function of this FDE left out? Its address is relocated. */
static bool is_dead(const struct section *section, const struct record *record)
{
    size_t count;
    const struct relocation *relocations =
        section_relocations_at(section, record->offset + 8, &count);
    for (size_t i = 0; i < count; i++) {
        const struct symbol *symbol = relocations[i].symbol;
        if (symbol->state == SYMBOL_DEFINED && symbol->section && !symbol->section->live)
            return true;
    }
    return false;
}

static void prune_section(struct linker *linker, struct section *section)
{
    struct record record;
    for (uint64_t offset = 0; read_record(section->bytes, section->size, offset, &record);
         offset += record.size)
        if (record.id != 0 && is_dead(section, &record))
            section_delete(linker, section, record.offset, record.size);
}

void eh_frame_prune(struct linker *linker)
{
    struct section_walk walk = {0};
    for (struct section *section; (section = section_next(linker, &walk));)
        if (section->live && eh_frame_is(section) && section->bytes)
            prune_section(linker, section);
}

void eh_frame_correct(const struct section *section, unsigned char *bytes)
{
    struct record record;
    for (uint64_t offset = 0; read_record(bytes, section->size, offset, &record);
         offset += record.size) {
        uint64_t place = offset + 4;
        if (record.id == 0 || record.id > place)
            continue;
        uint32_t distance =
            (uint32_t)(section_place(section, place) - section_place(section, place - record.id));
        memcpy(bytes + place, &distance, 4);
    }
}

/* ---- the index: Linux Standard Base, "The .eh_frame_hdr section" ---- */

enum {
    PC_RELATIVE_4 = 0x1b, /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
    UNSIGNED_4 = 0x03,    /* DW_EH_PE_udata4 */
    FROM_HEADER_4 = 0x3b, /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
    OMITTED = 0xff,       /* DW_EH_PE_omit */
    HEADER_SIZE = 12,
    HEADER_ENTRY = 8,
};

struct entry {
    uint64_t function, record; /* addresses */
};

struct index {
    struct entry *entries;
    size_t count, capacity;
    bool possible; /* every table says where functions are in the one form that is known here */
};

/* Skips a LEB128 number. */
static bool skip_number(const unsigned char **next, const unsigned char *end)
{
    while (*next < end)
        if (!(*(*next)++ & 0x80))
            return true;
    return false;
}

/* Does the CIE say, by an R in its augmentation, that functions' addresses are PC_RELATIVE_4? */
static bool is_known_form(const unsigned char *bytes, const struct record *cie)
{
    const unsigned char *next = bytes + cie->offset + 9, *end = bytes + cie->offset + cie->size;
    const char *augmentation = (const char *)next;
    if (next >= end || !memchr(next, 0, (size_t)(end - next)) || *augmentation != 'z')
        return false;
    next += strlen(augmentation) + 1;
    for (int number = 0; number < 4; number++) /* code and data alignment, return address, length */
        if (!skip_number(&next, end))
            return false;
    for (augmentation++; *augmentation && next < end; augmentation++) {
        if (*augmentation == 'R')
            return *next == PC_RELATIVE_4;
        if (*augmentation == 'L')
            next++;
        else if (*augmentation == 'P' && (*next & 7) == 3) /* 4 bytes */
            next += 5;
        else if (*augmentation != 'S')
            return false;
    }
    return false;
}

static void add_entry(struct linker *linker, struct index *index, const struct section *section,
                      const struct record *record)
{
    struct record cie;
    int32_t distance;
    uint64_t place = record->offset + 8;
    if (record->id > record->offset + 4 ||
        !read_record(section->patched, section->size, record->offset + 4 - record->id, &cie) ||
        !is_known_form(section->patched, &cie)) {
        index->possible = false;
        return;
    }
    memcpy(&distance, section->patched + place, 4);
    index->entries = arena_grow(&linker->arena, index->entries, index->count, &index->capacity,
                                sizeof *index->entries);
    index->entries[index->count++] =
        (struct entry){.function = section_address(section, place) + (uint64_t)(int64_t)distance,
                       .record = section_address(section, record->offset)};
}

static bool is_in_output(const struct section *section)
{
    return section->live && eh_frame_is(section) && section->bytes;
}

void eh_frame_make_header(struct linker *linker)
{
    struct section_walk walk = {0};
    size_t count = 0;
    struct record record;
    for (struct section *section; (section = section_next(linker, &walk));)
        for (uint64_t offset = 0;
             is_in_output(section) && read_record(section->bytes, section->size, offset, &record);
             offset += record.size)
            count += record.id != 0 && !is_dead(section, &record);
    uint64_t size = HEADER_SIZE + count * HEADER_ENTRY;
    linker->eh_frame_header = section_new(linker, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, 4,
                                          arena_alloc(&linker->arena, size), size);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static struct index collect_entries(struct linker *linker, const struct section **first)
{
    struct index index = {.possible = true};
    struct section_walk walk = {0};
    struct record record;
    for (struct section *section; (section = section_next(linker, &walk));) {
        if (!is_in_output(section) || !section->output)
            continue;
        if (!*first || section_address(section, 0) < section_address(*first, 0))
            *first = section;
        for (uint64_t offset = 0; read_record(section->patched, section->size, offset, &record);
             offset += record.size)
            if (record.id != 0 &&
                section_place(section, record.offset) != section_place(section, record.offset + 1))
                add_entry(linker, &index, section, &record);
    }
    if (index.count)
        qsort(index.entries, index.count, sizeof *index.entries, compare_entries);
    return index;
}

static void put_distance(unsigned char *to, uint64_t target, uint64_t from)
{
    uint32_t distance = (uint32_t)(target - from);
    memcpy(to, &distance, sizeof distance);
}

void eh_frame_fill_header(struct linker *linker)
{
    struct section *header = linker->eh_frame_header;
    const struct section *first = NULL;
    if (!header->output) /* discarded by a script */
        return;
    struct index index = collect_entries(linker, &first);
    unsigned char *bytes = arena_alloc(&linker->arena, header->size);
    memset(bytes, 0, header->size);
    header->patched = bytes;
    bool whole = index.possible && HEADER_SIZE + index.count * HEADER_ENTRY == header->size;
    uint64_t address = section_address(header, 0);
    bytes[0] = 1; /* version */
    bytes[1] = first ? PC_RELATIVE_4 : OMITTED;
    bytes[2] = whole ? UNSIGNED_4 : OMITTED;
    bytes[3] = whole ? FROM_HEADER_4 : OMITTED;
    if (first)
        put_distance(bytes + 4, section_address(first, 0), address + 4);
    if (!whole)
        return;
    uint32_t count = (uint32_t)index.count;
    memcpy(bytes + 8, &count, sizeof count);
    for (size_t i = 0; i < index.count; i++) {
        unsigned char *entry = bytes + HEADER_SIZE + i * HEADER_ENTRY;
        put_distance(entry, index.entries[i].function, address);
        put_distance(entry + 4, index.entries[i].record, address);
    }
}
