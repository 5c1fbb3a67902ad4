/* See trap.h. */
#include "emu/trap.h"
#include <signal.h>
#include <stddef.h>

static const struct {
    enum cause cause;
    int signal;
    const char *text, *explain;
} causes[] = {
#define TRAP_TABLE
#include "traps.inc"
#undef TRAP_TABLE
};

int fault_signal(enum cause cause)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].cause == cause)
            return causes[i].signal;
    return SIGILL;
}

const char *fault_text(enum cause cause)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].cause == cause)
            return causes[i].text;
    return "exception";
}

const char *fault_explain(enum cause reason)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].cause == reason)
            return causes[i].explain;
    return NULL;
}
