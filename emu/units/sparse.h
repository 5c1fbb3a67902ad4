/* The sparse-to-dense unit, Xsparse (machine.md, 5; JP7187635B2): a mesh or torus of element access
 * units that gathers elements of many tables into one dense vector, and scatters a vector back.
 *
 * Rows of units serve ranges of tables, columns serve ranges of the elements within a table. sconf
 * loads that partition. The files are:
 *
 *     sparse_configure.c   the descriptor of sconf
 *     sparse_request.c     the request list of an instruction, checked against the configuration
 *     sparse_fetch.c       the k fetch processors of a unit
 *     sparse_reduce.c      sum, max, min, mean
 *     sparse_pack.c        the form of values on a link
 *     sparse_route.c       routes through the network, packets and fragments, counters
 *     sparse_links.c       what crossed the links
 *     sparse.c             the instructions
 *
 * All instructions share one contract. They check everything before they change anything, in the
 * order that their comments give. On the first fault the function fills `fault` and returns false;
 * memory, counters and configuration do not change. All inputs are read before any output is
 * written: ranges may overlap. Ranges and state are recorded through the port after the work is
 * done. Only the order in which fetches finish depends on the seed, but neither results nor
 * counters do. */
#ifndef EMU_UNITS_SPARSE_H
#define EMU_UNITS_SPARSE_H

#include "emu/units/activity.h"
#include "emu/units/port.h"
#include "lib/arena.h"
#include <stddef.h>

/* How sgather reduces the elements of a request. */
enum sparse_reduction { SPARSE_NONE, SPARSE_SUM, SPARSE_MAX, SPARSE_MIN, SPARSE_MEAN };

/* The traffic of the network. */
struct sparse_traffic {
    uint64_t hops, cycles, bytes, compressed_bytes;
};

/* Bytes that have crossed a link in one direction. Rows and columns are counted from 1. */
struct sparse_load {
    uint64_t bytes, compressed_bytes;
};
struct sparse_link {
    struct port_place from, to;
    struct sparse_load load;
};

struct sparse_layout; /* the configuration that sconf loaded (sparse_parts.h) */

struct sparse_unit {
    uint32_t row_limit;    /* largest M: units in a column of the machine */
    uint32_t column_limit; /* largest N: units in a row */
    uint32_t table_limit;  /* tables that the lookup tables hold */
    uint64_t seed;         /* decides the order in which fetches finish */

    struct sparse_layout *layout; /* NULL before the first sconf */
    struct arena arena;           /* memory of the layout */

    /* The CSRs shops, scycles, sbytes and szbytes; counted since sconf, modulo 2^64. */
    uint64_t hops;             /* links crossed by requests and by packets */
    uint64_t cycles;           /* cycles of the network */
    uint64_t bytes;            /* bytes on links without compression of packets */
    uint64_t compressed_bytes; /* bytes on links */
    uint64_t operations;       /* gathers and updates */

    struct sparse_traffic earlier; /* the counters of the configurations before this one */
    uint64_t gathers, updates;     /* these count over the whole run */
    uint64_t requests, elements;
    uint64_t dense_values; /* values of dense vectors written or read */

    struct sparse_link *kept; /* what has crossed the links of earlier configurations */
    size_t kept_count;
    unsigned char *scratch; /* memory for values on their way */
    uint64_t scratch_bytes;

    /* If it is not NULL, it sees every packet of each element access unit (row · columns + column,
     * from 0) on its way, and may alter its bytes: tests do. */
    void (*disturb)(void *disturber, uint32_t unit, unsigned char *packet, uint64_t bytes);
    void *disturber;
};

/* Initializes the unit for at most `rows` × `columns` element access units and `tables` tables. */
void sparse_init(struct sparse_unit *unit, uint32_t rows, uint32_t columns, uint32_t tables,
                 uint64_t seed);
void sparse_free(struct sparse_unit *unit);

/* sconf: loads the configuration from a descriptor in memory, at any alignment, and zeroes the
 * counters (sparse_configure.c has the layout and its faults). */
bool sparse_configure(struct sparse_unit *unit, struct port *port, uint64_t descriptor,
                      struct fault *fault);

/* sgather, sgather.sum …: `requests` is the address of `count` requests of 16 bytes. Writes the
 * dense vector at `dst`; *values is its length. Without a reduction, the vector has the values of
 * the elements. With a reduction, it has one f32 (float tables) or i32 (integer tables) for each
 * request and position in an element.
 *
 * Faults, in this order: no configuration (tensor configuration fault, value: 0). A count of 0 then
 * does nothing and checks nothing else. The list: its size does not fit in 64 bits (configuration
 * fault, value: count), or it is not aligned to 4 or not readable (tensor access fault, value:
 * requests). Each request in turn (configuration fault, value: the field): the table does not exist
 * or has another type than that of the first request; `first` or `count` exceeds the table's
 * elements; the reserved word is not 0. `dst` (access fault, value: dst): it is not aligned to its
 * values or not writable. The elements of each request (access fault, value: address of the first):
 * they are not readable. */
bool sparse_gather(struct sparse_unit *unit, struct port *port, enum sparse_reduction reduction,
                   uint64_t dst, uint64_t requests, uint64_t count, uint64_t *values,
                   struct fault *fault);

/* supdate: writes the dense vector at `src`, which has the layout of sgather's result, to the
 * elements. If an element is requested twice, the later value stays. The faults are those of
 * sgather, with `src` in place of `dst`. */
bool sparse_update(struct sparse_unit *unit, struct port *port, uint64_t src, uint64_t requests,
                   uint64_t count, struct fault *fault);

/* The layout as a debugger shows it; all 0 before the first sconf. */
struct sparse_shape {
    uint32_t torus, way, rows, columns, fetchers, tables;
};
struct sparse_shape sparse_shape(const struct sparse_unit *unit);

/* Returns the traffic of the whole run, over all configurations. */
struct sparse_traffic sparse_traffic(const struct sparse_unit *unit);
/* Returns the links that packets have crossed in the whole run, in order of their ends. The list
 * belongs to the unit, until the next instruction. */
size_t sparse_links(struct sparse_unit *unit, const struct sparse_link **links);
/* Fills `list` (room for ACTIVITY_MAXIMUM) and returns the number of counters. */
size_t sparse_activity(const struct sparse_unit *unit, struct activity *list);

#endif
