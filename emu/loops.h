/* Loops that run as one function. The `loops` section of the ISA description lists sequences of
 * instructions whose last one branches back to the first. Each has a function made of the bodies of
 * its instructions, which iterates without dispatch and keeps the registers in variables. Branches
 * before the last one leave the loop, so a loop is one basic block, or a few that follow each other
 * in memory. The decoder puts their records one after the other.
 *
 * Such a function only handles the common case. It writes the registers back and returns before an
 * instruction that needs more: a branch out of the loop, an access that is not direct, a reserved
 * rounding mode. The executor then runs that instruction. So a loop never faults, changes decoded
 * code or accesses a device. It also returns before a block that is longer than the number of
 * instructions left. */
#ifndef EMU_LOOPS_H
#define EMU_LOOPS_H

#include "emu/decode.h"
#include "emu/machine.h"

/* Where a loop ended: `record` is next. `left` has already been reduced by its block; below 0, the
 * block must not run. */
struct loop_end {
    struct decoded *record;
    int64_t left;
};

/* Runs the loop that begins at `first`; `left` is already reduced by its first block. `host` and
 * `fast` are those of struct memory. */
typedef struct loop_end loop_body(struct hart *hart, unsigned char *restrict host,
                                  const unsigned char *fast, struct decoded *first, int64_t left);

/* A loop in the table that isagen generates. */
struct loop {
    loop_body *run;
    uint8_t count;     /* instructions */
    uint8_t first;     /* instructions in the first block */
    uint8_t registers; /* different registers, numbered from 0: their names */
    uint8_t distance;  /* slot of the immediate of the last instruction's branch */
    uint16_t ids[ISA_LOOP_PARTS];
    uint8_t names[ISA_LOOP_PARTS][ISA_R_SLOTS]; /* by slot: name of the register plus 1; 0: none */
    uint8_t files[ISA_LOOP_REGISTERS];          /* by name: enum isa_file */
    uint64_t written;                           /* bit N: the register named N is written */
};

extern const struct loop loops[];

/* Returns the index of the loop that the `count` records are, or -1. The records are those of
 * consecutive blocks, each with its terminator. If the result is -1, *goes_on says whether the
 * records may be the beginning of a loop, so that the next block is worth decoding. */
int loop_find(const struct decoded *records, unsigned count, bool *goes_on);

#endif
