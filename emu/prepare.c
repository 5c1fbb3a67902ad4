/* What is prepared for a run: native code, the debugger, and what observes the program. */
#include "emu/native/blocks.h"
#include "emu/races/races.h"
#include "emu/temu.h"
#include "emu/user/thread.h"
#include "emu/workers/workers.h"
#include "lib/map.h"
#include "lib/trace/thread_name.h"
#include <string.h>
#include <sys/stat.h>

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
    for (uint64_t page = memory_next_mapped(&machine->memory, 0, MEMORY_PAGES); page < MEMORY_PAGES;
         page = memory_next_mapped(&machine->memory, page + 1, MEMORY_PAGES))
        record_page(machine, start, page * MEMORY_PAGE);
}

/* Refuses names of --trace-threads that no thread of the machine can have: the trace would be
 * empty. */
static void check_threads(struct temu *temu)
{
    const char *list = temu->options.trace.threads;
    unsigned workers = (unsigned)temu->machine.config.barrel_workers;

    for (const char *name = list; name && *name; name += strspn(name, ",")) {
        size_t length = strcspn(name, ",");
        uint32_t thread = thread_by_name(name, length, workers != 0);
        if (!thread && !workers)
            diag_error(&temu->diag, NULL,
                       "--trace-threads=%s: found '%.*s', but the machine has no barrel; expected "
                       "names of threads: t1,t3",
                       list, (int)length, name);
        else if (!thread || (workers && thread > workers + 1))
            diag_error(&temu->diag, NULL,
                       "--trace-threads=%s: found '%.*s', expected names of the threads of this "
                       "barrel: sup, w0 to w%u",
                       list, (int)length, name, workers - 1);
        name += length;
    }
}

static bool start_trace(struct temu *temu)
{
    struct trace_options *options = &temu->options.trace;
    struct trace_program program = traced_program(temu);
    struct recorder start = {.keeps_bytes = true};

    check_threads(temu);
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
    machine->races =
        races_new(&observer, machine->workers ? 0 : user_thread_number(machine->user.thread));
    if (!machine->races)
        diag_error(&temu->diag, NULL, "out of memory");
    return machine->races != NULL;
}

/* Are statistics wanted, and nothing that must see each instruction? Then blocks are counted, as
 * for a profile. */
static bool counts_blocks(const struct temu *temu)
{
    const struct machine *machine = &temu->machine;

    return machine->stats && (!machine->trace || trace_may_finish(machine->trace)) &&
           !machine->races && !temu->options.gdb;
}

bool prepare_observers(struct temu *temu)
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

enum tier prepare_tier(const struct temu *temu)
{
    return temu->options.reference ? TIER_INTERPRET : temu->options.tier;
}

bool prepare_native(struct temu *temu)
{
    struct machine *machine = &temu->machine;
    enum tier tier = prepare_tier(temu);

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

bool prepare_gdb(struct temu *temu)
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
