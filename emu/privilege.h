/* Machine mode and user mode: the state of the machine-level CSRs, and traps (RISC-V Privileged ISA
 * 1.12, chapter 3). There is no supervisor mode.
 *
 * Decoded code and the fast paths to memory depend on the mode, the PMP and mstatus.FS.
 * Instructions do not check these each time. Instead a change sets machine->attention, the executor
 * returns after the instruction that made the change, and machine_run brings everything up to date
 * before it goes on. */
#ifndef EMU_PRIVILEGE_H
#define EMU_PRIVILEGE_H

#include <stdbool.h>
#include <stdint.h>

enum privilege { PRIVILEGE_USER = 0, PRIVILEGE_MACHINE = 3 };

/* Bits of mip and mie, and causes of interrupts. */
enum interrupt { INTERRUPT_SOFTWARE = 3, INTERRUPT_TIMER = 7, INTERRUPT_EXTERNAL = 11 };

/* mstatus.FS */
enum float_state { FLOAT_OFF = 0, FLOAT_INITIAL = 1, FLOAT_CLEAN = 2, FLOAT_DIRTY = 3 };

/* A counter of retired instructions. `value` is its difference from hart->instret, or its value
 * while mcountinhibit stops it. */
struct counter {
    uint64_t value;
    bool stopped;
};

struct machine;
struct hart;
struct fault;

/* Sets the state after a reset: machine mode, interrupts and floating point off, no PMP entry in
 * use. */
void privilege_reset(struct machine *machine);

/* ---- CSRs ---- */

uint64_t privilege_status(const struct hart *hart);
void privilege_set_status(struct machine *machine, uint64_t value);
/* Returns misa, made of the extensions in the ISA description. */
uint64_t privilege_isa(const struct machine *machine);
/* Writes menvcfg. */
void privilege_set_environment(struct machine *machine, uint64_t value);
void privilege_set_enabled(struct machine *machine, uint64_t value);
void privilege_set_vector(struct machine *machine, uint64_t value);
void privilege_set_pmp_configuration(struct machine *machine, unsigned first, uint64_t value);
void privilege_set_pmp_address(struct machine *machine, unsigned entry, uint64_t value);
/* Bit 0 stops mcycle, bit 2 minstret. */
void privilege_set_inhibit(struct hart *hart, uint64_t value);
uint64_t counter_read(const struct counter *counter, const struct hart *hart);
/* Writes the counter. The instruction that writes it is not counted (3.1.10). */
void counter_write(struct counter *counter, const struct hart *hart, uint64_t value);

/* ---- floating-point state ---- */

enum float_state privilege_float_state(const struct hart *hart);
/* Sets mstatus.FS to dirty, because the f registers or fcsr change. Returns false when it is off.
 */
bool privilege_dirty_float(struct machine *machine);

/* ---- traps ---- */

/* Returns the mode of loads and stores: that of mstatus.MPP while mstatus.MPRV is set. */
enum privilege privilege_of_data(const struct hart *hart);
/* Enters the handler of the exception or interrupt at hart->pc: sets mstatus, mepc, mcause, mtval
 * and pc. */
void privilege_enter(struct machine *machine, bool is_interrupt, unsigned cause, uint64_t value);
/* Executes mret; *destination is the pc that it returns to. Returns false when mret is illegal
 * here. */
bool privilege_return(struct machine *machine, uint64_t *destination);
/* Executes wfi. Returns false when wfi is illegal here. */
bool privilege_wait(struct machine *machine);
/* Would an enabled and pending interrupt be taken now? */
bool privilege_interruptible(const struct hart *hart);

#endif
