/* Directives, by name. Conditional, macro and repetition directives are not here: they work on text
 * (condition.h, macro.h). */
#ifndef ASM_DIRECTIVE_DIRECTIVE_H
#define ASM_DIRECTIVE_DIRECTIVE_H

#include "asm/directive/argument.h"
#include "asm/tasm.h"

struct directive {
    const char *name;
    void (*run)(struct assembler *as, const struct parsed *parsed, int parameter);
    int parameter;             /* what several names of one function differ in */
    unsigned char least, most; /* arguments; most 255: any number */
};

/* Tables end with an entry without a name. */
extern const struct directive directives_data[], directives_symbol[], directives_section[],
    directives_misc[], directives_frame[], directives_lines[], directives_listing[],
    directives_reloc[], directives_space[];

/* Makes their names known. */
void directive_init(struct assembler *as);
/* Offers all names. */
void directive_suggest(struct suggestion *suggestion);

/* ---- what one file of directives does for another ---- */

/* `count` elements of `size` bytes of `value` (space.c). */
void directive_space(struct assembler *as, const struct parsed *parsed, struct expression *count,
                     unsigned size, uint64_t value);
/* .file NUMBER … (lines.c). */
void lines_file(struct assembler *as, const struct parsed *parsed);
/* Adds the relocations of .reloc to those of their sections, once the layout is known (reloc.c). */
void reloc_resolve(struct assembler *as);
/* .insn (insn.c). */
void directive_insn(struct assembler *as, const struct parsed *parsed, int unused);
/* Path of an included file: as it is, or in a folder of -I; the name itself if it is nowhere. */
const char *directive_find_file(struct assembler *as, const char *name);

#endif
