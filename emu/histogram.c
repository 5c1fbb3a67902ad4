/* Counting floats into bins, value by value and bin by bin, in the order that the specification
 * gives: full? sign? range? The bins do not show in which order that was asked; here the full bin
 * comes last, so that what it loses is counted too.
 *
 * The three value formats differ only in where sign, exponent and mantissa stand, and in whether a
 * threshold of 255 is special. */
#include "emu/histogram.h"

#define COUNT_FULL         0x3ffff /* 262143 */
#define RANGE_UP_TO        0
#define RANGE_FROM         15
#define SIGN_POSITIVE_ONLY 2
#define SIGN_NEGATIVE_ONLY 3
#define THRESHOLD_SPECIAL  255

struct value_format {
    unsigned bits, exponent_bits, mantissa_bits;
    bool special; /* THRESH_EXP 255 tells zeros from subnormals */
};

static const struct value_format format_f32 = {32, 8, 23, false};
static const struct value_format format_f16 = {16, 5, 10, true};
static const struct value_format formats_f8[] = {
    [0] = {8, 4, 3, true}, /* E4M3 */
    [1] = {8, 5, 2, true}, /* E5M2 */
};

struct value {
    unsigned sign, exponent, mantissa;
};

static struct value take_apart(const struct value_format *format, uint32_t bits)
{
    return (struct value){
        .sign = bits >> (format->bits - 1) & 1,
        .exponent = bits >> format->mantissa_bits & ((1u << format->exponent_bits) - 1),
        .mantissa = bits & ((1u << format->mantissa_bits) - 1),
    };
}

static bool in_range(const struct value_format *format, uint32_t bin, struct value value)
{
    unsigned threshold = bin >> 18 & 0xff;
    unsigned range = bin >> 26 & 0xf;

    if (format->special && threshold == THRESHOLD_SPECIAL)
        return value.exponent == 0 && (value.mantissa == 0) == (range == 0);
    if (range == RANGE_UP_TO)
        return value.exponent <= threshold;
    if (range == RANGE_FROM)
        return value.exponent >= threshold;
    return value.exponent >= threshold && value.exponent < threshold + range;
}

/* Does the value belong into the bin, if there is room? */
static bool belongs(const struct value_format *format, uint32_t bin, struct value value)
{
    unsigned sign_condition = bin >> 30;

    if (sign_condition == SIGN_POSITIVE_ONLY && value.sign != 0)
        return false;
    if (sign_condition == SIGN_NEGATIVE_ONLY && value.sign != 1)
        return false;
    return in_range(format, bin, value);
}

static void count_words(struct histogram_unit *unit, const struct value_format *format,
                        uint32_t bins[HISTOGRAM_WORDS], const uint32_t words[HISTOGRAM_WORDS])
{
    unsigned values_per_word = 32 / format->bits;

    for (unsigned i = 0; i < HISTOGRAM_WORDS * values_per_word; i++) {
        struct value value =
            take_apart(format, words[i / values_per_word] >> i % values_per_word * format->bits);
        for (unsigned bin = 0; bin < HISTOGRAM_WORDS; bin++) {
            if (!belongs(format, bins[bin], value))
                continue;
            if ((bins[bin] & COUNT_FULL) == COUNT_FULL) {
                unit->lost++;
                continue;
            }
            bins[bin]++;
            unit->counts++;
            unit->saturated += (bins[bin] & COUNT_FULL) == COUNT_FULL;
        }
    }
    unit->values += HISTOGRAM_WORDS * values_per_word;
}

void histogram_init(struct histogram_unit *unit, const struct config *config, struct arena *arena)
{
    (void)config;
    (void)arena;
    *unit = (struct histogram_unit){0};
}

void histogram_f32(struct histogram_unit *unit, uint32_t bins[HISTOGRAM_WORDS],
                   const uint32_t words[HISTOGRAM_WORDS])
{
    count_words(unit, &format_f32, bins, words);
}

void histogram_f16(struct histogram_unit *unit, uint32_t bins[HISTOGRAM_WORDS],
                   const uint32_t words[HISTOGRAM_WORDS])
{
    count_words(unit, &format_f16, bins, words);
}

void histogram_f8(struct histogram_unit *unit, uint32_t bins[HISTOGRAM_WORDS],
                  const uint32_t words[HISTOGRAM_WORDS])
{
    count_words(unit, &formats_f8[unit->f8_format & 1], bins, words);
}

size_t histogram_activity(const struct histogram_unit *unit, struct activity *list)
{
    size_t count = 0;

    list[count++] = (struct activity){"histogram", "values tried", unit->values};
    list[count++] = (struct activity){"histogram", "values counted", unit->counts};
    list[count++] = (struct activity){"histogram", "bins saturated", unit->saturated};
    list[count++] = (struct activity){"histogram", "values lost", unit->lost};
    return count;
}
