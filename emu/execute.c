/* The executors: bodies.inc compiled twice, and the choice between the two. See execute.h and
 * execute.inc. */
#include "emu/execute.h"
#include "emu/block.h"
#include "emu/csr.h"
#include "emu/float_host.h"
#include "emu/loops.h"
#include "emu/native/translate.h"
#include "emu/observe.h"
#include "emu/progress.h"
#include "emu/reference.h"
#include "emu/trace/trace.h"
#include "emu/watch.h"
#include "isa_ids.h"

enum {
    ROUNDING_DYNAMIC = ISA_VALUE_ROUNDING_MODE_DYN, /* the mode is in frm */
    SLICE = 1 << 18, /* instructions between two checks of the deadline */
};

/* The bodies pass the rounding mode of the instruction to the arithmetic unchanged. */
_Static_assert((int)FLOAT_RNE == ISA_VALUE_ROUNDING_MODE_RNE &&
                   (int)FLOAT_RTZ == ISA_VALUE_ROUNDING_MODE_RTZ &&
                   (int)FLOAT_RDN == ISA_VALUE_ROUNDING_MODE_RDN &&
                   (int)FLOAT_RUP == ISA_VALUE_ROUNDING_MODE_RUP &&
                   (int)FLOAT_RMM == ISA_VALUE_ROUNDING_MODE_RMM,
               "rounding modes are numbered as in the ISA description");

/* How control leaves a body. */
enum flow {
    FLOW_NEXT,
    FLOW_FIXED,  /* to a fixed block */
    FLOW_TARGET, /* to the block at an address in a register */
    FLOW_CALL,
    FLOW_LEAVE,
};

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

/* Must the observed executor run? Stops recording when nobody needs it any more, e.g. after the
 * trace has reached its limit. */
static bool is_watched(struct machine *machine)
{
    const struct watcher *watcher = machine->watcher;
    bool recorded = machine->stats || (machine->trace && !trace_finished(machine->trace)) ||
                    (watcher && watcher->watchpoints);

    if (!recorded)
        machine->recorder = machine->port.recorder = NULL;
    return recorded || (watcher && watcher->count);
}

/* Is the program in an endless loop that no interrupt can end? This is a jump to itself in the bare
 * environment. */
static bool is_stuck(struct machine *machine)
{
    const struct hart before = machine->hart;

    return machine->bare.active && !machine->attention && bare_is_stuck(machine) &&
           code_find_plain(&machine->code, before.pc)->remaining == 1 &&
           execute_observed(machine, 1) == RUN_SLICE && machine->hart.pc == before.pc &&
           machine->hart.instret == before.instret + 1 && !machine->attention;
}

enum run_end machine_step(struct machine *machine)
{
    uint64_t slice = 1;

    if (machine->bare.active && !bare_prepare(machine, &slice, false))
        return RUN_IDLE;
    enum run_end end = execute_observed(machine, slice);
    return machine->user.exited && end == RUN_SLICE ? RUN_EXIT : end;
}

/* Lets the environment do its work before the next instruction, and shortens *slice to end where it
 * has work again. Returns RUN_SLICE when the run goes on. */
static enum run_end prepare(struct machine *machine, uint64_t *slice)
{
    if (machine->bare.active)
        return bare_prepare(machine, slice, true) ? RUN_SLICE : RUN_IDLE;
    uint64_t timer = user_timer_left(machine);
    if (timer == 0 && !user_interrupt(machine))
        return RUN_EXIT;
    if (timer < *slice)
        *slice = timer ? timer : 1;
    return RUN_SLICE;
}

enum run_end machine_run(struct machine *machine, uint64_t max_instructions)
{
    const struct hart *hart = &machine->hart;
    uint64_t looked = hart->instret; /* at the last check whether the program is stuck */

    for (;;) {
        uint64_t slice = machine->translator ? translator_slice(machine->translator) : SLICE;
        if (max_instructions && max_instructions - hart->instret < slice)
            slice = max_instructions - hart->instret;
        if (slice == 0)
            return RUN_LIMIT;
        if (machine->watcher && watcher_interrupted(machine->watcher))
            return RUN_HELD;
        enum run_end before = prepare(machine, &slice);
        if (before != RUN_SLICE)
            return before;
        if (user_signal_is_held(machine))
            return RUN_HELD;
        bool plain = !is_watched(machine) && slice >= BLOCK_LIMIT;
        if (plain && machine->translator) {
            execute_plain(machine, 0); /* makes decoded code refer to this executor's bodies */
            translator_look(machine->translator);
        }
        enum run_end end = plain ? execute_plain(machine, slice) : execute_observed(machine, slice);
        if (end == RUN_SLICE && hart->instret - looked > SLICE - BLOCK_LIMIT) {
            looked = hart->instret;
            if (looked != max_instructions && is_stuck(machine))
                return RUN_IDLE;
        }
        if (machine->user.exited)
            return RUN_EXIT;
        /* A debugger sees the fault before the program's handler. In the bare environment,
         * RUN_FAULT means that there is no handler. */
        if (end == RUN_HELD || (end == RUN_FAULT &&
                                (machine->watcher || machine->bare.active || !user_fault(machine))))
            return end;
        if (machine->progress)
            machine->progress->look(machine->progress);
        if (machine_expired(machine))
            return RUN_STOPPED;
    }
}
