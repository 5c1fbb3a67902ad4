/* The basic blocks of a section with code, and what is known of the registers where they begin, for
 * --timing. A block begins at a symbol, at the target of a branch and after a branch; a system call
 * does not end it. */
#ifndef ASM_TOBJDUMP_BLOCKS_H
#define ASM_TOBJDUMP_BLOCKS_H

#include "asm/tobjdump/tobjdump.h"
#include "isa_ids.h"
#include "lib/machine/config.h"
#include "lib/timing/value.h"
#include "lib/timing/word.h"

/* The integer registers. One that is not known has a value that stands for it: different ones are
 * far apart, so addresses that are computed from one can be compared. */
struct block_registers {
    uint64_t value[ISA_X_REGISTERS];
    uint64_t known; /* a bit for each register */
    uint64_t fresh; /* values that stand for unknown ones so far */
};

struct block_instruction {
    uint64_t pc, word;
    uint8_t length;
    bool is_relocated; /* its immediate is not known */
};

struct block {
    size_t first, count; /* of the instructions */
    struct block_registers registers;
    bool is_entry;     /* other code may come here */
    bool is_reached;   /* `registers` has been set */
    bool falls;        /* the next block in memory may follow */
    bool calls;        /* it ends in a call */
    size_t successor;  /* the block that its branch leads to; SIZE_MAX: none, or not known */
    bool is_scheduled; /* its registers have changed */
};

struct blocks {
    struct tobjdump *objdump;
    const struct config *config;
    struct block_instruction *instructions;
    size_t instruction_count, instruction_capacity;
    struct block *items;
    size_t count;
};

/* Finds the blocks. */
void blocks_find(struct blocks *blocks, struct tobjdump *objdump, const struct config *config,
                 const struct elf_section *section);

/* An execution of an instruction, as far as it is known. */
struct block_execution {
    struct timed_word word;
    struct execution_value value; /* its operands, and the ranges; none if they are not known */
    unsigned unknown;             /* a bit for each operand whose value is not known */
    unsigned assumed;             /* those that the ranges or the cycles depend on */
};

/* Executes the instruction: sets the operands, and the registers that it writes. A size that is not
 * known is `assumed`. */
void block_execute(const struct blocks *blocks, const struct block_instruction *instruction,
                   struct block_registers *registers, uint64_t assumed,
                   struct block_execution *execution);

#endif
