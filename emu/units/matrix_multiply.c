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
 * The operands are divided into pieces. Their depth is a whole number of segments:
 *
 *     for each block of columns, for each depth of k:   a panel of the right operand
 *         for each block of rows:                       a panel of the left one
 *             for each vector of columns:
 *                 sums = out; sums += left · right; out = sums
 *
 * The inner loops (matrix_path.inc) work on words. An f32 operand that fills its panel is used in
 * place, except one whose rows are far apart: these would compete for the same few lines of the
 * cache. All other operands are packed: narrow floats are widened, which is exact, small integers
 * are packed into words, and the rest is filled with zeros.
 *
 * The left operand is packed by panels, which stay in the L2 cache. The right one is packed a
 * vector of columns at a time and multiplied while it is in the L1 cache, except if its rows are
 * far apart and it is multiplied by several blocks of rows: then it is packed by panels, too, which
 * are read from the L3 cache from beginning to end. The panels of the left operand have fewer rows
 * in this case and are deeper, so that the output, whose rows are as far apart, is read and written
 * less often. */
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
    PANEL_DEPTH = 256, /* depth of a panel of MATRIX_ROWS rows, in words of k */
    FAR_BYTES = 512,   /* a left operand with rows of this size is packed, ... */
    FAR_LINES = 2048,  /* ... or of this size if whole lines of the cache are read at once, ... */
    PACKED_USES = 64,  /* ... if it is multiplied by at least so many columns */
    FAR_COLUMNS = 512, /* rows of a right operand of so many columns are far apart */
    RIGHT_WORDS = 1 << 19, /* of a packed panel of the right operand: a part of the L3 cache */
    PACKED_ROWS = 8,       /* of words of the right operand are packed at a time */
    FEW_ROWS = 4,          /* fewer rows than this use SHALLOW_DEPTH */
    SHALLOW_DEPTH = 32,    /* depth of a panel for few rows */
    PARTIAL_LEVELS = 16,   /* more than log2(W) */
    MOST_THREADS = 8,      /* default limit of threads */
};

/* The buffers of one thread. */
struct matrix_worker {
    uint32_t *left;  /* (MATRIX_ROWS + MATRIX_TILE) × panel depth words */
    uint32_t *right; /* panel depth vectors */
    uint32_t *block; /* a panel of the right operand; NULL before the first one */
    void *sums;      /* MATRIX_ROWS vectors */
    void *offsets;   /* MATRIX_ROWS vectors */
    void *partial;   /* PARTIAL_LEVELS · (MATRIX_ROWS + 1) vectors */
    uint32_t *zeros; /* one vector */
};

/* The sizes of panels. */
struct blocking {
    uint64_t rows, columns;
    size_t depth;      /* words of k */
    bool packs_panels; /* of the right operand; its depth times `columns` words fit in a block */
};

/* A part of the output that one thread computes. */
struct slice {
    const struct matrix_unit *unit;
    const struct product *product;
    struct matrix_worker *worker;
    struct patience patience;
    const struct widening *type;
    struct blocking blocking;
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

static uint64_t round_down(uint64_t value, uint64_t multiple)
{
    return value / multiple * multiple;
}

/* ---- workers ---- */

static void *vectors(struct matrix_unit *unit, size_t count)
{
    size_t bytes = count * MATRIX_COLUMNS * sizeof(uint32_t);
    uintptr_t memory = (uintptr_t)arena_alloc(unit->arena, bytes + CACHE_LINE);

    return (void *)round_up(memory, CACHE_LINE);
}

/* Returns the depth of a panel, `depth` words or a segment. Both are powers of 2, and so a whole
 * number of segments and of groups. */
static size_t whole_depth(const struct matrix_unit *unit, size_t depth)
{
    return unit->lanes > depth ? unit->lanes : depth;
}

static struct matrix_worker *make_worker(struct matrix_unit *unit)
{
    size_t depth = whole_depth(unit, PANEL_DEPTH);
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

/* Are the columns whole vectors? Then they can be read and written in place. */
static bool has_whole_vectors(const struct slice *slice, const struct step *step)
{
    const struct matrix_path *path = slice->unit->path;

    return step->columns == path->columns || step->columns == path->vector;
}

static bool is_worth_packing(const struct slice *slice)
{
    bool reads_lines = slice->unit->path->group * sizeof(uint32_t) >= CACHE_LINE;

    return slice->product->k * slice->type->bytes >= (reads_lines ? FAR_LINES : FAR_BYTES) &&
           slice->end_column - slice->first_column >= PACKED_USES;
}

static void prepare_left(struct slice *slice, struct step *step)
{
    const struct product *product = slice->product;
    const struct matrix_path *path = slice->unit->path;
    struct panel *panel = &step->panel;
    bool packs = !fills_panel(slice, step) || is_worth_packing(slice);
    const void *left = element(slice, product->a, step->row * product->k + step->k);

    panel->part = slice->type->is_float ? path->rows : path->tile_rows;
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

static const void *right_element(const struct slice *slice, uint64_t k, uint64_t column)
{
    const struct product *product = slice->product;

    return element(slice, product->b,
                   product->transposed ? column * product->k + k : k * product->n + column);
}

/* Prepares the words of the right operand for one vector of columns. */
static void prepare_right(struct slice *slice, struct step *step)
{
    const struct product *product = slice->product;
    const struct matrix_path *path = slice->unit->path;
    struct panel *panel = &step->panel;
    const void *right = right_element(slice, step->k, step->column);

    if (slice->type->is_float && !product->transposed && has_whole_vectors(slice, step) &&
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

/* Packs a panel of the right operand, the vectors of its columns one after another. A few rows at a
 * time are read, as they are in memory. */
static void pack_panel(struct slice *slice, const struct step *step, uint64_t end_column)
{
    const struct product *product = slice->product;
    const struct matrix_path *path = slice->unit->path;
    size_t depth = step->panel.depth;
    size_t packed = slice->type->is_float ? 1 : path->packed;

    for (size_t d = 0; d < depth; d += PACKED_ROWS) {
        uint32_t *to = slice->worker->block + d * path->columns;
        size_t rows = least(PACKED_ROWS, depth - d), done = least(d * packed, step->count);
        for (uint64_t column = step->column; column < end_column;
             column += path->columns, to += depth * path->columns)
            path->pack_right(slice->type, to, rows, right_element(slice, step->k + done, column),
                             product->n, least(end_column - column, path->columns),
                             least(rows * packed, step->count - done));
    }
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

    panel->to = has_whole_vectors(slice, step) ? out : sums;
    if (step->k == 0 && offsets)
        panel->from = (struct vectors){offsets, path->columns};
    else if (step->k == 0)
        panel->from = (struct vectors){slice->worker->zeros, 0};
    else if (has_whole_vectors(slice, step) && !offsets)
        panel->from = out;
    else {
        path->load_sums(panel->sums, out, panel->rows, step->columns, offsets);
        panel->from = sums;
    }
}

/* Multiplies a panel of the left operand by one of the right operand, whose columns are those of
 * the step up to the end. */
static bool add_panel(struct slice *slice, struct step step, uint64_t end_column)
{
    const struct matrix_path *path = slice->unit->path;
    uint64_t n = slice->product->n, first_column = step.column;
    struct panel *panel = &step.panel;

    prepare_left(slice, &step);
    void *offsets = find_offsets(slice, panel);
    for (; step.column < end_column; step.column += step.columns) {
        struct vectors out = {(uint32_t *)slice->product->out + step.row * n + step.column, n};
        step.columns = least(end_column - step.column, path->columns);
        panel->columns = step.columns;
        if (slice->blocking.packs_panels) {
            panel->right = slice->worker->block + (step.column - first_column) * panel->depth;
            panel->right_stride = path->columns;
        } else
            prepare_right(slice, &step);
        place_sums(slice, &step, out, offsets);
        (slice->type->is_float ? path->add_floats : path->add_integers)(panel);
        if (!has_whole_vectors(slice, &step))
            path->store_sums(panel->sums, out, panel->rows, step.columns);
        if (!patience_lasts(&slice->patience, panel->rows * step.count * step.columns))
            return false;
    }
    return true;
}

/* Multiplies all rows by a panel of the right operand. */
static bool add_rows(struct slice *slice, struct step *step, uint64_t end_column)
{
    uint64_t height = slice->blocking.rows;

    if (slice->blocking.packs_panels)
        pack_panel(slice, step, end_column);
    for (step->row = slice->first_row; step->row < slice->end_row; step->row += height) {
        step->panel.rows = least(slice->end_row - step->row, height);
        if (!add_panel(slice, *step, end_column))
            return false;
    }
    return true;
}

/* Returns the depth of a panel of `count` elements of k, rounded up to segments and groups. */
static uint64_t panel_words(const struct slice *slice, uint64_t count)
{
    uint32_t lanes = slice->unit->lanes, group = slice->unit->path->group;
    size_t packed = slice->type->is_float ? 1 : slice->unit->path->packed;

    return round_up(count, packed * (slice->type->is_float && lanes > group ? lanes : group)) /
           packed;
}

/* Computes a block of columns. The last panel is as deep as the rest of the row. */
static bool multiply_columns(struct slice *slice, uint64_t column, uint64_t end_column)
{
    uint64_t k = slice->product->k;
    size_t packed = slice->type->is_float ? 1 : slice->unit->path->packed;
    struct step step = {.column = column,
                        .panel = {.lanes = slice->unit->lanes,
                                  .sums = slice->worker->sums,
                                  .partial = slice->worker->partial}};

    for (step.k = 0; step.k < k; step.k += step.count) {
        step.count = least(k - step.k, slice->blocking.depth * packed);
        step.panel.depth = panel_words(slice, step.count);
        step.panel.is_last = step.k + step.count == k;
        if (!add_rows(slice, &step, end_column))
            return false;
    }
    return true;
}

/* Divides `count` into blocks of at most `limit`, and of nearly equal size, a multiple of `unit` if
 * it can be, because few rows or columns are slow. */
static uint64_t even_part(uint64_t count, uint64_t limit, uint64_t unit)
{
    uint64_t blocks = (count + limit - 1) / limit;

    return least(limit, round_up((count + blocks - 1) / blocks, unit));
}

/* Chooses the sizes of panels. The sums of a far product are those of as many rows as are worked on
 * at once, which leaves room for deeper panels. A transposed right operand is fastest to read whole
 * rows at a time, so the product is computed one vector of columns at a time. */
static struct blocking choose_blocking(const struct slice *slice)
{
    const struct matrix_unit *unit = slice->unit;
    const struct product *product = slice->product;
    uint64_t rows = slice->end_row - slice->first_row;
    uint64_t columns = slice->end_column - slice->first_column;
    uint64_t height = slice->type->is_float ? unit->path->rows : MATRIX_ROWS;
    struct blocking blocking = {.rows = even_part(rows, MATRIX_ROWS, MATRIX_TILE),
                                .columns = product->transposed ? unit->path->columns : columns,
                                .depth = whole_depth(unit, PANEL_DEPTH)};

    if (product->transposed)
        return blocking;
    if (rows < FEW_ROWS)
        blocking.depth = whole_depth(unit, SHALLOW_DEPTH);
    if (product->n < FAR_COLUMNS || rows <= height)
        return blocking;
    blocking.packs_panels = true;
    blocking.rows = even_part(rows, height, MATRIX_TILE);
    blocking.depth = whole_depth(unit, MATRIX_ROWS * PANEL_DEPTH / height);
    blocking.depth = least(blocking.depth, panel_words(slice, product->k));
    blocking.columns = even_part(columns, round_down(RIGHT_WORDS / blocking.depth, MATRIX_COLUMNS),
                                 MATRIX_COLUMNS);
    return blocking;
}

static bool multiply_slice(struct slice *slice)
{
    uint64_t width = slice->blocking.columns;

    for (uint64_t column = slice->first_column; column < slice->end_column; column += width)
        if (!multiply_columns(slice, column, least(slice->end_column, column + width)))
            return false;
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
        slices[i].blocking = choose_blocking(&slices[i]);
        if (slices[i].blocking.packs_panels && !unit->workers[i]->block)
            unit->workers[i]->block = vectors(unit, RIGHT_WORDS / MATRIX_COLUMNS);
    }
    if (count > 1)
        make_slices(slices, count);
    else
        make_slice(&slices[0]);
    for (uint64_t i = 0; i < count; i++)
        in_time = in_time && slices[i].in_time;
    return in_time;
}
