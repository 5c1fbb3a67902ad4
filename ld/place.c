/* Ranges follow from the fields in the ISA description. No value is truncated silently. */
#include "ld/place.h"

#include "ld/source_line.h"
#include "ld/symbol.h"
#include "lib/bytes.h"

static const char *remedy(const struct relocation *relocation)
{
    switch (relocation_type(relocation)->value) {
    case ISA_VALUE_S_A_P:
        if (relocation_type(relocation)->place == ISA_PLACE_FIELD)
            return "bring the two closer, or go there with 'call' or 'tail'";
        return "bring the two closer, or store a 64-bit distance";
    case ISA_VALUE_S_A:
        return "use a 64-bit datum, or put the symbol at a lower address";
    case ISA_VALUE_SUB:
        return "store it in a wider datum";
    case ISA_VALUE_HI_S_A:
        return "put the symbol within 2 GiB of address 0, or use a pc-relative address "
               "(-mcmodel=medany)";
    case ISA_VALUE_HI_TPREL:
        return "use less thread-local data";
    default:
        return "bring the two within 2 GiB, or load the address from memory";
    }
}

/* Returns "'name'", or the address where a relocation has no symbol. */
static const char *target_text(struct linker *linker, const struct relocation *relocation)
{
    if (*relocation->symbol->name || relocation->symbol->type == STT_SECTION)
        return symbol_text(linker, relocation->symbol);
    return arena_format(&linker->arena, "address 0x%llx",
                        (unsigned long long)relocation_target(relocation));
}

/* Adds the source line of the place to the error, if the object has debug information. */
static void note_line(const struct place *place)
{
    struct position line;

    if (source_line_find(place->linker, place->section, place->relocation->offset, &line))
        diag_note(&place->linker->diag, &line, "the instruction or datum is on this line");
}

void place_fail_range(const struct place *place, const char *what, int64_t value, int64_t minimum,
                      int64_t maximum)
{
    struct linker *linker = place->linker;
    const struct relocation *relocation = place->relocation;

    if (linker->diag.quiet) {
        linker->diag.errors++;
        return;
    }
    struct position at = place_position(linker, place->section, relocation->offset);

    diag_error(&linker->diag, &at,
               "relocation %s against %s%s: %s %s0x%llx is out of range %lld..%lld; %s",
               relocation_type(relocation)->name, target_text(linker, relocation),
               place_function(linker, place->section, relocation->offset), what,
               value < 0 ? "-" : "",
               value < 0 ? -(unsigned long long)value : (unsigned long long)value,
               (long long)minimum, (long long)maximum, remedy(relocation));
    note_line(place);
}

void place_fail(const struct place *place, const char *why)
{
    struct linker *linker = place->linker;
    const struct relocation *relocation = place->relocation;

    if (linker->diag.quiet) {
        linker->diag.errors++;
        return;
    }
    struct position at = place_position(linker, place->section, relocation->offset);

    diag_error(&linker->diag, &at, "relocation %s against %s%s: %s",
               relocation_type(relocation)->name, target_text(linker, relocation),
               place_function(linker, place->section, relocation->offset), why);
    note_line(place);
}

void place_insert(unsigned char *bytes, const struct isa_field *field, int64_t value)
{
    bytes_put(bytes, isa_insert(field, bytes_get(bytes, field->length), value), field->length);
}

/* Checks a distance for a field that holds multiples of 1 << lowest. */
void place_insert_distance(const struct place *place, const struct isa_field *field,
                           int64_t distance)
{
    int64_t half = INT64_C(1) << (field->bits - 1), step = INT64_C(1) << field->lowest;

    if (distance < -half || distance > half - step)
        place_fail_range(place, "distance", distance, -half, half - step);
    else if (distance & (step - 1))
        place_fail(place,
                   arena_format(
                       &place->linker->arena,
                       "distance 0x%llx is not a multiple of %lld; align the target to %lld bytes",
                       (unsigned long long)distance, (long long)step, (long long)step));
    else
        place_insert(place->bytes, field, distance);
}

int64_t place_high_part(int64_t value)
{
    /* Addresses wrap around at 64 bits. */
    return (int64_t)((uint64_t)value + (UINT64_C(1) << (LOW_BITS - 1))) >> LOW_BITS;
}

/* Computes the smallest and the largest value that a high part with this field can make. */
static void high_range(const struct isa_field *field, int64_t *minimum, int64_t *maximum)
{
    int64_t half = INT64_C(1) << (field->bits - 1 + LOW_BITS), rounding = INT64_C(1)
                                                                          << (LOW_BITS - 1);

    *minimum = -half - rounding;
    *maximum = half - rounding - 1;
}

bool place_has_high_part(const struct isa_field *field, int64_t value)
{
    int64_t minimum, maximum;

    high_range(field, &minimum, &maximum);
    return value >= minimum && value <= maximum;
}

void place_insert_high(const struct place *place, const struct isa_field *field, const char *what,
                       int64_t value)
{
    int64_t minimum, maximum;

    high_range(field, &minimum, &maximum);
    if (value < minimum || value > maximum)
        place_fail_range(place, what, value, minimum, maximum);
    else
        place_insert(place->bytes, field, place_high_part(value));
}

int64_t place_distance(const struct place *place)
{
    return (int64_t)(place->s + (uint64_t)place->a - place->p);
}
