/* --stats: what a run consisted of. Counted by the observed executor. */
#ifndef EMU_STATS_H
#define EMU_STATS_H

#include "emu/machine.h"
#include "emu/recorder.h"
#include "lib/isa.h"
#include <stdio.h>

struct stats {
    uint64_t *instructions; /* by id */
    uint64_t loads, stores; /* accesses of scalar instructions */
    uint64_t load_bytes, store_bytes;
    uint64_t unit_read_bytes; /* by the tensor units, and by system calls */
    uint64_t unit_write_bytes;
};

void stats_init(struct stats *stats, struct arena *arena);
/* One retired instruction and its effects. */
void stats_count(struct stats *stats, const struct isa_instruction *instruction,
                 const struct recorder *recorder);
/* Classes in the order of the ISA description, instructions by falling count, then by mnemonic. */
void stats_print(const struct stats *stats, const struct machine *machine, struct arena *arena,
                 FILE *stream);

#endif
