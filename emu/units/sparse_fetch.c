/* The k fetch processors of an element access unit.
 *
 * A processor takes the next element when it is free and finishes it some cycles later, as memory
 * latency varies; the machine configuration has the seed of that. Of those that finish in the same
 * cycle, the one that began first comes first. */
#include "emu/units/sparse_parts.h"

#include <string.h>

#define LATENCIES 16        /* a fetch takes 1 to LATENCIES cycles */
#define PATIENCE  (1 << 24) /* bytes between two checks of the deadline */

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
    uint64_t value = *state += UINT64_C(0x9e3779b97f4a7c15);

    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* Returns a seed that differs for every share of every instruction. */
static uint64_t share_seed(const struct sparse_work *work, const struct sparse_share *share,
                           const struct sparse_node *node)
{
    uint64_t state = draw(&(uint64_t){work->unit->seed}) ^ work->unit->operations;

    state = draw(&state) ^ ((uint64_t)share->table->row << 32 | share->column);
    return draw(&state) ^ node->elements;
}

bool sparse_in_time(struct sparse_work *work, uint64_t bytes, struct fault *fault)
{
    const struct port *port = work->port;

    work->patience += bytes;
    if (work->patience < PATIENCE || !port->expired)
        return true;
    work->patience = 0;
    return !port->expired(port->clock) || fault_set(fault, CAUSE_DEADLINE, 0);
}

void sparse_copy(const struct element_type *type, unsigned char *to, const unsigned char *from,
                 uint64_t bytes)
{
    memcpy(to, from, bytes);
    for (uint64_t i = 0; type->bits < 8 * type->bytes && i < bytes / type->bytes; i++)
        element_store(type, to, i, element_load(type, from, i));
}

/* The elements of a share that are being fetched, and their destination. */
struct transfer {
    struct sparse_work *work;
    const struct sparse_share *share;
    unsigned char *to;
    const unsigned char *from;
    struct fault *fault;
};

static bool arrive(const struct transfer *transfer, uint64_t element)
{
    const struct sparse_table *table = transfer->share->table;
    uint64_t offset = (element - transfer->share->first) * table->element_bytes;

    sparse_copy(&table->type, transfer->to + offset, transfer->from + offset, table->element_bytes);
    if (transfer->work->port->trace_hops)
        port_record_state(transfer->work->port, UNIT_sparse, "fetch", table->row + 1,
                          (int)transfer->share->column + 1,
                          table->base + element * table->element_bytes);
    return sparse_in_time(transfer->work, table->element_bytes, transfer->fault);
}

/* The fetches that arrive in one cycle, in the order in which they began. That is also the order of
 * their elements, since the elements of a share are fetched one after another. */
struct arrivals {
    struct sparse_fetch *first, *last; /* if first is NULL, there is none, and no last one */
};

/* The fetches in flight arrive in the next LATENCIES cycles. */
struct flight {
    struct arrivals cycles[LATENCIES + 1]; /* by cycle % (LATENCIES + 1) */
    uint64_t now, random;
};

static void begin_fetch(struct flight *flight, struct sparse_fetch *fetch, uint64_t element)
{
    uint64_t arrival = flight->now + 1 + draw(&flight->random) % LATENCIES;
    struct arrivals *arrivals = &flight->cycles[arrival % (LATENCIES + 1)];

    *fetch = (struct sparse_fetch){.element = element};
    if (arrivals->first)
        arrivals->last->next = fetch;
    else
        arrivals->first = fetch;
    arrivals->last = fetch;
}

bool sparse_fetch(struct sparse_work *work, const struct sparse_share *share, unsigned char *to,
                  const unsigned char *from, struct fault *fault)
{
    const struct sparse_layout *layout = work->unit->layout;
    const struct transfer transfer = {work, share, to, from, fault};
    struct sparse_node *node =
        &layout->nodes[(uint64_t)share->table->row * layout->shape.columns + share->column];
    struct flight flight = {.random = share_seed(work, share, node)};
    uint64_t next = share->first;
    uint32_t busy = 0;

    for (; busy < layout->shape.fetchers && next < share->end; busy++)
        begin_fetch(&flight, &layout->in_flight[busy], next++);
    for (; busy > 0; flight.now++) {
        struct arrivals *arrivals = &flight.cycles[flight.now % (LATENCIES + 1)];
        for (struct sparse_fetch *fetch; (fetch = arrivals->first) != NULL;) {
            arrivals->first = fetch->next;
            if (!arrive(&transfer, fetch->element))
                return false;
            if (next < share->end)
                begin_fetch(&flight, fetch, next++);
            else
                busy--;
        }
    }
    node->elements += share->end - share->first;
    work->unit->state.elements += share->end - share->first;
    return true;
}
