/* The native code of one instruction: its stencil, the check of its memory access, and what is
 * known of registers. See parts.h. */
#include "emu/access.h"
#include "emu/csr.h"
#include "emu/native/parts.h"
#include "instruction_ids.h"

#include <limits.h>
#include <stdlib.h>

/* Returns the number of the guest's floating-point register that the operand is, or -1. */
static int float_register_of(const struct decoded *record, const struct isa_operand *operand)
{
    return native_is_float_register(operand) && operand->type->kind == ISA_REGISTER
               ? record->r[operand->slot_index]
               : -1;
}

/* Is the operand a group of floating-point registers, which stencils have in memory? */
static bool is_float_group(const struct isa_operand *operand)
{
    return native_is_float_register(operand) && operand->type->kind == ISA_REGISTER_GROUP;
}

static void move_float(struct native *native, unsigned id, unsigned number, unsigned host)
{
    struct filling filling = {.registers = {(uint8_t)host}};

    filling.values[HOLE_OFFSET] = number * 8;
    native_add(native, stencil_glue(id), &filling);
}

void native_count_floats(struct native *native, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    if (!native_shape(native, record->id)->has_floats)
        return;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        int number = float_register_of(record, operand);
        if (number >= 0)
            native->float_uses[number]++;
        /* The registers of a group are in memory, so they are better not pinned. */
        for (unsigned k = 0; is_float_group(operand) && k < operand->type->group_count; k++)
            native->float_uses[record->r[operand->slot_index] + k] -= 2;
    }
}

/* Moves the pinned registers of the group to memory or back. */
static void move_group(struct native *native, const struct decoded *record,
                       const struct isa_operand *operand, unsigned id)
{
    unsigned first = record->r[operand->slot_index];

    for (unsigned number = first; number < first + operand->type->group_count; number++)
        if (native->float_host_of[number] != NOT_PINNED)
            move_float(native, id, number, native->float_host_of[number]);
}

/* Says in which registers of the host the floating-point operands are. Those that are not pinned
 * come from memory. */
static void place_floats(struct native *native, const struct decoded *record,
                         struct filling *filling)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        int number = float_register_of(record, operand);
        if (is_float_group(operand) && operand->type->access & ISA_READ)
            move_group(native, record, operand, STENCIL_glue_spill_float);
        if (number < 0)
            continue;
        unsigned host = native->float_host_of[number];
        if (host == NOT_PINNED) {
            host = HOST_FLOAT_OPERAND + operand->slot_index;
            if (operand->type->access & ISA_READ)
                move_float(native, STENCIL_glue_fill_float, (unsigned)number, host);
        }
        filling->registers[operand->slot_index] = (uint8_t)host;
    }
}

/* Puts the floating-point register that the instruction has written into memory, unless it is
 * pinned; those of a group are in memory, and go to their pins. */
static void keep_floats(struct native *native, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        int number = float_register_of(record, operand);
        if (number >= 0 && operand->type->access & ISA_WRITE &&
            native->float_host_of[number] == NOT_PINNED)
            move_float(native, STENCIL_glue_spill_float, (unsigned)number,
                       HOST_FLOAT_OPERAND + operand->slot_index);
        if (is_float_group(operand) && operand->type->access & ISA_WRITE)
            move_group(native, record, operand, STENCIL_glue_fill_float);
    }
}

/* Returns the number of the position of the walk if it is pinned; else 0. */
static unsigned find_walk(const struct native *native, const struct decoded *record)
{
    int row = native_row_of(record);

    return row >= 0 && row < WALKS && native->host_of[FIRST_WALK + row] != NOT_PINNED
               ? FIRST_WALK + (unsigned)row
               : 0;
}

/* Moves the pinned operands that the instruction reads (or has written) to memory (or back). */
static void move_operands(struct native *native, const struct decoded *record, unsigned access,
                          unsigned id)
{
    const struct shape *shape = native_shape(native, record->id);
    unsigned slots = access == ISA_READ ? shape->reads : shape->writes;

    for (; slots; slots &= slots - 1) {
        unsigned number = record->r[__builtin_ctz(slots)];
        if (number < SINK && native->host_of[number] != NOT_PINNED)
            native_move_pin(native, id, number);
    }
}

/* Returns the kind of the stencils for the value of an operand of the instruction, or KIND_USUAL.
 */
static enum stencil_kind special_kind(const struct shape *shape, const struct decoded *record)
{
    for (unsigned slots = shape->modes; slots; slots &= slots - 1)
        switch (record->r[__builtin_ctz(slots)]) {
        case FLOAT_RNE:
            return KIND_NEAREST;
        case FLOAT_RTZ:
            return KIND_TO_ZERO;
        case ISA_VALUE_ROUNDING_MODE_DYN:
            return KIND_DYNAMIC;
        }
    if (shape->has_pair && record->r[1] == record->r[2])
        return KIND_EQUAL;
    if (shape->has_immediate && record->imm[0] == 0)
        return KIND_ZERO;
    return host_knows(record->imm[0]) ? KIND_IMMEDIATE : KIND_USUAL;
}

/* Are the single-precision numbers that the instruction reads known to be NaN-boxed? */
static bool is_boxed(const struct run *run, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];
    bool found = false;

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (!native_is_float_register(operand) || !(operand->type->access & ISA_READ) ||
            operand->type->view != ISA_VIEW_F32)
            continue;
        if (operand->type->kind != ISA_REGISTER ||
            !(run->boxed >> record->r[operand->slot_index] & 1))
            return false;
        found = true;
    }
    return found;
}

/* Notes which registers are NaN-boxed after the stencil of the instruction, which has left if those
 * that it reads as single-precision numbers are not. */
static void note_boxes_read(struct run *run, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (!native_is_float_register(operand) || operand->type->access != ISA_READ ||
            operand->type->view != ISA_VIEW_F32 || operand->type->kind != ISA_REGISTER)
            continue;
        uint32_t mask = (uint32_t)1 << record->r[operand->slot_index];
        run->wanted.boxed |= mask & ~run->boxed;
        run->boxed |= mask;
    }
}

/* Notes which registers the instruction makes NaN-boxed. Groups are of single precision. */
static void note_boxes(struct run *run, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (!native_is_float_register(operand) || !(operand->type->access & ISA_WRITE))
            continue;
        uint32_t mask = (uint32_t)1 << record->r[operand->slot_index];
        if (operand->type->view == ISA_VIEW_F64 || operand->type->view == ISA_VIEW_U64)
            run->boxed &= ~mask;
        else if (operand->type->kind == ISA_REGISTER)
            run->boxed |= mask;
    }
}

/* Returns the kind of the stencils for the common case, or KIND_USUAL. */
static enum stencil_kind common_kind(enum stencil_kind kind, bool boxed)
{
    switch (kind) {
    case KIND_TO_ZERO:
        return KIND_COMMON_TO_ZERO;
    case KIND_DYNAMIC:
        return boxed ? KIND_COMMON_BOXED : KIND_COMMON_DYNAMIC;
    default:
        return KIND_USUAL;
    }
}

/* What the choice of a stencil depends on: fields of one number, which is made in a register. */
struct wish {
    uint64_t number : 16;           /* the id of the instruction plus 1, so that no wish is 0 */
    uint64_t places : 8, zeros : 8; /* of operands; the same with PLACE_ZERO where that may be */
    uint64_t kind : 8, special : 8; /* enum stencil_kind: the usual one, and that for a value */
    uint64_t is_boxed : 8, is_common : 8; /* all operands are NaN-boxed; ARITHMETIC_COMMON */
};

/* Returns the stencil for what is known of the operands, or NULL. If it only has the common case,
 * sets *usual to the one for all cases. */
static const struct stencil *find_special(const struct wish *wish, unsigned places,
                                          const struct stencil **usual)
{
    enum stencil_kind common = common_kind(wish->special, wish->is_boxed),
                      kind = wish->special == KIND_USUAL && wish->is_boxed ? KIND_BOXED
                                                                           : wish->special;
    const struct stencil *stencil =
        kind != KIND_USUAL ? stencil_find(wish->number - 1u, places, kind) : NULL;

    if (!stencil || common == KIND_USUAL || !wish->is_common)
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
    unsigned first = record->r[0], second = record->r[1], third = record->r[2],
             host0 = native->host_of[first], host1 = native->host_of[second],
             host2 = native->host_of[third], result = shape->writes & 1 ? first : NOT_PINNED;
    unsigned held = place_in(0, host0 != NOT_PINNED) | place_in(1, host1 != NOT_PINNED) |
                    place_in(2, host2 != NOT_PINNED),
             same = place_in(1, second == result) | place_in(2, third == result),
             nowhere = place_in(0, !(first & ~(unsigned)SINK)) |
                       place_in(1, !(second & ~(unsigned)SINK)) |
                       place_in(2, !(third & ~(unsigned)SINK)),
             places = held & shape->places;

    places += places & same; /* PLACE_FIRST */
    *zeros = places | (nowhere * PLACE_ZERO & shape->places * PLACE_ZERO);
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

/* Finds the stencils of the instruction `id`, which has the operands of the record, where these
 * are. What was found before is kept. */
static struct chosen choose(const struct run *run, const struct decoded *record,
                            const struct shape *shape, unsigned id, struct filling *filling,
                            enum stencil_kind kind)
{
    const struct native *native = run->native;
    unsigned zeros, places = find_places(native, record, shape, filling, &zeros);
    unsigned walk = shape->is_walk ? find_walk(native, record) : 0;
    struct wish wish = {.number = id + 1, .kind = kind};

    if (walk) {
        places = place_walk(native, record, walk, places, filling);
        zeros = place_walk(native, record, walk, zeros, filling);
    }
    wish.places = places;
    wish.zeros = zeros;
    if (kind == KIND_USUAL)
        wish.special = special_kind(shape, record);
    else if (kind == KIND_UNCHECKED && record->imm[0] == 0)
        wish.kind = KIND_PLAIN;
    if (shape->has_floats) {
        wish.is_boxed = is_boxed(run, record);
        wish.is_common = run->arithmetic & ARITHMETIC_COMMON;
    }
    uint64_t key;
    _Static_assert(sizeof key == sizeof wish, "the wish is a number");
    memcpy(&key, &wish, sizeof key);
    struct remembered *remembered =
        &run->native->remembered[key * 0x9e3779b97f4a7c15 >> (64 - CHOICE_BITS)];
    if (__builtin_expect(remembered->key != key, 0))
        *remembered = (struct remembered){key, find_stencils(&wish)};
    return remembered->chosen;
}

static bool has_sum(const struct decoded *record)
{
    return access_of(record->id)->bytes || access_of(record->id)->is_sum;
}

/* Returns the register that is the base of the access of the instruction, or 0. */
static unsigned base_of(const struct decoded *record)
{
    const struct access *access = access_of(record->id);

    return access->bytes ? record->r[access->base] : 0;
}

/* Extends the range to the access. Returns false if it would be longer than a page. */
static bool extend(struct checked *range, const struct decoded *record)
{
    const struct access *access = access_of(record->id);
    int64_t first = record->imm[access->offset], end = first + access->bytes;

    if (range->end > range->first) {
        first = first < range->first ? first : range->first;
        end = end > range->end ? end : range->end;
    }
    if (end - first > (int64_t)MEMORY_PAGE)
        return false;
    *range = (struct checked){range->read || !access->is_store, range->write || access->is_store,
                              first, end};
    return true;
}

static bool is_covered(const struct checked *range, const struct decoded *record)
{
    const struct access *access = access_of(record->id);
    int64_t first = record->imm[access->offset];

    return first >= range->first && first + access->bytes <= range->end &&
           (access->is_store ? range->write : range->read);
}

/* May the host's memory management find out whether the access faults? If so, the instruction has
 * changed nothing. */
static bool can_fault(const struct native *native, const struct decoded *record)
{
    unsigned effects = isa_instructions[record->id].effects & ~ISA_EFFECT_TRAP,
             results = native_shape(native, record->id)->results;

    return access_of(record->id)->is_store ? effects == ISA_EFFECT_STORE && results == 0
                                           : effects == ISA_EFFECT_LOAD && results == 1;
}

/* Adds the check of the base of the access by this stencil, or the one after it where the base is
 * in memory. */
static void add_check_of(struct native *native, const struct decoded *record, unsigned base,
                         unsigned id, const struct checked *range)
{
    struct filling filling = {0};

    native_clear(native, copier_uses(stencil_glue(id)));
    filling.registers[0] = native->host_of[base];
    filling.values[HOLE_OFFSET] = base * 8;
    filling.values[HOLE_PC] = (int64_t)record->pc;
    filling.values[HOLE_REMAINING] = record->remaining;
    filling.values[HOLE_IMMEDIATE] = range->first;
    filling.values[HOLE_IMMEDIATE + 1] = range->end - 1;
    native_add(native, stencil_glue(id + (native->host_of[base] == NOT_PINNED)), &filling);
}

static void note_checked(struct run *run, unsigned number, struct checked range)
{
    run->checked[number] = range;
    run->ranges |= (uint32_t)1 << number;
}

/* Makes a check that the base of the access is a guest address, unless that is known. */
static void add_base_check(struct run *run, const struct decoded *record, unsigned base)
{
    struct native *native = run->native;

    note_checked(run, base, (struct checked){true, true, -MARGIN, MARGIN});
    run->wanted.bases |= 1u << base;
    if (run->known >> base & 1 && run->values[base] < MEMORY_LIMIT)
        return;
    add_check_of(native, record, base, STENCIL_glue_check_base_r, &(struct checked){0});
}

/* Does the instruction of a walk access its element? All addresses of a streak are low. Stencils
 * whose access is unchecked exist where its position is pinned. */
static bool is_walk_access(const struct decoded *record)
{
    return isa_instructions[record->id].effects & (ISA_EFFECT_LOAD | ISA_EFFECT_STORE);
}

/* Makes one check for all accesses of the block with the same base, from this one on. Returns
 * whether this one must still be checked. */
static bool add_check(struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    unsigned base = base_of(record), count = 0;
    struct checked range = {0};

    if (native->is_mirror && native_use_of(run, record)->shape->is_walk &&
        find_walk(native, record) && is_walk_access(record)) {
        native->unchecked = record;
        return false;
    }
    if (!base || (native->is_mirror && native_is_checked(native, record->pc)))
        return true;
    if (native->is_mirror) {
        const struct checked reach = {true, true, -MARGIN, MARGIN};
        if (!can_fault(native, record) || !is_covered(&reach, record))
            return true;
        unsigned checked = native_find_base(run, base);
        if (checked && !is_covered(&run->checked[base], record) &&
            !(checked != base && native_is_near(&run->checked[checked])))
            add_base_check(run, record, checked);
        native->unchecked = record;
        /* If it does not fault, its address is in memory. */
        int64_t distance = record->imm[access_of(record->id)->offset];
        note_checked(run, base, (struct checked){true, true, distance - MARGIN, distance + MARGIN});
        return false;
    }
    if (is_covered(&run->checked[base], record))
        return false;
    for (const struct decoded *at = record;; at++) {
        if (base_of(at) == base && extend(&range, at))
            count++;
        if (at->remaining == 1 || native_use_of(run, at)->writes >> base & 1)
            break;
    }
    if (count < 2)
        return true;
    unsigned id = range.read && range.write ? STENCIL_glue_check_both_r
                  : range.read              ? STENCIL_glue_check_read_r
                                            : STENCIL_glue_check_write_r;
    add_check_of(native, record, base, id, &range);
    note_checked(run, base, range);
    return false;
}

static void forget_checked(struct run *run, unsigned number)
{
    run->checked[number] = (struct checked){0};
    run->ranges &= ~((uint32_t)1 << number);
}

/* Forgets what was known of the registers that the instruction writes. */
static void note_writes(struct run *run, const struct decoded *record)
{
    uint32_t writes = native_use_of(run, record)->writes;

    run->known &= ~writes;
    run->native->places.words &= ~writes;
    if (run->is_word)
        run->native->places.words |= writes;
    native_forget_reach(run, writes);
    for (writes &= run->ranges; writes; writes &= writes - 1)
        forget_checked(run, (unsigned)__builtin_ctz(writes));
}

/* Notes what the instruction writes. What was checked at distances from the base of a sum holds at
 * other distances from the sum. */
static void note_sum(struct run *run, const struct decoded *record)
{
    const struct access *access = access_of(record->id);
    bool is_sum = access->is_sum && record->r[access->result] != SINK;
    struct checked checked = is_sum ? run->checked[record->r[access->base]] : (struct checked){0};
    bool has_reach = native_use_of(run, record)->shape->has_reach;
    struct reach reach = has_reach ? native_find_reach(run, record) : (struct reach){0};

    note_writes(run, record);
    if (has_reach)
        native_note_reach(run, record, reach);
    if (checked.first == checked.end)
        return;
    checked.first -= record->imm[access->offset];
    checked.end -= record->imm[access->offset];
    note_checked(run, record->r[access->result], checked);
}

void native_know_only(struct run *run, const struct facts *facts)
{
    run->known = 1; /* zero */
    run->boxed = facts->boxed;
    run->arithmetic = facts->arithmetic;
    native_open_places(run->native);
    memset(run->checked, 0, sizeof run->checked);
    run->ranges = run->small = run->sums = run->bases = 0;
    for (uint32_t bases = facts->bases; bases; bases &= bases - 1)
        note_checked(run, (unsigned)__builtin_ctz(bases),
                     (struct checked){true, true, -NEAR, NEAR});
}

struct facts native_useful_facts(const struct run *run)
{
    struct facts facts = {.boxed = run->boxed, .arithmetic = run->arithmetic & ARITHMETIC_COMMON};

    for (unsigned i = 1; i < ISA_X_REGISTERS && run->native->is_mirror; i++)
        if (native_is_near(&run->checked[i]))
            facts.bases |= 1u << i;
    return (facts.bases & run->wanted.bases) || (facts.boxed & run->wanted.boxed) ||
                   (facts.arithmetic & run->wanted.arithmetic)
               ? facts
               : (struct facts){0};
}

/* If the instruction gives a constant, returns the operand that it is written to, or else NULL. */
static const struct isa_operand *find_result(const struct run *run, const struct decoded *record)
{
    const struct use *use = native_use_of(run, record);
    const struct shape *shape = use->shape;
    const struct isa_operand *result = shape->result;

    if (!result || use->reads & ~run->known ||
        (!shape->gives_float && record->r[result->slot_index] == SINK))
        return NULL;
    return result;
}

/* Computes the constant by the interpreter. */
static uint64_t compute(const struct run *run, const struct decoded *record,
                        const struct isa_operand *result)
{
    struct machine *machine = run->native->machine;
    const struct use *use = native_use_of(run, record);
    bool gives_float = native_shape(run->native, record->id)->gives_float;
    uint64_t *x = machine->hart.x,
             *place = &(gives_float ? machine->hart.f : x)[record->r[result->slot_index]];
    uint64_t saved[ISA_X_REGISTERS], old = *place;
    struct decoded copy = *record;

    for (uint32_t reads = use->reads; reads; reads &= reads - 1) {
        unsigned number = (unsigned)__builtin_ctz(reads);
        saved[number] = x[number];
        x[number] = run->values[number];
    }
    machine->code.executor->evaluate(machine, &copy);
    uint64_t value = *place;
    for (uint32_t reads = use->reads; reads; reads &= reads - 1)
        x[__builtin_ctz(reads)] = saved[__builtin_ctz(reads)];
    *place = old;
    return value;
}

/* Writes the constant to a register of floating point. Returns false if it has more bits than there
 * are stencils for. */
static bool add_float_constant(struct run *run, const struct decoded *record, uint64_t value)
{
    struct native *native = run->native;
    struct filling filling = {0};
    bool is_boxed = value >> 32 == UINT32_MAX;

    if (!is_boxed && (uint32_t)value != 0)
        return false;
    place_floats(native, record, &filling);
    filling.values[HOLE_OFFSET] = record->r[0] * 8;
    filling.values[HOLE_VALUE] = (int32_t)(is_boxed ? value : value >> 32);
    native_add(native,
               stencil_glue(is_boxed ? STENCIL_glue_constant_boxed : STENCIL_glue_constant_high),
               &filling);
    keep_floats(native, record);
    note_boxes(run, record);
    return true;
}

/* Adds an instruction that writes a constant to the operand. */
static bool add_constant(struct run *run, const struct decoded *record,
                         const struct isa_operand *result)
{
    struct native *native = run->native;
    struct filling filling = {0};

    uint64_t value = compute(run, record, result);
    if (native_shape(native, record->id)->gives_float)
        return result->slot_index == 0 && add_float_constant(run, record, value);
    unsigned number = record->r[result->slot_index];
    run->is_word = native_fits((int64_t)value);
    note_writes(run, record);
    run->known |= 1u << number;
    run->values[number] = value;
    if (!native_fits((int64_t)value))
        return false;
    if (!native_has_places(run, record))
        native_hold_operands(run, record, 0);
    filling.registers[0] = native->host_of[number];
    filling.values[HOLE_OFFSET] = number * 8;
    filling.values[HOLE_VALUE] = (int64_t)value;
    native_add(native,
               stencil_glue(native->host_of[number] == NOT_PINNED ? STENCIL_glue_constant_m
                                                                  : STENCIL_glue_constant_r),
               &filling);
    native_keep_results(run, record);
    return true;
}

/* Returns the temporaries that a stencil of the instruction changes. */
static unsigned uses_of(const struct chosen *chosen)
{
    return (chosen->stencil ? copier_uses(chosen->stencil) : 0) |
           (chosen->usual ? copier_uses(chosen->usual) : 0);
}

/* Can stencils have the immediates of the instruction? */
static bool has_room(const struct decoded *record)
{
    return native_fits(record->imm[0]) && native_fits(record->imm[1]) &&
           !(has_sum(record) && !host_can_add(record->imm[0]));
}

static inline struct filling filling_of(const struct decoded *record)
{
    return (struct filling){
        .values = {[HOLE_PC] = (int64_t)record->pc,
                   [HOLE_NEXT_PC] = (int64_t)record->pc + record->length,
                   [HOLE_REMAINING] = record->remaining,
                   [HOLE_IMMEDIATE] = record->imm[0],
                   [HOLE_IMMEDIATE + 1] = record->imm[1],
                   [HOLE_OFFSET] = record->r[0] * 8},
        .slots = record->slots,
    };
}

/* Adds the stencil of the instruction. Returns false if there is none. */
static bool add_stencil(struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    struct filling filling = filling_of(record);

    const struct shape *shape = native_use_of(run, record)->shape;
    if (!has_room(record) || (shape->is_walk && native_row_of(record) < 0) || !shape->has_stencil)
        return false;
    if (shape->is_walk)
        filling.values[HOLE_VALUE] = native_streak_of((unsigned)native_row_of(record));
    if (shape->is_flow || run->is_rare) {
        native_settle(native);
        native_forget_results(run, record);
    } else if (!native_has_places(run, record)) {
        native_hold_operands(run, record, base_of(record));
    }
    unsigned id = native_choose_width(run, record);
    if (shape->has_floats)
        place_floats(native, record, &filling);
    native->copier.taken = (struct copier_jump){0};
    size_t before = native->copier.hot;
    enum stencil_kind kind = add_check(run, record) ? KIND_USUAL : KIND_UNCHECKED;
    if (native->copier.hot != before)
        id = native_choose_width(run, record);
    struct chosen chosen = choose(run, record, shape, id, &filling, kind);
    if (shape->is_walk)
        chosen.usual =
            stencil_glue(find_walk(native, record) ? STENCIL_glue_turn_r : STENCIL_glue_turn_m);
    unsigned uses = uses_of(&chosen) & HOST_TEMPORARY_BITS;
    if (uses && uses & native_held_by(run, record)) {
        native_clear(native, UINT_MAX);
        id = native_choose_width(run, record);
        const struct stencil *turn = chosen.usual;
        chosen = choose(run, record, shape, id, &filling, kind);
        if (shape->is_walk)
            chosen.usual = turn;
    }
    if (run->is_rare)
        native_begin_rare(native, record);
    if (chosen.stencil) {
        if (chosen.usual)
            native_add_common(native, chosen.stencil, chosen.usual, shape->is_walk, &filling);
        else
            native_add(native, chosen.stencil, &filling);
        native_keep_results(run, record);
        if (shape->has_floats)
            keep_floats(native, record);
        return true;
    }
    const struct stencil *stencil = stencil_find(record->id, PLACE_MEMORY, kind);
    if (!stencil || shape->is_flow)
        return false;
    native_widen(native, UINT32_MAX);
    run->is_narrow = false;
    move_operands(native, record, ISA_READ, STENCIL_glue_spill);
    native_forget_results(run, record);
    if (shape->is_walk)
        native_add_common(native, stencil, chosen.usual, true, &filling);
    else
        native_add(native, stencil, &filling);
    move_operands(native, record, ISA_WRITE, STENCIL_glue_fill);
    if (shape->has_floats)
        keep_floats(native, record);
    return true;
}

/* What instructions do with a CSR. */
static const struct csr_access {
    uint16_t id;
    uint16_t glue; /* the stencil for the first CSR of floating point */
    bool is_immediate;
} csr_accesses[] = {
    {ISA_ID_CSRRW, STENCIL_glue_write_fflags, false},
    {ISA_ID_CSRRS, STENCIL_glue_set_fflags, false},
    {ISA_ID_CSRRC, STENCIL_glue_clear_fflags, false},
    {ISA_ID_CSRRWI, STENCIL_glue_write_fflags, true},
    {ISA_ID_CSRRSI, STENCIL_glue_set_fflags, true},
    {ISA_ID_CSRRCI, STENCIL_glue_clear_fflags, true},
};

static const struct csr_access *find_csr_access(unsigned id)
{
    for (size_t i = 0; i < sizeof csr_accesses / sizeof *csr_accesses; i++)
        if (csr_accesses[i].id == id)
            return &csr_accesses[i];
    return NULL;
}

static bool only_reads(const struct csr_access *access, const struct decoded *record)
{
    return access->glue != STENCIL_glue_write_fflags &&
           (access->is_immediate ? record->imm[1] == 0 : record->r[1] == 0);
}

/* May the instruction clear floating-point flags, or change the rounding mode? */
static bool may_change_arithmetic(const struct decoded *record)
{
    const struct csr_access *access = find_csr_access(record->id);

    return isa_instructions[record->id].effects & ISA_EFFECT_CSR &&
           !(access && only_reads(access, record));
}

/* Writes the immediate to the register that x0 is written to, where stencils find it. */
static void put_immediate(struct native *native, uint64_t value)
{
    struct filling filling = {0};

    filling.values[HOLE_OFFSET] = (int64_t)SINK * 8;
    filling.values[HOLE_VALUE] = (int64_t)value;
    native_add(native, stencil_glue(STENCIL_glue_constant_m), &filling);
}

/* Adds an instruction that accesses a CSR of floating point, whose stencil has registers in memory.
 * Returns false for others. */
static bool add_float_csr(struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    const struct csr_access *access = find_csr_access(record->id);
    unsigned csr = (unsigned)record->imm[0], to = record->r[0], from = record->r[1];
    struct filling filling = {0};

    if (!access || csr < ISA_CSR_FFLAGS || csr > ISA_CSR_FCSR || native->floats != FLOATS_FREE ||
        native->machine->bare.active || !csr_permits(native->machine, csr, true))
        return false;
    bool reads = only_reads(access, record);
    if (access->is_immediate && !reads)
        put_immediate(native, (uint64_t)record->imm[1]);
    else if (!access->is_immediate)
        move_operands(native, record, ISA_READ, STENCIL_glue_spill);
    filling.values[HOLE_OFFSET] = to * 8;
    filling.numbers[1] = (uint8_t)(access->is_immediate ? SINK : from);
    native_add(
        native,
        stencil_glue((reads ? STENCIL_glue_read_fflags : access->glue) + csr - ISA_CSR_FFLAGS),
        &filling);
    move_operands(native, record, ISA_WRITE, STENCIL_glue_fill);
    return true;
}

/* Returns where the stencil for the CSR finds what it adds to the count of instructions, from the
 * hart on, or 0 if there is no stencil. User mode in the bare environment may lose the right to
 * read it, and a barrel counts turns. */
static int64_t find_counter(const struct machine *machine, unsigned csr)
{
    bool may_be_read = !machine->workers && csr_permits(machine, csr, false) &&
                       (!machine->bare.active || machine->hart.privilege == PRIVILEGE_MACHINE);

    if (!may_be_read)
        return 0;
    switch (csr) {
    case ISA_CSR_CYCLE:
    case ISA_CSR_MCYCLE:
        return offsetof(struct hart, mcycle);
    case ISA_CSR_INSTRET:
    case ISA_CSR_MINSTRET:
        return offsetof(struct hart, minstret);
    case ISA_CSR_TIME:
        return machine->bare.active
                   ? 0
                   : (const char *)&machine->user.slept - (const char *)&machine->hart;
    default:
        return 0;
    }
}

/* Adds an instruction that reads a counter, and writes none. Returns false for others. */
static bool add_counter(const struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    const struct csr_access *access = find_csr_access(record->id);
    unsigned csr = (unsigned)record->imm[0];
    struct filling filling = {0};

    if (!access || !only_reads(access, record))
        return false;
    const struct stencil *stencil =
        stencil_glue(csr == ISA_CSR_TIME ? STENCIL_glue_read_time : STENCIL_glue_read_counter);
    filling.values[HOLE_VALUE] = find_counter(native->machine, csr);
    if (!stencil || !filling.values[HOLE_VALUE])
        return false;
    filling.values[HOLE_PC] = (int64_t)record->pc;
    filling.values[HOLE_REMAINING] = record->remaining;
    filling.values[HOLE_OFFSET] = record->r[0] * 8;
    native_add(native, stencil, &filling);
    move_operands(native, record, ISA_WRITE, STENCIL_glue_fill);
    return true;
}

/* Has the interpreter execute the instruction. */
static bool add_call(struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    struct filling filling = {0};

    if (native_shape(native, record->id)->is_flow || native->call_count == CALLS)
        return false;
    native_clear(native, UINT_MAX);
    filling.values[HOLE_PC] = (int64_t)record->pc;
    filling.values[HOLE_VALUE] = (int64_t)native->call_count;
    native_add(native, stencil_glue(STENCIL_glue_call), &filling);
    native->calls[native->call_count++] =
        (struct call){.record = *record, .after = native->copier.hot};
    return true;
}

bool native_add_instruction(struct run *run, const struct decoded *record)
{
    const struct isa_operand *result = find_result(run, record);
    struct native *native = run->native;
    bool has_floats = native_use_of(run, record)->shape->has_floats;

    run->is_word = run->is_narrow = false;
    if (result && add_constant(run, record, result))
        return true;
    run->is_rare = has_floats && native_is_rare(native, record);
    if (add_stencil(run, record)) {
        if (run->is_rare)
            native_end_rare(native);
        else if (has_floats)
            note_boxes_read(run, record);
    } else {
        native->way_out = 0;
        native_settle(native);
        native_forget_results(run, record);
        if (!add_float_csr(run, record) && !add_counter(run, record) && !add_call(run, record))
            return false;
    }
    note_sum(run, record);
    if (has_floats)
        note_boxes(run, record);
    if (may_change_arithmetic(record))
        run->arithmetic &= ~(uint32_t)ARITHMETIC_COMMON;
    return true;
}

bool native_is_arithmetic(const struct native *native, const struct decoded *records,
                          unsigned count)
{
    for (unsigned i = 0; i < count && !may_change_arithmetic(&records[i]); i++)
        if (native_shape(native, records[i].id)->modes)
            return true;
    return false;
}

/* Makes a check that the base of the access of simple code is a guest address, unless that is
 * known, where the host finds out about the rest. Returns the kind of the stencil after it. */
static enum stencil_kind check_simply(struct run *run, const struct decoded *record)
{
    const struct checked reach = {true, true, -MARGIN, MARGIN};
    struct native *native = run->native;
    unsigned base = base_of(record);

    if (!base || !native->is_mirror || native_is_checked(native, record->pc) ||
        !can_fault(native, record) || !is_covered(&reach, record))
        return KIND_USUAL;
    if (!(run->near >> base & 1))
        add_check_of(native, record, base, STENCIL_glue_check_base_r, &(struct checked){0});
    run->near |= (uint32_t)1 << base;
    native->unchecked = record;
    return KIND_UNCHECKED;
}

/* Adds the stencil of an instruction of simple code. Returns false if this is not simple. */
static bool add_simple_stencil(struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    const struct shape *shape = native_shape(native, record->id);
    struct filling filling = filling_of(record);

    if (!shape->has_stencil || shape->is_walk || shape->integers & ~STENCIL_SLOTS ||
        !has_room(record))
        return false;
    if (shape->has_floats)
        place_floats(native, record, &filling);
    native->copier.taken = (struct copier_jump){0};
    enum stencil_kind kind = check_simply(run, record);
    struct chosen chosen = choose(run, record, shape, record->id, &filling, kind);
    if (!chosen.stencil) {
        native->unchecked = NULL;
        return false;
    }
    bool is_rare = shape->has_floats && native_is_rare(native, record);
    if (is_rare)
        native_begin_rare(native, record);
    native_add(native, chosen.stencil, &filling);
    if (shape->has_floats)
        keep_floats(native, record);
    if (is_rare)
        native_end_rare(native);
    for (unsigned slot = 0; slot < STENCIL_OPERANDS; slot++)
        run->near &= ~(native_bit_of(record->r[slot]) & shape->written[slot]);
    return true;
}

bool native_add_simple(struct run *run, const struct decoded *record)
{
    const struct facts nothing = {0};

    if (add_simple_stencil(run, record))
        return true;
    native_open_reach(run);
    native_know_only(run, &nothing);
    native_note_uses(run, record, record->remaining);
    bool has_code = native_add_instruction(run, record);
    native_settle(run->native);
    native_open_places(run->native);
    run->near = run->boxed = 0;
    return has_code;
}

bool native_is_jump(const struct decoded *record)
{
    return isa_instructions[record->id].timing == isa_instructions[ISA_ID_JAL].timing;
}
