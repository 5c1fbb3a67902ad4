/* The objects that gather reads, and the parts of a stencil in them. */
#ifndef EMU_NATIVE_STENCILS_OBJECT_H
#define EMU_NATIVE_STENCILS_OBJECT_H

#include "emu/native/stencils/reader.h"

#include <gelf.h>

/* The parts of a stencil. The compiler writes some of the rest to the section of the hot part. */
enum { PART_HOT, PART_REST, PART_COLD, PARTS };

struct part {
    const unsigned char *bytes;
    size_t size, start; /* in the section */
    size_t base;        /* in the stencil */
    bool is_relays;     /* is nothing but jumps to the cold part, and not needed */
    Elf_Data *relocations;
    size_t count; /* of the section */
};

struct object {
    const struct reader *reader; /* of its architecture */
    Elf *elf;
    Elf_Data *symbols;
    size_t strings, names, symbol_count;
    int file;
};

/* Ends gather when the object cannot be read, or is for an architecture without stencils. */
struct object object_open(const char *name);
void object_close(const struct object *object);

/* Returns the kind of the hole that is called so, or -1. */
int hole_kind(const char *name);

/* Finds the section of the name and its relocations. Returns false when there is none. */
bool object_find_section(const struct object *object, const char *name, struct part *part);
/* Returns the name of the relocation's symbol, or of its section, and stores the symbol. */
const char *object_symbol_name(const struct object *object, const GElf_Rela *relocation,
                               GElf_Sym *symbol);
/* Finds the relocation at the offset in the part's section. */
bool part_find_relocation(const struct part *part, size_t offset, GElf_Rela *relocation);

/* Is the symbol the stencil's own code, and is it in the section of the cold part? */
bool is_own_code(const char *name, bool *is_far);
/* Is there a jump in the rest to the section of the cold part, because jumps on a condition do not
 * reach far? Stores where in that section it leads. */
bool is_relay(const struct object *object, const struct part *rest, size_t at, size_t *offset);

/* Finds the parts of the stencil. Returns false for code that the reader does not know. */
bool object_find_parts(const struct object *object, const char *name, struct part *parts);
/* If the cold part is one jump that another one reaches, returns the kind of its target, else -1.
 */
int object_single_jump(const struct object *object, const struct part *cold);
/* The compiler makes one function of those with the same code, and the others jump to it. Returns
 * the name of the function that this one only jumps to, or NULL. */
const char *object_find_same(const struct object *object, const char *name);

#endif
