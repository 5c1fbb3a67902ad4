/* Combinations of options. */
#ifndef LD_CONFIG_CHECK_H
#define LD_CONFIG_CHECK_H

#include "ld/config.h"

/* Sets what follows from several options. Returns false after a diagnostic about options that do
 * not go together. Call it once, after the last option. */
bool config_check(struct diag *diag, struct config *config);

#endif
