/* The tensor units' way to memory and to the trace: all that a unit knows of the world outside it.
 *
 * `map` turns a guest range into a host pointer, or gives NULL where the range is not wholly mapped
 * with the permission. A test supplies one over an array; temu supplies its memory. The scratchpad
 * is part of the guest address space. */
#ifndef EMU_UNITS_PORT_H
#define EMU_UNITS_PORT_H

#include "emu/recorder.h"
#include "emu/trap.h"
#include <stddef.h>

struct port {
    void *context;
    void *(*map)(void *context, uint64_t address, uint64_t length, bool write);
    uint64_t scratchpad_base, scratchpad_size; /* bytes */
    struct recorder *recorder;                 /* NULL when nobody watches */
    bool trace_hops;              /* record every link that a packet crosses, too (--trace-units) */
    bool (*expired)(void *clock); /* has the run's time passed? NULL: it has all the time */
    void *clock;
};

/* A range of `count` elements of `size` bytes at a guest address, which must be aligned to
 * `alignment`. Faults (tensor access, value = the address; for a range that runs out of its memory,
 * the operand's own address) give NULL. A count of 0 gives a non-NULL pointer that must not be
 * used. `count * size` that overflows faults too. Scratchpad versions demand that the range lies in
 * the window. Nothing is recorded here. */
const void *port_read(struct port *port, uint64_t address, uint64_t count, size_t size,
                      size_t alignment, struct fault *fault);
void *port_write(struct port *port, uint64_t address, uint64_t count, size_t size, size_t alignment,
                 struct fault *fault);
const void *port_read_scratchpad(struct port *port, uint64_t address, uint64_t count, size_t size,
                                 struct fault *fault);
void *port_write_scratchpad(struct port *port, uint64_t address, uint64_t count, size_t size,
                            struct fault *fault);

/* After the work is done, for the trace; no-ops without a recorder. The digest of a write is taken
 * of the bytes at `host`. */
void port_record_read(struct port *port, uint64_t address, uint64_t length);
void port_record_write(struct port *port, uint64_t address, uint64_t length, const void *host);
/* The same of `bytes` bytes at `host`, which went into a range that is longer. */
void port_record_scattered(struct port *port, uint64_t address, uint64_t length, const void *host,
                           uint64_t bytes);
void port_record_state(struct port *port, const char *unit, const char *name, unsigned row,
                       int dimension, uint64_t value);
/* Of state that there is once in a unit. */
void port_record_value(struct port *port, const char *unit, const char *name, uint64_t value);

/* A place in a unit's network, counted from 1 in a trace. */
struct port_place {
    uint32_t row, column;
};

/* A packet of `bytes`, which belongs to `owner`, crosses the link between two places. */
void port_record_hop(struct port *port, const char *unit, const char *name, struct port_place owner,
                     struct port_place from, struct port_place to, uint64_t bytes);

#endif
