/* Alignment padding. The object has as many nops as the worst case needs (psABI, "Alignment
 * Relaxation"). Whole instructions that the place does not need are deleted. How many does not
 * depend on anything outside the section, whose alignment is at least that of its padding. */
#include "ld/relax.h"
#include "lib/bytes.h"

#define CUT 0x80 /* flag in a length: the instruction is deleted */

uint64_t relax_alignment(int64_t addend)
{
    uint64_t alignment = 1;

    while (alignment <= (uint64_t)addend)
        alignment *= 2;
    return alignment;
}

/* Finds the lengths of the instructions in [offset, offset + size). Returns 0 if the last one does
 * not end there. */
static size_t padding_lengths(const struct section *section, uint64_t offset, uint64_t size,
                              unsigned char *lengths)
{
    size_t count = 0;

    for (uint64_t at = 0; at < size; count++) {
        if (size - at < 2)
            return 0;
        int length = isa_length((uint16_t)bytes_get(section->bytes + offset + at, 2));
        if (length <= 0 || (uint64_t)length > size - at)
            return 0;
        lengths[count] = (unsigned char)length;
        at += (uint64_t)length;
    }
    return count;
}

/* Marks instructions of this length for deletion, the last ones first, until less than `length`
 * bytes, or only `limit` bytes, remain to be deleted. Returns the remaining number of bytes. */
static uint64_t mark_cut(unsigned char *lengths, size_t count, unsigned length, uint64_t surplus,
                         uint64_t limit)
{
    for (size_t i = count; i > 0 && surplus >= length && surplus > limit; i--)
        if (lengths[i - 1] == length) {
            lengths[i - 1] |= CUT;
            surplus -= length;
        }
    return surplus;
}

/* Deletes `surplus` bytes of the padding [offset, offset + size). */
static bool cut_padding(struct linker *linker, struct section *section, uint64_t offset,
                        uint64_t size, uint64_t surplus)
{
    unsigned char *lengths = arena_alloc(&linker->arena, size / 2 + 1);
    size_t count = padding_lengths(section, offset, size, lengths);

    if (size && !count)
        return false;
    if (surplus % 4)
        surplus = mark_cut(lengths, count, 2, surplus, surplus - 2);
    for (unsigned length = 8; length >= 2; length -= 2)
        surplus = mark_cut(lengths, count, length, surplus, 0);
    if (surplus)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] & CUT)
            section_delete(linker, section, offset, lengths[i] & ~CUT);
        offset += lengths[i] & ~CUT;
    }
    return true;
}

void relax_padding(struct linker *linker, struct section *section,
                   const struct relocation *relocation)
{
    uint64_t present = (uint64_t)relocation->addend;
    uint64_t alignment = relax_alignment(relocation->addend);
    uint64_t needed = -section_place(section, relocation->offset) & (alignment - 1);
    const char *wrong = NULL;

    if (needed > present)
        wrong = "which is less; assemble the object again";
    else if (!cut_padding(linker, section, relocation->offset, present, present - needed))
        wrong = "which cannot be shortened to that at the end of an instruction; assemble all code "
                "of this section with the same -march";
    if (!wrong)
        return;
    struct position at = place_position(linker, section, relocation->offset);
    diag_error(&linker->diag, &at,
               "alignment to %llu bytes needs %llu bytes of padding here; the object has %llu, %s",
               (unsigned long long)alignment, (unsigned long long)needed,
               (unsigned long long)present, wrong);
}
