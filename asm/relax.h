/* Between the rounds of relaxation (relax.c) and the sizes that they find (relax_size.c). */
#ifndef ASM_RELAX_H
#define ASM_RELAX_H

#include "asm/section.h"

/* Finding sizes, of the fragments of a block in their order. */
struct sizing {
    struct assembler *as;
    bool quiet;              /* no diagnostics */
    bool only_grows;         /* branches stay at least as long as they are */
    int64_t shift;           /* how far the block has moved since the round before */
    struct footing *footing; /* of the block: takes down what sizes rest on */
};

/* Rests on nothing yet. */
void footing_init(struct footing *footing, const struct block *block);
/* The block has to be gone through in the next round, whatever happens. */
void footing_refuse(struct footing *footing);

/* The size of a fragment's variable part, where the fragment is now; and a branch's reach. */
uint64_t fragment_size(const struct sizing *sizing, struct fragment *fragment);

#endif
