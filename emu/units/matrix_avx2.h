/* The inner loop of products of floats on hosts with AVX2. */
#ifndef EMU_UNITS_MATRIX_AVX2_H
#define EMU_UNITS_MATRIX_AVX2_H

#include <stddef.h>
#include <stdint.h>

enum {
    MATRIX_AVX2_ROWS = 4,         /* rows are computed so many at a time */
    MATRIX_AVX2_DEPTH = 4,        /* words of a row that are multiplied at once */
    MATRIX_AVX2_GROUP = 8,        /* words of a row of `left` that are contiguous */
    MATRIX_AVX2_COLUMNS = 16,     /* two vectors */
    MATRIX_AVX2_LEVEL = 152 * 16, /* words between levels of partial sums: not near a multiple of
                                    4 KB, since processors first compare the lower 12 bits of the
                                    addresses of a load and the stores before it */
};

/* A vector of columns for each row, as in matrix_path.h; distances are in bytes. */
struct matrix_avx2_sums {
    void *first;
    ptrdiff_t step;
};

/* to[row] = from[row] + the segments of W = `lanes` products of the rows of `left` and the columns
 * of `right`, summed as machine.md, 2 says. */
struct matrix_avx2_product {
    const void *left, *right;
    ptrdiff_t left_step, right_step; /* from row to row, in bytes */
    ptrdiff_t group_step;            /* from a group of a row of `left` to the next one */
    size_t rows, depth;              /* multiples of MATRIX_AVX2_ROWS and of W */
    uint32_t lanes;                  /* at least MATRIX_AVX2_DEPTH */
    struct matrix_avx2_sums from, to;
    void *sums;    /* rows of MATRIX_AVX2_COLUMNS words, for the segments in between */
    void *partial; /* log2(W) - 1 levels of the same, MATRIX_AVX2_LEVEL words apart */
};

void matrix_avx2_add(const struct matrix_avx2_product *product);

#endif
