/* --coverage: which operands tensor instructions were executed with, in bins that follow from what
 * the description says of the operands (`sizes`, `inputs`, `outputs`, `strides`, `steps`): sizes by
 * the number of lanes of the matrix unit; special values among the elements of an input; whether an
 * input is where an output or another input is; the distance of rows by their length. */
#ifndef EMU_PROFILE_OPERAND_BINS_H
#define EMU_PROFILE_OPERAND_BINS_H

#include "lib/arena.h"
#include "lib/isa.h"
#include "lib/text.h"
#include "lib/trace/recorder.h"

struct machine;

enum {
    OPERAND_BINS = 6,  /* most bins of the value of an operand */
    OPERAND_PLACES = 3 /* of two places */
};

/* Counts of one instruction. */
struct operand_bins {
    uint64_t executed;
    uint64_t values[ISA_OPERAND_LIMIT][OPERAND_BINS];
    /* Of an input whose type the state says: by type, in the order of isa_elements; or NULL. */
    uint64_t (*by_type[ISA_OPERAND_LIMIT])[OPERAND_BINS];
    uint64_t places[ISA_OPERAND_LIMIT][ISA_OPERAND_LIMIT][OPERAND_PLACES];
};

/* Has the instruction operands that are counted? */
bool operand_bins_has(const struct isa_instruction *instruction);
/* Counts an execution. The registers and the state of `machine` are those after it; a register that
 * it wrote itself is not counted. Elements of inputs are counted if the recorder keeps the bytes
 * that units read. Counts by type are in the arena. */
void operand_bins_count(struct operand_bins *bins, const struct isa_instruction *instruction,
                        uint64_t word, struct machine *machine, const struct recorder *recorder,
                        struct arena *arena);
/* Calls `each` for every bin, in the order of the operands. `bins` NULL: all counts are 0. */
void operand_bins_each(const struct operand_bins *bins, const struct isa_instruction *instruction,
                       void (*each)(void *context, const char *name, uint64_t count),
                       void *context);

#endif
