/* Descriptors of networks and lists of requests for the sparse unit, most of which it accepts. */
#ifndef TESTS_DEFINITIONS_SPARSE_CASES_H
#define TESTS_DEFINITIONS_SPARSE_CASES_H

#include "emu/machine.h"
#include <stdint.h>
#include <string.h>

struct sparse_case {
    uint64_t (*draw_below)(void *context, uint64_t limit);
    void *context;
    unsigned char bytes[512];
    size_t length;
};

static inline void sparse_put(struct sparse_case *list, uint64_t value, size_t size)
{
    memcpy(list->bytes + list->length, &value, size);
    list->length += size;
}

static inline uint64_t sparse_draw(struct sparse_case *list, uint64_t limit)
{
    return list->draw_below(list->context, limit);
}

/* Divides the things among the parts. */
static inline void sparse_partition(struct sparse_case *list, uint64_t parts, uint64_t total)
{
    uint64_t at = 0;

    for (uint64_t i = 0; i <= parts; i++) {
        sparse_put(list, i == parts ? total : at, 4);
        at += sparse_draw(list, total - at + 1);
    }
    list->length = (list->length + 7) / 8 * 8;
}

/* Writes a descriptor of a small network, with tables from these addresses on. A part of the
 * descriptors have a mistake. */
static inline void sparse_network(struct sparse_case *list, uint64_t memory, uint64_t scratchpad)
{
    uint64_t rows = 1 + sparse_draw(list, 5), columns = 1 + sparse_draw(list, 5);
    uint64_t tables = 1 + sparse_draw(list, 4), type = sparse_draw(list, ISA_ELEMENT_LIMIT);
    uint64_t places[] = {memory, scratchpad};

    *list = (struct sparse_case){list->draw_below, list->context, {0}, 0};
    sparse_put(list, sparse_draw(list, 2), 1);
    sparse_put(list, sparse_draw(list, 2), 1);
    sparse_put(list, rows, 2);
    sparse_put(list, columns, 2);
    sparse_put(list, 1 + sparse_draw(list, 3), 2);
    sparse_put(list, tables, 4);
    sparse_put(list, 0, 4);
    sparse_partition(list, rows, tables);
    for (uint64_t i = 0; i < tables; i++) {
        uint64_t *place = &places[sparse_draw(list, 2)], elements = sparse_draw(list, 8);
        uint64_t height = 1 + sparse_draw(list, 3), width = 1 + sparse_draw(list, 3);
        if (sparse_draw(list, 64) == 0) {
            height = sparse_draw(list, UINT64_C(1) << 32);
            elements = sparse_draw(list, UINT64_C(1) << 32);
            width <<= sparse_draw(list, 30);
        }
        sparse_put(list, *place, 8);
        sparse_put(list, height, 4);
        sparse_put(list, width, 4);
        sparse_put(list, sparse_draw(list, 16) ? type : sparse_draw(list, ISA_ELEMENT_LIMIT), 4);
        sparse_put(list, elements, 4);
        *place += (height * width * elements * 4 + 7) / 8 * 8;
        sparse_partition(list, columns, elements);
    }
    if (sparse_draw(list, 3) == 0)
        list->bytes[sparse_draw(list, list->length)] = (unsigned char)sparse_draw(list, 9);
    if (sparse_draw(list, 8) == 0)
        memset(list->bytes + sparse_draw(list, list->length / 8) * 8, 0xff, 4);
}

/* Writes up to five requests for the tables that the unit has. Returns their number. */
static inline uint64_t sparse_requests(struct sparse_case *list, struct sparse_unit *unit)
{
    uint64_t count = sparse_draw(list, 6);

    list->length = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t table =
            sparse_draw(list, unit->state.tables + !sparse_draw(list, 32) + !unit->state.tables);
        uint64_t elements = sparse_table(unit, table)->elements + !sparse_draw(list, 32);
        uint64_t first = sparse_draw(list, elements + 1);
        sparse_put(list, table, 4);
        sparse_put(list, first, 4);
        sparse_put(list, sparse_draw(list, elements - first + 1), 4);
        sparse_put(list, sparse_draw(list, 64) == 0, 4);
    }
    return count;
}

#endif
