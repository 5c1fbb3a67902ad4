/* Names in architecture strings, and their canonical order.
 *
 * Source: RISC-V Unprivileged ISA, "ISA Extension Naming Conventions". */
#ifndef LIB_ARCHITECTURE_H
#define LIB_ARCHITECTURE_H

#include "lib/isa.h"
#include "lib/text.h"

/* Extensions, in the order in which an architecture string names them. */
enum architecture_family {
    ARCHITECTURE_LETTER,
    ARCHITECTURE_UNPRIVILEGED,
    ARCHITECTURE_PRIVILEGED,
    ARCHITECTURE_VENDOR
};

/* An extension as it is written in an architecture string: "m2p0", "zicsr", "xmat1p0". */
struct architecture_item {
    size_t length;      /* of name and version */
    size_t name_length; /* 1 for a letter; a name that begins with z, s or x may also be just that
                           letter */
    bool versioned;     /* a version is written */
    unsigned major, minor; /* the version: "2" is 2p0; 0 where none is written */
};

/* Returns the item at the start of `text`, which is not empty. The item of a letter ends with its
 * version; that of a longer name ends at the next `_` or at the end of the string. Nothing else is
 * checked. */
struct architecture_item architecture_split(const char *text);
/* Returns what the ISA description knows about a name, or NULL. */
const struct isa_architecture_name *architecture_find(const char *name);
/* Returns the set of the described extension of this name and of those that it implies. */
isa_set architecture_set(const char *name);
/* Returns the set of an architecture string, "rv64i2p1_m2p0". Unknown names are left out. */
isa_set architecture_set_of(const char *string);
/* Appends "extension 'zbb' or 'zbkb'": what is needed, without what is enabled. */
void architecture_append_needs(struct text *text, const struct isa_needs *needs, isa_set enabled);
/* Is the letter an extension when it stands alone? */
bool architecture_is_letter(char letter);
enum architecture_family architecture_family(const char *name);
/* Compares two items in canonical order. Returns a number as strcmp does. */
int architecture_compare(const char *a, const char *b);

#endif
