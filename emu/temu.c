/* temu: runs a RISC-V program with tensor instructions. */
#include "emu/execute.h"
#include "emu/gdb/gdb.h"
#include "emu/load.h"
#include "emu/native/translate.h"
#include "emu/report/inspect.h"
#include "emu/report/report.h"
#include "emu/stats.h"
#include "emu/trace/trace.h"
#include "lib/file.h"
#include "lib/map.h"
#include "lib/options.h"
#include "lib/output.h"
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
    EXIT_IDLE = 123,    /* bare environment: nothing can happen any more */
    EXIT_TIMEOUT = 124, /* as timeout(1) */
    EXIT_LIMIT = 125,   /* --max-insns */
    EXIT_SIGNAL = 128,  /* plus the signal's number, as a shell says it */
    SECONDS_MAXIMUM = 31536000,
};

enum option {
    OPTION_TRACE,
    OPTION_TRACE_FORMAT,
    OPTION_TRACE_FROM,
    OPTION_TRACE_TO,
    OPTION_TRACE_INSNS,
    OPTION_TRACE_UNITS,
    OPTION_TRACE_SYSCALLS,
    OPTION_PRINT,
    OPTION_DUMP,
    OPTION_LOAD,
    OPTION_STATS,
    OPTION_STATS_FORMAT,
    OPTION_MAX_INSNS,
    OPTION_TIMEOUT,
    OPTION_MACHINE,
    OPTION_DUMP_MACHINE,
    OPTION_ENV,
    OPTION_ROOT,
    OPTION_GDB,
    OPTION_SETENV,
    OPTION_TIER,
    OPTION_TIER_CACHE,
    OPTION_TIER_COMPILER,
    OPTION_VERBOSE,
    OPTION_THREADS,
};

static const struct option_spec specs[] = {
    {0, "trace", OPTION_OPTIONAL, "FILE",
     "trace every instruction, to FILE (compressed as FILE.zst) or standard error", false,
     OPTION_TRACE},
    {0, "trace-format", OPTION_REQUIRED, "FORMAT", "text (default), spike or json", false,
     OPTION_TRACE_FORMAT},
    {0, "trace-from", OPTION_REQUIRED, "PC",
     "trace from each time that PC, a symbol or address, is reached", false, OPTION_TRACE_FROM},
    {0, "trace-to", OPTION_REQUIRED, "PC", "trace up to each time that PC is reached", false,
     OPTION_TRACE_TO},
    {0, "trace-insns", OPTION_REQUIRED, "N", "trace N instructions at most", false,
     OPTION_TRACE_INSNS},
    {0, "trace-units", OPTION_REQUIRED, "UNIT",
     "trace what goes on inside a unit, too: sparse, each fetch and each link", false,
     OPTION_TRACE_UNITS},
    {0, "trace-syscalls", OPTION_NONE, NULL, "print system calls to standard error", false,
     OPTION_TRACE_SYSCALLS},
    {0, "print", OPTION_REQUIRED, "SYM:TYPE[DIMS]",
     "print an array when the program ends: out:f32[2,3]", false, OPTION_PRINT},
    {0, "dump", OPTION_REQUIRED, "SYM:LEN=FILE", "write memory to FILE when the program ends",
     false, OPTION_DUMP},
    {0, "load", OPTION_REQUIRED, "SYM=FILE", "read FILE into memory before the program starts",
     false, OPTION_LOAD},
    {0, "stats", OPTION_OPTIONAL, "FILE",
     "print counts of instructions, memory traffic and unit activity, to FILE or standard error",
     false, OPTION_STATS},
    {0, "stats-format", OPTION_REQUIRED, "FORMAT", "text (default) or json", false,
     OPTION_STATS_FORMAT},
    {0, "max-insns", OPTION_REQUIRED, "N", "stop after N instructions, with status 125", false,
     OPTION_MAX_INSNS},
    {0, "timeout", OPTION_REQUIRED, "SECONDS", "stop after this time, with status 124", false,
     OPTION_TIMEOUT},
    {0, "machine", OPTION_REQUIRED, "NAME",
     "machine configuration: a YAML file, or default, cambricon or tiny", false, OPTION_MACHINE},
    {0, "dump-machine", OPTION_NONE, NULL, "print the machine configuration and exit", false,
     OPTION_DUMP_MACHINE},
    {0, "env", OPTION_REQUIRED, "ENV",
     "environment: user (Linux system calls) or bare; without it, as the program looks", false,
     OPTION_ENV},
    {0, "root", OPTION_REQUIRED, "DIR",
     "directory that the program sees as /; without it, it has no files", false, OPTION_ROOT},
    {0, "gdb", OPTION_REQUIRED, "PORT", "wait for gdb on a loopback port (0: any) or a socket",
     false, OPTION_GDB},
    {0, "tier", OPTION_REQUIRED, "TIER",
     "auto (default): hot code becomes native code; interp: none; translate: all, at once", false,
     OPTION_TIER},
    {0, "tier-cache", OPTION_REQUIRED, "DIR",
     "directory that keeps native code for later runs, or none; without it, temu in the user's "
     "cache directory",
     false, OPTION_TIER_CACHE},
    {0, "tier-compiler", OPTION_REQUIRED, "COMMAND",
     "C compiler that makes native code; without it, the one that built temu", false,
     OPTION_TIER_COMPILER},
    {'v', "verbose", OPTION_NONE, NULL, "say what becomes native code", false, OPTION_VERBOSE},
    {0, "setenv", OPTION_REQUIRED, "NAME=VALUE",
     "set a variable in the program's environment, which is empty otherwise", false, OPTION_SETENV},
    {0, "threads", OPTION_REQUIRED, "N",
     "threads that make large products of matrices, at most; without it, as the host has "
     "processors, up to 8; results do not depend on it",
     false, OPTION_THREADS},
    {0},
};

/* Arguments of a repeated option, in order. */
struct words {
    const char **items;
    size_t count, capacity;
};

enum environment { ENVIRONMENT_OF_PROGRAM, ENVIRONMENT_USER, ENVIRONMENT_BARE };

struct temu {
    struct arena arena;
    struct diag diag;
    const char *program_name;
    char *const *arguments; /* behind the program */
    enum environment environment;
    bool traced, units_traced, stats_wanted, stats_json, machine_dumped;
    const char *stats_file;   /* NULL: standard error */
    const char *stats_format; /* as given, or NULL */
    const char *trace_from, *trace_to, *root, *gdb_place;
    struct trace_options trace_options;
    struct translator_options translator_options;
    struct words prints, dumps, loads, variables;
    uint64_t max_instructions, timeout;
    uint64_t threads; /* 0: as the host has processors */

    struct program program;
    struct machine machine;
    struct recorder recorder;
    struct trace trace;
    struct stats stats;
    struct gdb gdb;
    struct print_request *print_requests;
    struct dump_request *dump_requests;
    struct load_request *load_requests;
};

/* ---- command line ---- */

static void add_word(struct temu *temu, struct words *words, const char *word)
{
    words->items = arena_grow(&temu->arena, words->items, words->count, &words->capacity,
                              sizeof *words->items);
    words->items[words->count++] = word;
}

static void take_environment(struct temu *temu, const char *name)
{
    if (strcmp(name, "user") == 0)
        temu->environment = ENVIRONMENT_USER;
    else if (strcmp(name, "bare") == 0)
        temu->environment = ENVIRONMENT_BARE;
    else
        diag_error(&temu->diag, NULL, "--env=%s: no such environment; expected user or bare", name);
}

/* The last value given for a name counts. */
static void take_variable(struct temu *temu, const char *argument)
{
    struct words *variables = &temu->variables;
    size_t name = strcspn(argument, "=");

    if (name == 0 || argument[name] == '\0') {
        diag_error(&temu->diag, NULL, "--setenv=%s: expected NAME=VALUE", argument);
        return;
    }
    for (size_t i = 0; i < variables->count; i++)
        if (strncmp(variables->items[i], argument, name + 1) == 0) {
            variables->items[i] = argument;
            return;
        }
    add_word(temu, variables, argument);
}

static void take_tier(struct temu *temu, const char *name)
{
    static const char *const tiers[] = {
        [TIER_AUTO] = "auto", [TIER_INTERPRET] = "interp", [TIER_TRANSLATE] = "translate"};

    for (enum tier tier = TIER_AUTO; tier <= TIER_TRANSLATE; tier++)
        if (strcmp(name, tiers[tier]) == 0) {
            temu->translator_options.tier = tier;
            return;
        }
    diag_error(&temu->diag, NULL, "--tier=%s: no such tier; expected auto, interp or translate",
               name);
}

static void take_stats_format(struct temu *temu, const char *name)
{
    temu->stats_format = name;
    temu->stats_json = strcmp(name, "json") == 0;
    if (!temu->stats_json && strcmp(name, "text") != 0)
        diag_error(&temu->diag, NULL, "--stats-format=%s: no such format; expected text or json",
                   name);
}

static void take_count(struct options *options, uint64_t maximum, uint64_t *value)
{
    unsigned long long number;

    if (options_number(options, options->argument, 1, maximum, &number))
        *value = number;
}

static void take_option(struct temu *temu, struct options *options, enum option option)
{
    const char *argument = options->argument;

    switch (option) {
    case OPTION_TRACE:
        temu->traced = true;
        temu->trace_options.file = argument;
        break;
    case OPTION_TRACE_FORMAT:
        if (!trace_format_by_name(argument, &temu->trace_options.format))
            diag_error(&temu->diag, NULL,
                       "--trace-format=%s: no such format; expected text, spike or json", argument);
        break;
    case OPTION_TRACE_FROM:
        temu->trace_from = argument;
        break;
    case OPTION_TRACE_TO:
        temu->trace_to = argument;
        break;
    case OPTION_TRACE_INSNS:
        take_count(options, UINT64_MAX, &temu->trace_options.limit);
        break;
    case OPTION_TRACE_UNITS:
        temu->units_traced = strcmp(argument, "sparse") == 0;
        if (!temu->units_traced)
            diag_error(&temu->diag, NULL, "--trace-units=%s: no such unit; expected sparse",
                       argument);
        break;
    case OPTION_TRACE_SYSCALLS:
        temu->machine.user.trace_calls = true;
        break;
    case OPTION_PRINT:
        add_word(temu, &temu->prints, argument);
        break;
    case OPTION_DUMP:
        add_word(temu, &temu->dumps, argument);
        break;
    case OPTION_LOAD:
        add_word(temu, &temu->loads, argument);
        break;
    case OPTION_STATS:
        temu->stats_wanted = true;
        temu->stats_file = argument;
        break;
    case OPTION_STATS_FORMAT:
        take_stats_format(temu, argument);
        break;
    case OPTION_MAX_INSNS:
        take_count(options, UINT64_MAX, &temu->max_instructions);
        break;
    case OPTION_TIMEOUT:
        take_count(options, SECONDS_MAXIMUM, &temu->timeout);
        break;
    case OPTION_MACHINE:
        config_read(&temu->machine.config, &temu->arena, &temu->diag, argument);
        break;
    case OPTION_DUMP_MACHINE:
        temu->machine_dumped = true;
        break;
    case OPTION_ENV:
        take_environment(temu, argument);
        break;
    case OPTION_ROOT:
        temu->root = argument;
        break;
    case OPTION_GDB:
        temu->gdb_place = argument;
        break;
    case OPTION_SETENV:
        take_variable(temu, argument);
        break;
    case OPTION_TIER:
        take_tier(temu, argument);
        break;
    case OPTION_TIER_CACHE:
        temu->translator_options.cache = argument;
        break;
    case OPTION_TIER_COMPILER:
        temu->translator_options.compiler = argument;
        break;
    case OPTION_VERBOSE:
        temu->translator_options.verbose = true;
        break;
    case OPTION_THREADS:
        take_count(options, MATRIX_THREADS, &temu->threads);
        break;
    }
}

static void check_options(struct temu *temu)
{
    const struct trace_options *trace = &temu->trace_options;

    if (!temu->traced && (temu->trace_from || temu->trace_to || trace->limit ||
                          temu->units_traced || trace->format != TRACE_TEXT))
        diag_error(&temu->diag, NULL,
                   "options of the trace are given without --trace; add --trace or --trace=FILE");
    if (!temu->stats_wanted && temu->stats_format)
        diag_error(&temu->diag, NULL,
                   "--stats-format is given without --stats; add --stats or --stats=FILE");
    if (!temu->program_name && !temu->machine_dumped)
        diag_error(&temu->diag, NULL, "no program given; try 'temu --help'");
}

/* False when the tool is done, with *status. */
static bool parse_command_line(struct temu *temu, int argc, char **argv, int *status)
{
    struct options options = {
        .diag = &temu->diag,
        .usage = "[options] program [arguments]",
        .summary =
            "Runs a RISC-V program with tensor instructions; the exit status is the program's.",
        .epilogue = "Exit status: the program's; 128 and a signal's number when it faults; 124 "
                    "after --timeout, 125 "
                    "after --max-insns; 1 for errors of temu itself.\n",
        .specs = specs,
        .argc = argc,
        .argv = argv,
        .index = 1,
        .stop_at_operand = true,
    };

    for (;;) {
        int id = options_next(&options);
        if (id == OPTIONS_EXIT) {
            *status = output_finish_stdout(&temu->diag, EXIT_SUCCESS);
            return false;
        }
        if (id == OPTIONS_END || id == OPTIONS_OPERAND) {
            temu->program_name = id == OPTIONS_OPERAND ? options.argument : NULL;
            break;
        }
        if (id != OPTIONS_ERROR)
            take_option(temu, &options, id);
    }
    temu->arguments = argv + options.index;
    *status = EXIT_FAILURE;
    check_options(temu);
    return !diag_failed(&temu->diag);
}

/* ---- before the run ---- */

/* A program says in a note for which instruction set it was assembled. */
static void check_fingerprint(struct temu *temu)
{
    const struct position at = {.name = temu->program_name};
    const char *fingerprint =
        elf_isa_fingerprint(elf_find_section(&temu->program.file, ISA_NOTE_SECTION));

    if (fingerprint && memcmp(fingerprint, isa_fingerprint, ISA_FINGERPRINT_DIGITS) != 0)
        diag_warning(
            &temu->diag, &at,
            "built for the instruction set '%.*s', this is temu for '%s'; assemble it again",
            ISA_FINGERPRINT_DIGITS, fingerprint, isa_fingerprint);
}

/* Reads the arguments of --print, --dump and --load, so that mistakes show before the run. */
static void parse_requests(struct temu *temu)
{
    struct arena *arena = &temu->arena;

    temu->print_requests = arena_array(arena, temu->prints.count, sizeof *temu->print_requests);
    temu->dump_requests = arena_array(arena, temu->dumps.count, sizeof *temu->dump_requests);
    temu->load_requests = arena_array(arena, temu->loads.count, sizeof *temu->load_requests);
    for (size_t i = 0; i < temu->prints.count; i++)
        print_parse(&temu->print_requests[i], &temu->program, arena, &temu->diag,
                    temu->prints.items[i]);
    for (size_t i = 0; i < temu->dumps.count; i++)
        dump_parse(&temu->dump_requests[i], &temu->program, arena, &temu->diag,
                   temu->dumps.items[i]);
    for (size_t i = 0; i < temu->loads.count; i++)
        load_parse(&temu->load_requests[i], &temu->program, arena, &temu->diag,
                   temu->loads.items[i]);
}

/* An output in the place of the program would be a slip. */
static void check_output(struct temu *temu, const char *file)
{
    const struct file_identity output = file_identify(file);

    file_is_replaced(&output, &temu->diag, temu->program_name);
}

static void check_outputs(struct temu *temu)
{
    check_output(temu, temu->trace_options.file);
    check_output(temu, temu->stats_file);
    for (size_t i = 0; i < temu->dumps.count; i++)
        check_output(temu, temu->dump_requests[i].file);
}

/* What the command line gives that only a Linux program can have. */
static bool check_bare(struct temu *temu)
{
    const char *option = temu->root                       ? "--root"
                         : temu->variables.count          ? "--setenv"
                         : temu->machine.user.trace_calls ? "--trace-syscalls"
                                                          : NULL;

    if (option)
        diag_error(&temu->diag, NULL,
                   "%s: %s runs in the bare environment, which has no operating system; "
                   "--env=user forces the other",
                   option, temu->program_name);
    if (temu->arguments[0])
        diag_error(&temu->diag, NULL,
                   "found '%s' behind the program: in the bare environment it can have no "
                   "arguments",
                   temu->arguments[0]);
    return !diag_failed(&temu->diag);
}

static bool load_user(struct temu *temu)
{
    struct machine *machine = &temu->machine;

    return (!temu->root || user_set_root(&machine->user, &temu->diag, temu->root)) &&
           program_load(&temu->program, machine, &temu->diag) &&
           user_start(machine, &temu->diag, &temu->program, temu->arguments, temu->variables.items,
                      temu->variables.count);
}

static bool load_bare(struct temu *temu)
{
    return program_load(&temu->program, &temu->machine, &temu->diag) &&
           htif_open(&temu->machine, &temu->diag, &temu->program);
}

static bool load(struct temu *temu)
{
    struct machine *machine = &temu->machine;
    struct diag *diag = &temu->diag;

    if (!program_read(&temu->program, &temu->arena, diag, temu->program_name))
        return false;
    machine->bare.active =
        temu->environment == ENVIRONMENT_BARE ||
        (temu->environment == ENVIRONMENT_OF_PROGRAM && bare_suits(machine, &temu->program));
    if ((machine->bare.active && !check_bare(temu)) || !machine_init(machine, &temu->arena, diag) ||
        !(machine->bare.active ? load_bare(temu) : load_user(temu)))
        return false;
    machine->matrix.threads = (unsigned)temu->threads;
    check_fingerprint(temu);
    parse_requests(temu);
    check_outputs(temu);
    for (size_t i = 0; !diag_failed(diag) && i < temu->loads.count; i++)
        load_run(&temu->load_requests[i], &machine->memory, &temu->arena, diag);
    return !diag_failed(diag);
}

static struct trace_program traced_program(const struct temu *temu)
{
    return (struct trace_program){
        .file = &temu->program.file,
        .symbols = &temu->program.symbols,
        .machine = config_fingerprint(&temu->machine.config),
    };
}

static bool start_trace(struct temu *temu)
{
    struct trace_options *options = &temu->trace_options;
    const struct trace_program program = traced_program(temu);

    options->has_from = temu->trace_from;
    options->has_to = temu->trace_to;
    if (temu->trace_from)
        program_address(&temu->program, &temu->diag, temu->trace_from, &options->from, NULL);
    if (temu->trace_to)
        program_address(&temu->program, &temu->diag, temu->trace_to, &options->to, NULL);
    if (diag_failed(&temu->diag) || !trace_open(&temu->trace, &temu->diag, options, &program))
        return false;
    temu->machine.trace = &temu->trace;
    temu->machine.port.trace_hops = temu->units_traced;
    return true;
}

static bool watch(struct temu *temu)
{
    struct machine *machine = &temu->machine;

    if (temu->traced && !start_trace(temu))
        return false;
    if (temu->stats_wanted) {
        stats_init(&temu->stats, &machine->config, &temu->arena);
        machine->stats = &temu->stats;
    }
    if (machine->trace || machine->stats)
        machine->recorder = machine->port.recorder = &temu->recorder;
    return true;
}

static bool open_translator(struct temu *temu)
{
    struct machine *machine = &temu->machine;

    if (temu->translator_options.tier == TIER_INTERPRET)
        return true;
    machine->translator = translator_open(machine, &temu->diag, &temu->translator_options);
    return !diag_failed(&temu->diag);
}

/* Waits for the debugger, where one is wanted. */
static bool open_gdb(struct temu *temu)
{
    temu->gdb.diag = &temu->diag;
    temu->gdb.arena = &temu->arena;
    temu->gdb.machine = &temu->machine;
    temu->gdb.program = &temu->program;
    temu->gdb.recorder = &temu->recorder;
    temu->gdb.trace = &temu->trace;
    temu->gdb.trace_program = traced_program(temu);
    temu->gdb.stats = &temu->stats;
    temu->gdb.max_instructions = temu->max_instructions;
    return gdb_open(&temu->gdb, temu->gdb_place);
}

/* ---- after the run ---- */

static void report_stop(struct temu *temu, const char *why, uint64_t value, const char *unit)
{
    fprintf(stderr, "temu: %s: stopped after %s %" PRIu64 " %s at ", temu->program_name, why, value,
            unit);
    report_place(&temu->machine, &temu->program, stderr);
    fputc('\n', stderr);
}

/* Exit status of the program's end. */
static int report_end(struct temu *temu, enum run_end end)
{
    const struct machine *machine = &temu->machine;

    switch (end) {
    case RUN_FAULT:
        report_fault(machine, &temu->program, stderr);
        return EXIT_SIGNAL + fault_signal(machine->fault.cause);
    case RUN_LIMIT:
        report_stop(temu, "--max-insns", temu->max_instructions, "instructions");
        return EXIT_LIMIT;
    case RUN_TIMEOUT:
        report_stop(temu, "--timeout", temu->timeout, "seconds");
        return EXIT_TIMEOUT;
    case RUN_IDLE:
        fprintf(stderr, "temu: %s: stopped: waits for an interrupt, and none can come, at ",
                temu->program_name);
        report_place(&temu->machine, &temu->program, stderr);
        fputc('\n', stderr);
        return EXIT_IDLE;
    case RUN_EXIT:
    case RUN_SLICE:
    case RUN_HELD:
        break;
    }
    if (machine->bare.htif.refused) {
        fprintf(stderr,
                "temu: %s: 0x%" PRIx64 " in tohost is no command; an exit status is written as "
                "status << 1 | 1; stopped at ",
                temu->program_name, machine->bare.htif.refused);
        report_place(&temu->machine, &temu->program, stderr);
        fputc('\n', stderr);
    }
    if (!machine->user.signal)
        return machine->user.status;
    const char *name = sigabbrev_np(machine->user.signal);
    if (name)
        fprintf(stderr, "temu: %s: ended by SIG%s%s\n", temu->program_name, name,
                machine->user.signal == SIGPIPE ? ": it wrote to a closed pipe" : "");
    else
        fprintf(stderr, "temu: %s: ended by signal %d\n", temu->program_name, machine->user.signal);
    return EXIT_SIGNAL + machine->user.signal;
}

static void write_stats(struct temu *temu, FILE *stream)
{
    if (temu->stats_json)
        stats_print_json(&temu->stats, &temu->machine, stream);
    else
        stats_print(&temu->stats, &temu->machine, &temu->arena, stream);
}

static void print_stats(struct temu *temu)
{
    struct output output;

    if (temu->stats_file) {
        if (!output_open(&output, &temu->diag, temu->stats_file, 0666))
            return;
        write_stats(temu, output.stream);
        output_commit(&output);
        return;
    }
    write_stats(temu, stderr);
    /* What did not get through is an error too, though there may be nowhere left to say so. */
    if (ferror(stderr))
        diag_error(&temu->diag, NULL, "--stats: cannot write to standard error");
}

static void print_results(struct temu *temu)
{
    for (size_t i = 0; i < temu->prints.count; i++)
        print_run(&temu->print_requests[i], &temu->machine.memory, &temu->diag, stdout);
    for (size_t i = 0; i < temu->dumps.count; i++)
        dump_run(&temu->dump_requests[i], &temu->machine.memory, &temu->diag);
    if (temu->machine.stats)
        print_stats(temu);
}

static void set_deadline(struct temu *temu)
{
    struct timespec now;

    if (!temu->timeout)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    temu->machine.deadline = ((uint64_t)now.tv_sec + temu->timeout) * 1000000000 + now.tv_nsec;
}

static int run(struct temu *temu)
{
    set_deadline(temu);
    enum run_end end =
        temu->gdb_place ? gdb_run(&temu->gdb) : machine_run(&temu->machine, temu->max_instructions);
    if (temu->gdb_place)
        gdb_close(&temu->gdb);
    if (temu->machine.trace)
        trace_close(&temu->trace);
    int status = report_end(temu, end);
    print_results(temu);
    if (diag_failed(&temu->diag))
        status = EXIT_FAILURE;
    return output_finish_stdout(&temu->diag, status);
}

static int run_tool(struct temu *temu, int argc, char **argv)
{
    int status;

    config_default(&temu->machine.config);
    if (!parse_command_line(temu, argc, argv, &status))
        return status;
    if (temu->machine_dumped) {
        config_print(&temu->machine.config, stdout);
        return output_finish_stdout(&temu->diag, EXIT_SUCCESS);
    }
    if (!load(temu) || !open_translator(temu) || (temu->gdb_place && !open_gdb(temu)) ||
        !watch(temu))
        return EXIT_FAILURE;
    return run(temu);
}

int main(int argc, char **argv)
{
    struct temu temu = {.diag = {.tool = "temu"}};

    user_init(&temu.machine.user); /* before output_init: it must see which streams are closed */
    output_init();
    int status = run_tool(&temu, argc, argv);
    machine_free(&temu.machine);
    recorder_free(&temu.recorder);
    arena_free(&temu.arena);
    return status;
}
