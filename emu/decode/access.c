/* See access.h. */
#include "emu/decode/access.h"
#include "instruction_ids.h"

const struct access instruction_accesses[ISA_ID_COUNT] = {
#include "accesses.inc"
};
