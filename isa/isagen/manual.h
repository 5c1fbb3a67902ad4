/* Parts of the reference manual (isa.md): the frame is in manual.c, an instruction's page in
 * manual_page.c, its picture in diagram.c, the lists that lead to the pages in manual_lists.c. */
#ifndef ISA_ISAGEN_MANUAL_H
#define ISA_ISAGEN_MANUAL_H

#include "isa/isagen/emit.h"

/* Heading of the chapter that emit_aliases_chapter() writes, for links to it. */
#define MANUAL_ALIASES "Aliases and pseudo-instructions"
#define MANUAL_INSN    "Forms of .insn"

/* The page of one instruction: summary, syntax, encoding, operands, operation, traps, timing class,
 * aliases, relocations, example, source. */
void emit_page(struct emitter *emitter, const struct spec_instruction *instruction);

/* The encoding as boxes, in a code block. */
void emit_diagram(struct emitter *emitter, const struct spec_instruction *instruction);

/* Chapters: all aliases with what they stand for; what .insn takes; instructions by their lowest
 * bits; instructions and aliases in alphabetical order. */
void emit_aliases_chapter(struct emitter *emitter);
void emit_insn_chapter(struct emitter *emitter);
void emit_opcodes_chapter(struct emitter *emitter);
void emit_index(struct emitter *emitter);

/* [text](#anchor), with the anchor that Markdown renderers make of `heading`. */
void emit_link(struct emitter *emitter, const char *text, const char *heading);

#endif
