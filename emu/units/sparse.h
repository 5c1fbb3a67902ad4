/* The sparse-to-dense unit, Xsparse (machine.md, 5; JP7187635B2): a mesh or torus of element access
 * units that gathers elements of many tables into one dense vector, and scatters a vector back.
 *
 * Rows of units serve ranges of tables, columns ranges of the elements within a table; sconf loads
 * that partition. The stages have files of their own:
 *
 *     sparse_configure.c   the descriptor of sconf
 *     sparse_request.c     the request list of an instruction, checked against the configuration
 *     sparse_fetch.c       the k fetch processors of a unit
 *     sparse_reduce.c      sum, max, min, mean
 *     sparse_route.c       ways through the network, packets, counters
 *     sparse.c             the instructions
 *
 * Contract of all instructions: everything is checked before anything changes, in the order that
 * each says; the first fault fills `fault` and the function returns false, with memory, counters
 * and configuration as they were. All inputs are read before any output is written: ranges may
 * overlap. Ranges and state are recorded through the port after the work is done. Results and
 * counters do not depend on the seed; only the order in which fetches finish does. */
#ifndef EMU_UNITS_SPARSE_H
#define EMU_UNITS_SPARSE_H

#include "emu/config.h"
#include "emu/units/activity.h"
#include "emu/units/port.h"
#include "lib/arena.h"
#include <stddef.h>

/* What sgather does with the elements of a request. */
enum sparse_reduction { SPARSE_NONE, SPARSE_SUM, SPARSE_MAX, SPARSE_MIN, SPARSE_MEAN };

/* What crossed the network. */
struct sparse_traffic {
    uint64_t hops, cycles, bytes, compressed_bytes;
};

struct sparse_layout; /* what sconf loaded (sparse_parts.h) */

struct sparse_unit {
    uint32_t row_limit;    /* units in a column of the machine: M at most */
    uint32_t column_limit; /* N at most */
    uint32_t table_limit;  /* tables that the lookup tables hold */
    uint64_t seed;         /* of the order in which fetches finish */

    struct sparse_layout *layout; /* NULL before the first sconf */
    struct arena arena;           /* of the layout */

    /* Since sconf, modulo 2^64: CSRs shops, scycles, sbytes, szbytes. */
    uint64_t hops;             /* links crossed by requests and by packets */
    uint64_t cycles;           /* of the network */
    uint64_t bytes;            /* on links, if packets held their values as they are */
    uint64_t compressed_bytes; /* on links */
    uint64_t operations;       /* gathers and updates */

    struct sparse_traffic earlier; /* the counters of the configurations before this one */
    uint64_t gathers, updates;     /* of the whole run */
    uint64_t requests, elements;
    uint64_t dense_values; /* values of dense vectors written or read */
};

void sparse_init(struct sparse_unit *unit, const struct config *config);
void sparse_free(struct sparse_unit *unit);

/* sconf: loads the configuration from a descriptor in memory, at any alignment, and zeroes the
 * counters (sparse_configure.c has the layout and its faults). */
bool sparse_configure(struct sparse_unit *unit, struct port *port, uint64_t descriptor,
                      struct fault *fault);

/* sgather, sgather.sum …: `requests` is the address of `count` requests of 16 bytes. Writes the
 * dense vector at `dst`; *values is its length. A vector of tables' values, or with a reduction one
 * f32 (float tables) or i32 (integer tables) for each position of an element and request.
 *
 * Faults, in this order: no configuration (tensor configuration fault, value: 0). With a count of 0
 * nothing else is looked at and nothing happens. Then the list: a size that does not fit in 64 bits
 * (configuration fault, value: count), not aligned to 4 or not readable (tensor access fault,
 * value: requests). Then each request in turn (configuration fault, value: the field): a table that
 * is not there, or is of another type than that of the first request; `first` or `count` beyond the
 * table's elements; the reserved word. Then `dst` (access fault, value: dst): not aligned to its
 * values or not writable. Then the elements of each request (access fault, value: address of the
 * first). */
bool sparse_gather(struct sparse_unit *unit, struct port *port, enum sparse_reduction reduction,
                   uint64_t dst, uint64_t requests, uint64_t count, uint64_t *values,
                   struct fault *fault);

/* supdate: the dense vector at `src`, laid out as sgather would write it, goes to the elements; of
 * an element that is requested twice, the later one stays. Faults as above, `src` for `dst`. */
bool sparse_update(struct sparse_unit *unit, struct port *port, uint64_t src, uint64_t requests,
                   uint64_t count, struct fault *fault);

/* What a debugger shows of the layout; all 0 before the first sconf. */
struct sparse_shape {
    uint32_t torus, rows, columns, fetchers, tables;
};
struct sparse_shape sparse_shape(const struct sparse_unit *unit);

/* Of the whole run, over all configurations. */
struct sparse_traffic sparse_traffic(const struct sparse_unit *unit);
/* Fills `list` (room for ACTIVITY_MAXIMUM) and returns how many. */
size_t sparse_activity(const struct sparse_unit *unit, struct activity *list);

#endif
