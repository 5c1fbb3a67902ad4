/* The bare environment: a machine without an operating system. RAM, the CLINT, HTIF; the program
 * starts in machine mode at its entry point, with a0 the number of its hart and a1 0.
 *
 * It runs as any other program, in slices that end where something has to be decided: at the
 * instruction where the timer interrupt comes, and behind one that raised machine->attention. */
#ifndef EMU_BARE_BARE_H
#define EMU_BARE_BARE_H

#include "emu/bare/clint.h"
#include "emu/bare/htif.h"
#include "emu/bare/ram.h"
#include "emu/trap.h"

struct bare {
    bool active; /* this is the environment */
    struct clint clint;
    struct htif htif;
};

/* Is the program one for the bare environment: it has a symbol `tohost`, or its entry point is in
 * RAM? */
bool bare_suits(const struct machine *machine, const struct program *program);
/* Maps RAM and resets the hart; from machine_init. False after a diagnostic. */
bool bare_open(struct machine *machine, struct diag *diag);

/* mip */
uint64_t bare_pending(const struct machine *machine);
/* May the hart, as it loads and stores, access the whole range? For the tensor units. */
bool bare_allows(const struct machine *machine, uint64_t address, uint64_t length, bool write);

/* ---- for the executors ---- */

/* A load or store that memory left to us (CAUSE_DEVICE). False after filling the fault. */
bool bare_load(struct machine *machine, uint64_t address, void *value, size_t size,
               struct fault *fault);
bool bare_store(struct machine *machine, uint64_t address, const void *value, size_t size,
                struct fault *fault);
/* Takes machine->fault, raised at hart->pc, as the exception that it is. False when there is nobody
 * to handle it: mtvec was never written, or the handler cannot get anywhere. */
bool bare_take_exception(struct machine *machine);

/* ---- for machine_run ---- */

/* Before instructions are run: brings up to date what depends on the mode, waits after a wfi, and
 * takes an interrupt (`interrupts`: a debugger's single step takes none). Cuts *slice to where the
 * next one may come. False when nothing can happen any more. */
bool bare_prepare(struct machine *machine, uint64_t *slice, bool interrupts);
/* The instruction at hart->pc led to itself, with nothing changed: can anything happen any more? */
bool bare_is_stuck(const struct machine *machine);

#endif
