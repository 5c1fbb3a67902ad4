/* A debugger's way into the machine: gdb's remote serial protocol ("Debugging with GDB", appendix
 * E) over a loopback TCP port or a Unix socket, for one client.
 *
 * The program has one thread, 1. Breakpoints and watchpoints are the watcher's, so that memory is
 * as the program left it. A fault stops the program at the instruction that raised it; going on
 * with its signal ends the program, going on without runs the instruction again.
 *
 * RISC-V's own triggers fire before the access, and gdb relies on it: after a watchpoint it takes
 * one step, and only then looks at the value. What an access touches is known here when it is done.
 * So the program stops inside the instruction: its effects are there, the pc still stands at it,
 * and the next step only moves the pc on. */
#ifndef EMU_GDB_GDB_H
#define EMU_GDB_GDB_H

#include "emu/execute.h"
#include "emu/gdb/packet.h"
#include "emu/load.h"
#include "emu/stats.h"
#include "emu/trace/trace.h"
#include "emu/watch.h"

struct gdb {
    struct diag *diag;
    struct arena *arena;
    struct machine *machine;
    const struct program *program;
    struct recorder *recorder;          /* for the machine, while somebody needs it */
    struct trace *trace;                /* for the machine, when `monitor trace` opens it */
    struct trace_program trace_program; /* what it is of */
    struct stats *stats;                /* for the machine, when `monitor stats on` asks for it */
    uint64_t max_instructions;          /* as machine_run has it */

    struct gdb_link link;
    struct watcher watcher;
    struct text description; /* XML */
    struct text stop;        /* the last stop reply */
    struct text reply;       /* to the packet at hand */
    bool silent;             /* which has no reply, or has sent it itself */
    bool reports_kind;       /* the client understands swbreak and hwbreak */
    bool faulted;            /* stopped by machine->fault */
    bool inside;             /* stopped inside an instruction, at watcher.pc: */
    uint64_t next_pc;        /* where it leads */
    uint64_t range_start;    /* the step at hand goes on as long as the pc is from here */
    uint64_t range_end;      /* to below this */
    bool over;               /* the session is */
    enum run_end end;        /* once the program is over too */
    bool ended;
};

/* Waits for the client at `where`, a port (0: any free one) or the path of a socket, after saying
 * so on standard error. The fields above `link` are set before. False after a diagnostic. */
bool gdb_open(struct gdb *gdb, const char *where);
/* Serves the client until the program's end, which is returned. After `detach` the program goes on
 * alone. */
enum run_end gdb_run(struct gdb *gdb);
void gdb_close(struct gdb *gdb);

/* What the user types behind `monitor`. Its output goes to the client; the answer is
 * in gdb->reply. (monitor.c) */
void gdb_monitor(struct gdb *gdb, const char *command);
/* Lets the machine record what trace, statistics and watchpoints need, and no more. */
void gdb_choose_recorder(struct gdb *gdb);

#endif
