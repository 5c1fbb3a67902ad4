/* The instruction that the observed executor executes, as those who observe it see it. It is a
 * copy, because the instruction's own store may drop its decoded record. */
#ifndef EMU_OBSERVED_H
#define EMU_OBSERVED_H

#include "lib/trace/ttrace.h"

struct observed {
    /* As a lossless trace takes it; without thread, turn and trap. The privilege is that in which
     * it began. */
    struct ttrace_record record;
    unsigned raised; /* floating-point flags that it raised, including those already set */
    uint16_t id;
    bool has_turned; /* control did not go on after it */
    /* After its end: did it retire without an exception, and with how many effects? They are in the
     * recorder until the next one. */
    bool retired;
    size_t effects;
};

#endif
