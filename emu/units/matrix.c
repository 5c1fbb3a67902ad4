/* The instructions of the matrix unit: each checks its operands, does its work, and records the
 * ranges.
 *
 * All three products are implemented as one, because a vector is a matrix of one row or one column.
 * An output that overlaps an input is computed in a buffer and then copied, so that every input is
 * read before the output is written. */
#include "emu/units/matrix_kernel.h"
#include "lib/isa.h"

#include <math.h>
#include <string.h>

struct operand {
    uint64_t address;
    uint64_t rows, columns; /* elements; a vector has one column */
    uint32_t bytes;         /* of an element, and its alignment */
    bool output;
    void *host; /* set by the check; must not be used when there are no elements */
};

static uint64_t operand_bytes(const struct operand *operand)
{
    return operand->rows * operand->columns * operand->bytes;
}

static bool check_operand(struct port *port, struct operand *operand, struct fault *fault)
{
    uint64_t count, bytes;

    if (__builtin_mul_overflow(operand->rows, operand->columns, &count) ||
        __builtin_mul_overflow(count, operand->bytes, &bytes))
        return fault_set(fault, CAUSE_OPERAND_SIZE,
                         operand->rows > operand->columns ? operand->rows : operand->columns);
    if (count == 0)
        return true;
    operand->host =
        operand->output
            ? port_write_scratchpad(port, operand->address, count, operand->bytes, fault)
            : (void *)port_read_scratchpad(port, operand->address, count, operand->bytes, fault);
    return operand->host != NULL;
}

/* Checks the operands in the order given, which is that of the syntax. */
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

/* Returns where to compute the output: in place, unless that would overwrite an input. */
static void *result_of(struct matrix_unit *unit, const struct port *port,
                       struct operand *const *operands, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (!overlap(operands[0], operands[i]))
            continue;
        if (!unit->result)
            unit->result = arena_alloc(unit->arena, port->scratchpad_size);
        return unit->result;
    }
    return operands[0]->host;
}

/* Copies the output, which is operands[0], to its place if necessary, and records the ranges. */
static void finish(struct matrix_unit *unit, struct port *port, struct operand *const *operands,
                   size_t count)
{
    struct operand *out = operands[0];

    /* Before the output replaces an input. */
    for (size_t i = 1; i < count; i++)
        port_record_read(port, operands[i]->address, operand_bytes(operands[i]));
    if (result_of(unit, port, operands, count) != out->host)
        memcpy(out->host, unit->result, operand_bytes(out));
    port_record_write(port, out->address, operand_bytes(out), out->host);
    unit->state.instructions++;
}

/* Does widening take more than shifts and a multiplication: is the largest exponent one of numbers
 * in the type and not in f32, do NaNs look like infinity, are special values below the normal
 * numbers of f32, or is the scale too large? */
static bool is_general(enum float_format format)
{
    const struct float_layout *layout = &float_layouts[format];
    const struct float_layout *f32 = &float_layouts[FLOAT_F32];
    int greatest = (1 << layout->exponent_bits) - 1 - layout->bias;

    return (layout->exponent_bits == f32->exponent_bits && !float_has_infinity(format)) ||
           layout->fraction_bits == 0 || greatest < 1 - f32->bias || layout->bias < 0;
}

static struct widening widening_of(const struct element_type *type)
{
    const struct float_layout *layout = &float_layouts[type->format];
    const struct float_layout *f32 = &float_layouts[FLOAT_F32];
    struct widening widening = {.is_float = type->is_float, .bytes = type->bytes};

    if (!type->is_float) {
        widening.is_word = type->bits == 32;
        return widening;
    }
    widening.is_word = type->format == FLOAT_F32;
    uint32_t sign = (uint32_t)1 << (type->bits - 1);
    int shift = f32->fraction_bits - layout->fraction_bits; /* of the magnitude */
    widening.left = 32 - type->bits;
    widening.right = widening.left - (unsigned)shift;
    widening.mask = (sign - 1) << shift | (uint32_t)1 << 31;
    widening.special = (float_has_nan(type->format) ? (uint32_t)layout->largest + 1 : sign)
                       << shift;
    widening.scale = ldexpf(1, f32->bias - layout->bias);
    widening.is_shifted = widening.right == 0 && layout->bias == f32->bias;
    widening.is_half = type->format == FLOAT_F16;
    widening.is_general = is_general(type->format);
    return widening;
}

void matrix_init(struct matrix_unit *unit, const struct matrix_settings *settings,
                 struct arena *arena)
{
    const struct matrix_path *paths[MATRIX_PATHS];

    matrix_paths(paths);
    *unit = (struct matrix_unit){
        .lanes = (uint32_t)settings->lanes,
        .path = paths[0],
        .thread_work = 1 << 23,
        .arena = arena,
    };
    matrix_state_init(&unit->state, settings, arena);
    for (size_t i = 0; i < isa_element_count; i++) {
        int code = isa_elements[i].code;
        if (code < 0)
            continue;
        unit->types[code] = element_type((enum isa_element_code)code);
        unit->widenings[code] = widening_of(&unit->types[code]);
    }
}

/* mmv, vmm and mm: operands[0] = left · right, m×k by k×n, in the order of the syntax. */
static bool multiply(struct matrix_unit *unit, struct port *port, enum isa_element_code type,
                     struct operand *const *operands, const struct operand *left,
                     const struct operand *right, struct fault *fault)
{
    struct operand *out = operands[0];
    uint64_t n = right->columns;

    if (out->rows == 0 || out->columns == 0)
        return true;
    if (!check_operands(port, operands, 3, fault))
        return false;
    struct product product = {.type = type,
                              .out = result_of(unit, port, operands, 3),
                              .a = left->host,
                              .b = right->host,
                              .m = left->rows,
                              .k = left->columns,
                              .n = n};
    if (!(unit->widenings[type].is_general ? matrix_multiply_general : matrix_multiply)(unit, port,
                                                                                        &product))
        return fault_set(fault, CAUSE_DEADLINE, 0);
    finish(unit, port, operands, 3);
    unit->state.multiply_adds[type] += product.m * product.k * product.n;
    return true;
}

/* Size of an element of a product: f32 or i32. */
static const uint32_t word = sizeof(uint32_t);

bool matrix_mmv(struct matrix_unit *unit, struct port *port, enum isa_element_code type,
                uint64_t vout, uint64_t nout, uint64_t mat, uint64_t vin, uint64_t nin,
                struct fault *fault)
{
    uint32_t bytes = unit->types[type].bytes;
    struct operand out = {vout, nout, 1, word, true, NULL};
    struct operand left = {mat, nout, nin, bytes, false, NULL};
    struct operand right = {vin, nin, 1, bytes, false, NULL};
    struct operand *const operands[] = {&out, &left, &right};

    return multiply(unit, port, type, operands, &left, &right, fault);
}

bool matrix_vmm(struct matrix_unit *unit, struct port *port, enum isa_element_code type,
                uint64_t vout, uint64_t nout, uint64_t vin, uint64_t nin, uint64_t mat,
                struct fault *fault)
{
    uint32_t bytes = unit->types[type].bytes;
    struct operand out = {vout, 1, nout, word, true, NULL};
    struct operand left = {vin, 1, nin, bytes, false, NULL};
    struct operand right = {mat, nin, nout, bytes, false, NULL};
    struct operand *const operands[] = {&out, &left, &right};

    return multiply(unit, port, type, operands, &left, &right, fault);
}

bool matrix_mm(struct matrix_unit *unit, struct port *port, enum isa_element_code type,
               uint64_t mout, uint64_t a, uint64_t b, uint64_t m, uint64_t k, uint64_t n,
               struct fault *fault)
{
    uint32_t bytes = unit->types[type].bytes;
    struct operand out = {mout, m, n, word, true, NULL};
    struct operand left = {a, m, k, bytes, false, NULL};
    struct operand right = {b, k, n, bytes, false, NULL};
    struct operand *const operands[] = {&out, &left, &right};

    return multiply(unit, port, type, operands, &left, &right, fault);
}

bool matrix_mms(struct matrix_unit *unit, struct port *port, enum isa_element_code type,
                uint64_t mout, uint64_t min, uint64_t size, uint64_t scalar, struct fault *fault)
{
    uint32_t bytes = unit->types[type].bytes;
    struct operand out = {mout, size, 1, bytes, true, NULL};
    struct operand in = {min, size, 1, bytes, false, NULL};
    struct operand *const operands[] = {&out, &in};

    if (size == 0)
        return true;
    if (!check_operands(port, operands, 2, fault))
        return false;
    if (!matrix_scale(unit, port, type, result_of(unit, port, operands, 2), in.host, size, scalar))
        return fault_set(fault, CAUSE_DEADLINE, 0);
    finish(unit, port, operands, 2);
    unit->state.scalings += size;
    return true;
}

bool matrix_mcvt(struct matrix_unit *unit, struct port *port, enum isa_element_code to,
                 enum isa_element_code from, uint64_t dst, uint64_t src, uint64_t size,
                 struct fault *fault)
{
    struct operand out = {dst, size, 1, unit->types[to].bytes, true, NULL};
    struct operand in = {src, size, 1, unit->types[from].bytes, false, NULL};
    struct operand *const operands[] = {&out, &in};

    if (size == 0)
        return true;
    if (!check_operands(port, operands, 2, fault))
        return false;
    if (!matrix_convert(unit, port, to, from, result_of(unit, port, operands, 2), in.host, size))
        return fault_set(fault, CAUSE_DEADLINE, 0);
    finish(unit, port, operands, 2);
    unit->state.conversions += size;
    return true;
}
