/* The gdb stub: gdb's remote serial protocol ("Debugging with GDB", appendix E) over a loopback TCP
 * port or a Unix socket, for one client.
 *
 * The threads are those of the program, numbered from 1, in the user environment. All of them stop
 * at once, and only one runs at a time. Breakpoints and watchpoints are those of the watcher;
 * nothing is written into guest memory for them. A fault stops the program at the instruction that
 * raised it. Continuing with its signal delivers the signal, which ends a program without a
 * handler; continuing without it executes the instruction again.
 *
 * RISC-V triggers fire before the access, and gdb relies on that: after a watchpoint it takes one
 * step, and looks at the value only then. The emulator knows the bytes of an access only after the
 * access. So the program stops inside the instruction: its effects are there, the pc is still its
 * address, and the next step only advances the pc. */
#ifndef EMU_GDB_GDB_H
#define EMU_GDB_GDB_H

#include "emu/execute/execute.h"
#include "emu/gdb/packet.h"
#include "emu/load.h"
#include "emu/observe/watch.h"
#include "emu/profile/stats.h"
#include "emu/trace/trace.h"

struct output_use;

struct gdb {
    struct diag *diag;
    struct arena *arena;
    struct machine *machine;
    const struct program *program;
    struct recorder *recorder;          /* given to the machine while a client of it is active */
    struct trace *trace;                /* given to the machine by `monitor trace on` */
    struct trace_program trace_program; /* the program that the trace is about */
    /* The options of the trace, of which `file` is the place of traces that the client may begin: a
     * directory, or the only file; NULL: none. */
    struct trace_options trace_options;
    const struct output_use *files; /* what the run reads and writes */
    size_t file_count;
    struct stats *stats;       /* given to the machine by `monitor stats on` */
    uint64_t max_instructions; /* limit, as for machine_run */

    struct gdb_link link;
    struct watcher watcher;
    struct text description;  /* XML */
    struct text stop;         /* the last stop reply */
    struct text reply;        /* to the current packet */
    bool silent;              /* the current packet has no reply, or its reply is sent */
    bool reports_kind;        /* the client understands swbreak and hwbreak */
    bool faulted;             /* machine->fault stopped the program */
    bool signaled;            /* the client knows of the signal at which the program stopped */
    bool inside;              /* the program is inside the instruction at watcher.pc, */
    uint64_t next_pc;         /* which continues there */
    uint64_t range_start;     /* a step continues while the pc is not below this */
    uint64_t range_end;       /* and below this */
    unsigned stepping_worker; /* of a barrel, the thread that takes a step (workers.h) */
    bool at_breakpoint;       /* the program stopped there, */
    bool steps_over;          /* and takes a step without it */
    uint32_t told_wait;       /* number of a thread that waits, as the client knows; 0: none */
    uint32_t chosen;          /* number of the thread whose registers the client sees */
    const struct user_thread *stepping; /* the thread that takes a step; NULL: none */
    bool over;                          /* the session has ended */
    enum run_end end;                   /* how the program ended, if `ended` */
    bool ended;
};

/* Prints a message to standard error and waits for the client at `where`, a port (0: any free port)
 * or the path of a socket. Clients that do not begin as a debugger does are dropped. The fields
 * above `link` are set before. Returns false after a diagnostic. */
bool gdb_open(struct gdb *gdb, const char *where);
/* Serves the client until the program ends. Returns how it ended. After `detach` the program
 * continues without the client. */
enum run_end gdb_run(struct gdb *gdb);
void gdb_close(struct gdb *gdb);

/* Serves a `monitor` command of the user (monitor.c). Its output is sent to the client; the answer
 * is in gdb->reply. */
void gdb_monitor(struct gdb *gdb, const char *command);
/* Sets the recorder of the machine, if trace, statistics or watchpoints need one. */
void gdb_choose_recorder(struct gdb *gdb);

#endif
