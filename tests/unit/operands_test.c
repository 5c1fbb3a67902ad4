/* Plans of operands (emu/operands.h) give the records that decode_operands gives, for random words
 * of all instructions. The test does not depend on individual instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "emu/operands.h"
#include <cmocka.h>

enum { WORDS = 200 }; /* random words of each instruction */

static void plans_agree_with_the_tables(void **state)
{
    struct operand_plans *plans = operands_open();
    uint64_t random = 1;
    unsigned planned = 0;

    (void)state;
    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        const struct operand_plan *plan = operands_find(plans, instruction);
        assert_ptr_equal(operands_find(plans, instruction), plan);
        planned += !plan->is_general;
        for (int k = 0; k < WORDS; k++) {
            struct decoded record = {0}, expected = {0};
            uint64_t word = isa_random_word(instruction, &random);
            operands_fill(&record, plan, instruction, word);
            decode_operands(&expected, instruction, word);
            assert_memory_equal(&record, &expected, sizeof record);
        }
    }
    assert_true(planned > isa_instruction_count / 2);
    operands_close(plans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_agree_with_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
