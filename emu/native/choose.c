/* The choice of stencils: by where the operands of an instruction are, and by what is known of
 * them. See parts.h. */
#include "emu/decode/access.h"
#include "emu/native/parts.h"

unsigned native_find_walk(const struct native *native, const struct decoded *record)
{
    int row = native_row_of(record);

    return row >= 0 && row < WALKS && native->host_of[FIRST_WALK + row] != NOT_PINNED
               ? FIRST_WALK + (unsigned)row
               : 0;
}

/* Returns the kind of the stencils for the value of an operand of the instruction, or KIND_USUAL.
 * KIND_COMMON: it rounds as the host does, or in the mode in frm, which is that in common code. */
static enum stencil_kind special_kind(const struct shape *shape, const struct decoded *record)
{
    for (unsigned slots = shape->modes; slots; slots &= slots - 1)
        switch (record->r[__builtin_ctz(slots)]) {
        case FLOAT_RTZ:
            return KIND_TO_ZERO;
        case FLOAT_RNE:
        case ISA_VALUE_ROUNDING_MODE_DYN:
            return KIND_COMMON;
        }
    if (shape->has_pair && record->r[1] == record->r[2])
        return KIND_EQUAL;
    if (shape->has_immediate && record->imm[0] == 0)
        return KIND_ZERO;
    return host_knows(record->imm[0]) ? KIND_IMMEDIATE : KIND_USUAL;
}

/* Returns the kind of the stencils for the common case, or KIND_USUAL. */
static enum stencil_kind common_kind(enum stencil_kind kind, bool boxed)
{
    switch (kind) {
    case KIND_TO_ZERO:
        return KIND_COMMON_TO_ZERO;
    case KIND_COMMON:
        return boxed ? KIND_COMMON_BOXED : KIND_COMMON;
    default:
        return KIND_USUAL;
    }
}

/* What the choice of a stencil depends on, which is remembered as one number. */
struct wish {
    uint16_t number;       /* the id of the instruction plus 1, so that no wish is 0 */
    uint8_t places, zeros; /* of operands; the same with PLACE_ZERO where that may be */
    uint8_t kind, special; /* enum stencil_kind: the usual one, and that for a value */
    uint8_t facts;         /* bits of enum wish_fact */
    uint8_t unused;
};

enum wish_fact {
    WISH_BOXED = 1,  /* all operands are NaN-boxed */
    WISH_COMMON = 2, /* ARITHMETIC_COMMON */
    WISH_EXACT = 4,  /* rare cases are inline */
};

_Static_assert(sizeof(struct wish) == sizeof(uint64_t), "the wish is a number");

/* Returns the stencil for what is known of the operands, or NULL. If it only has the common case,
 * sets *usual to the one for all cases. */
static const struct stencil *find_special(const struct wish *wish, unsigned places,
                                          const struct stencil **usual)
{
    enum stencil_kind common = common_kind(wish->special, wish->facts & WISH_BOXED),
                      kind = wish->special == KIND_COMMON ? KIND_USUAL
                             : wish->special == KIND_USUAL && wish->facts & WISH_BOXED
                                 ? KIND_BOXED
                                 : wish->special;
    const struct stencil *stencil =
        wish->facts & WISH_EXACT ? stencil_find(wish->number - 1u, places, KIND_EXACT) : NULL;

    if (!stencil && (kind != KIND_USUAL || common != KIND_USUAL))
        stencil = stencil_find(wish->number - 1u, places, kind);
    if (!stencil || common == KIND_USUAL || !(wish->facts & WISH_COMMON))
        return stencil;
    const struct stencil *found = stencil_find(wish->number - 1u, places, common);
    if (!found)
        return stencil;
    *usual = stencil;
    return found;
}

/* Returns the stencil of the kind with zeros where that is possible, or else without them. */
static const struct stencil *find_either(const struct wish *wish, enum stencil_kind kind)
{
    const struct stencil *stencil = stencil_find(wish->number - 1u, wish->zeros, kind);

    return stencil || wish->zeros == wish->places
               ? stencil
               : stencil_find(wish->number - 1u, wish->places, kind);
}

/* Finds the stencils for the wish. */
static struct chosen find_stencils(const struct wish *wish)
{
    struct chosen chosen = {NULL, NULL};

    if (wish->kind == KIND_USUAL)
        chosen.stencil = find_special(wish, wish->zeros, &chosen.usual);
    if (wish->kind == KIND_USUAL && !chosen.stencil && wish->zeros != wish->places)
        chosen.stencil = find_special(wish, wish->places, &chosen.usual);
    if (!chosen.stencil)
        chosen.stencil = find_either(wish, wish->kind);
    if (!chosen.stencil && wish->kind == KIND_PLAIN)
        chosen.stencil = find_either(wish, KIND_UNCHECKED);
    return chosen;
}

static unsigned place_in(unsigned slot, enum stencil_place place)
{
    return (unsigned)place << slot * STENCIL_PLACE_BITS;
}

/* Finds the places of the operands, and fills in their registers of the host. *zeros: the same with
 * PLACE_ZERO where that is possible. Has no branches, which would be taken at random. */
static inline unsigned find_places(const struct native *native, const struct decoded *record,
                                   const struct shape *shape, struct filling *filling,
                                   unsigned *zeros)
{
    enum { HIGH = 0x80 }; /* set in NOT_PINNED only */
    unsigned first = record->r[0], second = record->r[1], third = record->r[2],
             host0 = native->host_of[first], host1 = native->host_of[second],
             host2 = native->host_of[third], result = shape->writes & 1 ? first : NOT_PINNED;
    unsigned in_memory = place_in(0, (host0 & HIGH) / HIGH) | place_in(1, (host1 & HIGH) / HIGH) |
                         place_in(2, (host2 & HIGH) / HIGH),
             same = place_in(1, second == result) | place_in(2, third == result),
             nowhere = place_in(0, !(first & ~(unsigned)SINK)) |
                       place_in(1, !(second & ~(unsigned)SINK)) |
                       place_in(2, !(third & ~(unsigned)SINK)),
             places = shape->places & ~in_memory;

    places += places & same; /* PLACE_FIRST */
    *zeros = places | (nowhere & shape->places) * PLACE_ZERO;
    if (!shape->has_floats) {
        filling->registers[0] = (uint8_t)host0;
        filling->registers[1] = (uint8_t)host1;
        filling->registers[2] = (uint8_t)host2;
        return places;
    }
    for (unsigned slot = 0; slot < STENCIL_OPERANDS; slot++)
        if (places & place_in(slot, PLACE_ZERO))
            filling->registers[slot] = native->host_of[record->r[slot]];
    return places;
}

/* Has the stencil find the position of the walk in its register of the host, and what a step adds
 * if that is pinned for elements of this size. */
static unsigned place_walk(const struct native *native, const struct decoded *record, unsigned walk,
                           unsigned places, struct filling *filling)
{
    unsigned row = walk - FIRST_WALK, element = access_of(record->id)->element;

    filling->registers[2] = native->host_of[walk];
    places = (places & ~place_in(2, PLACE_ZERO)) | place_in(2, PLACE_REGISTER);
    if (!element || row >= STEPS || native->elements[row] != element ||
        native->host_of[FIRST_STEP + row] == NOT_PINNED)
        return places;
    filling->registers[1] = native->host_of[FIRST_STEP + row];
    return (places & ~place_in(1, PLACE_ZERO)) | place_in(1, PLACE_REGISTER);
}

/* Says in the hole of a stencil with a rounding mode where the mode is: in frm, or where it is that
 * of the instruction. */
static void place_mode(const struct shape *shape, const struct decoded *record,
                       struct filling *filling)
{
    unsigned mode = record->r[__builtin_ctz(shape->modes)];

    filling->values[HOLE_VALUE] =
        mode == ISA_VALUE_ROUNDING_MODE_DYN
            ? (int64_t)offsetof(struct hart, frm)
            : (int64_t)(offsetof(struct hart, native_rounding) + mode * sizeof(unsigned));
}

struct chosen native_choose(const struct run *run, const struct decoded *record,
                            const struct shape *shape, unsigned id, struct filling *filling,
                            enum stencil_kind kind)
{
    const struct native *native = run->native;
    unsigned zeros, places = find_places(native, record, shape, filling, &zeros);
    unsigned walk = shape->is_walk ? native_find_walk(native, record) : 0;
    unsigned special = KIND_USUAL, facts = 0;

    if (walk) {
        places = place_walk(native, record, walk, places, filling);
        zeros = place_walk(native, record, walk, zeros, filling);
    }
    if (kind == KIND_USUAL)
        special = special_kind(shape, record);
    else if (kind == KIND_UNCHECKED && record->imm[0] == 0)
        kind = KIND_PLAIN;
    if (shape->modes)
        place_mode(shape, record, filling);
    if (shape->has_floats)
        facts = (native_is_boxed(run, record) ? WISH_BOXED : 0) |
                (run->arithmetic & ARITHMETIC_COMMON ? WISH_COMMON : 0) |
                (run->is_exact ? WISH_EXACT : 0);
    /* In the order of struct wish; the host is little-endian. */
    uint64_t key =
        (id + 1) | places << 16 | zeros << 24 | (uint64_t)(kind | special << 8 | facts << 16) << 32;
    struct remembered *remembered =
        &run->native->remembered[key * 0x9e3779b97f4a7c15 >> (64 - CHOICE_BITS)];
    if (__builtin_expect(remembered->key != key, 0)) {
        struct wish wish;
        memcpy(&wish, &key, sizeof wish);
        *remembered = (struct remembered){key, find_stencils(&wish)};
    }
    return remembered->chosen;
}
