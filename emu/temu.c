/* temu: runs a RISC-V program with tensor instructions. */
#include "emu/execute/execute.h"
#include "emu/gdb/gdb.h"
#include "emu/host_signal.h"
#include "emu/load.h"
#include "emu/native/blocks.h"
#include "emu/options.h"
#include "emu/picture/picture.h"
#include "emu/profile/profile.h"
#include "emu/profile/stats.h"
#include "emu/profile/tally.h"
#include "emu/races/races.h"
#include "emu/reference/reference.h"
#include "emu/report/coverage.h"
#include "emu/report/inspect.h"
#include "emu/report/profile_report.h"
#include "emu/report/progress.h"
#include "emu/report/race_report.h"
#include "emu/report/report.h"
#include "emu/report/state.h"
#include "emu/run_files.h"
#include "emu/timing/feed.h"
#include "emu/timing/time_report.h"
#include "emu/timing/trace_times.h"
#include "emu/trace/trace.h"
#include "emu/user/thread.h"
#include "emu/workers/workers.h"
#include "lib/map.h"
#include "lib/output.h"
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    EXIT_IDLE = 123,    /* nothing can happen any more */
    EXIT_TIMEOUT = 124, /* as timeout(1) */
    EXIT_LIMIT = 125,   /* --max-insns */
    EXIT_SIGNAL = 128,  /* plus the number of the signal, as in a shell */
};

struct temu {
    struct arena arena;
    struct diag diag;
    struct temu_options options;
    struct program program;
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

/* ---- before the run ---- */

/* Reports a program that was assembled for another instruction set, as its note says. */
static void check_note(struct temu *temu)
{
    const struct position at = {.name = temu->options.program};
    const struct elf_section *section = elf_find_section(&temu->program.file, ISA_NOTE_SECTION);
    uint64_t offset = 0;
    struct isa_note note;

    while (isa_note_next(section, &offset, &note))
        isa_note_check(&temu->diag, &at, &note, "this temu", true, temu->options.isa_mismatch);
}

/* Reads the arguments of --print, --dump and --load. Mistakes in them are reported before the run.
 */
static void parse_requests(struct temu *temu)
{
    struct arena *arena = &temu->arena;

    temu->print_requests =
        arena_array(arena, temu->options.prints.count, sizeof *temu->print_requests);
    temu->dump_requests =
        arena_array(arena, temu->options.dumps.count, sizeof *temu->dump_requests);
    temu->load_requests =
        arena_array(arena, temu->options.loads.count, sizeof *temu->load_requests);
    for (size_t i = 0; i < temu->options.prints.count; i++)
        print_parse(&temu->print_requests[i], &temu->program, arena, &temu->diag,
                    temu->options.prints.items[i]);
    for (size_t i = 0; i < temu->options.dumps.count; i++)
        dump_parse(&temu->dump_requests[i], &temu->program, arena, &temu->diag,
                   temu->options.dumps.items[i]);
    for (size_t i = 0; i < temu->options.loads.count; i++)
        load_parse(&temu->load_requests[i], &temu->program, arena, &temu->diag,
                   temu->options.loads.items[i]);
}

/* Refuses what only a program of the user environment can have. */
static bool check_bare(struct temu *temu)
{
    const char *option = temu->options.root              ? "--root"
                         : temu->options.variables.count ? "--setenv"
                         : temu->options.calls_traced    ? "--trace-syscalls"
                                                         : NULL;

    if (option)
        diag_error(&temu->diag, NULL,
                   "%s: %s runs in the bare environment, which has no operating system; "
                   "use --env=user for the other environment",
                   option, temu->options.program);
    if (temu->options.arguments[0])
        diag_error(&temu->diag, NULL,
                   "found the argument '%s' after the program; in the bare environment a program "
                   "has no arguments",
                   temu->options.arguments[0]);
    return !diag_failed(&temu->diag);
}

static bool load_user(struct temu *temu)
{
    struct machine *machine = &temu->machine;

    machine->user.trace_calls = temu->options.calls_traced;
    return (!temu->options.root ||
            user_set_root(&machine->user, &temu->diag, temu->options.root)) &&
           program_load(&temu->program, machine, &temu->diag) &&
           user_start(machine, &temu->diag, &temu->program, temu->options.arguments,
                      temu->options.variables.items, temu->options.variables.count);
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

    if (!program_read(&temu->program, &temu->arena, diag, temu->options.program,
                      !temu->options.root))
        return false;
    machine->bare.active = temu->options.environment == ENVIRONMENT_BARE ||
                           (temu->options.environment == ENVIRONMENT_OF_PROGRAM &&
                            bare_suits(machine, &temu->program));
    temu->fingerprint = config_fingerprint(&machine->config);
    if ((machine->bare.active && !check_bare(temu)) || !machine_init(machine, &temu->arena, diag) ||
        !(machine->bare.active ? load_bare(temu) : load_user(temu)))
        return false;
    machine->matrix.threads = (unsigned)temu->options.threads;
    machine->code.is_defined = temu->options.reference ? reference_defines : NULL;
    check_note(temu);
    parse_requests(temu);
    if (!diag_failed(diag)) {
        run_files_list(&temu->files, &temu->options, temu->dump_requests, temu->load_requests);
        run_files_check(&temu->files, diag, &temu->program);
    }
    for (size_t i = 0; !diag_failed(diag) && i < temu->options.loads.count; i++)
        load_run(&temu->load_requests[i], &machine->memory, &temu->arena, diag);
    return !diag_failed(diag);
}

static struct trace_program traced_program(const struct temu *temu)
{
    return (struct trace_program){
        .file = &temu->program.file,
        .symbols = &temu->program.symbols,
        .machine = temu->fingerprint,
        .workers = (unsigned)temu->machine.config.barrel_workers,
        .moved = temu->program.moved,
    };
}

static bool is_directory(const char *name)
{
    struct stat status;

    return name && stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Adds a page of memory that is not all zeros to what a lossless trace starts with. */
static void record_page(const struct machine *machine, struct recorder *start, uint64_t address)
{
    static const unsigned char zeros[MEMORY_PAGE];
    const void *bytes = memory_peek(&machine->memory, address, MEMORY_PAGE);

    if (!bytes || memcmp(bytes, zeros, MEMORY_PAGE) == 0)
        return;
    struct effect *effect = recorder_add(start, EFFECT_RANGE_WRITE);
    effect->address = address;
    effect->length = MEMORY_PAGE;
    effect->value = hash_bytes(bytes, MEMORY_PAGE, 0);
    recorder_keep_bytes(start, effect, bytes, MEMORY_PAGE);
}

/* Records the registers and the memory before the first instruction. */
static void record_start(const struct machine *machine, struct recorder *start)
{
    for (unsigned file = 0; file < isa_register_file_count; file++) {
        const struct isa_register_file *registers = &isa_register_files[file];
        for (unsigned number = registers->zero; number < registers->count; number++) {
            const uint64_t *words = hart_register(&machine->hart, registers, number);
            if (registers->words == 1)
                recorder_add_register(start, file, number, *words);
            else
                recorder_add_words(start, file, number, words, registers->words);
        }
    }
    for (uint64_t page = 0; page < MEMORY_PAGES; page++)
        if (machine->memory.pages[page] & PAGE_MAPPED)
            record_page(machine, start, page * MEMORY_PAGE);
}

static bool start_trace(struct temu *temu)
{
    struct trace_options *options = &temu->options.trace;
    struct trace_program program = traced_program(temu);
    struct recorder start = {.keeps_bytes = true};

    options->has_from = temu->options.trace_from;
    options->has_to = temu->options.trace_to;
    if (temu->options.trace_from)
        program_address(&temu->program, &temu->diag, temu->options.trace_from, &options->from,
                        NULL);
    if (temu->options.trace_to)
        program_address(&temu->program, &temu->diag, temu->options.trace_to, &options->to, NULL);
    if (diag_failed(&temu->diag))
        return false;
    temu->gdb.trace_options = *options;
    temu->machine.port.trace_hops = temu->options.units_traced;
    /* The debugger begins the traces in a directory. */
    if (temu->options.gdb && is_directory(options->file))
        return true;
    if (options->format == TRACE_LOSSLESS) {
        temu->recorder.keeps_bytes = true;
        record_start(&temu->machine, &start);
        program.start = &start;
    }
    bool opened = trace_open(&temu->trace, &temu->diag, options, &program);
    recorder_free(&start);
    if (opened)
        temu->machine.trace = &temu->trace;
    return opened;
}

/* Opens the picture of the pipeline, which shows what a trace would. */
static void start_picture(struct temu *temu)
{
    struct picture_options *options = &temu->options.picture;
    const struct temu_options *given = &temu->options;

    options->has_from = given->trace_from;
    options->has_to = given->trace_to;
    options->limit = given->trace.limit;
    if (given->trace_from)
        program_address(&temu->program, &temu->diag, given->trace_from, &options->from, NULL);
    if (given->trace_to)
        program_address(&temu->program, &temu->diag, given->trace_to, &options->to, NULL);
    const struct picture_program program = {
        .image = &temu->program.image,
        .symbols = &temu->program.symbols,
        .moved = temu->program.moved,
        .config = &temu->machine.config,
        .threads = temu->machine.workers ? (unsigned)temu->machine.config.barrel_workers + 1 : 0,
    };
    if (!diag_failed(&temu->diag) && picture_open(&temu->picture, &temu->diag, options, &program))
        pipeline_observe(temu->feed.pipeline, picture_observe, &temu->picture);
}

static bool start_timing(struct temu *temu)
{
    struct feed *feed = &temu->feed;
    const struct temu_options *options = &temu->options;

    feed->has_from = options->timing_from;
    feed->has_to = options->timing_to;
    if (options->timing_from)
        program_address(&temu->program, &temu->diag, options->timing_from, &feed->from, NULL);
    if (options->timing_to)
        program_address(&temu->program, &temu->diag, options->timing_to, &feed->to, NULL);
    if (diag_failed(&temu->diag))
        return false;
    if (!feed_init(feed, &temu->machine, &temu->arena, &temu->recorder))
        diag_error(&temu->diag, NULL, "out of memory");
    else if (options->picture.file)
        start_picture(temu);
    if (temu->machine.trace && temu->trace.lossless && !diag_failed(&temu->diag))
        trace_timer_start(&temu->trace_timer, &temu->trace, feed);
    return !diag_failed(&temu->diag);
}

/* Reads the turns of --schedule. */
static bool start_schedule(struct temu *temu)
{
    struct workers *workers = temu->machine.workers;
    const char *name = temu->options.schedule;

    if (!workers)
        diag_error(&temu->diag, NULL,
                   "--schedule=%s: the machine has no barrel; expected barrel.workers above 0",
                   name);
    else if (temu->options.timed)
        diag_error(&temu->diag, NULL,
                   "--schedule=%s: the turns of --timing are those of the pipeline; give one of "
                   "the two",
                   name);
    if (diag_failed(&temu->diag) ||
        !schedule_read(&temu->schedule, &temu->arena, &temu->diag, name, workers->count))
        return false;
    workers->schedule = &temu->schedule;
    return true;
}

static bool start_races(struct temu *temu)
{
    struct machine *machine = &temu->machine;

    temu->race_reporter = (struct race_reporter){machine, &temu->program};
    const struct race_observer observer = race_report_observer(&temu->race_reporter);
    machine->races = races_new(&observer, machine->workers ? 0 : machine->user.thread->id);
    if (!machine->races)
        diag_error(&temu->diag, NULL, "out of memory");
    return machine->races != NULL;
}

/* Are statistics wanted, and nothing that must see each instruction? Then blocks are counted, as
 * for a profile. */
static bool counts_blocks(const struct temu *temu)
{
    const struct machine *machine = &temu->machine;

    return machine->stats && !machine->trace && !machine->keeper && !machine->races &&
           !machine->workers && !temu->options.gdb;
}

static bool watch(struct temu *temu)
{
    struct machine *machine = &temu->machine;

    if (temu->options.traced && !start_trace(temu))
        return false;
    if (temu->options.stats_wanted) {
        stats_init(&temu->stats, &machine->config, &temu->arena);
        machine->stats = &temu->stats;
    }
    if ((temu->options.timed || temu->options.picture.file) && !start_timing(temu))
        return false;
    if (temu->options.schedule && !start_schedule(temu))
        return false;
    if (temu->options.races && !start_races(temu))
        return false;
    bool is_profiled = temu->options.profiled || temu->options.coverage;
    if (is_profiled || counts_blocks(temu)) {
        profile_init(&temu->profile, is_profiled ? &temu->program : NULL, machine, &temu->arena);
        machine->profile = &temu->profile;
        temu->recorder.keeps_reads = temu->options.coverage != NULL;
    }
    if (counts_blocks(temu)) {
        temu->profile.stats = &temu->stats;
        memory_watch(&machine->memory, machine->config.scratchpad_base,
                     machine->config.scratchpad_size);
    }
    if (machine->trace || machine->stats || machine->profile || machine->races)
        machine->recorder = machine->port.recorder = &temu->recorder;
    return true;
}

/* Opens what shows native code. */
static void observe_native(struct temu *temu)
{
    const struct native_view view = {.program = &temu->program,
                                     .shown = temu->options.shown.items,
                                     .shown_count = temu->options.shown.count,
                                     .has_jitdump = temu->options.jitdumped,
                                     .jitdump = temu->options.jitdump,
                                     .has_symbols = temu->options.native_symbols};

    if (!options_view(&temu->options))
        return;
    if (temu->machine.native)
        native_observe(temu->machine.native, &temu->diag, &view);
    else
        diag_error(&temu->diag, NULL, "%s: there is no native code %s; leave out the option",
                   options_view(&temu->options),
                   temu->machine.memory.aligned_only ? "where misaligned accesses trap"
                                                     : "on this host");
}

static bool open_native(struct temu *temu)
{
    struct machine *machine = &temu->machine;
    enum tier tier = temu->options.reference ? TIER_INTERPRET : temu->options.tier;

    /* Cycles are counted in an executor without native code. */
    if (temu->options.timed && !options_view(&temu->options) && !tier_is_at_once(tier))
        return true;
    machine->native = native_open(machine, tier);
    if (!machine->native && tier_is_at_once(tier))
        diag_error(&temu->diag, NULL, "--tier=%s: there is no native code %s; use --tier=interp",
                   tier_names[tier],
                   machine->memory.aligned_only ? "where misaligned accesses trap"
                                                : "on this host");
    else
        observe_native(temu);
    return !diag_failed(&temu->diag);
}

/* Waits for the debugger to connect. */
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
    temu->gdb.files = temu->files.uses;
    temu->gdb.file_count = temu->files.count;
    temu->gdb.max_instructions = temu->options.max_instructions;
    return gdb_open(&temu->gdb, temu->options.gdb);
}

/* ---- after the run ---- */

static void report_stop(struct temu *temu, const char *why, uint64_t value, const char *unit)
{
    fprintf(stderr, "temu: %s: stopped after %s %" PRIu64 " %s at ", temu->options.program, why,
            value, unit);
    report_place(&temu->machine, &temu->program, stderr);
    fputc('\n', stderr);
    if (temu->machine.user.thread_count > 1 || temu->machine.workers)
        report_threads(&temu->machine, &temu->program, stderr);
}

/* Reports that a signal of the host ended the run. */
static int report_signal(struct temu *temu, int number)
{
    fprintf(stderr, "temu: %s: stopped by SIG%s at ", temu->options.program, sigabbrev_np(number));
    report_place(&temu->machine, &temu->program, stderr);
    fputc('\n', stderr);
    return EXIT_SIGNAL + number;
}

/* The thread that has the turn in the schedule cannot go. */
static void report_schedule(struct temu *temu)
{
    const struct machine *machine = &temu->machine;
    const struct schedule_part *part = &temu->schedule.parts[temu->schedule.next];

    diag_error(&temu->diag, &part->at, "%s has turn %" PRIu64 ", but %s at 0x%" PRIx64,
               workers_name(machine, part->thread), workers_turn(machine),
               workers_activity(machine, part->thread), workers_pc(machine, part->thread));
    report_threads(&temu->machine, &temu->program, stderr);
}

/* Reports how the program ended, and returns the exit status. */
static int report_end(struct temu *temu, enum run_end end)
{
    const struct machine *machine = &temu->machine;

    switch (end) {
    case RUN_FAULT:
        report_fault(machine, &temu->program, stderr);
        return EXIT_SIGNAL + fault_signal(machine->fault.cause);
    case RUN_LIMIT:
        report_stop(temu, "--max-insns", temu->options.max_instructions, "instructions");
        return EXIT_LIMIT;
    case RUN_STOPPED:
        if (host_signal_end())
            return report_signal(temu, host_signal_end());
        report_stop(temu, "--timeout", temu->options.timeout, "seconds");
        return EXIT_TIMEOUT;
    case RUN_IDLE:
        fprintf(stderr, "temu: %s: stopped: waits for an interrupt that cannot come, at ",
                temu->options.program);
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
                "temu: %s: 0x%" PRIx64 " in tohost is not a command (an exit status is written as "
                "status << 1 | 1); stopped at ",
                temu->options.program, machine->bare.htif.refused);
        report_place(&temu->machine, &temu->program, stderr);
        fputc('\n', stderr);
    }
    if (machine->workers && machine->workers->schedule && machine->workers->schedule->has_failed) {
        report_schedule(temu);
        return EXIT_FAILURE;
    }
    if (machine->user.stuck) {
        fprintf(stderr, "temu: %s: stopped: deadlock, no thread can ever go on\n",
                temu->options.program);
        report_threads(&temu->machine, &temu->program, stderr);
    }
    if (!machine->user.signal)
        return machine->user.status;
    const char *name = sigabbrev_np(machine->user.signal);
    if (name)
        fprintf(stderr, "temu: %s: ended by SIG%s%s\n", temu->options.program, name,
                machine->user.signal == SIGPIPE ? ": it wrote to a closed pipe" : "");
    else
        fprintf(stderr, "temu: %s: ended by signal %d\n", temu->options.program,
                machine->user.signal);
    return EXIT_SIGNAL + machine->user.signal;
}

/* Says that an option after the program went to the program. Where nobody is at a terminal, this is
 * only said after a report of the end, never after a normal exit. */
static void hint_at_misplaced(const struct temu *temu, enum run_end end)
{
    const char *word = temu->options.misplaced;
    bool is_reported = end != RUN_EXIT || temu->machine.user.signal;

    if (word && (is_reported || isatty(STDERR_FILENO)))
        fprintf(stderr,
                "temu: note: '%.*s' after the program went to the program; an option of temu goes "
                "before it (if this is meant, write `--` before the program)\n",
                (int)strcspn(word, "="), word);
}

static void write_stats(struct temu *temu, FILE *stream)
{
    if (temu->options.stats_json)
        stats_print_json(&temu->stats, &temu->machine, stream);
    else
        stats_print(&temu->stats, &temu->machine, &temu->arena, stream);
}

static void print_stats(struct temu *temu)
{
    struct output output;

    if (temu->options.stats_file) {
        if (!output_open(&output, &temu->diag, temu->options.stats_file, 0666))
            return;
        write_stats(temu, output.stream);
        output_commit(&output);
        return;
    }
    write_stats(temu, stderr);
    /* Output that was lost is an error, even if the message may be lost too. */
    if (ferror(stderr))
        diag_error(&temu->diag, NULL, "--stats: cannot write to standard error");
}

static void print_timing(struct temu *temu)
{
    struct output output;
    FILE *stream = stderr;

    if (temu->options.timing_file) {
        if (!output_open(&output, &temu->diag, temu->options.timing_file, 0666))
            return;
        stream = output.stream;
    }
    (temu->options.timing_json ? time_report_json : time_report_text)(&temu->feed, &temu->machine,
                                                                      &temu->program, stream);
    if (temu->options.timing_file)
        output_commit(&output);
    else if (ferror(stderr))
        diag_error(&temu->diag, NULL, "--timing: cannot write to standard error");
}

static void print_profile(struct temu *temu, const struct profile_view *view)
{
    struct output output = {.stream = stderr};

    if (temu->options.profile_file &&
        !output_open(&output, &temu->diag, temu->options.profile_file, 0666))
        return;
    profile_write(view, temu->options.profile_as, output.stream);
    if (temu->options.profile_file)
        output_commit(&output);
    else if (ferror(stderr))
        diag_error(&temu->diag, NULL, "--profile: cannot write to standard error");
}

static void write_coverage(struct temu *temu, const struct profile_view *view)
{
    const char *operands = coverage_operands_file(&temu->arena, temu->options.coverage);
    struct output output;

    if (!view->debug) {
        diag_error(&temu->diag, NULL,
                   "--coverage: %s has no source lines; assemble or compile it with -g",
                   temu->options.program);
        return;
    }
    if (!output_open(&output, &temu->diag, temu->options.coverage, 0666))
        return;
    if (coverage_write(view, &temu->diag, operands, output.stream))
        output_commit(&output);
    else
        output_abandon(&output);
}

static void finish_profile(struct temu *temu)
{
    tally_flush(&temu->profile);
    profile_finish(&temu->profile, temu->machine.keeper ? temu->feed.counters.cycles : 0);
}

/* Writes what was counted at each instruction. */
static void report_profile(struct temu *temu)
{
    struct profile_view view;

    profile_view_open(&view, &temu->profile, &temu->diag);
    if (temu->options.profiled)
        print_profile(temu, &view);
    if (temu->options.coverage)
        write_coverage(temu, &view);
    profile_view_close(&view);
}

static void dump_state(struct temu *temu)
{
    struct output output;

    if (!output_open(&output, &temu->diag, temu->options.state_file, 0666))
        return;
    state_print(&temu->machine, output.stream);
    output_commit(&output);
}

static void print_results(struct temu *temu)
{
    for (size_t i = 0; i < temu->options.prints.count; i++)
        print_run(&temu->print_requests[i], &temu->machine, &temu->diag, stdout);
    for (size_t i = 0; i < temu->options.dumps.count; i++)
        dump_run(&temu->dump_requests[i], &temu->machine.memory, &temu->diag);
    if (temu->machine.native)
        native_observe_end(temu->machine.native, stdout);
    if (temu->options.state_file)
        dump_state(temu);
    if (temu->machine.profile)
        finish_profile(temu);
    if (temu->machine.stats)
        print_stats(temu);
    if (temu->options.profiled || temu->options.coverage)
        report_profile(temu);
    if (temu->picture.stream)
        picture_close(&temu->picture);
    if (temu->options.timed)
        print_timing(temu);
}

/* With a debugger, and where standard error has a trace, lines of progress must be asked for. */
static void start_progress(struct temu *temu)
{
    const struct temu_options *options = &temu->options;
    enum progress_choice choice = options->progress;

    if (choice == PROGRESS_AUTO &&
        (options->gdb || options->calls_traced || (options->traced && !options->trace.file)))
        choice = PROGRESS_NO;
    progress_start(&temu->progress, &temu->machine, &temu->program, choice);
    temu->machine.progress = &temu->progress.progress;
}

static enum run_end run_program(struct temu *temu)
{
    enum run_end end;

    machine_set_deadline(&temu->machine, temu->options.timeout);
    start_progress(temu);
    host_signal_catch();
    end = temu->options.gdb ? gdb_run(&temu->gdb)
                            : machine_run(&temu->machine, temu->options.max_instructions);
    host_signal_release();
    temu->machine.progress->hide(temu->machine.progress);
    temu->machine.progress = NULL;
    return end;
}

static int run(struct temu *temu)
{
    enum run_end end = run_program(temu);

    if (temu->options.gdb)
        gdb_close(&temu->gdb);
    if (temu->machine.keeper)
        feed_finish(&temu->feed);
    trace_timer_finish(&temu->trace_timer);
    if (temu->machine.trace)
        trace_close(&temu->trace);
    if (temu->options.verbose && temu->machine.native)
        native_report(temu->machine.native, temu->options.program);
    int status = report_end(temu, end);
    if (races_count(temu->machine.races))
        status = EXIT_SIGNAL + SIGABRT;
    hint_at_misplaced(temu, end);
    print_results(temu);
    if (diag_failed(&temu->diag))
        status = EXIT_FAILURE;
    return output_finish_stdout(&temu->diag, status);
}

static int run_tool(struct temu *temu, int argc, char **argv)
{
    int status;

    config_default(&temu->machine.config);
    temu->options.arena = temu->files.arena = &temu->arena;
    temu->options.diag = &temu->diag;
    temu->options.config = &temu->machine.config;
    if (!options_read(&temu->options, argc, argv, &status))
        return status;
    if (temu->options.machine_dumped) {
        config_print(&temu->machine.config, stdout);
        return output_finish_stdout(&temu->diag, EXIT_SUCCESS);
    }
    if (!load(temu) || !open_native(temu) || (temu->options.gdb && !open_gdb(temu)) || !watch(temu))
        return EXIT_FAILURE;
    return run(temu);
}

int main(int argc, char **argv)
{
    /* Static, since it is large and most of it is not used: memory that is 0 costs nothing. */
    static struct temu temu = {.diag = {.tool = "temu"}};

    user_init(
        &temu.machine.user); /* before output_init, because it must see which streams are closed */
    output_init();
    /* Everything is written and closed. The end of the process frees all memory at once, which
     * takes the host less time than piece by piece. */
    return run_tool(&temu, argc, argv);
}
