/*
 * lib/float_text.c is compared with MPFR: constants of all forms, and the hard cases, which are
 * decimal expansions of numbers exactly halfway between two neighbors, with a digit far to the
 * right that breaks the tie.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/float_text.h"
#include "tests/unit/float_oracle.h"

#define ROUNDS 1500

static void check_text(const struct oracle_format *f, const char *text, const mpfr_t value)
{
    unsigned flags = 0, expected_flags = 0;
    uint64_t bits = 0, expected = oracle_round(f, value, FLOAT_RNE, &expected_flags);
    const char *end = float_parse(f->format, text, &bits, &flags);

    if (!end || *end || bits != expected || flags != expected_flags)
        fail_msg("%s \"%s\": got %#jx flags %#x, stopped at \"%s\"; expected %#jx flags %#x",
                 float_layouts[f->format].name, text, (uintmax_t)bits, flags, end ? end : "start",
                 (uintmax_t)expected, expected_flags);
}

static void test_random_decimals(void **state)
{
    struct random_state random = {11};
    char text[128];
    mpfr_t x;

    (void)state;
    mpfr_init2(x, 1400); /* a 40-digit decimal is no closer than this to a tie */
    for (int i = 0; i < 4 * ROUNDS; i++) {
        int digits = 1 + (int)random_below(&random, 19);
        int range = i & 1 ? 10 : i & 2 ? 60 : 340;
        int exponent = (int)random_below(&random, 2 * (unsigned)range) - range;

        snprintf(text, sizeof text, "%s%.*ju%s%jue%+d", i & 4 ? "-" : "", digits,
                 (uintmax_t)(random_bits(&random) >> random_below(&random, 64)), i & 8 ? "." : "",
                 (uintmax_t)random_bits(&random), exponent);
        mpfr_strtofr(x, text, NULL, 10, MPFR_RNDZ);
        for (int k = 0; k < ORACLE_FORMAT_COUNT; k++)
            check_text(&oracle_formats[k], text, x);
    }
    mpfr_clear(x);
}

/* Every power of ten, with more and with fewer digits than 64 bits hold. */
static void test_powers_of_ten(void **state)
{
    static const int counts[] = {1, 2, 16, 17, 18, 19, 20, 27};
    struct random_state random = {14};
    char digits[48], text[64];
    mpfr_t x;

    (void)state;
    mpfr_init2(x, 1400);
    for (int power = -400; power <= 400; power++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            snprintf(digits, sizeof digits, "%016ju%016ju", (uintmax_t)(random_bits(&random) >> 11),
                     (uintmax_t)(random_bits(&random) >> 11));
            snprintf(text, sizeof text, "%.*se%d", counts[i], digits, power);
            mpfr_strtofr(x, text, NULL, 10, MPFR_RNDZ);
            for (int k = 0; k < ORACLE_FORMAT_COUNT; k++)
                check_text(&oracle_formats[k], text, x);
        }
    }
    mpfr_clear(x);
}

/* The text of a tie, and of a number just above it. */
static void test_ties(void **state)
{
    struct random_state random = {12};
    char text[1400];
    mpfr_t x, half;

    (void)state;
    mpfr_inits2(4000, x, half, (mpfr_ptr)NULL);
    for (int i = 0; i < ROUNDS; i++) {
        const struct oracle_format *f = &oracle_formats[i % ORACLE_FORMAT_COUNT];
        uint64_t bits = random_operand(&random, f, 0) & (oracle_sign_bit(f) - 1);
        size_t length;

        oracle_decode(f, bits, x);
        oracle_decode(f, bits + 1, half);
        if (!mpfr_number_p(x) || !mpfr_number_p(half))
            continue;
        mpfr_add(x, x, half, MPFR_RNDZ);
        mpfr_div_2ui(x, x, 1, MPFR_RNDZ);
        length = (size_t)mpfr_snprintf(text, sizeof text, "%.1080Rf", x);
        check_text(f, text, x);

        memcpy(text + length, "00001", 6);
        mpfr_nextabove(x);
        check_text(f, text, x);
    }
    mpfr_clears(x, half, (mpfr_ptr)NULL);
}

static void test_random_hexadecimals(void **state)
{
    struct random_state random = {13};
    char text[128];
    mpfr_t x;

    (void)state;
    mpfr_init2(x, 256);
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(text, sizeof text, "%s0x%jx.%jxp%d", i & 1 ? "-" : "",
                 (uintmax_t)(random_bits(&random) >> random_below(&random, 64)),
                 (uintmax_t)random_bits(&random),
                 (int)random_below(&random, i & 2 ? 40 : 2200) - (i & 2 ? 20 : 1100));
        mpfr_strtofr(x, text, NULL, 16, MPFR_RNDZ);
        for (int k = 0; k < ORACLE_FORMAT_COUNT; k++)
            check_text(&oracle_formats[k], text, x);
    }
    mpfr_clear(x);
}

static void test_stated_values(void **state)
{
    static const struct {
        enum float_format format;
        const char *text;
        uint64_t bits;
        const char *rest;
        unsigned flags;
    } cases[] = {
        {FLOAT_F32, "1", 0x3f800000, "", 0},
        {FLOAT_F32, ".5", 0x3f000000, "", 0},
        {FLOAT_F32, "5.", 0x40a00000, "", 0},
        {FLOAT_F32, "+1.5e1,", 0x41700000, ",", 0},
        {FLOAT_F32, "-0", 0x80000000, "", 0},
        {FLOAT_F32, "-0.0e999999999999", 0x80000000, "", 0},
        {FLOAT_F32, "1e", 0x3f800000, "e", 0},
        {FLOAT_F32, "1e+x", 0x3f800000, "e+x", 0},
        {FLOAT_F32, "1.2.3", 0x3f99999a, ".3", FLOAT_NX},
        {FLOAT_F32, "0x1.8p1", 0x40400000, "", 0},
        {FLOAT_F32, "0x", 0x00000000, "x", 0},
        {FLOAT_F32, "nan", 0x7fffffff, "", 0},
        {FLOAT_F32, "-NaN", 0xffffffff, "", 0},
        {FLOAT_F32, "Infinity", 0x7f800000, "", 0},
        {FLOAT_F32, "-inf ", 0xff800000, " ", 0},
        {FLOAT_F32, "1e39", 0x7f800000, "", FLOAT_OF | FLOAT_NX},
        {FLOAT_F32, "1e-60", 0x00000000, "", FLOAT_UF | FLOAT_NX},
        {FLOAT_F64, "1e99999999999999999999", 0x7ff0000000000000, "", FLOAT_OF | FLOAT_NX},
        {FLOAT_F64, "0x1p-99999999999999", 0, "", FLOAT_UF | FLOAT_NX},
        {FLOAT_F64, "1.00000000000000000000000000000", 0x3ff0000000000000, "", 0},
        {FLOAT_F64, "0.99999999999999999999999999999", 0x3ff0000000000000, "", FLOAT_NX},
        {FLOAT_F64, "0.000000000000000000000000000000", 0, "", 0},
        {FLOAT_F64, "9007199254740993", 0x4340000000000000, "", FLOAT_NX},
        {FLOAT_F64, "9007199254740993.0000000000000000001", 0x4340000000000001, "", FLOAT_NX},
        /* A tie in the first 64 bits, and a number of few bits there; the rest is not 0. */
        {FLOAT_F64, "6990833759942005158e-8", 0x423046dc93bf6b89, "", FLOAT_NX},
        {FLOAT_F64, "8805698293944494799e-13", 0x412adf73a8a663a8, "", FLOAT_NX},
        /* Exact, but not decided by the first digits. */
        {FLOAT_F64, "0.164337866008281707763671875", 0x3fc50905f0000000, "", 0},
        {FLOAT_F64, "-103693803590624546390016", 0xc4b5f5409a6c5b0d, "", 0},
        {FLOAT_F32, "8.56744009070098400115966796875e-10", 0x306b8000, "", 0},
        {FLOAT_F64, "0.1", 0x3fb999999999999a, "", FLOAT_NX},
        {FLOAT_E4M3, "448", 0x7e, "", 0},
        {FLOAT_E4M3, "465", 0x7f, "", FLOAT_OF | FLOAT_NX},
        {FLOAT_E4M3, "nan", 0x7f, "", 0},
        /* Just above a tie of f16, but exactly the tie after rounding to f64 first. */
        {FLOAT_F16, "1.00048828125000000000001", 0x3c01, "", FLOAT_NX},
    };
    static const char *const not_numbers[] = {"", "-", ".", "e5", "+-1", "x", "-.e1", "in", "na"};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned flags = 0;
        uint64_t bits = 0;
        const char *end = float_parse(cases[i].format, cases[i].text, &bits, &flags);

        assert_non_null(end);
        assert_string_equal(end, cases[i].rest);
        assert_int_equal(bits, cases[i].bits);
        assert_int_equal(flags, cases[i].flags);
    }
    for (size_t i = 0; i < sizeof not_numbers / sizeof not_numbers[0]; i++) {
        unsigned flags = 0;
        uint64_t bits = 0;

        assert_null(float_parse(FLOAT_F32, not_numbers[i], &bits, &flags));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stated_values),       cmocka_unit_test(test_random_decimals),
        cmocka_unit_test(test_powers_of_ten),       cmocka_unit_test(test_ties),
        cmocka_unit_test(test_random_hexadecimals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
