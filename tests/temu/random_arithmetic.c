/* Arithmetic of floating point with random operands of all kinds, in all rounding modes, with the
 * inexact flag set and not: results and flags are those of QEMU, in all tiers. Each instruction has
 * a loop of its own, which becomes native code that has rare cases inline or calls functions.
 *
 * RUN: %gcc -O2 -static -o %t %s && %qemu %t > %t.qemu
 * RUN: for tier in interp translate optimize auto; do %temu --tier=$tier %t | diff %t.qemu - || exit 1; done
 */
#include <stdint.h>
#include <stdio.h>

enum { ROUNDS = 700, MODES = 5 };

static uint64_t seed = 0x77777, hash;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* The exponents and fractions of a format: those of numbers at the limits of the format and of
 * integers, and of numbers whose sums and products are exact, subnormal or too large. */
static uint64_t encode(unsigned exponent_bits, unsigned fraction_bits)
{
    uint64_t largest = ((uint64_t)1 << exponent_bits) - 1, bias = largest >> 1;
    const uint64_t exponents[] = {0,
                                  0,
                                  1,
                                  largest - 1,
                                  largest,
                                  bias - 1,
                                  bias,
                                  bias + 30,
                                  bias + 31,
                                  bias + 62,
                                  bias + 63,
                                  bias / 2,
                                  bias / 2 + next() % 64,
                                  bias + next() % 70,
                                  1 + next() % 60,
                                  next() & largest},
                   fraction_mask = ((uint64_t)1 << fraction_bits) - 1,
                   fractions[] = {0,
                                  1,
                                  fraction_mask,
                                  (fraction_mask >> 1) + 1,
                                  next() & fraction_mask,
                                  next() & fraction_mask,
                                  next() & fraction_mask & ~(fraction_mask >> 7),
                                  next() & 7};

    return (next() >> 40 & 1) << (exponent_bits + fraction_bits) |
           exponents[next() >> 40 & 15] << fraction_bits | fractions[next() >> 40 & 7];
}

static uint64_t make_d(void)
{
    return encode(11, 52);
}

/* Some are not NaN-boxed. */
static uint64_t make_s(void)
{
    return encode(8, 23) | (next() >> 40 & 63 ? UINT64_C(0xffffffff) : next()) << 32;
}

static uint64_t make_x(void)
{
    return (uint64_t)((int64_t)next() >> (next() >> 40 & 63));
}

static void note(uint64_t result, uint64_t flags)
{
    hash = (hash ^ result ^ flags << 57) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
}

/* The name, the kind of the operands, the instruction, and the register of the result. */
#define INSTRUCTIONS(_)                                                                            \
    _(add_d, d, "fadd.d ft0,ft1,ft2", F)                                                           \
    _(sub_d, d, "fsub.d ft0,ft1,ft2", F)                                                           \
    _(mul_d, d, "fmul.d ft0,ft1,ft2", F)                                                           \
    _(div_d, d, "fdiv.d ft0,ft1,ft2", F)                                                           \
    _(sqrt_d, d, "fsqrt.d ft0,ft1", F)                                                             \
    _(madd_d, d, "fmadd.d ft0,ft1,ft2,ft3", F)                                                     \
    _(msub_d, d, "fmsub.d ft0,ft1,ft2,ft3", F)                                                     \
    _(nmadd_d, d, "fnmadd.d ft0,ft1,ft2,ft3", F)                                                   \
    _(nmsub_d, d, "fnmsub.d ft0,ft1,ft2,ft3", F)                                                   \
    _(add_s, s, "fadd.s ft0,ft1,ft2", F)                                                           \
    _(sub_s, s, "fsub.s ft0,ft1,ft2", F)                                                           \
    _(mul_s, s, "fmul.s ft0,ft1,ft2", F)                                                           \
    _(div_s, s, "fdiv.s ft0,ft1,ft2", F)                                                           \
    _(sqrt_s, s, "fsqrt.s ft0,ft1", F)                                                             \
    _(madd_s, s, "fmadd.s ft0,ft1,ft2,ft3", F)                                                     \
    _(msub_s, s, "fmsub.s ft0,ft1,ft2,ft3", F)                                                     \
    _(nmadd_s, s, "fnmadd.s ft0,ft1,ft2,ft3", F)                                                   \
    _(nmsub_s, s, "fnmsub.s ft0,ft1,ft2,ft3", F)                                                   \
    _(add_d_rtz, d, "fadd.d ft0,ft1,ft2,rtz", F)                                                   \
    _(mul_d_rup, d, "fmul.d ft0,ft1,ft2,rup", F)                                                   \
    _(mul_d_rmm, d, "fmul.d ft0,ft1,ft2,rmm", F)                                                   \
    _(div_s_rdn, s, "fdiv.s ft0,ft1,ft2,rdn", F)                                                   \
    _(mul_s_rne, s, "fmul.s ft0,ft1,ft2,rne", F)                                                   \
    _(min_d, d, "fmin.d ft0,ft1,ft2", F)                                                           \
    _(max_d, d, "fmax.d ft0,ft1,ft2", F)                                                           \
    _(eq_d, d, "feq.d t0,ft1,ft2", X)                                                              \
    _(eq_d_same, d, "feq.d t0,ft1,ft1", X)                                                         \
    _(lt_d, d, "flt.d t0,ft1,ft2", X)                                                              \
    _(le_d, d, "fle.d t0,ft1,ft2", X)                                                              \
    _(min_s, s, "fmin.s ft0,ft1,ft2", F)                                                           \
    _(max_s, s, "fmax.s ft0,ft1,ft2", F)                                                           \
    _(eq_s, s, "feq.s t0,ft1,ft2", X)                                                              \
    _(lt_s, s, "flt.s t0,ft1,ft2", X)                                                              \
    _(le_s, s, "fle.s t0,ft1,ft2", X)                                                              \
    _(to_w_d, d, "fcvt.w.d t0,ft1", X)                                                             \
    _(to_wu_d, d, "fcvt.wu.d t0,ft1", X)                                                           \
    _(to_l_d, d, "fcvt.l.d t0,ft1", X)                                                             \
    _(to_lu_d, d, "fcvt.lu.d t0,ft1", X)                                                           \
    _(to_w_s, s, "fcvt.w.s t0,ft1", X)                                                             \
    _(to_wu_s, s, "fcvt.wu.s t0,ft1", X)                                                           \
    _(to_l_s, s, "fcvt.l.s t0,ft1", X)                                                             \
    _(to_lu_s, s, "fcvt.lu.s t0,ft1", X)                                                           \
    _(to_w_d_rtz, d, "fcvt.w.d t0,ft1,rtz", X)                                                     \
    _(to_wu_d_rdn, d, "fcvt.wu.d t0,ft1,rdn", X)                                                   \
    _(to_l_d_rup, d, "fcvt.l.d t0,ft1,rup", X)                                                     \
    _(to_l_d_rtz, d, "fcvt.l.d t0,ft1,rtz", X)                                                     \
    _(to_lu_d_rmm, d, "fcvt.lu.d t0,ft1,rmm", X)                                                   \
    _(to_lu_d_rtz, d, "fcvt.lu.d t0,ft1,rtz", X)                                                   \
    _(to_w_s_rmm, s, "fcvt.w.s t0,ft1,rmm", X)                                                     \
    _(to_wu_s_rtz, s, "fcvt.wu.s t0,ft1,rtz", X)                                                   \
    _(to_l_s_rmm, s, "fcvt.l.s t0,ft1,rmm", X)                                                     \
    _(to_lu_s_rtz, s, "fcvt.lu.s t0,ft1,rtz", X)                                                   \
    _(d_from_w, x, "fcvt.d.w ft0,t1", F)                                                           \
    _(d_from_wu, x, "fcvt.d.wu ft0,t1", F)                                                         \
    _(d_from_l, x, "fcvt.d.l ft0,t1", F)                                                           \
    _(d_from_lu, x, "fcvt.d.lu ft0,t1", F)                                                         \
    _(s_from_w, x, "fcvt.s.w ft0,t1", F)                                                           \
    _(s_from_wu, x, "fcvt.s.wu ft0,t1", F)                                                         \
    _(s_from_l, x, "fcvt.s.l ft0,t1", F)                                                           \
    _(s_from_lu, x, "fcvt.s.lu ft0,t1", F)                                                         \
    _(s_from_d, d, "fcvt.s.d ft0,ft1", F)                                                          \
    _(d_from_s, s, "fcvt.d.s ft0,ft1", F)

#define RESULT_F "fmv.x.d %0, ft0"
#define RESULT_X "mv %0, t0"
#define DEFINE(name, kind, instruction, result)                                                    \
    static void run_##name(uint64_t before)                                                        \
    {                                                                                              \
        for (int i = 0; i < ROUNDS; i++) {                                                         \
            uint64_t a = make_##kind(), b = make_##kind(), c = make_##kind(), value, flags;        \
                                                                                                   \
            __asm__ volatile("csrw fflags, %5\n\t"                                                 \
                             "fmv.d.x ft1, %2\n\t"                                                 \
                             "fmv.d.x ft2, %3\n\t"                                                 \
                             "fmv.d.x ft3, %4\n\t"                                                 \
                             "mv t1, %2\n\t" instruction "\n\t" RESULT_##result "\n\t"             \
                                                                                "csrr %1, fflags"  \
                             : "=&r"(value), "=&r"(flags)                                          \
                             : "r"(a), "r"(b), "r"(c), "r"(before)                                 \
                             : "ft0", "ft1", "ft2", "ft3", "t0", "t1");                            \
            note(value, flags);                                                                    \
        }                                                                                          \
    }
INSTRUCTIONS(DEFINE)

static const struct {
    const char *name;
    void (*run)(uint64_t before);
} instructions[] = {
#define ENTRY(name, kind, instruction, result) {#name, run_##name},
    INSTRUCTIONS(ENTRY)};

int main(void)
{
    enum { INEXACT = 1 };

    for (unsigned i = 0; i < sizeof instructions / sizeof *instructions; i++)
        for (int mode = 0; mode < MODES; mode++) {
            hash = 0;
            __asm__ volatile("csrw frm, %0" : : "r"(mode));
            instructions[i].run(0);
            instructions[i].run(INEXACT);
            __asm__ volatile("csrw frm, zero");
            printf("%s %d %016llx\n", instructions[i].name, mode, (unsigned long long)hash);
        }
    return 0;
}
