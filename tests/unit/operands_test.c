/* Plans of operands (emu/decode/operands.h) are found for the words that isa_decode decodes, and
 * give the records that operands_decode gives, for random words of all instructions. The test does
 * not depend on individual instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "emu/decode/operands.h"
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
        const struct operand_plan *plan = operands_plan(plans, instruction);
        assert_ptr_equal(operands_plan(plans, instruction), plan);
        planned += !plan->is_rare;
        for (int k = 0; k < WORDS; k++) {
            struct decoded record = {0}, expected = {0};
            uint64_t word = isa_random_word(instruction, &random);
            operands_fill(&record, plan, word);
            operands_decode(&expected, instruction, word);
            assert_memory_equal(&record, &expected, sizeof record);
        }
    }
    assert_true(planned > isa_instruction_count * 3 / 4);
    operands_close(plans);
}

/* The word has the plan of its instruction, also when the bits that decide this are known. */
static void check_word(struct operand_plans *plans, uint64_t word, int length)
{
    const struct isa_instruction *instruction = isa_decode(word, length);

    for (int k = 0; k < 2; k++) {
        const struct operand_plan *plan =
            operands_of_word(plans, word, length, ISA_EVERY_EXTENSION);
        assert_ptr_equal(plan, instruction ? operands_plan(plans, instruction) : NULL);
    }
}

static void words_have_the_plans_of_their_instructions(void **state)
{
    struct operand_plans *plans = operands_open();
    uint64_t random = 1;

    (void)state;
    for (int round = 0; round < 2; round++)
        for (unsigned word = 0; word <= UINT16_MAX; word++)
            if (isa_length((uint16_t)word) == 2)
                check_word(plans, word, 2);
    for (int round = 0; round < WORDS; round++) {
        for (size_t i = 0; i < isa_instruction_count; i++) {
            const struct isa_instruction *instruction = &isa_instructions[i];
            uint64_t word = isa_random_word(instruction, &random);
            check_word(plans, word, instruction->length);
            /* A neighbor, which may be illegal or another instruction. */
            random = random * 6364136223846793005 + 1442695040888963407;
            word ^= UINT64_C(1) << (random >> 32) % (8 * instruction->length);
            check_word(plans, word, isa_length((uint16_t)word));
        }
    }
    operands_close(plans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_agree_with_the_tables),
        cmocka_unit_test(words_have_the_plans_of_their_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
