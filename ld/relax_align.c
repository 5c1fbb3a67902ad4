/* Alignment padding. The object has as many nops as the worst case needs (psABI, "Alignment
 * Relaxation"). Whole instructions that the place does not need are deleted. How many does not
 * depend on anything outside the section, whose alignment is at least that of its padding. Where
 * all nops are too long to end at the alignment, one of them becomes short ones. */
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

/* Makes short nops of the last one that stays, and marks those for deletion that make the padding
 * `surplus` bytes shorter. The code before it has compressed instructions, or the place would suit
 * the nop. */
static bool shorten_nop(struct linker *linker, struct section *section, uint64_t offset,
                        unsigned char *lengths, size_t *count, uint64_t surplus)
{
    struct isa_nop nop = isa_nop(false), half = isa_nop(true);
    size_t last = *count;

    for (size_t i = 0; i < *count; i++)
        if (lengths[i] == nop.length)
            last = i;
    for (size_t i = 0; i < last; i++)
        offset += lengths[i] & ~CUT;
    if (last == *count || surplus != half.length || nop.length != 2 * half.length ||
        bytes_get(section->bytes + offset, nop.length) != nop.word)
        return false;
    unsigned char *bytes =
        (unsigned char *)arena_copy(&linker->arena, (const char *)section->bytes, section->size);
    bytes_put(bytes + offset, half.word, half.length);
    bytes_put(bytes + offset + half.length, half.word, half.length);
    section->bytes = bytes;
    memmove(&lengths[last + 1], &lengths[last], *count - last);
    lengths[last] = (unsigned char)half.length;
    lengths[last + 1] = (unsigned char)half.length | CUT;
    *count += 1;
    return true;
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
    if (surplus && !shorten_nop(linker, section, offset, lengths, &count, surplus))
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
