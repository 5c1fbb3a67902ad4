/* Directives, by name. Conditional, macro and repetition directives are not here: they work on text
 * (condition.h, macro.h). */
#ifndef ASM_DIRECTIVE_DIRECTIVE_H
#define ASM_DIRECTIVE_DIRECTIVE_H

#include "asm/statement.h"
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

/* ---- shared by the directive files: arguments, with diagnostics; false after one ---- */

/* The only expression of argument `index`; NULL after a diagnostic. */
struct expression *argument_expression(struct assembler *as, const struct parsed *parsed,
                                       size_t index);
/* A number that is known at once. */
bool argument_number(struct assembler *as, const struct parsed *parsed, size_t index,
                     int64_t *number);
/* A symbol's name. */
const char *argument_name(struct assembler *as, const struct parsed *parsed, size_t index);
/* A string. */
bool argument_string(struct assembler *as, const struct parsed *parsed, size_t index,
                     const char **bytes, size_t *length);
/* The text of the argument, as it stands, or the string in it. */
const char *argument_text(struct assembler *as, const struct parsed *parsed, size_t index);
bool argument_is_empty(const struct parsed *parsed, size_t index);
/* `count` elements of `size` bytes of `value` (space.c). */
void directive_space(struct assembler *as, const struct parsed *parsed, struct expression *count,
                     unsigned size, uint64_t value);
/* The low `size` bytes, lowest first. */
void directive_put(unsigned char *place, uint64_t value, unsigned size);
/* .insn (insn.c). */
void directive_insn(struct assembler *as, const struct parsed *parsed, int unused);
/* Path of an included file: as it is, or in a folder of -I; the name itself if it is nowhere. */
const char *directive_find_file(struct assembler *as, const char *name);

#endif
