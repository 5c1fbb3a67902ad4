/* The calls that led to the pc, for fault reports. */
#ifndef EMU_REPORT_BACKTRACE_H
#define EMU_REPORT_BACKTRACE_H

#include "emu/load.h"
#include "emu/machine.h"

enum { BACKTRACE_FRAMES = 32 };

struct backtrace_frame {
    uint64_t address;
    bool is_return;     /* a return address; its source line is that of the call before it */
    bool is_trampoline; /* return address of a signal handler; the next frame is the interrupted
                           function */
};

/* Fills in the frames, innermost first; the first is pc. Returns their number. */
unsigned backtrace(const struct machine *machine, const struct program *program,
                   struct backtrace_frame frames[BACKTRACE_FRAMES]);

/* Returns the symbol of an address in mapped memory; NULL if there is none. */
const struct elf_symbol *backtrace_function(const struct machine *machine,
                                            const struct program *program, uint64_t address);
/* Fetches the instruction at pc without regard to permissions. Returns false when it cannot be
 * fetched. */
bool backtrace_fetch(const struct memory *memory, uint64_t pc, uint64_t *word, int *length);

#endif
