/* Attributes of the object (.riscv.attributes; psABI, "Attributes"). */
#ifndef ASM_ATTRIBUTE_H
#define ASM_ATTRIBUTE_H

#include "lib/text.h"
#include <stdbool.h>
#include <stdint.h>

struct assembler;

struct attribute {
    uint64_t tag;
    uint64_t number;    /* even tags */
    const char *string; /* odd tags */
    struct attribute *next;
};

enum {
    ATTRIBUTE_STACK_ALIGN = 4,
    ATTRIBUTE_ARCH = 5,
    ATTRIBUTE_UNALIGNED_ACCESS = 6,
    ATTRIBUTE_PRIV_SPEC = 8,
    ATTRIBUTE_PRIV_SPEC_MINOR = 10,
    ATTRIBUTE_PRIV_SPEC_REVISION = 12
};

/* Returns the tag that the psABI calls so ("arch", "Tag_RISCV_arch"); 0 if there is none. */
uint64_t attribute_tag(const char *name);
/* Sets an attribute: a number for an even tag, a string for an odd one. */
void attribute_set(struct assembler *as, uint64_t tag, uint64_t number, const char *string);
/* Sets the version of the privileged architecture that objects state (-mpriv-spec). False after a
 * diagnostic if it is unknown. */
bool attribute_set_privileged(struct assembler *as, const char *version);
/* Returns the place in isa_privileged_versions, from 1, of the version that -mpriv-spec or the
 * source names. */
unsigned attribute_privileged(const struct assembler *as);
/* Has the object attributes? It has none after -mno-arch-attr, unless the source has some. */
bool attribute_wanted(const struct assembler *as);
/* Appends the contents of the section: the architecture, and all attributes with a value other than
 * 0. */
void attribute_text(struct assembler *as, struct text *text);

#endif
