/* See ranges.h. */
#include "lib/timing/ranges.h"
#include <stdlib.h>

static int compare_spans(const void *a, const void *b)
{
    const struct span *left = a, *right = b;

    return (left->first > right->first) - (left->first < right->first);
}

static bool make_room(struct spans *spans, size_t count)
{
    if (count <= spans->capacity)
        return true;
    struct span *items = reallocarray(spans->items, count, sizeof *items);
    if (!items)
        return false;
    spans->items = items;
    spans->capacity = count;
    return true;
}

/* Sorts the spans and joins those that overlap or touch. */
static void normalize(struct spans *spans)
{
    size_t kept = 0;

    if (spans->count < 2)
        return;
    qsort(spans->items, spans->count, sizeof *spans->items, compare_spans);
    for (size_t i = 1; i < spans->count; i++) {
        struct span *last = &spans->items[kept];
        if (spans->items[i].first > last->last && spans->items[i].first - last->last > 1)
            spans->items[++kept] = spans->items[i];
        else if (spans->items[i].last > last->last)
            last->last = spans->items[i].last;
    }
    spans->count = kept + 1;
}

bool footprint_set(struct footprint *footprint, const struct range *ranges, size_t count,
                   uint64_t granule)
{
    footprint->reads.count = footprint->writes.count = 0;
    if (!make_room(&footprint->reads, count) || !make_room(&footprint->writes, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct spans *spans = ranges[i].is_write ? &footprint->writes : &footprint->reads;
        if (ranges[i].length == 0)
            continue;
        spans->items[spans->count++] = (struct span){
            ranges[i].address / granule, (ranges[i].address + ranges[i].length - 1) / granule};
    }
    normalize(&footprint->reads);
    normalize(&footprint->writes);
    return true;
}

void footprint_free(struct footprint *footprint)
{
    free(footprint->reads.items);
    free(footprint->writes.items);
    *footprint = (struct footprint){0};
}

static bool overlap(const struct spans *a, const struct spans *b)
{
    size_t i = 0, k = 0;

    while (i < a->count && k < b->count) {
        if (a->items[i].last < b->items[k].first)
            i++;
        else if (b->items[k].last < a->items[i].first)
            k++;
        else
            return true;
    }
    return false;
}

unsigned footprint_conflicts(const struct footprint *younger, const struct footprint *older)
{
    return (overlap(&younger->reads, &older->writes) ? CONFLICT_RAW : 0u) |
           (overlap(&younger->writes, &older->writes) ? CONFLICT_WAW : 0u) |
           (overlap(&younger->writes, &older->reads) ? CONFLICT_WAR : 0u);
}
