/*
 * No word may be two instructions. Two encodings of one length overlap when no bit that both fix
 * differs; the word that has the fixed bits of both, and zeros elsewhere, is the witness.
 */
#include "isa/spec.h"

static void check_pair(struct spec *spec, const struct spec_instruction *first,
                       const struct spec_instruction *second)
{
    if (first->layout->bits != second->layout->bits ||
        (first->match ^ second->match) & first->mask & second->mask)
        return;
    uint64_t witness = first->match | second->match;
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
