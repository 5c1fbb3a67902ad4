/* Requests: the elements that an instruction asks for, and the units that serve them. */
#include "emu/units/sparse_parts.h"

#include <string.h>

_Static_assert(sizeof(struct sparse_request) == 16, "the structure is the layout in memory");

uint64_t sparse_request_bytes(const struct sparse_work *work, const struct sparse_request *request)
{
    return request->count * work->unit->layout->tables[request->table].element_bytes;
}

uint64_t sparse_request_values(const struct sparse_work *work, const struct sparse_request *request)
{
    const struct sparse_table *table = &work->unit->layout->tables[request->table];

    return work->reduction == ISA_VALUE_REDUCTION_NONE ? request->count * table->values
                                                       : table->values;
}

/* `first` may be the number of elements of the table if the count is 0. */
static bool check_request(const struct sparse_work *work, const struct sparse_request *request,
                          struct fault *fault)
{
    const struct sparse_layout *layout = work->unit->layout;

    if (request->table >= layout->shape.tables)
        return fault_set(fault, CAUSE_SPARSE_TABLE, request->table);
    const struct sparse_table *table = &layout->tables[request->table];
    if (table->type_code != layout->tables[work->requests[0].table].type_code)
        return fault_set(fault, CAUSE_SPARSE_TYPE, request->table);
    if (request->first > table->elements)
        return fault_set(fault, CAUSE_SPARSE_ELEMENT, request->first);
    if (request->count > table->elements - request->first)
        return fault_set(fault, CAUSE_SPARSE_COUNT, request->count);
    return request->reserved == 0 || fault_set(fault, CAUSE_SPARSE_REQUEST, request->reserved);
}

static bool copy_list(struct sparse_work *work, struct fault *fault)
{
    uint64_t bytes;
    const void *host;

    if (__builtin_mul_overflow(work->count, sizeof *work->requests, &bytes))
        return fault_set(fault, CAUSE_SPARSE_SIZE, work->count);
    host = port_read(work->port, work->address, work->count, sizeof *work->requests,
                     sizeof work->requests->table, fault);
    if (!host)
        return false;
    work->requests = arena_alloc(&work->arena, bytes);
    memcpy(work->requests, host, bytes);
    return true;
}

bool sparse_read_requests(struct sparse_work *work, struct fault *fault)
{
    if (!copy_list(work, fault))
        return false;
    for (uint64_t i = 0; i < work->count; i++) {
        const struct sparse_request *request = &work->requests[i];
        if (!check_request(work, request, fault) || !sparse_in_time(work, sizeof *request, fault))
            return false;
        if (sparse_request_bytes(work, request) > work->largest)
            work->largest = sparse_request_bytes(work, request);
        if (__builtin_add_overflow(work->values, sparse_request_values(work, request),
                                   &work->values))
            return fault_set(fault, CAUSE_SPARSE_SIZE, work->count);
    }
    work->type = work->unit->layout->tables[work->requests[0].table].type;
    work->value_bytes =
        work->reduction == ISA_VALUE_REDUCTION_NONE ? work->type.bytes : sizeof(uint32_t);
    return true;
}

bool sparse_map_elements(struct sparse_work *work, bool write, struct fault *fault)
{
    work->elements = arena_array(&work->arena, work->count, sizeof *work->elements);
    for (uint64_t i = 0; i < work->count; i++) {
        const struct sparse_request *request = &work->requests[i];
        const struct sparse_table *table = &work->unit->layout->tables[request->table];
        uint64_t address = table->base + request->first * table->element_bytes;
        uint64_t bytes = sparse_request_bytes(work, request);
        void *host = write ? port_write(work->port, address, bytes, 1, 1, fault)
                           : (void *)port_read(work->port, address, bytes, 1, 1, fault);
        if (!host)
            return false;
        work->elements[i] = host;
    }
    return true;
}

bool sparse_next_share(const struct sparse_work *work, const struct sparse_request *request,
                       struct sparse_share *share)
{
    const struct sparse_table *table = &work->unit->layout->tables[request->table];
    uint64_t end = (uint64_t)request->first + request->count;
    uint64_t first = share->table ? share->end : request->first;

    if (first >= end)
        return false;
    for (uint32_t after = work->unit->layout->shape.columns; after - share->column > 1;) {
        uint32_t middle = share->column + (after - share->column) / 2;
        if (table->column_first[middle] <= first)
            share->column = middle;
        else
            after = middle;
    }
    share->table = table;
    share->first = first;
    share->end = table->column_first[share->column + 1];
    if (share->end > end)
        share->end = end;
    return true;
}
