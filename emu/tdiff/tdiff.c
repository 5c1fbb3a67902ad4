/* tdiff: finds the first difference between two instruction traces, and where the differing value
 * comes from. The exit status is that of diff: 0 the same, 1 different, 2 trouble. It is 2 also
 * when there was nothing to compare. */
#include "emu/tdiff/tdiff.h"
#include "emu/tdiff/calibrate.h"
#include "emu/tdiff/cycles.h"
#include "emu/tdiff/lossless.h"

#include "lib/file.h"
#include "lib/isa.h"
#include "lib/options.h"
#include "lib/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TROUBLE = 2,
    DEFAULT_CONTEXT = 5,
    MAXIMUM_CONTEXT = 10000,
    DEFAULT_LIMIT = 16,
    MAXIMUM_LIMIT = 1024,
    DEFAULT_PLACES = 20,
    MAXIMUM_PLACES = 1000000
};
enum option_id {
    OPT_CONTEXT,
    OPT_ELF,
    OPT_IGNORE,
    OPT_LIMIT,
    OPT_CYCLES,
    OPT_BY_THREAD,
    OPT_CALIBRATE,
    OPT_MACHINE,
    OPT_MOVED,
    OPT_ALL,
    OPT_PLACES,
    OPT_ULP,
    OPT_RTOL,
    OPT_HTML
};

static const struct option_spec specs[] = {
    {'C', "context", OPTION_REQUIRED, "N", "records shown before the difference (5)", false,
     OPT_CONTEXT},
    {'e', "elf", OPTION_REQUIRED, "FILE", "the traced program: symbols and source lines", false,
     OPT_ELF},
    {0, "ignore", OPTION_REQUIRED, "LIST",
     "do not compare: encoding csr load store range state trap, a register file (x f), or a "
     "register or CSR by name",
     false, OPT_IGNORE},
    {0, "limit", OPTION_REQUIRED, "MIB", "longest line, and largest window of a .zst trace (16)",
     false, OPT_LIMIT},
    {0, "by-thread", OPTION_NONE, NULL,
     "compare what each thread executed, whatever the order of the threads", false, OPT_BY_THREAD},
    {0, "cycles", OPTION_NONE, NULL,
     "compare when instructions commit: tables of temu --pipeline, CSV, or Spike's log with cycles",
     false, OPT_CYCLES},
    {0, "calibrate", OPTION_REQUIRED, "DIR",
     "print the timing settings with which the kernels in DIR take the cycles of their CSV files",
     false, OPT_CALIBRATE},
    {0, "machine", OPTION_REQUIRED, "NAME",
     "with --calibrate: the machine that has all other settings, as temu takes it", false,
     OPT_MACHINE},
    {0, "moved", OPTION_NONE, NULL,
     "compare two programs by symbol and offset, so that moved code and data are no difference "
     "(.ttrace)",
     false, OPT_MOVED},
    {0, "all", OPTION_NONE, NULL,
     "go on after a difference, and show all places and a summary by function (.ttrace)", false,
     OPT_ALL},
    {0, "places", OPTION_REQUIRED, "N", "with --all: most places that are shown (20)", false,
     OPT_PLACES},
    {0, "ulp", OPTION_REQUIRED, "[TYPE:]N,...",
     "floats may differ by N units in the last place (.ttrace)", false, OPT_ULP},
    {0, "rtol", OPTION_REQUIRED, "[TYPE:]X,...",
     "floats may differ by X times the larger one (.ttrace)", false, OPT_RTOL},
    {0, "html", OPTION_REQUIRED, "FILE", "also write a page with both sides (.ttrace)", false,
     OPT_HTML},
    {0, NULL, OPTION_NONE, NULL, NULL, false, 0},
};

/* Returns the names of the register files, each after a space and before a comma. */
static const char *file_names(struct tdiff *tdiff)
{
    const char *names = "";

    for (size_t i = 0; i < isa_register_file_count; i++)
        names = arena_format(&tdiff->arena, "%s %s,", names, isa_register_files[i].name);
    return names;
}

static void ignore_word(struct tdiff *tdiff, const char *word, size_t length)
{
    static const struct {
        const char *name;
        unsigned kinds;
    } groups[] = {
        {"csr", 1u << CHANGE_CSR},
        {"load", 1u << CHANGE_LOAD},
        {"store", 1u << CHANGE_STORE},
        {"range", 1u << CHANGE_RANGE_READ | 1u << CHANGE_RANGE_WRITE},
        {"state", 1u << CHANGE_STATE},
        {"trap", 1u << CHANGE_TRAP},
    };
    const char *name = arena_copy(&tdiff->arena, word, length);
    const struct isa_register_name *found = isa_find_register(name);

    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (strcmp(groups[i].name, name) == 0) {
            tdiff->ignored_kinds |= groups[i].kinds;
            return;
        }
    }
    if (strcmp(name, "encoding") == 0) {
        tdiff->ignore_encoding = true;
        return;
    }
    for (size_t i = 0; i < isa_register_file_count; i++) {
        if (strcmp(isa_register_files[i].name, name) == 0) {
            tdiff->ignored_files |= UINT64_C(1) << i;
            return;
        }
    }
    if (!found && !isa_find_csr(name)) {
        diag_error(&tdiff->diag, NULL,
                   "--ignore: '%s' is not a register, a CSR, or one of encoding,%s csr, load, "
                   "store, range, state, trap",
                   name, file_names(tdiff));
        return;
    }
    strings_add(&tdiff->ignored_names, &tdiff->arena,
                found ? found->file->names[found->number] : name);
}

static void set_option(struct tdiff *tdiff, struct options *options, int id)
{
    unsigned long long number;
    const char *list = options->argument;

    switch ((enum option_id)id) {
    case OPT_CONTEXT:
        if (options_number(options, options->argument, 0, MAXIMUM_CONTEXT, &number))
            tdiff->context = (unsigned)number;
        break;
    case OPT_LIMIT:
        if (options_number(options, options->argument, 1, MAXIMUM_LIMIT, &number))
            tdiff->limit = (unsigned)number;
        break;
    case OPT_ELF:
        tdiff->elf_name = options->argument;
        break;
    case OPT_BY_THREAD:
        tdiff->is_by_thread = true;
        break;
    case OPT_CYCLES:
        tdiff->has_cycles = true;
        break;
    case OPT_CALIBRATE:
        tdiff->calibrated = options->argument;
        break;
    case OPT_MACHINE:
        tdiff->machine = options->argument;
        break;
    case OPT_MOVED:
        tdiff->has_moved = true;
        break;
    case OPT_ALL:
        tdiff->has_all = true;
        break;
    case OPT_PLACES:
        if (options_number(options, options->argument, 1, MAXIMUM_PLACES, &number))
            tdiff->shown = (unsigned)number;
        break;
    case OPT_ULP:
    case OPT_RTOL:
        tdiff->has_tolerance = true;
        tolerance_read(tdiff, &tdiff->tolerance, options->argument, id == OPT_ULP);
        break;
    case OPT_HTML:
        tdiff->page = options->argument;
        break;
    case OPT_IGNORE:
        while (*list) {
            size_t length = strcspn(list, ",");
            ignore_word(tdiff, list, length);
            list += length + (list[length] == ',');
        }
        break;
    }
}

/* Checks that the page replaces no input. */
static void check_page(struct tdiff *tdiff)
{
    const struct output_use uses[] = {
        {arena_format(&tdiff->arena, "--html=%s", tdiff->page), tdiff->page, false},
        {"the first trace", tdiff->names[0], true},
        {"the second trace", tdiff->names[1], true},
        {"the program of --elf", tdiff->elf_name, true},
    };

    output_check(&tdiff->diag, uses, sizeof uses / sizeof *uses);
}

/* Reads the options. Returns an exit status, or -1 to continue. */
static int read_options(struct tdiff *tdiff, int argc, char **argv)
{
    struct options options = {
        .diag = &tdiff->diag,
        .usage = "[options] A B",
        .summary = "shows the first difference between two instruction traces",
        .epilogue =
            "The traces may be text, json or Spike's commit log, compressed (.zst) or not,\n"
            "or lossless (.ttrace); `-` is standard input. Two lossless traces are compared\n"
            "by value, and one in the format of the other trace.\n"
            "Exit status: 0 the same, 1 different, 2 trouble.\n",
        .specs = specs,
        .argc = argc,
        .argv = argv,
        .index = 1,
    };
    unsigned count = 0;
    int id;

    while ((id = options_next(&options)) != OPTIONS_END) {
        if (id == OPTIONS_EXIT)
            return output_finish_stdout(&tdiff->diag, 0) ? TROUBLE : 0;
        if (id == OPTIONS_OPERAND && count++ < 2)
            tdiff->names[count - 1] = options.argument;
        else if (id >= 0)
            set_option(tdiff, &options, id);
    }
    if (!diag_failed(&tdiff->diag) && tdiff->machine && !tdiff->calibrated)
        diag_error(&tdiff->diag, NULL, "found --machine without --calibrate; add --calibrate=DIR");
    if (!diag_failed(&tdiff->diag) && tdiff->calibrated && count > 0)
        diag_error(&tdiff->diag, NULL, "found %u file%s, expected none after --calibrate=DIR",
                   count, count == 1 ? "" : "s");
    if (!diag_failed(&tdiff->diag) && !tdiff->calibrated && count != 2)
        diag_error(&tdiff->diag, NULL, "found %u file%s, expected two traces: tdiff A B", count,
                   count == 1 ? "" : "s");
    if (!diag_failed(&tdiff->diag) && tdiff->page)
        check_page(tdiff);
    return diag_failed(&tdiff->diag) ? TROUBLE : -1;
}

/* Compares two lossless traces. Other traces do not have what some options need. Returns the exit
 * status, or -1 if one of the traces is another: then tdiff->is_lossless says which is not. */
static int compare_lossless(struct tdiff *tdiff)
{
    const char *option = tdiff->has_moved       ? "--moved"
                         : tdiff->has_all       ? "--all"
                         : tdiff->has_tolerance ? "--ulp or --rtol"
                         : tdiff->page          ? "--html"
                                                : NULL;
    bool first = lossless_is(tdiff->names[0]), second = lossless_is(tdiff->names[1]);

    /* Standard input is what the file is. */
    first |= second && strcmp(tdiff->names[0], "-") == 0;
    second |= first && strcmp(tdiff->names[1], "-") == 0;
    tdiff->is_lossless[0] = first;
    tdiff->is_lossless[1] = second;
    if (first && second && tdiff->is_by_thread &&
        (tdiff->page || strcmp(tdiff->names[0], "-") == 0 || strcmp(tdiff->names[1], "-") == 0))
        diag_error(&tdiff->diag, NULL, "found --by-thread with %s; expected two files, and no page",
                   tdiff->page ? "--html" : "standard input");
    else if (first && second)
        return lossless_compare(tdiff);
    else if (option)
        diag_error(&tdiff->diag, NULL,
                   "found %s with %s, which is not lossless; expected two files of 'temu "
                   "--trace=FILE.ttrace'",
                   option, tdiff->names[first ? 1 : 0]);
    return (first && second) || option ? TROUBLE : -1;
}

/* Opens the program: that of --elf, or that in a lossless trace. */
static bool open_program(struct tdiff *tdiff)
{
    struct diag_file bytes = {0};

    for (unsigned i = 0; i < 2; i++)
        if (tdiff->inputs[i].stream.converted)
            bytes = converted_program(tdiff->inputs[i].stream.converted);
    if (tdiff->elf_name && !file_read(&tdiff->arena, &tdiff->diag, NULL, tdiff->elf_name, &bytes))
        return false;
    if (bytes.length == 0 && !tdiff->elf_name)
        return true;
    if (!elf_open(&tdiff->elf, &tdiff->arena, &tdiff->diag,
                  tdiff->elf_name ? tdiff->elf_name : bytes.name, bytes.bytes, bytes.length))
        return false;
    symbolizer_init(&tdiff->symbols, &tdiff->elf);
    tdiff->image = bytes;
    return true;
}

static bool open_traces(struct tdiff *tdiff)
{
    bool spike_a, spike_b;

    if (strcmp(tdiff->names[0], "-") == 0 && strcmp(tdiff->names[1], "-") == 0) {
        diag_error(&tdiff->diag, NULL, "standard input cannot be both traces");
        return false;
    }
    for (unsigned i = 0; i < 2; i++)
        if (!tdiff->is_lossless[i] && !trace_input_open(tdiff, &tdiff->inputs[i], tdiff->names[i]))
            return false;
    for (unsigned i = 0; i < 2; i++)
        if (tdiff->is_lossless[i] && !trace_input_convert(tdiff, &tdiff->inputs[i], tdiff->names[i],
                                                          tdiff->inputs[1 - i].format))
            return false;
    spike_a = tdiff->inputs[0].format == TRACE_SPIKE;
    spike_b = tdiff->inputs[1].format == TRACE_SPIKE;
    if (spike_a != spike_b)
        diag_error(
            &tdiff->diag, NULL,
            "%s is Spike's commit log and %s is not: they do not record the same things; write "
            "both with --trace-format=spike",
            tdiff->names[spike_a ? 0 : 1], tdiff->names[spike_a ? 1 : 0]);
    return spike_a == spike_b;
}

/* Gives a position-independent program the addresses that it has in the traces, whose headers tell
 * the entry. Spike's log has no header; there the addresses stay those of the file. */
static void place_program(struct tdiff *tdiff)
{
    struct elf_file *elf = &tdiff->elf;
    uint64_t entry = tdiff->inputs[0].header.entry, moved = 0;

    if (!tdiff->image.length)
        return;
    if (elf->header.e_type == ET_DYN && entry)
        moved = entry - elf->header.e_entry;
    elf_move(elf, moved);
    tdiff->source = source_open(&tdiff->image, moved);
}

static void warn_of_headers(struct tdiff *tdiff)
{
    const struct trace_header *a = &tdiff->inputs[0].header, *b = &tdiff->inputs[1].header;

    if (strcmp(a->isa, b->isa) != 0)
        diag_warning(&tdiff->diag, NULL,
                     "the traces come from tools with different ISA descriptions: %s and %s",
                     a->isa, b->isa);
    if (strcmp(a->machine, b->machine) != 0)
        diag_warning(&tdiff->diag, NULL,
                     "the traces come from different machine configurations: %s and %s", a->machine,
                     b->machine);
    if (strcmp(a->program, b->program) != 0)
        diag_warning(&tdiff->diag, NULL, "the traces are of different program files: %s and %s",
                     a->program, b->program);
}

/* Reads both traces up to the first difference. A trace that has ended has NULL in `records`.
 * Returns the exit status. */
static int find_difference(struct tdiff *tdiff, struct record **records)
{
    struct trace_input *a = &tdiff->inputs[0], *b = &tdiff->inputs[1];

    for (;;) {
        if (!tdiff->is_by_thread && trace_inputs_skip_same(tdiff, a, b) == READ_ERROR)
            return TROUBLE;
        enum read_result read_a = trace_input_next(tdiff, a, records[0]);
        enum read_result read_b = trace_input_next(tdiff, b, records[1]);
        if (read_a == READ_ERROR || read_b == READ_ERROR)
            return TROUBLE;
        if (read_a == READ_END)
            records[0] = NULL;
        if (read_b == READ_END)
            records[1] = NULL;
        if (!records[0] && !records[1])
            return 0;
        if (!records[0] || !records[1] || !records_equal(tdiff, records[0], records[1]))
            return 1;
    }
}

static int report_empty(const struct trace_input *input)
{
    const struct position whole = {.name = input->stream.name};

    diag_error(input->stream.diag, &whole, "has no instructions: nothing was compared");
    return TROUBLE;
}

/* Adds the names of the threads of a trace, in the order of their first instructions. Returns false
 * when it cannot be read, or has none. */
static bool find_threads(struct tdiff *tdiff, struct trace_input *input, struct strings *names)
{
    size_t before = input->line;
    struct trace_line line;
    char name[THREAD_SIZE];
    enum read_result result;

    while ((result = trace_input_line(tdiff, input, &line)) == READ_RECORD) {
        trace_input_thread(input, &line, name);
        if (strings_find(names, name) == names->count)
            strings_add(names, &tdiff->arena, arena_copy(&tdiff->arena, name, strlen(name)));
    }
    if (result == READ_END && input->line == before)
        report_empty(input);
    return result == READ_END && input->line > before;
}

/* Compares what each thread did, and reports the first thread that did something else. Returns the
 * exit status. */
static int compare_threads(struct tdiff *tdiff)
{
    struct trace_input *inputs = tdiff->inputs;
    struct strings names = {0};
    int status = 0;

    if (!find_threads(tdiff, &inputs[0], &names) || !find_threads(tdiff, &inputs[1], &names))
        return TROUBLE;
    for (size_t i = 0; status == 0 && i < names.count; i++) {
        struct record a = {0}, b = {0};
        struct record *records[2] = {&a, &b};
        inputs[0].thread = inputs[1].thread = names.items[i];
        status = trace_input_rewind(tdiff, &inputs[0]) && trace_input_rewind(tdiff, &inputs[1])
                     ? find_difference(tdiff, records)
                     : TROUBLE;
        if (status == 1 && !report_difference(tdiff, records))
            status = TROUBLE;
        free(a.changes);
        free(b.changes);
    }
    return status;
}

/* Compares the traces. Returns the exit status. */
static int compare(struct tdiff *tdiff)
{
    struct record a = {0}, b = {0};
    struct record *records[2] = {&a, &b};
    int status = find_difference(tdiff, records);

    for (unsigned i = 0; i < 2 && status == 1; i++)
        if (!trace_stream_verify(&tdiff->inputs[i].stream))
            status = TROUBLE;
    for (unsigned i = 0; i < 2 && status != TROUBLE; i++)
        if (tdiff->inputs[i].records == 0)
            status = report_empty(&tdiff->inputs[i]);
    if (status == 1 && !report_difference(tdiff, records))
        status = TROUBLE;
    free(a.changes);
    free(b.changes);
    return status;
}

/* Returns the temu beside this program, or the one that is found by its name. */
static const char *find_temu(struct tdiff *tdiff)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length <= 0)
        return "temu";
    path[length] = '\0';
    const char *temu =
        arena_format(&tdiff->arena, "%.*s/temu", (int)(strrchr(path, '/') - path), path);
    return access(temu, X_OK) == 0 ? temu : "temu";
}

int main(int argc, char **argv)
{
    struct tdiff tdiff = {.diag = {.tool = "tdiff"},
                          .context = DEFAULT_CONTEXT,
                          .limit = DEFAULT_LIMIT,
                          .shown = DEFAULT_PLACES};
    int status;

    output_init_for_reader();
    status = read_options(&tdiff, argc, argv);
    if (status < 0 && tdiff.calibrated) {
        status = calibrate(&tdiff.diag, &tdiff.arena, tdiff.calibrated, tdiff.machine,
                           find_temu(&tdiff));
        if (output_finish_stdout(&tdiff.diag, 0))
            status = TROUBLE;
    }
    if (status < 0 && tdiff.has_cycles) {
        status = cycles_compare(&tdiff.diag, &tdiff.arena, tdiff.names);
        if (output_finish_stdout(&tdiff.diag, 0))
            status = TROUBLE;
    }
    if (status < 0) {
        status = compare_lossless(&tdiff);
        if (status >= 0 && output_finish_stdout(&tdiff.diag, 0))
            status = TROUBLE;
    }
    if (status < 0 && (!open_traces(&tdiff) || !open_program(&tdiff)))
        status = TROUBLE;
    if (status < 0) {
        place_program(&tdiff);
        warn_of_headers(&tdiff);
        status = tdiff.is_by_thread ? compare_threads(&tdiff) : compare(&tdiff);
        if (output_finish_stdout(&tdiff.diag, 0))
            status = TROUBLE;
    }
    for (unsigned i = 0; i < 2; i++)
        trace_input_close(&tdiff.inputs[i]);
    source_close(tdiff.source);
    arena_free(&tdiff.arena);
    return status;
}
