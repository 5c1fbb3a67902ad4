/* Instructions that relaxation puts in place of longer ones. What they are comes from the ISA
 * description's tables: the shape of the operands, the compressed encodings, the fields that
 * relocations name. */
#ifndef LD_SHORT_FORM_H
#define LD_SHORT_FORM_H

#include "ld/linker.h"

/* The jump that replaces the pair of a call whose second word is `second`, with its link register:
 * of the form (FORM_SHORT, FORM_COMPRESSED). Valid until the next call; found once for all calls
 * that are alike. */
const struct short_jump *short_jump_for(struct linker *linker, const struct isa_relocation *type,
                                        uint64_t second, enum relocation_form form);
/* Is there such a jump, and does it reach so far? */
bool short_jump_reaches(const struct short_jump *jump, int64_t distance);
/* The jump to there, which it reaches: jump->length bytes. */
uint64_t short_jump_word(const struct short_jump *jump, int64_t distance);

/* The compressed instruction that does what `word` does, with the high part in its field. Returns
 * its length and sets *compressed; 0 when there is none. */
unsigned short_high(const struct isa_field *field, uint64_t word, int64_t high,
                    uint64_t *compressed);

/* The instruction that loads a high part as such (lui), with the destination of `word`, which adds
 * it to the pc; `word` itself if the tables have none. */
uint64_t short_absolute_high(const struct isa_field *field, uint64_t word);

#endif
