/* Instructions with which relaxation replaces longer ones. They come from the tables of the ISA
 * description: the shapes of operands, the compressed encodings, the fields that relocations
 * name. */
#ifndef LD_SHORT_FORM_H
#define LD_SHORT_FORM_H

#include "ld/linker.h"

/* Returns the jump that replaces a call, a pair of instructions whose second word is `second`, with
 * the same link register. `form` is FORM_SHORT or FORM_COMPRESSED. The result is valid until the
 * next call; it is computed once for all equal calls. */
const struct short_jump *short_jump_for(struct linker *linker, const struct isa_relocation *type,
                                        uint64_t second, enum relocation_form form);
/* Is there such a jump, and does it reach that far? */
bool short_jump_reaches(const struct short_jump *jump, int64_t distance);
/* Returns the word of the jump, of jump->length bytes, for a distance that it reaches. */
uint64_t short_jump_word(const struct short_jump *jump, int64_t distance);

/* Finds the compressed instruction that does what `word` does, with the high part in its field. A
 * high part of 0 is a constant that is loaded (c.li), as in GNU ld, because c.lui has none. Returns
 * its length and sets *compressed; 0 if there is none. */
unsigned short_high(const struct isa_field *field, uint64_t word, int64_t high,
                    uint64_t *compressed);

/* Returns the instruction that loads a high part (lui) with the destination of `word`, which adds
 * the high part to the pc (auipc). Returns `word` itself if the tables have none. */
uint64_t short_absolute_high(const struct isa_field *field, uint64_t word);

#endif
