/* See unit_state.h. The cases come from the ISA description. */
#include "emu/unit_state.h"
#include "emu/machine.h"

const struct unit_state unit_states[] = {
#define UNIT_STATE(unit, extension, name, is_address, first, second, writable)                     \
    {unit, extension, name, is_address, {first, second}, writable},
#include "unit_state.inc"
#undef UNIT_STATE
};
const unsigned unit_state_count = sizeof unit_states / sizeof *unit_states;

void unit_state_counts(struct machine *machine, unsigned state, uint32_t counts[2])
{
    counts[0] = counts[1] = 1;
    switch (state) {
#define UNIT_STATE_COUNTS
#include "unit_state.inc"
#undef UNIT_STATE_COUNTS
    }
}

uint64_t unit_state_read(struct machine *machine, unsigned state, const uint32_t index[2])
{
    uint64_t value = 0;

    switch (state) {
#define UNIT_STATE_READ
#include "unit_state.inc"
#undef UNIT_STATE_READ
    }
    return value;
}

void unit_state_write(struct machine *machine, unsigned state, const uint32_t index[2],
                      uint64_t value)
{
    switch (state) {
#define UNIT_STATE_WRITE
#include "unit_state.inc"
#undef UNIT_STATE_WRITE
    }
}

bool unit_state_value(struct machine *machine, unsigned number, const uint64_t indices[2],
                      uint64_t *value)
{
    switch (number) {
#define UNIT_STATE_VALUES
#include "unit_state.inc"
#undef UNIT_STATE_VALUES
    }
    return false;
}
