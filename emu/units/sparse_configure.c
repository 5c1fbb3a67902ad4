/* The configuration: the descriptor of sconf, its storage, and the layout that follows from it.
 * The descriptor is guest data and may hold anything. It is checked part by part, in the order of
 * the definition (isa/xsparse.yaml), and loaded when nothing is at fault. The configuration may
 * also be changed piece by piece (sparse_change). The layout is made when it is needed. */
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

/* ---- storage ---- */

struct sparse_unit *sparse_change(struct sparse_unit *unit)
{
    sparse_keep_links(unit);
    arena_free(&unit->arena);
    unit->layout = NULL;
    unit->operations = 0;
    return unit;
}

uint32_t *sparse_row_first(struct sparse_unit *unit)
{
    if (!unit->row_first)
        unit->row_first =
            sparse_resize(NULL, 0, (unit->row_limit + UINT64_C(1)) * sizeof *unit->row_first);
    return unit->row_first;
}

/* Makes room for the table, and for as many again. */
static void reserve(struct sparse_unit *unit, uint64_t table)
{
    size_t old = unit->table_capacity, new = 2 * (table + 1);
    size_t stride = (unit->column_limit + UINT64_C(1)) * sizeof *unit->column_first;

    if (table < old)
        return;
    sparse_change(unit); /* the layout points to the tables */
    unit->tables =
        sparse_resize(unit->tables, old * sizeof *unit->tables, new * sizeof *unit->tables);
    unit->column_first = sparse_resize(unit->column_first, old * stride, new *stride);
    unit->table_capacity = new;
}

struct sparse_table *sparse_table(struct sparse_unit *unit, uint64_t table)
{
    reserve(unit, table);
    return &unit->tables[table];
}

uint32_t *sparse_column_first(struct sparse_unit *unit, uint64_t table)
{
    reserve(unit, table);
    return unit->column_first + table * (unit->column_limit + UINT64_C(1));
}

static void complete_tables(struct sparse_unit *unit)
{
    uint32_t row = 0;

    for (uint32_t i = 0; i < unit->state.tables; i++) {
        struct sparse_table *table = sparse_table(unit, i);
        while (sparse_row_first(unit)[row + 1] <= i)
            row++;
        table->row = row;
        table->column_first = sparse_column_first(unit, i);
        table->type = element_type((enum isa_element_code)table->type_code);
        table->element_bytes = table->values * table->type.bytes;
    }
}

static struct sparse_shape shape_of(const struct sparse_state *state)
{
    return (struct sparse_shape){state->torus,        state->way,      state->unit_rows,
                                 state->unit_columns, state->fetchers, state->tables};
}

struct sparse_layout *sparse_layout(struct sparse_unit *unit)
{
    const struct sparse_shape shape = shape_of(&unit->state);
    struct arena *arena = &unit->arena;
    struct sparse_layout *layout = unit->layout;

    if (layout && memcmp(&layout->shape, &shape, sizeof shape) == 0)
        return layout;
    sparse_change(unit);
    complete_tables(unit);
    unit->layout = layout = arena_new(arena, struct sparse_layout);
    *layout = (struct sparse_layout){
        .shape = shape,
        .tables = unit->tables,
        .units = shape.rows * shape.columns,
    };
    layout->places = arena_array(arena, layout->units, sizeof *layout->places);
    layout->nodes = arena_array(arena, layout->units + UINT64_C(1), sizeof *layout->nodes);
    layout->order = arena_array(arena, layout->units, sizeof *layout->order);
    layout->visits = arena_array(arena, layout->units, sizeof *layout->visits);
    layout->busy = arena_array(arena, shape.rows, sizeof *layout->busy);
    layout->loads = arena_array(arena, layout->units, sizeof *layout->loads);
    layout->in_flight = arena_array(arena, layout->shape.fetchers, sizeof *layout->in_flight);
    sparse_build_tree(layout);
    return layout;
}

struct sparse_load *sparse_load(struct sparse_unit *unit, uint64_t place, bool away)
{
    return &sparse_layout(unit)->loads[place][away];
}

/* ---- the descriptor ---- */

struct reader {
    const struct sparse_unit *unit;
    struct port *port;
    struct fault *fault;
    uint64_t start, offset; /* address of the descriptor; offset of its next part */
};

static bool malformed(const struct reader *reader, uint64_t value)
{
    return fault_set(reader->fault, CAUSE_SPARSE_DESCRIPTOR, value);
}

/* Returns the next part, of so many bytes and padding. */
static const void *next_part(struct reader *reader, uint64_t bytes)
{
    uint64_t at = reader->start + reader->offset;

    bytes = (bytes + 7) & ~UINT64_C(7);
    reader->offset += bytes;
    return port_read(reader->port, at, bytes, 1, 1, reader->fault);
}

static bool within(const struct reader *reader, enum cause reason, uint64_t value, uint64_t limit)
{
    return (value >= 1 && value <= limit) || fault_set(reader->fault, reason, value);
}

static bool read_header(struct reader *reader, struct header *header)
{
    const struct sparse_unit *unit = reader->unit;
    const void *part = next_part(reader, sizeof *header);

    if (!part)
        return false;
    memcpy(header, part, sizeof *header);
    if (header->topology > 1)
        return malformed(reader, header->topology);
    if (header->way > SPARSE_MERGE)
        return malformed(reader, header->way);
    if (!within(reader, CAUSE_SPARSE_ROWS, header->rows, unit->row_limit) ||
        !within(reader, CAUSE_SPARSE_COLUMNS, header->columns, unit->column_limit) ||
        !within(reader, CAUSE_SPARSE_FETCHERS, header->fetchers, UINT16_MAX) ||
        !within(reader, CAUSE_SPARSE_TABLES, header->tables, unit->table_limit))
        return false;
    return header->reserved_word == 0 || malformed(reader, header->reserved_word);
}

/* Checks a list of parts + 1 entries, which divides `total` tables or elements among the parts. */
static bool check_partition(struct reader *reader, uint32_t parts, uint32_t total)
{
    const unsigned char *list = next_part(reader, (parts + UINT64_C(1)) * sizeof(uint32_t));
    uint32_t entry = 0, before;

    for (uint32_t i = 0; list && i <= parts; i++) {
        before = entry;
        memcpy(&entry, list + i * sizeof entry, sizeof entry);
        if (entry < before || entry > (i ? total : 0))
            return malformed(reader, entry);
    }
    return list && (entry == total || malformed(reader, entry));
}

/* Checks the size of a table in use, and that it is in memory. */
static bool check_extent(const struct reader *reader, const struct table_header *header)
{
    const struct element_type type = element_type((enum isa_element_code)header->type);
    uint64_t largest = header->rows > header->cols ? header->rows : header->cols, bytes;

    largest = header->elements > largest ? header->elements : largest;
    if (__builtin_mul_overflow((uint64_t)header->rows * header->cols, type.bytes, &bytes) ||
        __builtin_mul_overflow(bytes, header->elements, &bytes))
        return fault_set(reader->fault, CAUSE_TABLE_SIZE, largest);
    return port_read(reader->port, header->base, bytes, 1, type.bytes, reader->fault) != NULL;
}

static bool read_table(struct reader *reader, struct table_header *header)
{
    const void *part = next_part(reader, sizeof *header);

    if (!part)
        return false;
    memcpy(header, part, sizeof *header);
    if (header->elements > 0 && header->rows == 0)
        return malformed(reader, header->rows);
    if (header->elements > 0 && header->cols == 0)
        return malformed(reader, header->cols);
    if (!isa_element_by_code(header->type))
        return malformed(reader, header->type);
    return header->elements == 0 || check_extent(reader, header);
}

struct extent {
    uint64_t base, bytes;
};

static int compare_bases(const void *left, const void *right)
{
    const struct extent *a = left, *b = right;

    return a->base < b->base ? -1 : a->base > b->base;
}

static bool check_apart(struct extent *tables, size_t count, struct fault *fault)
{
    qsort(tables, count, sizeof *tables, compare_bases);
    for (size_t i = 1; i < count; i++)
        if (tables[i].base - tables[i - 1].base < tables[i - 1].bytes)
            return fault_set(fault, CAUSE_TABLE_OVERLAP, tables[i].base);
    return true;
}

static bool check_tables(struct reader *reader, const struct header *header, struct arena *arena)
{
    struct extent *used = arena_array(arena, header->tables, sizeof *used);
    struct table_header table;
    size_t count = 0;

    for (uint32_t i = 0; i < header->tables; i++) {
        if (!read_table(reader, &table) ||
            !check_partition(reader, header->columns, table.elements))
            return false;
        if (table.elements > 0)
            used[count++] = (struct extent){
                table.base, (uint64_t)table.rows * table.cols * table.elements *
                                element_type((enum isa_element_code)table.type).bytes};
    }
    return check_apart(used, count, reader->fault);
}

/* Loads the partition and the tables of the descriptor, which has been checked. */
static void load(struct sparse_unit *unit, struct reader *reader)
{
    struct table_header table;
    struct header header;

    sparse_change(unit);
    reader->offset = 0;
    read_header(reader, &header);
    uint64_t list_bytes = (header.rows + UINT64_C(1)) * sizeof(uint32_t);
    memcpy(sparse_row_first(unit), next_part(reader, list_bytes), list_bytes);
    list_bytes = (header.columns + UINT64_C(1)) * sizeof(uint32_t);
    for (uint32_t i = 0; i < header.tables; i++) {
        memcpy(&table, next_part(reader, sizeof table), sizeof table);
        *sparse_table(unit, i) = (struct sparse_table){
            .base = table.base,
            .values = table.elements > 0 ? (uint64_t)table.rows * table.cols : 0,
            .elements = table.elements,
            .type_code = table.type,
        };
        memcpy(sparse_column_first(unit, i), next_part(reader, list_bytes), list_bytes);
    }
}

/* Sets the numbers of the configuration, in the order of the definition. */
static void set_shape(struct sparse_unit *unit, struct port *port, const struct header *header)
{
    struct sparse_state *state = &unit->state;

    sparse_change_torus(state, port, header->topology);
    sparse_change_way(state, port, header->way);
    sparse_change_unit_rows(state, port, header->rows);
    sparse_change_unit_columns(state, port, header->columns);
    sparse_change_fetchers(state, port, header->fetchers);
    sparse_change_tables(state, port, header->tables);
}

bool sparse_configure(struct sparse_unit *unit, struct port *port, uint64_t desc,
                      struct fault *fault)
{
    struct reader reader = {.unit = unit, .port = port, .fault = fault, .start = desc};
    struct arena arena = ARENA_INIT;
    struct header header;

    if (port->is_worker) /* only the supervisor may */
        return fault_set(fault, CAUSE_ILLEGAL_INSTRUCTION, 0);
    bool good = read_header(&reader, &header) &&
                check_partition(&reader, header.rows, header.tables) &&
                check_tables(&reader, &header, &arena);

    arena_free(&arena);
    if (!good)
        return false;
    load(unit, &reader);
    port_record_read(port, desc, reader.offset);
    set_shape(unit, port, &header);
    sparse_layout(unit);
    sparse_set_traffic(unit, port, &(const struct sparse_traffic){0});
    return true;
}
