/* Internal interfaces of the files of the sparse-to-dense unit (sparse.h lists the files). */
#ifndef EMU_UNITS_SPARSE_PARTS_H
#define EMU_UNITS_SPARSE_PARTS_H

#include "emu/units/sparse.h"

/* An element access unit in the network. Units are numbered by row, then column; a layout has one
 * more after the last, so that the values of units `first` to `end` - 1 are those from the offset
 * of `first` to that of `end`. */
struct sparse_place {
    uint32_t row, column; /* from 0 */
    uint32_t parent;      /* the neighbor on the way to the first unit */
    uint32_t distance;    /* links to the first unit */
    uint32_t first, end;  /* the units whose way leads through this one, and itself */
};

/* The work of one element access unit for the current instruction. Its values are those of the
 * requests that it answers with elements, then those of the requests that it reduces. */
struct sparse_node {
    uint64_t elements;                  /* fetched or written */
    uint64_t values[2];                 /* elements' values, values of reduced requests */
    uint64_t taken[2];                  /* how many of them have a place already (sparse_take) */
    uint64_t offset;                    /* of its values in a side */
    uint64_t plain_bytes, packed_bytes; /* of its packet, or of the fragment on the link to it */
    uint64_t ready;                     /* cycle, with fragments */
};

enum sparse_way { SPARSE_PACKETS, SPARSE_MERGE };

/* The numbers of the configuration, as the state has them. */
struct sparse_shape {
    uint32_t torus, way, rows, columns, fetchers, tables;
};

/* Traffic of the network, modulo 2^64: links crossed by requests and by packets, cycles, bytes on
 * links without compression, and with it. */
struct sparse_traffic {
    uint64_t hops, cycles, bytes, compressed_bytes;
};

/* An element that a fetch processor is fetching. */
struct sparse_fetch {
    uint64_t element;          /* index in the table */
    struct sparse_fetch *next; /* that arrives in the same cycle */
};

/* The lookup tables of all units, by table: unit (r, c) serves the elements of column c of
 * the tables with row r. Rows and columns are counted from 0 here. */
struct sparse_layout {
    struct sparse_shape shape;
    const struct sparse_table *tables;
    uint32_t units;                 /* rows × columns */
    struct sparse_place *places;    /* by unit */
    struct sparse_node *nodes;      /* by unit, and one more */
    uint32_t *order;                /* all units, each one after its parent */
    bool *busy;                     /* by row: the tables of some request are there */
    uint32_t *visits, visit_count;  /* in that order, those in busy rows, and of the first column */
    struct sparse_load (*loads)[2]; /* by unit; toward the first unit, and away from it */
    struct sparse_fetch *in_flight; /* room for the fetches of one unit */
};

/* A request as in memory. */
struct sparse_request {
    uint32_t table, first, count, reserved;
};

/* Values of one size, one after the other. */
struct sparse_run {
    unsigned char *at;
    uint64_t count;
    unsigned size; /* bytes of a value */
};

/* The state of a gather or update. */
struct sparse_work {
    struct sparse_unit *unit;
    struct port *port;
    int reduction;    /* ISA_VALUE_REDUCTION_… */
    uint64_t address; /* of the request list */
    uint64_t count;
    struct sparse_request *requests; /* a copy, because an update may overwrite the list */
    unsigned char **elements;        /* by request: host pointer to its elements */
    uint64_t values;                 /* length of the dense vector */
    uint64_t largest;                /* bytes of the elements of a request */
    struct element_type type;        /* type of the tables */
    uint32_t value_bytes;            /* bytes of one value of the dense vector */
    struct arena arena;              /* memory of this work */
    uint64_t patience;               /* bytes moved since the last check of the deadline */

    bool away;               /* the values go away from the first unit: an update */
    bool arrived;            /* they have */
    unsigned char *side[2];  /* the values of all units, before and after a link, in turn */
    unsigned char *packet;   /* the one that is on its way */
    uint64_t packet_limit;   /* room for it, in bytes */
    uint32_t run_size;       /* bytes of all values in packets; 0 if there are two sizes */
    struct sparse_run *runs; /* room for those of a packet with two sizes */
};

/* ---- sparse_links.c ---- */

/* Changes the size of a block from `old` to `bytes`; new bytes are 0. */
void *sparse_resize(void *block, uint64_t old, uint64_t bytes);
/* Returns room for two sides of so many bytes and a packet, until the next call. */
unsigned char *sparse_scratch(struct sparse_unit *unit, uint64_t side, uint64_t packet);
/* Adds what has crossed the links of the current layout, if there is one, to what is kept. */
void sparse_keep_links(struct sparse_unit *unit);

/* ---- sparse_configure.c ---- */

/* Returns the layout of the current configuration. There must have been one. */
struct sparse_layout *sparse_layout(struct sparse_unit *unit);

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

/* ---- sparse_time.c ---- */

/* Computes the cycles of the network with contention, if the unit is timed. The packets have their
 * own sizes still. */
void sparse_time(struct sparse_work *work);

/* ---- sparse_fetch.c ---- */

/* Copies the elements of the share between the table and a dense vector, in the order in which the
 * fetch processors of its unit finish. Element i of the share is at offset i·element_bytes of both.
 */
bool sparse_fetch(struct sparse_work *work, const struct sparse_share *share, unsigned char *to,
                  const unsigned char *from, struct fault *fault);
/* Copies values. Bits of their bytes that are not theirs become 0. */
void sparse_copy(const struct element_type *type, unsigned char *to, const unsigned char *from,
                 uint64_t bytes);
/* Counts `bytes` of work and checks the deadline at intervals. Returns false when it has passed. */
bool sparse_in_time(struct sparse_work *work, uint64_t bytes, struct fault *fault);

/* ---- sparse_reduce.c ---- */

/* Reduces `count` elements of `values` values each, position by position. The results in `to` are
 * the bits of f32, or i32; without elements they are 0. */
bool sparse_reduce(struct sparse_work *work, uint64_t count, uint64_t values,
                   const unsigned char *from, unsigned char *to, struct fault *fault);

/* ---- sparse_pack.c ---- */

/* Returns the largest size of a packet of so many values of so many bytes. */
uint64_t sparse_packet_limit(uint64_t values, uint64_t bytes);
/* Packs the values of `count` runs, of `bytes` bytes together: the values, or, if that is smaller,
 * a bitmap of one bit for each value and the values that are not 0. Returns the size of the packet.
 */
uint64_t sparse_pack(unsigned char *packet, const struct sparse_run *runs, uint32_t count,
                     uint64_t bytes);
/* Unpacks a packet of `size` bytes to the runs. Any bytes in the packet give some values. */
void sparse_unpack(const unsigned char *packet, uint64_t size, const struct sparse_run *runs,
                   uint32_t count, uint64_t bytes);

/* ---- sparse_route.c ---- */

/* Fills places and order of a layout with rows, columns and topology; the others are 0. */
void sparse_build_tree(struct sparse_layout *layout);
/* Counts the values of every unit, and prepares room for them. */
void sparse_plan(struct sparse_work *work);
/* Does the unit of this share reduce the request? It does if it serves the whole of it. */
bool sparse_reduces(const struct sparse_work *work, const struct sparse_request *request,
                    const struct sparse_share *share);
/* Returns the place of the next values of the share's unit: before sparse_carry where they start
 * from, then where they have arrived. */
unsigned char *sparse_take(struct sparse_work *work, const struct sparse_share *share, bool reduced,
                           uint64_t values);
/* Carries all values through the network, as packets or as fragments. */
bool sparse_carry(struct sparse_work *work, struct fault *fault);
/* Sets the traffic since sconf, and records what changes. */
void sparse_set_traffic(struct sparse_unit *unit, struct port *port,
                        const struct sparse_traffic *traffic);
/* Adds the broadcast of the requests and the packets to the counters, and records the counters. If
 * port->trace_hops is set, sparse_trace records the links that the packets have crossed. */
void sparse_trace_broadcast(struct sparse_work *work);
void sparse_trace(struct sparse_work *work);
void sparse_count(struct sparse_work *work);

#endif
