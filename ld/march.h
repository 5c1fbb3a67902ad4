/* Architecture strings: "rv64i2p1_m2p0_zicsr2p0_xmat1p0" (RISC-V Unprivileged ISA, "ISA Extension
 * Naming Conventions"). */
#ifndef LD_MARCH_H
#define LD_MARCH_H

#include "lib/arena.h"
#include <stdbool.h>
#include <stddef.h>

struct march_extension {
    const char *name; /* "m", "zicsr", "xmat" */
    unsigned major, minor;
    bool versioned;
};

struct march {
    unsigned base;                      /* 32 or 64; 0: none yet */
    struct march_extension *extensions; /* in the canonical order */
    size_t count, capacity;
};

/* Parses an architecture string. Returns NULL, or what is wrong with the string. */
const char *march_parse(struct march *march, struct arena *arena, const char *text);
/* Adds the extensions of `other` to `march`; the later of two versions is kept. Returns NULL, or
 * why the two cannot be combined. */
const char *march_merge(struct march *march, const struct march *other, struct arena *arena);
const char *march_text(const struct march *march, struct arena *arena);

#endif
