/* What a run leaves: the report of its end, the exit status, and the results that were asked for.
 */
#include "emu/host_signal.h"
#include "emu/native/blocks.h"
#include "emu/profile/tally.h"
#include "emu/races/races.h"
#include "emu/report/coverage.h"
#include "emu/report/profile_report.h"
#include "emu/report/report.h"
#include "emu/report/state.h"
#include "emu/temu.h"
#include "emu/timing/time_report.h"
#include "emu/workers/workers.h"
#include "lib/output.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    EXIT_IDLE = 123,    /* nothing can happen any more */
    EXIT_TIMEOUT = 124, /* as timeout(1) */
    EXIT_LIMIT = 125,   /* --max-insns */
    EXIT_SIGNAL = 128,  /* plus the number of the signal, as in a shell */
};

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
        return EXIT_SIGNAL + memory_fault_signal(&machine->memory, &machine->fault);
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
    case RUN_PASSED:
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

int results_end(struct temu *temu, enum run_end end)
{
    int status = report_end(temu, end);

    return races_count(temu->machine.races) ? EXIT_SIGNAL + SIGABRT : status;
}

void results_hint(const struct temu *temu, enum run_end end)
{
    const char *word = temu->options.misplaced;
    bool is_reported = end != RUN_EXIT || temu->machine.user.signal;

    if (word && (is_reported || isatty(STDERR_FILENO)))
        fprintf(stderr,
                "temu: note: '%.*s' after the program went to the program; an option of temu goes "
                "before it (if this is meant, write `--` before the program)\n",
                (int)strcspn(word, "="), word);
}

/* Opens a report, which goes to the file, or to standard error in one piece. Returns false after a
 * diagnostic. */
static bool open_report(struct temu *temu, struct output *output, const char *file)
{
    if (file)
        return output_open(output, &temu->diag, file, 0666);
    *output = (struct output){0};
    output->stream = open_memstream(&output->bytes, &output->length);
    if (!output->stream)
        diag_error(&temu->diag, NULL, "out of memory for a report");
    return output->stream;
}

/* Ends it. Output that was lost is an error, even if the message may be lost too. */
static void close_report(struct temu *temu, struct output *output, const char *file,
                         const char *option)
{
    if (file) {
        output_commit(output);
        return;
    }
    bool is_whole = fclose(output->stream) == 0; /* else memory is exhausted */
    fwrite(output->bytes, 1, output->length, stderr);
    free(output->bytes);
    if (!is_whole || ferror(stderr))
        diag_error(&temu->diag, NULL, "%s: cannot write to standard error", option);
}

static void print_stats(struct temu *temu)
{
    struct output output;

    if (!open_report(temu, &output, temu->options.stats_file))
        return;
    if (temu->options.stats_json)
        stats_print_json(&temu->stats, &temu->machine, output.stream);
    else
        stats_print(&temu->stats, &temu->machine, &temu->arena, output.stream);
    close_report(temu, &output, temu->options.stats_file, "--stats");
}

static void print_timing(struct temu *temu)
{
    struct output output;

    if (!open_report(temu, &output, temu->options.timing_file))
        return;
    (temu->options.timing_json ? time_report_json : time_report_text)(
        &temu->feed, &temu->machine, &temu->program, output.stream);
    close_report(temu, &output, temu->options.timing_file, "--timing");
}

static void print_profile(struct temu *temu, const struct profile_view *view)
{
    struct output output;

    if (!open_report(temu, &output, temu->options.profile_file))
        return;
    profile_write(view, temu->options.profile_as, output.stream);
    close_report(temu, &output, temu->options.profile_file, "--profile");
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

void results_print(struct temu *temu)
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
