/* Loops that run as one: a block whose last instruction branches to its first, and which is one of
 * those in the `loops` section of the ISA description, has a body of its own, a function made of
 * the bodies of its instructions, which goes round without dispatch and holds the registers in
 * variables.
 *
 * Such a body only does what mostly happens. It leaves, registers written back, before an
 * instruction that would need anything else (an access that may not go straight, a rounding mode
 * that is reserved), and the executor runs that instruction by itself. So whatever faults, changes
 * decoded code, or is a device never happens in a loop; nor does a round for which the instructions
 * that may still be run do not suffice. */
#ifndef EMU_LOOPS_H
#define EMU_LOOPS_H

#include "emu/decode.h"
#include "emu/machine.h"

/* Where a loop was left: `record` is next, after `left` was counted down for each round that went
 * back. Less than 0: the next round may not be run; it is counted already. */
struct loop_end {
    struct decoded *record;
    int64_t left;
};

/* Runs the loop that begins at `first`, whose first round is counted. `host`, `fast`: as in struct
 * memory. */
typedef struct loop_end loop_body(struct hart *hart, unsigned char *restrict host,
                                  const unsigned char *fast, struct decoded *first, int64_t left);

/* Of a loop: in the table of isagen. */
struct loop {
    loop_body *run;
    uint8_t count;     /* instructions */
    uint8_t registers; /* names of them */
    uint8_t distance;  /* slot of the last one's imm that leads to the first one */
    uint16_t ids[ISA_LOOP_PARTS];
    uint8_t names[ISA_LOOP_PARTS][ISA_R_SLOTS]; /* by slot: which register, from 1 on; 0: none */
    uint8_t files[ISA_LOOP_REGISTERS];          /* of each register, enum isa_file */
    uint64_t written;                           /* a bit for each register that is written */
};

extern const struct loop loops[];

/* Index of the loop that the block of `count` instructions is; -1 when it is none. */
int loop_find(const struct decoded *records, unsigned count);

#endif
