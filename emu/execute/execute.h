/* Running the machine. Two executors are compiled from the same instruction bodies. The plain one
 * only executes. The observed one also records the effects of each instruction, for trace and
 * statistics, and stops after an exact number of instructions or where the debugger wants it. Where
 * only a trace is wanted, most instructions run in an executor of their own (recording.h). */
#ifndef EMU_EXECUTE_EXECUTE_H
#define EMU_EXECUTE_EXECUTE_H

#include "emu/machine.h"

/* Executes at most `limit` instructions from hart->pc on. It executes whole blocks, so it may stop
 * less than BLOCK_LIMIT instructions early. */
enum run_end execute_plain(struct machine *machine, uint64_t limit);
/* Executes exactly `limit` instructions, unless the program ends or is held, and reports each to
 * observe.h. */
enum run_end execute_observed(struct machine *machine, uint64_t limit);

/* Executes one instruction, for a debugger. Takes no interrupt and ignores a breakpoint at it. */
enum run_end machine_step(struct machine *machine);
/* Runs until the program ends, is held, or has retired `max_instructions` (0: no limit). Chooses
 * the executor. */
enum run_end machine_run(struct machine *machine, uint64_t max_instructions);

#endif
