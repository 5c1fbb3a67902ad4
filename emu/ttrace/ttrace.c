/* ttrace: converts a lossless trace, answers questions about it, and shows it. The exit status is
 * 0, or 1 after an error. */
#include "emu/ttrace/follow.h"
#include "emu/ttrace/query.h"
#include "lib/options.h"
#include "lib/output.h"

#include <limits.h>
#include <string.h>

enum { DEFAULT_DEPTH = 3, MAXIMUM_DEPTH = 100, DEFAULT_LIMIT = 20, MAXIMUM_LIMIT = 1000000000 };
enum option_id { OPT_OUTPUT, OPT_TO, OPT_FOLLOW, OPT_DEPTH, OPT_LIMIT };

static const struct option_spec specs[] = {
    {'o', NULL, OPTION_REQUIRED, "FILE", "where view writes the page (standard output)", false,
     OPT_OUTPUT},
    {0, "to", OPTION_REQUIRED, "text|json|spike|riscv-dv|rvvi|kanata|perfetto|vcd",
     "format that convert writes", false, OPT_TO},
    {0, "follow", OPTION_NONE, NULL,
     "convert and grep go on until the run that writes FILE has ended", false, OPT_FOLLOW},
    {0, "depth", OPTION_REQUIRED, "N", "how many steps who goes back (3)", false, OPT_DEPTH},
    {0, "limit", OPTION_REQUIRED, "N",
     "most lines that reads and grep print (20; with --follow any number)", false, OPT_LIMIT},
    {0, NULL, OPTION_NONE, NULL, NULL, false, 0},
};

static const struct {
    const char *name, *argument; /* argument: NULL: none besides the file */
    bool (*run)(struct ttrace_tool *tool);
} commands[] = {
    {"convert", NULL, convert},          {"who", "PLACE[@N]", query_who},
    {"reads", "PLACE[@N]", query_reads}, {"at", "N|PLACE@N", query_at},
    {"grep", "REGEX", query_grep},       {"view", NULL, query_view},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* The other formats of pictures need what a trace does not have. */
static void set_format(struct ttrace_tool *tool, const char *name)
{
    tool->has_format = true;
    if (trace_format_by_name(name, &tool->format) && tool->format != TRACE_LOSSLESS)
        return;
    tool->is_picture = picture_format_by_name(name, &tool->picture);
    if (!tool->is_picture || (tool->picture != PICTURE_KANATA &&
                              tool->picture != PICTURE_PERFETTO && tool->picture != PICTURE_VCD))
        diag_error(&tool->diag, NULL,
                   "--to=%s: no such format; expected text, json, spike, riscv-dv, rvvi, kanata, "
                   "perfetto or vcd",
                   name);
}

static void set_option(struct ttrace_tool *tool, struct options *options, int id)
{
    unsigned long long number;

    switch ((enum option_id)id) {
    case OPT_OUTPUT:
        tool->output = options->argument;
        break;
    case OPT_TO:
        set_format(tool, options->argument);
        break;
    case OPT_FOLLOW:
        tool->follows = true;
        break;
    case OPT_DEPTH:
        if (options_number(options, options->argument, 0, MAXIMUM_DEPTH, &number))
            tool->depth = (unsigned)number;
        break;
    case OPT_LIMIT:
        if (options_number(options, options->argument, 1, MAXIMUM_LIMIT, &number))
            tool->limit = (unsigned)number;
        tool->has_limit = true;
        break;
    }
}

/* Returns the index of the command, or -1 after a diagnostic. */
static int find_command(struct ttrace_tool *tool)
{
    const char *names = "";

    if (tool->word_count == 0) {
        diag_error(&tool->diag, NULL, "no command given; try 'ttrace --help'");
        return -1;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(tool->words[0], commands[i].name) == 0)
            return i;
    for (int i = 0; i < COMMANDS; i++)
        names = arena_format(&tool->arena, "%s%s%s", names, i ? ", " : "", commands[i].name);
    diag_error(&tool->diag, NULL, "'%s' is not a command; expected one of: %s", tool->words[0],
               names);
    return -1;
}

/* Checks the words of the command line. */
static void check_words(struct ttrace_tool *tool, int command)
{
    const char *argument = commands[command].argument;
    unsigned expected = argument ? 3 : 2;

    if (tool->word_count != expected)
        diag_error(
            &tool->diag, NULL, "found %u argument%s of %s, expected %u: ttrace %s%s FILE%s%s%s",
            tool->word_count - 1, tool->word_count == 2 ? "" : "s", commands[command].name,
            expected - 1, commands[command].name,
            commands[command].run == convert ? " --to=FORMAT" : "", argument ? " " : "",
            argument ? argument : "", commands[command].run == query_view ? " -o PAGE.html" : "");
    else if (commands[command].run == convert && !tool->has_format)
        diag_error(&tool->diag, NULL, "no format given; add --to=FORMAT");
    else if (tool->follows && tool->is_picture)
        diag_error(&tool->diag, NULL,
                   "found --follow with the format of a picture; it takes those of traces");
    else if (commands[command].run != convert && tool->has_format)
        diag_error(&tool->diag, NULL, "found --to with %s; only convert takes it",
                   commands[command].name);
    else if (commands[command].run != convert && commands[command].run != query_grep &&
             tool->follows)
        diag_error(&tool->diag, NULL, "found --follow with %s; only convert and grep take it",
                   commands[command].name);
    else if (tool->follows && strcmp(tool->words[1], "-") == 0)
        diag_error(&tool->diag, NULL, "found --follow with standard input, expected a file");
    else if (commands[command].run != query_view && tool->output)
        diag_error(&tool->diag, NULL, "found -o with %s; only view takes it",
                   commands[command].name);
    if (!tool->output)
        tool->output = "-";
    const struct output_use uses[] = {
        {"the page of -o", tool->output, false},
        {"the trace", tool->words[1], true},
    };
    if (!diag_failed(&tool->diag))
        output_check(&tool->diag, uses, sizeof uses / sizeof *uses);
}

/* Reads the options. Returns an exit status, or -1 to continue. */
static int read_options(struct ttrace_tool *tool, int argc, char **argv, int *command)
{
    struct options options = {
        .diag = &tool->diag,
        .usage = "COMMAND [options] FILE [ARGUMENT]",
        .summary = "converts a lossless trace of temu, answers questions about it, and shows it",
        .epilogue =
            "Commands:\n"
            "  convert --to=FORMAT FILE  write the trace in another format\n"
            "  who FILE PLACE[@N]        the last writer of a place, and of its inputs\n"
            "  reads FILE PLACE[@N]      the instructions that read memory there\n"
            "  at FILE N                 registers and state before instruction N\n"
            "  at FILE PLACE@N           memory or a register before instruction N\n"
            "  grep FILE REGEX           instructions whose pc, symbol, disassembly or line match\n"
            "  view FILE -o PAGE.html    a page that shows the trace in a browser\n"
            "PLACE is a register, CSR or state, THREAD.REGISTER, SYMBOL, SYMBOL+OFFSET, "
            "SYMBOL[i][j],\n"
            "SYMBOL:TYPE[DIMENSIONS][i][j] or an address.\n"
            "FILE is what temu --trace=FILE.ttrace wrote; `-` is standard input.\n",
        .specs = specs,
        .argc = argc,
        .argv = argv,
        .index = 1,
    };
    unsigned count = 0;
    int id;

    while ((id = options_next(&options)) != OPTIONS_END) {
        if (id == OPTIONS_EXIT)
            return output_finish_stdout(&tool->diag, 0) ? 1 : 0;
        if (id == OPTIONS_OPERAND && count++ < ARGUMENTS)
            tool->words[count - 1] = options.argument;
        else if (id >= 0)
            set_option(tool, &options, id);
    }
    tool->word_count = count;
    if (!tool->limit)
        tool->limit = tool->follows ? UINT_MAX : DEFAULT_LIMIT;
    if (!diag_failed(&tool->diag) && (*command = find_command(tool)) >= 0)
        check_words(tool, *command);
    return diag_failed(&tool->diag) ? 1 : -1;
}

/* Opens the trace, and the program in it. */
static bool open_trace(struct ttrace_tool *tool)
{
    struct ttrace *trace = &tool->trace;
    struct position whole = {.name = tool->words[1]};

    if (tool->follows)
        follow_wait(tool->words[1]);
    if (!ttrace_open(trace, &tool->arena, &tool->diag, tool->words[1]))
        return false;
    if (!trace->is_complete && !tool->follows)
        diag_warning(&tool->diag, &whole,
                     "the run was interrupted, or is still writing: found %llu records",
                     (unsigned long long)trace->record_count);
    if (strcmp(trace->isa, isa_fingerprint) != 0)
        diag_warning(&tool->diag, &whole,
                     "the trace comes from a tool with another ISA description: %s, not %s",
                     trace->isa, isa_fingerprint);
    if (trace->program_length == 0)
        return true;
    if (!elf_open(&tool->elf, &tool->arena, &tool->diag, trace->file.name, trace->program,
                  trace->program_length))
        return false;
    elf_move(&tool->elf, trace->moved);
    symbolizer_init(&tool->symbols, &tool->elf);
    tool->disasm.symbols = &tool->symbols;
    tool->has_program = true;
    tool->image = (struct diag_file){
        .name = trace->file.name, .bytes = trace->program, .length = trace->program_length};
    tool->source = source_open(&tool->image, trace->moved);
    return true;
}

int main(int argc, char **argv)
{
    struct ttrace_tool tool = {.diag = {.tool = "ttrace"}, .depth = DEFAULT_DEPTH};
    int command = 0, status;

    output_init_for_reader();
    status = read_options(&tool, argc, argv, &command);
    if (status < 0) {
        status = open_trace(&tool) && commands[command].run(&tool) ? 0 : 1;
        if (output_finish_stdout(&tool.diag, 0))
            status = 1;
    }
    ttrace_decoder_free(&tool.decoder);
    source_close(tool.source);
    arena_free(&tool.arena);
    return status;
}
