/* Matrix products whose results are the same bits on every host.
 *
 * machine.md, 2 defines each element of a product of floats to the bit. A slave takes the products
 * in segments of W, sums each segment in a balanced binary tree of neighbors (lane 0 + lane 1,
 * lane 2 + lane 3, …, then those sums), and adds the result to an accumulator:
 *
 *     accumulator = +0
 *     for each segment of W consecutive products, absent ones being +0:
 *         accumulator = accumulator + tree(p[0], …, p[W-1])
 *
 * Each product and each sum is one rounded operation of the host's `float`. Three things could
 * change its bits, and are excluded: excess precision and value-changing optimization, by the
 * assertions below; contraction to a fused multiply-add, by the Makefile (-ffp-contract=off) and a
 * unit test; other rounding modes and flushing of subnormal numbers, by the default environment
 * that is set during the work. Sums of integers are modulo 2^32, so their order does not matter.
 *
 * An element is computed in one SIMD lane, in that order. The lanes are columns. Neither the number
 * of lanes of a vector, nor the division into blocks, nor that into threads changes an element.
 * Zeros that are added to fill a segment or a block do not either: an accumulator is never -0,
 * since it starts at +0.
 *
 * The output is computed in blocks of rows and columns. Within a block, the operands are divided
 * into panels whose depth is a whole number of segments:
 *
 *     for each block of rows, for each panel of k:      a piece of the left operand
 *         for each vector of columns:                   a piece of the right one; the working set
 *             sums = out; sums += left · right; out = sums           fits in the L1 and L2 caches
 *
 * The inner loops (matrix_path.inc) work on words. An f32 operand that fills its panel is used in
 * place, except a left operand whose rows are far apart: these would compete for the same few lines
 * of the cache. All other operands are packed first: narrow floats are widened, which is exact,
 * small integers are packed into words, and the rest is filled with zeros. */
#include "emu/units/matrix_kernel.h"
#include "lib/processors.h"

#include <float.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "the matrix unit needs IEEE arithmetic: compile without -ffast-math"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "float arithmetic must round to float");
_Static_assert(sizeof(float) == 4 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128,
               "float must be IEEE 754 binary32");

enum {
    PANEL_DEPTH = 256,      /* smallest depth of a panel, in words of k */
    FAR_BYTES = 512,        /* a left operand with rows of this size is packed ... */
    PACKED_USES = 64,       /* ... if it is multiplied by at least so many columns */
    RIGHT_FAR_BYTES = 2048, /* rows of a right operand of this size are far apart */
    FEW_ROWS = 4,           /* fewer rows than this use SHALLOW_DEPTH */
    SHALLOW_DEPTH = 32,     /* depth of a panel for few rows */
    PARTIAL_LEVELS = 16,    /* more than log2(W) */
    MOST_THREADS = 8,       /* default limit of threads */
    ALIGNMENT = 64,         /* of vectors and cache lines of the host */
};

/* The buffers of one thread. */
struct matrix_worker {
    uint32_t *left;  /* (MATRIX_ROWS + MATRIX_TILE) × panel depth words */
    uint32_t *right; /* panel depth vectors */
    void *sums;      /* MATRIX_ROWS vectors */
    void *offsets;   /* MATRIX_ROWS vectors */
    void *partial;   /* PARTIAL_LEVELS · (MATRIX_ROWS + 1) vectors */
    uint32_t *zeros; /* one vector */
};

/* A part of the output that one thread computes. */
struct slice {
    const struct matrix_unit *unit;
    const struct product *product;
    struct matrix_worker *worker;
    struct patience patience;
    const struct widening *type;
    uint64_t first_row, end_row, first_column, end_column;
    bool in_time;
};

/* One step: panel.left · panel.right, from element `k` of a row on. */
struct step {
    uint64_t row, k, column;
    size_t columns, count; /* columns, elements of k */
    struct panel panel;
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* ---- workers ---- */

static void *vectors(struct matrix_unit *unit, size_t count)
{
    size_t bytes = count * MATRIX_COLUMNS * sizeof(uint32_t);
    uintptr_t memory = (uintptr_t)arena_alloc(unit->arena, bytes + ALIGNMENT);

    return (void *)round_up(memory, ALIGNMENT);
}

/* Returns the depth of a panel in words, a whole number of segments and of groups. */
static size_t panel_depth(const struct matrix_unit *unit)
{
    return unit->lanes > PANEL_DEPTH ? unit->lanes : PANEL_DEPTH;
}

/* Returns the depth for few rows. Most of the time then goes into reading the right operand, which
 * is read a few whole rows at a time. */
static size_t shallow_depth(const struct matrix_unit *unit)
{
    return unit->lanes > SHALLOW_DEPTH ? unit->lanes : SHALLOW_DEPTH;
}

static struct matrix_worker *make_worker(struct matrix_unit *unit)
{
    size_t depth = panel_depth(unit);
    struct matrix_worker *worker = arena_alloc(unit->arena, sizeof *worker);

    *worker = (struct matrix_worker){
        .left = vectors(unit, (MATRIX_ROWS + MATRIX_TILE) * depth / MATRIX_COLUMNS),
        .right = vectors(unit, depth),
        .sums = vectors(unit, MATRIX_ROWS),
        .offsets = vectors(unit, MATRIX_ROWS),
        .partial = vectors(unit, PARTIAL_LEVELS * (MATRIX_ROWS + 1)),
        .zeros = vectors(unit, 1),
    };
    memset(worker->zeros, 0, MATRIX_COLUMNS * sizeof *worker->zeros);
    return worker;
}

/* ---- operands ---- */

static const void *element(const struct slice *slice, const void *operand, uint64_t index)
{
    return (const unsigned char *)operand + index * slice->type->bytes;
}

/* Can the operand be used in place: are its elements words, and do they fill the panel? */
static bool fills_panel(const struct slice *slice, const struct step *step)
{
    const struct widening *type = slice->type;
    size_t packed = type->is_float ? 1 : slice->unit->path->packed;

    return (type->is_float ? type->is_word : packed * type->bytes == sizeof(uint32_t)) &&
           step->count == step->panel.depth * packed && slice->product->k % packed == 0;
}

static bool is_worth_packing(const struct slice *slice)
{
    return slice->product->k * slice->type->bytes >= FAR_BYTES &&
           slice->end_column - slice->first_column >= PACKED_USES;
}

/* Is the right operand used in place, with rows so far apart that reading them is slow? Then more
 * rows of the left operand are worked on with each of its blocks. */
static bool is_right_far(const struct slice *slice)
{
    return slice->type->is_float && slice->type->is_word && !slice->product->transposed &&
           slice->product->n * slice->type->bytes >= RIGHT_FAR_BYTES;
}

static void prepare_left(struct slice *slice, struct step *step)
{
    const struct product *product = slice->product;
    const struct matrix_path *path = slice->unit->path;
    struct panel *panel = &step->panel;
    bool packs = !fills_panel(slice, step) || is_worth_packing(slice);
    const void *left = element(slice, product->a, step->row * product->k + step->k);

    if (!slice->type->is_float)
        panel->part = path->tile_rows;
    else
        panel->part = packs && is_right_far(slice) ? path->far_rows : path->rows;
    if (!packs) {
        panel->left = left;
        panel->left_stride = product->k * slice->type->bytes / sizeof *panel->left;
        panel->left_step = path->group;
        panel->left_part = panel->part * panel->left_stride;
        return;
    }
    panel->left = slice->worker->left;
    panel->left_stride = path->group;
    panel->left_step = least(panel->rows, panel->part) * path->group;
    panel->left_part = panel->part * panel->depth;
    for (size_t row = 0; row < panel->rows; row += panel->part)
        path->pack_left(slice->type, slice->worker->left + row * panel->depth, panel->depth,
                        panel->left_step, element(slice, left, row * product->k), product->k,
                        least(panel->rows - row, panel->part), step->count);
}

static void prepare_right(struct slice *slice, struct step *step)
{
    const struct product *product = slice->product;
    const struct matrix_path *path = slice->unit->path;
    struct panel *panel = &step->panel;
    const void *right = element(slice, product->b,
                                product->transposed ? step->column * product->k + step->k
                                                    : step->k * product->n + step->column);

    if (slice->type->is_float && !product->transposed && step->columns == path->columns &&
        fills_panel(slice, step)) {
        panel->right = right;
        panel->right_stride = product->n;
        return;
    }
    if (product->transposed)
        path->pack_transposed(slice->type, slice->worker->right, panel->depth, right, product->k,
                              step->columns, step->count);
    else
        path->pack_right(slice->type, slice->worker->right, panel->depth, right, product->n,
                         step->columns, step->count);
    panel->right = slice->worker->right;
    panel->right_stride = path->columns;
}

/* Returns, for each row, a vector that corrects what the offset of the right operand adds to its
 * sums, or NULL without an offset. */
static void *find_offsets(const struct slice *slice, const struct panel *panel)
{
    const struct matrix_path *path = slice->unit->path;

    if (slice->type->is_float || path->right_offset == 0)
        return NULL;
    path->offset_sums(panel, slice->worker->offsets);
    return slice->worker->offsets;
}

/* ---- products ---- */

/* Tells the panel where the sums begin and end. Whole vectors are read from the output and written
 * to it, and those with fewer columns are copied. */
static void place_sums(const struct slice *slice, struct step *step, struct vectors out,
                       void *offsets)
{
    const struct matrix_path *path = slice->unit->path;
    struct panel *panel = &step->panel;
    const struct vectors sums = {panel->sums, path->columns};

    panel->to = step->columns == path->columns ? out : sums;
    if (step->k == 0 && offsets)
        panel->from = (struct vectors){offsets, path->columns};
    else if (step->k == 0)
        panel->from = (struct vectors){slice->worker->zeros, 0};
    else if (step->columns == path->columns && !offsets)
        panel->from = out;
    else {
        path->load_sums(panel->sums, out, panel->rows, step->columns, offsets);
        panel->from = sums;
    }
}

/* Adds the product of one panel to a block of rows. */
static bool add_panel(struct slice *slice, struct step *step)
{
    const struct matrix_path *path = slice->unit->path;
    uint64_t n = slice->product->n;
    struct panel *panel = &step->panel;

    prepare_left(slice, step);
    void *offsets = find_offsets(slice, panel);
    for (step->column = slice->first_column; step->column < slice->end_column;
         step->column += step->columns) {
        struct vectors out = {(uint32_t *)slice->product->out + step->row * n + step->column, n};
        step->columns = least(slice->end_column - step->column, path->columns);
        panel->columns = step->columns;
        prepare_right(slice, step);
        place_sums(slice, step, out, offsets);
        (slice->type->is_float ? path->add_floats : path->add_integers)(panel);
        if (step->columns < path->columns)
            path->store_sums(panel->sums, out, panel->rows, step->columns);
        if (!patience_lasts(&slice->patience, panel->rows * step->count * step->columns))
            return false;
    }
    return true;
}

/* Adds all panels. The last one is shallower: as deep as the rest of the row, rounded up to
 * segments and groups. */
static bool add_panels(struct slice *slice, struct step *step)
{
    const struct matrix_unit *unit = slice->unit;
    uint64_t k = slice->product->k;
    uint64_t whole = step->panel.rows < FEW_ROWS && !slice->product->transposed
                         ? shallow_depth(unit)
                         : panel_depth(unit);
    size_t packed = slice->type->is_float ? 1 : unit->path->packed;
    size_t multiple =
        slice->type->is_float && unit->lanes > unit->path->group ? unit->lanes : unit->path->group;

    for (step->k = 0; step->k < k; step->k += step->count) {
        step->count = least(k - step->k, whole * packed);
        step->panel.depth = round_up(step->count, packed * multiple) / packed;
        step->panel.is_last = step->k + step->count == k;
        if (!add_panel(slice, step))
            return false;
    }
    return true;
}

/* Divides the rows into blocks of nearly equal height, because a block of few rows is slow. */
static bool multiply_rows(struct slice *slice)
{
    uint64_t rows = slice->end_row - slice->first_row;
    uint64_t blocks = round_up(rows, MATRIX_ROWS) / MATRIX_ROWS;
    uint64_t height = (rows + blocks - 1) / blocks;
    struct step step = {.panel = {.lanes = slice->unit->lanes,
                                  .sums = slice->worker->sums,
                                  .partial = slice->worker->partial}};

    for (step.row = slice->first_row; step.row < slice->end_row; step.row += height) {
        step.panel.rows = least(slice->end_row - step.row, height);
        if (!add_panels(slice, &step))
            return false;
    }
    return true;
}

/* A transposed right operand is fastest to read whole rows at a time, so the product is computed
 * one vector of columns at a time. */
static bool multiply_slice(struct slice *slice)
{
    if (!slice->product->transposed)
        return multiply_rows(slice);
    for (uint64_t end = slice->end_column; slice->first_column < end;
         slice->first_column = slice->end_column) {
        slice->end_column = least(end, slice->first_column + slice->unit->path->columns);
        if (!multiply_rows(slice))
            return false;
    }
    return true;
}

/* Turns the product of a matrix and a column into that of a row and the transposed matrix, whose
 * result has several columns. */
static struct product turned(const struct product *product)
{
    struct product turned = *product;

    if (product->n != 1)
        return turned;
    turned.a = product->b;
    turned.b = product->a;
    turned.m = 1;
    turned.n = product->m;
    turned.transposed = true;
    return turned;
}

/* ---- threads ---- */

/* Runs in a thread, or in the caller. */
static void *make_slice(void *context)
{
    struct slice *slice = context;
    float_environment saved = float_environment_default();

    slice->in_time = multiply_slice(slice);
    float_environment_restore(saved);
    return NULL;
}

/* Returns the number of threads: at most one for each `thread_work` multiply-adds, and at most one
 * for each row or vector of columns. */
static uint64_t count_threads(struct matrix_unit *unit, const struct product *product)
{
    uint64_t work = product->m * product->k * product->n;
    uint64_t pieces = product->m > product->n ? product->m : product->n / MATRIX_COLUMNS;

    if (work < 2 * unit->thread_work)
        return 1;
    if (unit->threads == 0)
        unit->threads = (unsigned)least(processor_count(), MOST_THREADS);
    return least(least(work / unit->thread_work, unit->threads), pieces > 1 ? pieces : 1);
}

/* Makes slice `index` of `count`: a part of the rows, or of the columns if there are more of these.
 */
static void cut_slice(struct slice *slice, uint64_t index, uint64_t count)
{
    uint64_t m = slice->product->m, n = slice->product->n;

    slice->end_row = m;
    slice->end_column = n;
    if (m > n) {
        slice->first_row = m * index / count;
        slice->end_row = m * (index + 1) / count;
    } else {
        slice->first_column = round_up(n * index / count, MATRIX_COLUMNS);
        slice->end_column = least(n, round_up(n * (index + 1) / count, MATRIX_COLUMNS));
    }
}

/* Computes all slices in threads, the first one in the caller. Signals stay with the caller. Slices
 * whose thread cannot be created are computed in the caller too. */
static void make_slices(struct slice *slices, uint64_t count)
{
    pthread_t threads[MATRIX_THREADS];
    bool started[MATRIX_THREADS] = {false};
    sigset_t all, saved;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
    for (uint64_t i = 1; i < count; i++)
        started[i] = pthread_create(&threads[i], NULL, make_slice, &slices[i]) == 0;
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
    for (uint64_t i = 0; i < count; i++)
        if (!started[i])
            make_slice(&slices[i]);
    for (uint64_t i = 1; i < count; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
}

bool matrix_multiply(struct matrix_unit *unit, const struct port *port,
                     const struct product *product)
{
    const struct product wide = turned(product);
    struct slice slices[MATRIX_THREADS];
    bool in_time = true;

    if (product->k == 0) {
        memset(product->out, 0, product->m * product->n * sizeof(uint32_t));
        return true;
    }
    uint64_t count = count_threads(unit, &wide);
    for (uint64_t i = 0; i < count; i++) {
        if (!unit->workers[i])
            unit->workers[i] = make_worker(unit);
        slices[i] = (struct slice){.unit = unit,
                                   .product = &wide,
                                   .worker = unit->workers[i],
                                   .patience = {.port = port},
                                   .type = &unit->widenings[product->type]};
        cut_slice(&slices[i], i, count);
    }
    if (count > 1)
        make_slices(slices, count);
    else
        make_slice(&slices[0]);
    for (uint64_t i = 0; i < count; i++)
        in_time = in_time && slices[i].in_time;
    return in_time;
}
