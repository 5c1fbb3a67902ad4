/* Bundles in a source: `{ a ; b }` are two instructions that may share a turn of a thread
 * (lib/bundle.h). The object has a and b; only the check is the bundle's. */
#ifndef ASM_BUNDLE_H
#define ASM_BUNDLE_H

#include "asm/cut.h"
#include "lib/isa.h"

/* An instruction of the bundle that is open. */
struct bundled {
    const struct isa_instruction *instruction;
    const char *name; /* as written */
    uint64_t word;
    struct position at;
};

struct bundle {
    bool is_open, closes; /* `closes`: the current statement ends with the brace */
    struct position at;   /* of the brace that opens it */
    unsigned errors;      /* before it */
    unsigned count;       /* of instructions; the array has the first two */
    struct bundled instructions[2];
};

/* Before a statement is executed: blanks the braces of a bundle in it. `statement` was prepared,
 * and is prepared anew where it changes. Returns false when it cannot be in a bundle, after a
 * diagnostic. */
bool bundle_begin(struct assembler *as, struct statement *statement);
/* The instruction was appended. */
void bundle_note(struct assembler *as, const struct isa_instruction *instruction, uint64_t word);
/* After the statement was executed: checks a bundle that it closes. */
void bundle_end(struct assembler *as);
/* Reports a bundle that is open at the end of the source. */
void bundle_finish(struct assembler *as);

#endif
