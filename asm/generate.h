/* Contents of sections that no statement writes: call frames and debug information, after the end
 * of the source. Each function appends at the current location; diagnostics point at `at`. */
#ifndef ASM_GENERATE_H
#define ASM_GENERATE_H

#include "asm/tasm.h"

/* Enters the section; a new one gets these flags. section_pop() leaves it. */
struct section *generate_section(struct assembler *as, const char *name, uint64_t flags,
                                 uint64_t alignment);
void generate_bytes(struct assembler *as, const struct position *at, const void *bytes,
                    size_t length);
/* Appends a number of `size` bytes, little-endian. */
void generate_number(struct assembler *as, const struct position *at, uint64_t value,
                     unsigned size);
/* Append a number as LEB128. */
void generate_unsigned(struct assembler *as, const struct position *at, uint64_t value);
void generate_signed(struct assembler *as, const struct position *at, int64_t value);
/* Appends the value of a bound expression, in `size` bytes. */
void generate_expression(struct assembler *as, const struct position *at,
                         struct expression *expression, unsigned size);
/* Appends the address of `add`, or the distance `add - subtract`, in `size` bytes. The position
 * need not be kept. */
void generate_distance(struct assembler *as, const struct position *at, struct symbol *add,
                       struct symbol *subtract, unsigned size);
struct expression *generate_difference(struct assembler *as, const struct position *at,
                                       struct expression *left, struct expression *right);
struct expression *generate_sum(struct assembler *as, const struct position *at,
                                struct expression *left, struct expression *right);
/* Returns a label at the current location. */
struct expression *generate_label(struct assembler *as, const struct position *at);
/* Returns a label that generate_define will place. */
struct symbol *generate_undefined(struct assembler *as);
void generate_define(struct assembler *as, struct symbol *symbol);
/* Appends, in 4 bytes, the distance from there to the label returned, which the caller has to place
 * with generate_define. */
struct symbol *generate_length(struct assembler *as, const struct position *at);
/* Adds the text to a section of strings, and appends its offset there in 4 bytes. */
void generate_string(struct assembler *as, const struct position *at, const char *section,
                     const char *text);
/* Return labels at the start and at the present end of a section. */
struct symbol *generate_section_start(struct assembler *as, struct section *section);
struct symbol *generate_section_end(struct assembler *as, struct section *section);

#endif
