/* Reading one relocatable object into the link. */
#ifndef LD_OBJECT_H
#define LD_OBJECT_H

#include "ld/linker.h"

/* Call this once before object_read. */
void object_prepare(struct linker *linker);
/* Adds the object file `bytes` (which must stay in memory) to the link: its sections, symbols and
 * relocations. Reports what is malformed or cannot be linked, with the name of the object. Returns
 * NULL after an error that leaves nothing usable. */
struct object *object_read(struct linker *linker, const char *name, const void *bytes,
                           size_t length);

/* Is it LLVM's intermediate code? object_read says what to do about it. */
bool object_is_bitcode(const void *bytes, size_t length);

/* Returns the memory of tables that are not needed any more to the host, if the object is a mapped
 * file. */
void object_release_tables(const struct object *object);

/* Is it a section that is read by name and not linked (attributes.c, notes.c)? */
#define ATTRIBUTES_SECTION ".riscv.attributes"
/* Records what the flags of a section say about the stack. */
#define STACK_NOTE_SECTION ".note.GNU-stack"

#endif
