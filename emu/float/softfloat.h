/*
 * IEEE 754-2019 arithmetic with the conventions of RISC-V: the F and D instructions and the element
 * arithmetic of the tensor units fall back on it. These are pure functions over bit patterns that
 * do not use the host's FPU, so their results are the same on every host.
 *
 * Conventions (RISC-V unprivileged manual, chapters F and D):
 *   - `rounding` is one of the five modes of enum float_rounding, already resolved: the caller
 *     handles `dyn` and reserved encodings. Operations without it never round.
 *   - `flags` is never NULL; exceptions are ORed into it as enum float_flag (fflags bits).
 *   - a NaN result is the canonical quiet NaN: payloads are not propagated ("NaN Generation and
 *     Propagation"); a signaling NaN operand raises NV.
 *   - tininess is detected after rounding; subnormal numbers are supported ("Subnormal
 *     Arithmetic").
 *   - encodings are not NaN-boxed: boxing is done by the register file.
 *
 * The functions take any format. emu/float/host.h and emu/float/half.h have faster versions for
 * the formats of D, F and Zfh.
 */
#ifndef EMU_FLOAT_SOFTFLOAT_H
#define EMU_FLOAT_SOFTFLOAT_H

#include "lib/float_format.h"

/* FADD, FSUB, FMUL, FDIV, FSQRT: IEEE 754-2019 section 5.4.1. x/0 raises DZ. */
uint64_t float_add(enum float_format format, uint64_t a, uint64_t b, int rounding, unsigned *flags);
uint64_t float_sub(enum float_format format, uint64_t a, uint64_t b, int rounding, unsigned *flags);
uint64_t float_mul(enum float_format format, uint64_t a, uint64_t b, int rounding, unsigned *flags);
uint64_t float_div(enum float_format format, uint64_t a, uint64_t b, int rounding, unsigned *flags);
uint64_t float_sqrt(enum float_format format, uint64_t a, int rounding, unsigned *flags);

/*
 * FMADD: a * b + c with one rounding. FMSUB, FNMSUB and FNMADD are the same with the signs of
 * operands flipped by float_negate. 0 * infinity raises NV even if c is a quiet NaN.
 */
uint64_t float_mul_add(enum float_format format, uint64_t a, uint64_t b, uint64_t c, int rounding,
                       unsigned *flags);

/* Flips the sign bit, also of a NaN (FSGNJN of a value with itself). */
uint64_t float_negate(enum float_format format, uint64_t a);

/* FEQ, quiet: NV for signaling NaNs only. FLT and FLE, signaling: NV for any NaN. */
bool float_eq(enum float_format format, uint64_t a, uint64_t b, unsigned *flags);
bool float_lt(enum float_format format, uint64_t a, uint64_t b, unsigned *flags);
bool float_le(enum float_format format, uint64_t a, uint64_t b, unsigned *flags);

/*
 * FMIN, FMAX: minimumNumber and maximumNumber of IEEE 754-2019 section 9.6, with -0 < +0. One NaN
 * gives the other operand, two the canonical NaN.
 */
uint64_t float_min(enum float_format format, uint64_t a, uint64_t b, unsigned *flags);
uint64_t float_max(enum float_format format, uint64_t a, uint64_t b, unsigned *flags);

/* FMINM, FMAXM: minimum and maximum of IEEE 754-2019 section 9.6, with -0 < +0. A NaN gives the
 * canonical NaN. */
uint64_t float_minimum(enum float_format format, uint64_t a, uint64_t b, unsigned *flags);
uint64_t float_maximum(enum float_format format, uint64_t a, uint64_t b, unsigned *flags);

/* FLTQ, FLEQ: NV for signaling NaNs only. */
bool float_lt_quiet(enum float_format format, uint64_t a, uint64_t b, unsigned *flags);
bool float_le_quiet(enum float_format format, uint64_t a, uint64_t b, unsigned *flags);

/* FROUND, and with `exact` FROUNDNX, which raises NX if the result differs from the operand. */
uint64_t float_to_integral(enum float_format format, uint64_t a, int rounding, bool exact,
                           unsigned *flags);

/* FCVTMOD.W: rounds toward zero and keeps the low 32 bits; 0 for NaN and infinity. The flags are
 * those of float_to_i32. */
int32_t float_to_i32_modular(enum float_format format, uint64_t a, unsigned *flags);

/* FLI: the constant with this number, 0 to 31. */
uint64_t float_constant(enum float_format format, unsigned number);

/* The result of FCLASS is exactly one of these bits. */
enum float_class {
    FLOAT_CLASS_MINUS_INFINITY = 1 << 0,
    FLOAT_CLASS_MINUS_NORMAL = 1 << 1,
    FLOAT_CLASS_MINUS_SUBNORMAL = 1 << 2,
    FLOAT_CLASS_MINUS_ZERO = 1 << 3,
    FLOAT_CLASS_PLUS_ZERO = 1 << 4,
    FLOAT_CLASS_PLUS_SUBNORMAL = 1 << 5,
    FLOAT_CLASS_PLUS_NORMAL = 1 << 6,
    FLOAT_CLASS_PLUS_INFINITY = 1 << 7,
    FLOAT_CLASS_SIGNALLING_NAN = 1 << 8,
    FLOAT_CLASS_QUIET_NAN = 1 << 9,
};

unsigned float_classify(enum float_format format, uint64_t a);

/*
 * FCVT.{W,WU,L,LU}: a value that is out of range after rounding saturates and raises only NV; NaN
 * gives the largest integer and NV; other values raise NX if they are not integers. See the table
 * "Domains of float-to-integer conversions" of chapter F. The instruction does the sign extension
 * to XLEN. */
int32_t float_to_i32(enum float_format format, uint64_t a, int rounding, unsigned *flags);
uint32_t float_to_u32(enum float_format format, uint64_t a, int rounding, unsigned *flags);
int64_t float_to_i64(enum float_format format, uint64_t a, int rounding, unsigned *flags);
uint64_t float_to_u64(enum float_format format, uint64_t a, int rounding, unsigned *flags);

/* FCVT from integers. The caller's conversion widens 32-bit integers to 64 bits. */
uint64_t float_from_i64(enum float_format format, int64_t a, int rounding, unsigned *flags);
uint64_t float_from_u64(enum float_format format, uint64_t a, int rounding, unsigned *flags);

#endif
