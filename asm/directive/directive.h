/* The registry of directives. Directives for conditions, macros and repetitions are not in it,
 * because they work on text (condition.h, macro.h). */
#ifndef ASM_DIRECTIVE_DIRECTIVE_H
#define ASM_DIRECTIVE_DIRECTIVE_H

#include "asm/argument.h"
#include "asm/tasm.h"

/* The arguments of data directives that list.c can encode. */
enum list_kind {
    LIST_NONE,
    LIST_INTEGERS, /* of the size that is the parameter */
    LIST_ELEMENTS, /* of the element type whose index is the parameter */
    LIST_UNSIGNED_LEB128,
    LIST_SIGNED_LEB128,
    LIST_STRINGS /* parameter 1: each ends with a NUL */
};

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
/* Executes the directive, unless it has too few or too many arguments. */
void directive_run(struct assembler *as, const struct parsed *parsed,
                   const struct directive *directive);
/* Encodes the arguments of a data directive into `bytes`, if they are plain integers (plain.h),
 * also with operators, decimal floating-point numbers or strings. Returns the number of bytes, and
 * *end is the first character after the arguments, which end with the text, a newline or a comment.
 * Text beyond `limit` is not read in advance. Returns 0 for another directive, other arguments,
 * numbers that do not fit, no bytes, or more than `room` (list.c). */
size_t directive_encode(const struct directive *directive, const char *text, const char *limit,
                        unsigned char *bytes, size_t room, const char **end);
/* Executes a directive whose arguments can be encoded so, without parsing the statement. Does
 * nothing and returns false for all others, if the statement has a label, or if there is no room
 * (list.c). */
bool directive_list(struct assembler *as, const struct statement *statement,
                    const struct directive *directive);
/* Returns which of these arguments the directive takes (data.c). */
enum list_kind directive_list_kind(const struct directive *directive);
/* Does the value, signed or not, fit in so many bytes? */
static inline bool directive_fits(uint64_t value, unsigned size)
{
    if (size == 8)
        return true;
    unsigned bits = 8 * size;
    return !(value >> bits) ||
           ((int64_t)value < 0 && (int64_t)value >= -((int64_t)1 << (bits - 1)));
}
/* Offers all names as suggestions. */
void directive_suggest(struct suggestion *suggestion);

/* ---- functions that one file of directives has for others ---- */

/* Appends `count` elements of `size` bytes, each with the value `value` (space.c). */
void directive_space(struct assembler *as, const struct parsed *parsed, struct expression *count,
                     unsigned size, uint64_t value);
/* The data directives of the element type of this index in isa_elements (data.c). */
void directive_elements(struct assembler *as, const struct parsed *parsed, int element);
void directive_element_block(struct assembler *as, const struct parsed *parsed, int element);
/* Executes .loc straight from the text of its arguments. Returns its end, at a newline or a
 * comment; NULL, with nothing changed, if the arguments are not as simple as compilers write them.
 * `at` is the place of the directive, whose length is that of the text before the arguments
 * (lines.c). */
const char *lines_location_quick(struct assembler *as, const char *text, struct position *at);
/* .file NUMBER … (lines.c). */
void lines_file(struct assembler *as, const struct parsed *parsed);
/* Adds the relocations of .reloc to those of their sections, once the layout is known (reloc.c). */
void reloc_resolve(struct assembler *as);
/* .insn (insn.c). */
void directive_insn(struct assembler *as, const struct parsed *parsed, int unused);
/* Returns the path of an included file: the name itself if there is such a file, else the first in
 * a folder of -I, else the name (data.c). */
const char *directive_find_file(struct assembler *as, const char *name);
/* Is it the name of a macro of tensor.inc, which the program may have forgotten to include? */
bool directive_is_tensor_macro(struct assembler *as, const char *name);

#endif
