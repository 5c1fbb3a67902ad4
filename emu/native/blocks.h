/* Native code of the program: blocks of guest code that are made of stencils when control comes to
 * them (docs/native-code.md).
 *
 * A run of blocks begins at an address that control came to, and goes on past branches that are not
 * taken and along jumps. Jumps between blocks are linked when they are taken first. The code is
 * never out of date: when decoded code of a page is dropped, what was made of it goes. */
#ifndef EMU_NATIVE_BLOCKS_H
#define EMU_NATIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct decoded;
struct diag;
struct machine;
struct native;
struct program;

enum tier {
    TIER_AUTO,      /* code that is executed often */
    TIER_INTERPRET, /* nothing */
    TIER_TRANSLATE, /* all code, at once, */
    TIER_OPTIMIZE,  /* and as if it were executed often: for tests */
};

/* Arrivals of control at a block in the interpreter, before its code is made. */
enum { NATIVE_ARRIVALS = 64 };

static inline bool tier_is_at_once(enum tier tier)
{
    return tier == TIER_TRANSLATE || tier == TIER_OPTIMIZE;
}

/* Why control left native code. */
enum visit_end {
    VISIT_AWAY,  /* to a pc without native code */
    VISIT_STUCK, /* the executor must run the instruction at pc */
    VISIT_END,   /* the run has ended */
    VISIT_CALL,  /* after an instruction that native code had executed, and that left it */
    VISIT_LIMIT, /* too little of the slice may be left, or the executor has to check something */
};

/* A visit: one execution of native code. */
struct visit {
    uint64_t pc;  /* where it begins, and afterwards where it ended */
    int64_t left; /* instructions that may still be retired */
    /* The record that stands for native code where it begins, which remembers that code; or NULL.
     */
    struct decoded *entry;
    /* After VISIT_CALL: the instruction, and how control left it (enum flow). */
    struct decoded *called;
    int flow;
    bool is_interrupted; /* and it has to be looked whether the run shall end */
};

/* What shall be seen of native code. */
struct native_view {
    const struct program *program;
    const char *const *shown; /* addresses and symbols: the code is printed at the end */
    size_t shown_count;
    bool has_jitdump;    /* a file for perf is written */
    const char *jitdump; /* its name, or that of its directory; NULL: the current directory */
    bool has_symbols;    /* gdb learns of the symbols */
};

/* Opens native code for the machine. Returns NULL where the host has no stencils or gives no memory
 * for code, where misaligned accesses trap, and for TIER_INTERPRET. */
struct native *native_open(struct machine *machine, enum tier tier);
/* Closes it (or NULL). */
void native_close(struct native *native);
/* From now on the machine of this native code (or NULL) runs, and not another one. */
void native_resume(struct native *native);
/* Prints what was made, for --verbose. */
void native_report(const struct native *native, const char *program);
/* Lets native code be seen. Returns false after a diagnostic. */
bool native_observe(struct native *native, struct diag *diag, const struct native_view *view);
/* The run has ended: prints what was asked for. */
void native_observe_end(const struct native *native, FILE *stream);
/* Visits may retire so many instructions more than they say. Then they end when a signal of the
 * host or the time limit asks for this, and visit->left is negative. */
void native_run_ahead(struct native *native, uint64_t instructions);
/* Returns the number of visits. */
uint64_t native_visits(const struct native *native);

/* Control has come to the address often: makes native code, and sends control there. Returns false
 * while that is not possible yet, but may be later. */
bool native_arrive(struct native *native, uint64_t pc);
/* The same where native code counts for a profile or for the model of time: control comes to the
 * address, where it may go to native code by native_visit if the result is true. That is so if the
 * last visits there were not all too short. */
bool native_may_visit(struct native *native, uint64_t pc);
/* Such a visit has retired so many instructions from the pc on. */
void native_note_visit(struct native *native, uint64_t pc, uint64_t instructions);
/* Runs native code from visit->pc on, which is that of the translation. */
enum visit_end native_visit(struct native *native, struct visit *visit);
/* A slice begins at the program's pc: looks whether other registers should be in the host's. */
void native_look(struct native *native, uint64_t pc);

#endif
