/* Compares the data of two programs before they run. What differs there is no difference of the
 * traces, until an instruction reads it. */
#include "emu/tdiff/lossless.h"

#include <string.h>

enum { ADDRESS = 8 }; /* bytes of one, aligned */

/* Returns the byte of the program's file at the address, or 0 in memory that begins with zeros.
 * Returns -1 outside of the program. */
static int byte_at(const struct side *side, uint64_t address)
{
    for (size_t i = 1; i < side->elf.section_count; i++) {
        const struct elf_section *section = &side->elf.sections[i];
        uint64_t offset = address - section->header.sh_addr;
        if (section->header.sh_flags & SHF_ALLOC && !(section->header.sh_flags & SHF_TLS) &&
            offset < section->header.sh_size)
            return section->bytes ? section->bytes[offset] : 0;
    }
    return -1;
}

/* Reads up to a granule from an address on. */
static uint64_t read_bytes(const struct side *side, uint64_t address, unsigned count)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < count; i++) {
        int byte = byte_at(side, address + i);
        value |= (uint64_t)(byte < 0 ? 0 : byte) << 8 * i;
    }
    return value;
}

static void note(struct lossless *walk, uint64_t address, uint64_t other, unsigned count)
{
    const uint64_t nobody[2] = {NO_NUMBER, NO_NUMBER}, at[2] = {address, other};
    const uint32_t none[2] = {0, 0};
    const struct value_type unknown = {NULL, false};

    shadow_write(&walk->shadow, address, count, event_add(walk, nobody, at, none), unknown, nobody);
}

/* Compares the data of a section from an address of the first program on. */
static void compare_section(struct lossless *walk, const struct elf_section *section)
{
    struct side *sides = walk->sides;
    uint64_t at = section->header.sh_addr, end = at + section->header.sh_size;

    for (unsigned count; at < end; at += count) {
        uint64_t other = moved_data(&walk->moved, sides, 0, at);
        count = (unsigned)(ADDRESS - at % ADDRESS < end - at ? ADDRESS - at % ADDRESS : end - at);
        while (count > 1 && moved_data(&walk->moved, sides, 0, at + count - 1) != other + count - 1)
            count--;
        if (byte_at(&sides[1], other) < 0)
            continue;
        uint64_t a = read_bytes(&sides[0], at, count), b = read_bytes(&sides[1], other, count);
        if (a == b || (count == ADDRESS && moved_same(&walk->moved, sides, a, b)))
            continue;
        for (unsigned i = 0; i < count; i++) /* 4 bytes at once, as most elements have */
            if (read_bytes(&sides[0], at + i, 1) != read_bytes(&sides[1], other + i, 1)) {
                unsigned first = i & ~3u, length = count - first < 4 ? count - first : 4;
                note(walk, at + first, other + first, length);
                i = first + 3;
            }
    }
}

void data_compare(struct lossless *walk)
{
    const struct side *sides = walk->sides;

    if (!sides[0].has_program || !sides[1].has_program)
        return;
    for (size_t i = 1; i < sides[0].elf.section_count; i++) {
        const struct elf_section *section = &sides[0].elf.sections[i];
        if (section->header.sh_flags & SHF_ALLOC && section->bytes &&
            !(section->header.sh_flags & (SHF_EXECINSTR | SHF_TLS)) &&
            section->header.sh_size <= MOST_DATA)
            compare_section(walk, section);
    }
}

void data_append(struct lossless *walk, struct text *text, const struct event *event)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct elf_symbol *symbol = side_symbol(&walk->sides[i], event->pcs[i]);
        if (i == 0 && symbol) {
            disasm_name(text, symbol->name);
            text_format(text,
                        "+0x%llx: ", (unsigned long long)(event->pcs[i] - symbol->raw.st_value));
        } else if (i == 0) {
            text_format(text, "0x%llx: ", (unsigned long long)event->pcs[i]);
        }
        text_append(text, i ? ", " : "");
        for (unsigned byte = 0; byte < 4; byte++)
            text_format(text, "%s%02x", byte ? " " : "",
                        (unsigned)read_bytes(&walk->sides[i], event->pcs[i] + byte, 1));
        text_format(text, " in %s", walk->sides[i].name);
    }
}
