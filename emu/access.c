/* See access.h. */
#include "emu/access.h"
#include "instruction_ids.h"

const struct access instruction_accesses[ISA_ID_COUNT] = {
#include "accesses.inc"
};
