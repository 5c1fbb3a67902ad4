/* Routes through the mesh or torus, what travels on them, and the counters, as isa/xsparse.yaml
 * defines them. The routes are a tree, and the units whose route leads through a unit have
 * consecutive numbers.
 *
 * The values of all units are in one buffer, in order of the units, so that a fragment is a part of
 * it. There are two such buffers, the sides: what leaves from one side arrives at the other. */
#include "emu/units/sparse_parts.h"

#include <string.h>

#define LINK_BYTES 64 /* bytes that a link carries in a cycle */

/* ---- places: rows and columns count from 0 ---- */

/* Returns the links from `at` to 0, and the next position on the way. */
static uint32_t leg(const struct sparse_layout *layout, uint32_t at, uint32_t size, uint32_t *next)
{
    bool goes_round = layout->shape.torus && size - at < at;

    *next = goes_round ? (at + 1) % size : at - (at > 0);
    return goes_round ? size - at : at;
}

/* Enumerates the positions other than 0, each one after its neighbor on the route to 0. */
static uint32_t outward(const struct sparse_layout *layout, uint32_t index, uint32_t size)
{
    uint32_t direct = layout->shape.torus ? size / 2 : size - 1;

    return index <= direct ? index : size - (index - direct);
}

static struct sparse_place place_at(const struct sparse_layout *layout, uint32_t unit)
{
    uint32_t row = unit / layout->shape.columns, column = unit % layout->shape.columns;
    uint32_t next_row, next_column;
    uint32_t distance = leg(layout, row, layout->shape.rows, &next_row) +
                        leg(layout, column, layout->shape.columns, &next_column);

    return (struct sparse_place){
        .row = row,
        .column = column,
        .parent = (column > 0 ? row : next_row) * layout->shape.columns + next_column,
        .distance = distance,
        .first = unit,
        .end = unit + 1,
    };
}

void sparse_build_tree(struct sparse_layout *layout)
{
    uint32_t count = 0;

    for (uint32_t unit = 0; unit < layout->units; unit++)
        layout->places[unit] = place_at(layout, unit);
    for (uint32_t i = 0; i < layout->shape.rows; i++)
        layout->order[count++] = outward(layout, i, layout->shape.rows) * layout->shape.columns;
    for (uint32_t row = 0; row < layout->shape.rows; row++)
        for (uint32_t i = 1; i < layout->shape.columns; i++)
            layout->order[count++] =
                row * layout->shape.columns + outward(layout, i, layout->shape.columns);
    while (--count > 0) {
        const struct sparse_place *place = &layout->places[layout->order[count]];
        struct sparse_place *parent = &layout->places[place->parent];
        parent->first = place->first < parent->first ? place->first : parent->first;
        parent->end = place->end > parent->end ? place->end : parent->end;
    }
}

/* ---- the values of units ---- */

bool sparse_reduces(const struct sparse_work *work, const struct sparse_request *request,
                    const struct sparse_share *share)
{
    return work->reduction != ISA_VALUE_REDUCTION_NONE &&
           share->end - share->first == request->count;
}

static uint32_t unit_of(const struct sparse_work *work, const struct sparse_share *share)
{
    return share->table->row * work->unit->layout->shape.columns + share->column;
}

/* Counts the values of a request; *bytes is the sum of all, and at most UINT64_MAX. */
static void count_values(struct sparse_work *work, const struct sparse_request *request,
                         uint64_t *bytes)
{
    struct sparse_share share = {0};

    while (sparse_next_share(work, request, &share)) {
        struct sparse_node *node = &work->unit->layout->nodes[unit_of(work, &share)];
        bool reduced = sparse_reduces(work, request, &share);
        uint64_t values = (reduced ? 1 : share.end - share.first) * share.table->values;
        node->values[reduced] += values;
        if (__builtin_add_overflow(
                *bytes, values * (reduced ? work->value_bytes : work->type.bytes), bytes))
            *bytes = UINT64_MAX;
    }
}

/* Lists the units to visit; those of the last instruction become empty. */
static void list_visits(const struct sparse_work *work)
{
    struct sparse_layout *layout = work->unit->layout;
    uint32_t others = layout->shape.columns - 1;

    for (uint32_t i = 0; i < layout->visit_count; i++)
        layout->nodes[layout->visits[i]] = (struct sparse_node){0};
    memset(layout->busy, 0, layout->shape.rows * sizeof *layout->busy);
    for (uint64_t i = 0; i < work->count; i++)
        layout->busy[layout->tables[work->requests[i].table].row] = true;
    layout->visit_count = layout->shape.rows;
    memcpy(layout->visits, layout->order, layout->visit_count * sizeof *layout->visits);
    for (uint32_t row = 0; row < layout->shape.rows; row++) {
        if (!layout->busy[row])
            continue;
        memcpy(layout->visits + layout->visit_count,
               layout->order + layout->shape.rows + row * others, others * sizeof *layout->visits);
        layout->visit_count += others;
    }
}

void sparse_plan(struct sparse_work *work)
{
    const struct sparse_layout *layout = work->unit->layout;
    struct sparse_node *nodes = layout->nodes;
    uint64_t values[2] = {0}, bytes = 0, offset = 0;

    list_visits(work);
    for (uint64_t i = 0; i < work->count; i++)
        count_values(work, &work->requests[i], &bytes);
    for (uint32_t unit = 0; unit < layout->units;) {
        struct sparse_node *node = &nodes[unit];
        values[0] += node->values[0];
        values[1] += node->values[1];
        node->offset = offset;
        offset += node->values[0] * work->type.bytes + node->values[1] * work->value_bytes;
        uint32_t row = layout->places[unit].row;
        unit = layout->busy[row] ? unit + 1 : (row + 1) * layout->shape.columns;
    }
    nodes[layout->units].offset = offset;
    uint64_t limit = sparse_packet_limit(values[0] + values[1], bytes);
    work->side[0] = sparse_scratch(work->unit, bytes, limit);
    work->side[1] = work->side[0] + bytes;
    work->packet = work->side[1] + bytes;
    work->packet_limit = limit;
    work->run_size = values[1] == 0 ? work->type.bytes : work->value_bytes;
    if (values[0] > 0 && values[1] > 0 && work->type.bytes != work->value_bytes) {
        work->run_size = 0;
        work->runs = arena_array(&work->arena, layout->units, 2 * sizeof *work->runs);
    }
}

/* Returns the side on which a unit's values are. With fragments, a unit at distance d from the
 * first one sends from side d + 1 to side d (or receives in reverse), modulo 2. */
static unsigned char *side_of(const struct sparse_work *work, uint32_t unit)
{
    const struct sparse_layout *layout = work->unit->layout;
    uint32_t distance = layout->places[unit].distance;

    if (layout->shape.way == SPARSE_MERGE && work->arrived == work->away)
        return work->side[(distance + !work->away) % 2];
    return work->side[work->arrived];
}

unsigned char *sparse_take(struct sparse_work *work, const struct sparse_share *share, bool reduced,
                           uint64_t values)
{
    uint32_t unit = unit_of(work, share);
    struct sparse_node *node = &work->unit->layout->nodes[unit];
    unsigned char *at = side_of(work, unit) + node->offset;

    at += reduced ? node->values[0] * work->type.bytes + node->taken[1] * work->value_bytes
                  : node->taken[0] * work->type.bytes;
    node->taken[reduced] += values;
    return at;
}

/* ---- links ---- */

/* Lists the runs of the values of units `first` to `end` - 1 on a side. */
static uint32_t list_runs(const struct sparse_work *work, struct sparse_run *runs,
                          unsigned char *side, uint32_t first, uint32_t end)
{
    const struct sparse_node *nodes = work->unit->layout->nodes;
    uint32_t count = 0;

    if (work->run_size) {
        uint64_t bytes = nodes[end].offset - nodes[first].offset;
        *runs =
            (struct sparse_run){side + nodes[first].offset, bytes / work->run_size, work->run_size};
        return 1;
    }
    for (uint32_t unit = first; unit < end; unit++) {
        const struct sparse_node *node = &nodes[unit];
        unsigned char *at = side + node->offset;
        if (node->values[0] > 0)
            runs[count++] = (struct sparse_run){at, node->values[0], work->type.bytes};
        if (node->values[1] > 0)
            runs[count++] = (struct sparse_run){at + node->values[0] * work->type.bytes,
                                                node->values[1], work->value_bytes};
    }
    return count;
}

/* Sends the values of some units, as one packet, which belongs to `unit`, from one side to the
 * other. */
static bool send(struct sparse_work *work, uint32_t unit, uint32_t first, uint32_t end,
                 uint32_t from, struct fault *fault)
{
    const struct sparse_unit *owner = work->unit;
    struct sparse_node *nodes = owner->layout->nodes, *node = &nodes[unit];
    struct sparse_run single, *runs = work->run_size ? &single : work->runs;

    node->plain_bytes = nodes[end].offset - nodes[first].offset;
    memset(node->taken, 0, sizeof node->taken);
    uint32_t count = list_runs(work, runs, work->side[from], first, end);
    node->packed_bytes = sparse_pack(work->packet, runs, count, node->plain_bytes);
    if (owner->disturb) {
        /* Damaged bits may claim more values than there are. */
        memset(work->packet + node->packed_bytes, 0, work->packet_limit - node->packed_bytes);
        owner->disturb(owner->disturber, unit, work->packet, node->packed_bytes);
    }
    count = list_runs(work, runs, work->side[!from], first, end);
    sparse_unpack(work->packet, node->packed_bytes, runs, count, node->plain_bytes);
    return sparse_in_time(work, node->plain_bytes, fault);
}

bool sparse_carry(struct sparse_work *work, struct fault *fault)
{
    const struct sparse_layout *layout = work->unit->layout;
    bool merge = layout->shape.way == SPARSE_MERGE;

    for (uint32_t i = merge; i < layout->visit_count; i++) {
        uint32_t unit = layout->visits[merge && !work->away ? layout->visit_count - i : i];
        const struct sparse_place *place = &layout->places[unit];
        uint32_t first = merge ? place->first : unit, end = merge ? place->end : unit + 1;
        if (layout->nodes[first].offset < layout->nodes[end].offset &&
            !send(work, unit, first, end, merge ? (place->distance + 1) % 2 : 0, fault))
            return false;
    }
    memset(layout->nodes[0].taken, 0, sizeof layout->nodes[0].taken);
    work->arrived = true;
    return true;
}

/* ---- the trace ---- */

static struct port_place shown(const struct sparse_place *place)
{
    return (struct port_place){place->row + 1, place->column + 1};
}

/* Records the link between a unit and its parent. */
static void record_link(const struct sparse_work *work, const char *name, uint32_t owner,
                        uint32_t unit, bool away, uint64_t bytes)
{
    const struct sparse_place *places = work->unit->layout->places;
    const struct port_place here = shown(&places[unit]), next = shown(&places[places[unit].parent]);

    port_record_hop(work->port, UNIT_sparse, name, shown(&places[owner]), away ? next : here,
                    away ? here : next, bytes);
}

void sparse_trace_broadcast(struct sparse_work *work)
{
    const struct sparse_layout *layout = work->unit->layout;

    if (!work->port->trace_hops)
        return;
    for (uint32_t i = 1; i < layout->units; i++)
        record_link(work, "request", 0, layout->order[i], true,
                    work->count * sizeof *work->requests);
}

/* Records the links of a packet to or from its unit, in the order in which it crosses them. */
static void record_route(const struct sparse_work *work, uint32_t owner, uint64_t bytes)
{
    const struct sparse_place *places = work->unit->layout->places;
    uint32_t links = places[owner].distance;

    for (uint32_t i = 0; i < links; i++) {
        uint32_t unit = owner;
        for (uint32_t back = work->away ? links - 1 - i : i; back > 0; back--)
            unit = places[unit].parent;
        record_link(work, work->away ? "update" : "answer", owner, unit, work->away, bytes);
    }
}

static void trace_packet(const struct sparse_work *work, uint32_t unit)
{
    const struct sparse_layout *layout = work->unit->layout;
    const struct sparse_node *node = &layout->nodes[unit];
    const struct port_place place = shown(&layout->places[unit]);

    if (node->plain_bytes == 0)
        return;
    port_record_state(work->port, UNIT_sparse, "plain", place.row, (int)place.column,
                      node->plain_bytes);
    port_record_state(work->port, UNIT_sparse, "packet", place.row, (int)place.column,
                      node->packed_bytes);
    if (layout->shape.way == SPARSE_PACKETS)
        record_route(work, unit, node->packed_bytes);
    else
        record_link(work, work->away ? "update" : "answer", unit, unit, work->away,
                    node->packed_bytes);
}

void sparse_trace(struct sparse_work *work)
{
    const struct sparse_layout *layout = work->unit->layout;
    bool merge = layout->shape.way == SPARSE_MERGE;

    if (!work->port->trace_hops)
        return;
    for (uint32_t i = merge; i < layout->visit_count; i++)
        trace_packet(work, layout->visits[merge && !work->away ? layout->visit_count - i : i]);
}

/* ---- counters ---- */

static uint64_t round_up(uint64_t amount, uint64_t unit)
{
    return amount / unit + (amount % unit != 0);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t work_time(const struct sparse_layout *layout, const struct sparse_node *node)
{
    return round_up(node->elements, layout->shape.fetchers);
}

/* Returns the cycles until the last packet has arrived. */
static uint64_t packets_time(const struct sparse_layout *layout)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < layout->visit_count; i++) {
        const struct sparse_node *node = &layout->nodes[layout->visits[i]];
        uint64_t hops = layout->places[layout->visits[i]].distance;
        if (node->elements > 0)
            longest = later(longest, 2 * hops + work_time(layout, node) +
                                         hops * round_up(node->packed_bytes, LINK_BYTES));
    }
    return longest;
}

static uint64_t fragment_time(const struct sparse_node *node)
{
    return 1 + round_up(node->packed_bytes, LINK_BYTES);
}

/* Returns the cycle in which the first unit has all fragments. */
static uint64_t merge_time(const struct sparse_layout *layout)
{
    for (uint32_t i = layout->visit_count; i-- > 0;) {
        uint32_t unit = layout->visits[i];
        struct sparse_node *node = &layout->nodes[unit];
        struct sparse_node *parent = &layout->nodes[layout->places[unit].parent];
        if (node->elements > 0)
            node->ready =
                later(node->ready, layout->places[unit].distance + work_time(layout, node));
        if (node->plain_bytes > 0)
            parent->ready = later(parent->ready, node->ready + fragment_time(node));
    }
    return layout->nodes[0].ready;
}

/* Returns the cycle of the last acknowledgment of an update with fragments. */
static uint64_t spread_time(const struct sparse_layout *layout)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < layout->visit_count; i++) {
        const struct sparse_place *place = &layout->places[layout->visits[i]];
        struct sparse_node *node = &layout->nodes[layout->visits[i]];
        if (node->plain_bytes > 0)
            node->ready = layout->nodes[place->parent].ready + fragment_time(node);
        if (node->elements > 0)
            longest = later(longest, node->ready + work_time(layout, node) + place->distance);
    }
    return longest;
}

/* Counts what crosses each link. A packet crosses the links of all units on its route, so the bytes
 * of a unit are added to those of its parent. */
static void count_links(const struct sparse_work *work, struct sparse_traffic *traffic)
{
    const struct sparse_layout *layout = work->unit->layout;

    for (uint32_t i = layout->visit_count; --i > 0;) {
        uint32_t number = layout->visits[i];
        const struct sparse_place *place = &layout->places[number];
        const struct sparse_node *node = &layout->nodes[number];
        struct sparse_node *parent = &layout->nodes[place->parent];
        struct sparse_load *load = &layout->loads[number][work->away];
        if (node->plain_bytes == 0)
            continue;
        load->bytes += node->plain_bytes;
        load->compressed_bytes += node->packed_bytes;
        traffic->bytes += node->plain_bytes;
        traffic->compressed_bytes += node->packed_bytes;
        if (layout->shape.way == SPARSE_PACKETS) {
            traffic->hops += node->elements > 0 ? place->distance : 0;
            parent->plain_bytes += node->plain_bytes;
            parent->packed_bytes += node->packed_bytes;
        } else {
            traffic->hops++;
        }
    }
}

void sparse_set_traffic(struct sparse_unit *unit, struct port *port,
                        const struct sparse_traffic *traffic)
{
    struct sparse_state *state = &unit->state;

    sparse_change_link_crossings(state, port, traffic->hops);
    sparse_change_link_cycles(state, port, traffic->cycles);
    sparse_change_link_bytes(state, port, traffic->bytes);
    sparse_change_link_compressed(state, port, traffic->compressed_bytes);
}

void sparse_count(struct sparse_work *work)
{
    struct sparse_state *state = &work->unit->state;
    const struct sparse_layout *layout = work->unit->layout;
    struct sparse_traffic traffic = {
        .hops = layout->units - 1,
        .cycles = layout->shape.way == SPARSE_PACKETS ? packets_time(layout)
                  : work->away                        ? spread_time(layout)
                                                      : merge_time(layout),
    };

    sparse_time(work);
    count_links(work, &traffic);
    state->hops += traffic.hops;
    state->cycles += traffic.cycles;
    state->bytes += traffic.bytes;
    state->compressed_bytes += traffic.compressed_bytes;
    sparse_set_traffic(work->unit, work->port,
                       &(const struct sparse_traffic){
                           state->link_crossings + traffic.hops,
                           state->link_cycles + traffic.cycles, state->link_bytes + traffic.bytes,
                           state->link_compressed + traffic.compressed_bytes});
}
