/* Are the effects of an instruction the same in both traces? They are where values are near enough,
 * or addresses of the same thing in two programs. The types of values say how near they may be. */
#include "emu/tdiff/effects.h"

#include <string.h>

bool effects_are_ignored(const struct tdiff *tdiff, const struct effect *effect)
{
    static const enum change_kind kinds[] = {
        [EFFECT_REGISTER] = CHANGE_REGISTER,
        [EFFECT_CSR] = CHANGE_CSR,
        [EFFECT_PRIVILEGE] = CHANGE_CSR,
        [EFFECT_LOAD] = CHANGE_LOAD,
        [EFFECT_STORE] = CHANGE_STORE,
        [EFFECT_RANGE_READ] = CHANGE_RANGE_READ,
        [EFFECT_RANGE_WRITE] = CHANGE_RANGE_WRITE,
        [EFFECT_STATE] = CHANGE_STATE,
        [EFFECT_HOP] = CHANGE_STATE,
    };
    const struct strings *names = &tdiff->ignored_names;
    const struct isa_csr *csr;
    const char *name = NULL;

    if (tdiff->ignored_kinds >> kinds[effect->kind] & 1)
        return true;
    if (effect->kind == EFFECT_REGISTER) {
        if (tdiff->ignored_files >> effect->file & 1)
            return true;
        name = isa_register_files[effect->file].names[effect->number];
    } else if (effect->kind == EFFECT_CSR && (csr = isa_csr_by_number(effect->number))) {
        name = csr->name;
    }
    return name && names->count && strings_find(names, name) < names->count;
}

bool effects_have_same_place(const struct effect *a, const struct effect *b)
{
    if (a->kind != b->kind || a->size != b->size || a->dimension != b->dimension)
        return false;
    switch (a->kind) {
    case EFFECT_REGISTER:
        return a->file == b->file && a->number == b->number;
    case EFFECT_CSR:
        return a->number == b->number;
    case EFFECT_STATE:
    case EFFECT_HOP:
        return a->number == b->number && strcmp(effect_unit(a), effect_unit(b)) == 0 &&
               strcmp(a->name, b->name) == 0;
    default:
        return true;
    }
}

static const struct tolerance *tolerance_of(const struct lossless *walk)
{
    return &walk->tdiff->tolerance;
}

bool effects_near_or_moved(struct comparison *comparison, struct value_type type, uint64_t a,
                           uint64_t b)
{
    struct lossless *walk = comparison->walk;

    if (type.is_raw)
        return a == b;
    return values_are_near(tolerance_of(walk), type.element, a, b) ||
           moved_same(&walk->moved, walk->sides, a, b);
}

/* Has the instruction only constants, as auipc, so that its result may be a part of an address? */
static bool has_no_inputs(const struct code *code)
{
    unsigned first;

    for (unsigned i = 0; code->instruction && i < code->instruction->operand_count; i++) {
        const struct isa_operand *operand = &code->instruction->operands[i];
        if (isa_registers_read(operand, code->word, &first) &&
            !(operand->type->file->zero && !first))
            return false;
    }
    return code->instruction;
}

/* Are the values those of the load of this instruction, which depend on the layout? */
static bool is_loaded_layout(const struct comparison *comparison, uint64_t a, uint64_t b)
{
    const uint64_t *layout = comparison->layout;

    return comparison->has_layout && ((a == layout[0] && b == layout[1]) ||
                                      ((uint32_t)a == layout[0] && (uint32_t)b == layout[1]));
}

static bool same_register(struct comparison *comparison, struct match *match)
{
    struct lossless *walk = comparison->walk;
    const struct effect *a = match->effects[0], *b = match->effects[1];
    const struct isa_register_file *file = &isa_register_files[a->file];
    unsigned counts[2];
    const uint64_t *left = recorder_words(comparison->records[0]->recorder, a, &counts[0]);
    const uint64_t *right = recorder_words(comparison->records[1]->recorder, b, &counts[1]);

    if (counts[0] != counts[1])
        return false;
    if (memcmp(left, right, counts[0] * sizeof *left) == 0)
        return true;
    if (counts[0] > 1)
        return false;
    if (file->standard == ISA_STANDARD_FLOAT && match->type.element) {
        uint64_t mask = UINT64_MAX >> (64 - match->type.element->bits);
        return (*left & ~mask) == (*right & ~mask) &&
               values_are_near(tolerance_of(walk), match->type.element, *left & mask,
                               *right & mask);
    }
    if (match->type.element && match->type.element->bits < 64) {
        uint64_t mask = UINT64_MAX >> (64 - match->type.element->bits);
        if (values_are_near(tolerance_of(walk), match->type.element, *left & mask, *right & mask))
            return true;
    }
    if (effects_near_or_moved(comparison, match->type, *left, *right) ||
        is_loaded_layout(comparison, *left, *right))
        return true;
    if (!walk->moved.is_on || file->standard != ISA_STANDARD_INTEGER)
        return false;
    if (strcmp(file->names[a->number], "sp") == 0)
        return *left - *right + (1 << 20) < 2 << 20;
    return has_no_inputs(comparison->codes[0]) &&
           (*left - comparison->records[0]->pc == *right - comparison->records[1]->pc ||
            moved_near(walk->sides, *left, *right));
}

static bool same_range(struct comparison *comparison, const struct match *match)
{
    const struct effect *a = match->effects[0], *b = match->effects[1];
    struct lossless *walk = comparison->walk;

    if (a->length != b->length || !moved_same(&walk->moved, walk->sides, a->address, b->address))
        return false;
    if (a->kind == EFFECT_RANGE_READ || a->value == b->value)
        return true;
    const unsigned char *left = effects_bytes(comparison->records[0], a);
    const unsigned char *right = effects_bytes(comparison->records[1], b);
    unsigned size = match_element_size(match);
    if (!left || !right)
        return false;
    for (uint64_t i = 0; i < a->length; i += size)
        if (memcmp(left + i, right + i, size) != 0 &&
            !effects_near_or_moved(comparison, match->type, match_element(left + i, size),
                                   match_element(right + i, size)))
            return false;
    return true;
}

static bool same_access(struct comparison *comparison, const struct match *match)
{
    struct lossless *walk = comparison->walk;
    const struct effect *a = match->effects[0], *b = match->effects[1];
    const uint64_t addresses[2] = {a->address, b->address};

    if (!moved_same(&walk->moved, walk->sides, a->address, b->address))
        return false;
    if (effects_near_or_moved(comparison, match->type, a->value, b->value))
        return true;
    if (a->kind != EFFECT_LOAD ||
        !moved_layout(&walk->moved, walk->sides, addresses, a->value, b->value, a->size))
        return false;
    comparison->layout[0] = a->value;
    comparison->layout[1] = b->value;
    return comparison->has_layout = true;
}

bool effects_are_same(struct comparison *comparison, struct match *match)
{
    const struct effect *a = match->effects[0], *b = match->effects[1];

    if (!a || !b)
        return false;
    switch (a->kind) {
    case EFFECT_REGISTER:
        return same_register(comparison, match);
    case EFFECT_LOAD:
    case EFFECT_STORE:
        return same_access(comparison, match);
    case EFFECT_RANGE_READ:
    case EFFECT_RANGE_WRITE:
        return same_range(comparison, match);
    case EFFECT_STATE:
        return effects_near_or_moved(comparison, (struct value_type){NULL, false}, a->value,
                                     b->value);
    case EFFECT_HOP:
        return a->value == b->value && a->address == b->address && a->length == b->length;
    case EFFECT_CSR:
    case EFFECT_PRIVILEGE:
        break;
    }
    return a->value == b->value;
}

/* ---- types ---- */

/* Is the value that a store writes raw? It is that of the first operand that is a register. */
static bool is_raw_stored(const struct registers *registers, const struct code *code)
{
    for (unsigned i = 0; code->instruction && i < code->instruction->operand_count; i++) {
        const struct isa_operand *operand = &code->instruction->operands[i];
        unsigned first;
        if (isa_registers_read(operand, code->word, &first) && operand->type->file)
            return type_from_kept(registers->types[operand->type->file - isa_register_files][first])
                .is_raw;
    }
    return false;
}

/* Returns the type of what a store writes, from the register that it comes from. */
static struct value_type find_stored(const struct registers *registers, const struct code *code,
                                     unsigned size)
{
    if (is_raw_stored(registers, code))
        return (struct value_type){.is_raw = true};
    const struct isa_element *type = type_stored(code->instruction, code->word, size);
    for (unsigned i = 0; !type && code->instruction && i < code->instruction->operand_count; i++) {
        const struct isa_operand *operand = &code->instruction->operands[i];
        unsigned first;
        if (!isa_registers_read(operand, code->word, &first) || !operand->type->file)
            continue;
        struct value_type kept =
            type_from_kept(registers->types[operand->type->file - isa_register_files][first]);
        if (kept.element && kept.element->bytes == size)
            type = kept.element;
    }
    return (struct value_type){.element = type};
}

static struct value_type type_loaded(struct lossless *walk, const struct ttrace_record *record)
{
    const struct recorder *recorder = record->recorder;

    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (effect->kind != EFFECT_LOAD && effect->kind != EFFECT_RANGE_READ)
            continue;
        struct value_type type = shadow_type(&walk->shadow, effect->address);
        if (type.is_raw || (type.element && (effect->kind == EFFECT_RANGE_READ ||
                                             type.element->bytes == effect->size)))
            return type;
    }
    return (struct value_type){NULL, false};
}

struct value_type effects_type(struct lossless *walk, unsigned which, const struct code *code,
                               const struct ttrace_record *record, const struct effect *effect)
{
    const struct isa_element *type = NULL;
    struct value_type loaded;

    switch (effect->kind) {
    case EFFECT_REGISTER:
        if (register_is_raw(code->instruction, code->word, effect->file, effect->number))
            return (struct value_type){.is_raw = true};
        type = type_of_register(code->instruction, code->word, effect->file, effect->number);
        break;
    case EFFECT_STORE:
        return find_stored(walk->sides[which].registers, code, effect->size);
    case EFFECT_LOAD:
        for (size_t i = 0; !type && i < record->recorder->count; i++) {
            const struct effect *other = &record->recorder->effects[i];
            if (other->kind == EFFECT_REGISTER)
                type = type_of_register(code->instruction, code->word, other->file, other->number);
        }
        if (type && type->bytes != effect->size)
            type = NULL;
        break;
    case EFFECT_RANGE_WRITE:
        type = type_written(code->instruction, record->recorder);
        if (type)
            return (struct value_type){.element = type};
        break;
    default:
        return (struct value_type){NULL, false};
    }
    loaded = type_loaded(walk, record);
    return loaded.is_raw || !type ? loaded : (struct value_type){.element = type};
}
