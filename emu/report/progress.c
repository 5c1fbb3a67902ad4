/* See progress.h. */
#include "emu/report/progress.h"
#include "emu/host_signal.h"
#include "emu/report/report.h"
#include "emu/trace/trace.h"
#include "lib/clock.h"
#include "lib/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FIRST       (2 * CLOCK_SECOND) /* a run that is shorter shows nothing */
#define ON_TERMINAL CLOCK_SECOND       /* between two lines */
#define ELSEWHERE   (10 * CLOCK_SECOND)
enum { COLUMNS = 80 }; /* of a terminal that does not say how many it has */

static void append_line(const struct progress_line *line, struct text *text)
{
    uint64_t time = clock_now() - line->start, instructions = line->machine->hart.instret;
    double seconds = (double)time / (double)CLOCK_SECOND;

    text_format(text, "%.1f s, %" PRIu64 " instructions (%.1f million a second), at ", seconds,
                instructions, time ? (double)instructions / seconds / 1e6 : 0);
    report_append_place(line->machine, line->program, text);
}

static size_t columns(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > sizeof "temu: "
               ? size.ws_col
               : COLUMNS;
}

static void hide(struct progress *progress)
{
    struct progress_line *line = (struct progress_line *)progress;

    if (line->is_drawn)
        fputs("\r\033[K", stderr);
    line->is_drawn = false;
}

/* Shows a line that stays. */
static void print(struct progress_line *line, const struct text *text)
{
    hide(&line->progress);
    fprintf(stderr, "temu: %s: %s\n", line->program->name, text->bytes);
}

/* Rewrites the line in place. There is only room for the beginning of a long one, so the name of
 * the program is left out. */
static void draw(struct progress_line *line, const struct text *text)
{
    size_t width = columns() - sizeof "temu: ";

    fprintf(stderr, "\rtemu: %.*s\033[K", (int)(text->length < width ? text->length : width),
            text->bytes);
    line->is_drawn = true;
}

static void look(struct progress *progress)
{
    struct progress_line *line = (struct progress_line *)progress;
    bool is_asked = host_signal_asks();
    bool is_due = line->next != UINT64_MAX && clock_now() >= line->next;
    struct text text = TEXT_INIT;

    if (!is_asked && (!is_due || progress->is_paused))
        return;
    if (line->machine->trace)
        trace_flush(line->machine->trace);
    append_line(line, &text);
    if (is_asked || !progress->on_terminal)
        print(line, &text);
    else
        draw(line, &text);
    if (is_due)
        line->next = clock_now() + (progress->on_terminal ? ON_TERMINAL : ELSEWHERE);
    text_free(&text);
}

/* Can a line be rewritten in place? */
static bool is_terminal(void)
{
    const char *kind = getenv("TERM");

    return isatty(STDERR_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

void progress_start(struct progress_line *line, const struct machine *machine,
                    const struct program *program, enum progress_choice choice)
{
    *line = (struct progress_line){
        .progress = {.look = look, .hide = hide},
        .machine = machine,
        .program = program,
        .start = clock_now(),
        .next = UINT64_MAX,
    };
    if (choice == PROGRESS_NO || (choice == PROGRESS_AUTO && !is_terminal()))
        return;
    line->progress.on_terminal = is_terminal();
    line->next = line->start + FIRST;
}
