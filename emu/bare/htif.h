/* The host-target interface of riscv-tests, pk and Spike: two 64-bit words in the program's memory,
 * `tohost` and `fromhost`, found by their symbols.
 *
 * A word that is stored to tohost is a command: device in bits 63:56, command in 55:48, payload
 * below. Device 0: an odd payload ends the program with status payload >> 1, an even one is the
 * address of a system call's number and arguments, which gets the result. Device 1, the console:
 * command 0 reads a character, 1 writes one. A command is done before the next instruction; tohost
 * is 0 again then, and fromhost has the answer, if there is one. What is no command ends the run.
 */
#ifndef EMU_BARE_HTIF_H
#define EMU_BARE_HTIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct htif {
    uint64_t tohost, fromhost; /* addresses; 0: there is none */
    uint64_t refused;          /* a command that is none, which ended the run; 0: there was none */
};

struct machine;
struct program;
struct diag;

/* Finds the symbols, and checks that they are words of RAM. False after a diagnostic. */
bool htif_open(struct machine *machine, struct diag *diag, const struct program *program);
/* Does a store go to tohost? */
bool htif_overlaps(const struct htif *htif, uint64_t address, size_t size);
/* Obeys what was stored there. */
void htif_serve(struct machine *machine);

#endif
