/* Parts of the reference manual (isa.md): manual.c writes the frame, manual_page.c the page of
 * an instruction, diagram.c its encoding diagram, and manual_lists.c the lists that link to the
 * pages. */
#ifndef ISA_ISAGEN_MANUAL_H
#define ISA_ISAGEN_MANUAL_H

#include "isa/isagen/emit.h"

/* The heading of the chapter that emit_aliases_chapter() writes, for links to it. */
#define MANUAL_ALIASES "Aliases and pseudo-instructions"
#define MANUAL_INSN    "Forms of .insn"

/* Writes the page of one instruction: summary, syntax, encoding, operands, operation, traps, timing
 * class, aliases, relocations, example, source. */
void emit_page(struct emitter *emitter, const struct spec_instruction *instruction);

/* Writes the encoding as boxes, in a code block. */
void emit_diagram(struct emitter *emitter, const struct spec_instruction *instruction);

/* Write chapters: all aliases and what they stand for; the units and their settings; the formats of
 * .insn; instructions by their lowest bits; instructions and aliases in alphabetical order. */
void emit_aliases_chapter(struct emitter *emitter);
void emit_units_chapter(struct emitter *emitter); /* manual_units.c */
void emit_insn_chapter(struct emitter *emitter);
void emit_opcodes_chapter(struct emitter *emitter);
void emit_index(struct emitter *emitter);

/* Writes [text](#anchor), with the anchor that Markdown renderers make from `heading`. */
void emit_link(struct emitter *emitter, const char *text, const char *heading);

#endif
