/* A run of temu: what its phases leave for each other, and the phases that have files of their own.
 */
#ifndef EMU_TEMU_H
#define EMU_TEMU_H

#include "emu/gdb/gdb.h"
#include "emu/load.h"
#include "emu/options.h"
#include "emu/picture/picture.h"
#include "emu/profile/profile.h"
#include "emu/profile/stats.h"
#include "emu/report/inspect.h"
#include "emu/report/progress.h"
#include "emu/report/race_report.h"
#include "emu/run_files.h"
#include "emu/timing/feed.h"
#include "emu/timing/trace_times.h"
#include "emu/trace/trace.h"
#include "emu/workers/schedule.h"

struct temu {
    struct arena arena;
    struct diag diag;
    struct temu_options options;
    struct program program, linker;  /* the linker: a dynamic one, if the program asks for it */
    struct user_execution execution; /* what the run begins with */
    struct machine machine;
    uint64_t fingerprint; /* of the machine as it was configured */
    struct recorder recorder;
    struct trace trace;
    struct stats stats;
    struct profile profile;
    struct schedule schedule;
    struct race_reporter race_reporter;
    struct feed feed;
    struct picture picture;
    struct trace_timer trace_timer;
    struct gdb gdb;
    struct progress_line progress;
    struct print_request *print_requests;
    struct dump_request *dump_requests;
    struct load_request *load_requests;
    struct run_files files;
};

/* ---- prepare.c: after the program was loaded. Each returns false after a diagnostic ---- */

/* Returns the tier of native code that is wanted. */
enum tier prepare_tier(const struct temu *temu);
/* Opens native code, as far as it is wanted and the host has it, and what shows it. */
bool prepare_native(struct temu *temu);
/* Waits for the debugger to connect. */
bool prepare_gdb(struct temu *temu);
/* Opens all that observes the program: trace, statistics, timing, picture, profile, races. */
bool prepare_observers(struct temu *temu);

/* ---- results.c: after the run ---- */

/* Reports how the program ended, and returns the exit status. */
int results_end(struct temu *temu, enum run_end end);
/* Says that an option after the program went to the program. Where nobody is at a terminal, this is
 * only said after a report of the end, never after a normal exit. */
void results_hint(const struct temu *temu, enum run_end end);
/* Prints and writes what was asked for: memory, state, statistics, profile, picture, timing. */
void results_print(struct temu *temu);

#endif
