/* The report of a guest fault: cause, pc with symbol and source line, instruction, the registers
 * that it uses, and a backtrace. */
#ifndef EMU_REPORT_REPORT_H
#define EMU_REPORT_REPORT_H

#include "emu/load.h"
#include "emu/machine.h"
#include "lib/text.h"
#include <stdio.h>

/* Prints the report of machine->fault, raised by the instruction at hart.pc. */
void report_fault(const struct machine *machine, const struct program *program, FILE *stream);
/* Appends the place of an address of code, as report_append_place does. */
void report_append_code(const struct machine *machine, const struct program *program,
                        struct text *text, uint64_t address);
/* Appends the place of the pc, `0x10074 <main+0x10> at file.c:12`. */
void report_append_place(const struct machine *machine, const struct program *program,
                         struct text *text);
/* Prints the place of the pc, as report_append_place does, for runs that do not end by a
 * fault. */
void report_place(const struct machine *machine, const struct program *program, FILE *stream);

/* Prints a line for each thread: what it waits for, and its place. Does nothing in the bare
 * environment. */
void report_threads(const struct machine *machine, const struct program *program, FILE *stream);

#endif
