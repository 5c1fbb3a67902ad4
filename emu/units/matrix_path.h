/* The inner loops of the matrix unit, for each set of vector instructions that a host may have.
 *
 * All paths give the same bits: they differ in how many columns they work on at once. A path is
 * chosen when the unit is made; matrix_paths() lets a test go through all that the host can run. */
#ifndef EMU_UNITS_MATRIX_PATH_H
#define EMU_UNITS_MATRIX_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MATRIX_PATHS = 5,    /* at most, on one host */
    MATRIX_COLUMNS = 16, /* of the widest path, and a multiple of those of every other */
    MATRIX_GROUP = 16,   /* likewise */
};

/* A type as widening to words sees it. */
struct widening {
    bool is_float; /* becomes f32; else i32 */
    uint32_t bytes;
    uint32_t sign, special; /* bit of the sign; the smallest magnitude that is no finite number */
    unsigned shift, sign_shift; /* of the magnitude and of the sign, to the places of f32 */
    float scale;                /* makes up for the bias of the exponent */
};

/* sums[row][column] += Σ left[row][d] · right[d][column] for d < depth, all of them words: f32, or
 * as many integers as the path packs into one. `right` and `sums` have `columns` of the path. */
struct panel {
    const uint32_t *left, *right;
    size_t left_stride, right_stride; /* words between rows */
    size_t rows, depth;               /* depth: a multiple of the path's group and of W */
    uint32_t lanes;                   /* W, for floats */
    void *sums;                       /* rows vectors; aligned as vectors are, as `partial` */
    void *partial;                    /* room for log2(W / group) · rows vectors */
};

struct matrix_path {
    const char *name;
    uint32_t columns;      /* words of a vector */
    uint32_t group;        /* rows of the right operand that are worked on at once */
    uint32_t packed;       /* integers of 8 bits that stand in a word: 1, 2 or 4 */
    uint32_t right_offset; /* each word of the right operand is packed exclusive-or this; then every
                              sum is larger by what a panel of such words adds */

    void (*add_floats)(const struct panel *panel);
    void (*add_integers)(const struct panel *panel);
    /* The sums become what stands in `out` (stride in words, the first `columns` of each row), or 0
     * without it, less the vectors `excess`, unless NULL. */
    void (*start_sums)(const struct panel *panel, const uint32_t *out, size_t stride,
                       size_t columns, const void *excess);
    /* And back. NaNs become the canonical one unless these are `integers`. */
    void (*store_sums)(const struct panel *panel, uint32_t *out, size_t stride, size_t columns,
                       bool integers);

    /* Words of `count` elements: floats become f32, integers i32, both exactly. */
    void (*widen)(const struct widening *type, uint32_t *out, const void *in, size_t count);
    /* `rows` rows of `count` elements, `stride` elements apart, as rows of `depth` words: integers
     * are packed, words that nothing is left for are 0. */
    void (*pack_left)(const struct widening *type, uint32_t *out, size_t depth, const void *in,
                      size_t stride, size_t rows, size_t count);
    /* `count` rows of `columns` elements as `depth` vectors; integers are packed down a column. */
    void (*pack_right)(const struct widening *type, uint32_t *out, size_t depth, const void *in,
                       size_t stride, size_t columns, size_t count);
    /* The same where the right operand stands transposed: `columns` rows of `count` elements,
     * `stride` elements apart. */
    void (*pack_transposed)(const struct widening *type, uint32_t *out, size_t depth,
                            const void *in, size_t stride, size_t columns, size_t count);
};

/* Fills `paths` (room for MATRIX_PATHS) with those that this host can run, the best first, and
 * returns how many; there is always one. */
size_t matrix_paths(const struct matrix_path **paths);

#endif
