/* The place that a relocation changes: reading it, writing values to it, and messages about it.
 *
 * Terms are those of the psABI, "Relocations": S is the address of the symbol, A the addend, P the
 * address of the place. */
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

/* Reports an error with the relocation, the symbol, the place and the function around it. */
void place_fail(const struct place *place, const char *why);
/* The same for a value (`what`: "distance") that is out of range, with advice. */
void place_fail_range(const struct place *place, const char *what, int64_t value, int64_t minimum,
                      int64_t maximum);

/* Returns S + A - P. */
int64_t place_distance(const struct place *place);

/* Puts a value into a field of the instruction at `bytes`, truncated to the field's bits. */
void place_insert(unsigned char *bytes, const struct isa_field *field, int64_t value);
/* The same for a distance that must fit in the field, which holds multiples of 1 << lowest. */
void place_insert_distance(const struct place *place, const struct isa_field *field,
                           int64_t distance);
/* Returns the high part of a value: (v + 0x800) >> 12. It is rounded because the low part that is
 * added to it is signed. */
int64_t place_high_part(int64_t value);
/* Can a high part with this field and a low part make the value? */
bool place_has_high_part(const struct isa_field *field, int64_t value);
void place_insert_high(const struct place *place, const struct isa_field *field, const char *what,
                       int64_t value);

/* Data: numbers, sums, ULEB128 (apply_data.c). */
void place_apply_datum(const struct place *place, int64_t value);
void place_set_datum(const struct place *place, uint64_t value); /* any value is accepted */
void place_apply_sum(const struct place *place);
void place_apply_uleb128(const struct place *place);
/* Returns the relocation that subtracts at the same place, or NULL. Only the difference is then
 * stored. */
const struct relocation *place_subtraction(const struct place *place);

#endif
