/* The matrix unit, Xmat (machine.md, 2; CN "matrix multiply" patent): products of matrices and
 * vectors in the scratchpad.
 *
 * Matrices are row-major and contiguous, of `float` elements, little-endian. Addresses are guest
 * addresses in bytes, sizes are in elements. All functions of the unit share one contract:
 *
 * - An instruction whose output has no element does nothing and looks at no operand. A range of no
 *   elements is not looked at either (`k` = 0 makes zeros).
 * - Else the operands are checked in the order of the syntax, each one for: a size in bytes that
 *   does not fit in 64 bits (tensor configuration fault, value: the largest of the size operands
 *   that it is made of); an address that is not aligned to its element, or a range that is not
 *   wholly in the scratchpad window (tensor access fault, value: the address). The first that fails
 *   fills `fault` and the function returns false with nothing written.
 * - All inputs are read before any output is written: ranges may overlap.
 * - Products and sums are rounded to nearest even, one by one, in the order of the lane tree that
 *   matrix.c describes; no flag is raised, subnormals are kept, a NaN result is the canonical quiet
 *   NaN.
 * - Ranges read and written are recorded through the port after the work is done. */
#ifndef EMU_MATRIX_H
#define EMU_MATRIX_H

#include "emu/activity.h"
#include "emu/config.h"
#include "emu/port.h"
#include <stddef.h>

struct matrix_unit {
    uint32_t lanes;  /* W, a power of two: changes the bits of results */
    uint32_t slaves; /* N: changes timing only */
    float *products; /* lanes × columns that are worked on at once */
    void *result;    /* as large as the scratchpad: output that overlaps an input; touched only when
                        needed */

    uint64_t instructions;  /* that did any work */
    uint64_t multiply_adds; /* products of mmv, vmm and mm */
    uint64_t scalings;      /* products of mms */
};

/* State for a configuration that config_read accepted. */
void matrix_init(struct matrix_unit *unit, const struct config *config, struct arena *arena);

/* mmv.f32: vout[i] = Σ_j mat[i][j]·vin[j]; mat is nout×nin. */
bool matrix_mmv_f32(struct matrix_unit *unit, struct port *port, uint64_t vout, uint64_t nout,
                    uint64_t mat, uint64_t vin, uint64_t nin, struct fault *fault);
/* vmm.f32: vout[j] = Σ_i vin[i]·mat[i][j]; mat is nin×nout. */
bool matrix_vmm_f32(struct matrix_unit *unit, struct port *port, uint64_t vout, uint64_t nout,
                    uint64_t vin, uint64_t nin, uint64_t mat, struct fault *fault);
/* mm.f32: mout = a·b; a is m×k, b is k×n, mout is m×n. */
bool matrix_mm_f32(struct matrix_unit *unit, struct port *port, uint64_t mout, uint64_t a,
                   uint64_t b, uint64_t m, uint64_t k, uint64_t n, struct fault *fault);
/* mms.f32: mout[i] = min[i]·scalar for `size` elements; `scalar` is the bits of a float. */
bool matrix_mms_f32(struct matrix_unit *unit, struct port *port, uint64_t mout, uint64_t min,
                    uint64_t size, uint32_t scalar, struct fault *fault);

/* Fills `list` (room for ACTIVITY_MAXIMUM) and returns how many. */
size_t matrix_activity(const struct matrix_unit *unit, struct activity *list);

#endif
