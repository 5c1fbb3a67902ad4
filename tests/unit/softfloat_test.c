/*
 * emu/float/softfloat.c against two oracles that share no code with it:
 *   - the host's FPU through <fenv.h>, for the four rounding modes that it has. Operands and
 *     results are volatile, so that no compiler moves an operation across a mode change. x86 SSE
 *     detects tininess after rounding as RISC-V does; other hosts (aarch64: before rounding) may
 *     only differ in UF, which is then left to the second oracle;
 *   - MPFR, for all five modes, the fused multiply-add and the conversions (float_oracle.h). A
 *     third kind of test states expected values, for rules in which an oracle could make the same
 *     mistake.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "emu/float/softfloat.h"
#include "tests/unit/float_oracle.h"

#define HOST_ROUNDS 60000 /* operand pairs, each tried in four modes */
#define MPFR_ROUNDS 15000 /* operand triples, each tried in five modes */

#if defined(__x86_64__) || defined(__i386__)
#define HOST_FLAGS (FLOAT_NX | FLOAT_UF | FLOAT_OF | FLOAT_DZ | FLOAT_NV)
#else
#define HOST_FLAGS (FLOAT_NX | FLOAT_OF | FLOAT_DZ | FLOAT_NV)
#endif

static const int host_modes[] = {
    [FLOAT_RNE] = FE_TONEAREST,
    [FLOAT_RTZ] = FE_TOWARDZERO,
    [FLOAT_RDN] = FE_DOWNWARD,
    [FLOAT_RUP] = FE_UPWARD,
};

static unsigned host_flags(void)
{
    int raised = fetestexcept(FE_ALL_EXCEPT);

    return (raised & FE_INEXACT ? FLOAT_NX : 0) | (raised & FE_UNDERFLOW ? FLOAT_UF : 0) |
           (raised & FE_OVERFLOW ? FLOAT_OF : 0) | (raised & FE_DIVBYZERO ? FLOAT_DZ : 0) |
           (raised & FE_INVALID ? FLOAT_NV : 0);
}

static void check(const char *what, enum float_format format, const uint64_t *operands,
                  int rounding, uint64_t result, unsigned flags, uint64_t expected,
                  unsigned expected_flags)
{
    if (result == expected && flags == expected_flags)
        return;
    fail_msg("%s %s(%#jx, %#jx, %#jx) rm=%d: got %#jx flags %#x, expected %#jx flags %#x",
             float_layouts[format].name, what, (uintmax_t)operands[0], (uintmax_t)operands[1],
             (uintmax_t)operands[2], rounding, (uintmax_t)result, flags, (uintmax_t)expected,
             expected_flags);
}

static uint64_t softfloat_operation(enum operation operation, enum float_format format,
                                    const uint64_t *v, int rounding, unsigned *flags)
{
    switch (operation) {
    case OPERATION_ADD:
        return float_add(format, v[0], v[1], rounding, flags);
    case OPERATION_SUB:
        return float_sub(format, v[0], v[1], rounding, flags);
    case OPERATION_MUL:
        return float_mul(format, v[0], v[1], rounding, flags);
    case OPERATION_DIV:
        return float_div(format, v[0], v[1], rounding, flags);
    case OPERATION_SQRT:
        return float_sqrt(format, v[0], rounding, flags);
    default:
        return float_mul_add(format, v[0], v[1], v[2], rounding, flags);
    }
}

static uint32_t host_f32(enum operation operation, uint64_t a_bits, uint64_t b_bits)
{
    uint32_t a32 = (uint32_t)a_bits, b32 = (uint32_t)b_bits, bits;
    volatile float a, b, result;
    float copy;

    memcpy(&copy, &a32, sizeof copy);
    a = copy;
    memcpy(&copy, &b32, sizeof copy);
    b = copy;
    feclearexcept(FE_ALL_EXCEPT);
    switch (operation) {
    case OPERATION_ADD:
        result = a + b;
        break;
    case OPERATION_SUB:
        result = a - b;
        break;
    case OPERATION_MUL:
        result = a * b;
        break;
    case OPERATION_DIV:
        result = a / b;
        break;
    default:
        result = sqrtf(a);
        break;
    }
    copy = result;
    memcpy(&bits, &copy, sizeof bits);
    return isnan(copy) ? 0x7fc00000 : bits;
}

static uint64_t host_f64(enum operation operation, uint64_t a_bits, uint64_t b_bits)
{
    volatile double a, b, result;
    double copy;
    uint64_t bits;

    memcpy(&copy, &a_bits, sizeof copy);
    a = copy;
    memcpy(&copy, &b_bits, sizeof copy);
    b = copy;
    feclearexcept(FE_ALL_EXCEPT);
    switch (operation) {
    case OPERATION_ADD:
        result = a + b;
        break;
    case OPERATION_SUB:
        result = a - b;
        break;
    case OPERATION_MUL:
        result = a * b;
        break;
    case OPERATION_DIV:
        result = a / b;
        break;
    default:
        result = sqrt(a);
        break;
    }
    copy = result;
    memcpy(&bits, &copy, sizeof bits);
    return isnan(copy) ? 0x7ff8000000000000 : bits;
}

static void compare_with_host(enum operation operation, enum float_format format)
{
    const struct oracle_format *f = oracle_format(format);

    for (int rounding = FLOAT_RNE; rounding <= FLOAT_RUP; rounding++) {
        struct random_state random = {0x9e3779b97f4a7c15u + (unsigned)operation};

        for (int i = 0; i < HOST_ROUNDS; i++) {
            uint64_t a = random_operand(&random, f, 0);
            uint64_t operands[3] = {a, random_operand(&random, f, a), 0};
            unsigned flags = 0, expected_flags;
            uint64_t expected, result;

            if (format == FLOAT_F32)
                operands[1] &= UINT32_MAX;
            fesetround(host_modes[rounding]);
            expected = format == FLOAT_F32 ? host_f32(operation, a, operands[1])
                                           : host_f64(operation, a, operands[1]);
            expected_flags = host_flags();
            fesetround(FE_TONEAREST);
            result = softfloat_operation(operation, format, operands, rounding, &flags);
            check(operation_names[operation], format, operands, rounding, result,
                  flags & HOST_FLAGS, expected, expected_flags & HOST_FLAGS);
        }
    }
}

static void test_arithmetic_equals_host(void **state)
{
    (void)state;
    for (enum operation operation = OPERATION_ADD; operation <= OPERATION_SQRT; operation++) {
        compare_with_host(operation, FLOAT_F32);
        compare_with_host(operation, FLOAT_F64);
    }
}

static void compare_with_mpfr(enum operation operation, enum float_format format, int rounds)
{
    const struct oracle_format *f = oracle_format(format);
    struct random_state random = {0xd1b54a32d192ed03u + (unsigned)operation};

    for (int i = 0; i < rounds; i++) {
        uint64_t mask = oracle_sign_bit(f) | (oracle_sign_bit(f) - 1);
        uint64_t operands[3];

        operands[0] = random_operand(&random, f, 0);
        operands[1] = random_operand(&random, f, operands[0]) & mask;
        operands[2] = random_operand(&random, f, operands[0]) & mask;
        if (operation == OPERATION_MUL_ADD && random_below(&random, 4) == 0) {
            unsigned ignored = 0; /* an addend near the product: cancellation */
            uint64_t product = float_mul(format, operands[0], operands[1], FLOAT_RNE, &ignored);

            operands[2] = (product ^ oracle_sign_bit(f)) + random_below(&random, 3) - 1;
            operands[2] &= mask;
        }
        for (int rounding = FLOAT_RNE; rounding <= FLOAT_RMM; rounding++) {
            unsigned flags = 0, expected_flags = 0;
            uint64_t result = softfloat_operation(operation, format, operands, rounding, &flags);
            uint64_t expected = oracle_operation(operation, f, operands, rounding, &expected_flags);

            check(operation_names[operation], format, operands, rounding, result, flags, expected,
                  expected_flags);
        }
    }
}

static void test_arithmetic_equals_mpfr(void **state)
{
    (void)state;
    for (enum operation operation = OPERATION_ADD; operation <= OPERATION_SQRT; operation++) {
        compare_with_mpfr(operation, FLOAT_F32, MPFR_ROUNDS);
        compare_with_mpfr(operation, FLOAT_F64, MPFR_ROUNDS / 2);
        compare_with_mpfr(operation, FLOAT_F16, MPFR_ROUNDS / 2);
    }
}

static void test_mul_add_equals_mpfr(void **state)
{
    (void)state;
    compare_with_mpfr(OPERATION_MUL_ADD, FLOAT_F32, MPFR_ROUNDS * 2);
    compare_with_mpfr(OPERATION_MUL_ADD, FLOAT_F64, MPFR_ROUNDS);
}

/* A value converted to an integer of `width` bits by definition: round, then saturate. */
static uint64_t expected_integer(const struct oracle_format *f, uint64_t bits, int width,
                                 bool is_signed, int rounding, unsigned *flags)
{
    uint64_t result;
    mpfr_t x, low, high;

    mpfr_inits2(256, x, low, high, (mpfr_ptr)NULL);
    mpfr_set_si_2exp(high, 1, width - is_signed, MPFR_RNDZ);
    mpfr_sub_ui(high, high, 1, MPFR_RNDZ);
    mpfr_set_si_2exp(low, is_signed ? -1 : 0, width - 1, MPFR_RNDZ);
    oracle_decode(f, bits, x);
    if (mpfr_nan_p(x)) {
        mpfr_set(x, high, MPFR_RNDZ);
        *flags = FLOAT_NV;
    } else if (!mpfr_inf_p(x) && !mpfr_integer_p(x)) {
        oracle_round_to_integer(x, rounding);
        *flags = FLOAT_NX;
    }
    if (mpfr_cmp(x, high) > 0 || mpfr_cmp(x, low) < 0) {
        mpfr_set(x, mpfr_sgn(x) > 0 ? high : low, MPFR_RNDZ);
        *flags = FLOAT_NV;
    }
    result =
        mpfr_sgn(x) < 0 ? (uint64_t)mpfr_get_sj(x, MPFR_RNDZ) : (uint64_t)mpfr_get_uj(x, MPFR_RNDZ);
    mpfr_clears(x, low, high, (mpfr_ptr)NULL);
    return result;
}

/* An encoding within three steps of an end of the range of integers. */
static uint64_t random_near_range_end(struct random_state *random, const struct oracle_format *f,
                                      int exponent)
{
    unsigned ignored = 0;
    uint64_t bits;
    mpfr_t x;

    mpfr_init2(x, 64);
    mpfr_set_si_2exp(x, random_below(random, 2) ? 1 : -1, exponent, MPFR_RNDZ);
    bits = oracle_round(f, x, FLOAT_RNE, &ignored) + random_below(random, 7) - 3;
    mpfr_clear(x);
    return bits;
}

static uint64_t softfloat_integer(const struct oracle_format *f, uint64_t bits, int width,
                                  bool is_signed, int rounding, unsigned *flags)
{
    if (is_signed)
        return width == 32 ? (uint64_t)float_to_i32(f->format, bits, rounding, flags)
                           : (uint64_t)float_to_i64(f->format, bits, rounding, flags);
    return width == 32 ? float_to_u32(f->format, bits, rounding, flags)
                       : float_to_u64(f->format, bits, rounding, flags);
}

static void test_integers_equal_mpfr(void **state)
{
    static const enum float_format formats[] = {FLOAT_F32, FLOAT_F64};
    struct random_state random = {42};

    (void)state;
    for (int i = 0; i < 8 * MPFR_ROUNDS; i++) {
        const struct oracle_format *f = oracle_format(formats[i & 1]);
        int rounding = (int)random_below(&random, 5), width = i & 2 ? 32 : 64;
        bool is_signed = i & 4;
        uint64_t operands[3] = {random_operand(&random, f, 0), 0, 0}, result, expected;
        unsigned flags = 0, expected_flags = 0;

        if (random_below(&random, 2))
            operands[0] = random_near_range_end(&random, f, width - is_signed);
        result = softfloat_integer(f, operands[0], width, is_signed, rounding, &flags);
        expected = expected_integer(f, operands[0], width, is_signed, rounding, &expected_flags);
        check(is_signed ? "to_i" : "to_u", f->format, operands, rounding, result, flags, expected,
              expected_flags);
    }
}

static void test_from_integers_equal_mpfr(void **state)
{
    static const enum float_format formats[] = {FLOAT_F32, FLOAT_F64};
    struct random_state random = {7};
    mpfr_t x;

    (void)state;
    mpfr_init2(x, 64);
    for (int i = 0; i < 8 * MPFR_ROUNDS; i++) {
        const struct oracle_format *f = oracle_format(formats[i & 1]);
        int rounding = (int)random_below(&random, 5);
        uint64_t integer = random_bits(&random) >> random_below(&random, 64);
        uint64_t operands[3] = {0}, result, expected;
        unsigned flags = 0, expected_flags = 0;

        if (random_below(&random, 2)) /* a tie or next to it */
            integer = (integer & (~(uint64_t)0 << random_below(&random, 64))) +
                      random_below(&random, 3) - 1;
        operands[0] = integer;
        if (i & 2) {
            result = float_from_i64(f->format, (int64_t)integer, rounding, &flags);
            mpfr_set_sj(x, (intmax_t)integer, MPFR_RNDZ);
        } else {
            result = float_from_u64(f->format, integer, rounding, &flags);
            mpfr_set_uj(x, integer, MPFR_RNDZ);
        }
        expected = oracle_round(f, x, rounding, &expected_flags);
        check(i & 2 ? "from_i64" : "from_u64", f->format, operands, rounding, result, flags,
              expected, expected_flags);
    }
    mpfr_clear(x);
}

static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static void test_comparisons_equal_host(void **state)
{
    const struct oracle_format *f = oracle_format(FLOAT_F64);
    struct random_state random = {99};

    (void)state;
    for (int i = 0; i < HOST_ROUNDS; i++) {
        uint64_t a = random_operand(&random, f, 0), b = random_operand(&random, f, a);
        double x = double_of(a), y = double_of(b);
        bool nan = isnan(x) || isnan(y);
        bool signaling = oracle_is_signaling(f, a) || oracle_is_signaling(f, b);
        unsigned quiet = 0, lt = 0, le = 0, flags = 0, want_quiet = signaling ? FLOAT_NV : 0;
        uint64_t min = float_min(FLOAT_F64, a, b, &flags), max = float_max(FLOAT_F64, a, b, &flags);

        assert_int_equal(float_eq(FLOAT_F64, a, b, &quiet), !nan && x == y);
        assert_int_equal(float_lt(FLOAT_F64, a, b, &lt), !nan && isless(x, y));
        assert_int_equal(float_le(FLOAT_F64, a, b, &le), !nan && islessequal(x, y));
        assert_int_equal(quiet, want_quiet);
        assert_int_equal(lt, nan ? FLOAT_NV : 0);
        assert_int_equal(le, nan ? FLOAT_NV : 0);
        assert_int_equal(flags, want_quiet);
        if (nan) {
            uint64_t number = !isnan(x) ? a : !isnan(y) ? b : f->quiet_nan;

            assert_int_equal(min, number);
            assert_int_equal(max, number);
        } else if (x == y) { /* the same number, or zeros of either sign */
            assert_int_equal(min, a | b);
            assert_int_equal(max, a & b);
        } else {
            assert_int_equal(min, isless(x, y) ? a : b);
            assert_int_equal(max, isless(x, y) ? b : a);
        }
    }
}

static void test_classes(void **state)
{
    static const struct {
        uint32_t bits;
        unsigned mask;
    } cases[] = {
        {0xff800000, 1 << 0}, {0xff7fffff, 1 << 1}, {0x80800000, 1 << 1}, {0x807fffff, 1 << 2},
        {0x80000001, 1 << 2}, {0x80000000, 1 << 3}, {0x00000000, 1 << 4}, {0x00000001, 1 << 5},
        {0x007fffff, 1 << 5}, {0x00800000, 1 << 6}, {0x7f7fffff, 1 << 6}, {0x7f800000, 1 << 7},
        {0x7f800001, 1 << 8}, {0xffbfffff, 1 << 8}, {0x7fc00000, 1 << 9}, {0xffffffff, 1 << 9},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(float_classify(FLOAT_F32, cases[i].bits), cases[i].mask);
    assert_int_equal(float_classify(FLOAT_F64, 0x0000000000000001), 1 << 5);
    assert_int_equal(float_classify(FLOAT_F64, 0x0010000000000000), 1 << 6);
    assert_int_equal(float_classify(FLOAT_F64, 0xfff4000000000000), 1 << 8);
}

/* Values for rules of chapter F that are easy to get wrong. */
static void test_stated_values(void **state)
{
    uint32_t one = 0x3f800000, inf = 0x7f800000, snan = 0x7f800001, qnan = 0x7fc00001;
    uint32_t least_normal = 0x00800000, minus_zero = 0x80000000, nan = 0x7fc00000;
    unsigned flags = 0;

    (void)state;
    assert_int_equal(float_add(FLOAT_F32, qnan, one, FLOAT_RNE, &flags),
                     nan); /* canonical, quiet: no flag */
    assert_int_equal(flags, 0);
    assert_int_equal(float_add(FLOAT_F32, snan, one, FLOAT_RNE, &flags), nan);
    assert_int_equal(flags, FLOAT_NV);

    flags = 0; /* infinity * 0 + quiet NaN raises NV */
    assert_int_equal(float_mul_add(FLOAT_F32, inf, 0, qnan, FLOAT_RNE, &flags), nan);
    assert_int_equal(flags, FLOAT_NV);

    flags = 0; /* x - x is +0 except toward minus infinity */
    assert_int_equal(float_sub(FLOAT_F32, one, one, FLOAT_RNE, &flags), 0);
    assert_int_equal(float_sub(FLOAT_F32, one, one, FLOAT_RDN, &flags), minus_zero);
    assert_int_equal(float_sqrt(FLOAT_F32, minus_zero, FLOAT_RNE, &flags), minus_zero);
    assert_int_equal(flags, 0);

    assert_int_equal(float_div(FLOAT_F32, one, minus_zero, FLOAT_RNE, &flags), 0xff800000);
    assert_int_equal(flags, FLOAT_DZ);

    /* This rounds up to the least normal number, but is below it when rounded to 24 bits with
     * unbounded exponent: tiny. */
    flags = 0;
    assert_int_equal(float_mul(FLOAT_F32, 0x00ffffff, 0x3f000000, FLOAT_RNE, &flags), least_normal);
    assert_int_equal(flags, FLOAT_NX | FLOAT_UF);

    /* This is just below the least normal number, and reaches it when rounded to 24 bits with
     * unbounded exponent: not tiny. */
    flags = 0;
    assert_int_equal(
        float_mul_add(FLOAT_F32, 0x80000001, 0x33000000, least_normal, FLOAT_RNE, &flags),
        least_normal);
    assert_int_equal(flags, FLOAT_NX);

    flags = 0; /* ties: 2^24 + 1 */
    assert_int_equal(float_from_i64(FLOAT_F32, 16777217, FLOAT_RNE, &flags), 0x4b800000);
    assert_int_equal(float_from_i64(FLOAT_F32, 16777217, FLOAT_RMM, &flags), 0x4b800001);
    assert_int_equal(float_from_i64(FLOAT_F32, -16777217, FLOAT_RMM, &flags), 0xcb800001);
    assert_int_equal(flags, FLOAT_NX);

    flags = 0; /* -0.5 to unsigned: rounds to zero, or is out of range */
    assert_int_equal(float_to_u32(FLOAT_F32, 0xbf000000, FLOAT_RNE, &flags), 0);
    assert_int_equal(flags, FLOAT_NX);
    flags = 0;
    assert_int_equal(float_to_u32(FLOAT_F32, 0xbf000000, FLOAT_RDN, &flags), 0);
    assert_int_equal(flags, FLOAT_NV);
    flags = 0;
    assert_int_equal(float_to_i32(FLOAT_F64, 0xc1e0000000000000, FLOAT_RNE, &flags), INT32_MIN);
    assert_int_equal(flags, 0);
    assert_int_equal(float_to_i64(FLOAT_F32, 0xffc00000, FLOAT_RNE, &flags), INT64_MAX);
    assert_int_equal(float_to_u64(FLOAT_F32, 0xff800000, FLOAT_RNE, &flags), 0);
    assert_int_equal(flags, FLOAT_NV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stated_values),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_comparisons_equal_host),
        cmocka_unit_test(test_arithmetic_equals_host),
        cmocka_unit_test(test_arithmetic_equals_mpfr),
        cmocka_unit_test(test_mul_add_equals_mpfr),
        cmocka_unit_test(test_integers_equal_mpfr),
        cmocka_unit_test(test_from_integers_equal_mpfr),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
