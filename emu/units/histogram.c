/* Counts floats into bins, value by value and bin by bin. The specification tests whether the bin
 * is full first, then sign and range. The order does not affect the bins, so here the full bin is
 * tested last, which allows counting the values that it loses. The tables of histogram.h are built
 * by applying the same tests to one value of each class.
 *
 * The value formats differ only in the positions of sign, exponent and mantissa. A threshold of 255
 * is special where no exponent is so large. */
#include "emu/units/histogram.h"

#include <string.h>

#define RANGE_UP_TO        0
#define RANGE_FROM         15
#define SIGN_POSITIVE_ONLY 2
#define SIGN_NEGATIVE_ONLY 3
#define THRESHOLD_SPECIAL  255

struct value {
    unsigned sign, exponent, mantissa;
};

static struct value take_apart(enum float_format format, uint32_t bits)
{
    const struct float_layout *layout = &float_layouts[format];

    return (struct value){
        .sign = bits >> (float_width(format) - 1) & 1,
        .exponent = bits >> layout->fraction_bits & ((1u << layout->exponent_bits) - 1),
        .mantissa = bits & ((1u << layout->fraction_bits) - 1),
    };
}

static bool has_exponent(enum float_format format, unsigned exponent)
{
    return exponent >> float_layouts[format].exponent_bits == 0;
}

static bool in_range(enum float_format format, uint32_t bin, struct value value)
{
    unsigned threshold = bin >> 18 & 0xff;
    unsigned range = bin >> 26 & 0xf;

    if (threshold == THRESHOLD_SPECIAL && !has_exponent(format, threshold))
        return value.exponent == 0 && (value.mantissa == 0) == (range == 0);
    if (range == RANGE_UP_TO)
        return value.exponent <= threshold;
    if (range == RANGE_FROM)
        return value.exponent >= threshold;
    return value.exponent >= threshold && value.exponent < threshold + range;
}

/* Does the value count in the bin, unless the bin is full? */
static bool belongs(enum float_format format, uint32_t bin, struct value value)
{
    unsigned sign_condition = bin >> 30;

    if (sign_condition == SIGN_POSITIVE_ONLY && value.sign != 0)
        return false;
    if (sign_condition == SIGN_NEGATIVE_ONLY && value.sign != 1)
        return false;
    return in_range(format, bin, value);
}

static void count_words(struct histogram_unit *unit, enum float_format format,
                        uint32_t bins[HISTOGRAM_WORDS], const uint32_t words[HISTOGRAM_WORDS])
{
    unsigned bits = (unsigned)float_width(format), values_per_word = 32 / bits;

    for (unsigned i = 0; i < HISTOGRAM_WORDS * values_per_word; i++) {
        struct value value =
            take_apart(format, words[i / values_per_word] >> i % values_per_word * bits);
        for (unsigned bin = 0; bin < HISTOGRAM_WORDS; bin++) {
            if (!belongs(format, bins[bin], value))
                continue;
            if ((bins[bin] & HISTOGRAM_FULL) == HISTOGRAM_FULL) {
                unit->state.lost++;
                continue;
            }
            bins[bin]++;
            unit->state.counts++;
            unit->state.saturated += (bins[bin] & HISTOGRAM_FULL) == HISTOGRAM_FULL;
        }
    }
    unit->state.values += HISTOGRAM_WORDS * values_per_word;
}

/* ---- tables ---- */

/* Makes a value of the class; returns false when there is no such class. */
static bool value_of_class(enum float_format format, uint32_t class, uint32_t *bits)
{
    int fraction_bits = float_layouts[format].fraction_bits;

    switch (float_width(format)) {
    case 32:
        *bits = class << fraction_bits;
        return true;
    case 16:
        *bits = class % 64 << fraction_bits | class / 64;
        return class < 64 || class % 32 == 0;
    default:
        *bits = class;
        return class < 256;
    }
}

static void make_table(struct histogram_table *table, enum float_format format,
                       histogram_vector bins)
{
    uint32_t bits;

    table->thresholds = bins & ~(uint32_t)HISTOGRAM_FULL;
    table->highest = table->thresholds + (HISTOGRAM_FULL - 1 - HISTOGRAM_VALUES);
    for (uint32_t class = 0; class < HISTOGRAM_CLASSES; class ++) {
        table->adds[class] = 0;
        if (!value_of_class(format, class, &bits))
            continue;
        const struct value value = take_apart(format, bits);
        for (unsigned bin = 0; bin < HISTOGRAM_WORDS; bin++)
            if (belongs(format, bins[bin], value))
                table->adds[class] += (UINT64_C(1) << 8 * bin) + (UINT64_C(1) << 32);
    }
}

static bool has_thresholds(const struct histogram_table *table, histogram_vector bins)
{
    const histogram_vector counts = bins - table->thresholds;

    return (counts[0] | counts[1] | counts[2] | counts[3]) <= HISTOGRAM_FULL;
}

/* Returns the table for the thresholds of the bins. A new table replaces the oldest one. */
static struct histogram_table *find_table(struct histogram_unit *unit, enum float_format format,
                                          const uint32_t words[HISTOGRAM_WORDS])
{
    struct histogram_tables *tables = &unit->tables[format];
    struct histogram_table **made = tables->made;
    histogram_vector bins;

    memcpy(&bins, words, sizeof bins);
    for (unsigned i = 0; i < HISTOGRAM_TABLES && made[i]; i++)
        if (has_thresholds(made[i], bins))
            return made[i];
    unsigned place = tables->next++ % HISTOGRAM_TABLES;
    if (!made[place])
        made[place] = arena_alloc(unit->arena, sizeof *made[place]);
    make_table(made[place], format, bins);
    made[place]->next = made[place];
    return made[place];
}

/* Expects the table for the bins, after the one that was used last, from now on. */
static void expect(struct histogram_unit *unit, enum float_format format,
                   const uint32_t bins[HISTOGRAM_WORDS])
{
    struct histogram_tables *tables = &unit->tables[format];
    struct histogram_table *table = find_table(unit, format, bins);

    if (tables->last)
        tables->last->next = table;
    tables->last = tables->expected = table;
}

void histogram_f32(struct histogram_unit *unit, const uint32_t words[HISTOGRAM_WORDS],
                   uint32_t bins[HISTOGRAM_WORDS])
{
    if (histogram_f32_direct(unit, words, bins))
        return;
    expect(unit, FLOAT_F32, bins);
    if (!histogram_f32_direct(unit, words, bins))
        count_words(unit, FLOAT_F32, bins, words);
}

void histogram_f16(struct histogram_unit *unit, const uint32_t words[HISTOGRAM_WORDS],
                   uint32_t bins[HISTOGRAM_WORDS])
{
    if (histogram_f16_direct(unit, words, bins))
        return;
    expect(unit, FLOAT_F16, bins);
    if (!histogram_f16_direct(unit, words, bins))
        count_words(unit, FLOAT_F16, bins, words);
}

void histogram_f8(struct histogram_unit *unit, const uint32_t words[HISTOGRAM_WORDS],
                  uint32_t bins[HISTOGRAM_WORDS])
{
    enum float_format format = unit->state.f8_format ? FLOAT_E5M2 : FLOAT_E4M3;

    if (histogram_f8_direct(unit, words, bins))
        return;
    expect(unit, format, bins);
    if (!histogram_f8_direct(unit, words, bins))
        count_words(unit, format, bins, words);
}

/* Returns a table that no bins fit: the sign bit of a lane is wrong either way. */
static struct histogram_table *make_empty_table(struct arena *arena)
{
    struct histogram_table *table = arena_alloc(arena, sizeof *table);

    *table = (struct histogram_table){.next = table};
    table->thresholds += 1u << 31;
    table->highest = table->thresholds - 1;
    return table;
}

void histogram_init(struct histogram_unit *unit, const struct histogram_settings *settings,
                    struct arena *arena)
{
    struct histogram_table *empty = make_empty_table(arena);

    *unit = (struct histogram_unit){.arena = arena};
    for (int format = 0; format < FLOAT_FORMAT_COUNT; format++)
        unit->tables[format].expected = empty;
    histogram_state_init(&unit->state, settings, arena);
}
