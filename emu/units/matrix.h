/* The matrix unit, Xmat (machine.md, 2; CN "matrix multiply" patent): products of matrices and
 * vectors in the scratchpad.
 *
 * Matrices are row-major and contiguous, little-endian. An instruction specifies the element type T
 * of its inputs by its code. Products of floats are f32, products of i8 are i32. Addresses are
 * guest addresses in bytes, sizes are in elements. All functions of the unit share one contract:
 *
 * - An instruction whose output has no elements does nothing and checks no operand. Inputs without
 *   elements are not checked either (`k` = 0 gives zeros).
 * - Otherwise the operands are checked in the order of the syntax. A size in bytes that does not
 *   fit in 64 bits is a tensor configuration fault (value: the largest of the size operands that it
 *   is the product of). An address that is not aligned to the operand's elements, or a range that
 *   is not wholly in the scratchpad window, is a tensor access fault (value: the address). On the
 *   first fault the function fills `fault` and returns false with nothing written.
 * - All inputs are read before any output is written: ranges may overlap.
 * - Floats are widened to f32, which is exact. Each product and sum is rounded to nearest even, in
 *   the order of the lane tree that matrix_multiply.c describes. No flag is raised, subnormal
 *   numbers are supported, and a NaN result is the canonical quiet NaN of its type. mms rounds the
 *   product to f32 and then to T. Integers wrap: modulo 2^32 in products, 2^8 in mms.
 * - mcvt rounds to nearest even (element_convert).
 * - Ranges read and written are recorded through the port after the work is done. */
#ifndef EMU_UNITS_MATRIX_H
#define EMU_UNITS_MATRIX_H

#include "emu/units/element.h"
#include "emu/units/matrix_path.h"
#include "emu/units/port.h"
#include "fast.h"
#include "lib/arena.h"
#include "units.h"

enum {
    MATRIX_THREADS = 64, /* largest number of threads */
};

struct matrix_unit {
    struct matrix_state state;
    uint32_t lanes; /* W, a power of two: changes the bits of results */
    struct element_type types[ISA_ELEMENT_LIMIT]; /* by code; no name: there is no such code */
    struct widening widenings[ISA_ELEMENT_LIMIT];
    const struct matrix_path *path; /* the best one of the host; results do not depend on it */
    unsigned threads;     /* largest number for a product; 0: the number of host processors */
    uint64_t thread_work; /* multiply-adds that justify one more thread */
    struct arena *arena;  /* memory of the workers, which are made when first needed */
    struct matrix_worker *workers[MATRIX_THREADS];
    void *result; /* buffer for output that overlaps an input, as large as the scratchpad; made when
                     first needed */
};

/* Initializes the unit. The arena must outlive it. */
void matrix_init(struct matrix_unit *unit, const struct matrix_settings *settings,
                 struct arena *arena);

#endif
