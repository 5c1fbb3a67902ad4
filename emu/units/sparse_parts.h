/* What the stages of the sparse-to-dense unit share. Internal to it (sparse.h has the map). */
#ifndef EMU_UNITS_SPARSE_PARTS_H
#define EMU_UNITS_SPARSE_PARTS_H

#include "emu/units/element.h"
#include "emu/units/sparse.h"

struct sparse_table {
    uint64_t base;
    uint64_t values;        /* of an element: the product of its shape */
    uint64_t element_bytes; /* with values and elements, fits in 64 bits */
    uint32_t elements;
    uint32_t row;                 /* of the units that serve it */
    const uint32_t *column_first; /* columns + 1: column c serves [c] up to, not including, [c+1] */
    uint32_t type_code;
    struct element_type type;
};

/* What an element access unit did for the instruction at hand. */
struct sparse_node {
    uint64_t elements;    /* fetched or written */
    uint64_t values;      /* in its packet */
    uint64_t plain_bytes; /* of these */
    uint64_t nonzero_bytes;
};

/* An element on its way through a fetch processor. */
struct sparse_fetch {
    uint64_t arrival; /* cycle */
    uint64_t element; /* of the table */
};

/* The lookup tables of all units. What unit (r, c) serves are the tables with row r, and of each
 * the elements of column c, so they are kept by table. Rows and columns count from 0 here. */
struct sparse_layout {
    bool torus;
    uint32_t rows, columns;
    uint32_t fetchers; /* k of each unit */
    uint32_t table_count;
    struct sparse_table *tables;
    uint32_t *row_first;       /* rows + 1: row r serves tables [r] up to, not including, [r+1] */
    uint32_t *column_first;    /* of all tables, columns + 1 each */
    struct sparse_node *nodes; /* rows × columns */
    struct sparse_fetch *in_flight; /* fetchers: room for the unit at work */
};

/* As it stands in memory. */
struct sparse_request {
    uint32_t table, first, count, reserved;
};

/* One gather or update under way. */
struct sparse_work {
    struct sparse_unit *unit;
    struct port *port;
    enum sparse_reduction reduction;
    uint64_t address; /* of the request list */
    uint64_t count;
    struct sparse_request *requests; /* a copy: an update may overwrite the list */
    unsigned char **elements;        /* of each request: where its elements stand */
    uint64_t values;                 /* of the dense vector */
    struct element_type type;        /* of the tables */
    uint32_t value_bytes;            /* of one value of the dense vector */
    struct arena arena;              /* of all that is made for this work */
    uint64_t patience;               /* bytes moved since the last look at the clock */
};

/* ---- sparse_request.c ---- */

/* Reads and checks the request list. */
bool sparse_read_requests(struct sparse_work *work, struct fault *fault);
/* Finds the elements of all requests in memory. */
bool sparse_map_elements(struct sparse_work *work, bool write, struct fault *fault);
uint64_t sparse_request_bytes(const struct sparse_work *work, const struct sparse_request *request);
/* Values that the request adds to the dense vector. */
uint64_t sparse_request_values(const struct sparse_work *work,
                               const struct sparse_request *request);

/* The elements of a request that one unit serves. */
struct sparse_share {
    const struct sparse_table *table;
    uint32_t column;
    uint64_t first, end; /* elements of the table */
};

/* The next share, in element order; all zero begins. False behind the last. */
bool sparse_next_share(const struct sparse_work *work, const struct sparse_request *request,
                       struct sparse_share *share);

/* ---- sparse_fetch.c ---- */

/* Copies elements of the share between the table and a dense vector, in the order in which the
 * fetch processors of its unit finish; element i of it is at offset i·element_bytes of both. */
bool sparse_fetch(struct sparse_work *work, const struct sparse_share *share, unsigned char *to,
                  const unsigned char *from, struct fault *fault);
/* Looks at the clock after so many bytes of work; false when the time has passed. */
bool sparse_in_time(struct sparse_work *work, uint64_t bytes, struct fault *fault);

/* ---- sparse_reduce.c ---- */

/* Reduces `count` elements of `values` values each, position by position, to `to`, of u32 (bits of
 * an f32, or an i32). No elements give zeros. */
bool sparse_reduce(struct sparse_work *work, uint64_t count, uint64_t values,
                   const unsigned char *from, unsigned char *to, struct fault *fault);

/* ---- sparse_route.c ---- */

/* No packet holds anything yet. */
void sparse_begin_packets(struct sparse_work *work);
/* Puts values into the packet of the share's unit. */
void sparse_pack(struct sparse_work *work, const struct sparse_share *share,
                 const unsigned char *values, uint64_t count, uint32_t value_bytes);
/* Where port->trace_hops: record the links that the request list crosses, and those of the packets,
 * to the first unit or from it. */
void sparse_trace_broadcast(struct sparse_work *work);
void sparse_trace_packets(struct sparse_work *work, bool to_first);
/* Adds the broadcast and the packets to the counters, and records these. */
void sparse_count_packets(struct sparse_work *work);

#endif
