/* See time.h. This file defines what the accessors mean in `cycles`, `occupancy` and `resources`,
 * and includes the functions that isagen has made of them. */
#include "lib/timing/time.h"

#include "instruction_ids.h"
#include "isa_ids.h"
#include "lib/diag.h"
#include "lib/isa.h"
#include <string.h>

typedef uint64_t time_function(const struct timed *timed);

/* The time of an instruction in the description. */
struct time {
    time_function *cycles, *occupancy; /* NULL: by the class */
    const struct time_unit *unit;
    size_t latency;     /* offset in struct config; 0: none */
    unsigned walk;      /* what it does to a walk: enum walk_use */
    unsigned row;       /* the operand that is a row of a unit, as a walk has one */
    const char *row_of; /* this unit; NULL: no operand is a row */
    bool waits;         /* for all tensor instructions before it */
    bool is_serial;     /* the next of the class waits for the result */
};

/* timing.inc has it. */
static const struct time times[ISA_ID_COUNT];

uint64_t time_latency(const struct config *config, unsigned id)
{
    uint64_t value = 0;

    if (times[id].latency)
        memcpy(&value, (const unsigned char *)config + times[id].latency, sizeof value);
    return value;
}

/* A formula that goes below 0 wraps around, and would make the sum of all cycles wrong without a
 * word. */
static uint64_t checked(const struct timed *timed, const char *key, uint64_t value)
{
    if (value > INT64_MAX)
        diag_description_mistake("'%s' of '%s' is %lld; expected at least 0", key,
                                 isa_instructions[timed->id].mnemonic, (long long)value);
    return value;
}

uint64_t time_cycles(const struct timed *timed)
{
    const struct time *time = &times[timed->id];

    return time->cycles ? checked(timed, "cycles", time->cycles(timed))
                        : time_latency(timed->config, timed->id);
}

uint64_t time_occupancy(const struct timed *timed)
{
    const struct time *time = &times[timed->id];

    if (time->occupancy)
        return checked(timed, "occupancy", time->occupancy(timed));
    return time->is_serial ? time_cycles(timed) : 1;
}

const struct time_unit *time_unit_of(unsigned id)
{
    return times[id].unit;
}

bool time_is_fixed(unsigned id)
{
    return !times[id].cycles && !times[id].occupancy;
}

enum walk_use time_walk(unsigned id, unsigned *row)
{
    *row = times[id].row;
    return (enum walk_use)times[id].walk;
}

const char *time_row(unsigned id, unsigned *row)
{
    *row = times[id].row;
    return times[id].row_of;
}

bool time_waits(unsigned id)
{
    return times[id].waits;
}

uint64_t time_resources(const struct time_unit *unit, const struct config *config)
{
    uint64_t resources = unit->resources(&(struct timed){.config = config});

    return resources ? resources : 1;
}

/* ---- what timing.inc needs ---- */

#define TIME_SCOPE
#define TIME(key, id) static uint64_t key##_##id(const struct timed *timed __attribute__((unused)))
#define RESOURCES(unit)                                                                            \
    static uint64_t resources_##unit(const struct timed *timed __attribute__((unused)))
#define TIME_OPERAND(index) (timed->operands[index])

/* ---- the accessors of time ---- */

#define setting(unit, key) (timed->config->unit##_##key)
#define get(state, ...)    time_get_##state(timed __VA_OPT__(, ) __VA_ARGS__)
#define element_size(type) (isa_element_by_number(type)->bytes)
#define is_float(type)     (isa_element_by_number(type)->exponent > 0)
#define latency()          time_latency(timed->config, timed->id)
#define cycles()           time_cycles(timed)
#define bytes_read()       (timed->bytes_read)
#define bytes_written()    (timed->bytes_written)
#define network_cycles()   (timed->network_cycles)

/* At the end, since the functions of the description are macros. */
#include "timing.inc"

bool time_csr_waits(unsigned number)
{
    for (size_t i = 0; i < sizeof waiting_csrs / sizeof *waiting_csrs; i++)
        if (waiting_csrs[i] == number)
            return true;
    return false;
}
