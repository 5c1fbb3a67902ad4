/* Code memory, and the copying of stencils into it (docs/native-code.md).
 *
 * The memory is mapped twice, once to be written and once to be executed, so no page is both. It
 * consists of chunks (host.h), and a chunk of two areas: that of the code which usually runs, and a
 * cold one. Addresses are offsets. What depends on the architecture of the host is in host.h. */
#ifndef EMU_NATIVE_COPY_H
#define EMU_NATIVE_COPY_H

#include "emu/native/stencil.h"
#include <stddef.h>

struct native_jump;
struct native_map;

enum { COPIER_AREA = 64 << 20 /* bytes of code memory */ };

/* A jump to a target: where its hole is, and where the jump on a condition is that only leads to
 * it, which may lead to the target itself where it reaches so far (0: none). */
struct copier_jump {
    size_t hole, from;
};

struct copier {
    unsigned char *writable, *executable;
    size_t chunk; /* where it begins */
    /* Where the next stencil goes, and the ends of the chunk's areas, without some room that is
     * kept free. */
    size_t hot, hot_end, cold, cold_end;
    size_t clean_hot, clean_cold;    /* in the chunk, up to here the host knows what was written */
    size_t leave, call;              /* offsets of the code that leaves native code, or calls C */
    size_t ready_hot, ready_cold;    /* up to here the areas had pages before they were needed */
    struct copier_jump taken;        /* the last one that was added */
    struct copier_jump turn;         /* the last jump on a condition inside of a stencil */
    const struct native_jump *jumps; /* the table of jumps to addresses in registers */
    bool is_told; /* the host sees changed code only if access to it changes, too (host.h) */
    uint64_t pc;  /* of the guest instruction whose code is copied; PIECE_NO_PC: of none */
    struct native_map *map; /* gets all that is copied; NULL: nobody looks at it */
};

/* What fills the holes and the fields of a stencil. */
struct filling {
    int64_t values[HOLE_OFFSET + 1]; /* up to the offset of the register in slot 0 */
    union {
        uint8_t numbers[sizeof(uint64_t)]; /* what is in the slots: holes for these numbers, */
        uint64_t slots;                    /* and for the offsets of registers from slot 1 on */
    };
    uint8_t registers[STENCIL_REGISTERS];
};

/* Maps the memory. Returns false where that is impossible. */
bool copier_open(struct copier *copier);
void copier_close(struct copier *copier);
/* Forgets all that was copied. */
void copier_reset(struct copier *copier);
/* Is there room for `bytes` more of code that usually runs, and of cold code? */
bool copier_has_room(const struct copier *copier, size_t bytes);

/* Makes room in the chunk for one more stencil of these sizes. */
void copier_make_room(struct copier *copier, size_t hot, size_t cold);
/* The next stencil begins where the host likes to jump to. */
void copier_align(struct copier *copier);
/* Appends the stencil. Sets copier->taken if it jumps to a target. */
void copier_add(struct copier *copier, const struct stencil *stencil,
                const struct filling *filling);
/* The same for a stencil that only has the common case of an instruction. The usual stencil, where
 * it goes otherwise, is appended to the cold area. It comes first, or instead of the common one. */
void copier_add_common(struct copier *copier, const struct stencil *common,
                       const struct stencil *usual, bool is_first, const struct filling *filling);
/* Appends the stencil, as a whole, to the cold area. Returns where it is. */
size_t copier_add_cold(struct copier *copier, const struct stencil *stencil,
                       const struct filling *filling);
/* Makes the jump go to `target`. */
void copier_link(struct copier *copier, const struct copier_jump *jump, size_t target);
/* Writes a jump over the code at `at`. Returns it, to be linked. */
struct copier_jump copier_add_jump(struct copier *copier, size_t at);
/* Writes a jump to `target` over the code of the stencil at `at`. */
void copier_replace(struct copier *copier, const struct stencil *stencil, size_t at, size_t target);
/* Ends what was added or linked, which may be executed from now on. */
void copier_finish(struct copier *copier);
/* Appends bytes that are code of the host already. */
void copier_add_bytes(struct copier *copier, const void *bytes, size_t size);

/* Returns the stencil of the instruction (or glue) with the operands in these places (enum
 * stencil_place), or NULL. */
const struct stencil *stencil_find(unsigned id, unsigned places, enum stencil_kind kind);
/* Returns one that is not an instruction. */
const struct stencil *stencil_glue(unsigned id);

#endif
