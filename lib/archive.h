/* Archives (ar), for the linker and the disassembler: a symbol table that says which member defines
 * a name, and the members, which are read only when they are asked for. */
#ifndef LIB_ARCHIVE_H
#define LIB_ARCHIVE_H

#include "lib/arena.h"
#include "lib/diag.h"
#include <stdint.h>

struct archive_symbol {
    const char *name;
    uint64_t member; /* offset of the member's header */
};

struct archive {
    struct arena *arena;
    struct diag *diag;
    const char *name;
    const unsigned char *bytes;
    uint64_t length;
    struct archive_symbol *symbols;
    size_t symbol_count;
    bool has_symbol_table;
    bool is_thin;           /* its members are separate files */
    const char *long_names; /* contents of the "//" member, or NULL */
    uint64_t long_names_length;
    uint64_t first_member;          /* after the tables */
    struct nested_archive **nested; /* of a thin archive: the archives that members are in */
    unsigned depth;                 /* number of thin archives that led to this one */
};

struct archive_member {
    const char *name;     /* "lib.a(a.o)" */
    const char *own_name; /* "a.o"; in a thin archive: the path of the file */
    const unsigned char *bytes;
    uint64_t length;
    uint64_t next;                     /* offset of the next header */
    uint64_t date, owner, group, mode; /* as in stat(2); 0 where the header has none */
};

/* Reads the tables and checks that every entry of the symbol table points at a member. Reports a
 * broken structure with its offset. `arena` and `diag` are used as long as the archive is; the
 * bytes must stay in memory. */
bool archive_open(struct archive *archive, struct arena *arena, struct diag *diag, const char *name,
                  const void *bytes, size_t length);
/* Reads the member whose header is at `offset`. The member of a thin archive is read from its file,
 * or from the archive that it is in, and must have the size that the archive says. */
bool archive_member(const struct archive *archive, uint64_t offset, struct archive_member *member);

#endif
