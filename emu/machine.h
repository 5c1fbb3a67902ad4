/* The whole machine: configuration, hart, memory, units, environment. There is one in a run. */
#ifndef EMU_MACHINE_H
#define EMU_MACHINE_H

#include "emu/bare/bare.h"
#include "emu/deadline.h"
#include "emu/decode/decode.h"
#include "emu/memory/memory.h"
#include "emu/pmp.h"
#include "emu/privilege.h"
#include "emu/trap.h"
#include "emu/units/port.h"
#include "emu/user/user.h"
#include "lib/machine/config.h"
#include "units.h"
#define UNITS_HEADERS
#include "units.inc"
#undef UNITS_HEADERS

/* The state of one hardware thread. */
struct hart {
    uint64_t x[SINK + 1]; /* writes to x0 go to x[SINK]; x[0] is never written */
    /* Narrower values are NaN-boxed. Native code accesses groups by aligned pairs. */
    uint64_t f[ISA_F_REGISTERS] __attribute__((aligned(16)));
    uint64_t pc; /* exact whenever the executor is not running */
    unsigned fflags, frm;
    bool reserved; /* by lr, until the next sc */
    uint64_t reserved_address, reserved_value;
    uint64_t instret; /* instructions retired; exact outside the executor and in CSR bodies */
    uint64_t cycle;   /* with is_timed: in which the instruction is executed; exact in CSR bodies */
    bool is_timed;    /* there is a model of time (keeper.h) */
    uint64_t foreign; /* with a barrel: how many of instret other threads retired, */
    uint64_t passed;  /* and the turn less instret */

    unsigned privilege; /* enum privilege; user mode in the user environment */
    uint64_t mstatus, mie, mtvec, mscratch, mepc, mcause, mtval, mcounteren, mcountinhibit, menvcfg;
    struct counter mcycle, minstret;
    struct pmp pmp;
    bool vector_set;         /* mtvec was written */
    unsigned repeated_traps; /* exceptions in a row with the pc and cause of the one before */
    uint64_t trap_instret;   /* instret at the last exception */
    uint64_t native_count;   /* in native code: what instret is when no instructions are left */
    int64_t native_left;     /* of native code (emu/native/native.h): the count outside of it, */
    uint32_t native_exit, native_site; /* and why it was left */
    const unsigned char *native_fast;  /* its view of memory */
    uint64_t native_limit;             /* the end of the addresses of memory */
    uint32_t *native_counters;         /* of the blocks whose code is simple */
    /* The status register of the host's arithmetic: its value for each rounding mode that the host
     * has, without flags, and the flags of one operation. */
    uint32_t native_modes[FLOAT_RMM], native_status;
    unsigned native_rounding[ISA_VALUE_ROUNDING_MODE_DYN]; /* the modes that instructions name */
    /* While native code counts for a profile (tally.h): the counters of the innermost frame, the
     * frame, the end of the room for frames, the number of the block that was counted last, and,
     * with a model of time, that of the one before it. */
    uint64_t *tallies;
    struct profile_frame *frame, *frames_end;
    uint32_t native_block, native_before;
    /* While native code counts passages through blocks (keeper.h): these, and its hooks. */
    struct block_times *native_times;
    const void *native_hooks;
    /* The registers of the files that are not standard (`place` in struct isa_register_file). One
     * word more, since there may be none. */
    uint64_t registers[ISA_REGISTER_WORDS + 1];
    /* Of the thread of a barrel while the threads have harts of their own (turns.h). */
    struct machine *barrel;      /* that it is a thread of; NULL: this is the machine's hart */
    struct recording *recording; /* of the machine, while the executor that records runs */
    struct hart *follower;       /* that has the turn after it, */
    struct hart *second;         /* and the turn after that */
    struct decoded *next;        /* that it executes in its next turn */
    uint64_t
        pairs; /* of the block that it is in: which instructions may begin a bundle (bundles.h) */
    struct turn_block *counted; /* the block that it is in, if they are counted (keeper.h), */
    struct profile_run *run;    /* or counted for a profile, of this thread */
    struct profile_thread *profiled;
    bool is_refused; /* its instruction needs the machine's hart */
    bool is_apart;   /* it has state of its own in a unit, which is not as the machine's (lend.h) */
};

/* Returns the words of the value of a register, the lowest one first; there are file->words. */
static inline const uint64_t *hart_register(const struct hart *hart,
                                            const struct isa_register_file *file, unsigned number)
{
    switch (file->standard) {
    case ISA_STANDARD_INTEGER:
        return &hart->x[number];
    case ISA_STANDARD_FLOAT:
        return &hart->f[number];
    case ISA_STANDARD_NONE:
        break;
    }
    return &hart->registers[file->place + number * file->words];
}

/* Returns the bit in machine->reserved_lines of the doubleword that has the byte. */
static inline uint64_t hart_reserved_line(uint64_t address)
{
    return UINT64_C(1) << (address >> 3 & 63);
}

/* How the core asks the environment of the machine for the values of CSRs. */
struct environment {
    uint64_t (*time)(const struct machine *machine);    /* time */
    uint64_t (*pending)(const struct machine *machine); /* mip */
};

/* Units that are described in YAML, with their state. */

/* Why a run ended. */
enum run_end {
    RUN_SLICE,   /* the requested instructions are done; the program has not ended */
    RUN_EXIT,    /* the environment ended the program: machine->user */
    RUN_IDLE,    /* bare environment: the program waits for an interrupt that cannot come */
    RUN_FAULT,   /* an unhandled exception: machine->fault, raised by the instruction at hart.pc */
    RUN_LIMIT,   /* --max-insns */
    RUN_STOPPED, /* from outside: machine_expired */
    RUN_PASSED,  /* user environment: another process has the next turn */
    RUN_HELD, /* machine->watcher: breakpoint, watchpoint or interrupt; the program has not ended */
};

/* How control leaves a body. */
enum flow {
    FLOW_NEXT,
    FLOW_FIXED,   /* to a fixed block */
    FLOW_TARGET,  /* to the block at an address in a register */
    FLOW_LEAVE,   /* to an address; the environment has work first */
    FLOW_CALL,    /* of the environment */
    FLOW_TRAPPED, /* machine->fault; nothing was written */
    FLOW_AGAIN,   /* nothing was done; the instruction must be decoded again */
};

struct observed;

/* The state of an executor besides the arguments of the bodies. */
struct execution {
    uint64_t end_count;   /* value of hart.instret when `left` is 0 */
    int64_t left;         /* while a body has its whole form: instructions that may still run */
    uint64_t destination; /* after it: where control goes, if not to the next record */
    unsigned *fflags;     /* where it raises floating-point flags */
    struct observed *observed; /* the current instruction; NULL in the plain executor */
    enum run_end end;
    bool has_trapped; /* an exception ended the run */
};

struct keeper;
struct trace;
struct profile;
struct progress;
struct races;
struct native;
struct recording;
struct reference;
struct stats;
struct workers;
struct watcher;

struct machine {
    struct config config;
    struct arena *arena;
    struct hart hart;
    struct memory memory;
    struct code code;
    struct port
        port; /* gives the units access to `memory`; its recorder is NULL or that of the machine */
#define UNITS_MEMBERS
#include "units.inc"
#undef UNITS_MEMBERS
    struct user user;
    struct bare bare;
    struct execution execution;
    const struct environment *environment; /* the one of the two that is active */
    bool attention;                        /* the executor returns after the current instruction */
    bool views_stale;                      /* the PMP or mstatus.FS changed */
    bool waiting;                          /* after a wfi */
    struct fault fault;          /* the exception that ended the run; scratch until then */
    struct recorder *recorder;   /* effects of the current instruction; NULL: not recorded */
    struct trace *trace;         /* or NULL */
    struct stats *stats;         /* or NULL */
    struct profile *profile;     /* or NULL */
    struct watcher *watcher;     /* of a debugger; or NULL */
    struct keeper *keeper;       /* of the time (keeper.h); or NULL */
    struct races *races;         /* --races; or NULL */
    struct progress *progress;   /* or NULL */
    struct workers *workers;     /* of the barrel (workers.h); NULL: there is none */
    uint64_t reserved_lines;     /* while turns.c runs: of all reservations, and perhaps others */
    struct recording *recording; /* for a trace (recording.h); NULL: none yet */
    struct native *native;       /* native code (native/blocks.h); or NULL */
    struct reference *reference; /* of definitions, made when needed (reference.h); or NULL */
    uint64_t deadline;           /* nanoseconds of CLOCK_MONOTONIC; 0: none (deadline.h) */
};

static inline struct machine *machine_of(struct hart *hart)
{
    return (struct machine *)((char *)hart - offsetof(struct machine, hart));
}

/* May a store of `size` bytes by a thread of a barrel end a reservation? */
static inline bool hart_may_end_reservation(const struct hart *hart, uint64_t address,
                                            unsigned size)
{
    return hart->barrel->reserved_lines &
           (hart_reserved_line(address) | hart_reserved_line(address + size - 1));
}

/* Sets up address space, scratchpad and units, and RAM in the bare environment. machine->config and
 * machine->bare.active must be set. Returns false after a diagnostic. */
bool machine_init(struct machine *machine, struct arena *arena, struct diag *diag);
void machine_free(struct machine *machine);
/* The same, but leaves the user environment alone, which has the state of other processes, too. */
void machine_free_parts(struct machine *machine);

#endif
