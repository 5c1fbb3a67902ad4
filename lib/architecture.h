/* Names in architecture strings, and their canonical order.
 *
 * Source: RISC-V Unprivileged ISA, "ISA Extension Naming Conventions". */
#ifndef LIB_ARCHITECTURE_H
#define LIB_ARCHITECTURE_H

#include "lib/isa.h"

/* In the order in which an architecture string names them. */
enum architecture_family {
    ARCHITECTURE_LETTER,
    ARCHITECTURE_UNPRIVILEGED,
    ARCHITECTURE_PRIVILEGED,
    ARCHITECTURE_VENDOR
};

/* What is known of a name; NULL: nothing. */
const struct isa_architecture_name *architecture_find(const char *name);
/* May the letter stand alone as an extension? */
bool architecture_is_letter(char letter);
enum architecture_family architecture_family(const char *name);
/* As strcmp, in canonical order. */
int architecture_compare(const char *a, const char *b);

#endif
