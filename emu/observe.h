/* What the observed executor tells about each instruction: effects into the recorder, then the
 * whole to trace, statistics and watchpoints. All functions do nothing while machine->recorder is
 * NULL. */
#ifndef EMU_OBSERVE_H
#define EMU_OBSERVE_H

#include "emu/machine.h"

/* The instruction in progress: copied, as its record may be dropped by its own store. */
struct observed {
    uint64_t pc, word;
    unsigned privilege; /* in which it began */
    unsigned raised;    /* floating-point flags that it raised, set before or not */
    uint16_t id;
    uint8_t length; /* bytes fetched */
};

void observe_register(struct machine *machine, bool is_float, unsigned slot, uint64_t value);
/* Records that the CSR now holds `value`. */
void observe_csr(struct machine *machine, unsigned number, uint64_t value);
/* The mode that the instruction, or the trap, leads to. */
void observe_privilege(struct machine *machine);
/* An interrupt was taken at `pc`, in that mode: its effects are over. */
void observe_interrupt(struct machine *machine, uint64_t pc, unsigned privilege, unsigned cause);
void observe_access(struct machine *machine, bool is_store, uint64_t address, unsigned size,
                    uint64_t value);
/* The instruction is over; `trap` is what it raised, or NULL. Its flags go into the accrued ones;
 * they are an effect even where these had them already, as in Spike's log. */
void observe_end(struct machine *machine, const struct observed *observed,
                 const struct fault *trap);

#endif
