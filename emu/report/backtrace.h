/* Which calls led to where the program is: for fault reports. */
#ifndef EMU_REPORT_BACKTRACE_H
#define EMU_REPORT_BACKTRACE_H

#include "emu/load.h"
#include "emu/machine.h"

enum { BACKTRACE_FRAMES = 32 };

struct backtrace_frame {
    uint64_t address;
    bool is_return;     /* where a call returns to: its line is that of the instruction before */
    bool is_trampoline; /* where a signal handler returns to; the next frame is what it interrupted
                         */
};

/* Fills in the frames, innermost first: the first is pc. Their number. */
unsigned backtrace(const struct machine *machine, const struct program *program,
                   struct backtrace_frame frames[BACKTRACE_FRAMES]);

/* Symbol of an address that the program has; NULL elsewhere. */
const struct elf_symbol *backtrace_function(const struct machine *machine,
                                            const struct program *program, uint64_t address);
/* The instruction at pc, as a debugger sees it. False when it cannot be fetched. */
bool backtrace_fetch(const struct memory *memory, uint64_t pc, uint64_t *word, int *length);

#endif
