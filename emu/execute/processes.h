/* The machines of the processes that a program makes (emu/user/processes.h), and their turns.
 *
 * The first process has the machine of the run, which traces, reports and statistics look at. The
 * machines of the others are made by fork, as a copy, and by execve, anew. When the first process
 * executes another program, what looks at the run has seen its end. */
#ifndef EMU_EXECUTE_PROCESSES_H
#define EMU_EXECUTE_PROCESSES_H

#include "emu/execute/execute.h"
#include "emu/load.h"
#include "emu/native/blocks.h"

struct processes {
    struct user_makers makers; /* the first member: it is given to its functions */
    struct machine *first;
    const struct program *program; /* of this machine */
    enum tier tier;
    /* Reports the fault that ended a process other than the first one. */
    void (*report_fault)(const struct machine *machine, const struct program *program,
                         FILE *stream);
};

/* Runs the program, and the processes that it makes, until all have ended: machine_run for all of
 * them. Processes that can never go on after the end of the first one end, too. The first machine
 * has the status of the first process afterwards. */
enum run_end processes_run(struct processes *processes, uint64_t max_instructions);

#endif
