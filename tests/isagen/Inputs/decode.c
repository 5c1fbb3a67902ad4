/* Decodes the words on standard input, `length hexadecimal` a line, with the tables it is linked
 * with: the mnemonic and the operand values, or the reason that there is none. A decoded word is
 * put together again from its values. */
#include "lib/isa.h"
#include <inttypes.h>
#include <stdio.h>

static void print_instruction(const struct isa_instruction *instruction, uint64_t word)
{
    uint64_t again = instruction->match;

    printf("%s", instruction->mnemonic);
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        int64_t value = isa_extract(operand, word);
        printf(" %s=%" PRId64, operand->name, value);
        again = isa_insert(operand->field, again, value);
    }
    printf(again == word ? "\n" : " again 0x%" PRIx64 "\n", again);
}

int main(void)
{
    int length;
    uint64_t word;
    char reason[200];

    while (scanf("%d %" SCNx64, &length, &word) == 2) {
        const struct isa_instruction *instruction = isa_decode(word, length);
        if (instruction)
            print_instruction(instruction, word);
        else
            printf("illegal: %s\n", isa_explain(word, length, reason, sizeof reason));
    }
    return 0;
}
