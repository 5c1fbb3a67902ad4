/* Describes a difference of effects as text: where it is, the values, how far apart they are, and
 * who wrote what the instruction reads. */
#include "emu/tdiff/effects.h"

#include <inttypes.h>
#include <string.h>

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
    const unsigned char *left = effects_bytes(comparison->records[0], a);
    const unsigned char *right = effects_bytes(comparison->records[1], b);
    unsigned size = match_element_size(match);
    bool any = false;
    if (!left || !right)
        return false;
    difference->element_count += a->length / size;
    for (uint64_t i = 0; i < a->length; i += size) {
        uint64_t values[2] = {match_element(left + i, size), match_element(right + i, size)};
        if (effects_near_or_moved(comparison, match->type, values[0], values[1]))
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

void effects_describe(struct comparison *comparison, struct difference *difference,
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

void effects_find_origins(struct comparison *comparison, struct difference *difference)
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

void effects_describe_trap(struct lossless *walk, struct difference *difference)
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
