/* `monitor` commands of the gdb stub: features of temu for which gdb has no command. */
#include "emu/gdb/commands.h"
#include "lib/output.h"
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { LINE_LIMIT = 1024 };

static const char help[] = "help                 this list\n"
                           "trace on [FILE]      trace to the file of --trace, or to FILE in the "
                           "directory of --trace\n"
                           "trace off            end the trace; FILE is then complete\n"
                           "stats on             count instructions and bytes, from zero\n"
                           "stats off            stop counting\n"
                           "stats                print what was counted\n"
                           "insns                print the number of retired instructions\n";

/* Prints at the client, by an `O` packet for each piece. */
static void print(struct gdb *gdb, const char *text, size_t length)
{
    struct text packet = TEXT_INIT;

    for (size_t at = 0; at < length; at += GDB_CHUNK) {
        text_clear(&packet);
        text_append_char(&packet, 'O');
        gdb_append_bytes(&packet, text + at, length - at < GDB_CHUNK ? length - at : GDB_CHUNK);
        if (!gdb_link_send(&gdb->link, packet.bytes, packet.length))
            break;
    }
    text_free(&packet);
}

__attribute__((format(printf, 2, 3))) static void say(struct gdb *gdb, const char *format, ...)
{
    struct text line = TEXT_INIT;
    va_list arguments;

    va_start(arguments, format);
    text_vformat(&line, format, arguments);
    va_end(arguments);
    text_append_char(&line, '\n');
    print(gdb, line.bytes, line.length);
    text_free(&line);
}

static void trace_off(struct gdb *gdb)
{
    if (!gdb->machine->trace) {
        say(gdb, "there is no trace");
        return;
    }
    bool complete = trace_close(gdb->machine->trace);
    gdb->machine->trace = NULL;
    say(gdb, complete ? "the trace is complete" : "the trace could not be written");
}

/* Returns the file that the client may trace to; NULL after a message. A client can be anyone who
 * reaches the port, so it chooses only what --trace left open: a new or regular file in its
 * directory. */
static const char *choose_file(struct gdb *gdb, const char *name)
{
    const char *place = gdb->trace_options.file;
    struct stat status;

    if (!place) {
        say(gdb, "temu writes no trace without --trace; start it with --trace=FILE, or with "
                 "--trace=DIRECTORY for several");
        return NULL;
    }
    if (stat(place, &status) != 0 || !S_ISDIR(status.st_mode)) {
        if (!*name || strcmp(name, place) == 0)
            return place;
        say(gdb,
            "'%s' is not the file of --trace, which is '%s'; --trace=DIRECTORY allows all "
            "files of a directory",
            name, place);
        return NULL;
    }
    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        say(gdb,
            "expected 'trace on FILE' with the name of a file in the directory '%s' of --trace",
            place);
        return NULL;
    }
    const char *file = arena_format(gdb->arena, "%s/%s", place, name);
    if (lstat(file, &status) == 0 && !S_ISREG(status.st_mode)) {
        say(gdb, "'%s' is not a regular file", file);
        return NULL;
    }
    return file;
}

/* Checks that the trace does not replace another file of the run. That of --trace=FILE was checked
 * before the run. */
static bool may_write(struct gdb *gdb, struct diag *diag, const char *file)
{
    if (file == gdb->trace_options.file)
        return true;
    size_t count = gdb->file_count + 1;
    struct output_use *uses = arena_array(gdb->arena, count, sizeof *uses);
    if (gdb->file_count)
        memcpy(uses, gdb->files, gdb->file_count * sizeof *uses);
    uses[gdb->file_count] = (struct output_use){.what = "the trace", .name = file};
    return output_check(diag, uses, count);
}

/* Opens the trace and reports its diagnostics to the client: a mistake in a command is not an error
 * of the run. */
static void trace_on(struct gdb *gdb, const char *name)
{
    const char *file = choose_file(gdb, name);
    struct trace_options options = gdb->trace_options;
    char *text = NULL;
    size_t length = 0;

    if (!file)
        return;
    FILE *stream = open_memstream(&text, &length);
    struct diag diag = {.tool = "temu", .stream = stream};
    options.file = file;
    if (!options.has_format)
        trace_format_by_ending(file, &options.format);

    if (!stream)
        return;
    if (gdb->machine->trace)
        trace_off(gdb);
    bool open =
        may_write(gdb, &diag, file) && trace_open(gdb->trace, &diag, &options, &gdb->trace_program);
    fclose(stream);
    if (open) {
        trace_report_to(gdb->trace, gdb->diag);
        gdb->machine->trace = gdb->trace;
        say(gdb, "tracing to %s", file);
    } else {
        print(gdb, text, length);
    }
    free(text);
}

static void command_trace(struct gdb *gdb, char *argument)
{
    char *file = argument + strcspn(argument, " ");

    if (*file)
        *file++ = '\0';
    file += strspn(file, " ");
    if (strcmp(argument, "on") == 0)
        trace_on(gdb, file);
    else if (strcmp(argument, "off") == 0 && !*file)
        trace_off(gdb);
    else
        say(gdb, "expected 'trace on', 'trace on FILE' or 'trace off'");
}

static void print_stats(struct gdb *gdb)
{
    char *text = NULL;
    size_t length = 0;

    FILE *stream = gdb->machine->stats ? open_memstream(&text, &length) : NULL;

    if (!stream) {
        say(gdb, "statistics are off; 'monitor stats on' turns them on");
        return;
    }
    stats_print(gdb->machine->stats, gdb->machine, gdb->arena, stream);
    fclose(stream);
    print(gdb, text, length);
    free(text);
}

static void command_stats(struct gdb *gdb, char *argument)
{
    if (!*argument) {
        print_stats(gdb);
    } else if (strcmp(argument, "on") == 0) {
        stats_init(gdb->stats, &gdb->machine->config, gdb->arena);
        gdb->machine->stats = gdb->stats;
        say(gdb, "counting from here on; the lines of the tensor units cover the whole run");
    } else if (strcmp(argument, "off") == 0) {
        gdb->machine->stats = NULL;
        say(gdb, "counting stopped");
    } else {
        say(gdb, "expected 'stats', 'stats on' or 'stats off'");
    }
}

static void command_help(struct gdb *gdb, char *argument)
{
    (void)argument;
    print(gdb, help, sizeof help - 1);
}

static void command_insns(struct gdb *gdb, char *argument)
{
    (void)argument;
    say(gdb, "%" PRIu64, gdb->machine->hart.instret);
}

static const struct {
    const char *name;
    void (*run)(struct gdb *gdb, char *argument);
} commands[] = {
    {"help", command_help},
    {"trace", command_trace},
    {"stats", command_stats},
    {"insns", command_insns},
};

void gdb_monitor(struct gdb *gdb, const char *command)
{
    char line[LINE_LIMIT];

    if (strlen(command) >= sizeof line) {
        say(gdb, "a command has at most %d characters", LINE_LIMIT - 1);
        return;
    }
    strcpy(line, command + strspn(command, " "));
    for (size_t length = strlen(line); length && line[length - 1] == ' ';)
        line[--length] = '\0';
    char *argument = line + strcspn(line, " ");
    if (*argument)
        *argument++ = '\0';
    argument += strspn(argument, " ");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(line, commands[i].name) == 0) {
            commands[i].run(gdb, argument);
            return;
        }
    say(gdb, "'%s' is not a monitor command; 'monitor help' lists the commands", line);
}
