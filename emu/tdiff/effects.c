/* Compares the effects of an instruction in both traces, and follows what is written: which
 * difference each register and each part of memory comes from. */
#include "emu/tdiff/effects.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 1 << 17 }; /* most bytes of arguments and environment on the stack */

/* ---- inputs ---- */

static void add_parent(uint32_t *parents, uint32_t event)
{
    if (event == 0 || event == parents[0] || event == parents[1])
        return;
    if (parents[0] == 0)
        parents[0] = event;
    else if (parents[1] == 0)
        parents[1] = event;
}

static void registers_inputs(struct lossless *walk, unsigned which, const struct code *code,
                             uint32_t *parents)
{
    struct side *sides = walk->sides;
    const struct registers *registers = sides[which].registers;

    for (unsigned i = 0; code->instruction && i < code->instruction->operand_count; i++) {
        const struct isa_operand *operand = &code->instruction->operands[i];
        unsigned first, count = isa_registers_read(operand, code->word, &first);
        for (unsigned number = first; number < first + count && operand->type->file; number++) {
            size_t file = (size_t)(operand->type->file - isa_register_files);
            uint32_t event = registers->events[file][number];
            if (event && (operand->type->file->words > 1 ||
                          !moved_same(&walk->moved, sides, registers->values[0][file][number],
                                      registers->values[1][file][number])))
                add_parent(parents, event);
        }
    }
}

void effects_inputs(struct lossless *walk, unsigned which, uint32_t *parents)
{
    struct side *side = &walk->sides[which];
    const struct recorder *recorder = side->record.recorder;

    parents[0] = parents[1] = 0;
    if (walk->event_count <= 1)
        return;
    registers_select(walk, which);
    registers_inputs(walk, which, side_code(side, &side->record), parents);
    state_inputs(walk, side, side_code(side, &side->record), add_parent, parents);
    for (size_t i = 0; recorder && i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (effect->kind != EFFECT_LOAD && effect->kind != EFFECT_RANGE_READ)
            continue;
        uint64_t address = which == 0 ? effect->address
                                      : moved_data(&walk->moved, walk->sides, 1, effect->address);
        add_parent(parents,
                   shadow_event(&walk->shadow, address,
                                effect->kind == EFFECT_LOAD ? effect->size : effect->length));
    }
}

/* ---- matches ---- */

static void match_effects(struct comparison *comparison)
{
    const struct recorder *a = comparison->records[0]->recorder;
    const struct recorder *b = comparison->records[1]->recorder;
    size_t most = a->count + b->count, after = 0;
    bool *used = most <= 16 ? NULL : new_array(b->count, sizeof *used), few[16] = {0};

    comparison->matches =
        most <= 16 ? comparison->few : new_array(most, sizeof *comparison->matches);
    if (!used)
        used = few;
    for (size_t i = 0; i < a->count; i++) {
        struct match *match = &comparison->matches[comparison->count++];
        *match = (struct match){.effects = {&a->effects[i]}};
        size_t j =
            i < b->count && !used[i] && effects_have_same_place(&a->effects[i], &b->effects[i])
                ? i
                : after;
        while (j < b->count &&
               (used[j] || !effects_have_same_place(&a->effects[i], &b->effects[j])))
            j++;
        if (j < b->count) {
            match->effects[1] = &b->effects[j];
            used[j] = true;
        }
        while (after < b->count && used[after])
            after++;
    }
    for (size_t j = 0; j < b->count; j++)
        if (!used[j])
            comparison->matches[comparison->count++] =
                (struct match){.effects = {NULL, &b->effects[j]}};
    if (used != few)
        free(used);
}

/* ---- what was written ---- */

static void write_register(struct lossless *walk, unsigned which, const struct effect *effect,
                           uint32_t event, struct value_type type)
{
    const struct recorder *recorder = walk->sides[which].record.recorder;
    struct registers *registers = walk->sides[which].registers;
    unsigned count;

    registers->values[which][effect->file][effect->number] =
        *recorder_words(recorder, effect, &count);
    registers->events[effect->file][effect->number] = event;
    registers->types[effect->file][effect->number] = kept_type(type);
    registers->writers[effect->file][effect->number][which] = walk->sides[which].number + 1;
}

/* Notes which elements of a range differ. */
static void write_range(struct comparison *comparison, const struct match *match, uint32_t event,
                        const uint64_t *writers)
{
    struct shadow *shadow = &comparison->walk->shadow;
    const struct effect *a = match->effects[0], *b = match->effects[1];
    const unsigned char *left = a && b ? effects_bytes(comparison->records[0], a) : NULL;
    const unsigned char *right = a && b ? effects_bytes(comparison->records[1], b) : NULL;

    shadow_write(shadow, a->address, a->length, left && right ? 0 : event, match->type, writers);
    if (!left || !right || !event || a->length != b->length)
        return;
    unsigned size = match_element_size(match);
    for (uint64_t i = 0; i < a->length; i += size)
        if (memcmp(left + i, right + i, size) != 0 &&
            !effects_near_or_moved(comparison, match->type, match_element(left + i, size),
                                   match_element(right + i, size)))
            shadow_write(shadow, a->address + i, size, event, match->type, writers);
}

static void write_one(struct lossless *walk, unsigned which, const struct effect *effect,
                      uint32_t event, struct value_type type)
{
    uint64_t writers[2] = {NO_NUMBER, NO_NUMBER};
    uint64_t address = effect->address;

    writers[which] = walk->sides[which].number;
    if (effect->kind == EFFECT_REGISTER)
        write_register(walk, which, effect, event, type);
    if (effect->kind == EFFECT_STATE) {
        state_write(walk, which, effect, event);
        registers_start_worker(walk, which, effect, event);
    }
    if (effect->kind == EFFECT_CSR)
        state_write_csr(walk, which, effect, event);
    if (effect->kind != EFFECT_STORE && effect->kind != EFFECT_RANGE_WRITE)
        return;
    if (which)
        address = moved_data(&walk->moved, walk->sides, 1, address);
    shadow_write(&walk->shadow, address,
                 effect->kind == EFFECT_STORE ? effect->size : effect->length, event, type,
                 writers);
}

static void write_match(struct comparison *comparison, const struct match *match, uint32_t event)
{
    struct lossless *walk = comparison->walk;
    const struct effect *a = match->effects[0], *b = match->effects[1];
    const uint64_t writers[2] = {walk->sides[0].number, walk->sides[1].number};

    if (match->same)
        event = 0;
    if (!a || !b) {
        write_one(walk, a ? 0 : 1, a ? a : b, event, match->type);
        return;
    }
    switch (a->kind) {
    case EFFECT_REGISTER:
        write_register(walk, 0, a, event, match->type);
        write_register(walk, 1, b, event, match->type);
        break;
    case EFFECT_LOAD:
        break;
    case EFFECT_STORE:
        if (!moved_same(&walk->moved, walk->sides, a->address, b->address))
            write_one(walk, 1, b, event, match->type);
        shadow_write(&walk->shadow, a->address, a->size, event, match->type, writers);
        break;
    case EFFECT_RANGE_WRITE:
        if (!moved_same(&walk->moved, walk->sides, a->address, b->address))
            write_one(walk, 1, b, event, match->type);
        write_range(comparison, match, event, writers);
        break;
    case EFFECT_CSR:
        state_write_csr(walk, 0, a, event);
        break;
    case EFFECT_STATE:
        state_write(walk, 0, a, event);
        registers_start_worker(walk, 0, a, event);
        registers_start_worker(walk, 1, b, event);
        break;
    default:
        break;
    }
}

void effects_extra(struct lossless *walk, unsigned which, uint32_t event)
{
    struct side *side = &walk->sides[which];
    const struct code *code = side_code(side, &side->record);
    const struct recorder *recorder = side->record.recorder;

    registers_select(walk, which);
    for (size_t i = 0; recorder && i < recorder->count; i++)
        write_one(walk, which, &recorder->effects[i], event,
                  effects_type(walk, which, code, &side->record, &recorder->effects[i]));
    registers_note_call(walk, which);
}

static bool same_trap(struct lossless *walk)
{
    const struct ttrace_record *a = &walk->sides[0].record, *b = &walk->sides[1].record;
    unsigned flags = TTRACE_TRAP | TTRACE_INTERRUPT;

    if (walk->tdiff->ignored_kinds >> CHANGE_TRAP & 1)
        return true;
    if ((a->flags & flags) != (b->flags & flags))
        return false;
    return !(a->flags & flags) ||
           (a->trap_cause == b->trap_cause &&
            moved_same(&walk->moved, walk->sides, a->trap_value, b->trap_value));
}

/* Is it a path that the program asked for? */
static bool is_path(const struct side *side, const struct effect *effect)
{
    uint64_t call = effect->kind == EFFECT_RANGE_WRITE ? registers_call(side) : NO_NUMBER;

    return call == CALL_READLINKAT || call == CALL_GETCWD;
}

/* Returns the effect that reads the arguments or the environment, or is such a path; NULL: none. */
static const struct effect *find_argument(const struct side *side)
{
    const struct recorder *recorder = side->record.recorder;

    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if ((effect->kind == EFFECT_LOAD && side->first_sp &&
             effect->address - side->first_sp < ARGUMENTS) ||
            is_path(side, effect))
            return effect;
    }
    return NULL;
}

bool effects_read_arguments(const struct lossless *walk)
{
    const struct side *sides = walk->sides;
    const struct effect *a = find_argument(&sides[0]), *b = find_argument(&sides[1]);

    /* Words begin after the stack pointer; strings, which may be read from their ends, end where
     * the stack does. */
    return a && b && a->kind == b->kind &&
           (a->kind != EFFECT_LOAD || a->address == b->address ||
            a->address - sides[0].first_sp == b->address - sides[1].first_sp);
}

/* ---- the comparison ---- */

static bool is_equal_as_recorded(const struct recorder *a, const struct recorder *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct effect *left = &a->effects[i], *right = &b->effects[i];
        if (left->kind != right->kind || left->value != right->value ||
            left->number != right->number || left->file != right->file ||
            left->size != right->size || left->kind >= EFFECT_STATE)
            return false;
        if (left->kind == EFFECT_REGISTER
                ? left->length != 0 || right->length != 0
                : left->address != right->address || left->length != right->length)
            return false;
    }
    return true;
}

void effects_compare(struct lossless *walk, struct difference *difference)
{
    struct side *sides = walk->sides;
    struct comparison comparison = {
        .walk = walk,
        .records = {&sides[0].record, &sides[1].record},
        .codes = {side_code(&sides[0], &sides[0].record), side_code(&sides[1], &sides[1].record)}};
    bool is_start = sides[0].record.flags & TTRACE_START;
    bool all = true, is_equal = is_equal_as_recorded(comparison.records[0]->recorder,
                                                     comparison.records[1]->recorder);
    bool trap = same_trap(walk);

    registers_select(walk, 0);
    registers_select(walk, 1);
    effects_inputs(walk, 0, walk->parents);
    match_effects(&comparison);
    for (size_t i = 0; i < comparison.count; i++) {
        struct match *match = &comparison.matches[i];
        const struct effect *effect = match->effects[0] ? match->effects[0] : match->effects[1];
        unsigned which = match->effects[0] ? 0 : 1;
        match->type =
            effects_type(walk, which, comparison.codes[which], comparison.records[which], effect);
        match->same = is_equal || is_start || effects_are_ignored(walk->tdiff, effect) ||
                      effects_are_same(&comparison, match);
        all &= match->same;
    }
    uint32_t event = 0;
    if (!all || !trap) {
        const uint64_t numbers[2] = {sides[0].number, sides[1].number};
        const uint64_t pcs[2] = {sides[0].record.pc, sides[1].record.pc};
        event = event_add(walk, numbers, pcs, walk->parents);
        difference->event = event;
        if (known_difference(walk, difference))
            difference->lane_count = LANES; /* without room for more */
        else if (!walk->parents[0])
            effects_find_origins(&comparison, difference);
        for (size_t i = 0; i < comparison.count; i++)
            if (!comparison.matches[i].same)
                effects_describe(&comparison, difference, &comparison.matches[i]);
        if (!trap)
            effects_describe_trap(walk, difference);
    }
    for (size_t i = 0; i < comparison.count; i++) {
        const struct effect *effect = comparison.matches[i].effects[0];
        if (!is_start || (effect && effect->kind == EFFECT_REGISTER))
            write_match(&comparison, &comparison.matches[i], event);
    }
    for (unsigned i = 0; i < 2 && !is_start; i++)
        registers_note_call(walk, i);
    for (unsigned i = 0; i < 2 && is_start; i++)
        sides[i].first_sp = side_stack_pointer(&sides[i]);
    if (comparison.matches != comparison.few)
        free(comparison.matches);
}
