/* The index of the unwind tables: Linux Standard Base, "The .eh_frame_hdr section". It is a table
 * of functions and their records by address, for a binary search. If some table encodes the
 * addresses of functions in a form that compilers for RISC-V do not use, the index only says where
 * the tables are. */
#include "ld/eh_frame.h"
#include "lib/bytes.h"
#include "lib/leb128.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
    PC_RELATIVE_4 = DW_EH_PE_pcrel | DW_EH_PE_sdata4,
    FROM_HEADER_4 = DW_EH_PE_datarel | DW_EH_PE_sdata4,
    HEADER_SIZE = 12,
    HEADER_ENTRY = 8,
};

struct entry {
    uint64_t function, record; /* addresses */
};

struct index {
    struct entry *entries;
    size_t count, capacity;
    bool possible; /* every table encodes the addresses of functions in the known form */
};

/* Does the CIE say, by an R in its augmentation, that addresses of functions are PC_RELATIVE_4? */
static bool is_known_form(const unsigned char *bytes, const struct eh_record *cie)
{
    const unsigned char *next = bytes + cie->offset + 9, *end = bytes + cie->offset + cie->size;
    const char *augmentation = (const char *)next;

    if (next >= end || !memchr(next, 0, (size_t)(end - next)) || *augmentation != 'z')
        return false;
    next += strlen(augmentation) + 1;
    for (int number = 0; number < 4;
         number++) { /* code and data alignment, return address, length */
        size_t length = leb128_length(next, end);
        if (!length)
            return false;
        next += length;
    }
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
                      const struct eh_record *record)
{
    struct eh_record cie;
    uint64_t place = record->offset + 8;

    if (record->id > record->offset + 4 ||
        !eh_frame_record(section->bytes, section->size, record->offset + 4 - record->id, &cie) ||
        !is_known_form(section->bytes, &cie)) {
        index->possible = false;
        return;
    }
    int32_t distance = (int32_t)bytes_get(section->patched + place, 4);
    index->entries = arena_grow(&linker->arena, index->entries, index->count, &index->capacity,
                                sizeof *index->entries);
    index->entries[index->count++] =
        (struct entry){.function = section_address(section, place) + (uint64_t)(int64_t)distance,
                       .record = section_address(section, record->offset)};
}

void eh_frame_make_header(struct linker *linker)
{
    linker->eh_frame_header =
        section_new(linker, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, 4, "", 1);
}

void eh_frame_size_header(struct linker *linker, size_t functions)
{
    struct section *header = linker->eh_frame_header;

    header->size = HEADER_SIZE + functions * HEADER_ENTRY;
    header->bytes = arena_alloc(&linker->arena, header->size);
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
    struct eh_record record;

    for (struct section *section; (section = section_next(linker, &walk));) {
        if (!section->live || !section->output || !section->bytes || !eh_frame_is(section))
            continue;
        if (!*first || section_address(section, 0) < section_address(*first, 0))
            *first = section;
        for (uint64_t offset = 0; eh_frame_record(section->bytes, section->size, offset, &record);
             offset += record.size)
            if (eh_frame_is_function(&record) &&
                section_place(section, record.offset) != section_place(section, record.offset + 1))
                add_entry(linker, &index, section, &record);
    }
    if (index.count)
        qsort(index.entries, index.count, sizeof *index.entries, compare_entries);
    return index;
}

static void put_distance(unsigned char *to, uint64_t target, uint64_t from)
{
    bytes_put(to, target - from, 4);
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
    bytes[1] = first ? PC_RELATIVE_4 : DW_EH_PE_omit;
    bytes[2] = whole ? DW_EH_PE_udata4 : DW_EH_PE_omit;
    bytes[3] = whole ? FROM_HEADER_4 : DW_EH_PE_omit;
    if (first)
        put_distance(bytes + 4, section_address(first, 0), address + 4);
    if (!whole)
        return;
    bytes_put(bytes + 8, index.count, 4);
    for (size_t i = 0; i < index.count; i++) {
        unsigned char *entry = bytes + HEADER_SIZE + i * HEADER_ENTRY;
        put_distance(entry, index.entries[i].function, address);
        put_distance(entry + 4, index.entries[i].record, address);
    }
}
