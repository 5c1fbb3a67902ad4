/* Reading one relocatable object into the link. */
#ifndef LD_OBJECT_H
#define LD_OBJECT_H

#include "ld/linker.h"

/* To be called once before that. */
void object_prepare(struct linker *linker);
/* Adds the object file `bytes` (which must stay) to the link: its sections, symbols and
 * relocations. What is malformed or not linkable is reported with the object's name. NULL after an
 * error that leaves nothing usable. */
struct object *object_read(struct linker *linker, const char *name, const void *bytes,
                           size_t length);

/* Gives the memory of tables back that are not looked at again, of an object that is a mapped file.
 */
void object_release_tables(const struct object *object);

/* Sections that are read by name and never linked byte by byte (attributes.c, notes.c). */
#define ATTRIBUTES_SECTION ".riscv.attributes"
/* Says, by its flags, what the stack must be. */
#define STACK_NOTE_SECTION ".note.GNU-stack"

#endif
