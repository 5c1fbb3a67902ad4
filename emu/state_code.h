/* State, counters and settings of units, as the accessors of definitions (reference.c) and of CSRs
 * (csr.c) read them. Only these files include it, after all other headers. */
#ifndef EMU_STATE_CODE_H
#define EMU_STATE_CODE_H

#include "emu/machine.h"
#include "lib/diag.h"

/* An index beyond the state is a mistake of the description. */
#define STATE_INDEX(state, index, count)                                                           \
    do {                                                                                           \
        if ((index) >= (uint64_t)(count))                                                          \
            diag_description_mistake("found " #index " %llu of the state '" #state                 \
                                     "'; expected less than %llu",                                 \
                                     (unsigned long long)(index), (unsigned long long)(count));    \
    } while (0)

#define UNIT_STATE_CODE
#include "unit_state.inc"
#undef UNIT_STATE_CODE

/* Returns the value that the code of a CSR has. It is an argument, since compilers report the place
 * of an argument of another type. */
static inline uint64_t csr_value(uint64_t value)
{
    return value;
}

#define get(state, ...)     state_get_##state(machine __VA_OPT__(, ) __VA_ARGS__)
#define counter(unit, name) (SETTLED_##unit.name)
#define setting(unit, key)  (machine->config.unit##_##key)

#endif
