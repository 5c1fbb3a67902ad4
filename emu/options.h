/* The command line of temu: which options there are, and what they ask for. */
#ifndef EMU_OPTIONS_H
#define EMU_OPTIONS_H

#include "emu/native/blocks.h"
#include "emu/picture/picture.h"
#include "emu/report/profile_report.h"
#include "emu/report/progress.h"
#include "emu/trace/trace.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/isa_note.h"
#include "lib/machine/config.h"
#include "lib/strings.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As the option says them. */
extern const char *const tier_names[];

enum environment_choice { ENVIRONMENT_OF_PROGRAM, ENVIRONMENT_USER, ENVIRONMENT_BARE };

struct temu_options {
    struct arena *arena;
    struct diag *diag;
    struct config *config;   /* --machine writes here */
    struct strings machines; /* the names that --machine had */

    const char *program;    /* NULL: none was given */
    char *const *arguments; /* of the program; ends with NULL */
    const char *misplaced;  /* the first of them that is the name of an option of temu, unless `--`
                               comes before it; or NULL */
    enum environment_choice environment;
    bool traced, units_traced, calls_traced, stats_wanted, stats_json, machine_dumped;
    bool timed, timing_json;
    bool races;
    const char *schedule;
    const char *stats_file;   /* NULL: standard error */
    const char *stats_format; /* as given, or NULL */
    bool profiled;
    const char *coverage;       /* file, or NULL */
    const char *profile_file;   /* NULL: standard error */
    const char *profile_format; /* as given, or NULL */
    enum profile_format profile_as;
    const char *timing_file;   /* NULL: standard error */
    const char *timing_format; /* as given, or NULL */
    const char *timing_from, *timing_to;
    const char *state_file; /* of --dump-state; or NULL */
    const char *trace_from, *trace_to, *root, *gdb;
    struct trace_options trace;
    struct picture_options picture;
    const char *picture_format; /* as given, or NULL */
    enum tier tier;
    enum progress_choice progress;
    struct strings prints, dumps, loads, variables;
    struct strings shown;           /* --show-native */
    bool jitdumped, native_symbols; /* --jitdump, --native-symbols */
    const char *jitdump;            /* the file or directory that was given, or NULL */
    uint64_t max_instructions;      /* 0: no limit */
    uint64_t timeout;               /* seconds; 0: no limit */
    enum isa_mismatch isa_mismatch;
    uint64_t threads; /* 0: as many as the host has processors */
    bool verbose;     /* report what became native code */
    bool reference;   /* run definitions (reference.h) */
};

/* Reads the command line. `arena`, `diag` and `config` are set before. Returns false when the tool
 * has nothing more to do, after --help, --version or an error, and sets *status to the exit
 * status. */
bool options_read(struct temu_options *options, int argc, char **argv, int *status);

/* Returns the option that looks at native code, or NULL if there is none. */
const char *options_view(const struct temu_options *options);

#endif
