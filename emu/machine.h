/* The whole machine: configuration, hart, memory, units, environment. One per run, passed to
 * everything. */
#ifndef EMU_MACHINE_H
#define EMU_MACHINE_H

#include "emu/bare/bare.h"
#include "emu/config.h"
#include "emu/deadline.h"
#include "emu/decode.h"
#include "emu/memory.h"
#include "emu/pmp.h"
#include "emu/privilege.h"
#include "emu/trap.h"
#include "emu/units/dma.h"
#include "emu/units/histogram.h"
#include "emu/units/matrix.h"
#include "emu/units/port.h"
#include "emu/units/sparse.h"
#include "emu/units/traversal.h"
#include "emu/user/user.h"

/* What a thread of control has of its own. A barrel will have one for each slot. */
struct hart {
    uint64_t x[SINK + 1];        /* [SINK] takes the writes to x0; x[0] is never written */
    uint64_t f[ISA_F_REGISTERS]; /* narrower values are NaN-boxed */
    uint64_t pc;                 /* exact whenever the executor is not running */
    unsigned fflags, frm;
    bool reserved; /* by lr, until the next sc */
    uint64_t reserved_address, reserved_value;
    uint64_t instret; /* instructions retired; exact outside the executor and in CSR bodies */

    unsigned privilege; /* enum privilege; user mode in the user environment */
    uint64_t mstatus, mie, mtvec, mscratch, mepc, mcause, mtval, mcounteren, mcountinhibit, menvcfg;
    struct counter mcycle, minstret;
    struct pmp pmp;
    bool vector_set;         /* mtvec was written */
    unsigned repeated_traps; /* exceptions in a row with the pc and cause of the one before */
    uint64_t trap_instret;   /* instret at the last exception */
};

/* How the core asks the environment of the machine for the values of CSRs. */
struct environment {
    uint64_t (*time)(const struct machine *machine);    /* time */
    uint64_t (*pending)(const struct machine *machine); /* mip */
};

struct trace;
struct translator;
struct stats;
struct watcher;

struct machine {
    struct config config;
    struct arena *arena;
    struct hart hart;
    struct memory memory;
    struct code code;
    struct port port; /* the units' way to `memory`; its recorder is set while somebody watches */
    struct matrix_unit matrix;
    struct dma_unit dma;
    struct traversal_unit traversal;
    struct histogram_unit histogram;
    struct sparse_unit sparse;
    struct user user;
    struct bare bare;
    const struct environment *environment; /* the one of the two that is active */
    bool attention;            /* the executor leaves behind the instruction at hand */
    bool views_stale;          /* the PMP or mstatus.FS changed */
    bool waiting;              /* behind a wfi */
    struct fault fault;        /* the exception that ended the run; scratch before that */
    struct recorder *recorder; /* effects of the current instruction; NULL while nobody watches */
    struct trace *trace;       /* or NULL */
    struct stats *stats;       /* or NULL */
    struct watcher *watcher;   /* of a debugger; or NULL */
    struct translator *translator; /* or NULL */
    uint64_t deadline; /* nanoseconds of CLOCK_MONOTONIC; 0: none (deadline.h) */
};

/* Address space, scratchpad, units, and RAM, where machine->bare.active says so. That and
 * machine->config are set before. False after a diagnostic. */
bool machine_init(struct machine *machine, struct arena *arena, struct diag *diag);
void machine_free(struct machine *machine);

#endif
