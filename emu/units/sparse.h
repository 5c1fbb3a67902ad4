/* The sparse-to-dense unit, Xsparse (machine.md, 5; JP7187635B2): a mesh or torus of element access
 * units that gathers elements of many tables into one dense vector, and scatters a vector back.
 *
 * Rows of units serve ranges of tables, columns serve ranges of the elements within a table. sconf
 * loads that partition.
 *
 * The functions of the instructions do what the definitions in isa/xsparse.yaml say. On a fault
 * they return false and change nothing, and they read all inputs before they write, so that ranges
 * may overlap. Only the order in which fetches finish depends on the seed, but neither results nor
 * counters do. */
#ifndef EMU_UNITS_SPARSE_H
#define EMU_UNITS_SPARSE_H

#include "emu/units/element.h"
#include "emu/units/port.h"
#include "fast.h"
#include "lib/arena.h"
#include "units.h"
#include <stddef.h>

/* Bytes that have crossed a link in one direction. Rows and columns are counted from 1. */
struct sparse_load {
    uint64_t bytes, compressed_bytes;
};
struct sparse_link {
    struct port_place from, to;
    struct sparse_load load;
};

struct sparse_table {
    uint64_t base;
    uint64_t values; /* values in an element: the product of its shape */
    uint32_t elements;
    uint32_t type_code;

    /* These follow from the configuration. */
    uint64_t element_bytes;       /* the bytes of the whole table fit in 64 bits */
    uint32_t row;                 /* row of the units that serve the table */
    const uint32_t *column_first; /* column c serves elements [c] to [c+1] - 1 */
    struct element_type type;
};

/* Settings of the network's time, in cycles and bytes. hop 0: the unit is not timed. */
struct sparse_times {
    uint64_t hop, link, fetch;
};

struct sparse_layout; /* what follows from the configuration (sparse_parts.h) */

struct sparse_unit {
    struct sparse_state state;
    uint32_t row_limit;    /* largest M: units in a column of the machine */
    uint32_t column_limit; /* largest N: units in a row */
    uint32_t table_limit;  /* tables that the lookup tables hold */
    uint64_t seed;         /* decides the order in which fetches finish */

    /* The configuration besides the numbers in the state, all 0 before the first sconf
     * (sparse_configure.c). */
    uint32_t *row_first;         /* row r serves tables [r] to [r+1] - 1 */
    struct sparse_table *tables; /* room for table_capacity */
    uint32_t *column_first;      /* for each table, column_limit + 1 */
    size_t table_capacity;

    struct sparse_layout *layout; /* NULL after a change of the configuration */
    struct arena arena;           /* memory of the layout */

    struct sparse_times times;
    uint64_t network_cycles; /* of the last gather or update, with contention, if it is timed */
    uint64_t operations;     /* gathers and updates */

    struct sparse_link *kept; /* what has crossed the links of earlier configurations */
    size_t kept_count;
    unsigned char *scratch; /* memory for values on their way */
    uint64_t scratch_bytes;

    /* If it is not NULL, it sees every packet of each element access unit (row · columns + column,
     * from 0) on its way, and may alter its bytes: tests do. */
    void (*disturb)(void *disturber, uint32_t unit, unsigned char *packet, uint64_t bytes);
    void *disturber;
};

void sparse_init(struct sparse_unit *unit, const struct sparse_settings *settings,
                 struct arena *arena);
void sparse_free(struct sparse_unit *unit);

/* The configuration, piece by piece. The pointers hold until the next call. sparse_change returns
 * the unit and prepares it for a change of any piece. */
struct sparse_unit *sparse_change(struct sparse_unit *unit);
uint32_t *sparse_row_first(struct sparse_unit *unit);
struct sparse_table *sparse_table(struct sparse_unit *unit, uint64_t table);
uint32_t *sparse_column_first(struct sparse_unit *unit, uint64_t table);

/* Returns the counts of what has crossed the link between a configured unit (row · columns +
 * column, from 0) and its neighbor on the way to unit (1,1), or, away, from there. */
struct sparse_load *sparse_load(struct sparse_unit *unit, uint64_t place, bool away);

/* Returns the links that packets have crossed in the whole run, in order of their ends. The list
 * belongs to the unit, until the next instruction. */
size_t sparse_links(struct sparse_unit *unit, const struct sparse_link **links);
#endif
