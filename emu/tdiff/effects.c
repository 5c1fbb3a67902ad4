/* Compares the effects of an instruction in both traces, and follows what is written: which
 * difference each register and each part of memory comes from. */
#include "emu/tdiff/lossless.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 1 << 17 }; /* most bytes of arguments and environment on the stack */

/* An effect of the first trace, and the one of the second that belongs to it. */
struct match {
    const struct effect *effects[2]; /* one may be NULL */
    bool same;
    struct value_type type; /* of the elements */
};

struct comparison {
    struct lossless *walk;
    const struct ttrace_record *records[2];
    const struct code *codes[2];
    struct match *matches; /* from malloc, or `few` */
    size_t count;
    struct match few[16];
    bool has_layout; /* a load had values that depend only on where the program is */
    uint64_t layout[2];
};

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

/* ---- equality ---- */

static bool is_ignored(const struct tdiff *tdiff, const struct effect *effect)
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

static bool same_place(const struct effect *a, const struct effect *b)
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

static bool near_or_moved(struct comparison *comparison, struct value_type type, uint64_t a,
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
    if (near_or_moved(comparison, match->type, *left, *right) ||
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

static uint64_t element_at(const unsigned char *bytes, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, bytes, size);
    return value;
}

/* Returns the size of the elements of a range. */
static unsigned element_size(const struct match *match)
{
    uint64_t length = match->effects[0]->length;

    if (match->type.element && length % match->type.element->bytes == 0)
        return match->type.element->bytes;
    return length % 4 == 0 ? 4 : 1;
}

/* Returns the bytes that were written, or NULL. */
static const unsigned char *bytes_of(const struct ttrace_record *record,
                                     const struct effect *effect)
{
    return effect->bytes_length == effect->length ? record->recorder->bytes + effect->bytes_at
                                                  : NULL;
}

static bool same_range(struct comparison *comparison, const struct match *match)
{
    const struct effect *a = match->effects[0], *b = match->effects[1];
    struct lossless *walk = comparison->walk;

    if (a->length != b->length || !moved_same(&walk->moved, walk->sides, a->address, b->address))
        return false;
    if (a->kind == EFFECT_RANGE_READ || a->value == b->value)
        return true;
    const unsigned char *left = bytes_of(comparison->records[0], a);
    const unsigned char *right = bytes_of(comparison->records[1], b);
    unsigned size = element_size(match);
    if (!left || !right)
        return false;
    for (uint64_t i = 0; i < a->length; i += size)
        if (memcmp(left + i, right + i, size) != 0 &&
            !near_or_moved(comparison, match->type, element_at(left + i, size),
                           element_at(right + i, size)))
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
    if (near_or_moved(comparison, match->type, a->value, b->value))
        return true;
    if (a->kind != EFFECT_LOAD ||
        !moved_layout(&walk->moved, walk->sides, addresses, a->value, b->value, a->size))
        return false;
    comparison->layout[0] = a->value;
    comparison->layout[1] = b->value;
    return comparison->has_layout = true;
}

static bool same_effect(struct comparison *comparison, struct match *match)
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
        return near_or_moved(comparison, (struct value_type){NULL, false}, a->value, b->value);
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

/* Returns the type of an effect: that which the instruction says, unless it loads raw bits, or that
 * of what it loads. */
static struct value_type type_of(struct lossless *walk, unsigned which, const struct code *code,
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
            i < b->count && !used[i] && same_place(&a->effects[i], &b->effects[i]) ? i : after;
        while (j < b->count && (used[j] || !same_place(&a->effects[i], &b->effects[j])))
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
    const unsigned char *left = a && b ? bytes_of(comparison->records[0], a) : NULL;
    const unsigned char *right = a && b ? bytes_of(comparison->records[1], b) : NULL;

    shadow_write(shadow, a->address, a->length, left && right ? 0 : event, match->type, writers);
    if (!left || !right || !event || a->length != b->length)
        return;
    unsigned size = element_size(match);
    for (uint64_t i = 0; i < a->length; i += size)
        if (memcmp(left + i, right + i, size) != 0 &&
            !near_or_moved(comparison, match->type, element_at(left + i, size),
                           element_at(right + i, size)))
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
                  type_of(walk, which, code, &side->record, &recorder->effects[i]));
    registers_note_call(walk, which);
}

/* ---- text ---- */

/* Appends c[12] for an element of memory, or the address. */
static void append_element(struct side *side, struct text *text, uint64_t address, unsigned size)
{
    const struct elf_symbol *symbol = side_symbol(side, address);

    if (!symbol) {
        text_format(text, "0x%" PRIx64, address);
        return;
    }
    uint64_t offset = address - symbol->raw.st_value;
    disasm_name(text, symbol->name);
    if (offset % size == 0)
        text_format(text, "[%" PRIu64 "]", offset / size);
    else
        text_format(text, "+0x%" PRIx64, offset);
}

static void append_place(struct comparison *comparison, struct text *text,
                         const struct effect *effect, unsigned which)
{
    struct side *side = &comparison->walk->sides[which];
    const struct isa_csr *csr;

    switch (effect->kind) {
    case EFFECT_REGISTER:
        text_append(text, isa_register_files[effect->file].names[effect->number]);
        break;
    case EFFECT_CSR:
        csr = isa_csr_by_number(effect->number);
        if (csr)
            text_append(text, csr->name);
        else
            text_format(text, "CSR 0x%x", effect->number);
        break;
    case EFFECT_PRIVILEGE:
        text_append(text, "privilege mode");
        break;
    case EFFECT_LOAD:
    case EFFECT_STORE:
        text_append(text, effect->kind == EFFECT_LOAD ? "load of " : "store to ");
        append_element(side, text, effect->address, effect->size);
        break;
    case EFFECT_RANGE_READ:
    case EFFECT_RANGE_WRITE:
        text_format(text, "%s of %" PRIu64 " bytes at 0x%" PRIx64,
                    effect->kind == EFFECT_RANGE_READ ? "read" : "write", effect->length,
                    effect->address);
        side_append_symbol(side, text, effect->address);
        break;
    case EFFECT_STATE:
    case EFFECT_HOP:
        effect_append_state(text, effect);
        break;
    }
}

static void append_value(struct comparison *comparison, struct text *text,
                         const struct match *match, unsigned which)
{
    const struct effect *effect = match->effects[which];
    const struct isa_element *type = match->type.element;
    unsigned count;

    if (!effect) {
        text_append(text, "nothing");
        return;
    }
    if (effect->kind == EFFECT_REGISTER) {
        const uint64_t *words =
            recorder_words(comparison->records[which]->recorder, effect, &count);
        if (count == 1) {
            value_append(text, type, type ? *words & UINT64_MAX >> (64 - type->bits) : *words);
            side_append_symbol(&comparison->walk->sides[which], text, type ? 0 : *words);
            return;
        }
        text_append(text, "0x");
        for (unsigned i = count; i-- > 0;)
            text_format(text, "%016" PRIx64, words[i]);
    } else if (effect->kind == EFFECT_RANGE_WRITE || effect->kind == EFFECT_RANGE_READ) {
        text_format(text, "%" PRIu64 " bytes at 0x%" PRIx64, effect->length, effect->address);
    } else {
        value_append(text, type, effect->value);
        if (!type)
            side_append_symbol(&comparison->walk->sides[which], text, effect->value);
    }
}

static char *keep(struct lossless *walk, struct text *text)
{
    char *copy = arena_copy(&walk->tdiff->arena, text->bytes ? text->bytes : "", text->length);

    text_free(text);
    return copy;
}

/* Returns how far apart the numbers are, as text. */
static const char *note_of(struct lossless *walk, struct difference *difference,
                           const struct isa_element *type, uint64_t a, uint64_t b)
{
    uint64_t ulps = values_ulps(type, a, b);

    if (ulps != UINT64_MAX && a && b && (a ^ b) >> (type->bits - 1) & 1)
        return "of opposite sign";
    if (ulps == UINT64_MAX || (difference->lane_count == LANES && ulps <= difference->most_ulps))
        return "";
    if (ulps > difference->most_ulps)
        difference->most_ulps = ulps;
    if (difference->lane_count == LANES)
        return "";
    return arena_format(&walk->tdiff->arena, "%" PRIu64 " ulp%s of %s", ulps, ulps == 1 ? "" : "s",
                        type->name);
}

static struct lane *add_lane(struct difference *difference)
{
    if (difference->lane_count == LANES) {
        difference->has_more = true;
        return NULL;
    }
    return &difference->lanes[difference->lane_count++];
}

/* Adds a lane for each element that differs. Returns false if the ranges have no bytes. */
static bool describe_range(struct comparison *comparison, struct difference *difference,
                           const struct match *match)
{
    struct lossless *walk = comparison->walk;
    const struct effect *a = match->effects[0], *b = match->effects[1];

    if (!a || !b || a->kind != EFFECT_RANGE_WRITE || a->length != b->length)
        return false;
    const unsigned char *left = bytes_of(comparison->records[0], a);
    const unsigned char *right = bytes_of(comparison->records[1], b);
    unsigned size = element_size(match);
    bool any = false;
    if (!left || !right)
        return false;
    difference->element_count += a->length / size;
    for (uint64_t i = 0; i < a->length; i += size) {
        uint64_t values[2] = {element_at(left + i, size), element_at(right + i, size)};
        if (near_or_moved(comparison, match->type, values[0], values[1]))
            continue;
        any = true;
        difference->different_count++;
        const char *note =
            difference->lane_count < LANES || match->type.element
                ? note_of(walk, difference, match->type.element, values[0], values[1])
                : "";
        struct lane *lane = add_lane(difference);
        if (!lane)
            continue;
        struct text place = TEXT_INIT;
        append_element(&walk->sides[0], &place, a->address + i, size);
        *lane = (struct lane){.place = keep(walk, &place), .note = note};
        for (unsigned which = 0; which < 2; which++) {
            struct text text = TEXT_INIT;
            value_append(&text, match->type.element, values[which]);
            lane->values[which] = keep(walk, &text);
        }
    }
    return any;
}

static void describe(struct comparison *comparison, struct difference *difference,
                     const struct match *match)
{
    struct lossless *walk = comparison->walk;
    const struct effect *a = match->effects[0], *b = match->effects[1];

    if (describe_range(comparison, difference, match))
        return;
    struct lane *lane = add_lane(difference);
    if (!lane)
        return;
    struct text place = TEXT_INIT;
    append_place(comparison, &place, a ? a : b, a ? 0 : 1);
    *lane = (struct lane){.place = keep(walk, &place), .note = ""};
    bool is_access = a && b && (a->kind == EFFECT_LOAD || a->kind == EFFECT_STORE);
    bool moved = is_access && !moved_same(&walk->moved, walk->sides, a->address, b->address);
    for (unsigned which = 0; which < 2; which++) {
        struct text text = TEXT_INIT;
        append_value(comparison, &text, match, which);
        if (moved)
            text_format(&text, " at 0x%" PRIx64, match->effects[which]->address);
        lane->values[which] = keep(walk, &text);
    }
    if (a && b && match->type.element && a->kind != EFFECT_RANGE_WRITE && !moved) {
        uint64_t mask = UINT64_MAX >> (64 - match->type.element->bits);
        lane->note =
            note_of(walk, difference, match->type.element, a->value & mask, b->value & mask);
    }
}

static void add_origin(struct lossless *walk, struct difference *difference, const char *place,
                       const uint64_t *writers)
{
    struct origin *source = &difference->sources[difference->source_count];

    if (difference->source_count == SOURCES || (!writers[0] && !writers[1]))
        return;
    for (unsigned i = 0; i < difference->source_count; i++)
        if (strcmp(difference->sources[i].place, place) == 0)
            return;
    *source = (struct origin){.place = arena_string(&walk->tdiff->arena, place)};
    for (unsigned i = 0; i < 2; i++)
        source->writers[i] = writers[i] ? writers[i] - 1 : NO_NUMBER;
    difference->source_count++;
}

/* Finds who wrote what the instruction of the first trace reads. */
static void find_origins(struct comparison *comparison, struct difference *difference)
{
    struct lossless *walk = comparison->walk;
    const struct code *code = comparison->codes[0];
    const struct recorder *recorder = comparison->records[0]->recorder;
    const struct registers *registers = walk->sides[0].registers;

    for (unsigned i = 0; code->instruction && i < code->instruction->operand_count; i++) {
        const struct isa_operand *operand = &code->instruction->operands[i];
        unsigned first, count = isa_registers_read(operand, code->word, &first);
        for (unsigned number = first; number < first + count && operand->type->file; number++)
            add_origin(walk, difference, operand->type->file->names[number],
                       registers->writers[operand->type->file - isa_register_files][number]);
    }
    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        const struct page *page = effect->kind == EFFECT_LOAD || effect->kind == EFFECT_RANGE_READ
                                      ? shadow_page(&walk->shadow, effect->address, false)
                                      : NULL;
        if (!page)
            continue;
        struct text place = TEXT_INIT;
        unsigned granule = (unsigned)(effect->address / GRANULE % GRANULES);
        const uint64_t writers[2] = {page->writers[0][granule], page->writers[1][granule]};
        text_format(&place, "memory at 0x%" PRIx64, effect->address);
        side_append_symbol(&walk->sides[0], &place, effect->address);
        add_origin(walk, difference, place.bytes, writers);
        text_free(&place);
    }
}

static void describe_trap(struct lossless *walk, struct difference *difference)
{
    struct lane *lane = add_lane(difference);

    if (!lane)
        return;
    *lane = (struct lane){.place = "trap", .note = ""};
    for (unsigned which = 0; which < 2; which++) {
        const struct ttrace_record *record = &walk->sides[which].record;
        lane->values[which] =
            record->flags & (TTRACE_TRAP | TTRACE_INTERRUPT)
                ? arena_format(&walk->tdiff->arena, "cause %" PRIu64 " with value 0x%" PRIx64,
                               record->trap_cause, record->trap_value)
                : "none";
    }
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

    return a && b && a->kind == b->kind &&
           (a->kind != EFFECT_LOAD ||
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
            type_of(walk, which, comparison.codes[which], comparison.records[which], effect);
        match->same = is_equal || is_start || is_ignored(walk->tdiff, effect) ||
                      same_effect(&comparison, match);
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
            find_origins(&comparison, difference);
        for (size_t i = 0; i < comparison.count; i++)
            if (!comparison.matches[i].same)
                describe(&comparison, difference, &comparison.matches[i]);
        if (!trap)
            describe_trap(walk, difference);
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
