/* Inside the matrix unit: what its stages hand each other. matrix.c checks operands and knows the
 * instructions, matrix_multiply.c makes products, matrix_convert.c what goes element by element;
 * matrix_path.h has the inner loops of both. */
#ifndef EMU_UNITS_MATRIX_KERNEL_H
#define EMU_UNITS_MATRIX_KERNEL_H

#include "emu/units/matrix.h"

/* out (m×n words) = a (m×k) · b (k×n), both of type `type`. `out` overlaps neither input. */
struct product {
    enum isa_element_code type;
    void *out;
    const void *a, *b; /* not looked at when k is 0 */
    uint64_t m, k, n;
    bool transposed; /* b stands as n×k */
};

/* False when the run's time is up first: with a large scratchpad one instruction can take hours. */
bool matrix_multiply(struct matrix_unit *unit, const struct port *port,
                     const struct product *product);

/* Elements in, as many out; the arrays do not overlap, or are the same and of elements of one size.
 * The scalar is the bits of a float, or an integer. False as above. */
bool matrix_scale(struct matrix_unit *unit, const struct port *port, enum isa_element_code type,
                  void *out, const void *in, uint64_t size, uint64_t scalar);
bool matrix_convert(struct matrix_unit *unit, const struct port *port, enum isa_element_code to,
                    enum isa_element_code from, void *out, const void *in, uint64_t size);

/* The f32 in a word, with the canonical NaN in the place of any other. */
static inline uint32_t matrix_canonical(uint32_t bits)
{
    return (bits & 0x7fffffff) > (uint32_t)float_layouts[FLOAT_F32].infinity
               ? (uint32_t)float_layouts[FLOAT_F32].quiet_nan
               : bits;
}

/* Counts `work` and looks at the clock now and then. */
struct patience {
    const struct port *port;
    uint64_t work; /* since the last look */
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
