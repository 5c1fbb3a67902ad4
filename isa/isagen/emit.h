/*
 * Writing generated files. Each writer fills a text from a checked specification; isagen.c puts it
 * in place atomically. Generated C says what made it, and points at the YAML with #line wherever it
 * holds code from there.
 */
#ifndef ISA_ISAGEN_EMIT_H
#define ISA_ISAGEN_EMIT_H

#include "isa/isagen/spec.h"
#include "lib/text.h"

struct emitter {
    const struct spec *spec;
    struct text text;
    const char *path; /* of the file being written, for #line; NULL: no #line */
    size_t counted;   /* bytes of text whose lines have been counted */
    unsigned lines;
};

/* The files. */
void emit_tables(struct emitter *emitter);            /* isa_tables.c */
void emit_ids(struct emitter *emitter);               /* isa_ids.h */
void emit_bodies(struct emitter *emitter);            /* bodies.inc */
void emit_texts(struct emitter *emitter);             /* body_texts.inc */
void emit_superinstructions(struct emitter *emitter); /* superinstructions.inc */
void emit_loops(struct emitter *emitter);             /* loops.inc */
void emit_csrs(struct emitter *emitter);              /* csrs.inc */
void emit_manual(struct emitter *emitter);            /* isa.md */
void emit_vim(struct emitter *emitter);               /* tensor.vim */
void emit_gdb(struct emitter *emitter);               /* target.xml */
void emit_gdb_inc(struct emitter *emitter);           /* gdb_target.inc */
void emit_c_header(struct emitter *emitter);          /* tensor.h */

/* Parts of isa_tables.c. */
void emit_forms(struct emitter *emitter); /* emit_forms.c: syntax, aliases, instructions */
void emit_tree(struct emitter *emitter);  /* tree.c */

/* What stands between an opening and a closing macro: operands read, the body, operands written. */
void emit_work(struct emitter *emitter, const struct spec_instruction *instruction);

/* First lines of a C file. */
void emit_header(struct emitter *emitter, const char *what);

/* Code from the YAML on lines of its own, between #line directives (without a path, there are
 * none); `before` and `after` stand on its first and last line. */
void emit_code(struct emitter *emitter, const char *before, const struct spec_code *code,
               const char *after);

/* `string` as a C literal, or NULL. */
void emit_string(struct emitter *emitter, const char *string);

/* 64-bit hash over all that changes what a program is or does. */
uint64_t spec_fingerprint(const struct spec *spec);

#endif
