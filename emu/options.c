/* See options.h. */
#include "emu/options.h"
#include "emu/units/matrix.h"
#include "lib/file.h"
#include "lib/options.h"
#include "lib/output.h"
#include "units.h"
#include <stdlib.h>

enum { SECONDS_MAXIMUM = 31536000 };

enum option {
    OPTION_TRACE,
    OPTION_TRACE_FORMAT,
    OPTION_TRACE_FROM,
    OPTION_TRACE_TO,
    OPTION_TRACE_INSNS,
    OPTION_TRACE_THREADS,
    OPTION_TRACE_UNITS,
    OPTION_TRACE_SYSCALLS,
    OPTION_PRINT,
    OPTION_DUMP,
    OPTION_LOAD,
    OPTION_STATS,
    OPTION_STATS_FORMAT,
    OPTION_PROFILE,
    OPTION_PROFILE_FORMAT,
    OPTION_COVERAGE,
    OPTION_RACES,
    OPTION_SCHEDULE,
    OPTION_TIMING,
    OPTION_TIMING_FILE,
    OPTION_TIMING_FROM,
    OPTION_TIMING_TO,
    OPTION_PIPELINE,
    OPTION_PIPELINE_FORMAT,
    OPTION_MAX_INSNS,
    OPTION_TIMEOUT,
    OPTION_PROGRESS,
    OPTION_MACHINE,
    OPTION_DUMP_MACHINE,
    OPTION_ENV,
    OPTION_ROOT,
    OPTION_DUMP_STATE,
    OPTION_GDB,
    OPTION_SETENV,
    OPTION_TIER,
    OPTION_VERBOSE,
    OPTION_SHOW_NATIVE,
    OPTION_JITDUMP,
    OPTION_NATIVE_SYMBOLS,
    OPTION_THREADS,
    OPTION_ISA_MISMATCH,
    OPTION_REFERENCE,
};

static const struct option_spec specs[] = {
    {0, "trace", OPTION_OPTIONAL, "FILE",
     "trace every instruction, to FILE (compressed as FILE.zst) or standard error", false,
     OPTION_TRACE},
    {0, "trace-format", OPTION_REQUIRED, "text|spike|json|riscv-dv|rvvi|ttrace",
     "format of the trace (that of FILE's ending, else text)", false, OPTION_TRACE_FORMAT},
    {0, "trace-from", OPTION_REQUIRED, "PC",
     "trace from each time that PC, a symbol or address, is reached", false, OPTION_TRACE_FROM},
    {0, "trace-to", OPTION_REQUIRED, "PC", "trace up to each time that PC is reached", false,
     OPTION_TRACE_TO},
    {0, "trace-insns", OPTION_REQUIRED, "N", "trace at most N instructions", false,
     OPTION_TRACE_INSNS},
    {0, "trace-threads", OPTION_REQUIRED, "LIST",
     "trace these threads only: t1,t3 (in a barrel: sup,w0)", false, OPTION_TRACE_THREADS},
    {0, "trace-units", OPTION_REQUIRED, "UNIT",
     "also trace what happens inside a unit: " TRACED_UNITS, false, OPTION_TRACE_UNITS},
    {0, "trace-syscalls", OPTION_NONE, NULL, "print system calls to standard error", false,
     OPTION_TRACE_SYSCALLS},
    {0, "print", OPTION_REQUIRED, "SYM:TYPE[DIMS]",
     "print an array, or a register, when the program ends: out:f32[2,3]", false, OPTION_PRINT},
    {0, "dump", OPTION_REQUIRED, "SYM:LEN=FILE", "write memory to FILE when the program ends",
     false, OPTION_DUMP},
    {0, "load", OPTION_REQUIRED, "SYM=FILE", "read FILE into memory before the program starts",
     false, OPTION_LOAD},
    {0, "stats", OPTION_OPTIONAL, "FILE",
     "print counts of instructions, memory traffic and unit activity, to FILE or standard error",
     false, OPTION_STATS},
    {0, "stats-format", OPTION_REQUIRED, "text|json",
     "format of the statistics (json for a FILE.json, else text)", false, OPTION_STATS_FORMAT},
    {0, "profile", OPTION_OPTIONAL, "FILE",
     "print where instructions, bytes and cycles (with --timing) go, by function and line, to FILE "
     "or standard error",
     false, OPTION_PROFILE},
    {0, "profile-format", OPTION_REQUIRED, "text|callgrind|folded|svg|json",
     "format of the profile (that of FILE's ending, else text)", false, OPTION_PROFILE_FORMAT},
    {0, "coverage", OPTION_REQUIRED, "FILE",
     "write to FILE which lines, functions and branches were executed, as a tracefile of lcov, and "
     "for tensor instructions tensor-operands.txt beside it",
     false, OPTION_COVERAGE},
    {0, "timing", OPTION_OPTIONAL, "text|json",
     "print how many cycles the program takes, and why, to standard error", false, OPTION_TIMING},
    {0, "timing-file", OPTION_REQUIRED, "FILE", "print the timing to FILE, as JSON to a FILE.json",
     false, OPTION_TIMING_FILE},
    {0, "timing-from", OPTION_REQUIRED, "PC",
     "begin a region of the timing each time that PC, a symbol or address, is reached", false,
     OPTION_TIMING_FROM},
    {0, "timing-to", OPTION_REQUIRED, "PC", "end the region each time that PC is reached", false,
     OPTION_TIMING_TO},
    {0, "pipeline", OPTION_REQUIRED, "FILE",
     "write to FILE when each instruction was in each stage; --trace-from, --trace-to and "
     "--trace-insns limit it",
     false, OPTION_PIPELINE},
    {0, "pipeline-format", OPTION_REQUIRED, "text|kanata|perfetto|vcd|svg|html",
     "format of the pipeline (that of FILE's ending, else text)", false, OPTION_PIPELINE_FORMAT},
    {0, "races", OPTION_NONE, NULL,
     "report accesses to memory by two threads that nothing orders, with status 134", false,
     OPTION_RACES},
    {0, "schedule", OPTION_REQUIRED, "FILE",
     "take the turns of a barrel as FILE says: lines of a thread and a number of turns, w0 3",
     false, OPTION_SCHEDULE},
    {0, "dump-state", OPTION_REQUIRED, "FILE",
     "write registers, CSRs, unit state and digests of memory to FILE when the program ends, as "
     "JSON",
     false, OPTION_DUMP_STATE},
    {0, "max-insns", OPTION_REQUIRED, "N", "stop after N instructions, with status 125", false,
     OPTION_MAX_INSNS},
    {0, "timeout", OPTION_REQUIRED, "SECONDS", "stop after this time, with status 124", false,
     OPTION_TIMEOUT},
    {0, "progress", OPTION_REQUIRED, "WHEN",
     "show how far the run is: auto (default; on a terminal), yes or no; SIGUSR1 always does",
     false, OPTION_PROGRESS},
    {0, "machine", OPTION_REQUIRED, "NAME",
     "machine configuration: a YAML file, or default, cambricon or tiny", false, OPTION_MACHINE},
    {0, "dump-machine", OPTION_NONE, NULL, "print the machine configuration and exit", false,
     OPTION_DUMP_MACHINE},
    {0, "env", OPTION_REQUIRED, "user|bare",
     "environment: user (Linux system calls) or bare; by default, temu looks at the program", false,
     OPTION_ENV},
    {0, "root", OPTION_REQUIRED, "DIR",
     "directory that the program sees as /, with the libraries of one that is dynamically linked; "
     "by default, it has private files in memory",
     false, OPTION_ROOT},
    {0, "gdb", OPTION_REQUIRED, "PORT", "wait for gdb on a loopback port (0: any) or a socket",
     false, OPTION_GDB},
    {0, "tier", OPTION_REQUIRED, "auto|interp|translate|optimize",
     "auto (default): make code native that is executed more than 64 times; interp: never; "
     "translate: at "
     "once; optimize: at once, as if it were executed often",
     false, OPTION_TIER},
    {'v', "verbose", OPTION_NONE, NULL, "report how much code became native", false,
     OPTION_VERBOSE},
    {0, "show-native", OPTION_REQUIRED, "PC|SYMBOL",
     "at the end, print the native code at an address beside the program's instructions", false,
     OPTION_SHOW_NATIVE},
    {0, "jitdump", OPTION_OPTIONAL, "FILE",
     "write native code with its symbols and lines for perf to FILE, or jit-PID.dump in a "
     "directory",
     false, OPTION_JITDUMP},
    {0, "native-symbols", OPTION_NONE, NULL,
     "tell a gdb of the host which functions of the program native code is from", false,
     OPTION_NATIVE_SYMBOLS},
    {0, "setenv", OPTION_REQUIRED, "NAME=VALUE",
     "set a variable in the program's environment, which is empty by default", false,
     OPTION_SETENV},
    {0, "host-threads", OPTION_REQUIRED, "N",
     "largest number of threads for products of matrices; by default, the number of host "
     "processors, up to 8; results do not depend on it",
     false, OPTION_THREADS},
    {0, "isa-mismatch", OPTION_REQUIRED, ISA_MISMATCH_VALUES,
     "programs that describe an instruction differently: error (default), warn, or ignore", false,
     OPTION_ISA_MISMATCH},
    {0, "reference", OPTION_NONE, NULL,
     "run tensor instructions by their definitions in the ISA description: slow, same results",
     false, OPTION_REFERENCE},
    {0},
};

static void take_traced_unit(struct temu_options *options, const char *name)
{
    static const char *const traced_units[] = TRACED_UNIT_NAMES;

    for (size_t i = 0; i < sizeof traced_units / sizeof *traced_units; i++)
        options->units_traced |= strcmp(name, traced_units[i]) == 0;
    if (!options->units_traced)
        diag_error(options->diag, NULL, "--trace-units=%s: no such unit; expected %s", name,
                   TRACED_UNITS);
}

/* Is it the name of a thread: t1, or in a barrel sup or w0? */
static bool is_thread(const char *name, size_t length)
{
    size_t digits = length ? strspn(name + 1, "0123456789") : 0;
    bool has_zero = length > 1 && name[1] == '0';

    if (length == 3 && strncmp(name, "sup", 3) == 0)
        return true;
    if (digits == 0 || digits + 1 != length)
        return false;
    return (*name == 't' && !has_zero) || (*name == 'w' && (!has_zero || digits == 1));
}

/* Checks the names of --trace-threads. */
static void take_threads(struct temu_options *options, const char *list)
{
    options->trace.threads = list;
    for (const char *name = list;; name += strcspn(name, ",") + 1) {
        size_t length = strcspn(name, ",");
        if (!is_thread(name, length))
            diag_error(
                options->diag, NULL,
                "--trace-threads=%s: found '%.*s', expected names of threads: t1,t3 or, with "
                "a barrel, sup,w0",
                list, (int)length, name);
        if (!name[length])
            break;
    }
}

static void take_environment(struct temu_options *options, const char *name)
{
    if (strcmp(name, "user") == 0)
        options->environment = ENVIRONMENT_USER;
    else if (strcmp(name, "bare") == 0)
        options->environment = ENVIRONMENT_BARE;
    else
        diag_error(options->diag, NULL, "--env=%s: no such environment; expected user or bare",
                   name);
}

/* The last value of a name counts. */
static void take_variable(struct temu_options *options, const char *argument)
{
    struct strings *variables = &options->variables;
    size_t name = strcspn(argument, "=");

    if (name == 0 || argument[name] == '\0') {
        diag_error(options->diag, NULL, "--setenv=%s: expected NAME=VALUE", argument);
        return;
    }
    for (size_t i = 0; i < variables->count; i++)
        if (strncmp(variables->items[i], argument, name + 1) == 0) {
            variables->items[i] = argument;
            return;
        }
    strings_add(variables, options->arena, argument);
}

const char *const tier_names[] = {[TIER_AUTO] = "auto",
                                  [TIER_INTERPRET] = "interp",
                                  [TIER_TRANSLATE] = "translate",
                                  [TIER_OPTIMIZE] = "optimize"};

static void take_tier(struct temu_options *options, const char *name)
{
    for (enum tier tier = TIER_AUTO; tier <= TIER_OPTIMIZE; tier++)
        if (strcmp(name, tier_names[tier]) == 0) {
            options->tier = tier;
            return;
        }
    diag_error(options->diag, NULL,
               "--tier=%s: no such tier; expected auto, interp, translate or optimize", name);
}

static void take_progress(struct temu_options *options, const char *when)
{
    static const char *const choices[] = {
        [PROGRESS_AUTO] = "auto", [PROGRESS_YES] = "yes", [PROGRESS_NO] = "no"};

    for (enum progress_choice choice = PROGRESS_AUTO; choice <= PROGRESS_NO; choice++)
        if (strcmp(when, choices[choice]) == 0) {
            options->progress = choice;
            return;
        }
    diag_error(options->diag, NULL, "--progress=%s: expected auto, yes or no", when);
}

static void take_stats_format(struct temu_options *options, const char *name)
{
    options->stats_format = name;
    if (strcmp(name, "json") != 0 && strcmp(name, "text") != 0)
        diag_error(options->diag, NULL, "--stats-format=%s: no such format; expected text or json",
                   name);
}

static void take_trace_format(struct temu_options *options, const char *name)
{
    enum picture_format picture;

    options->trace.has_format = true;
    if (trace_format_by_name(name, &options->trace.format))
        return;
    bool is_picture = picture_format_by_name(name, &picture);
    diag_error(options->diag, NULL,
               "--trace-format=%s: no such format; expected text, spike, json, riscv-dv, rvvi or "
               "ttrace%s%s",
               name,
               is_picture ? "; for the pipeline add --timing --pipeline=FILE --pipeline-format="
                          : "",
               is_picture ? name : "");
}

static void take_timing(struct temu_options *options, const char *format)
{
    options->timed = true;
    options->timing_format = format;
    if (format && strcmp(format, "json") != 0 && strcmp(format, "text") != 0)
        diag_error(options->diag, NULL, "--timing=%s: no such format; expected text or json",
                   format);
}

static void take_count(struct options *line, uint64_t maximum, uint64_t *value)
{
    unsigned long long number;

    if (options_number(line, line->argument, 1, maximum, &number))
        *value = number;
}

static void take_option(struct temu_options *options, struct options *line, enum option option)
{
    const char *argument = line->argument;

    switch (option) {
    case OPTION_TRACE:
        options->traced = true;
        options->trace.file = argument;
        break;
    case OPTION_TRACE_FORMAT:
        take_trace_format(options, argument);
        break;
    case OPTION_TRACE_FROM:
        options->trace_from = argument;
        break;
    case OPTION_TRACE_TO:
        options->trace_to = argument;
        break;
    case OPTION_TRACE_INSNS:
        take_count(line, UINT64_MAX, &options->trace.limit);
        break;
    case OPTION_TRACE_THREADS:
        take_threads(options, argument);
        break;
    case OPTION_TRACE_UNITS:
        take_traced_unit(options, argument);
        break;
    case OPTION_TRACE_SYSCALLS:
        options->calls_traced = true;
        break;
    case OPTION_PRINT:
        strings_add(&options->prints, options->arena, argument);
        break;
    case OPTION_DUMP:
        strings_add(&options->dumps, options->arena, argument);
        break;
    case OPTION_DUMP_STATE:
        options->state_file = argument;
        break;
    case OPTION_LOAD:
        strings_add(&options->loads, options->arena, argument);
        break;
    case OPTION_STATS:
        options->stats_wanted = true;
        options->stats_file = argument;
        break;
    case OPTION_STATS_FORMAT:
        take_stats_format(options, argument);
        break;
    case OPTION_PROFILE:
        options->profiled = true;
        options->profile_file = argument;
        break;
    case OPTION_PROFILE_FORMAT:
        options->profile_format = argument;
        if (!profile_format_by_name(argument, &options->profile_as))
            diag_error(options->diag, NULL,
                       "--profile-format=%s: no such format; expected " PROFILE_FORMATS, argument);
        break;
    case OPTION_COVERAGE:
        options->coverage = argument;
        break;
    case OPTION_RACES:
        options->races = true;
        break;
    case OPTION_SCHEDULE:
        options->schedule = argument;
        break;
    case OPTION_TIMING:
        take_timing(options, argument);
        break;
    case OPTION_TIMING_FILE:
        options->timing_file = argument;
        break;
    case OPTION_TIMING_FROM:
        options->timing_from = argument;
        break;
    case OPTION_TIMING_TO:
        options->timing_to = argument;
        break;
    case OPTION_PIPELINE:
        options->picture.file = argument;
        break;
    case OPTION_PIPELINE_FORMAT:
        options->picture_format = argument;
        if (!picture_format_by_name(argument, &options->picture.format))
            diag_error(options->diag, NULL,
                       "--pipeline-format=%s: no such format; expected text, kanata, perfetto, "
                       "vcd, svg or html",
                       argument);
        break;
    case OPTION_MAX_INSNS:
        take_count(line, UINT64_MAX, &options->max_instructions);
        break;
    case OPTION_TIMEOUT:
        take_count(line, SECONDS_MAXIMUM, &options->timeout);
        break;
    case OPTION_PROGRESS:
        take_progress(options, argument);
        break;
    case OPTION_MACHINE:
        strings_add(&options->machines, options->arena, argument);
        config_read(options->config, options->arena, options->diag, argument);
        break;
    case OPTION_DUMP_MACHINE:
        options->machine_dumped = true;
        break;
    case OPTION_ENV:
        take_environment(options, argument);
        break;
    case OPTION_ROOT:
        options->root = argument;
        break;
    case OPTION_GDB:
        options->gdb = argument;
        break;
    case OPTION_SETENV:
        take_variable(options, argument);
        break;
    case OPTION_TIER:
        take_tier(options, argument);
        break;
    case OPTION_SHOW_NATIVE:
        strings_add(&options->shown, options->arena, argument);
        break;
    case OPTION_JITDUMP:
        options->jitdumped = true;
        options->jitdump = argument;
        break;
    case OPTION_NATIVE_SYMBOLS:
        options->native_symbols = true;
        break;
    case OPTION_VERBOSE:
        options->verbose = true;
        break;
    case OPTION_THREADS:
        take_count(line, MATRIX_THREADS, &options->threads);
        break;
    case OPTION_ISA_MISMATCH:
        isa_mismatch_read(options->diag, argument, &options->isa_mismatch);
        break;
    case OPTION_REFERENCE:
        options->reference = true;
        break;
    }
}

static bool is_option(const char *word)
{
    size_t length = strcspn(word, "=");

    for (const struct option_spec *spec = specs; strncmp(word, "--", 2) == 0 && spec->name; spec++)
        if (strlen(spec->name) == length - 2 && strncmp(spec->name, word + 2, length - 2) == 0)
            return true;
    return false;
}

static const char *find_misplaced(char *const *arguments)
{
    for (; *arguments && strcmp(*arguments, "--") != 0; arguments++)
        if (is_option(*arguments))
            return *arguments;
    return NULL;
}

const char *options_view(const struct temu_options *options)
{
    return options->shown.count      ? "--show-native"
           : options->jitdumped      ? "--jitdump"
           : options->native_symbols ? "--native-symbols"
                                     : NULL;
}

/* A lossless trace is compressed in itself, so the name asks for two things. */
static void check_compressed_name(struct temu_options *options)
{
    static const char ending[] = ".zst";
    const struct trace_options *trace = &options->trace;
    const char *file = trace->file;
    size_t length = file ? strlen(file) : 0, without = length - (sizeof ending - 1);

    if (trace->has_format || trace->format != TRACE_LOSSLESS || !file_name_ends(file, ending))
        return;
    diag_error(options->diag, NULL,
               "--trace=%s: a lossless trace is compressed already; expected %.*s, or "
               "--trace-format=text for a compressed text trace of this name",
               file, (int)without, file);
}

static bool is_json(const char *format, const char *file)
{
    return format ? strcmp(format, "json") == 0 : file && file_name_ends(file, ".json");
}

/* A format that no option gave is the one that the name of the file ends in. */
static void choose_formats(struct temu_options *options)
{
    struct trace_options *trace = &options->trace;
    struct picture_options *picture = &options->picture;

    if (trace->file && !trace->has_format)
        trace_format_by_ending(trace->file, &trace->format);
    if (options->profile_file && !options->profile_format)
        profile_format_by_ending(options->profile_file, &options->profile_as);
    if (picture->file && !options->picture_format)
        picture_format_by_ending(picture->file, &picture->format);
    options->stats_json = is_json(options->stats_format, options->stats_file);
    options->timing_json = is_json(options->timing_format, options->timing_file);
}

static void check_options(struct temu_options *options)
{
    const struct trace_options *trace = &options->trace;

    if (!options->traced && (options->units_traced || trace->has_format || trace->threads))
        diag_error(options->diag, NULL,
                   "found options of the trace without --trace; add --trace or --trace=FILE");
    else if (options->traced && trace->format == TRACE_LOSSLESS && !trace->file)
        diag_error(options->diag, NULL,
                   "found --trace-format=ttrace without a file; add --trace=FILE.ttrace, or "
                   "--trace=- for standard output");
    else if (!options->traced && !options->picture.file &&
             (options->trace_from || options->trace_to || trace->limit))
        diag_error(options->diag, NULL,
                   "found options of the trace without --trace; add --trace or --trace=FILE");
    check_compressed_name(options);
    if (options->picture_format && !options->picture.file)
        diag_error(options->diag, NULL,
                   "found --pipeline-format without --pipeline; add --pipeline=FILE");
    if (!options->stats_wanted && options->stats_format)
        diag_error(options->diag, NULL,
                   "found --stats-format without --stats; add --stats or --stats=FILE");
    if (!options->profiled && options->profile_format)
        diag_error(options->diag, NULL,
                   "found --profile-format without --profile; add --profile or --profile=FILE");
    if (!options->timed && (options->timing_file || options->timing_from || options->timing_to))
        diag_error(options->diag, NULL,
                   "found options of the timing without --timing; add --timing or --timing=json");
    if (options->reference && tier_is_at_once(options->tier))
        diag_error(options->diag, NULL,
                   "found --reference with --tier=%s, but native code has no definitions; leave "
                   "out one of them",
                   tier_names[options->tier]);
    if (options_view(options) && (options->reference || options->tier == TIER_INTERPRET))
        diag_error(options->diag, NULL,
                   "found %s with %s, which makes no native code; leave out one of them",
                   options_view(options), options->reference ? "--reference" : "--tier=interp");
    if (options->jitdump && strcmp(options->jitdump, "-") == 0)
        diag_error(options->diag, NULL,
                   "--jitdump=-: perf finds the code through a mapped file, which standard output "
                   "is not; expected a directory or a file");
    if (options->reference && options->units_traced)
        diag_error(
            options->diag, NULL,
            "found --reference with --trace-units, but definitions do not say in which order "
            "the parts of a unit work; leave out one of them");
    if (!options->program && !options->machine_dumped)
        diag_error(options->diag, NULL, "no program given; try 'temu --help'");
}

bool options_read(struct temu_options *options, int argc, char **argv, int *status)
{
    struct options line = {
        .diag = options->diag,
        .usage = "[options] program [arguments]",
        .summary =
            "Runs a RISC-V program with tensor instructions; the exit status is the program's.",
        .epilogue = "Exit status: the program's; 128 and a signal's number when it faults or is "
                    "interrupted; 123 when it waits for something that cannot come, 124 after "
                    "--timeout, 125 after --max-insns; 1 for errors of temu itself.\n",
        .specs = specs,
        .argc = argc,
        .argv = argv,
        .index = 1,
        .stop_at_operand = true,
    };

    for (;;) {
        int id = options_next(&line);
        if (id == OPTIONS_EXIT) {
            *status = output_finish_stdout(options->diag, EXIT_SUCCESS);
            return false;
        }
        if (id == OPTIONS_END || id == OPTIONS_OPERAND) {
            options->program = id == OPTIONS_OPERAND ? line.argument : NULL;
            break;
        }
        if (id != OPTIONS_ERROR)
            take_option(options, &line, id);
    }
    options->arguments = argv + line.index;
    if (options->program && strcmp(argv[line.index - 2], "--") != 0)
        options->misplaced = find_misplaced(options->arguments);
    *status = EXIT_FAILURE;
    choose_formats(options);
    check_options(options);
    return !diag_failed(options->diag);
}
