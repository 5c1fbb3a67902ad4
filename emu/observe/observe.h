/* The observed executor reports here what each instruction does. Effects go into the recorder; at
 * the end of the instruction they are handed to trace, statistics and watchpoints. While
 * machine->recorder is NULL, nothing is recorded. */
#ifndef EMU_OBSERVE_OBSERVE_H
#define EMU_OBSERVE_OBSERVE_H

#include "emu/machine.h"
#include "emu/observed.h"

/* Does nothing but a trace observe the instructions, or, without a barrel, a trace and the model of
 * time? */
bool observe_only_traces(const struct machine *machine);
/* Returns the number of the running thread in a trace, or 0 if there is one only. */
unsigned observe_thread(const struct machine *machine);
/* Records a write of the register of the file with this index (isa_register_files). A `number` of
 * the file's count stands for register 0, which is hard-wired: nothing is recorded. */
void observe_register(struct machine *machine, unsigned file, unsigned number, uint64_t value);
/* The same for a value of any width: as many words as the file's registers have. */
void observe_words(struct machine *machine, unsigned file, unsigned number, const uint64_t *words);
/* Records that the CSR now holds `value`. */
void observe_csr(struct machine *machine, unsigned number, uint64_t value);
/* Records the mode that the instruction or trap has switched to. */
void observe_privilege(struct machine *machine);
/* Traces an interrupt that was taken at `pc` in mode `privilege`, with the effects recorded since.
 */
void observe_interrupt(struct machine *machine, uint64_t pc, unsigned privilege, unsigned cause);
void observe_access(struct machine *machine, bool is_store, uint64_t address, unsigned size,
                    uint64_t value);
/* Ends an instruction of a block that is counted as a whole: looks at the accesses that it made by
 * the slow path. */
void observe_counted(struct machine *machine, unsigned id);
/* Gives an instruction that was executed before to the trace. */
void observe_record(struct machine *machine, const struct ttrace_record *record);
/* Ends the instruction; `trap` is the exception that it raised, or NULL. Adds the raised flags to
 * fflags. As in Spike's log, this is an effect even if all of them were set before. */
void observe_end(struct machine *machine, struct observed *observed, const struct fault *trap);

#endif
