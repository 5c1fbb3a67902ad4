/* The matrix unit: products of matrices and vectors in the scratchpad. isa/xmat.yaml says what the
 * instructions compute, and which operands they check, in which order. Ranges read and written are
 * recorded through the port after the work is done. */
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
