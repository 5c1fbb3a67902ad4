/* The interfaces between the files of the matrix unit. matrix.c has the instructions and checks
 * operands, matrix_multiply.c computes products, matrix_convert.c does elementwise work, and
 * matrix_path.h has the inner loops of both. */
#ifndef EMU_UNITS_MATRIX_KERNEL_H
#define EMU_UNITS_MATRIX_KERNEL_H

#include "emu/units/matrix.h"

#if defined __SSE2__
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

/* out (m×n words) = a (m×k) · b (k×n), both of type `type`. `out` overlaps neither input. */
struct product {
    enum isa_element_code type;
    void *out;
    const void *a, *b; /* not used when k is 0 */
    uint64_t m, k, n;
    bool transposed; /* b is stored as n×k */
};

/* Computes the product. Returns false when the deadline passes first: with a large scratchpad one
 * instruction can take hours. */
bool matrix_multiply(struct matrix_unit *unit, const struct port *port,
                     const struct product *product);

/* The same for a type that the paths cannot widen. */
bool matrix_multiply_general(struct matrix_unit *unit, const struct port *port,
                             const struct product *product);

/* Elementwise scaling and conversion. The arrays either do not overlap, or are the same and have
 * elements of equal size. The scalar is the bits of a float, or an integer. They return false when
 * the deadline passes first. */
bool matrix_scale(struct matrix_unit *unit, const struct port *port, enum isa_element_code type,
                  void *out, const void *in, uint64_t size, uint64_t scalar);
bool matrix_convert(struct matrix_unit *unit, const struct port *port, enum isa_element_code to,
                    enum isa_element_code from, void *out, const void *in, uint64_t size);

/* The host's rounding mode, treatment of subnormal numbers, and flags. Work with floats is done in
 * the default one. On x86-64, only SSE's register matters: saving and loading those of the x87 too
 * would take as long as a hundred vectors of a product. */
#if defined __SSE2__
typedef unsigned float_environment;

static inline void float_environment_restore(float_environment saved)
{
    _mm_setcsr(saved);
}

static inline float_environment float_environment_default(void)
{
    float_environment saved = _mm_getcsr();

    _mm_setcsr(_MM_MASK_MASK);
    return saved;
}
#else
typedef fenv_t float_environment;

static inline void float_environment_restore(float_environment saved)
{
    fesetenv(&saved);
}

static inline float_environment float_environment_default(void)
{
    float_environment saved;

    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    return saved;
}
#endif

/* Returns the f32, with every NaN replaced by the canonical one. */
static inline uint32_t matrix_canonical(uint32_t bits)
{
    return (bits & 0x7fffffff) > (uint32_t)float_layouts[FLOAT_F32].infinity
               ? (uint32_t)float_layouts[FLOAT_F32].quiet_nan
               : bits;
}

/* Counts work, to check the deadline at regular intervals. */
struct patience {
    const struct port *port;
    uint64_t work; /* since the last check */
};

static inline bool patience_lasts(struct patience *patience, uint64_t work)
{
    uint64_t interval = 1 << 24; /* multiply-adds */

    patience->work += work;

    if (patience->work < interval || !patience->port->expired)
        return true;
    patience->work = 0;
    return !patience->port->expired(patience->port->clock);
}

#endif
