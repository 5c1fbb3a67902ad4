/* tnest: sets up a whole loop nest from a descriptor in memory (isa/xtrav.yaml has its layout).
 *
 * The descriptor is guest data and may hold anything. It is read once, part by part in order, and
 * each field is checked as soon as it is read. Rows are built in staging and committed when the
 * last one is valid. The set-up may multiply, but products must fit in 64 bits. */
#include "emu/units/traversal_rows.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "descriptors are read as they are in memory");

struct header {
    uint32_t arrays, reserved;
};

struct array {
    uint8_t kind, dimensions;
    uint16_t element_bytes;
    uint32_t flags;
    uint64_t base;
};

struct extent {
    int64_t start, count, stride; /* elements */
};

_Static_assert(sizeof(struct header) == 8 && sizeof(struct array) == 16 &&
                   sizeof(struct extent) == 24,
               "the structures are the descriptor's layout");

#define FLAG_CONTIGUOUS 1u

/* The state of reading a descriptor. */
struct reader {
    struct port *port;
    struct fault *fault;
    uint64_t address; /* address of the next part */
};

static bool malformed(const struct reader *reader, uint64_t value)
{
    return fault_set(reader->fault, CAUSE_NEST_DESCRIPTOR, value);
}

static bool read_part(struct reader *reader, void *part, size_t size)
{
    const void *host = port_read(reader->port, reader->address, size, 1, 1, reader->fault);

    if (!host)
        return false;
    memcpy(part, host, size);
    reader->address += size;
    return true;
}

static bool read_header(struct reader *reader, struct header *header, uint64_t rows_left)
{
    if (!read_part(reader, header, sizeof *header))
        return false;
    if (header->arrays > rows_left)
        return fault_set(reader->fault, CAUSE_NEST_ARRAYS, header->arrays);
    if (header->arrays == 0)
        return malformed(reader, header->arrays);
    return header->reserved == 0 || malformed(reader, header->reserved);
}

/* The order of rows in a nest: prologues, then tensors, then epilogues. */
static int kind_order(enum traversal_kind kind)
{
    return kind == TRAVERSAL_PROLOGUE ? 0 : kind == TRAVERSAL_TENSOR ? 1 : 2;
}

static bool read_array(struct reader *reader, const struct traversal_unit *unit,
                       struct array *array, enum traversal_kind previous)
{
    if (!read_part(reader, array, sizeof *array))
        return false;
    if (array->kind > TRAVERSAL_EPILOGUE || kind_order(array->kind) < kind_order(previous))
        return malformed(reader, array->kind);
    if (array->dimensions > unit->state.row_dim_count)
        return fault_set(reader->fault, CAUSE_TRAVERSAL_DIMENSION, array->dimensions);
    if (array->dimensions == 0)
        return malformed(reader, array->dimensions);
    if (array->element_bytes == 0)
        return malformed(reader, array->element_bytes);
    return (array->flags & ~FLAG_CONTIGUOUS) == 0 || malformed(reader, array->flags);
}

/* init = start·stride·bytes, step = stride·bytes, end = init + count·step. */
static bool set_extent(const struct reader *reader, struct traversal_row_dim *dimension,
                       const struct extent *extent, uint16_t element_bytes)
{
    int64_t length;

    if (extent->count < 1)
        return malformed(reader, (uint64_t)extent->count);
    if (extent->stride == 0) {
        *dimension = (struct traversal_row_dim){.step = 1, .end = extent->count, .repeat = true};
        return true;
    }
    if (__builtin_mul_overflow(extent->stride, (int64_t)element_bytes, &dimension->step))
        return malformed(reader, (uint64_t)extent->stride);
    if (__builtin_mul_overflow(extent->start, dimension->step, &dimension->init))
        return malformed(reader, (uint64_t)extent->start);
    if (__builtin_mul_overflow(extent->count, dimension->step, &length) ||
        __builtin_add_overflow(dimension->init, length, &dimension->end))
        return malformed(reader, (uint64_t)extent->count);
    dimension->offset = dimension->init;
    return true;
}

static bool read_dimensions(struct reader *reader, struct traversal_row *row,
                            const struct array *array)
{
    int64_t contiguous_stride = 1;

    for (unsigned i = 0; i < array->dimensions; i++) {
        struct extent extent;
        if (!read_part(reader, &extent, sizeof extent))
            return false;
        if (array->flags & FLAG_CONTIGUOUS)
            extent.stride = contiguous_stride;
        if (!set_extent(reader, &row->dim[i], &extent, array->element_bytes))
            return false;
        /* This cannot overflow, because count·step fits. */
        contiguous_stride *= array->flags & FLAG_CONTIGUOUS ? extent.count : 1;
    }
    return true;
}

bool traversal_nest(struct traversal_unit *unit, struct port *port, uint64_t row,
                    uint64_t descriptor, struct fault *fault)
{
    struct reader reader = {.port = port, .fault = fault, .address = descriptor};
    enum traversal_kind previous = TRAVERSAL_PROLOGUE;
    struct header header;

    if (row >= unit->state.row_count)
        return fault_set(fault, CAUSE_TRAVERSAL_ROW, row);
    if (!read_header(&reader, &header, unit->state.row_count - row))
        return false;
    for (uint32_t i = 0; i < header.arrays; i++) {
        struct traversal_row *staged = traversal_stage(unit, i);
        struct array array;
        if (!read_array(&reader, unit, &array, previous) ||
            !read_dimensions(&reader, staged, &array))
            return false;
        previous = array.kind;
        staged->kind = array.kind;
        staged->dims = array.dimensions;
        staged->base = array.base;
        staged->nest = unit->state.nests + 1;
    }
    unit->state.nests++;
    port_record_read(port, descriptor, reader.address - descriptor);
    for (uint32_t i = 0; i < header.arrays; i++)
        traversal_replace(unit, port, row + i, &unit->staged[i]);
    return true;
}
