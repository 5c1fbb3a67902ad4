/* The machine configuration: what `--machine` sets and `--dump-machine` prints
 * (docs/machine-configuration.md). The defaults are those of machine.md. */
#ifndef EMU_CONFIG_H
#define EMU_CONFIG_H

#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/isa.h"
#include <stdint.h>

/* Where the RAM of the bare environment begins. */
#define BARE_RAM_BASE UINT64_C(0x80000000)

enum misaligned { MISALIGNED_ALLOW, MISALIGNED_TRAP };

struct config {
    isa_set extensions;            /* those that the machine has; all */
    uint64_t scratchpad_base;      /* 0x40000000 */
    uint64_t scratchpad_size;      /* bytes, 4 KiB to 1 GiB; 1 MiB */
    uint64_t memory_size;          /* bytes of main memory that a program may have mapped at once */
    uint64_t stack_size;           /* bytes, user environment */
    uint64_t files_size;           /* bytes of files in memory, user environment */
    uint64_t ram_size;             /* bytes at 0x80000000, bare environment */
    uint32_t tick_length;          /* instructions in a tick of mtime, bare environment */
    uint64_t block_size;           /* bytes of a cache block; 64 */
    uint32_t misaligned;           /* enum misaligned: loads and stores of the scalar core */
    uint32_t lanes;                /* W, a power of two; 16 */
    uint32_t slaves;               /* N; 32 */
    uint32_t traversal_rows;       /* R; 8 */
    uint32_t traversal_dimensions; /* D; 8 */
    uint32_t sparse_rows;          /* largest number of element access units in a column; 64 */
    uint32_t sparse_columns;       /* the same of a row; 64 */
    uint32_t sparse_tables;        /* tables that the lookup tables hold; 65536 */
    uint64_t sparse_seed;          /* seed of the order in which fetches finish; 1 */
};

void config_default(struct config *config);
/* Reads the settings of a machine over those in `config`. `name` is a named machine (emu/machines/)
 * or else the path of a YAML file; a file that has the name of a machine is given as ./NAME.
 * Returns false after diagnostics, e.g. of unknown keys and of values out of range. */
bool config_read(struct config *config, struct arena *arena, struct diag *diag, const char *name);
/* Prints the configuration as YAML that config_read accepts, with the allowed values in comments.
 */
void config_print(const struct config *config, FILE *stream);
/* Returns a digest of the values of all settings, for the header of the trace. */
uint64_t config_fingerprint(const struct config *config);

#endif
