/* Routes through the mesh or torus, the packets on them, and the counters (machine.md, 5).
 *
 * The request list goes from the first unit down the first column and along each row, so it crosses
 * one link to each of the other units. An answer goes along its row to the first column, then up.
 * The values of an update take the same route in reverse. On a torus, each of the two legs takes
 * the shorter direction, or the direct one if both are equally long.
 *
 * A unit that served any elements has one packet. The packet holds all values, or, if that is
 * smaller, a bitmap of one bit for each value, rounded up to bytes, and the values that are not 0.
 */
#include "emu/units/sparse_parts.h"

#include <string.h>

#define LINK_BYTES 64 /* bytes that a link carries in a cycle */

/* ---- places: rows and columns count from 0 ---- */

/* Does the route from `at` to 0 wrap around over `size - 1`? */
static bool goes_round(const struct sparse_layout *layout, uint32_t at, uint32_t size)
{
    return layout->torus && size - at < at;
}

static uint32_t distance(const struct sparse_layout *layout, uint32_t at, uint32_t size)
{
    return goes_round(layout, at, size) ? size - at : at;
}

static uint32_t step(const struct sparse_layout *layout, uint32_t at, uint32_t size)
{
    return goes_round(layout, at, size) ? (at + 1) % size : at - 1;
}

/* Enumerates the positions other than 0, each one after its neighbor on the route to 0. */
static uint32_t outward(const struct sparse_layout *layout, uint32_t index, uint32_t size)
{
    uint32_t direct = layout->torus ? size / 2 : size - 1;

    return index <= direct ? index : size - (index - direct);
}

/* Returns d(r,c), the number of links to the first unit. */
static uint64_t hops_of(const struct sparse_layout *layout, uint32_t row, uint32_t column)
{
    return (uint64_t)distance(layout, row, layout->rows) +
           distance(layout, column, layout->columns);
}

/* Returns the neighbor on the route to the first unit: along the row, then up. */
static struct port_place toward_first(const struct sparse_layout *layout, struct port_place place)
{
    if (place.column > 0)
        place.column = step(layout, place.column, layout->columns);
    else
        place.row = step(layout, place.row, layout->rows);
    return place;
}

/* ---- packets ---- */

static struct sparse_node *node_at(const struct sparse_layout *layout, uint32_t row,
                                   uint32_t column)
{
    return &layout->nodes[(uint64_t)row * layout->columns + column];
}

static uint64_t packet_bytes(const struct sparse_node *node)
{
    uint64_t packed = (node->values + 7) / 8 + node->nonzero_bytes;

    return packed < node->plain_bytes ? packed : node->plain_bytes;
}

void sparse_begin_packets(struct sparse_work *work)
{
    const struct sparse_layout *layout = work->unit->layout;

    memset(layout->nodes, 0, (size_t)layout->rows * layout->columns * sizeof *layout->nodes);
}

void sparse_pack(struct sparse_work *work, const struct sparse_share *share,
                 const unsigned char *values, uint64_t count, uint32_t value_bytes)
{
    struct sparse_node *node = node_at(work->unit->layout, share->table->row, share->column);
    uint64_t nonzero = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits = 0;
        memcpy(&bits, values + i * value_bytes, value_bytes);
        nonzero += bits != 0;
    }
    node->values += count;
    node->plain_bytes += count * value_bytes;
    node->nonzero_bytes += nonzero * value_bytes;
}

/* ---- the trace ---- */

/* As in the specification, rows and columns in a trace are counted from 1. */
static void record_link(const struct sparse_work *work, const char *name, struct port_place owner,
                        struct port_place from, struct port_place to, uint64_t bytes)
{
    owner.row++, owner.column++;
    from.row++, from.column++;
    to.row++, to.column++;
    port_record_hop(work->port, "sparse", name, owner, from, to, bytes);
}

static void record_broadcast_to(const struct sparse_work *work, struct port_place place)
{
    const struct port_place first = {0, 0};

    record_link(work, "request", first, toward_first(work->unit->layout, place), place,
                work->count * sizeof *work->requests);
}

void sparse_trace_broadcast(struct sparse_work *work)
{
    const struct sparse_layout *layout = work->unit->layout;

    if (!work->port->trace_hops)
        return;
    for (uint32_t i = 1; i < layout->rows; i++)
        record_broadcast_to(work, (struct port_place){outward(layout, i, layout->rows), 0});
    for (uint32_t row = 0; row < layout->rows; row++)
        for (uint32_t i = 1; i < layout->columns; i++)
            record_broadcast_to(work,
                                (struct port_place){row, outward(layout, i, layout->columns)});
}

/* Records the links of one packet from its unit to the first one, in order. */
static void record_answer(const struct sparse_work *work, struct port_place owner, uint64_t bytes)
{
    for (struct port_place at = owner, next; at.row > 0 || at.column > 0; at = next) {
        next = toward_first(work->unit->layout, at);
        record_link(work, "answer", owner, at, next, bytes);
    }
}

/* Records the same links in reverse: down first, then along the row. */
static void record_delivery(const struct sparse_work *work, struct port_place owner, uint64_t bytes)
{
    const struct sparse_layout *layout = work->unit->layout;
    uint64_t hops = hops_of(layout, owner.row, owner.column);

    for (uint64_t left = hops; left > 0; left--) {
        struct port_place to = owner;
        for (uint64_t i = 1; i < left; i++)
            to = toward_first(layout, to);
        record_link(work, "update", owner, toward_first(layout, to), to, bytes);
    }
}

void sparse_trace_packets(struct sparse_work *work, bool to_first)
{
    const struct sparse_layout *layout = work->unit->layout;

    if (!work->port->trace_hops)
        return;
    for (uint32_t row = 0; row < layout->rows; row++) {
        for (uint32_t column = 0; column < layout->columns; column++) {
            const struct sparse_node *node = node_at(layout, row, column);
            const struct port_place owner = {row, column};
            if (node->elements == 0)
                continue;
            port_record_state(work->port, "sparse", "plain", row + 1, (int)column + 1,
                              node->plain_bytes);
            port_record_state(work->port, "sparse", "packet", row + 1, (int)column + 1,
                              packet_bytes(node));
            if (to_first)
                record_answer(work, owner, packet_bytes(node));
            else
                record_delivery(work, owner, packet_bytes(node));
        }
    }
}

/* ---- counters ---- */

static uint64_t round_up(uint64_t amount, uint64_t unit)
{
    return amount / unit + (amount % unit != 0);
}

/* Counts one packet; returns the cycles until it has arrived. */
static uint64_t count_packet(struct sparse_unit *unit, const struct sparse_node *node,
                             uint64_t hops)
{
    unit->hops += hops;
    unit->bytes += hops * node->plain_bytes;
    unit->compressed_bytes += hops * packet_bytes(node);
    return 2 * hops + round_up(node->elements, unit->layout->fetchers) +
           hops * round_up(packet_bytes(node), LINK_BYTES);
}

void sparse_count_packets(struct sparse_work *work)
{
    struct sparse_unit *unit = work->unit;
    const struct sparse_layout *layout = unit->layout;
    uint64_t longest = 0;

    for (uint32_t row = 0; row < layout->rows; row++) {
        for (uint32_t column = 0; column < layout->columns; column++) {
            const struct sparse_node *node = node_at(layout, row, column);
            if (node->elements == 0)
                continue;
            uint64_t cycles = count_packet(unit, node, hops_of(layout, row, column));
            longest = cycles > longest ? cycles : longest;
            unit->elements += node->elements;
        }
    }
    unit->hops += (uint64_t)layout->rows * layout->columns - 1;
    unit->cycles += longest;
    port_record_value(work->port, "sparse", "hops", unit->hops);
    port_record_value(work->port, "sparse", "cycles", unit->cycles);
    port_record_value(work->port, "sparse", "bytes", unit->bytes);
    port_record_value(work->port, "sparse", "compressed", unit->compressed_bytes);
}
