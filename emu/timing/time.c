/* See time.h. This file defines what the accessors mean in `cycles`, `occupancy` and `resources`,
 * and includes the functions that isagen has made of them. */
#include "emu/timing/time.h"

#include "emu/exact.h"
#include "emu/float_host.h"
#include "emu/machine.h"
#include <string.h>

typedef uint64_t time_function(const struct timed *timed);

/* The time of an instruction in the description. */
struct time {
    time_function *cycles, *occupancy; /* NULL: by the class */
    const struct time_unit *unit;
    size_t latency; /* offset in struct config; 0: none */
    unsigned walk;  /* what it does to a walk: enum walk_use */
    unsigned row;   /* the operand that is the row of the walk */
    bool waits;     /* for all tensor instructions before it */
    bool is_serial; /* the next of the class waits for the result */
};

/* timing.inc has it. */
static const struct time times[ISA_ID_COUNT];

/* Returns the value of a register as a body has it. */
static uint64_t register_value(const struct hart *hart, const struct isa_operand_type *type,
                               unsigned number)
{
    uint64_t value = *hart_register(hart, type->file, number);

    switch (type->view) {
    case ISA_VIEW_F32:
        return unbox_f32(value);
    case ISA_VIEW_RAW32:
        return (uint32_t)value;
    case ISA_VIEW_F16:
        return unbox_f16(value);
    case ISA_VIEW_RAW16:
        return (uint16_t)value;
    case ISA_VIEW_U64:
    case ISA_VIEW_F64:
    case ISA_VIEW_BITS:
        break;
    }
    return value;
}

const struct isa_instruction *time_operands(const struct hart *hart,
                                            const struct isa_instruction *instruction,
                                            uint64_t word, uint64_t *values)
{
    int64_t fields[ISA_OPERAND_LIMIT];

    instruction = isa_operands(instruction, word, fields);
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand_type *type = instruction->operands[i].type;
        bool is_choice = type->kind == ISA_REGISTER_OR_IMMEDIATE;
        if (is_choice && isa_ri_is_immediate(type, fields[i]))
            values[i] = isa_ri_value(type, fields[i]);
        else if (is_choice)
            values[i] = *hart_register(hart, type->file, isa_ri_value(type, fields[i]));
        else if (type->kind == ISA_REGISTER)
            values[i] = register_value(hart, type, fields[i]);
        else
            values[i] = fields[i];
    }
    return instruction;
}

uint64_t time_latency(const struct config *config, unsigned id)
{
    uint64_t value = 0;

    if (times[id].latency)
        memcpy(&value, (const unsigned char *)config + times[id].latency, sizeof value);
    return value;
}

uint64_t time_cycles(const struct timed *timed)
{
    const struct time *time = &times[timed->id];

    return time->cycles ? time->cycles(timed) : time_latency(&timed->machine->config, timed->id);
}

uint64_t time_occupancy(const struct timed *timed)
{
    const struct time *time = &times[timed->id];

    return time->occupancy ? time->occupancy(timed) : time->is_serial ? time_cycles(timed) : 1;
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

bool time_waits(unsigned id)
{
    return times[id].waits;
}

uint64_t time_resources(const struct time_unit *unit, struct machine *machine)
{
    uint64_t resources = unit->resources(&(struct timed){.machine = machine});

    return resources ? resources : 1;
}

/* ---- what timing.inc needs ---- */

#define TIME_SCOPE    struct machine *machine __attribute__((unused)) = timed->machine;
#define TIME(key, id) static uint64_t key##_##id(const struct timed *timed __attribute__((unused)))
#define RESOURCES(unit)                                                                            \
    static uint64_t resources_##unit(const struct timed *timed __attribute__((unused)))
#define TIME_OPERAND(index) (timed->operands[index])

/* ---- the accessors of time ---- */

#define setting(unit, key) (machine->config.unit##_##key)
#define get(state, ...)    time_get_##state(machine, ##__VA_ARGS__)
#define element_size(type) exact_size(type)
#define is_float(type)     exact_is_float(type)
#define latency()          time_latency(&timed->machine->config, timed->id)
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
