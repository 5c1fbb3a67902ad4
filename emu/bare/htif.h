/* The host-target interface (HTIF) of riscv-tests, pk and Spike: two 64-bit words in the program's
 * memory, `tohost` and `fromhost`, which are found by their symbols.
 *
 * A word stored to tohost is a command: device in bits 63:56, command in bits 55:48, payload below.
 *
 *     device  command  payload
 *     0       0        odd: ends the program with status payload >> 1
 *     0       0        even: address of a system call: number and arguments, then the result
 *     1       0        reads a character from the console
 *     1       1        writes a character to the console
 *
 * A command is done before the next instruction. Then tohost is 0 again, and fromhost has the
 * answer if there is one. An unknown command ends the run. */
#ifndef EMU_BARE_HTIF_H
#define EMU_BARE_HTIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct htif {
    uint64_t tohost, fromhost; /* addresses; 0: the program has no such symbol */
    uint64_t refused;          /* the unknown command that ended the run; 0: there was none */
};

struct machine;
struct program;
struct diag;

/* Finds the symbols and checks that they are words of RAM. Returns false after a diagnostic. */
bool htif_open(struct machine *machine, struct diag *diag, const struct program *program);
/* Does the range overlap tohost? */
bool htif_overlaps(const struct htif *htif, uint64_t address, size_t size);
/* Does the command in tohost. */
void htif_serve(struct machine *machine);

#endif
