/* The bare environment: a machine without an operating system, with RAM, the CLINT and HTIF. The
 * program starts in machine mode at its entry point, with the number of its hart in a0 and 0 in a1.
 *
 * The executors run it like any other program, in slices. A slice ends at the instruction where the
 * timer interrupt comes, and after an instruction that set machine->attention. */
#ifndef EMU_BARE_BARE_H
#define EMU_BARE_BARE_H

#include "emu/bare/clint.h"
#include "emu/bare/htif.h"
#include "emu/bare/ram.h"
#include "emu/trap.h"

/* Reads the CSRs `time`, which is mtime, and mip. */
extern const struct environment bare_environment;

struct bare {
    bool active; /* the program runs in the bare environment */
    struct clint clint;
    struct htif htif;
};

/* Is the program meant for the bare environment? It is when it has a symbol `tohost`, or its entry
 * point is in RAM. */
bool bare_suits(const struct machine *machine, const struct program *program);
/* Maps RAM and resets the hart; called by machine_init. Returns false after a diagnostic. */
bool bare_open(struct machine *machine, struct diag *diag);

/* May the hart access the whole range in the mode of its loads and stores? For the tensor units. */
bool bare_allows(const struct machine *machine, uint64_t address, uint64_t length, bool write);

/* ---- for the executors ---- */

/* Makes a load or store that memory does not serve (CAUSE_DEVICE). A store is reported to the
 * recorder, before what it has the environment do. Returns false after filling the fault. */
bool bare_load(struct machine *machine, uint64_t address, void *value, size_t size,
               struct fault *fault);
bool bare_store(struct machine *machine, uint64_t address, const void *value, size_t size,
                struct fault *fault);
/* Enters the handler for machine->fault, raised at hart->pc. Returns false when there is no handler
 * (mtvec was never written), or when the handler faults for ever. */
bool bare_take_exception(struct machine *machine);

/* ---- for machine_run ---- */

/* Prepares the next slice of instructions: updates what depends on the mode, waits after a wfi, and
 * takes an interrupt, except with `interrupts` false (the single step of a debugger). Shortens
 * *slice to the instruction where the next interrupt may come. Returns false when nothing can
 * happen any more. */
bool bare_prepare(struct machine *machine, uint64_t *slice, bool interrupts);
/* The instruction at hart->pc jumped to itself and changed nothing. Is the program stuck, because
 * no interrupt can come? */
bool bare_is_stuck(const struct machine *machine);

#endif
