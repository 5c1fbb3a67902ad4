/* What has crossed the links of the network, over all configurations, and the memory of the values
 * that are on their way. */
#include "emu/units/sparse_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *sparse_resize(void *block, uint64_t old, uint64_t bytes)
{
    block = realloc(block, bytes);
    if (!block) {
        fprintf(stderr, "temu: error: out of memory for %" PRIu64 " bytes of the sparse unit\n",
                bytes);
        exit(1);
    }
    if (bytes > old)
        memset((char *)block + old, 0, bytes - old);
    return block;
}

unsigned char *sparse_scratch(struct sparse_unit *unit, uint64_t side, uint64_t packet)
{
    uint64_t bytes = side < UINT64_MAX / 4 ? 2 * side + packet : UINT64_MAX;

    if (bytes > unit->scratch_bytes) {
        unit->scratch = sparse_resize(unit->scratch, unit->scratch_bytes, bytes);
        unit->scratch_bytes = bytes;
    }
    return unit->scratch;
}

static int compare_places(struct port_place a, struct port_place b)
{
    return a.row != b.row         ? (a.row < b.row ? -1 : 1)
           : a.column != b.column ? (a.column < b.column ? -1 : 1)
                                  : 0;
}

static int compare_links(const void *left, const void *right)
{
    const struct sparse_link *a = left, *b = right;
    int from = compare_places(a->from, b->from);

    return from ? from : compare_places(a->to, b->to);
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
    size_t kept_bytes = unit->kept_count * sizeof *unit->kept;
    unit->kept = sparse_resize(unit->kept, kept_bytes,
                               kept_bytes + 2 * (size_t)layout->units * sizeof *unit->kept);
    for (uint32_t i = 0; i < layout->units; i++) {
        const struct sparse_place *place = &layout->places[i],
                                  *next = &layout->places[place->parent];
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
