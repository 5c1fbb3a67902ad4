/* The place that a relocation changes: what stands there, messages about it, putting values in.
 *
 * Terms are those of the psABI, "Relocations": S the symbol's address, A the addend, P the address
 * of the place. */
#ifndef LD_PLACE_H
#define LD_PLACE_H

#include "ld/linker.h"

#define LOW_BITS 12 /* of an address split into a high and a low part: psABI */

struct place {
    struct linker *linker;
    struct section *section;
    const struct relocation *relocation;
    unsigned char *bytes; /* at the place */
    uint64_t s, p;
    int64_t a;
};

/* An error that names the relocation, the symbol, the place and the function around it. */
void place_fail(const struct place *place, const char *why);
/* The same for a value (`what`: "distance") that leaves the range, with what to do about it. */
void place_fail_range(const struct place *place, const char *what, int64_t value, int64_t minimum,
                      int64_t maximum);

/* S + A - P */
int64_t place_distance(const struct place *place);

/* Puts a value into a field of the instruction at `bytes`, cut to the field's bits. */
void place_insert(unsigned char *bytes, const struct isa_field *field, int64_t value);
/* The same for a value that the field must hold, of which it has the multiples of 1 << lowest. */
void place_insert_distance(const struct place *place, const struct isa_field *field,
                           int64_t distance);
/* The high part of a value: (v + 0x800) >> 12, rounded because the low part that is added to it is
 * signed. */
int64_t place_high_part(int64_t value);
/* Is the value one that high and low part can make, when the high part has the field? */
bool place_has_high_part(const struct isa_field *field, int64_t value);
void place_insert_high(const struct place *place, const struct isa_field *field, const char *what,
                       int64_t value);

/* Data: numbers, sums, ULEB128 (apply_data.c). */
void place_apply_datum(const struct place *place, int64_t value);
void place_set_datum(const struct place *place, uint64_t value); /* whatever its size */
void place_apply_sum(const struct place *place);
void place_apply_uleb128(const struct place *place);

#endif
