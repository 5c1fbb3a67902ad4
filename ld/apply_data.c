/* Relocations of data. An addition and a subtraction at one place store the difference of two
 * symbols; the pair is checked as a whole. */
#include "ld/place.h"

#include "ld/symbol.h"
#include "lib/bytes.h"
#include "lib/leb128.h"

/* Sets the low `bits` bits of a datum. */
void place_set_datum(const struct place *place, uint64_t value)
{
    unsigned bits = relocation_type(place->relocation)->data_bits, size = (bits + 7) / 8;
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;

    bytes_put(place->bytes, (bytes_get(place->bytes, size) & ~mask) | (value & mask), size);
}

const struct relocation *place_subtraction(const struct place *place)
{
    const struct relocation *relocation = place->relocation, *next = relocation + 1;
    const struct relocation *end = place->section->relocations + place->section->relocation_count;
    bool pair = next < end && next->offset == relocation->offset &&
                relocation_type(next)->value == ISA_VALUE_SUB &&
                relocation_type(next)->place == relocation_type(relocation)->place &&
                relocation_type(next)->data_bits == relocation_type(relocation)->data_bits;

    return pair ? next : NULL;
}

/* Signed and unsigned values are both accepted: how a datum is read is up to the program. */
void place_apply_datum(const struct place *place, int64_t value)
{
    unsigned bits = relocation_type(place->relocation)->data_bits;
    bool pc_relative = relocation_type(place->relocation)->value != ISA_VALUE_S_A;

    if (bits < 64 && !place_subtraction(place)) {
        int64_t minimum = -(INT64_C(1) << (bits - 1)),
                maximum = (INT64_C(1) << (bits - pc_relative)) - 1;
        if (value < minimum || value > maximum) {
            place_fail_range(place, pc_relative ? "distance" : "value", value, minimum, maximum);
            return;
        }
    }
    place_set_datum(place, (uint64_t)value);
}

/* Checks that the whole difference of an addition and the following subtraction fits. Otherwise a
 * truncated value would be stored. */
static bool check_difference(const struct place *place, const struct relocation *first)
{
    unsigned bits = relocation_type(place->relocation)->data_bits;
    uint64_t from = relocation_target(first);
    int64_t difference = (int64_t)(from - (place->s + (uint64_t)place->a));

    if (bits == 64 || symbol_is_gone(first->symbol) || symbol_is_gone(place->relocation->symbol))
        return true;
    int64_t minimum = bits < 8 ? 0 : -(INT64_C(1) << (bits - 1)),
            maximum = (INT64_C(1) << bits) - 1;
    if (difference >= minimum && difference <= maximum)
        return true;
    place_fail_range(place,
                     arena_format(&place->linker->arena, "difference from %s",
                                  symbol_text(place->linker, first->symbol)),
                     difference, minimum, maximum);
    return false;
}

void place_apply_sum(const struct place *place)
{
    const struct relocation *relocation = place->relocation;
    uint64_t value = bytes_get(place->bytes, (relocation_type(relocation)->data_bits + 7u) / 8),
             add = place->s + (uint64_t)place->a;
    bool subtract = relocation_type(relocation)->value == ISA_VALUE_SUB;

    if (subtract && relocation > place->section->relocations) {
        const struct relocation *first = relocation - 1;
        if (first->offset == relocation->offset &&
            relocation_type(first)->place == ISA_PLACE_DATA &&
            relocation_type(first)->data_bits == relocation_type(relocation)->data_bits &&
            !check_difference(place, first))
            return;
    }
    place_set_datum(place, subtract ? value - add : value + add);
}

/* Writes the value into the bytes that the assembler reserved. */
void place_apply_uleb128(const struct place *place)
{
    const struct relocation *subtraction = place_subtraction(place);
    uint64_t value = place->s + (uint64_t)place->a;

    if (relocation_type(place->relocation)->value == ISA_VALUE_SUB) {
        const struct relocation *first = place->relocation - 1; /* it has stored the difference */
        if (place->relocation == place->section->relocations ||
            first->offset != place->relocation->offset ||
            relocation_type(first)->value != ISA_VALUE_S_A ||
            relocation_type(first)->place != ISA_PLACE_ULEB128)
            place_fail(
                place,
                "there is nothing to subtract from: no SET_ULEB128 precedes it at the same place");
        return;
    }
    if (subtraction)
        value -= relocation_target(subtraction);
    size_t length = leb128_length(place->bytes, place->section->patched + place->section->size);
    if (!length)
        place_fail(place, "the number runs past the end of the section");
    else if (leb128_size_unsigned(value) > length)
        place_fail(place, "the value needs more bytes than the object has left for it");
    else
        leb128_fill_unsigned(place->bytes, length, value);
}
