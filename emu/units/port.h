/* The port of the tensor units to memory and trace. A unit knows the rest of the machine only
 * through its port.
 *
 * `map` returns a host pointer to a guest range, or NULL if the range is not wholly mapped with the
 * permission. In temu it maps guest memory, in tests an array. The scratchpad is part of the guest
 * address space. */
#ifndef EMU_UNITS_PORT_H
#define EMU_UNITS_PORT_H

#include "emu/trap.h"
#include "lib/trace/recorder.h"
#include <stddef.h>

struct port {
    void *context;
    void *(*map)(void *context, uint64_t address, uint64_t length, bool write);
    uint64_t scratchpad_base, scratchpad_size; /* bytes */
    struct recorder *recorder;                 /* NULL: nothing is recorded */
    bool without_digests;         /* nobody needs the digests of ranges that are written */
    bool is_worker;               /* a worker of the barrel executes the instruction */
    bool trace_hops;              /* also record every link that a packet crosses (--trace-units) */
    bool (*expired)(void *clock); /* has the deadline passed? NULL: there is no deadline */
    void *clock;
};

/* Return a host pointer to a range of `count` elements of `size` bytes at a guest address. They
 * return NULL after filling `fault` with a tensor access fault (value: the address) if the address
 * is not aligned to `alignment`, `count * size` overflows, or the range is not accessible; the
 * scratchpad versions also require that it is in the window. For a count of 0 the pointer is not
 * NULL, but must not be used. Nothing is recorded. */
const void *port_read(struct port *port, uint64_t address, uint64_t count, size_t size,
                      size_t alignment, struct fault *fault);
void *port_write(struct port *port, uint64_t address, uint64_t count, size_t size, size_t alignment,
                 struct fault *fault);
const void *port_read_scratchpad(struct port *port, uint64_t address, uint64_t count, size_t size,
                                 struct fault *fault);
void *port_write_scratchpad(struct port *port, uint64_t address, uint64_t count, size_t size,
                            struct fault *fault);

/* Record ranges for the trace after the work is done. Without a recorder they do nothing. A write
 * is recorded with the digest of the bytes at `host`. */
void port_record_read(struct port *port, uint64_t address, uint64_t length);
void port_record_write(struct port *port, uint64_t address, uint64_t length, const void *host);
/* Records a write of `bytes` bytes at `host` that were scattered over a longer range. */
void port_record_scattered(struct port *port, uint64_t address, uint64_t length, const void *host,
                           uint64_t bytes);
void port_record_state(struct port *port, const char *unit, const char *name, unsigned row,
                       int dimension, uint64_t value);
/* Records a state that does not belong to a row of the unit. */
void port_record_value(struct port *port, const char *unit, const char *name, uint64_t value);

/* A node in a unit's network. Traces count rows and columns from 1. */
struct port_place {
    uint32_t row, column;
};

/* Records that a packet of `bytes` bytes, which belongs to `owner`, crosses the link between two
 * nodes. */
void port_record_hop(struct port *port, const char *unit, const char *name, struct port_place owner,
                     struct port_place from, struct port_place to, uint64_t bytes);

#endif
