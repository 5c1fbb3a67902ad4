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

/* An extension as it stands in an architecture string: "m2p0", "zicsr", "xmat1p0". */
struct architecture_item {
    size_t length;      /* of name and version */
    size_t name_length; /* 1, or of a name that begins with z, s or x; then it may be just that */
    bool versioned;     /* a version is written */
    unsigned major, minor; /* "2" is 2p0; 0 where no version is written */
};

/* The item that `text`, which is not empty, begins with. That of a letter ends with its version, a
 * longer name's with the string or the `_` before the next one. Nothing else is checked. */
struct architecture_item architecture_split(const char *text);
/* What is known of a name; NULL: nothing. */
const struct isa_architecture_name *architecture_find(const char *name);
/* May the letter stand alone as an extension? */
bool architecture_is_letter(char letter);
enum architecture_family architecture_family(const char *name);
/* As strcmp, in canonical order. */
int architecture_compare(const char *a, const char *b);

#endif
