/* Products of matrices that are the same bits on every host.
 *
 * The arithmetic is part of the instruction set (machine.md, 2). An element of the output is the
 * sum of k products. The slave that owns its column has W lanes: it takes the products in segments
 * of W, sums each segment in a balanced binary tree of neighbours (lane 0 + lane 1, lane 2 + lane
 * 3, …, then those sums), and adds the result to an accumulator:
 *
 *     accumulator = +0
 *     for each segment of W consecutive products, absent ones being +0:
 *         accumulator = accumulator + tree(p[0], …, p[W-1])
 *
 * Each product and each sum is one rounded operation of the host's `float`; what could change its
 * bits is ruled out: excess precision and value-changing optimisation by the assertions below,
 * contraction to a fused multiply-add by the Makefile
 * (-ffp-contract=off) and a unit test, other rounding modes and flushing of subnormals by the
 * default environment that is set around the work. Columns are worked on in blocks, lane by lane,
 * so that the innermost loops run over neighbouring columns.
 *
 * All three products are one: a vector is a matrix of one row or one column. */
#include "emu/matrix.h"

#include "lib/float_format.h"
#include <fenv.h>
#include <float.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "the matrix unit needs IEEE arithmetic: compile without -ffast-math"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "float arithmetic must round to float");
_Static_assert(sizeof(float) == 4 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128,
               "float must be IEEE 754 binary32");

#define COLUMNS  64        /* of a block */
#define PATIENCE (1 << 24) /* multiply-adds between two looks at the clock */

struct operand {
    uint64_t address;
    uint64_t rows, columns; /* elements; a vector has one column */
    bool output;
    void *host; /* after the check; of no use when there are no elements */
};

static uint64_t operand_bytes(const struct operand *operand)
{
    return operand->rows * operand->columns * sizeof(float);
}

static bool check_operand(struct port *port, struct operand *operand, struct fault *fault)
{
    uint64_t count, bytes;

    if (__builtin_mul_overflow(operand->rows, operand->columns, &count) ||
        __builtin_mul_overflow(count, sizeof(float), &bytes))
        return fault_set(fault, CAUSE_TENSOR_CONFIGURATION,
                         operand->rows > operand->columns ? operand->rows : operand->columns);
    if (count == 0)
        return true;
    operand->host =
        operand->output
            ? port_write_scratchpad(port, operand->address, count, sizeof(float), fault)
            : (void *)port_read_scratchpad(port, operand->address, count, sizeof(float), fault);
    return operand->host != NULL;
}

/* In the order given, which is that of the syntax. */
static bool check_operands(struct port *port, struct operand *const *operands, size_t count,
                           struct fault *fault)
{
    for (size_t i = 0; i < count; i++) {
        if (!check_operand(port, operands[i], fault))
            return false;
    }
    return true;
}

static bool overlap(const struct operand *a, const struct operand *b)
{
    uint64_t a_bytes = operand_bytes(a), b_bytes = operand_bytes(b);

    return a_bytes && b_bytes && a->address < b->address + b_bytes &&
           b->address < a->address + a_bytes;
}

/* Where to compute the output: in place, unless that would change an input that is still to be
 * read. */
static float *result_of(struct matrix_unit *unit, struct operand *const *operands, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (overlap(operands[0], operands[i]))
            return unit->result;
    }
    return operands[0]->host;
}

/* operands[0] is the output. */
static void finish(struct matrix_unit *unit, struct port *port, struct operand *const *operands,
                   size_t count)
{
    struct operand *out = operands[0];

    if (result_of(unit, operands, count) == unit->result)
        memcpy(out->host, unit->result, operand_bytes(out));
    for (size_t i = 1; i < count; i++)
        port_record_read(port, operands[i]->address, operand_bytes(operands[i]));
    port_record_write(port, out->address, operand_bytes(out), out->host);
    unit->instructions++;
}

static float canonical(float value)
{
    if (value != value) {
        const uint32_t bits = (uint32_t)float_quiet_nan(FLOAT_F32);
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}

/* products[lane][column] for one segment of one row of the left operand; lanes beyond the end of
 * the row are +0. */
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

/* One row of the output, `columns` ≤ COLUMNS of it: left is k elements, right k rows that are
 * `right_stride` apart. */
static void multiply_row(const struct matrix_unit *unit, float *out, const float *left, uint64_t k,
                         const float *right, uint64_t right_stride, size_t columns)
{
    float accumulator[COLUMNS] = {0};

    for (uint64_t segment = 0; segment < k; segment += unit->lanes) {
        multiply_segment(unit->products, unit->lanes, left + segment, k - segment,
                         right + segment * right_stride, right_stride, columns);
        sum_lanes(unit->products, unit->lanes, columns);
        for (size_t column = 0; column < columns; column++)
            accumulator[column] = accumulator[column] + unit->products[column];
    }
    for (size_t column = 0; column < columns; column++)
        out[column] = canonical(accumulator[column]);
}

/* out (m×n) = a (m×k) · b (k×n). False when the run's time is up first: with a large scratchpad one
 * instruction can take hours. */
static bool multiply(const struct matrix_unit *unit, const struct port *port, float *out,
                     const float *a, const float *b, uint64_t m, uint64_t k, uint64_t n)
{
    fenv_t saved;
    uint64_t work = 0;
    bool in_time = true;

    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    for (uint64_t i = 0; in_time && i < m; i++) {
        for (uint64_t j = 0; in_time && j < n; j += COLUMNS) {
            size_t columns = n - j < COLUMNS ? n - j : COLUMNS;
            multiply_row(unit, out + i * n + j, k ? a + i * k : NULL, k, k ? b + j : NULL, n,
                         columns);
            work += k * columns;
            if (work < PATIENCE || !port->expired)
                continue;
            work = 0;
            in_time = !port->expired(port->clock);
        }
    }
    fesetenv(&saved);
    return in_time;
}

static void scale(float *out, const float *in, uint64_t size, float scalar)
{
    fenv_t saved;

    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    for (uint64_t i = 0; i < size; i++)
        out[i] = canonical(in[i] * scalar);
    fesetenv(&saved);
}

void matrix_init(struct matrix_unit *unit, const struct config *config, struct arena *arena)
{
    *unit = (struct matrix_unit){
        .lanes = config->lanes,
        .slaves = config->slaves,
        .products = arena_array(arena, (size_t)config->lanes * COLUMNS, sizeof(float)),
        .result = arena_alloc(arena, config->scratchpad_size),
    };
}

bool matrix_mmv_f32(struct matrix_unit *unit, struct port *port, uint64_t vout, uint64_t nout,
                    uint64_t mat, uint64_t vin, uint64_t nin, struct fault *fault)
{
    struct operand out = {.address = vout, .rows = nout, .columns = 1, .output = true};
    struct operand left = {.address = mat, .rows = nout, .columns = nin};
    struct operand right = {.address = vin, .rows = nin, .columns = 1};
    struct operand *const operands[] = {&out, &left, &right};

    if (nout == 0)
        return true;
    if (!check_operands(port, operands, 3, fault))
        return false;
    if (!multiply(unit, port, result_of(unit, operands, 3), left.host, right.host, nout, nin, 1))
        return fault_set(fault, CAUSE_DEADLINE, 0);
    finish(unit, port, operands, 3);
    unit->multiply_adds += nout * nin;
    return true;
}

bool matrix_vmm_f32(struct matrix_unit *unit, struct port *port, uint64_t vout, uint64_t nout,
                    uint64_t vin, uint64_t nin, uint64_t mat, struct fault *fault)
{
    struct operand out = {.address = vout, .rows = nout, .columns = 1, .output = true};
    struct operand left = {.address = vin, .rows = nin, .columns = 1};
    struct operand right = {.address = mat, .rows = nin, .columns = nout};
    struct operand *const operands[] = {&out, &left, &right};

    if (nout == 0)
        return true;
    if (!check_operands(port, operands, 3, fault))
        return false;
    if (!multiply(unit, port, result_of(unit, operands, 3), left.host, right.host, 1, nin, nout))
        return fault_set(fault, CAUSE_DEADLINE, 0);
    finish(unit, port, operands, 3);
    unit->multiply_adds += nout * nin;
    return true;
}

bool matrix_mm_f32(struct matrix_unit *unit, struct port *port, uint64_t mout, uint64_t a,
                   uint64_t b, uint64_t m, uint64_t k, uint64_t n, struct fault *fault)
{
    struct operand out = {.address = mout, .rows = m, .columns = n, .output = true};
    struct operand left = {.address = a, .rows = m, .columns = k};
    struct operand right = {.address = b, .rows = k, .columns = n};
    struct operand *const operands[] = {&out, &left, &right};

    if (m == 0 || n == 0)
        return true;
    if (!check_operands(port, operands, 3, fault))
        return false;
    if (!multiply(unit, port, result_of(unit, operands, 3), left.host, right.host, m, k, n))
        return fault_set(fault, CAUSE_DEADLINE, 0);
    finish(unit, port, operands, 3);
    unit->multiply_adds += m * k * n;
    return true;
}

bool matrix_mms_f32(struct matrix_unit *unit, struct port *port, uint64_t mout, uint64_t min,
                    uint64_t size, uint32_t scalar, struct fault *fault)
{
    struct operand out = {.address = mout, .rows = size, .columns = 1, .output = true};
    struct operand in = {.address = min, .rows = size, .columns = 1};
    struct operand *const operands[] = {&out, &in};
    float factor;

    if (size == 0)
        return true;
    if (!check_operands(port, operands, 2, fault))
        return false;
    memcpy(&factor, &scalar, sizeof factor);
    scale(result_of(unit, operands, 2), in.host, size, factor);
    finish(unit, port, operands, 2);
    unit->scalings += size;
    return true;
}

size_t matrix_activity(const struct matrix_unit *unit, struct activity *list)
{
    size_t count = 0;

    list[count++] = (struct activity){"matrix", "instructions", unit->instructions};
    list[count++] = (struct activity){"matrix", "multiply-adds", unit->multiply_adds};
    list[count++] = (struct activity){"matrix", "scalings", unit->scalings};
    return count;
}
