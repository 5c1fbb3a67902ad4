/* The cycles of the network with contention, for --timing (timing.md, 5). A packet crosses one link
 * after the other, and a link carries one packet at a time. First come, first served; of packets
 * that come in the same cycle, the one with the longer way goes first, then the one of the lower
 * row, then of the lower column. Fragments do not meet, because each link carries one. */
#include "emu/units/sparse_parts.h"

/* A packet on its way. */
struct packet {
    uint64_t cycle;       /* in which it comes to its next link */
    uint32_t unit, at;    /* its own unit; where it is */
    uint32_t *way, links; /* away from the first unit: the units that it comes to */
    uint32_t done;
};

/* The packets that are not at their ends: a heap, the next one first. */
struct traffic {
    const struct sparse_layout *layout;
    struct packet **heap;
    uint64_t count;
    uint64_t (*free)[2]; /* by unit: from when on the link to its parent, and back, is free */
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t work_time(const struct sparse_work *work, uint32_t unit)
{
    const struct sparse_layout *layout = work->unit->layout;
    uint64_t elements = layout->nodes[unit].elements, fetchers = layout->shape.fetchers;

    return work->unit->times.fetch * (elements / fetchers + (elements % fetchers != 0));
}

static uint64_t link_time(const struct sparse_work *work, uint32_t unit)
{
    const struct sparse_times *times = &work->unit->times;
    uint64_t bytes = work->unit->layout->nodes[unit].packed_bytes;

    return times->hop + bytes / times->link + (bytes % times->link != 0);
}

/* Does a packet go before another one? Units are numbered by row, then column. */
static bool is_before(const struct traffic *traffic, const struct packet *a, const struct packet *b)
{
    uint32_t way_a = traffic->layout->places[a->unit].distance;
    uint32_t way_b = traffic->layout->places[b->unit].distance;

    if (a->cycle != b->cycle)
        return a->cycle < b->cycle;
    return way_a != way_b ? way_a > way_b : a->unit < b->unit;
}

static void push(struct traffic *traffic, struct packet *packet)
{
    uint64_t at = traffic->count++;

    for (; at > 0 && is_before(traffic, packet, traffic->heap[(at - 1) / 2]); at = (at - 1) / 2)
        traffic->heap[at] = traffic->heap[(at - 1) / 2];
    traffic->heap[at] = packet;
}

static struct packet *pop(struct traffic *traffic)
{
    struct packet *first = traffic->heap[0], *last = traffic->heap[--traffic->count];
    uint64_t at = 0;

    for (;;) {
        uint64_t child = 2 * at + 1;
        if (child >= traffic->count)
            break;
        if (child + 1 < traffic->count &&
            is_before(traffic, traffic->heap[child + 1], traffic->heap[child]))
            child++;
        if (!is_before(traffic, traffic->heap[child], last))
            break;
        traffic->heap[at] = traffic->heap[child];
        at = child;
    }
    traffic->heap[at] = last;
    return first;
}

/* Lets a packet cross its next link. */
static void cross(const struct sparse_work *work, struct traffic *traffic, struct packet *packet)
{
    /* The link belongs to the unit that is farther from the first one. */
    uint32_t link = work->away ? packet->way[packet->links - ++packet->done] : packet->at;
    uint64_t *free = &traffic->free[link][work->away];

    packet->at = work->away ? link : traffic->layout->places[link].parent;
    packet->cycle = later(packet->cycle, *free) + link_time(work, packet->unit);
    *free = packet->cycle;
}

/* Lists the units on the way of a packet from its own unit to the first one. */
static void find_way(struct sparse_work *work, struct packet *packet)
{
    const struct sparse_place *places = work->unit->layout->places;
    uint32_t at = packet->unit;

    packet->way = arena_array(&work->arena, places[at].distance + 1, sizeof *packet->way);
    for (; places[at].distance > 0; at = places[at].parent)
        packet->way[packet->links++] = at;
    packet->at = 0;
}

static uint64_t packets_time(struct sparse_work *work)
{
    const struct sparse_layout *layout = work->unit->layout;
    const struct sparse_times *times = &work->unit->times;
    struct traffic traffic = {
        .layout = layout,
        .heap = arena_array(&work->arena, layout->units, sizeof *traffic.heap),
        .free = arena_array(&work->arena, layout->units, sizeof *traffic.free),
    };
    uint64_t last = 0;

    for (uint32_t i = 0; i < layout->visit_count; i++) {
        uint32_t unit = layout->visits[i];
        if (layout->nodes[unit].elements == 0)
            continue;
        struct packet *packet = arena_new(&work->arena, struct packet);
        *packet = (struct packet){.unit = unit, .at = unit};
        if (work->away)
            find_way(work, packet);
        else
            packet->cycle = layout->places[unit].distance * times->hop + work_time(work, unit);
        push(&traffic, packet);
    }
    while (traffic.count > 0) {
        struct packet *packet = pop(&traffic);
        if (packet->at != (work->away ? packet->unit : 0)) {
            cross(work, &traffic, packet);
            push(&traffic, packet);
            continue;
        }
        uint64_t acknowledged = packet->cycle + work_time(work, packet->unit) +
                                layout->places[packet->unit].distance * times->hop;
        last = later(last, work->away ? acknowledged : packet->cycle);
    }
    return last;
}

/* Returns the cycle in which the first unit has all fragments, or of the last acknowledgment. */
static uint64_t fragments_time(struct sparse_work *work)
{
    const struct sparse_layout *layout = work->unit->layout;
    uint64_t *ready = arena_array(&work->arena, layout->units, sizeof *ready);
    uint64_t last = 0, hop = work->unit->times.hop;

    for (uint32_t i = 0; i < layout->visit_count; i++) {
        uint32_t unit = layout->visits[work->away ? i : layout->visit_count - 1 - i];
        const struct sparse_place *place = &layout->places[unit];
        const struct sparse_node *node = &layout->nodes[unit];
        uint64_t own = node->elements > 0 ? work_time(work, unit) : 0;
        if (work->away && node->plain_bytes > 0 && place->distance > 0)
            ready[unit] = ready[place->parent] + link_time(work, unit);
        if (!work->away && node->elements > 0)
            ready[unit] = later(ready[unit], place->distance * hop + own);
        if (!work->away && node->plain_bytes > 0 && place->distance > 0)
            ready[place->parent] = later(ready[place->parent], ready[unit] + link_time(work, unit));
        if (work->away && node->elements > 0)
            last = later(last, ready[unit] + own + place->distance * hop);
    }
    return work->away ? last : ready[0];
}

void sparse_time(struct sparse_work *work)
{
    if (work->unit->times.hop == 0)
        return;
    work->unit->network_cycles =
        work->unit->layout->shape.way == SPARSE_PACKETS ? packets_time(work) : fragments_time(work);
}
