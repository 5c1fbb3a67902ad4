/* Instructions of the threads of a barrel that the direct form does not handle: while the threads
 * take turns with harts of their own (turns.h), the machine's hart is free, and the whole form
 * works on nothing else. So it is lent the registers of the operands, and the units the state that
 * the thread has of its own. */
#ifndef EMU_EXECUTE_LEND_H
#define EMU_EXECUTE_LEND_H

#include "emu/decode/decode.h"
#include "emu/native/rounds.h"

/* A register, or some, that an instruction has as an operand. */
struct lend_operand {
    uint8_t slot;  /* that holds its number */
    uint8_t words; /* of a register, */
    uint8_t all;   /* and of all that the operand has */
    bool is_result;
    uint32_t place; /* of register 0, in words from the beginning of the hart */
};

/* The operands of an instruction that are registers, found out when it is lent first. */
struct lend_plan {
    bool is_known;
    uint8_t count;
    struct lend_operand operands[ISA_R_SLOTS];
};

/* Executes the instruction of a thread of a barrel, before which the threads have executed so many
 * (turn_counts_before) since turns_begin. */
enum lent lend_hart(struct hart *hart, struct decoded *record, uint64_t number);
/* Executes a jump of a thread of a barrel, to execution.destination. Returns false if it was not
 * executed. */
bool lend_jump(struct hart *hart, struct decoded *record);
/* May lend_hart execute the instruction? */
bool lend_is_possible(const struct machine *machine, const struct decoded *record);

#endif
