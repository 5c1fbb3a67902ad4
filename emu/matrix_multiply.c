/* Products, with results that are the same bits on every host.
 *
 * machine.md, 2 defines each element of a product of floats to the bit. A slave takes the products
 * in segments of W, sums each segment in a balanced binary tree of neighbours (lane 0 + lane 1,
 * lane 2 + lane 3, …, then those sums), and adds the result to an accumulator:
 *
 *     accumulator = +0
 *     for each segment of W consecutive products, absent ones being +0:
 *         accumulator = accumulator + tree(p[0], …, p[W-1])
 *
 * Each product and each sum is one rounded operation of the host's `float`; what could change its
 * bits is ruled out: excess precision and value-changing optimisation by the assertions below,
 * contraction to a fused multiply-add by the Makefile (-ffp-contract=off) and a unit test, other
 * rounding modes and flushing of subnormals by the default environment that is set around the work.
 * Integers are sums modulo 2^32, in whatever order.
 *
 * There is one path for all types. The work goes in blocks of columns and, within them, in panels
 * of the right operand that are a whole number of segments deep. Elements of a panel and of the row
 * that meets it are widened to words, f32 or i32, which is exact; a kernel then adds the panel's
 * part to a piece of a row of the output. Only the kernels know what a word is. */
#include "emu/matrix_kernel.h"

#include <fenv.h>
#include <float.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "the matrix unit needs IEEE arithmetic: compile without -ffast-math"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "float arithmetic must round to float");
_Static_assert(sizeof(float) == 4 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128,
               "float must be IEEE 754 binary32");

/* ---- the kernels ---- */

/* out[column] += the sum over `depth` of left[d] · right[d][column], all of them words. `depth` is
 * a multiple of W, but at the end of the row; `columns` ≤ MATRIX_COLUMNS. */
struct panel {
    const void *left, *right;
    uint64_t depth, right_stride; /* words */
    size_t columns;
};
typedef void matrix_kernel(const struct matrix_unit *unit, void *out, const struct panel *panel);

/* products[lane][column] for one segment; lanes beyond the end of the row are +0. */
static void multiply_segment(float *products, uint32_t lanes, const float *left,
                             uint64_t left_count, const float *right, uint64_t right_stride,
                             size_t columns)
{
    for (uint32_t lane = 0; lane < lanes; lane++) {
        float *product = products + lane * columns;
        if (lane >= left_count) {
            memset(product, 0, columns * sizeof *product);
            continue;
        }
        const float *row = right + lane * right_stride;
        for (size_t column = 0; column < columns; column++)
            product[column] = left[lane] * row[column];
    }
}

/* Leaves the sum of each column's lanes in lane 0. */
static void sum_lanes(float *products, uint32_t lanes, size_t columns)
{
    for (; lanes > 1; lanes /= 2) {
        for (uint32_t pair = 0; pair < lanes / 2; pair++) {
            const float *even = products + 2 * pair * columns;
            const float *odd = even + columns;
            float *sum = products + pair * columns;
            for (size_t column = 0; column < columns; column++)
                sum[column] = even[column] + odd[column];
        }
    }
}

static void multiply_floats(const struct matrix_unit *unit, void *out, const struct panel *panel)
{
    const float *left = panel->left, *right = panel->right;
    float accumulator[MATRIX_COLUMNS];

    memcpy(accumulator, out, panel->columns * sizeof *accumulator);
    for (uint64_t segment = 0; segment < panel->depth; segment += unit->lanes) {
        multiply_segment(unit->products, unit->lanes, left + segment, panel->depth - segment,
                         right + segment * panel->right_stride, panel->right_stride,
                         panel->columns);
        sum_lanes(unit->products, unit->lanes, panel->columns);
        for (size_t column = 0; column < panel->columns; column++)
            accumulator[column] = accumulator[column] + unit->products[column];
    }
    memcpy(out, accumulator, panel->columns * sizeof *accumulator);
}

static void multiply_integers(const struct matrix_unit *unit, void *out, const struct panel *panel)
{
    const uint32_t *left = panel->left, *right = panel->right;
    uint32_t accumulator[MATRIX_COLUMNS];

    (void)unit;
    memcpy(accumulator, out, panel->columns * sizeof *accumulator);
    for (uint64_t d = 0; d < panel->depth; d++) {
        const uint32_t *row = right + d * panel->right_stride;
        for (size_t column = 0; column < panel->columns; column++)
            accumulator[column] += left[d] * row[column];
    }
    memcpy(out, accumulator, panel->columns * sizeof *accumulator);
}

/* ---- widening ---- */

/* The words of all values of a type of one or two bytes. */
static const uint32_t *make_table(struct matrix_unit *unit, enum isa_element_code code)
{
    const struct element_type type = element_type(code);
    const struct element_type wide =
        element_type(type.is_float ? ISA_ELEMENT_F32 : ISA_ELEMENT_I32);
    const size_t count = (size_t)1 << 8 * type.bytes;
    uint32_t *table = arena_array(unit->arena, count, sizeof *table);

    for (size_t bits = 0; bits < count; bits++)
        table[bits] = (uint32_t)element_convert(&wide, &type, bits);
    return table;
}

void matrix_widen(struct matrix_unit *unit, enum isa_element_code type, uint32_t *out,
                  const void *in, uint64_t count)
{
    const uint32_t bytes = unit->types[type].bytes;

    if (bytes == sizeof *out) {
        memcpy(out, in, count * sizeof *out);
        return;
    }
    if (!unit->widened[type])
        unit->widened[type] = make_table(unit, type);
    const uint32_t *table = unit->widened[type];
    const uint8_t *narrow = in;
    const uint16_t *half = in;
    for (uint64_t i = 0; i < count; i++)
        out[i] = table[bytes == 1 ? narrow[i] : half[i]];
}

/* `count` elements as words, from element `first` of an operand on: where they stand if they are
 * words, else copied to `copy`. */
static const uint32_t *words_of(struct matrix_unit *unit, enum isa_element_code type,
                                const void *operand, uint64_t first, uint64_t count, uint32_t *copy)
{
    const uint32_t bytes = unit->types[type].bytes;
    const unsigned char *elements = (const unsigned char *)operand + first * bytes;

    if (bytes == sizeof *copy)
        return (const uint32_t *)(const void *)elements;
    matrix_widen(unit, type, copy, elements, count);
    return copy;
}

/* Rows depth to depth + panel->depth of b, columns from j on. */
static void widen_panel(struct matrix_unit *unit, const struct product *product, uint64_t depth,
                        uint64_t j, struct panel *panel)
{
    const uint64_t first = depth * product->n + j;

    panel->right = words_of(unit, product->type, product->b, first, panel->columns, unit->panel);
    panel->right_stride = panel->right == unit->panel ? panel->columns : product->n;
    for (uint64_t d = 1; panel->right == unit->panel && d < panel->depth; d++)
        matrix_widen(unit, product->type, unit->panel + d * panel->columns,
                     (const unsigned char *)product->b +
                         (first + d * product->n) * unit->types[product->type].bytes,
                     panel->columns);
}

/* ---- products ---- */

/* What one panel adds to all rows of the output. */
static bool multiply_panel(struct matrix_unit *unit, struct patience *patience,
                           const struct product *product, uint64_t depth, uint64_t j,
                           struct panel *panel)
{
    matrix_kernel *kernel =
        unit->types[product->type].is_float ? multiply_floats : multiply_integers;
    uint32_t *out = product->out;

    widen_panel(unit, product, depth, j, panel);
    for (uint64_t i = 0; i < product->m; i++) {
        panel->left = words_of(unit, product->type, product->a, i * product->k + depth,
                               panel->depth, unit->row);
        kernel(unit, out + i * product->n + j, panel);
        if (!patience_lasts(patience, panel->depth * panel->columns))
            return false;
    }
    return true;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool multiply_panels(struct matrix_unit *unit, const struct port *port,
                            const struct product *product)
{
    struct patience patience = {.port = port};

    for (uint64_t j = 0; j < product->n; j += MATRIX_COLUMNS) {
        for (uint64_t depth = 0; depth < product->k; depth += unit->panel_depth) {
            struct panel panel = {.depth = least(product->k - depth, unit->panel_depth),
                                  .columns = least(product->n - j, MATRIX_COLUMNS)};
            if (!multiply_panel(unit, &patience, product, depth, j, &panel))
                return false;
        }
    }
    return true;
}

bool matrix_multiply(struct matrix_unit *unit, const struct port *port,
                     const struct product *product)
{
    uint32_t *out = product->out;
    fenv_t saved;

    memset(out, 0, product->m * product->n * sizeof *out);
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    bool in_time = multiply_panels(unit, port, product);
    fesetenv(&saved);
    if (unit->types[product->type].is_float)
        for (uint64_t i = 0; i < product->m * product->n; i++)
            out[i] = matrix_canonical(out[i]);
    return in_time;
}
