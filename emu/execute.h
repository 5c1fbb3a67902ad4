/* Running the machine. Two executors are made of the same bodies: the plain one does nothing but
 * the work, the observed one also records the effects of each instruction for trace and statistics
 * and stops after an exact number of instructions, or where a watcher holds it. */
#ifndef EMU_EXECUTE_H
#define EMU_EXECUTE_H

#include "emu/machine.h"

enum run_end {
    RUN_SLICE,   /* the instructions asked for are done; not an end */
    RUN_EXIT,    /* the environment ended the program: machine->user */
    RUN_IDLE,    /* bare environment: nothing can happen any more */
    RUN_FAULT,   /* an exception: machine->fault, hart.pc is the instruction that raised it */
    RUN_LIMIT,   /* --max-insns */
    RUN_TIMEOUT, /* machine->deadline */
    RUN_HELD,    /* machine->watcher wants it: breakpoint, watchpoint, interrupt; not an end */
};

/* At most `limit` instructions from hart->pc on, in whole blocks: may stop short by less than
 * BLOCK_LIMIT. */
enum run_end execute_plain(struct machine *machine, uint64_t limit);
/* Exactly `limit` instructions, unless the program ends or is held; calls observe() after each. */
enum run_end execute_observed(struct machine *machine, uint64_t limit);

/* One instruction, for a debugger: no interrupt is taken, no breakpoint looked at before it. */
enum run_end machine_step(struct machine *machine);
/* Until the program ends, is held, or `max_instructions` (0: no limit) are retired. Chooses the
 * executor. */
enum run_end machine_run(struct machine *machine, uint64_t max_instructions);

#endif
