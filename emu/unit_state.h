/* The state of the units besides registers and CSRs, as a debugger and --dump-state show it. The
 * ISA description says what there is: a 64-bit value, or an array of them with one or two indices.
 */
#ifndef EMU_UNIT_STATE_H
#define EMU_UNIT_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

struct unit_state {
    const char *unit, *extension, *name;
    bool is_address;
    const char *indices[2]; /* names; NULL: none */
    bool writable;
};

extern const struct unit_state unit_states[];
extern const unsigned unit_state_count;

/* Returns the number of values of each index of the state; 1 where there is no index. */
void unit_state_counts(struct machine *machine, unsigned state, uint32_t counts[2]);
/* Reads and writes a value of the state. An index that it does not have is 0. */
uint64_t unit_state_read(struct machine *machine, unsigned state, const uint32_t index[2]);
void unit_state_write(struct machine *machine, unsigned state, const uint32_t index[2],
                      uint64_t value);

/* Reads a value of the state with this number among that of all units in the ISA description, also
 * of what a debugger does not see. Returns false where the state does not have the indices. */
bool unit_state_value(struct machine *machine, unsigned number, const uint64_t indices[2],
                      uint64_t *value);

#endif
