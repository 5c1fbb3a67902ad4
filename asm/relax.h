/* The interface between the rounds of relaxation (relax.c) and finding sizes (relax_size.c). */
#ifndef ASM_RELAX_H
#define ASM_RELAX_H

#include "asm/section.h"

/* The state of finding the sizes of a block's fragments, in their order. */
struct sizing {
    struct assembler *as;
    bool quiet;                /* no diagnostics */
    bool only_grows;           /* branches stay at least as long as they are */
    int64_t shift;             /* how far the block has moved since the previous round */
    struct validity *validity; /* of the block: narrowed by what each size depends on */
};

/* Makes the sizes valid without a condition. */
void validity_init(struct validity *validity, const struct block *block);
/* Makes the sizes invalid: the next round has to visit the block in any case. */
void validity_refuse(struct validity *validity);

/* Returns the size that the fragment's variable part needs at its present address; sets the reach
 * of a branch. */
uint64_t fragment_size(const struct sizing *sizing, struct fragment *fragment);

#endif
