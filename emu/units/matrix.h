/* The matrix unit, Xmat (machine.md, 2; CN "matrix multiply" patent): products of matrices and
 * vectors in the scratchpad.
 *
 * Matrices are row-major and contiguous, little-endian. An instruction names the element type T of
 * its inputs, by its code; a product of floats is f32, one of i8 is i32. Addresses are guest
 * addresses in bytes, sizes are in elements. All functions of the unit share one contract:
 *
 * - An instruction whose output has no element does nothing and looks at no operand. A range of no
 *   elements is not looked at either (`k` = 0 makes zeros).
 * - Else the operands are checked in the order of the syntax, each one for: a size in bytes that
 *   does not fit in 64 bits (tensor configuration fault, value: the largest of the size operands
 *   that it is made of); an address that is not aligned to its own element, or a range that is not
 *   wholly in the scratchpad window (tensor access fault, value: the address). The first that fails
 *   fills `fault` and the function returns false with nothing written.
 * - All inputs are read before any output is written: ranges may overlap.
 * - Floats are widened to f32, which is exact. Products and sums are rounded to nearest even, one
 * by one, in the order of the lane tree that matrix_multiply.c describes; no flag is raised,
 *   subnormals are kept, a NaN result is the canonical quiet NaN of its type. mms rounds the
 * product to f32 and then to T. Integers wrap: modulo 2^32 in products, 2^8 in mms.
 * - mcvt rounds to nearest even; overflow gives an infinity, or NaN where there is none; to i8 it
 *   saturates, and NaN gives 0.
 * - Ranges read and written are recorded through the port after the work is done. */
#ifndef EMU_UNITS_MATRIX_H
#define EMU_UNITS_MATRIX_H

#include "emu/config.h"
#include "emu/units/activity.h"
#include "emu/units/element.h"
#include "emu/units/matrix_path.h"
#include "emu/units/port.h"
#include <stddef.h>

enum {
    MATRIX_TYPES = ISA_ELEMENT_I32 + 1, /* codes 0 to 6 */
    MATRIX_THREADS = 64,                /* at most */
};

struct matrix_unit {
    uint32_t lanes;  /* W, a power of two: changes the bits of results */
    uint32_t slaves; /* N: changes timing only */
    struct element_type types[MATRIX_TYPES];
    struct widening widenings[MATRIX_TYPES];
    const struct matrix_path *path; /* the best one of the host; results do not depend on it */
    unsigned threads;               /* at most that make a product; 0: as the host has processors */
    uint64_t thread_work;           /* multiply-adds that are worth a thread */
    struct arena *arena;            /* of the workers, which are made when first needed */
    struct matrix_worker *workers[MATRIX_THREADS];
    void *result; /* as large as the scratchpad: output that overlaps an input; touched only when
                     needed */

    uint64_t instructions;                /* that did any work */
    uint64_t multiply_adds[MATRIX_TYPES]; /* products of mmv, vmm and mm, by type of the inputs */
    const char *counter_names[MATRIX_TYPES]; /* of the latter */
    uint64_t scalings;                       /* products of mms */
    uint64_t conversions;                    /* elements of mcvt */
};

/* State for a configuration that config_read accepted. The arena must outlive the unit. */
void matrix_init(struct matrix_unit *unit, const struct config *config, struct arena *arena);

/* mmv.T: vout[i] = Σ_j mat[i][j]·vin[j]; mat is nout×nin. */
bool matrix_mmv(struct matrix_unit *unit, struct port *port, enum isa_element_code type,
                uint64_t vout, uint64_t nout, uint64_t mat, uint64_t vin, uint64_t nin,
                struct fault *fault);
/* vmm.T: vout[j] = Σ_i vin[i]·mat[i][j]; mat is nin×nout. */
bool matrix_vmm(struct matrix_unit *unit, struct port *port, enum isa_element_code type,
                uint64_t vout, uint64_t nout, uint64_t vin, uint64_t nin, uint64_t mat,
                struct fault *fault);
/* mm.T: mout = a·b; a is m×k, b is k×n, mout is m×n. */
bool matrix_mm(struct matrix_unit *unit, struct port *port, enum isa_element_code type,
               uint64_t mout, uint64_t a, uint64_t b, uint64_t m, uint64_t k, uint64_t n,
               struct fault *fault);
/* mms.T: mout[i] = min[i]·scalar for `size` elements. `scalar` is the bits of an f32 when T is a
 * float, and an integer when it is i8. */
bool matrix_mms(struct matrix_unit *unit, struct port *port, enum isa_element_code type,
                uint64_t mout, uint64_t min, uint64_t size, uint64_t scalar, struct fault *fault);
/* mcvt.T.S: dst[i] = src[i] for `size` elements, from S to T. */
bool matrix_mcvt(struct matrix_unit *unit, struct port *port, enum isa_element_code to,
                 enum isa_element_code from, uint64_t dst, uint64_t src, uint64_t size,
                 struct fault *fault);

/* Fills `list` (room for ACTIVITY_MAXIMUM) and returns how many. Multiply-adds stand as
 * their sum and then by type. */
size_t matrix_activity(const struct matrix_unit *unit, struct activity *list);

#endif
