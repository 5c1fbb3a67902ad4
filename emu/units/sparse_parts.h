/* Internal interfaces of the files of the sparse-to-dense unit (sparse.h lists the files). */
#ifndef EMU_UNITS_SPARSE_PARTS_H
#define EMU_UNITS_SPARSE_PARTS_H

#include "emu/units/element.h"
#include "emu/units/sparse.h"

struct sparse_table {
    uint64_t base;
    uint64_t values;        /* values in an element: the product of its shape */
    uint64_t element_bytes; /* the bytes of the whole table fit in 64 bits */
    uint32_t elements;
    uint32_t row; /* row of the units that serve the table */
    const uint32_t
        *column_first; /* columns + 1 entries: column c serves elements [c] to [c+1] - 1 */
    uint32_t type_code;
    struct element_type type;
};

/* The work of one element access unit for the current instruction. */
struct sparse_node {
    uint64_t elements;    /* fetched or written */
    uint64_t values;      /* values in its packet */
    uint64_t plain_bytes; /* bytes of these, uncompressed */
    uint64_t nonzero_bytes;
};

/* An element that a fetch processor is fetching. */
struct sparse_fetch {
    uint64_t arrival; /* cycle */
    uint64_t element; /* index in the table */
};

/* The lookup tables of all units, indexed by table: unit (r, c) serves the elements of column c of
 * the tables with row r. Rows and columns are counted from 0 here. */
struct sparse_layout {
    bool torus;
    uint32_t rows, columns;
    uint32_t fetchers; /* k of each unit */
    uint32_t table_count;
    struct sparse_table *tables;
    uint32_t *row_first;            /* rows + 1 entries: row r serves tables [r] to [r+1] - 1 */
    uint32_t *column_first;         /* columns + 1 entries for each table */
    struct sparse_node *nodes;      /* rows × columns */
    struct sparse_fetch *in_flight; /* room for the fetches of one unit */
};

/* A request as in memory. */
struct sparse_request {
    uint32_t table, first, count, reserved;
};

/* The state of a gather or update. */
struct sparse_work {
    struct sparse_unit *unit;
    struct port *port;
    enum sparse_reduction reduction;
    uint64_t address; /* of the request list */
    uint64_t count;
    struct sparse_request *requests; /* a copy, because an update may overwrite the list */
    unsigned char **elements;        /* by request: host pointer to its elements */
    uint64_t values;                 /* length of the dense vector */
    struct element_type type;        /* type of the tables */
    uint32_t value_bytes;            /* bytes of one value of the dense vector */
    struct arena arena;              /* memory of this work */
    uint64_t patience;               /* bytes moved since the last check of the deadline */
};

/* ---- sparse_request.c ---- */

/* Reads and checks the request list. */
bool sparse_read_requests(struct sparse_work *work, struct fault *fault);
/* Finds the elements of all requests in memory. */
bool sparse_map_elements(struct sparse_work *work, bool write, struct fault *fault);
uint64_t sparse_request_bytes(const struct sparse_work *work, const struct sparse_request *request);
/* Returns the number of values that the request adds to the dense vector. */
uint64_t sparse_request_values(const struct sparse_work *work,
                               const struct sparse_request *request);

/* The elements of a request that one unit serves. */
struct sparse_share {
    const struct sparse_table *table;
    uint32_t column;
    uint64_t first, end; /* elements of the table */
};

/* Advances to the next share in element order. A share of all zeros begins. Returns false after the
 * last one. */
bool sparse_next_share(const struct sparse_work *work, const struct sparse_request *request,
                       struct sparse_share *share);

/* ---- sparse_fetch.c ---- */

/* Copies the elements of the share between the table and a dense vector, in the order in which the
 * fetch processors of its unit finish. Element i of the share is at offset i·element_bytes of both.
 */
bool sparse_fetch(struct sparse_work *work, const struct sparse_share *share, unsigned char *to,
                  const unsigned char *from, struct fault *fault);
/* Counts `bytes` of work and checks the deadline at intervals. Returns false when it has passed. */
bool sparse_in_time(struct sparse_work *work, uint64_t bytes, struct fault *fault);

/* ---- sparse_reduce.c ---- */

/* Reduces `count` elements of `values` values each, position by position. The results in `to` are
 * the bits of f32, or i32; without elements they are 0. */
bool sparse_reduce(struct sparse_work *work, uint64_t count, uint64_t values,
                   const unsigned char *from, unsigned char *to, struct fault *fault);

/* ---- sparse_route.c ---- */

/* Empties all packets. */
void sparse_begin_packets(struct sparse_work *work);
/* Puts values into the packet of the share's unit. */
void sparse_pack(struct sparse_work *work, const struct sparse_share *share,
                 const unsigned char *values, uint64_t count, uint32_t value_bytes);
/* If port->trace_hops is set, they record the links that the request list crosses, and those that
 * the packets cross to or from the first unit. */
void sparse_trace_broadcast(struct sparse_work *work);
void sparse_trace_packets(struct sparse_work *work, bool to_first);
/* Adds the broadcast and the packets to the counters, and records the counters. */
void sparse_count_packets(struct sparse_work *work);

#endif
