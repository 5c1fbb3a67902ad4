/* sconf: reads the partition of tables over units from a descriptor in memory (machine.md, 5).
 *
 *     header, 16 bytes:  u8 topology, u8 way, u16 M, u16 N, u16 k, u32 tables, u32 0
 *     row_first:         u32[M+1], padded to 8
 *     per table, 24:     u64 base, u32 rows, u32 cols, u32 type, u32 elements
 *       col_first:       u32[N+1], padded to 8
 *
 * The descriptor is guest data and may hold anything. It is read once, part by part in order. Each
 * part must be readable (else tensor access fault, value: the part's address), and its fields are
 * checked in order as soon as it is read (else tensor configuration fault, value: the field). For a
 * table with elements, the size is checked after the fields: it must fit in 64 bits (else
 * configuration fault, value: the largest of rows, cols and elements). Then the base must be
 * aligned and the table readable (else access fault, value: base). Last, no two tables may share
 * memory (else configuration fault, value: the lowest base that is in another table). Padding is
 * not checked.
 *
 * The first entry of row_first and col_first must be 0 and the last one the number of tables or
 * elements, or there would be a hole. No entry may be lower than the one before, or ranges would
 * overlap. Two equal entries mean a row or column that serves nothing. A table without elements is
 * a number that is not in use: its base and shape are not checked. */
#include "emu/units/sparse_parts.h"

#include "lib/isa.h"
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "descriptors are read as they are in memory");

struct header {
    uint8_t topology, way;
    uint16_t rows, columns, fetchers;
    uint32_t tables, reserved_word;
};

struct table_header {
    uint64_t base;
    uint32_t rows, cols, type, elements;
};

_Static_assert(sizeof(struct header) == 16 && sizeof(struct table_header) == 24,
               "the structures are the descriptor's layout");

enum topology { MESH, TORUS };

/* The state of reading a descriptor. */
struct reader {
    const struct sparse_unit *unit;
    struct sparse_layout *layout; /* the result */
    struct port *port;
    struct fault *fault;
    uint64_t start, offset; /* address of the descriptor; offset of its next part */
};

static bool malformed(const struct reader *reader, uint64_t value)
{
    return fault_set(reader->fault, CAUSE_SPARSE_DESCRIPTOR, value);
}

static bool read_part(struct reader *reader, void *part, size_t size)
{
    const void *host =
        port_read(reader->port, reader->start + reader->offset, size, 1, 1, reader->fault);

    if (!host)
        return false;
    memcpy(part, host, size);
    reader->offset += size;
    return true;
}

static void skip_padding(struct reader *reader)
{
    reader->offset = (reader->offset + 7) & ~UINT64_C(7);
}

static bool within(const struct reader *reader, enum cause reason, uint64_t value, uint64_t limit)
{
    return (value >= 1 && value <= limit) || fault_set(reader->fault, reason, value);
}

static bool check_header(const struct reader *reader, const struct header *header)
{
    const struct sparse_unit *unit = reader->unit;

    if (header->topology > TORUS)
        return malformed(reader, header->topology);
    if (header->way >= SPARSE_WAYS)
        return malformed(reader, header->way);
    if (!within(reader, CAUSE_SPARSE_ROWS, header->rows, unit->row_limit) ||
        !within(reader, CAUSE_SPARSE_COLUMNS, header->columns, unit->column_limit) ||
        !within(reader, CAUSE_SPARSE_FETCHERS, header->fetchers, UINT16_MAX) ||
        !within(reader, CAUSE_SPARSE_TABLES, header->tables, unit->table_limit))
        return false;
    return header->reserved_word == 0 || malformed(reader, header->reserved_word);
}

static bool read_header(struct reader *reader, struct arena *arena)
{
    struct sparse_layout *layout = reader->layout;
    struct header header;

    if (!read_part(reader, &header, sizeof header) || !check_header(reader, &header))
        return false;
    layout->torus = header.topology == TORUS;
    layout->way = header.way;
    layout->rows = header.rows;
    layout->columns = header.columns;
    layout->fetchers = header.fetchers;
    layout->table_count = header.tables;
    layout->tables = arena_array(arena, layout->table_count, sizeof *layout->tables);
    layout->row_first = arena_array(arena, layout->rows + 1, sizeof *layout->row_first);
    layout->column_first = arena_array(arena, layout->table_count * (layout->columns + UINT64_C(1)),
                                       sizeof *layout->column_first);
    layout->units = layout->rows * layout->columns;
    layout->places = arena_array(arena, layout->units, sizeof *layout->places);
    layout->nodes = arena_array(arena, layout->units + UINT64_C(1), sizeof *layout->nodes);
    layout->order = arena_array(arena, layout->units, sizeof *layout->order);
    layout->loads = arena_array(arena, layout->units, sizeof *layout->loads);
    layout->in_flight = arena_array(arena, layout->fetchers, sizeof *layout->in_flight);
    return true;
}

/* Reads `first`, which has parts + 1 entries and divides `total` tables or elements among `parts`.
 */
static bool read_partition(struct reader *reader, uint32_t *first, uint32_t parts, uint32_t total)
{
    if (!read_part(reader, first, (parts + UINT64_C(1)) * sizeof *first))
        return false;
    if (first[0] != 0)
        return malformed(reader, first[0]);
    for (uint32_t i = 1; i <= parts; i++)
        if (first[i] < first[i - 1] || first[i] > total)
            return malformed(reader, first[i]);
    if (first[parts] != total)
        return malformed(reader, first[parts]);
    skip_padding(reader);
    return true;
}

static uint64_t largest(const struct table_header *header)
{
    uint32_t shape = header->rows > header->cols ? header->rows : header->cols;

    return header->elements > shape ? header->elements : shape;
}

/* Checks the size of a table in use, and that it is in memory. */
static bool check_extent(const struct reader *reader, const struct table_header *header,
                         struct sparse_table *table)
{
    uint64_t bytes;

    table->values = (uint64_t)header->rows * header->cols;
    if (__builtin_mul_overflow(table->values, table->type.bytes, &table->element_bytes) ||
        __builtin_mul_overflow(table->element_bytes, table->elements, &bytes))
        return fault_set(reader->fault, CAUSE_TABLE_SIZE, largest(header));
    return port_read(reader->port, table->base, bytes, 1, table->type.bytes, reader->fault) != NULL;
}

static bool read_table(struct reader *reader, struct sparse_table *table, uint32_t *column_first)
{
    struct table_header header;

    if (!read_part(reader, &header, sizeof header))
        return false;
    table->base = header.base;
    table->elements = header.elements;
    table->column_first = column_first;
    if (header.elements > 0 && header.rows == 0)
        return malformed(reader, header.rows);
    if (header.elements > 0 && header.cols == 0)
        return malformed(reader, header.cols);
    if (!isa_element_by_code(header.type))
        return malformed(reader, header.type);
    table->type_code = header.type;
    table->type = element_type((enum isa_element_code)header.type);
    if (header.elements > 0 && !check_extent(reader, &header, table))
        return false;
    return read_partition(reader, column_first, reader->layout->columns, header.elements);
}

static bool read_tables(struct reader *reader)
{
    struct sparse_layout *layout = reader->layout;
    uint32_t row = 0;

    for (uint32_t i = 0; i < layout->table_count; i++) {
        if (!read_table(reader, &layout->tables[i],
                        layout->column_first + i * (layout->columns + UINT64_C(1))))
            return false;
        while (layout->row_first[row + 1] <= i)
            row++;
        layout->tables[i].row = row;
    }
    return true;
}

static int compare_bases(const void *left, const void *right)
{
    const struct sparse_table *a = *(const struct sparse_table *const *)left;
    const struct sparse_table *b = *(const struct sparse_table *const *)right;

    return a->base < b->base ? -1 : a->base > b->base;
}

static bool check_apart(struct reader *reader, struct arena *arena)
{
    const struct sparse_layout *layout = reader->layout;
    const struct sparse_table **used = arena_array(arena, layout->table_count, sizeof *used);
    size_t count = 0;

    for (uint32_t i = 0; i < layout->table_count; i++)
        if (layout->tables[i].elements > 0)
            used[count++] = &layout->tables[i];
    qsort(used, count, sizeof *used, compare_bases);
    for (size_t i = 1; i < count; i++)
        if (used[i]->base - used[i - 1]->base < used[i - 1]->element_bytes * used[i - 1]->elements)
            return fault_set(reader->fault, CAUSE_TABLE_OVERLAP, used[i]->base);
    return true;
}

static bool read_layout(struct reader *reader, struct arena *arena)
{
    struct sparse_layout *layout = reader->layout;

    if (!read_header(reader, arena) ||
        !read_partition(reader, layout->row_first, layout->rows, layout->table_count))
        return false;
    if (!read_tables(reader) || !check_apart(reader, arena))
        return false;
    sparse_build_tree(layout);
    return true;
}

static void record_layout(const struct sparse_unit *unit, struct port *port)
{
    const struct sparse_shape shape = sparse_shape(unit);

    port_record_value(port, "sparse", "torus", shape.torus);
    port_record_value(port, "sparse", "way", shape.way);
    port_record_value(port, "sparse", "rows", shape.rows);
    port_record_value(port, "sparse", "columns", shape.columns);
    port_record_value(port, "sparse", "fetchers", shape.fetchers);
    port_record_value(port, "sparse", "tables", shape.tables);
}

bool sparse_configure(struct sparse_unit *unit, struct port *port, uint64_t descriptor,
                      struct fault *fault)
{
    struct arena arena = ARENA_INIT;
    struct reader reader = {
        .unit = unit,
        .layout = arena_new(&arena, struct sparse_layout),
        .port = port,
        .fault = fault,
        .start = descriptor,
    };

    if (!read_layout(&reader, &arena)) {
        arena_free(&arena);
        return false;
    }
    sparse_keep_links(unit);
    arena_free(&unit->arena);
    unit->arena = arena;
    unit->layout = reader.layout;
    unit->earlier = sparse_traffic(unit);
    unit->hops = unit->cycles = unit->bytes = unit->compressed_bytes = unit->operations = 0;
    port_record_read(port, descriptor, reader.offset);
    record_layout(unit, port);
    return true;
}
