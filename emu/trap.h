/* Exceptions: those of the section `traps` of the ISA description, and what an instruction that
 * raises one leaves. */
#ifndef EMU_TRAP_H
#define EMU_TRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A reason for an exception is an exception, too: its cause is in the low CAUSE_BITS. */
enum { CAUSE_BITS = 20 };

enum cause { /* and TRAP_name for each CAUSE_NAME */
#define TRAP_CAUSES
#include "traps.inc"
#undef TRAP_CAUSES
             /* Internal to temu, never in mcause: */
             CAUSE_DEVICE = 1 << 15, /* a load or store that the bare environment has to serve */
             CAUSE_DEADLINE =
                 1 << 16, /* the deadline passed during the instruction; its output is incomplete */
             CAUSE_WAIT = 1 << 17, /* the instruction waits: it is executed again in a later turn */
};

/* The bit of mcause that is set for interrupts (RISC-V Privileged ISA, 3.1.15). */
#define CAUSE_INTERRUPT_BIT (UINT64_C(1) << 63)

struct fault {
    enum cause cause;
    enum cause reason; /* that of the cause, or the cause */
    uint64_t value;    /* mtval */
};

/* Fills the fault and returns false, so that a function can `return fault_set(…)`. */
static inline bool fault_set(struct fault *fault, enum cause reason, uint64_t value)
{
    fault->cause = reason & ((1 << CAUSE_BITS) - 1);
    fault->reason = reason;
    fault->value = value;
    return false;
}

/* Returns the number of the signal that Linux sends for the cause (docs: machine.md, 1). */
int fault_signal(enum cause cause);
/* Returns the name of the cause for reports: "load access fault". */
const char *fault_text(enum cause cause);
/* Returns the sentence that explains the value, with {value} and settings {UNIT.KEY}; or NULL. */
const char *fault_explain(enum cause reason);

#endif
