/* Instructions that native code has executed by a function, without being left: those without a
 * stencil, and rare cases of arithmetic (rare.c). See parts.h. */
#include "emu/native/parts.h"
#include "emu/observe/watch.h"

bool native_has_mirror(const struct native *native)
{
    const struct memory *memory = &native->machine->memory;
    enum memory_view view = native->machine->code.view;

    return memory_mirrors(memory, view) && memory->fast == memory->views[view];
}

uint64_t native_breakpoints(const struct native *native)
{
    const struct watcher *watcher = native->machine->watcher;

    return watcher ? watcher->breakpoints : 0;
}

bool native_is_current(const struct native *native)
{
    return native->view == native->machine->code.view &&
           native->breakpoints == native_breakpoints(native) &&
           native->floats == native->machine->code.floats &&
           native->is_mirror == native_has_mirror(native);
}

struct native_place native_call(struct hart *hart, int64_t left)
{
    struct machine *machine = machine_of(hart);
    struct native *native = machine->native;

    if (hart->native_site >= CALLS) {
        struct hook *hook = &native->hooks[hart->native_site - CALLS];
        return hook->block ? native_find_passage(hart, hook, left)
                           : native_follow(hart, hook, left);
    }
    const struct call *call = &native->calls[hart->native_site];
    uint64_t generation = native->generation;
    size_t after = call->after;

    native->called[0] = call->record;
    machine->execution.left = left - native->ahead;
    native->flow = machine->code.executor->evaluate(machine, native->called);
    if (__builtin_expect(native->flow == 0 && !machine->attention &&
                             generation == native->generation && native_is_current(native) &&
                             !native->is_interrupted,
                         1))
        return (struct native_place){native->copier.executable + after,
                                     machine->execution.left + native->ahead};
    hart->native_exit = EXIT_CALL;
    return (struct native_place){NULL, machine->execution.left + native->ahead};
}
