/* Format: Linux Standard Base, "Exception Frames". A record: u32 length of what follows (0 ends the
 * list, 0xffffffff: a u64 follows, which RISC-V compilers do not write: the rest is left as it is),
 * u32 id (0: CIE, else the distance back to the CIE), for an FDE then the function's address. */
#include "ld/eh_frame.h"

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
