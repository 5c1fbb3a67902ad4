/* Reading one relocatable object into the link. */
#ifndef LD_OBJECT_H
#define LD_OBJECT_H

#include "ld/linker.h"

/* Call this once before the others. */
void object_prepare(struct linker *linker);
/* Reads the object file `bytes`: all that does not depend on other objects. If the bytes do not
 * stay in memory (`temporary`), what later phases need of them is copied. Reports what is malformed
 * or cannot be linked, with the name of the object. Returns NULL after an error. */
struct object *object_parse(struct linker *linker, const char *name, const void *bytes,
                            size_t length, bool temporary);
/* Adds the object to the link. Returns false after an error that leaves nothing usable. */
bool object_enter(struct linker *linker, struct object *object);
/* Does both; the bytes must stay in memory. Returns NULL after an error that leaves nothing usable.
 */
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
