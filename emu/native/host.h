/* What native code has to know of the architecture of the host. A host with stencils has a header
 * and a source that implement this: host_x86 and so on. The rest of its knowledge is that of the
 * build: how stencils are compiled (stencils/form_*.h) and read (stencils/reader.h).
 *
 * Each header defines
 *   HOST_PINS         guest registers in registers of the host
 *   HOST_TEMPORARIES  registers below 8 for other guest registers, where no stencil uses them
 *   HOST_TEMPORARY_BITS  a bit for each of them
 *   HOST_FLOAT_PINS   the number of floating-point registers of the guest in those of the host
 *   HOST_FLOAT_OPERAND  the register of the operand in slot 0; those of the next slots follow
 *   HOST_JUMP         the form of the hole of a jump without a condition
 *   HOST_JUMP_BYTES   its size
 *   HOST_MAP          flags of mmap for the code and for the table of jumps
 *   HOST_FRAME_BYTES  the most that the functions below write
 *   HOST_LINE         bytes of a line of the instruction cache, a power of two
 *   HOST_CHUNK        bytes of code memory in which a jump on a condition reaches any place, and is
 *                     predicted well
 *   HOST_CHUNK_HOT    of them, the first ones: for what usually runs
 *   HOST_HOLE         bytes of the hole of a jump, at its end
 *   HOST_HAS_NEW()    may the second library of stencils be used? Not defined: there is one library
 *   host_fill(place, form, value)                fills a hole; what is relative, is so to `place`
 *   host_value(form, value, place)               a constant, as host_fill wants it
 *   host_knows(value)                            may it be the immediate of a stencil of
 *                                                KIND_IMMEDIATE,
 *   host_can_add(value)                          or of one that adds it to an operand?
 *   host_set_register(bytes, field, number)      writes a field of the stencil's copy at `bytes`,
 *                                                which has register 0 there
 *   host_write_nothing(place, bytes)             writes what is never executed, after a jump
 *   host_write_jump(place, distance)             writes a jump
 *   host_can_turn(form)                          is it that of a jump on a condition which may lead
 *                                                elsewhere than to its stencil?
 *   host_turn(place, distance)                   has it do so; returns false if that is too far
 *   host_flush(begin, end)                       has the host execute what was written there
 *   host_sees_changes(writable, executable)      does it? The two are one place in the memory for
 *                                                code, and 16 bytes there may be changed */
#ifndef EMU_NATIVE_HOST_H
#define EMU_NATIVE_HOST_H

#include "emu/native/native.h"
#include "emu/native/stencil.h"
#include "lib/float_format.h"
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __aarch64__
#include "emu/native/host_arm.h"
#else
#include "emu/native/host_x86.h"
#endif

/* The numbers of the registers that hold the guest's. */
extern const uint8_t host_registers[HOST_PINS];
extern const uint8_t host_temporaries[HOST_TEMPORARIES + 1];
extern const uint8_t host_float_registers[HOST_FLOAT_PINS + 1];

/* The names of the registers, by number. */
extern const char *const host_register_names[];
/* How native_enter has left the stack, which is so in all native code between two stencils: a CIE
 * of .debug_frame (DWARF) without its length. */
extern const unsigned char host_frame[];
extern const size_t host_frame_size;
/* Writes the end of the code that enters: a jump to the code. Returns its size. */
size_t host_write_entry(unsigned char bytes[HOST_FRAME_BYTES]);
/* Writes the end of the code that leaves: a jump to native_leave. Returns its size. */
size_t host_write_exit(unsigned char bytes[HOST_FRAME_BYTES]);
/* Writes a call of native_call_from for the function; the code behind it is that which enters.
 * Returns its size. */
size_t host_write_call(unsigned char bytes[HOST_FRAME_BYTES], native_function *function);

/* Writes the values of the status register of arithmetic for the rounding modes before FLOAT_RMM,
 * if stencils use them. */
void host_write_modes(uint32_t modes[FLOAT_RMM]);

/* Loads the state and calls the code at `enter`, which goes on at `code`. */
void native_enter(struct hart *hart, unsigned char *host, const unsigned char *fast,
                  const void *enter, const void *code, const struct native_jump *jumps);
void native_leave(void);
/* Calls the function, and leaves if that returns no code; else what host_write_entry writes leads
 * there. */
void native_call_from(void);

/* Where a signal interrupted the program; `context` is that of its handler. */
uintptr_t host_interrupted_at(const void *context);
/* Native code that a signal interrupted goes on at `pc`, and may retire `more` instructions. */
void host_go_on_at(void *context, uintptr_t pc, int64_t more);
/* Returns the count of instructions that it has left, and makes it 0. */
int64_t host_take_left(void *context);

#endif
