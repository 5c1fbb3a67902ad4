/* Lines of progress: how long a program has run, its instructions, and where it is. They are shown
 * after SIGUSR1 and, with --progress, from time to time: on a terminal one line that is rewritten
 * in place, elsewhere one line after another. */
#ifndef EMU_REPORT_PROGRESS_H
#define EMU_REPORT_PROGRESS_H

#include "emu/load.h"
#include "emu/machine.h"
#include "emu/progress.h"
#include <stdint.h>

enum progress_choice {
    PROGRESS_AUTO, /* when standard error is a terminal */
    PROGRESS_YES,
    PROGRESS_NO, /* after SIGUSR1 only */
};

struct progress_line {
    struct progress progress;
    const struct machine *machine;
    const struct program *program;
    uint64_t start, next; /* on clock_now(); next: when a line is due, UINT64_MAX: never */
    bool is_drawn;        /* there is a line on the terminal */
};

/* Begins now. The machine must be given `line->progress` to use it. */
void progress_start(struct progress_line *line, const struct machine *machine,
                    const struct program *program, enum progress_choice choice);

#endif
