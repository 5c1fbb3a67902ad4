/* Native code on a host that has no stencils: there is none. See blocks.h. */
#include "emu/native/blocks.h"
#include "emu/native/rounds.h"

#include <stddef.h>

struct native *native_open(struct machine *machine, enum tier tier)
{
    (void)machine;
    (void)tier;
    return NULL;
}

void native_close(struct native *native)
{
    (void)native;
}

void native_resume(struct native *native)
{
    (void)native;
}

void native_report(const struct native *native, const char *program)
{
    (void)native;
    (void)program;
}

bool native_observe(struct native *native, struct diag *diag, const struct native_view *view)
{
    (void)native;
    (void)diag;
    (void)view;
    return false;
}

void native_observe_end(const struct native *native, FILE *stream)
{
    (void)native;
    (void)stream;
}

void native_run_ahead(struct native *native, uint64_t instructions)
{
    (void)native;
    (void)instructions;
}

uint64_t native_visits(const struct native *native)
{
    (void)native;
    return 0;
}

bool native_arrive(struct native *native, uint64_t pc)
{
    (void)native;
    (void)pc;
    return true;
}

bool native_may_visit(struct native *native, uint64_t pc)
{
    (void)native;
    (void)pc;
    return false;
}

void native_note_visit(struct native *native, uint64_t pc, uint64_t instructions)
{
    (void)native;
    (void)pc;
    (void)instructions;
}

enum visit_end native_visit(struct native *native, struct visit *visit)
{
    (void)native;
    (void)visit;
    return VISIT_STUCK;
}

void native_look(struct native *native, uint64_t pc)
{
    (void)native;
    (void)pc;
}

bool native_is_eager(const struct native *native)
{
    (void)native;
    return true;
}

void native_tell_rounds(struct native *native)
{
    (void)native;
}

bool native_take_rounds(struct native *native, struct rounds *rounds)
{
    (void)native;
    (void)rounds;
    return false;
}
