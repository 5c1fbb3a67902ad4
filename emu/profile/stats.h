/* --stats: counts of instructions, accesses and traffic of a run. They are made by the observed
 * executor, or, where nothing else observes the program, from the blocks that are counted for a
 * profile (profile.h); then accesses to the scratchpad take the slow path, which tells them apart.
 */
#ifndef EMU_PROFILE_STATS_H
#define EMU_PROFILE_STATS_H

#include "emu/machine.h"
#include "lib/isa.h"
#include "lib/trace/recorder.h"
#include <stdio.h>

/* Bytes that the instructions of a class moved, by the memory that they are in. */
struct traffic {
    uint64_t memory_read, memory_written;
    uint64_t scratchpad_read, scratchpad_written;
};

struct stats {
    uint64_t *instructions;  /* by id */
    struct traffic *traffic; /* by class, in the order of isa_classes */
    uint64_t loads,
        stores; /* accesses of one element: by scalar instructions, or through a traversal row */
    uint64_t load_bytes, store_bytes;
    uint64_t unit_read_bytes; /* ranges that tensor units and system calls accessed */
    uint64_t unit_write_bytes;
    uint64_t scratchpad_base, scratchpad_size; /* the window, to tell the memories apart */
};

void stats_init(struct stats *stats, const struct config *config, struct arena *arena);
/* Counts one retired instruction and its effects. */
void stats_count(struct stats *stats, const struct isa_instruction *instruction,
                 const struct recorder *recorder);
/* The same without the instruction itself. */
void stats_count_effects(struct stats *stats, const struct isa_instruction *instruction,
                         const struct recorder *recorder);
/* Counts `count` executions of an instruction that reads or writes so many bytes of memory each
 * time. (`count` may be modulo 2^64, to take some back.) */
void stats_count_steady(struct stats *stats, const struct isa_instruction *instruction,
                        uint64_t count, unsigned read, unsigned written);
/* The effects are those of an execution that is counted so: finds out what of them is in the
 * scratchpad instead. */
void stats_look(struct stats *stats, const struct isa_instruction *instruction,
                const struct recorder *recorder);
/* Prints the statistics as text: classes in the order of the ISA description, instructions by
 * falling count, then by mnemonic. */
void stats_print(const struct stats *stats, struct machine *machine, struct arena *arena,
                 FILE *stream);
/* Prints one JSON object on one line (temu(1), STATISTICS). Only mnemonics and element types that
 * did not occur, and links that nothing crossed, are left out. The order is that of the ISA
 * description and of the units. */
void stats_print_json(const struct stats *stats, struct machine *machine, FILE *stream);
/* Prints the counters of the units, an object for each unit, as one object of JSON. */
void stats_print_units_json(struct machine *machine, FILE *stream);

#endif
