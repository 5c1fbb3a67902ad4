/* The inner loops of products of floats that are written in instructions.
 *
 * Both functions compute, for each row of a pass,
 *
 *     to[row] = from[row] + tree of left[row][d + i] · right[d + i] for i < least(W, 16)
 *
 * or the tree alone if `from.first` is NULL. */
#ifndef EMU_UNITS_MATRIX_BY_HAND_H
#define EMU_UNITS_MATRIX_BY_HAND_H

#include "emu/units/matrix_path.h"

enum {
    MATRIX_HAND_DEPTH = 16,       /* the most words of a row that are summed at once */
    MATRIX_HAND_LEVELS = 2,       /* levels of partial sums that the functions themselves use */
    MATRIX_AVX2_ROWS = 4,         /* rows are computed so many at a time */
    MATRIX_AVX2_DEPTH = 4,        /* words of a row that are multiplied at once */
    MATRIX_AVX2_GROUP = 8,        /* words of a row of `left` that are contiguous */
    MATRIX_AVX2_LEVEL = 152 * 16, /* words between levels of partial sums: not near a multiple of
                                    4 KB, since processors first compare the lower 12 bits of the
                                    addresses of a load and the stores before it */
};

/* Returns the size of some words in bytes. */
static inline ptrdiff_t matrix_bytes(size_t words)
{
    return (ptrdiff_t)(words * sizeof(uint32_t));
}

/* AVX2, 16 columns. W is at least MATRIX_AVX2_DEPTH, the rows are a multiple of MATRIX_AVX2_ROWS.
 */
void matrix_avx2_add(const struct panel *panel, size_t d, const struct pass *pass);

/* AVX-512, 32 columns. W is at least MATRIX_HAND_DEPTH, and there is at least one row. */
void matrix_avx512_add(const struct panel *panel, size_t d, const struct pass *pass);

#endif
