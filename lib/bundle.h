/* Bundles: two successive instructions of a thread that share a turn. */
#ifndef LIB_BUNDLE_H
#define LIB_BUNDLE_H

#include "lib/isa.h"

/* Why two instructions cannot be a bundle. */
enum bundle_obstacle {
    BUNDLE_POSSIBLE,
    BUNDLE_FIRST,     /* the first one is of a class that cannot come first */
    BUNDLE_SECOND,    /* the second one is of a class that goes alone */
    BUNDLE_MAIN,      /* both are of the main pipeline */
    BUNDLE_AUXILIARY, /* both are of the auxiliary pipeline */
    BUNDLE_READ,      /* the second one reads a register that the first one writes */
    BUNDLE_WRITE,     /* the second one writes it, too */
};

/* May the instruction, which is not compressed, be the first one of a bundle? */
bool bundle_may_begin(const struct isa_instruction *instruction);

/* Finds out whether two instructions with their encodings can be a bundle. For BUNDLE_READ and
 * BUNDLE_WRITE, *name becomes the name of the register, if `name` is not NULL. */
enum bundle_obstacle bundle_check(const struct isa_instruction *first, uint64_t first_word,
                                  const struct isa_instruction *second, uint64_t second_word,
                                  const char **name);

#endif
