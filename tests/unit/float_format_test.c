/*
 * lib/float_format.c: every encoding of the 8- and 16-bit formats is unpacked and packed again,
 * conversions between all pairs of formats are compared with MPFR (float_oracle.h), and so are the
 * published values of the OCP 8-bit formats.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/float_oracle.h"

#define ROUNDS 3000

static void test_every_short_encoding(void **state)
{
    mpfr_t x;

    (void)state;
    mpfr_init2(x, 64);
    for (int i = 0; i < ORACLE_FORMAT_COUNT; i++) {
        const struct oracle_format *f = &oracle_formats[i];

        assert_int_equal(float_width(f->format), f->width);
        for (uint64_t bits = 0; f->width <= 16 && bits < (uint64_t)1 << f->width; bits++) {
            unsigned flags = 0;
            uint64_t as_f64 = float_convert(FLOAT_F64, f->format, bits, FLOAT_RNE, &flags);
            uint64_t back = float_convert(f->format, FLOAT_F64, as_f64, FLOAT_RUP, &flags);

            oracle_decode(f, bits, x);
            if (mpfr_nan_p(x)) {
                assert_int_equal(as_f64, 0x7ff8000000000000);
                assert_int_equal(back, f->quiet_nan);
                assert_int_equal(flags, oracle_is_signaling(f, bits) ? FLOAT_NV : 0);
                continue;
            }
            assert_int_equal(back, bits);
            assert_int_equal(flags, 0);
            if (mpfr_inf_p(x))
                assert_int_equal(as_f64 << 1, (uint64_t)0x7ff0000000000000 << 1);
            else
                assert_int_equal(as_f64, oracle_round(oracle_format(FLOAT_F64), x, 0, &flags));
        }
    }
    mpfr_clear(x);
}

/* Draws a value of `from` near the range of `to`, or any value. */
static uint64_t random_source(struct random_state *random, const struct oracle_format *from,
                              const struct oracle_format *to)
{
    unsigned flags = 0;
    uint64_t bits = random_operand(random, to, 0);

    if (random_below(random, 3) == 0)
        return random_operand(random, from, 0);
    bits = float_convert(from->format, to->format, bits, FLOAT_RTZ, &flags);
    if (from->precision > to->precision + 1 && random_below(random, 2))
        bits += (uint64_t)1 << (from->precision - to->precision - 1); /* a tie */
    bits += random_below(random, 3) - 1;
    return bits & (oracle_sign_bit(from) | (oracle_sign_bit(from) - 1));
}

static void test_conversions_equal_mpfr(void **state)
{
    struct random_state random = {2024};

    (void)state;
    for (int pair = 0; pair < ORACLE_FORMAT_COUNT * ORACLE_FORMAT_COUNT; pair++) {
        const struct oracle_format *from = &oracle_formats[pair % ORACLE_FORMAT_COUNT];
        const struct oracle_format *to = &oracle_formats[pair / ORACLE_FORMAT_COUNT];

        for (int i = 0; i < ROUNDS; i++) {
            uint64_t bits = random_source(&random, from, to);
            int rounding = (int)random_below(&random, 5);
            unsigned flags = 0, expected_flags = 0;
            uint64_t result = float_convert(to->format, from->format, bits, rounding, &flags);
            uint64_t expected = oracle_convert(to, from, bits, rounding, &expected_flags);

            if (result != expected || flags != expected_flags)
                fail_msg("%s %#jx to %s rm=%d: got %#jx flags %#x, expected %#jx flags %#x",
                         float_layouts[from->format].name, (uintmax_t)bits,
                         float_layouts[to->format].name, rounding, (uintmax_t)result, flags,
                         (uintmax_t)expected, expected_flags);
        }
    }
}

/* OCP 8-bit floating point specification, table of values; machine.md's rule on overflow. */
static void test_published_values(void **state)
{
    static const struct {
        enum float_format format;
        uint64_t bits, as_f32;
    } cases[] = {
        {FLOAT_E4M3, 0x7e, 0x43e00000}, /* 448, the largest */
        {FLOAT_E4M3, 0x08, 0x3c800000}, /* 2^-6, the least normal */
        {FLOAT_E4M3, 0x07, 0x3c600000}, /* 0.875 * 2^-6, the greatest subnormal */
        {FLOAT_E4M3, 0x01, 0x3b000000}, /* 2^-9, the least */
        {FLOAT_E4M3, 0x78, 0x43800000}, /* 256: exponent 15 is an ordinary one */
        {FLOAT_E5M2, 0x7b, 0x47600000}, /* 57344 */
        {FLOAT_E5M2, 0x04, 0x38800000}, /* 2^-14 */
        {FLOAT_E5M2, 0x01, 0x37800000}, /* 2^-16 */
        {FLOAT_E5M2, 0x7c, 0x7f800000}, /* infinity */
        {FLOAT_BF16, 0x3f80, 0x3f800000}, {FLOAT_F16, 0x3c00, 0x3f800000},
    };
    unsigned flags = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum float_format format = cases[i].format;

        assert_int_equal(float_convert(FLOAT_F32, format, cases[i].bits, 0, &flags),
                         cases[i].as_f32);
        assert_int_equal(float_convert(format, FLOAT_F32, cases[i].as_f32, 0, &flags),
                         cases[i].bits);
    }
    assert_int_equal(flags, 0);

    /* 464 is halfway between 448 and the 480 that e4m3 does not have: it ties to the even 448. */
    assert_int_equal(float_convert(FLOAT_E4M3, FLOAT_F32, 0x43e80000, FLOAT_RNE, &flags), 0x7e);
    assert_int_equal(flags, FLOAT_NX);
    assert_int_equal(float_convert(FLOAT_E4M3, FLOAT_F32, 0x43e80001, FLOAT_RNE, &flags), 0x7f);
    assert_int_equal(flags, FLOAT_NX | FLOAT_OF);
    assert_int_equal(float_convert(FLOAT_E4M3, FLOAT_F32, 0xff800000, FLOAT_RNE, &flags), 0x7f);
    assert_int_equal(float_convert(FLOAT_E5M2, FLOAT_F32, 0xff800000, FLOAT_RNE, &flags), 0xfc);
    assert_int_equal(float_from_double(FLOAT_F16, 0xbff8000000000000, FLOAT_RNE, &flags), 0xbe00);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_short_encoding),
        cmocka_unit_test(test_conversions_equal_mpfr),
        cmocka_unit_test(test_published_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
