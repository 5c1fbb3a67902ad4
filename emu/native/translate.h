/* The translated tier: code that runs often becomes native code, made of the same bodies as the
 * executors.
 *
 * The plain executor runs in slices. Before each one, translator_look takes a sample. Once a
 * place was met often, the blocks that control took around it become a *region*
 * (region.h), the region becomes C text (emit.c): the prelude
 * (unit.h, preprocessed when temu is built), and for each guest instruction the text of
 * its body with its operands as constants. The system's C compiler makes a shared object of it
 * (compile.h), in a process of its own while the executor goes on, and a cache keeps it
 * for later runs. A *unit* is such an object, loaded.
 *
 * What makes it exact:
 * - A unit does what is common. Before anything else (a trap, a CSR, a system call, an access that
 *   may not go straight, a value that is not boxed) it leaves, with all registers written back and
 *   the pc of that instruction, and the executor runs that one. So no exception, device or counter
 *   is known here.
 * - A unit counts as the executor does: a block is entered only if all of it is within the limit.
 * - Code that a unit was made of is watched as decoded code is. What changes it takes the unit's
 *   entries back, and stores to such pages never go straight, so it cannot happen inside a unit but
 *   by a tensor instruction, which looks.
 * - The key of a cached object is a digest of the whole C text (so of the code, the ISA description
 *   and temu's own structures), the compiler and the host's CPU; the bytes are checked before they
 *   are used.
 *
 * Traces, statistics and debuggers use the observed executor, as without it. */
#ifndef EMU_NATIVE_TRANSLATE_H
#define EMU_NATIVE_TRANSLATE_H

#include "lib/arena.h"
#include "lib/diag.h"
#include <stdbool.h>
#include <stdint.h>

struct machine;

enum tier {
    TIER_AUTO,      /* what turns out to be hot, if there is a compiler */
    TIER_INTERPRET, /* never */
    TIER_TRANSLATE, /* everything that is met, at once: for tests */
};

struct translator_options {
    enum tier tier;
    const char *cache;    /* directory for objects; NULL: the user's; "none": none */
    const char *compiler; /* command; NULL: the one that temu was built with */
    bool verbose;         /* say on standard error what is translated */
};

/* Why control left a unit. */
enum visit_end {
    VISIT_AWAY,  /* it goes on outside */
    VISIT_STUCK, /* the executor has to run the instruction at pc */
    VISIT_LIMIT, /* what is left of the slice may not suffice to go on, or somebody has to look */
};

/* A stay in a unit. */
struct visit {
    uint64_t pc;  /* where it begins, then where it ended */
    int64_t left; /* instructions that may still be retired */
};

typedef enum visit_end unit_function(struct machine *machine, struct visit *visit);

/* An entry of a unit; what a PSEUDO_TRANSLATED record leads to. */
struct translation {
    unit_function *function;
    struct unit *unit;
    int64_t longest;   /* region_block.longest: without as many left, there is no visit */
    uint64_t refusals; /* visits that came to nothing */
};

/* NULL after a diagnostic (only TIER_TRANSLATE needs a compiler, but one that was named has to be
 * there, as the directory of a cache). */
struct translator *translator_open(struct machine *machine, struct diag *diag,
                                   const struct translator_options *options);
/* Ends a compiler that is still running; does not wait for it. NULL is nobody. */
void translator_close(struct translator *translator);

/* Instructions of the next slice. */
uint64_t translator_slice(const struct translator *translator);
/* Before a slice of the plain executor. */
void translator_look(struct translator *translator);
/* How often control went into a unit. */
uint64_t translator_visits(const struct translator *translator);
/* A visit to a unit, from the executor: runs it. A visit in which nothing was done ends as stuck.
 */
enum visit_end translator_visit(struct translator *translator, struct translation *translation,
                                struct visit *visit);

#endif
