/* The translated tier: compiles code that runs often to native code, from the same bodies as the
 * executors.
 *
 * The plain executor runs in slices. Before each slice, translator_look samples the pc. When a pc
 * has been sampled often, the executed blocks around it become a *region* (region.h). emit.c writes
 * the region as C text: the prelude (unit.h, preprocessed when temu is built), and for each guest
 * instruction the text of its body with its operands as constants. The system's C compiler makes a
 * shared object of it (compile.h) in another process, while the executor goes on, and a cache keeps
 * it for later runs. A *unit* is such an object, loaded.
 *
 * Units behave exactly as the executor does:
 * - A unit only handles the common case. Before anything else (a trap, a CSR, a system call, an
 *   access that is not direct, a value that is not NaN-boxed) it writes all registers back and
 *   returns the pc of that instruction, which the executor then runs. So a unit needs no
 *   exceptions, devices or counters.
 * - A unit counts as the executor does: it enters a block only if the whole block is within the
 *   limit.
 * - Changes of the code that a unit was made from are noticed as for decoded code, and remove the
 *   unit's entries. Stores to such pages are never direct, so inside a unit only a tensor
 *   instruction can change code, and it checks for this.
 * - The key of a cached object is a digest of the compiler, the host's CPU and the whole C text,
 *   which contains the code, the ISA description and temu's structures. The bytes are checked
 *   before they are used.
 *
 * Traces, statistics and debuggers use the observed executor, which runs no units. */
#ifndef EMU_NATIVE_TRANSLATE_H
#define EMU_NATIVE_TRANSLATE_H

#include "lib/arena.h"
#include "lib/diag.h"
#include <stdbool.h>
#include <stdint.h>

struct machine;

enum tier {
    TIER_AUTO,      /* hot code, if there is a compiler */
    TIER_INTERPRET, /* nothing */
    TIER_TRANSLATE, /* all code that is executed, at once: for tests */
};

struct translator_options {
    enum tier tier;
    const char *cache;    /* directory for objects; NULL: the user's; "none": none */
    const char *compiler; /* command; NULL: the one that temu was built with */
    bool verbose;         /* report on standard error what is translated */
    int root;             /* descriptor of the directory that the program may change; -1: none */
};

/* Why control left a unit. */
enum visit_end {
    VISIT_AWAY,  /* to a pc outside the unit */
    VISIT_STUCK, /* the executor must run the instruction at pc */
    VISIT_LIMIT, /* too little of the slice may be left, or the executor has to check something */
};

/* A visit: one execution of a unit. */
struct visit {
    uint64_t pc;  /* where it begins, and afterwards where it ended */
    int64_t left; /* instructions that may still be retired */
};

typedef enum visit_end unit_function(struct machine *machine, struct visit *visit);

/* An entry of a unit; what a PSEUDO_TRANSLATED record leads to. */
struct translation {
    unit_function *function;
    struct unit *unit;
    int64_t longest;   /* region_block.longest: a visit needs as many instructions left */
    uint64_t refusals; /* visits that executed nothing */
};

/* Opens the translator. Returns NULL after a diagnostic: TIER_TRANSLATE needs a compiler, and a
 * compiler or cache directory that the user named must be usable. */
struct translator *translator_open(struct machine *machine, struct diag *diag,
                                   const struct translator_options *options);
/* Closes the translator (or NULL), and kills a running compiler without waiting for it. */
void translator_close(struct translator *translator);

/* Returns the number of instructions of the next slice. */
uint64_t translator_slice(const struct translator *translator);
/* Takes a sample and does the work of the translator that is due. Called before each slice of the
 * plain executor. */
void translator_look(struct translator *translator);
/* Returns the number of visits to units. */
uint64_t translator_visits(const struct translator *translator);
/* Runs a unit for the executor. A visit that executes nothing ends as VISIT_STUCK. */
enum visit_end translator_visit(struct translator *translator, struct translation *translation,
                                struct visit *visit);

#endif
