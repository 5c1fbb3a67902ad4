/* The instructions of the sparse-to-dense unit.
 *
 * Every value travels in a packet, from its unit to the first one or back. It is fetched, or taken
 * from the dense vector, into the buffer that packets are made of, and the results are made of what
 * was unpacked. So all inputs are read before the first output is written. */
#include "emu/units/sparse_parts.h"

#include <stdlib.h>
#include <string.h>

void sparse_init(struct sparse_unit *unit, const struct sparse_settings *settings,
                 struct arena *arena)
{
    *unit = (struct sparse_unit){
        .row_limit = (uint32_t)settings->rows,
        .column_limit = (uint32_t)settings->columns,
        .table_limit = (uint32_t)settings->tables,
        .seed = settings->seed,
    };
    sparse_state_init(&unit->state, settings, arena);
}

void sparse_free(struct sparse_unit *unit)
{
    arena_free(&unit->arena);
    unit->layout = NULL;
    free(unit->row_first);
    free(unit->tables);
    free(unit->column_first);
    free(unit->scratch);
    free(unit->kept);
}

static void record_elements(struct sparse_work *work)
{
    for (uint64_t i = 0; i < work->count; i++) {
        const struct sparse_request *request = &work->requests[i];
        const struct sparse_table *table = &work->unit->layout->tables[request->table];
        uint64_t address = table->base + request->first * table->element_bytes;
        uint64_t bytes = sparse_request_bytes(work, request);
        if (work->away)
            port_record_write(work->port, address, bytes, work->elements[i]);
        else
            port_record_read(work->port, address, bytes);
    }
}

/* The common begin of both instructions, which returns the dense vector in memory. */
static void *prepare(struct sparse_work *work, uint64_t vector, struct fault *fault)
{
    struct port *port = work->port;
    uint32_t size;
    void *host;

    sparse_layout(work->unit);
    if (!sparse_read_requests(work, fault))
        return NULL;
    size = work->value_bytes;
    host = work->away ? (void *)port_read(port, vector, work->values, size, size, fault)
                      : port_write(port, vector, work->values, size, size, fault);
    if (!host || !sparse_map_elements(work, work->away, fault))
        return NULL;
    port_record_read(port, work->address, work->count * sizeof *work->requests);
    if (work->away)
        port_record_read(port, vector, work->values * size);
    else
        record_elements(work);
    sparse_plan(work);
    sparse_trace_broadcast(work);
    return host;
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
        unsigned char *to =
            sparse_take(work, &share, reduced, reduced ? values : elements * values);
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
    unsigned char *next = work->reduction == ISA_VALUE_REDUCTION_NONE ? to : scratch;
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
    return work->reduction == ISA_VALUE_REDUCTION_NONE ||
           sparse_reduce(work, request->count, values, scratch, to, fault);
}

static bool gather(struct sparse_work *work, unsigned char *vector, struct fault *fault)
{
    unsigned char *scratch = work->reduction == ISA_VALUE_REDUCTION_NONE
                                 ? NULL
                                 : arena_alloc(&work->arena, work->largest);

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

/* ---- supdate ---- */

/* Puts the values of the dense vector into the packets of the units that serve their elements. */
static void split(struct sparse_work *work, const unsigned char *vector)
{
    for (uint64_t i = 0; i < work->count; i++) {
        struct sparse_share share = {0};
        while (sparse_next_share(work, &work->requests[i], &share)) {
            uint64_t bytes = (share.end - share.first) * share.table->element_bytes;
            sparse_copy(&work->type, sparse_take(work, &share, false, bytes / work->type.bytes),
                        vector, bytes);
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
            const unsigned char *from = sparse_take(work, &share, false, bytes / work->type.bytes);
            if (!sparse_fetch(work, &share, to, from, fault))
                return false;
            to += bytes;
        }
    }
    return true;
}

static bool update(struct sparse_work *work, unsigned char *vector, struct fault *fault)
{
    split(work, vector);
    return sparse_carry(work, fault) && write_elements(work, fault);
}

/* ---- the instructions ---- */

/* Executes a gather to the dense vector, or an update from it. */
static bool execute(struct sparse_work *work, uint64_t vector, struct fault *fault)
{
    struct sparse_unit *unit = work->unit;
    unsigned char *host = prepare(work, vector, fault);

    if (!host || !(work->away ? update : gather)(work, host, fault))
        return false;
    sparse_trace(work);
    if (work->away)
        record_elements(work);
    else
        port_record_write(work->port, vector, work->values * work->value_bytes, host);
    sparse_count(work);
    *(work->away ? &unit->state.updates : &unit->state.gathers) += 1;
    unit->operations++;
    unit->state.requests += work->count;
    unit->state.dense_values += work->values;
    return true;
}

static bool start(struct sparse_work work, uint64_t vector, uint64_t *values, struct fault *fault)
{
    if (work.unit->state.tables == 0)
        return fault_set(fault, CAUSE_NO_TABLES, 0);
    bool done = work.count == 0 || execute(&work, vector, fault);
    if (done)
        *values = work.values;
    arena_free(&work.arena);
    return done;
}

#define GATHER(function, how)                                                                      \
    bool function(struct sparse_unit *unit, struct port *port, uint64_t dst, uint64_t req,         \
                  uint64_t nreq, uint64_t *rd, struct fault *fault)                                \
    {                                                                                              \
        struct sparse_work work = {                                                                \
            .unit = unit, .port = port, .reduction = how, .address = req, .count = nreq};          \
                                                                                                   \
        return start(work, dst, rd, fault);                                                        \
    }

GATHER(sparse_gather, ISA_VALUE_REDUCTION_NONE)
GATHER(sparse_gather_sum, ISA_VALUE_REDUCTION_SUM)
GATHER(sparse_gather_max, ISA_VALUE_REDUCTION_MAX)
GATHER(sparse_gather_min, ISA_VALUE_REDUCTION_MIN)
GATHER(sparse_gather_mean, ISA_VALUE_REDUCTION_MEAN)

bool sparse_update(struct sparse_unit *unit, struct port *port, uint64_t src, uint64_t req,
                   uint64_t nreq, struct fault *fault)
{
    struct sparse_work work = {
        .unit = unit, .port = port, .address = req, .count = nreq, .away = true};
    uint64_t values;

    return start(work, src, &values, fault);
}
