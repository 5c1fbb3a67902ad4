/* How the core asks for lines of progress during a run (emu/report/progress.h makes them), and how
 * it keeps them apart from what the program itself writes to the terminal. */
#ifndef EMU_PROGRESS_H
#define EMU_PROGRESS_H

#include <stdbool.h>

struct progress {
    void (*look)(struct progress *progress); /* shows a line if one is due */
    void (*hide)(struct progress *progress); /* removes the line from the terminal */
    bool on_terminal; /* the line stays in place and is rewritten: call `hide` before anything else
                         is written to a terminal */
    bool is_paused;   /* on a terminal: no line may be shown now, since the program has written part
                         of a line, or reads what is typed */
};

#endif
