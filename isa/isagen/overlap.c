/*
 * Checks that no word is two instructions. Two encodings of the same length overlap if no bit that
 * both fix differs. The word with the fixed bits of both, and zeros elsewhere, is an example.
 * Operands of compressed encodings may exclude values (`nonzero`, `except`), so there all words
 * that both encodings have are tried. An instruction that refines another one takes some of its
 * words by intention.
 */
#include "isa/isagen/spec.h"

/* Is the operand's value in the word one that it can have? */
static bool holds(const struct spec_operand *operand, uint64_t word)
{
    const struct spec_operand_type *type = operand->type;
    uint64_t value = 0;

    for (size_t i = 0; i < operand->field->piece_count; i++) {
        const struct isa_piece *piece = &operand->field->pieces[i];
        value |= (word >> piece->word_lsb & ((UINT64_C(1) << piece->width) - 1))
                 << piece->value_lsb;
    }
    if (type->kind == ISA_REGISTER)
        return !(type->except >> (value + type->first) & 1);
    return !type->nonzero || value;
}

static bool encodes(const struct spec_instruction *instruction, uint64_t word)
{
    if ((word & instruction->mask) != instruction->match)
        return false;
    for (size_t i = 0; i < instruction->operands.count; i++)
        if (!holds(&instruction->operands.items[i], word))
            return false;
    return true;
}

/* Finds a 16-bit word that is both instructions. Returns false if there is none. */
static bool find_witness(const struct spec_instruction *first,
                         const struct spec_instruction *second, uint64_t *witness)
{
    for (*witness = 0; *witness < 1 << 16; ++*witness)
        if (encodes(first, *witness) && encodes(second, *witness))
            return true;
    return false;
}

static void check_pair(struct spec *spec, const struct spec_instruction *first,
                       const struct spec_instruction *second)
{
    if (first->layout->bits != second->layout->bits || first->refines == second ||
        second->refines == first || (first->match ^ second->match) & first->mask & second->mask)
        return;
    uint64_t witness = first->match | second->match;
    if (first->layout->bits == 16 && !find_witness(first, second, &witness))
        return;
    diag_error(spec->diag, &second->at,
               "the encodings of '%s' and '%s' overlap: the word 0x%0*llx is both; make a bit that "
               "both fix differ",
               first->mnemonic, second->mnemonic, (int)first->layout->bits / 4,
               (unsigned long long)witness);
    diag_note(spec->diag, &first->at, "'%s' is here", first->mnemonic);
}

void spec_check_overlaps(struct spec *spec)
{
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *second =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        for (size_t k = 0; second->layout && k < i; k++) {
            const struct spec_instruction *first =
                SPEC_AT(spec->instructions, k, struct spec_instruction);
            if (first->layout)
                check_pair(spec, first, second);
        }
    }
}
