/* The machine configuration: what `--machine` sets and `--dump-machine` prints
 * (docs/machine-configuration.md). Defaults from machine.md. */
#ifndef EMU_CONFIG_H
#define EMU_CONFIG_H

#include "lib/arena.h"
#include "lib/diag.h"
#include <stdint.h>

/* Where the RAM of the bare environment begins. */
#define BARE_RAM_BASE UINT64_C(0x80000000)

enum misaligned { MISALIGNED_ALLOW, MISALIGNED_TRAP };

struct config {
    uint64_t scratchpad_base;      /* 0x40000000 */
    uint64_t scratchpad_size;      /* bytes, 4 KiB to 1 GiB; 1 MiB */
    uint64_t memory_size;          /* bytes of main memory that a program may have mapped at once */
    uint64_t stack_size;           /* bytes, user environment */
    uint64_t ram_size;             /* bytes at 0x80000000, bare environment */
    uint32_t tick_length;          /* instructions in a tick of mtime, bare environment */
    uint32_t misaligned;           /* enum misaligned: loads and stores of the scalar core */
    uint32_t lanes;                /* W, a power of two; 16 */
    uint32_t slaves;               /* N; 32 */
    uint32_t traversal_rows;       /* R; 8 */
    uint32_t traversal_dimensions; /* D; 8 */
    uint32_t sparse_rows;          /* element access units in a column, at most; 64 */
    uint32_t sparse_columns;       /* in a row; 64 */
    uint32_t sparse_tables;        /* that their lookup tables hold; 65536 */
    uint64_t sparse_seed;          /* of the order in which fetches finish; 1 */
};

void config_default(struct config *config);
/* Reads a YAML file over `config`, or, where `name` is one, the machine of that name
 * (emu/machines/); a file with such a name is written ./NAME. Unknown keys, values out of range:
 * file:line:col errors, false. */
bool config_read(struct config *config, struct arena *arena, struct diag *diag, const char *name);
/* The configuration as YAML that config_read accepts, with what is allowed in comments. */
void config_print(const struct config *config, FILE *stream);
/* Digest of all settings, for the header of the trace: it does not depend on how they were given.
 */
uint64_t config_fingerprint(const struct config *config);

#endif
