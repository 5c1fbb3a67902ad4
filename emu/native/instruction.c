/* The native code of one instruction: its stencil, the check of its memory access, and what is
 * known of registers. See parts.h. */
#include "emu/decode/access.h"
#include "emu/native/parts.h"
#include "standard_ids.h"

#include <limits.h>

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

/* Returns what fills a check of the base of the access. */
static struct filling check_of(const struct native *native, const struct decoded *record,
                               unsigned base, const struct checked *range)
{
    struct filling filling = {0};

    filling.registers[0] = native->host_of[base];
    filling.values[HOLE_OFFSET] = base * 8;
    filling.values[HOLE_PC] = (int64_t)record->pc;
    filling.values[HOLE_REMAINING] = record->remaining;
    filling.values[HOLE_IMMEDIATE] = range->first;
    filling.values[HOLE_IMMEDIATE + 1] = range->end - 1;
    return filling;
}

/* Adds the check of the base of the access by this stencil, or the one after it where the base is
 * in memory. */
static void add_check_of(struct native *native, const struct decoded *record, unsigned base,
                         unsigned id, const struct checked *range)
{
    native_clear(native, stencil_glue(id)->uses);
    struct filling filling = check_of(native, record, base, range);
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
    if (run->known >> base & 1 && run->values[base] < native->machine->memory.end)
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
        native_find_walk(native, record) && is_walk_access(record)) {
        native->unchecked = record;
        return false;
    }
    if (!base || run->is_rare || (native->is_mirror && native_is_checked(native, record->pc)))
        return true;
    if (native->is_mirror) {
        const struct checked reach = {true, true, -MARGIN, MARGIN};
        if (!native_use_of(run, record)->shape->can_fault || !is_covered(&reach, record))
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
    native_place_floats(native, record, &filling);
    filling.values[HOLE_OFFSET] = record->r[0] * 8;
    filling.values[HOLE_VALUE] = (int32_t)(is_boxed ? value : value >> 32);
    native_add(native,
               stencil_glue(is_boxed ? STENCIL_glue_constant_boxed : STENCIL_glue_constant_high),
               &filling);
    native_keep_floats(native, record);
    native_note_boxes(run, record);
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
    if (!run->is_word && value > UINT32_MAX)
        return false;
    note_writes(run, record);
    run->known |= 1u << number;
    run->values[number] = value;
    if (!native_has_places(run, record))
        native_hold_operands(run, record, 0);
    filling.registers[0] = native->host_of[number];
    filling.values[HOLE_OFFSET] = number * 8;
    filling.values[HOLE_VALUE] = (int64_t)value;
    unsigned id = run->is_word ? STENCIL_glue_constant_r : STENCIL_glue_address_r;
    native_add(native, stencil_glue(id + (native->host_of[number] == NOT_PINNED)), &filling);
    native_keep_results(run, record);
    return true;
}

/* Returns the temporaries that a stencil of the instruction changes. */
static unsigned uses_of(const struct chosen *chosen)
{
    return (chosen->stencil ? chosen->stencil->uses : 0) |
           (chosen->usual ? chosen->usual->uses : 0);
}

bool native_has_room(const struct decoded *record)
{
    return native_fits(record->imm[0]) && native_fits(record->imm[1]) &&
           !(has_sum(record) && !host_can_add(record->imm[0]));
}

/* Adds the stencil of the instruction. Returns false if there is none. */
static bool add_stencil(struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    struct filling filling = native_filling_of(record);

    const struct shape *shape = native_use_of(run, record)->shape;
    if (!native_has_room(record) || (shape->is_walk && native_row_of(record) < 0) ||
        !shape->has_stencil)
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
        native_place_floats(native, record, &filling);
    native->copier.taken = (struct copier_jump){0};
    size_t before = native->copier.hot;
    enum stencil_kind kind = add_check(run, record) ? KIND_USUAL : KIND_UNCHECKED;
    if (native->copier.hot != before)
        id = native_choose_width(run, record);
    struct chosen chosen = native_choose(run, record, shape, id, &filling, kind);
    if (shape->is_walk)
        chosen.usual = stencil_glue(native_find_walk(native, record) ? STENCIL_glue_turn_r
                                                                     : STENCIL_glue_turn_m);
    unsigned uses = uses_of(&chosen) & HOST_TEMPORARY_BITS;
    if (uses && uses & native_held_by(run, record)) {
        native_clear(native, UINT_MAX);
        id = native_choose_width(run, record);
        const struct stencil *turn = chosen.usual;
        chosen = native_choose(run, record, shape, id, &filling, kind);
        if (shape->is_walk)
            chosen.usual = turn;
    }
    if (run->is_rare)
        native_begin_rare(native, record);
    bool has_more = shape->integers & ~STENCIL_SLOTS; /* registers, in memory only */
    if (chosen.stencil && !has_more) {
        native_move_operands(native, record, shape->stored, STENCIL_glue_spill);
        if (chosen.usual)
            native_add_common(native, chosen.stencil, chosen.usual, shape->is_walk, &filling);
        else
            native_add(native, chosen.stencil, &filling);
        native_keep_results(run, record);
        if (shape->has_floats)
            native_keep_floats(native, record);
        return true;
    }
    const struct stencil *stencil = stencil_find(record->id, PLACE_MEMORY, kind);
    if (!stencil || shape->is_flow)
        return false;
    native_widen(native, UINT32_MAX);
    run->is_narrow = false;
    native_move_operands(native, record, shape->reads, STENCIL_glue_spill);
    native_forget_results(run, record);
    if (shape->is_walk)
        native_add_common(native, stencil, chosen.usual, true, &filling);
    else
        native_add(native, stencil, &filling);
    native_move_operands(native, record, shape->writes, STENCIL_glue_fill);
    if (shape->has_floats)
        native_keep_floats(native, record);
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

/* Notes whether rare cases of the instruction come often, and what is done about them. */
static void note_rare(struct run *run, const struct decoded *record, const struct shape *shape)
{
    const struct native *native = run->native;

    run->is_exact = run->is_rare = false;
    if (!native->has_rare)
        return;
    run->is_exact = shape->has_exact && native_is_rare(native, record, RARE_EXACT);
    run->is_rare = native_is_rare(native, record, shape->has_exact ? RARE_CALL : RARE_EXACT);
}

bool native_add_instruction(struct run *run, const struct decoded *record)
{
    const struct isa_operand *result = find_result(run, record);
    struct native *native = run->native;
    const struct shape *shape = native_use_of(run, record)->shape;
    bool has_floats = shape->has_floats;

    run->is_word = run->is_narrow = false;
    if (result && add_constant(run, record, result))
        return true;
    note_rare(run, record, shape);
    if (add_stencil(run, record)) {
        if (run->is_rare)
            native_end_rare(native);
        else if (has_floats)
            native_note_boxes_read(run, record);
    } else {
        native->way_out = 0;
        native_settle(native);
        native_forget_results(run, record);
        if (!native_add_float_csr(run, record) &&
            (run->is_rare || !native_add_counter(run, record)) && !add_call(run, record))
            return false;
    }
    note_sum(run, record);
    if (has_floats)
        native_note_boxes(run, record);
    if (native_changes_arithmetic(record))
        run->arithmetic &= ~(uint32_t)ARITHMETIC_COMMON;
    return true;
}

/* Makes a check that the base of the access of simple code is a guest address, unless that is
 * known, where the host finds out about the rest. Returns the kind of the stencil after it. */
static enum stencil_kind check_simply(struct run *run, const struct decoded *record,
                                      const struct shape *shape)
{
    static const struct checked reach = {true, true, -MARGIN, MARGIN}, none = {0};
    struct native *native = run->native;
    unsigned base = base_of(record);

    if (!base || !shape->can_fault || !native->is_mirror || run->is_rare ||
        native_is_checked(native, record->pc) || !is_covered(&reach, record))
        return KIND_USUAL;
    if (!(run->near >> base & 1)) {
        bool in_memory = native->host_of[base] == NOT_PINNED;
        struct filling filling = check_of(native, record, base, &none);
        native_add_simply(native, stencil_glue(STENCIL_glue_check_base_r + in_memory), &filling);
    }
    run->near |= (uint32_t)1 << base;
    native->unchecked = record;
    return KIND_UNCHECKED;
}

/* Forgets which of the registers that the instruction writes held guest addresses. */
static void note_simple_writes(struct run *run, const struct decoded *record,
                               const struct shape *shape)
{
    for (unsigned slots = shape->writes; slots; slots &= slots - 1)
        run->near &= ~native_bit_of(record->r[__builtin_ctz(slots)]);
}

/* Adds the stencil of an instruction of simple code. Returns false if this is not simple. */
static bool add_simple_stencil(struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    const struct shape *shape = native_shape(native, record->id);
    struct filling filling = native_filling_of(record);

    if (!shape->is_simple || !native_has_room(record))
        return false;
    if (shape->has_floats)
        native_place_floats(native, record, &filling);
    native->copier.taken = (struct copier_jump){0};
    note_rare(run, record, shape);
    enum stencil_kind kind = check_simply(run, record, shape);
    struct chosen chosen = native_choose(run, record, shape, record->id, &filling, kind);
    if (!chosen.stencil) {
        native->unchecked = NULL;
        return false;
    }
    if (run->is_rare)
        native_begin_rare(native, record);
    if (shape->stored)
        native_move_operands(native, record, shape->stored, STENCIL_glue_spill);
    if (run->is_rare)
        native_add(native, chosen.stencil, &filling);
    else
        native_add_simply(native, chosen.stencil, &filling);
    if (shape->has_floats)
        native_keep_floats(native, record);
    if (run->is_rare)
        native_end_rare(native);
    note_simple_writes(run, record, shape);
    return true;
}

/* Adds an instruction that is not simple as one of a block of its own. */
static bool add_alone(struct run *run, const struct decoded *record)
{
    const struct facts nothing = {0};

    native_open_reach(run);
    native_know_only(run, &nothing);
    native_note_uses(run, record, record->remaining);
    bool has_code = native_add_instruction(run, record);
    native_settle(run->native);
    native_open_places(run->native);
    run->near = run->boxed = 0;
    return has_code;
}

bool native_add_simple(struct run *run, const struct decoded *record)
{
    return add_simple_stencil(run, record) || add_alone(run, record);
}

bool native_is_jump(const struct decoded *record)
{
    return isa_instructions[record->id].timing == isa_instructions[ISA_ID_JAL].timing;
}
