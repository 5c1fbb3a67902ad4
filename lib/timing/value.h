/* What the operands of an instruction alone say of its execution: the value that it writes to an
 * integer register, and the ranges of memory that it accesses. The functions are the bodies and
 * definitions of the ISA description, executed without memory: what depends on memory or on the
 * state of units is not known. */
#ifndef LIB_TIMING_VALUE_H
#define LIB_TIMING_VALUE_H

#include "lib/isa.h"
#include "lib/machine/config.h"
#include "lib/timing/ranges.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VALUE_RANGES = 8,
    VALUE_ROWS = 1 << 16, /* of a tile; more are taken for a fault */
};

struct execution_value {
    const struct config *config;
    uint64_t pc;
    uint64_t operands[ISA_OPERAND_LIMIT]; /* of isa_instructions[id], as a body has them */
    /* The results. */
    bool has_result;
    unsigned operand; /* that is written; has_result */
    uint64_t result;
    struct range ranges[VALUE_RANGES];
    size_t range_count;
    uint64_t bytes_read, bytes_written;
    bool is_complete; /* these are all ranges */
    bool is_fault;    /* with these operands it traps, or takes too long to be looked at */
    /* For the functions. */
    bool is_unknown; /* what follows depends on memory or on the state of units */
    bool is_row;     /* the last range is rows of a tile */
    uint64_t rows;   /* so many */
    jmp_buf given_up;
};

/* Executes the instruction with these operands. Returns false if nothing is known of it. */
bool execution_value(struct execution_value *value, unsigned id);

#endif
