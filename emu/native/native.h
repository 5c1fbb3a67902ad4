/* What native code and the emulator share (docs/native-code.md). */
#ifndef EMU_NATIVE_NATIVE_H
#define EMU_NATIVE_NATIVE_H

#include <stdint.h>

enum { NATIVE_JUMPS = 4096 };

/* A place in the table of jumps to addresses in registers: the native code of a guest address. */
struct native_jump {
    uint64_t pc; /* one that does not belong there: none */
    void (*code)(void);
};

/* Why control left native code. */
enum native_exit {
    EXIT_STEP,  /* the interpreter has to execute the instruction at hart->pc */
    EXIT_LIMIT, /* too few instructions are left for the block at hart->pc */
    EXIT_CALL, /* the interpreter has to execute the instruction of hart->native_site, and to return
                */
    EXIT_JUMP, /* to hart->pc, which is not in the table of jumps */
    EXIT_SITE, /* to hart->pc, from a jump that is not linked yet: hart->native_site */
};

#endif
