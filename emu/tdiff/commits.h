/* Files that tell in which cycle each instruction committed: tables of temu --pipeline, CSV of
 * `sequence,cycle`, or Spike's commit log with a cycle in each line. Internal to tdiff. */
#ifndef EMU_TDIFF_COMMITS_H
#define EMU_TDIFF_COMMITS_H

#include "lib/diag.h"
#include "lib/isa.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The commit of an instruction, as a file has it. */
struct commit {
    uint64_t sequence, cycle;
    uint64_t word;                       /* its encoding; 0: unknown */
    char text[160];                      /* pc and instruction; empty: unknown */
    const struct isa_instruction *known; /* NULL: unknown */
};

struct cycle_file {
    struct diag *diag;
    struct position at;
    FILE *stream;
    char *line;
    size_t capacity;
    uint64_t count; /* of instructions */
    struct commit now, before;
    bool has_threads; /* a table of a barrel: each line has a thread, */
    char name[16];    /* that of the last line this one */
    /* Only the instructions of this thread count. NULL: all do, and those of a barrel are in no order.
     */
    const char *thread;
};

/* Opens the file; "-" is standard input. Returns false after a diagnostic. */
bool cycle_file_open(struct cycle_file *file, struct diag *diag, const char *name);
/* Reads the next instruction. Returns 1, or 0 at the end, or -1 after a diagnostic. */
int cycle_file_next(struct cycle_file *file);
void cycle_file_close(struct cycle_file *file);

#endif
