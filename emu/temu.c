/* temu: runs a RISC-V program with tensor instructions. */
#include "emu/temu.h"
#include "emu/execute/processes.h"
#include "emu/host_signal.h"
#include "emu/native/blocks.h"
#include "emu/native/rounds.h"
#include "emu/reference/reference.h"
#include "emu/report/report.h"
#include "emu/user/path.h"
#include "lib/output.h"
#include <elf.h>
#include <stdlib.h>

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

/* Reads the dynamic linker of a program that asks for one, from the root. */
static bool read_linker(struct temu *temu)
{
    const struct position at = {.name = temu->options.root};
    struct program *program = &temu->program;

    if (!temu->options.root)
        return program_refuse_dynamic(
            program, &temu->diag,
            ", or give the directory with its dynamic linker and libraries as --root=DIR");
    if (!program->linker_path)
        return true;
    char *name = path_on_host(&temu->machine, program->linker_path);
    if (!name)
        diag_error(&temu->diag, &at, "this --root directory has no '%s', the dynamic linker of %s",
                   program->linker_path, program->name);
    bool good = name && program_read_linker(program, &temu->linker, &temu->arena, &temu->diag,
                                            arena_string(&temu->arena, name));
    free(name);
    return good;
}

static bool load_user(struct temu *temu)
{
    struct machine *machine = &temu->machine;

    machine->user.trace_calls = temu->options.calls_traced;
    return (!temu->options.root ||
            user_set_root(&machine->user, &temu->diag, temu->options.root)) &&
           read_linker(temu) && program_load(&temu->program, machine, &temu->diag) &&
           user_start(machine, &temu->diag, &temu->program, &temu->execution);
}

static bool load_bare(struct temu *temu)
{
    return program_refuse_dynamic(&temu->program, &temu->diag, "") &&
           program_load(&temu->program, &temu->machine, &temu->diag) &&
           htif_open(&temu->machine, &temu->diag, &temu->program);
}

static bool load(struct temu *temu)
{
    struct machine *machine = &temu->machine;
    struct diag *diag = &temu->diag;

    temu->execution = (struct user_execution){.arguments = temu->options.arguments,
                                              .variables = temu->options.variables.items,
                                              .variable_count = temu->options.variables.count};
    user_name_program(&temu->arena, temu->options.root, temu->options.program, &temu->execution);
    if (!program_read(&temu->program, &temu->arena, diag, temu->execution.host))
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
    struct processes processes = {.first = &temu->machine,
                                  .program = &temu->program,
                                  .tier = prepare_tier(temu),
                                  .report_fault = report_fault};
    enum run_end end;

    machine_set_deadline(&temu->machine, temu->options.timeout);
    start_progress(temu);
    host_signal_catch();
    end = temu->options.gdb ? gdb_run(&temu->gdb)
                            : processes_run(&processes, temu->options.max_instructions);
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
    if (temu->machine.keeper) {
        if (temu->machine.native)
            native_tell_rounds(temu->machine.native);
        feed_finish(&temu->feed);
        temu->machine.hart.cycle = temu->feed.counters.cycles; /* for --dump-state */
    }
    trace_timer_finish(&temu->trace_timer);
    if (temu->machine.trace)
        trace_close(&temu->trace);
    if (temu->options.verbose && temu->machine.native)
        native_report(temu->machine.native, temu->options.program);
    int status = results_end(temu, end);
    results_hint(temu, end);
    results_print(temu);
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
    if (!load(temu) || !prepare_native(temu) || (temu->options.gdb && !prepare_gdb(temu)) ||
        !prepare_observers(temu))
        return EXIT_FAILURE;
    return run(temu);
}

int main(int argc, char **argv)
{
    /* Static, since it is large and most of it is not used: memory that is 0 costs nothing, as long
     * as it is not in the file, and page faults cost more than pages. */
    static struct temu temu;

    temu.diag.tool = "temu";
    arena_populate(&temu.machine, sizeof temu.machine);
    user_init(&temu.machine); /* before output_init, because it must see which streams are closed */
    output_init();
    /* Everything is written and closed. The end of the process frees all memory at once, which
     * takes the host less time than piece by piece. */
    return run_tool(&temu, argc, argv);
}
