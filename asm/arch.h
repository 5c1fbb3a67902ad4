/* The architecture string: which extensions are enabled (-march, .option arch, .attribute arch),
 * and how the object tells.
 *
 * Source: RISC-V Unprivileged ISA, "ISA Extension Naming Conventions"; psABI, "Attributes". */
#ifndef ASM_ARCH_H
#define ASM_ARCH_H

#include <stdbool.h>
#include <stddef.h>

struct assembler;
struct position;

struct arch_extension {
    const char *name;    /* "m", "zicsr", "xmat" */
    const char *version; /* "2p0", or "" where unknown */
    bool used;           /* an instruction of it was assembled */
};

struct arch {
    struct arch_extension *extensions; /* enabled, in canonical order */
    size_t count;
    bool compresses;    /* one of them shortens instructions */
    bool explicit_arch; /* by -march or .attribute: the object then names all, used or not */
};

/* Are instructions shortened where they can be? By -march, .option rvc, .option arch. */
bool arch_compresses(const struct assembler *as);
/* Of instructions, in bytes: 2 or 4. */
unsigned arch_code_alignment(const struct assembler *as);

/* Everything that the ISA description has. */
void arch_init(struct assembler *as);
/* Parses `rv64…`; false after a diagnostic. */
bool arch_set(struct assembler *as, const char *string, const struct position *at);
/* `+ext` and `-ext` of .option arch. */
bool arch_change(struct assembler *as, const char *change, const struct position *at);
/* Is the extension enabled? Marks it as used. */
bool arch_use(struct assembler *as, const char *extension);
/* An enabled extension that the ISA description does not have, so that its instructions are
 * unknown; NULL if there is none. */
const char *arch_undescribed(const struct assembler *as);
/* The calling convention of compilers for it: "lp64d". */
const char *arch_abi(const struct assembler *as);
/* The extension that an ABI passes values in and that is not enabled; NULL without one. */
const char *arch_abi_lacks(const struct assembler *as, const char *abi);
/* The extension that shortens instructions; NULL without one. */
const char *arch_compressed_name(void);
/* "rv64i2p1_m2p0_…" for the object. */
const char *arch_text(struct assembler *as);

#endif
