/*
 * emu/units/histogram.c is compared with a model that implements machine.md, 4 by arithmetic: it
 * extracts fields by division and handles one value and one bin at a time. All values of the short
 * formats are tested.
 */
#include "tensor_world.h"

#include "emu/units/histogram.h"

struct model_format {
    unsigned bits;
    uint32_t exponents, mantissas; /* how many of each there are */
    bool has_special;
};

static const struct model_format f32 = {32, 256, 8388608, false};
static const struct model_format f16 = {16, 32, 1024, true};
static const struct model_format e4m3 = {8, 16, 8, true};
static const struct model_format e5m2 = {8, 32, 4, true};

static uint32_t make_bin(uint32_t signc, uint32_t range, uint32_t threshold, uint32_t count)
{
    return ((signc * 16 + range) * 256 + threshold) * 262144 + count;
}

static bool model_in_range(const struct model_format *format, uint32_t bin, uint32_t exponent,
                           uint32_t mantissa)
{
    uint32_t threshold = bin / 262144 % 256, range = bin / 262144 / 256 % 16;

    if (format->has_special && threshold == 255) {
        bool zero = exponent == 0 && mantissa == 0, subnormal = exponent == 0 && mantissa != 0;
        return range == 0 ? zero : subnormal;
    }
    switch (range) {
    case 0:
        return exponent <= threshold;
    case 15:
        return exponent >= threshold;
    default:
        return threshold <= exponent && exponent < threshold + range;
    }
}

/* The counters of the unit, as the model counts. */
struct model_tally {
    uint64_t counted, lost, saturated;
};

/* Returns the bin after one value. */
static uint32_t model_count(const struct model_format *format, uint32_t bin, uint32_t value)
{
    uint32_t mantissa = value % format->mantissas;
    uint32_t exponent = value / format->mantissas % format->exponents;
    uint32_t sign = value / format->mantissas / format->exponents;
    uint32_t signc = bin / 262144 / 256 / 16;

    if (bin % 262144 == 262143)
        return bin;
    if (signc == 2 && sign == 1)
        return bin;
    if (signc == 3 && sign == 0)
        return bin;
    return bin + model_in_range(format, bin, exponent, mantissa);
}

static void model_words(const struct model_format *format, uint32_t bins[4],
                        const uint32_t words[4], struct model_tally *tally)
{
    for (int bin = 0; bin < 4; bin++) {
        for (unsigned bit = 0; bit < 128; bit += format->bits) {
            uint64_t word = words[bit / 32];
            uint32_t value = (uint32_t)(word >> bit % 32 & (((uint64_t)1 << format->bits) - 1));
            uint32_t emptied =
                bins[bin] - bins[bin] % 262144; /* the value would count if the bin were not full */
            uint32_t next = model_count(format, bins[bin], value);
            bool would = model_count(format, emptied, value) != emptied;
            tally->counted += next != bins[bin];
            tally->lost += would && next == bins[bin];
            tally->saturated += next != bins[bin] && next % 262144 == 262143;
            bins[bin] = next;
        }
    }
}

static void check_once(struct histogram_unit *unit, const struct model_format *format,
                       const uint32_t bins[4], const uint32_t words[4])
{
    uint64_t counts = unit->state.counts, lost = unit->state.lost,
             saturated = unit->state.saturated, values = unit->state.values;
    struct model_tally tally = {0};
    uint32_t got[4], expected[4];

    memcpy(got, bins, sizeof got);
    memcpy(expected, bins, sizeof expected);
    unit->state.f8_format = format == &e5m2;
    if (format->bits == 32)
        histogram_f32(unit, words, got);
    else if (format->bits == 16)
        histogram_f16(unit, words, got);
    else
        histogram_f8(unit, words, got);
    model_words(format, expected, words, &tally);
    assert_int_equal(unit->state.values - values, 128 / format->bits);
    assert_int_equal(unit->state.counts - counts, tally.counted);
    assert_int_equal(unit->state.lost - lost, tally.lost);
    assert_int_equal(unit->state.saturated - saturated, tally.saturated);
    if (memcmp(got, expected, sizeof got) != 0)
        fail_msg("bins %08x %08x %08x %08x, values %08x %08x %08x %08x: got %08x %08x %08x %08x",
                 bins[0], bins[1], bins[2], bins[3], words[0], words[1], words[2], words[3], got[0],
                 got[1], got[2], got[3]);
}

/* Runs the instruction twice: the first time with possibly new thresholds, the second time with
 * known ones. */
static void check(struct histogram_unit *unit, const struct model_format *format,
                  const uint32_t bins[4], const uint32_t words[4])
{
    check_once(unit, format, bins, words);
    check_once(unit, format, bins, words);
}

/* Memory for the tables of the units, freed with the test. */
static struct arena arena = ARENA_INIT;

static struct histogram_unit new_unit(void)
{
    struct histogram_unit unit;

    arena_free(&arena);
    histogram_init(&unit, &(struct histogram_settings){}, &arena);
    return unit;
}

static void test_golden(void **state)
{
    struct histogram_unit unit = new_unit();
    uint32_t bins[4] = {0x05fc0000, 0x01fc0000, 0x3dfc0000, 0x39e00000};
    const uint32_t values[4] = {0x3f800000, 0xbfc00000, 0x3f000000, 0x40800000};
    const uint32_t expected[4] = {0x05fc0002, 0x01fc0003, 0x3dfc0003, 0x39e00004};

    (void)state;
    histogram_f32(&unit, values, bins);
    assert_memory_equal(bins, expected, sizeof bins);
    assert_int_equal(unit.state.values, 4);
    assert_int_equal(unit.state.counts, 12);
}

/* Every 8-bit value, in every lane, against every condition. */
static void test_all_f8(void **state)
{
    struct histogram_unit unit = new_unit();

    (void)state;
    for (uint32_t condition = 0; condition < 16384; condition += 4) {
        uint32_t bins[4], words[4];
        for (uint32_t i = 0; i < 4; i++)
            bins[i] = (condition + i) * 262144 + condition % 262140;
        for (uint32_t first = 0; first < 256; first += 16) {
            for (uint32_t i = 0; i < 4; i++)
                words[i] = 0x03020100 + 0x01010101 * ((first + 4 * i + condition / 4) & 0xfc);
            check(&unit, &e4m3, bins, words);
            check(&unit, &e5m2, bins, words);
        }
    }
}

/* Every 16-bit value against the thresholds around the ends of the exponent and the special one. */
static void test_all_f16(void **state)
{
    static const uint32_t thresholds[] = {0, 1, 16, 30, 31, 254, 255};
    struct histogram_unit unit = new_unit();

    (void)state;
    for (size_t t = 0; t < sizeof thresholds / sizeof thresholds[0]; t++) {
        for (uint32_t range = 0; range < 16; range++) {
            uint32_t bins[4];
            for (uint32_t signc = 0; signc < 4; signc++)
                bins[signc] = make_bin(signc, range, thresholds[t], 7 * range);
            for (uint32_t first = 0; first < 65536; first += 8) {
                uint32_t words[4];
                for (uint32_t i = 0; i < 4; i++)
                    words[i] = (first + 2 * i) | (first + 2 * i + 1) << 16;
                check(&unit, &f16, bins, words);
            }
        }
    }
}

static void test_random(void **state)
{
    static const struct model_format *const formats[] = {&f32, &f16, &e4m3, &e5m2};
    struct world *world = world_new(1);
    struct histogram_unit unit = new_unit();

    (void)state;
    for (int round = 0; round < 200000; round++) {
        uint32_t bins[4], words[4];
        for (int i = 0; i < 4; i++) {
            bins[i] = (uint32_t)world_random(world);
            words[i] = (uint32_t)world_random(world);
            if (round % 3 == 0) /* close to full */
                bins[i] |= 0x3fff0 + (uint32_t)round % 13;
            if (round % 5 == 0) /* f32 exponents near the threshold */
                words[i] = (words[i] & 0x807fffff) | ((bins[i] >> 18) + (words[i] >> 8) % 17 - 1)
                                                         << 23;
        }
        check(&unit, formats[round % 4], bins, words);
    }
    world_free(world);
}

/* Alternates between more thresholds than the unit has tables, with other formats in between, until
 * bins are full. */
static void test_turns(void **state)
{
    struct histogram_unit unit = new_unit();
    struct world *world = world_new(2);
    uint32_t bins[HISTOGRAM_TABLES + 3][4], words[4];

    (void)state;
    for (uint32_t i = 0; i < sizeof bins / sizeof bins[0]; i++)
        for (uint32_t j = 0; j < 4; j++)
            bins[i][j] = make_bin(j, (i * 5 + j) % 16, 16 * i + j, 0x3ff00 + 16 * i);
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t sets = 1 + round / 400; /* of thresholds that alternate */
        uint32_t *set = bins[round % sets];
        for (int i = 0; i < 4; i++)
            words[i] = (uint32_t)world_random(world);
        check_once(&unit, round % 7 == 6 ? &e5m2 : round % 5 == 4 ? &f16 : &f32, set, words);
        if (round % 7 != 6 && round % 5 != 4)
            histogram_f32(&unit, words, set);
    }
    world_free(world);
}

/* f32 has no special threshold: 255 is an exponent, that of infinities and NaNs. */
static void test_f32_threshold_255(void **state)
{
    struct histogram_unit unit = new_unit();
    uint32_t bins[4] = {make_bin(0, 0, 255, 0), make_bin(0, 1, 255, 0), make_bin(0, 15, 255, 0),
                        make_bin(0, 0, 0, 0)};
    const uint32_t values[4] = {0, 1, 0x7f800000, 0xffc00000};

    (void)state;
    histogram_f32(&unit, values, bins);
    assert_int_equal(bins[0] % 262144, 4); /* all exponents up to 255 */
    assert_int_equal(bins[1] % 262144, 2); /* exactly 255: the sum does not wrap */
    assert_int_equal(bins[2] % 262144, 2);
    assert_int_equal(bins[3] % 262144, 2); /* a subnormal counts as a zero */
}

static void test_saturation(void **state)
{
    struct histogram_unit unit = new_unit();
    uint32_t bins[4] = {make_bin(0, 0, 255, 262141), make_bin(3, 15, 0, 262142),
                        make_bin(0, 0, 255, 262143), make_bin(0, 0, 255, 0)};
    const uint32_t values[4] = {0x3f800000, 0xbf800000, 0xbf800000, 0x3f800000};

    (void)state;
    histogram_f32(&unit, values, bins);
    assert_int_equal(bins[0], make_bin(0, 0, 255, 262143));
    assert_int_equal(bins[1], make_bin(3, 15, 0, 262143));
    assert_int_equal(bins[2], make_bin(0, 0, 255, 262143));
    assert_int_equal(bins[3], make_bin(0, 0, 255, 4));
    assert_int_equal(unit.state.counts, 2 + 1 + 0 + 4);
}

/* Sixteen values fill a bin, or just do not: the limit of the fast path. */
static void test_filled_at_once(void **state)
{
    struct histogram_unit unit = new_unit();
    const uint32_t words[4] = {0x38383838, 0x38383838, 0x38383838, 0x38383838};

    (void)state;
    for (uint32_t count = 262143 - 20; count <= 262143; count++) {
        const uint32_t bins[4] = {make_bin(0, 0, 254, count), make_bin(0, 0, 254, 0),
                                  make_bin(0, 15, 99, count), make_bin(0, 15, 0, count - 3)};
        check(&unit, &e4m3, bins, words);
        check(&unit, &f16, bins, words);
        check(&unit, &f32, bins, words);
    }
}

static void test_counters(void **state)
{
    struct histogram_unit unit = new_unit();
    uint32_t bins[4] = {make_bin(0, 0, 255, 0), 0, 0, 0};
    const uint32_t words[4] = {0x38383838, 0x38383838, 0x38383838, 0x38383838};

    (void)state;
    assert_int_equal(unit.state.f8_format, 0);
    histogram_f8(&unit, words, bins);
    histogram_f16(&unit, words, bins);
    assert_int_equal(unit.state.values, 24);
    assert_int_equal(unit.state.counts, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),     cmocka_unit_test(test_all_f8),
        cmocka_unit_test(test_all_f16),    cmocka_unit_test(test_random),
        cmocka_unit_test(test_turns),      cmocka_unit_test(test_f32_threshold_255),
        cmocka_unit_test(test_saturation), cmocka_unit_test(test_filled_at_once),
        cmocka_unit_test(test_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
