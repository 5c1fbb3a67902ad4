#include "ld/pcrel.h"

#include "ld/got.h"
#include "ld/place.h"
#include "ld/symbol.h"

bool pcrel_is_high(const struct relocation *relocation)
{
    enum got_kind kind;

    return relocation_type(relocation)->place == ISA_PLACE_FIELD &&
           (relocation_type(relocation)->value == ISA_VALUE_HI_S_A_P ||
            got_kind_of(relocation, &kind));
}

struct relocation *pcrel_find_high(const struct relocation *low, size_t *count)
{
    const struct symbol *label = low->symbol;
    struct relocation *high = NULL;
    size_t all;

    *count = 0;
    if (label->state != SYMBOL_DEFINED || !label->section || !label->section->live)
        return NULL;
    struct relocation *at = section_relocations_at(label->section, label->value, low, &all);
    for (size_t i = 0; i < all; i++) {
        if (!pcrel_is_high(&at[i]))
            continue;
        high = high ? high : &at[i];
        ++*count;
    }
    return high;
}

uint64_t pcrel_target(const struct linker *linker, const struct relocation *high)
{
    enum got_kind kind;

    return got_kind_of(high, &kind) ? got_address(linker, high->symbol, kind)
                                    : relocation_target(high);
}

bool pcrel_is_absolute(const struct linker *linker, const struct relocation *high, uint64_t place,
                       uint64_t target)
{
    const struct isa_field *field = relocation_type(high)->field;
    enum isa_value value = relocation_type(high)->value;

    if (value != ISA_VALUE_HI_S_A_P && value != ISA_VALUE_HI_GOT_P)
        return false;
    if (linker->config.pie)
        return value == ISA_VALUE_HI_S_A_P && !symbol_moves(linker, high->symbol);
    return !place_has_high_part(field, (int64_t)(target - place)) &&
           place_has_high_part(field, (int64_t)target);
}
