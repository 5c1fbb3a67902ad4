/* The executors: bodies.inc compiled twice, and the choice between the two. See execute.h and
 * execute.inc. */
#include "emu/execute.h"
#include "emu/csr.h"
#include "emu/observe.h"
#include "emu/softfloat.h"
#include "emu/trace.h"
#include "emu/watch.h"
#include "isa_ids.h"

enum {
    ROUNDING_DYNAMIC = 7, /* rm operand: the mode is in frm (Unprivileged ISA, 11.2) */
    SLICE = 1 << 18,      /* instructions between two looks at the clock */
};

/* How control leaves a body. */
enum flow { FLOW_NEXT, FLOW_TARGET, FLOW_CALL };

/* NaN-boxing: Unprivileged ISA, 12.2. */
static inline uint32_t unbox_f32(uint64_t value)
{
    return value >> 32 == UINT32_MAX ? (uint32_t)value : UINT32_C(0x7fc00000);
}

static inline uint64_t box_f32(uint32_t value)
{
    return value | (uint64_t)UINT32_MAX << 32;
}

static inline uint64_t read_ri(const uint64_t *file, uint8_t slot)
{
    return slot & RI_IMMEDIATE ? slot & (RI_IMMEDIATE - 1u) : file[slot];
}

static inline uint64_t raw_bits(const void *value, size_t size)
{
    uint64_t bits = 0;

    memcpy(&bits, value, size);
    return bits;
}

#define EXECUTE  execute_plain
#define OBSERVED 0
#include "emu/execute.inc"

#define EXECUTE  execute_observed
#define OBSERVED 1
#include "emu/execute.inc"

/* Who watches may lose interest: a trace that is full. */
static bool is_watched(struct machine *machine)
{
    const struct watcher *watcher = machine->watcher;
    const bool recorded = machine->stats || (machine->trace && !trace_finished(machine->trace)) ||
                          (watcher && watcher->watchpoints);

    if (!recorded)
        machine->recorder = machine->port.recorder = NULL;
    return recorded || (watcher && watcher->count);
}

enum run_end machine_run(struct machine *machine, uint64_t max_instructions)
{
    const struct hart *hart = &machine->hart;

    for (;;) {
        uint64_t slice = SLICE;
        if (max_instructions && max_instructions - hart->instret < slice)
            slice = max_instructions - hart->instret;
        if (slice == 0)
            return RUN_LIMIT;
        if (machine->watcher && watcher_interrupted(machine->watcher))
            return RUN_HELD;
        const uint64_t timer = user_timer_left(machine);
        if (timer == 0 && !user_interrupt(machine))
            return RUN_EXIT;
        if (timer < slice)
            slice = timer ? timer : 1;
        enum run_end end = is_watched(machine) || slice < BLOCK_LIMIT
                               ? execute_observed(machine, slice)
                               : execute_plain(machine, slice);
        /* A debugger sees the fault first. */
        if (end == RUN_HELD || (end == RUN_FAULT && (machine->watcher || !user_fault(machine))))
            return end;
        if (end == RUN_EXIT && machine->user.exited)
            return end;
        if (machine->deadline && machine_expired(machine))
            return RUN_TIMEOUT;
    }
}
