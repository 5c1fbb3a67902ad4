/* The architecture: which extensions are enabled (-march, .option arch, .attribute arch), and the
 * string that records them in the object.
 *
 * Source: RISC-V Unprivileged ISA, "ISA Extension Naming Conventions"; psABI, "Attributes". */
#ifndef ASM_ARCH_H
#define ASM_ARCH_H

#include "lib/isa.h"
#include <stdbool.h>
#include <stddef.h>

struct assembler;
struct position;
struct text;

struct arch_extension {
    const char *name;    /* "m", "zicsr", "xmat" */
    const char *version; /* "2p0", or "" where unknown */
};

struct arch {
    struct arch_extension *extensions; /* enabled, in canonical order */
    size_t count;
    isa_set enabled;    /* the described ones among them */
    bool compresses;    /* one of them shortens instructions */
    bool explicit_arch; /* by -march or .attribute: the object then names all, used or not */
};

/* Does the assembler replace instructions by compressed ones where it can? -march, .option rvc and
 * .option arch say so. */
bool arch_compresses(const struct assembler *as);
/* Returns the alignment of instructions in bytes: 2 or 4. */
unsigned arch_code_alignment(const struct assembler *as);

/* Sets the versions of extensions to those of an older manual (-misa-spec). False after a
 * diagnostic if the name is unknown. */
bool arch_set_specification(struct assembler *as, const char *name);
/* Is the extension enabled? One that the manual of -misa-spec does not have is a part of the base.
 */
bool arch_has(const struct assembler *as, const char *extension);
/* Enables the extensions that are enabled without -march. */
void arch_init(struct assembler *as);
/* Enables the extensions that `rv64…` names, and no others; false after a diagnostic. */
bool arch_set(struct assembler *as, const char *string, const struct position *at);
/* Applies one `+ext` or `-ext` of .option arch; false after a diagnostic. */
bool arch_change(struct assembler *as, const char *change, const struct position *at);
/* Are extensions enabled that are needed? Marks them as used. */
bool arch_use(struct assembler *as, const struct isa_needs *needs);
/* Appends "+d, +zfa": what enables the extensions that are needed and not enabled. Returns whether
 * they are several. */
bool arch_append_options(const struct assembler *as, struct text *text,
                         const struct isa_needs *needs);
/* Returns an enabled extension whose instructions are unknown because the ISA description does not
 * have it; NULL if there is none. */
const char *arch_undescribed(const struct assembler *as);
/* Returns the ABI that compilers use for the architecture, such as "lp64d". */
const char *arch_abi(const struct assembler *as);
/* Returns the extension whose registers the ABI passes values in, if it is not enabled; else NULL.
 */
const char *arch_abi_lacks(const struct assembler *as, const char *abi);
/* Returns the name of the extension of compressed instructions; NULL if the ISA has none. */
const char *arch_compressed_name(void);
/* Returns the architecture string for the object: "rv64i2p1_m2p0_…". */
const char *arch_text(struct assembler *as);

#endif
