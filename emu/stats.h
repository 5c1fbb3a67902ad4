/* --stats: what a run consisted of. Counted by the observed executor. */
#ifndef EMU_STATS_H
#define EMU_STATS_H

#include "emu/machine.h"
#include "emu/recorder.h"
#include "lib/isa.h"
#include <stdio.h>

/* Bytes that the instructions of a class moved, by which memory they were in. */
struct traffic {
    uint64_t memory_read, memory_written;
    uint64_t scratchpad_read, scratchpad_written;
};

struct stats {
    uint64_t *instructions;  /* by id */
    struct traffic *traffic; /* by class, in the order of isa_classes */
    uint64_t loads, stores;  /* accesses of one element: scalar ones, and through a traversal row */
    uint64_t load_bytes, store_bytes;
    uint64_t unit_read_bytes; /* ranges: by the tensor units, and by system calls */
    uint64_t unit_write_bytes;
    uint64_t scratchpad_base, scratchpad_size; /* the window, to tell the memories apart */
};

void stats_init(struct stats *stats, const struct config *config, struct arena *arena);
/* One retired instruction and its effects. */
void stats_count(struct stats *stats, const struct isa_instruction *instruction,
                 const struct recorder *recorder);
/* For people. Classes in the order of the ISA description, instructions by falling count, then by
 * mnemonic. */
void stats_print(const struct stats *stats, const struct machine *machine, struct arena *arena,
                 FILE *stream);
/* One JSON object on one line (temu(1), STATISTICS): all keys are always there, but for mnemonics
 * and element types that did not occur, in the order of the ISA description and of the units. */
void stats_print_json(const struct stats *stats, const struct machine *machine, FILE *stream);

#endif
