/* The histogram unit (isa/xhist.yaml): counts floats into four bins by sign and exponent.
 *
 * What a value adds to the four bins depends on their thresholds, which stay the same in a loop,
 * and on the value's class: its sign and exponent, and whether it is subnormal. So the unit keeps
 * tables, indexed by class, for the latest thresholds. An instruction looks its values up and adds
 * the entries. This is inline. It is not all of the work when the thresholds are not those that are
 * expected, or when a bin is nearly full. Expected are those that came next the last time, so a
 * loop may count into several groups of bins. */
#ifndef EMU_UNITS_HISTOGRAM_H
#define EMU_UNITS_HISTOGRAM_H

#include "fast.h"
#include "lib/arena.h"
#include "lib/float_format.h"
#include "units.h"
#include <string.h>

enum {
    HISTOGRAM_WORDS = 4,     /* registers of a group: four bins, or four words of values */
    HISTOGRAM_CLASSES = 512, /* largest number of classes of a format */
    HISTOGRAM_FULL = 262143, /* BIN_COUNT of a full bin, and the mask of that field */
    HISTOGRAM_VALUES = 16,   /* largest number of values of an instruction */
    HISTOGRAM_TABLES = 8,    /* tables that are kept for each format */
};

/* The 128 bits of a group of registers. */
typedef uint32_t histogram_vector __attribute__((vector_size(16)));
typedef uint64_t histogram_pair __attribute__((vector_size(16)));
typedef float histogram_floats __attribute__((vector_size(16)));
typedef uint16_t histogram_halves __attribute__((vector_size(16)));
typedef uint8_t histogram_bytes __attribute__((vector_size(16)));

struct histogram_table {
    struct histogram_table *next;     /* used after this one, the last time */
    histogram_vector thresholds;      /* bins without their counts */
    histogram_vector highest;         /* with the highest counts that no instruction can fill up */
    uint64_t adds[HISTOGRAM_CLASSES]; /* by class: what a value adds to bin i in bits 8i+7:8i, and
                                         to all bins together in bits 63:32 */
};

struct histogram_unit {
    struct histogram_state state;
    struct arena *arena; /* of the tables */
    struct histogram_tables {
        struct histogram_table *expected; /* to be used next; at first one that no bins fit */
        struct histogram_table *last;     /* used last */
        struct histogram_table *made[HISTOGRAM_TABLES];
        unsigned next; /* index of the table to make or replace next */
    } tables[FLOAT_FORMAT_COUNT];
};

/* Initializes the unit. The arena must outlive it. */
void histogram_init(struct histogram_unit *unit, const struct histogram_settings *settings,
                    struct arena *arena);

/* Do the bins have the thresholds of the table, and can an instruction not fill any of them? */
static inline bool histogram_fits(const struct histogram_table *table, histogram_vector bins)
{
    /* the sign bit of a lane says that its count is too high */
    const histogram_vector wrong = (bins - table->thresholds) | (table->highest - bins);

#ifdef __AVX__
    return __builtin_ia32_vtestzps((histogram_floats)wrong, (histogram_floats)wrong);
#elif defined __SSE2__
    return __builtin_ia32_movmskps((histogram_floats)wrong) == 0;
#else
    const histogram_pair halves = (histogram_pair)wrong;
    return ((halves[0] | halves[1]) & 0x8000000080000000) == 0;
#endif
}

/* Returns byte i of the word in lane i. It takes two steps, for each of which most hosts have an
 * instruction. */
static inline histogram_vector histogram_spread(uint32_t word)
{
    const histogram_bytes bytes = (histogram_bytes)(histogram_vector){word};
    const histogram_halves halves = (histogram_halves)__builtin_shufflevector(
        bytes, (histogram_bytes){0}, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);

    return (histogram_vector)__builtin_shufflevector(halves, (histogram_halves){0}, 0, 8, 1, 9, 2,
                                                     10, 3, 11);
}

/* Returns the sum of the table's entries for the values of a word. The class of a value is its sign
 * and exponent; for f16 also, in bit 6, whether it is subnormal; for 8-bit values it is all of the
 * value's bits. */
static inline uint64_t histogram_adds_f32(const struct histogram_table *table, uint32_t word)
{
    return table->adds[word >> 23];
}

static inline uint64_t histogram_add_f16(const struct histogram_table *table, uint32_t bits)
{
    uint32_t subnormal = (bits & 0x7c00) == 0 && (bits & 0x3ff) != 0;

    return table->adds[bits >> 10 | subnormal << 6];
}

static inline uint64_t histogram_adds_f16(const struct histogram_table *table, uint32_t word)
{
    return histogram_add_f16(table, word & 0xffff) + histogram_add_f16(table, word >> 16);
}

static inline uint64_t histogram_adds_f8(const struct histogram_table *table, uint32_t word)
{
    return table->adds[word & 0xff] + table->adds[word >> 8 & 0xff] +
           table->adds[word >> 16 & 0xff] + table->adds[word >> 24];
}

/* Returns the unit. A form of bodies that has few registers finds it anew, so that none keeps its
 * address until then (emu/native/stencils/form.h). */
#ifdef FINDS_UNITS_ANEW
static inline struct histogram_unit *histogram_anew(const struct histogram_unit *unit);
#else
static inline struct histogram_unit *histogram_anew(struct histogram_unit *unit)
{
    return unit;
}
#endif

/* Counts the values of all words, with the function for one word. */
static inline __attribute__((always_inline)) bool
histogram_count(struct histogram_unit *unit, enum float_format format,
                uint64_t (*word_adds)(const struct histogram_table *, uint32_t), uint32_t values,
                uint32_t bins[HISTOGRAM_WORDS], const uint32_t words[HISTOGRAM_WORDS])
{
    struct histogram_table *table = unit->tables[format].expected;
    histogram_vector counted = {bins[0], bins[1], bins[2], bins[3]};
    /* first, so that the compiler does not keep the words in registers, which native code lacks */
    uint64_t adds = word_adds(table, words[0]) + word_adds(table, words[1]) +
                    word_adds(table, words[2]) + word_adds(table, words[3]);

    if (__builtin_expect(!histogram_fits(table, counted), 0))
        return false;
    unit = histogram_anew(unit);
    counted += histogram_spread((uint32_t)adds);
    unit->state.values += values;
    unit->state.counts += adds >> 32;
    unit->tables[format].last = table;
    if (table->next != table) /* mostly it is, and memory is slower than registers */
        unit->tables[format].expected = table->next;
    bins[0] = counted[0];
    bins[1] = counted[1];
    bins[2] = counted[2];
    bins[3] = counted[3];
    return true;
}

/* Tests each of the 4, 8 or 16 values against each bin; only BIN_COUNT changes. */
static inline __attribute__((always_inline)) bool
histogram_f32_direct(struct histogram_unit *unit, const uint32_t words[HISTOGRAM_WORDS],
                     uint32_t bins[HISTOGRAM_WORDS])
{
    return histogram_count(unit, FLOAT_F32, histogram_adds_f32, 4, bins, words);
}

static inline __attribute__((always_inline)) bool
histogram_f16_direct(struct histogram_unit *unit, const uint32_t words[HISTOGRAM_WORDS],
                     uint32_t bins[HISTOGRAM_WORDS])
{
    return histogram_count(unit, FLOAT_F16, histogram_adds_f16, 8, bins, words);
}

static inline __attribute__((always_inline)) bool
histogram_f8_direct(struct histogram_unit *unit, const uint32_t words[HISTOGRAM_WORDS],
                    uint32_t bins[HISTOGRAM_WORDS])
{
    return histogram_count(unit, unit->state.f8_format ? FLOAT_E5M2 : FLOAT_E4M3, histogram_adds_f8,
                           16, bins, words);
}

_Static_assert(__builtin_types_compatible_p(__typeof__(histogram_f32_direct), fast_histogram_f32) &&
                   __builtin_types_compatible_p(__typeof__(histogram_f16_direct),
                                                fast_histogram_f16) &&
                   __builtin_types_compatible_p(__typeof__(histogram_f8_direct), fast_histogram_f8),
               "the executors call these functions");

#endif
