/* The inner loops of the matrix unit, for each set of vector instructions that a host may have.
 *
 * All paths give the same bits; they differ in how many columns they compute at once. The path is
 * chosen when the unit is initialized. Tests use matrix_paths() to check all that the host can run.
 */
#ifndef EMU_UNITS_MATRIX_PATH_H
#define EMU_UNITS_MATRIX_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MATRIX_PATHS = 5,    /* largest number on one host */
    MATRIX_COLUMNS = 32, /* of the widest path; a multiple of the columns of every other */
    MATRIX_ROWS = 256,   /* largest number of rows of a panel */
    MATRIX_TILE = 12,    /* the largest number of rows of a tile */
    MATRIX_GROUP = 16,   /* the largest group; a multiple of every other */
    MATRIX_FAR = 1024,   /* words between rows that processors do not read in time themselves */
    CACHE_LINE = 64,     /* bytes of a line of the host's caches */
};

/* How elements of a type are widened to words. A float's sign is shifted to that of an f32, and its
 * magnitude after it to the place of exponent and fraction. */
struct widening {
    bool is_float;   /* widened to f32, else to i32 */
    bool is_word;    /* is f32 or i32 already */
    bool is_shifted; /* the upper part of an f32: nothing but a shift is needed */
    bool is_half;    /* is f16: many hosts have an instruction */
    bool is_general; /* floats: the paths cannot widen the type (matrix_convert.c can) */
    uint32_t bytes;
    unsigned left, right; /* shifts: to the left, and back to the right with copies of the sign */
    uint32_t mask;        /* clears the copies */
    uint32_t special;     /* the smallest shifted magnitude that is not finite */
    float scale;          /* corrects the bias of the exponent */
};

/* A vector for each row, `stride` words apart. With a stride of 0 all rows share one. */
struct vectors {
    uint32_t *first;
    size_t stride;
};

/* to[row][column] = from[row][column] + Σ left[row][d] · right[d][column] for d < depth, all of
 * them words: an f32, or as many integers as the path packs into a word. `right`, `from` and `to`
 * have as many columns as the path. `from` and `to` may be the same, and are read and written once;
 * in between, the sums are in `sums`. */
struct panel {
    const uint32_t *left, *right;
    size_t left_stride, right_stride; /* words between rows */
    size_t left_step;                 /* words between the groups of a row of `left` */
    size_t part, left_part;           /* rows of its parts, and words between them */
    size_t rows, depth;               /* depth: a multiple of the path's group and of W */
    size_t columns;                   /* how many of the columns are wanted */
    uint32_t lanes;                   /* W, for floats */
    bool is_last;                     /* `to` has results, no sums that another panel is added to */
    struct vectors from, to;
    void *sums;    /* `rows` rows of columns; aligned to vectors, as is `partial` */
    void *partial; /* room for log2(W) · (MATRIX_ROWS + 1) of them */
};

/* What one block of the right operand adds to the sums of some rows. */
struct pass {
    const uint32_t *left; /* the words of the first row */
    size_t left_stride, rows;
    struct vectors from, to; /* sums before and after */
};

struct matrix_path {
    const char *name;
    uint32_t columns;      /* that are worked on at once */
    uint32_t vector;       /* columns of a vector: these or a half of them */
    uint32_t group;        /* rows of the right operand that are worked on at once */
    uint32_t rows;         /* rows of the left operand that are worked on at once */
    uint32_t tile_rows;    /* integers: rows of the left operand that are worked on at once */
    uint32_t packed;       /* 8-bit integers in a word: 1, 2 or 4 */
    uint32_t right_offset; /* words of the right operand are packed xor this, which makes the sums
                              too large by the product of the left operand and such words */

    void (*add_floats)(const struct panel *panel); /* NaNs in results are canonical */
    void (*add_integers)(const struct panel *panel);
    /* Writes, for each row, a vector of what the right operand's offset adds to the sums, negated.
     */
    void (*offset_sums)(const struct panel *panel, void *sums);
    /* sums[row] = the first `columns` words of out[row], plus offsets[row] unless NULL. */
    void (*load_sums)(void *sums, struct vectors out, size_t rows, size_t columns,
                      const void *offsets);
    /* Stores the first `columns` words of each vector of the sums to `out`. */
    void (*store_sums)(const void *sums, struct vectors out, size_t rows, size_t columns);

    /* Widens `count` elements to words: floats become f32, integers i32, both exactly. */
    void (*widen)(const struct widening *type, uint32_t *out, const void *in, size_t count);
    /* Packs `rows` rows of `count` elements, `stride` elements apart, into `depth` words each,
     * first a group of every row, then, `step` words after it, the next one. The words after the
     * last element are 0. */
    void (*pack_left)(const struct widening *type, uint32_t *out, size_t depth, size_t step,
                      const void *in, size_t stride, size_t rows, size_t count);
    /* Packs `count` rows of `columns` elements into `depth` rows of the path's columns. The
     * integers of a word come from one column. Vectors without an element are not written. */
    void (*pack_right)(const struct widening *type, uint32_t *out, size_t depth, const void *in,
                       size_t stride, size_t columns, size_t count);
    /* The same for a transposed right operand: `columns` rows of `count` elements, `stride`
     * elements apart. */
    void (*pack_transposed)(const struct widening *type, uint32_t *out, size_t depth,
                            const void *in, size_t stride, size_t columns, size_t count);
};

/* Fills `paths` (room for MATRIX_PATHS) with the paths that this host can run, the best first, and
 * returns their number, which is at least 1. */
size_t matrix_paths(const struct matrix_path **paths);

#endif
