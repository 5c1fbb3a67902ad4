/* The instructions of the sparse-to-dense unit.
 *
 * Every value travels in a packet, from its unit to the first one or back. It is fetched, or taken
 * from the dense vector, into the buffer that packets are made of, and the results are made of what
 * was unpacked. So all inputs are read before the first output is written. */
#include "emu/units/sparse_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sparse_init(struct sparse_unit *unit, uint32_t rows, uint32_t columns, uint32_t tables,
                 uint64_t seed)
{
    *unit = (struct sparse_unit){
        .row_limit = rows,
        .column_limit = columns,
        .table_limit = tables,
        .seed = seed,
    };
}

void sparse_free(struct sparse_unit *unit)
{
    arena_free(&unit->arena);
    unit->layout = NULL;
    free(unit->scratch);
    free(unit->kept);
}

static void *resize(void *block, uint64_t bytes)
{
    block = realloc(block, bytes);
    if (!block) {
        fprintf(stderr, "temu: error: out of memory for %" PRIu64 " bytes of packets\n", bytes);
        exit(1);
    }
    return block;
}

unsigned char *sparse_scratch(struct sparse_unit *unit, uint64_t side, uint64_t packet)
{
    uint64_t bytes = side < UINT64_MAX / 4 ? 2 * side + packet : UINT64_MAX;

    if (bytes > unit->scratch_bytes) {
        unit->scratch = resize(unit->scratch, bytes);
        unit->scratch_bytes = bytes;
    }
    return unit->scratch;
}

struct sparse_shape sparse_shape(const struct sparse_unit *unit)
{
    const struct sparse_layout *layout = unit->layout;

    if (!layout)
        return (struct sparse_shape){0};
    return (struct sparse_shape){
        .torus = layout->torus,
        .way = layout->way,
        .rows = layout->rows,
        .columns = layout->columns,
        .fetchers = layout->fetchers,
        .tables = layout->table_count,
    };
}

static void record_elements(struct sparse_work *work, bool written)
{
    for (uint64_t i = 0; i < work->count; i++) {
        const struct sparse_request *request = &work->requests[i];
        const struct sparse_table *table = &work->unit->layout->tables[request->table];
        uint64_t address = table->base + request->first * table->element_bytes;
        uint64_t bytes = sparse_request_bytes(work, request);
        if (written)
            port_record_write(work->port, address, bytes, work->elements[i]);
        else
            port_record_read(work->port, address, bytes);
    }
}

/* The common end of both instructions. */
static void finish(struct sparse_work *work)
{
    struct sparse_unit *unit = work->unit;

    sparse_count(work);
    unit->operations++;
    unit->requests += work->count;
    unit->dense_values += work->values;
}

/* ---- sgather ---- */

/* Fetches the elements of a request into the packets of their units. A unit that serves the whole
 * request reduces it before it answers. */
static bool fetch_request(struct sparse_work *work, uint64_t index, unsigned char *scratch,
                          struct fault *fault)
{
    const struct sparse_request *request = &work->requests[index];
    const unsigned char *from = work->elements[index];
    struct sparse_share share = {0};

    while (sparse_next_share(work, request, &share)) {
        uint64_t elements = share.end - share.first, values = share.table->values;
        bool reduced = sparse_reduces(work, request, &share);
        unsigned char *to = sparse_take(work, &share, reduced, reduced ? values : elements * values);
        if (!sparse_fetch(work, &share, reduced ? scratch : to, from, fault))
            return false;
        if (reduced && !sparse_reduce(work, elements, values, scratch, to, fault))
            return false;
        from += elements * share.table->element_bytes;
    }
    return true;
}

/* Assembles the part of the dense vector that answers a request from what has arrived. If several
 * units have sent elements, they are reduced here. */
static bool assemble_request(struct sparse_work *work, const struct sparse_request *request,
                             unsigned char *scratch, unsigned char *to, struct fault *fault)
{
    uint64_t values = sparse_request_values(work, request);
    unsigned char *next = work->reduction == SPARSE_NONE ? to : scratch;
    struct sparse_share share = {0};

    while (sparse_next_share(work, request, &share)) {
        uint64_t bytes = (share.end - share.first) * share.table->element_bytes;
        if (sparse_reduces(work, request, &share)) {
            memcpy(to, sparse_take(work, &share, true, values), values * work->value_bytes);
            return true;
        }
        memcpy(next, sparse_take(work, &share, false, bytes / work->type.bytes), bytes);
        next += bytes;
    }
    return work->reduction == SPARSE_NONE ||
           sparse_reduce(work, request->count, values, scratch, to, fault);
}

static uint64_t largest_request(const struct sparse_work *work)
{
    uint64_t largest = 0;

    for (uint64_t i = 0; i < work->count; i++) {
        uint64_t bytes = sparse_request_bytes(work, &work->requests[i]);
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

static bool gather(struct sparse_work *work, unsigned char *vector, struct fault *fault)
{
    unsigned char *scratch =
        work->reduction == SPARSE_NONE ? NULL : arena_alloc(&work->arena, largest_request(work));

    for (uint64_t i = 0; i < work->count; i++)
        if (!fetch_request(work, i, scratch, fault))
            return false;
    if (!sparse_carry(work, fault))
        return false;
    for (uint64_t i = 0; i < work->count; i++) {
        const struct sparse_request *request = &work->requests[i];
        if (!assemble_request(work, request, scratch, vector, fault))
            return false;
        vector += sparse_request_values(work, request) * work->value_bytes;
    }
    return true;
}

static bool gather_to(struct sparse_work *work, uint64_t dst, struct fault *fault)
{
    struct port *port = work->port;
    void *out;

    if (!sparse_read_requests(work, fault))
        return false;
    out = port_write(port, dst, work->values, work->value_bytes, work->value_bytes, fault);
    if (!out || !sparse_map_elements(work, false, fault))
        return false;
    port_record_read(port, work->address, work->count * sizeof *work->requests);
    record_elements(work, false);
    sparse_plan(work);
    sparse_trace_broadcast(work);
    if (!gather(work, out, fault))
        return false;
    sparse_trace(work);
    port_record_write(port, dst, work->values * work->value_bytes, out);
    finish(work);
    work->unit->gathers++;
    return true;
}

bool sparse_gather(struct sparse_unit *unit, struct port *port, enum sparse_reduction reduction,
                   uint64_t dst, uint64_t requests, uint64_t count, uint64_t *values,
                   struct fault *fault)
{
    struct sparse_work work = {
        .unit = unit,
        .port = port,
        .reduction = reduction,
        .address = requests,
        .count = count,
    };

    if (!unit->layout)
        return fault_refuse(fault, 0, "configured tables:", 0);
    bool done = count == 0 || gather_to(&work, dst, fault);
    if (done)
        *values = work.values;
    arena_free(&work.arena);
    return done;
}

/* ---- supdate ---- */

/* Puts the values of the dense vector into the packets of the units that serve their elements. */
static void split(struct sparse_work *work, const unsigned char *vector)
{
    for (uint64_t i = 0; i < work->count; i++) {
        struct sparse_share share = {0};
        while (sparse_next_share(work, &work->requests[i], &share)) {
            uint64_t bytes = (share.end - share.first) * share.table->element_bytes;
            memcpy(sparse_take(work, &share, false, bytes / work->type.bytes), vector, bytes);
            vector += bytes;
        }
    }
}

/* Writes what has arrived to the elements. */
static bool write_elements(struct sparse_work *work, struct fault *fault)
{
    for (uint64_t i = 0; i < work->count; i++) {
        struct sparse_share share = {0};
        unsigned char *to = work->elements[i];
        while (sparse_next_share(work, &work->requests[i], &share)) {
            uint64_t bytes = (share.end - share.first) * share.table->element_bytes;
            const unsigned char *from =
                sparse_take(work, &share, false, bytes / work->type.bytes);
            if (!sparse_fetch(work, &share, to, from, fault))
                return false;
            to += bytes;
        }
    }
    return true;
}

static bool update_from(struct sparse_work *work, uint64_t src, struct fault *fault)
{
    struct port *port = work->port;
    const void *in;

    if (!sparse_read_requests(work, fault))
        return false;
    in = port_read(port, src, work->values, work->value_bytes, work->value_bytes, fault);
    if (!in || !sparse_map_elements(work, true, fault))
        return false;
    port_record_read(port, src, work->values * work->value_bytes);
    port_record_read(port, work->address, work->count * sizeof *work->requests);
    sparse_plan(work);
    sparse_trace_broadcast(work);
    split(work, in);
    if (!sparse_carry(work, fault) || !write_elements(work, fault))
        return false;
    sparse_trace(work);
    record_elements(work, true);
    finish(work);
    work->unit->updates++;
    return true;
}

bool sparse_update(struct sparse_unit *unit, struct port *port, uint64_t src, uint64_t requests,
                   uint64_t count, struct fault *fault)
{
    struct sparse_work work = {
        .unit = unit,
        .port = port,
        .address = requests,
        .count = count,
        .away = true,
    };

    if (!unit->layout)
        return fault_refuse(fault, 0, "configured tables:", 0);
    bool done = count == 0 || update_from(&work, src, fault);
    arena_free(&work.arena);
    return done;
}

struct sparse_traffic sparse_traffic(const struct sparse_unit *unit)
{
    return (struct sparse_traffic){
        .hops = unit->earlier.hops + unit->hops,
        .cycles = unit->earlier.cycles + unit->cycles,
        .bytes = unit->earlier.bytes + unit->bytes,
        .compressed_bytes = unit->earlier.compressed_bytes + unit->compressed_bytes,
    };
}

/* ---- links ---- */

static int compare_links(const void *left, const void *right)
{
    const struct sparse_link *a = left, *b = right;
    const uint32_t ends[][2] = {{a->from.row, b->from.row},
                                {a->from.column, b->from.column},
                                {a->to.row, b->to.row},
                                {a->to.column, b->to.column}};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i][0] != ends[i][1])
            return ends[i][0] < ends[i][1] ? -1 : 1;
    return 0;
}

/* Sorts links by their ends, and adds up the bytes of equal ones. Returns how many are left. */
static size_t unite(struct sparse_link *links, size_t count)
{
    size_t kept = 0;

    if (count > 0)
        qsort(links, count, sizeof *links, compare_links);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || compare_links(&links[kept - 1], &links[i]) != 0) {
            links[kept++] = links[i];
            continue;
        }
        links[kept - 1].load.bytes += links[i].load.bytes;
        links[kept - 1].load.compressed_bytes += links[i].load.compressed_bytes;
    }
    return kept;
}

size_t sparse_links(struct sparse_unit *unit, const struct sparse_link **links)
{
    sparse_keep_links(unit);
    *links = unit->kept;
    return unit->kept_count;
}

void sparse_keep_links(struct sparse_unit *unit)
{
    const struct sparse_layout *layout = unit->layout;

    if (!layout)
        return;
    unit->kept = resize(unit->kept,
                        (unit->kept_count + 2 * (size_t)layout->units) * sizeof *unit->kept);
    for (uint32_t i = 0; i < layout->units; i++) {
        const struct sparse_place *place = &layout->places[i], *next = &layout->places[place->parent];
        const struct port_place here = {place->row + 1, place->column + 1},
                                there = {next->row + 1, next->column + 1};
        for (unsigned away = 0; away < 2; away++)
            if (layout->loads[i][away].bytes > 0)
                unit->kept[unit->kept_count++] = (struct sparse_link){
                    away ? there : here, away ? here : there, layout->loads[i][away]};
        memset(layout->loads[i], 0, sizeof layout->loads[i]);
    }
    unit->kept_count = unite(unit->kept, unit->kept_count);
}

size_t sparse_activity(const struct sparse_unit *unit, struct activity *list)
{
    const struct sparse_traffic traffic = sparse_traffic(unit);
    size_t count = 0;

    list[count++] = (struct activity){"sparse", "gathers", unit->gathers};
    list[count++] = (struct activity){"sparse", "updates", unit->updates};
    list[count++] = (struct activity){"sparse", "requests", unit->requests};
    list[count++] = (struct activity){"sparse", "elements", unit->elements};
    list[count++] = (struct activity){"sparse", "dense values", unit->dense_values};
    list[count++] = (struct activity){"sparse", "hops", traffic.hops};
    list[count++] = (struct activity){"sparse", "network cycles", traffic.cycles};
    list[count++] = (struct activity){"sparse", "link bytes", traffic.bytes};
    list[count++] = (struct activity){"sparse", "compressed bytes", traffic.compressed_bytes};
    return count;
}
