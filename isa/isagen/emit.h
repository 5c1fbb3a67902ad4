/*
 * Writing generated files. Each writer fills a text from a checked specification, and isagen.c
 * writes the file atomically. Generated C names its generator and input, and has #line directives
 * for the YAML wherever it contains code from there.
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
    bool as_definitions; /* bodies are written as definitions, not as what the executors run */
    const char *file;    /* of the description, to whose bodies the written file is confined */
};

/* One function for each file. */
void emit_tables(struct emitter *emitter);           /* isa_tables.c */
void emit_float_formats(struct emitter *emitter);    /* float_formats.h */
void emit_float_layouts(struct emitter *emitter);    /* float_layouts.inc */
void emit_ids(struct emitter *emitter);              /* isa_ids.h */
void emit_instruction_ids(struct emitter *emitter);  /* instruction_ids.h */
void emit_standard_ids(struct emitter *emitter);     /* standard_ids.h */
void emit_whole_bodies(struct emitter *emitter);     /* whole_FILE.c */
void emit_direct_bodies(struct emitter *emitter);    /* direct_FILE.c */
void emit_csrs(struct emitter *emitter);             /* csrs.inc */
void emit_settings(struct emitter *emitter);         /* settings.inc */
void emit_units_header(struct emitter *emitter);     /* units.h */
void emit_units(struct emitter *emitter);            /* units.inc */
void emit_trap_causes(struct emitter *emitter);      /* traps.inc */
void emit_definitions(struct emitter *emitter);      /* definitions.inc */
void emit_definition_table(struct emitter *emitter); /* definition_table.inc */
void emit_fast(struct emitter *emitter);             /* fast.h */
void emit_timing(struct emitter *emitter);           /* timing.inc */
void emit_state_reads(struct emitter *emitter);      /* state_reads.inc */
void emit_examples(struct emitter *emitter);         /* examples.s */
void emit_values(struct emitter *emitter);           /* values.inc */
void emit_manual(struct emitter *emitter);           /* isa.md */
void emit_vim(struct emitter *emitter);              /* tensor.vim */
void emit_vim_detect(struct emitter *emitter);       /* tensor_detect.vim */
void emit_grammar(struct emitter *emitter);          /* tensor.tmLanguage.json */
void emit_vscode_package(struct emitter *emitter);   /* package.json */
void emit_vscode_language(struct emitter *emitter);  /* language-configuration.json */
void emit_gdb(struct emitter *emitter);              /* target.xml */
void emit_gdb_inc(struct emitter *emitter);          /* gdb_target.inc */
void emit_unit_state(struct emitter *emitter);       /* unit_state.inc */
void emit_accesses(struct emitter *emitter);         /* accesses.inc */
void emit_c_header(struct emitter *emitter);         /* tensor.h */

/* Parts of isa_tables.c. */
void emit_forms(struct emitter *emitter);    /* emit_forms.c: syntax, aliases, instructions */
void emit_tree(struct emitter *emitter);     /* tree.c */
void emit_elements(struct emitter *emitter); /* emit_elements.c */

/* Returns a bit for each operand whose field can hold a reserved value (emit_forms.c). */
unsigned emit_checked_operands(const struct spec_operands *operands);
/* Writes the names of the indices of the state, with `before` before each (emit_state.c). */
void emit_indices(struct emitter *emitter, const struct spec_state *state, const char *before);
/* Returns the names of the relocation operators, each once, in the order of the relocations'
 * numbers. They end with NULL. */
const char *const *emit_operators(const struct spec *spec);

/* Is the instruction of a vendor's extension, and not of RISC-V? */
bool emit_is_of_vendor(const struct spec_instruction *instruction);
/* Returns the alignment of instruction addresses in bytes. */
int emit_code_alignment(const struct spec *spec);

/* emit_stencils.c: writes which stencils are made of the instruction, and what its first slots are.
 * Operands of other instructions than these are in memory. */
void emit_stencils(struct emitter *emitter, const struct spec_instruction *instruction);
/* Have the two the same body with the same operands, as variants of one instruction do? */
bool emit_has_same_stencils(const struct spec_instruction *one,
                            const struct spec_instruction *other);

/* Writes an instruction's work: operands read, the body, operands written. */
void emit_work(struct emitter *emitter, const struct spec_instruction *instruction);

/* emit_timing.c: writes the functions of `cycles`, `occupancy` and `resources`; for a check, only
 * the first of those that an entry makes. */
void emit_times(struct emitter *emitter, bool is_check);

/* fast.c: writes the call of the instruction's fast function. */
void emit_fast_call(struct emitter *emitter, const struct spec_instruction *instruction);
/* Returns the C type of a register's value in this view. */
const char *emit_view_type(enum isa_view view);

/* Writes the first lines of a C file. */
void emit_header(struct emitter *emitter, const char *what);

/* Writes code from the YAML on separate lines and in its columns, between #line directives (none
 * without a path). `before` and `after` are put on lines of their own. */
void emit_code(struct emitter *emitter, const char *before, const struct spec_code *code,
               const char *after);

/* Declares the names of all functions, or of those that time uses. The compiler reports one that
 * means something else at its place in the YAML. */
void emit_function_names(struct emitter *emitter, bool of_time);

/* Writes the initializer of a struct isa_needs. */
void emit_needs(struct emitter *emitter, const struct isa_needs *needs);

/* Writes the members of an enum with the codes of the element types, and the limit of codes. */
void emit_element_codes(struct emitter *emitter, const char *prefix);
/* Writes ISA_ELEMENT_… for the types without a code that definitions use: pairs. */
void emit_pair_numbers(struct emitter *emitter);

/* emit_settings.c: writes an enum of its values for each setting that is a word. */
void emit_setting_words(struct emitter *emitter);

/* Returns the name in upper case, with `_` for `.`, in the arena. */
char *emit_upper(struct arena *arena, const char *name);
/* Declares the C function PREFIX_NAME of a function of the description, with `context` as its first
 * argument. */
void emit_function_declaration(struct emitter *emitter, const char *prefix, const char *context,
                               const struct spec_function *function);

/* Writes `string` as a C literal, or NULL. */
void emit_string(struct emitter *emitter, const char *string);

/* Writes a condition over operand values as a static function (emit_forms.c). */
void emit_condition(struct emitter *emitter, const char *name,
                    const struct spec_instruction *instruction, const struct spec_code *code);
/* Writes an assertion that the default values satisfy a constraint of the unit
 * (emit_settings.c). */
void emit_default_check(struct emitter *emitter, const struct spec_unit *unit, size_t index);

/* Writes a file with the bodies that can be compiled without the emulator (check.c). */
void emit_check(struct emitter *emitter);
/* Compiles the bodies and reports the compiler's messages at their places in the YAML (compile.c).
 */
void spec_compile_bodies(struct spec *spec);

/* Returns a 64-bit hash of everything that changes what a program is or does. */
uint64_t spec_fingerprint(const struct spec *spec);
/* Returns isa_instruction.digest: a hash of the mnemonic, and one of all that the meaning of the
 * instruction depends on. */
uint64_t spec_instruction_digest(const struct spec *spec,
                                 const struct spec_instruction *instruction);

#endif
