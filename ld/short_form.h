/* Instructions that relaxation puts in place of longer ones. What they are comes from the ISA
 * description's tables: the shape of the operands, the compressed encodings, the fields that
 * relocations name. */
#ifndef LD_SHORT_FORM_H
#define LD_SHORT_FORM_H

#include "ld/linker.h"

/* The jump to `distance` that replaces the pair of a call whose second word is `second`, with its
 * link register: of the form (FORM_SHORT, FORM_COMPRESSED). Returns its length and sets *word; 0
 * when there is none that reaches. */
unsigned short_jump(const struct isa_relocation *type, uint64_t second, int64_t distance,
                    enum relocation_form form, uint64_t *word);

/* The compressed instruction that does what `word` does, with the high part in its field. Returns
 * its length and sets *compressed; 0 when there is none. */
unsigned short_high(const struct isa_field *field, uint64_t word, int64_t high,
                    uint64_t *compressed);

/* The instruction that loads a high part as such (lui), with the destination of `word`, which adds
 * it to the pc; `word` itself if the tables have none. */
uint64_t short_absolute_high(const struct isa_field *field, uint64_t word);

#endif
