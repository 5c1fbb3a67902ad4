/* What the files that read an object know of each other. */
#ifndef LD_OBJECT_PARTS_H
#define LD_OBJECT_PARTS_H

#include "ld/linker.h"

/* Reports an error of the object, and is false. */
#define FAIL(...)                                                                                  \
    (diag_error(&linker->diag, &(struct position){.name = object->name}, __VA_ARGS__), false)

/* Results of parsing an object that object_enter needs. */
struct parsed {
    struct elf_symbol *globals; /* object->global_count of them */
    struct group *groups;       /* in the order of the file */
    size_t group_count, group_capacity;
    struct relocation **unresolved;
    size_t unresolved_count, unresolved_capacity;
};

/* ---- object_relocations.c ---- */

/* Reads the relocations of the sections of groups, or those of all other sections. Returns false
 * after an error. */
bool object_read_relocations(struct linker *linker, struct object *object, bool of_groups);
/* Sets the symbols of relocations that were read before their symbols were known. */
void object_resolve(const struct object *object);

#endif
