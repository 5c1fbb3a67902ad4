/* Checks and records at the interface between a tensor unit and the rest of the machine.
 *
 * All errors in an operand's range are found here, before the unit accesses a byte: the range is
 * computed without overflow, its alignment and bounds are checked, and only then it is mapped. */
#include "emu/units/port.h"
#include "lib/map.h"

/* The result for an empty range: not NULL, but not accessed. */
static char nowhere[1];

/* Computes the length of the range in bytes. Returns false after filling the fault. */
static bool range_length(uint64_t address, uint64_t count, size_t size, size_t alignment,
                         uint64_t *length, struct fault *fault)
{
    uint64_t last;

    if (__builtin_mul_overflow(count, size, length))
        return fault_set(fault, CAUSE_TENSOR_ACCESS, address);
    if (*length == 0)
        return true;
    if (address % alignment != 0 || __builtin_add_overflow(address, *length - 1, &last))
        return fault_set(fault, CAUSE_TENSOR_ACCESS, address);
    return true;
}

static void *map_range(struct port *port, uint64_t address, uint64_t length, bool write,
                       struct fault *fault)
{
    void *host = length > 0 ? port->map(port->context, address, length, write) : nowhere;

    if (!host)
        fault_set(fault, CAUSE_TENSOR_ACCESS, address);
    return host;
}

static void *any_memory(struct port *port, uint64_t address, uint64_t count, size_t size,
                        size_t alignment, bool write, struct fault *fault)
{
    uint64_t length;

    if (!range_length(address, count, size, alignment, &length, fault))
        return NULL;
    return map_range(port, address, length, write, fault);
}

static bool in_scratchpad(const struct port *port, uint64_t address, uint64_t length)
{
    return address >= port->scratchpad_base && length <= port->scratchpad_size &&
           address - port->scratchpad_base <= port->scratchpad_size - length;
}

static void *scratchpad(struct port *port, uint64_t address, uint64_t count, size_t size,
                        bool write, struct fault *fault)
{
    uint64_t length;

    if (!range_length(address, count, size, size, &length, fault))
        return NULL;
    if (length > 0 && !in_scratchpad(port, address, length)) {
        fault_set(fault, CAUSE_TENSOR_ACCESS, address);
        return NULL;
    }
    return map_range(port, address, length, write, fault);
}

const void *port_read(struct port *port, uint64_t address, uint64_t count, size_t size,
                      size_t alignment, struct fault *fault)
{
    return any_memory(port, address, count, size, alignment, false, fault);
}

void *port_write(struct port *port, uint64_t address, uint64_t count, size_t size, size_t alignment,
                 struct fault *fault)
{
    return any_memory(port, address, count, size, alignment, true, fault);
}

const void *port_read_scratchpad(struct port *port, uint64_t address, uint64_t count, size_t size,
                                 struct fault *fault)
{
    return scratchpad(port, address, count, size, false, fault);
}

void *port_write_scratchpad(struct port *port, uint64_t address, uint64_t count, size_t size,
                            struct fault *fault)
{
    return scratchpad(port, address, count, size, true, fault);
}

void port_record_read(struct port *port, uint64_t address, uint64_t length)
{
    if (!port->recorder || length == 0)
        return;
    struct effect *effect = recorder_add(port->recorder, EFFECT_RANGE_READ);
    effect->address = address;
    effect->length = length;
    if (port->recorder->keeps_reads) {
        const void *host = port->map(port->context, address, length, false);
        if (host)
            recorder_keep_bytes(port->recorder, effect, host, length);
    }
}

void port_record_scattered(struct port *port, uint64_t address, uint64_t length, const void *host,
                           uint64_t bytes)
{
    if (!port->recorder || length == 0)
        return;
    struct effect *effect = recorder_add(port->recorder, EFFECT_RANGE_WRITE);
    effect->address = address;
    effect->length = length;
    effect->value = port->without_digests ? 0 : hash_bytes(host, bytes, 0);
    recorder_keep_bytes(port->recorder, effect, host, bytes);
}

void port_record_write(struct port *port, uint64_t address, uint64_t length, const void *host)
{
    port_record_scattered(port, address, length, host, length);
}

void port_record_state(struct port *port, const char *unit, const char *name, unsigned row,
                       int dimension, uint64_t value)
{
    if (!port->recorder)
        return;
    struct effect *effect = recorder_add(port->recorder, EFFECT_STATE);
    effect->unit = unit;
    effect->name = name;
    effect->number = row;
    effect->dimension = dimension;
    effect->value = value;
}

void port_record_value(struct port *port, const char *unit, const char *name, uint64_t value)
{
    port_record_state(port, unit, name, EFFECT_NO_ROW, -1, value);
}

void port_record_hop(struct port *port, const char *unit, const char *name, struct port_place owner,
                     struct port_place from, struct port_place to, uint64_t bytes)
{
    if (!port->recorder)
        return;
    struct effect *effect = recorder_add(port->recorder, EFFECT_HOP);
    effect->unit = unit;
    effect->name = name;
    effect->number = owner.row;
    effect->dimension = (int)owner.column;
    effect->address = EFFECT_PLACE(from.row, from.column);
    effect->length = EFFECT_PLACE(to.row, to.column);
    effect->value = bytes;
}
