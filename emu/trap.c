/* See trap.h. */
#include "emu/trap.h"
#include <signal.h>
#include <stddef.h>

static const struct {
    enum cause cause;
    int signal;
    const char *text;
} causes[] = {
    {CAUSE_FETCH_MISALIGNED, SIGBUS, "jump to a misaligned address"},
    {CAUSE_FETCH_ACCESS, SIGSEGV, "instruction fetch fault"},
    {CAUSE_ILLEGAL_INSTRUCTION, SIGILL, "illegal instruction"},
    {CAUSE_BREAKPOINT, SIGTRAP, "breakpoint"},
    {CAUSE_LOAD_MISALIGNED, SIGBUS, "misaligned load"},
    {CAUSE_LOAD_ACCESS, SIGSEGV, "load access fault"},
    {CAUSE_STORE_MISALIGNED, SIGBUS, "misaligned store"},
    {CAUSE_STORE_ACCESS, SIGSEGV, "store access fault"},
    {CAUSE_USER_ECALL, SIGSYS, "environment call from user mode"},
    {CAUSE_MACHINE_ECALL, SIGSYS, "environment call from machine mode"},
    {CAUSE_TENSOR_ACCESS, SIGSEGV, "tensor access fault"},
    {CAUSE_TENSOR_CONFIGURATION, SIGILL, "tensor configuration fault"},
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
