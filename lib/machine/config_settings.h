/* The table of settings. Only config.c and config_read.c include this header. */
#ifndef LIB_MACHINE_CONFIG_SETTINGS_H
#define LIB_MACHINE_CONFIG_SETTINGS_H

#include "lib/machine/config.h"
#include <stddef.h>

enum setting_kind {
    SETTING_NUMBER,
    SETTING_POWER,   /* a power of two */
    SETTING_BYTES,   /* printed with K, M or G */
    SETTING_ADDRESS, /* printed in hexadecimal */
    SETTING_WORD,    /* one of several words */
};

struct setting {
    const char *section, *key; /* the key of section `timing` is UNIT.KEY */
    size_t offset;             /* of the field in struct config */
    enum setting_kind kind;
    uint64_t minimum, maximum;
    uint64_t multiple; /* the value is a multiple of this */
    uint64_t initial;  /* the default */
    const char *summary;
    const char *const *words; /* names of the values 0, 1, …, and NULL; for SETTING_WORD */
};

/* A condition on several settings of a unit. {KEY} in the message stands for a value. */
struct setting_constraint {
    bool (*holds)(const struct config *config);
    const char *unit, *message;
};

#define CONFIG_TEXT_SIZE 32

extern const struct setting config_settings[];
extern const int config_setting_count;
extern const struct setting_constraint config_constraints[]; /* ends with NULL */

void config_set(struct config *config, const struct setting *setting, uint64_t value);
uint64_t config_get(const struct config *config, const struct setting *setting);
/* Returns the value as a machine file writes it: in `text`, or a static string. */
const char *config_text(const struct setting *setting, uint64_t value, char text[CONFIG_TEXT_SIZE]);

#endif
