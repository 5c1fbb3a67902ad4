/* What native code and the emulator share (docs/native-code.md). */
#ifndef EMU_NATIVE_NATIVE_H
#define EMU_NATIVE_NATIVE_H

#include <stdint.h>

enum { NATIVE_JUMPS = 16384 };

struct hart;

/* Where control goes on in native code, and the instructions that may still be retired. */
struct native_place {
    const void *code;
    int64_t left;
};
typedef struct native_place native_function(struct hart *hart, int64_t left);

/* A place in the table of jumps to addresses in registers: the native code of a guest address. */
struct native_jump {
    uint64_t pc; /* one that does not belong there: none */
    void (*code)(void);
};

/* Why control left native code. */
enum native_exit {
    EXIT_STEP, /* the interpreter has to execute the instruction at hart->pc */
    /* Too few instructions are left for the block at hart->pc, or it has simple code that was
     * executed often, and its counter is 0. */
    EXIT_LIMIT,
    EXIT_CALL, /* native_call executed an instruction after which control does not go on */
    EXIT_JUMP, /* to hart->pc, which is not in the table of jumps */
    EXIT_SITE, /* to hart->pc, from a jump that is not linked yet: hart->native_site */
};

#endif
