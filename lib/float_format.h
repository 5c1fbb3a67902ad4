/*
 * Binary floating-point formats as data: one table entry per format, one unpacked representation
 * for all of them, and one rounding routine. All arithmetic is integer arithmetic on bit patterns,
 * so that a result has the same bits on every host.
 *
 * The formats are the floats among the element types of the ISA description (docs/isa-format.md),
 * for example those of IEEE 754-2019 section 3.4 and of the OCP "8-bit floating point
 * specification". A number that overflows becomes infinity, in a format without infinity NaN, and
 * in one without NaN the largest number of its sign. There a NaN becomes the largest number.
 *
 * Rounding modes and exception flags are numbered as RISC-V numbers `rm` and `fflags` (RISC-V
 * unprivileged manual, chapter F, "Floating-Point Control and Status Register").
 */
#ifndef LIB_FLOAT_FORMAT_H
#define LIB_FLOAT_FORMAT_H

#include "float_formats.h"
#include <stdbool.h>
#include <stdint.h>

/* IEEE 754-2019 section 4.3, with the RISC-V encodings of `rm`. */
enum float_rounding {
    FLOAT_RNE = 0, /* to nearest, ties to even */
    FLOAT_RTZ = 1, /* toward zero */
    FLOAT_RDN = 2, /* toward minus infinity */
    FLOAT_RUP = 3, /* toward plus infinity */
    FLOAT_RMM = 4, /* to nearest, ties away from zero ("maximum magnitude") */
};

/* IEEE 754-2019 section 7, with the bit positions of RISC-V `fflags`. */
enum float_flag {
    FLOAT_NX = 1,  /* inexact */
    FLOAT_UF = 2,  /* underflow: tiny after rounding, and inexact */
    FLOAT_OF = 4,  /* overflow */
    FLOAT_DZ = 8,  /* division by zero */
    FLOAT_NV = 16, /* invalid operation */
};

struct float_layout {
    const char *name;
    int exponent_bits;
    int fraction_bits;
    int bias;
    uint64_t largest;   /* encoding of the largest finite magnitude */
    uint64_t infinity;  /* encoding of +infinity; where there is none, that of quiet_nan */
    uint64_t quiet_nan; /* the canonical NaN: positive, quiet, rest of the payload zero; where there
                           is none, that of the largest number */
    uint64_t quiet_bit; /* set in quiet NaNs; 0 where every NaN is quiet */
};

/* The table, indexed by enum float_format. */
extern const struct float_layout float_layouts[FLOAT_FORMAT_COUNT];

enum float_kind {
    FLOAT_ZERO,
    FLOAT_FINITE,
    FLOAT_INFINITE,
    FLOAT_QUIET_NAN,
    FLOAT_SIGNALLING_NAN,
};

/*
 * An unpacked value. A finite one is (-1)^sign * significand * 2^(exponent - 63), with bit 63 of
 * the significand set, whether the encoding was normal or subnormal. Other kinds have significand
 * 0.
 */
struct float_value {
    enum float_kind kind;
    bool sign;
    int exponent;
    uint64_t significand;
};

/* Unpacks an encoding. Bits above the width of the format are ignored. Raises no flags. */
struct float_value float_unpack(enum float_format format, uint64_t bits);

/* Returns the number of bits of an encoding. */
int float_width(enum float_format format);

/* Returns the number of bytes of an encoding in memory, where it has the low bits: 1, 2, 4 or 8. */
int float_bytes(enum float_format format);

bool float_has_nan(enum float_format format);
bool float_has_infinity(enum float_format format);

/* Return the encodings of special values, or of what stands for them in the format. */
uint64_t float_zero(enum float_format format, bool sign);
uint64_t float_infinity(enum float_format format, bool sign);
uint64_t float_quiet_nan(enum float_format format);

/*
 * Rounds (-1)^sign * significand * 2^(exponent - 63) to the format and encodes it. Bit 63 of the
 * significand is set. Bit 0 is "sticky": it represents any nonzero remainder below it, so the
 * caller never has to supply more than 64 bits. Subnormal results are kept. A magnitude that rounds
 * above the largest finite one becomes infinity (or what stands for it) or that largest number,
 * depending on the mode. ORs NX, UF and OF into *flags (never NULL here or below). A rounding mode
 * that is not in enum float_rounding is a bug of the caller and aborts.
 */
uint64_t float_round(enum float_format format, bool sign, int exponent, uint64_t significand,
                     int rounding, unsigned *flags);

/*
 * Rounds a zero or finite value to an integer in the given rounding mode and returns its magnitude.
 * A magnitude of 2^64 or more sets *too_large and returns UINT64_MAX. *inexact tells whether the
 * value was not an integer. Raises no flags: the caller checks whether the integer fits.
 */
uint64_t float_to_integer(struct float_value value, int rounding, bool *inexact, bool *too_large);

/* Converts between any two formats. A NaN gives the canonical NaN, and NV if it was signaling. */
uint64_t float_convert(enum float_format to, enum float_format from, uint64_t bits, int rounding,
                       unsigned *flags);

/* float_convert from the bit pattern of a double: what an assembler's data directives need. */
uint64_t float_from_double(enum float_format to, uint64_t bits, int rounding, unsigned *flags);

#endif
