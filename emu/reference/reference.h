/* Runs instructions by their definitions: the semantics of the ISA description, compiled as they
 * are (definitions.inc). With --reference this replaces the fast functions of the units; an
 * instruction without a fast function always runs in this way.
 *
 * A definition only describes: what it stores, sets and counts is collected and takes effect when
 * it ends. So it reads all of its inputs before it writes, and one that traps has changed
 * nothing. */
#ifndef EMU_REFERENCE_REFERENCE_H
#define EMU_REFERENCE_REFERENCE_H

#include "emu/decode/decode.h"
#include "emu/trap.h"

struct machine;
struct reference;

/* The memory of an operand. */
enum reference_place {
    REFERENCE_ANYWHERE,
    REFERENCE_SCRATCHPAD,
    REFERENCE_MAIN_MEMORY, /* anywhere else */
};

/* The definition of an instruction: raises its traps, and logs what it changes. */
typedef void define_function(struct reference *reference, const struct decoded *record);

/* By id: does the instruction have a definition (definitions.c)? */
bool reference_defines(unsigned id);

/* Executes the instruction and records its effects in machine->recorder, if there is one. Returns
 * false after filling `fault`, with nothing changed (definitions.c). */
bool reference_execute(struct machine *machine, const struct decoded *record, struct fault *fault);
/* The same with its definition. */
bool reference_run(struct machine *machine, define_function *define, const struct decoded *record,
                   struct fault *fault);

/* Frees what reference_execute has allocated. */
void reference_free(struct machine *machine);

#endif
