/* Sections that the assembler writes of its own accord, behind the source: call frames and debug
 * information. What is put goes to the current location; `at` is where diagnostics point. */
#ifndef ASM_GENERATE_H
#define ASM_GENERATE_H

#include "asm/tasm.h"

/* Enters the section, made with these flags if it is new; section_pop() leaves it. */
struct section *generate_section(struct assembler *as, const char *name, uint64_t flags,
                                 uint64_t alignment);
void generate_bytes(struct assembler *as, const struct position *at, const void *bytes,
                    size_t length);
/* A number of `size` bytes, little-endian. */
void generate_number(struct assembler *as, const struct position *at, uint64_t value,
                     unsigned size);
void generate_unsigned(struct assembler *as, const struct position *at,
                       uint64_t value); /* LEB128 */
void generate_signed(struct assembler *as, const struct position *at, int64_t value);
/* A bound expression of `size` bytes. */
void generate_expression(struct assembler *as, const struct position *at,
                         struct expression *expression, unsigned size);
struct expression *generate_difference(struct assembler *as, const struct position *at,
                                       struct expression *left, struct expression *right);
/* The current location. */
struct expression *generate_label(struct assembler *as, const struct position *at);
/* A label to be placed later, by generate_define. */
struct symbol *generate_undefined(struct assembler *as);
void generate_define(struct assembler *as, struct symbol *symbol);
/* A length of 4 bytes, of what follows up to the label returned, which is to be defined there. */
struct symbol *generate_length(struct assembler *as, const struct position *at);
/* The offset, in 4 bytes, of the text in a section of strings, to which it is added. */
void generate_string(struct assembler *as, const struct position *at, const char *section,
                     const char *text);
/* Labels at the first and behind the last byte that a section has so far. */
struct symbol *generate_section_start(struct assembler *as, struct section *section);
struct symbol *generate_section_end(struct assembler *as, struct section *section);

#endif
