/* Loops that run as one: instructions in a row of which the last one branches to the first, and
 * which are one of those in the `loops` section of the ISA description, have a body of their own, a
 * function made of the bodies of the instructions, which goes round without dispatch and holds the
 * registers in variables. Branches before the last one leave the loop. So it is one basic block, or
 * a few that follow each other in memory; the decoder puts their records one behind the other.
 *
 * Such a body only does what mostly happens. It leaves, registers written back, before an
 * instruction that would need anything else (a branch out of the loop, an access that may not go
 * straight, a rounding mode that is reserved), and the executor runs that instruction by itself. So
 * whatever faults, changes decoded code, or is a device never happens in a loop; nor does a block
 * for which the instructions that may still be run do not suffice. */
#ifndef EMU_LOOPS_H
#define EMU_LOOPS_H

#include "emu/decode.h"
#include "emu/machine.h"

/* Where a loop was left: `record` is next, and its block is counted in `left`. Less than 0: that
 * block may not be run. */
struct loop_end {
    struct decoded *record;
    int64_t left;
};

/* Runs the loop that begins at `first`, whose first block is counted. `host`, `fast`: as in struct
 * memory. */
typedef struct loop_end loop_body(struct hart *hart, unsigned char *restrict host,
                                  const unsigned char *fast, struct decoded *first, int64_t left);

/* Of a loop: in the table of isagen. */
struct loop {
    loop_body *run;
    uint8_t count;     /* instructions */
    uint8_t first;     /* of them in the first block */
    uint8_t registers; /* names of them */
    uint8_t distance;  /* slot of the last one's imm that leads to the first one */
    uint16_t ids[ISA_LOOP_PARTS];
    uint8_t names[ISA_LOOP_PARTS][ISA_R_SLOTS]; /* by slot: which register, from 1 on; 0: none */
    uint8_t files[ISA_LOOP_REGISTERS];          /* of each register, enum isa_file */
    uint64_t written;                           /* a bit for each register that is written */
};

extern const struct loop loops[];

/* Of `count` records, of blocks one behind the other, each with its terminator: index of the loop
 * that they are; -1 when they are none. Then *goes_on says whether they may be the beginning of
 * one, so that the next block is worth a look. */
int loop_find(const struct decoded *records, unsigned count, bool *goes_on);

#endif
