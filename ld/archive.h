/* Archives (ar): a symbol table that says which member defines a name, and the members, read only
 * when asked for. */
#ifndef LD_ARCHIVE_H
#define LD_ARCHIVE_H

#include "ld/linker.h"

struct archive_symbol {
    const char *name;
    uint64_t member; /* offset of the member's header */
};

struct archive {
    const char *name;
    const unsigned char *bytes;
    uint64_t length;
    struct archive_symbol *symbols;
    size_t symbol_count;
    bool has_symbol_table;
    const char *long_names; /* contents of the "//" member, or NULL */
    uint64_t long_names_length;
    uint64_t first_member; /* after the tables */
};

struct archive_member {
    const char *name; /* "lib.a(a.o)" */
    const unsigned char *bytes;
    uint64_t length;
    uint64_t next; /* offset of the next header */
};

/* Reads the tables. Every entry of the symbol table is checked to point at a member. Thin archives
 * and a broken structure are errors that give the offset. */
bool archive_open(struct archive *archive, struct linker *linker, const char *name,
                  const void *bytes, size_t length);
/* The member whose header is at `offset`. */
bool archive_member(const struct archive *archive, struct linker *linker, uint64_t offset,
                    struct archive_member *member);

#endif
