/* Machine mode and user mode: the state behind the machine-level CSRs, and traps (RISC-V Privileged
 * ISA 1.12, chapter 3). There is no supervisor mode.
 *
 * What depends on the mode, the PMP or mstatus.FS (decoded code, the fast ways to memory) is not
 * looked up by each instruction: a change raises machine->attention, the executor leaves behind the
 * instruction that made it, and machine_run sorts things out before it goes on. */
#ifndef EMU_PRIVILEGE_H
#define EMU_PRIVILEGE_H

#include <stdbool.h>
#include <stdint.h>

enum privilege { PRIVILEGE_USER = 0, PRIVILEGE_MACHINE = 3 };

/* Bits of mip and mie, and causes of interrupts. */
enum interrupt { INTERRUPT_SOFTWARE = 3, INTERRUPT_TIMER = 7, INTERRUPT_EXTERNAL = 11 };

/* mstatus.FS */
enum float_state { FLOAT_OFF = 0, FLOAT_INITIAL = 1, FLOAT_CLEAN = 2, FLOAT_DIRTY = 3 };

/* A counter of what goes on anyway (retired instructions): its distance from that, or, while
 * mcountinhibit stops it, its value. */
struct counter {
    uint64_t value;
    bool stopped;
};

struct machine;
struct hart;
struct fault;

/* The state after a reset: machine mode, interrupts and floating point off, no PMP entry in use. */
void privilege_reset(struct machine *machine);

/* ---- CSRs ---- */

uint64_t privilege_status(const struct hart *hart);
void privilege_set_status(struct machine *machine, uint64_t value);
/* misa: of the extensions in the ISA description. */
uint64_t privilege_isa(void);
void privilege_set_enabled(struct machine *machine, uint64_t value);
void privilege_set_vector(struct machine *machine, uint64_t value);
void privilege_set_pmp_configuration(struct machine *machine, unsigned first, uint64_t value);
void privilege_set_pmp_address(struct machine *machine, unsigned entry, uint64_t value);
/* Bit 0 stops mcycle, bit 2 minstret. */
void privilege_set_inhibit(struct hart *hart, uint64_t value);
uint64_t counter_read(const struct counter *counter, const struct hart *hart);
/* The instruction that writes does not count (3.1.10). */
void counter_write(struct counter *counter, const struct hart *hart, uint64_t value);

/* ---- floating-point state ---- */

enum float_state privilege_float_state(const struct hart *hart);
/* The f registers or fcsr change: FS becomes dirty. False when it is off. */
bool privilege_dirty_float(struct machine *machine);

/* ---- traps ---- */

/* The mode that loads and stores are made in: mstatus.MPRV lends that of MPP. */
enum privilege privilege_of_data(const struct hart *hart);
/* Enters the handler for the exception or interrupt at hart->pc: mstatus, mepc, mcause, mtval, pc.
 */
void privilege_enter(struct machine *machine, bool is_interrupt, unsigned cause, uint64_t value);
/* mret: *destination is where it leads. False where it is illegal. */
bool privilege_return(struct machine *machine, uint64_t *destination);
/* wfi: false where it is illegal. */
bool privilege_wait(struct machine *machine);
/* Would machine mode be interrupted now, if something were pending? */
bool privilege_interruptible(const struct hart *hart);

#endif
