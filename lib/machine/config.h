/* The machine configuration: what `--machine` sets and `--dump-machine` prints
 * (docs/machine-configuration.md). The defaults are those of machine.md. */
#ifndef LIB_MACHINE_CONFIG_H
#define LIB_MACHINE_CONFIG_H

#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/isa.h"
#include "lib/text.h"
#include <stdint.h>

/* Where the RAM of the bare environment begins. */
#define BARE_RAM_BASE UINT64_C(0x80000000)

/* The fields are UNIT_KEY, as the ISA description declares the settings of its units. */
struct config {
    isa_set extensions; /* those that the machine has; all */
#define SETTINGS_FIELDS
#include "settings.inc"
#undef SETTINGS_FIELDS
};

void config_default(struct config *config);
/* Reads the settings of a machine over those in `config`. `name` is a named machine (emu/machines/)
 * or else the path of a YAML file; a file that has the name of a machine is given as ./NAME.
 * Returns false after diagnostics, e.g. of unknown keys and of values out of range. */
bool config_read(struct config *config, struct arena *arena, struct diag *diag, const char *name);
/* Prints the configuration as YAML that config_read accepts, with the allowed values in comments.
 */
void config_print(const struct config *config, FILE *stream);
/* Appends the value of the setting UNIT.KEY, whose name has this length. */
void config_append(const struct config *config, struct text *text, const char *name, size_t length);
/* Returns a digest of the values of all settings, for the header of the trace. */
uint64_t config_fingerprint(const struct config *config);

#endif
