/* The registry of directives. Directives for conditions, macros and repetitions are not in it,
 * because they work on text (condition.h, macro.h). */
#ifndef ASM_DIRECTIVE_DIRECTIVE_H
#define ASM_DIRECTIVE_DIRECTIVE_H

#include "asm/directive/argument.h"
#include "asm/tasm.h"

struct directive {
    const char *name;
    void (*run)(struct assembler *as, const struct parsed *parsed, int parameter);
    int parameter;             /* distinguishes the names that share a function */
    unsigned char least, most; /* number of arguments; most 255: no limit */
};

/* Tables end with an entry without a name. */
extern const struct directive directives_data[], directives_symbol[], directives_section[],
    directives_misc[], directives_frame[], directives_lines[], directives_listing[],
    directives_reloc[], directives_space[];

/* Enters the names of all directives. Of two with one name, that of a table wins over that of an
 * element type. */
void directive_init(struct assembler *as);
/* Executes a directive for numbers whose arguments are plain integers (plain.h) or decimal
 * floating-point numbers, without parsing the statement. Does nothing and returns false if it is
 * another directive, if a label or anything but numbers that fit is in the statement, or if there
 * is no room (data.c). */
bool directive_numbers(struct assembler *as, const struct statement *statement,
                       const struct directive *directive);
/* Offers all names as suggestions. */
void directive_suggest(struct suggestion *suggestion);

/* ---- functions that one file of directives has for others ---- */

/* Appends `count` elements of `size` bytes, each with the value `value` (space.c). */
void directive_space(struct assembler *as, const struct parsed *parsed, struct expression *count,
                     unsigned size, uint64_t value);
/* The data directives of the element type of this index in isa_elements (data.c). */
void directive_elements(struct assembler *as, const struct parsed *parsed, int element);
void directive_element_block(struct assembler *as, const struct parsed *parsed, int element);
/* .file NUMBER … (lines.c). */
void lines_file(struct assembler *as, const struct parsed *parsed);
/* Adds the relocations of .reloc to those of their sections, once the layout is known (reloc.c). */
void reloc_resolve(struct assembler *as);
/* .insn (insn.c). */
void directive_insn(struct assembler *as, const struct parsed *parsed, int unused);
/* Returns the path of an included file: the name itself if there is such a file, else the first in
 * a folder of -I, else the name (data.c). */
const char *directive_find_file(struct assembler *as, const char *name);

#endif
