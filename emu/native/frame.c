/* The code that enters and leaves native code, and the end of all code. See parts.h. */
#include "emu/native/observers.h"
#include "emu/native/parts.h"

#include <stdlib.h>

/* Moves all that is pinned. */
static void add_pins(struct native *native, unsigned id, unsigned float_id)
{
    for (int i = 0; i < HOST_FLOAT_PINS; i++) {
        struct filling filling = {.registers = {host_float_registers[i]}};
        filling.values[HOLE_OFFSET] = native->float_pins[i] * 8;
        copier_add(&native->copier, stencil_glue(float_id), &filling);
    }
    for (unsigned i = 0; i < PINS; i++) {
        struct filling filling = {.registers = {host_registers[i]}};
        filling.values[HOLE_OFFSET] = native_offset_of(native, native->pins[i]);
        copier_add(&native->copier, stencil_glue(id), &filling);
    }
}

/* Writes the code that enters and leaves native code, and that which calls native_call and goes on
 * as if it entered. */
static void add_frame(struct native *native)
{
    struct copier *copier = &native->copier;
    unsigned char bytes[HOST_FRAME_BYTES];

    copier->call = copier->hot;
    add_pins(native, STENCIL_glue_spill, STENCIL_glue_spill_float);
    copier_add_bytes(copier, bytes, host_write_call(bytes, native_call));
    native->enter = copier->hot;
    add_pins(native, STENCIL_glue_fill, STENCIL_glue_fill_float);
    copier_add_bytes(copier, bytes, host_write_entry(bytes));
    copier->leave = copier->hot;
    add_pins(native, STENCIL_glue_spill, STENCIL_glue_spill_float);
    copier_add_bytes(copier, bytes, host_write_exit(bytes));
    copier_finish(copier);
}

void native_place_pins(struct native *native)
{
    native_open_places(native);
    memset(native->float_host_of, NOT_PINNED, sizeof native->float_host_of);
    for (int i = 0; i < HOST_FLOAT_PINS; i++)
        native->float_host_of[native->float_pins[i]] = host_float_registers[i];
}

/* Pins other registers instead of what may not be pinned any more. */
static void repair_pins(struct native *native)
{
    for (unsigned i = 0, next = 1; i < PINS; i++) {
        while (native->pins[i] >= native_pinnable(native) && memchr(native->pins, (int)next, PINS))
            next++;
        if (native->pins[i] >= native_pinnable(native))
            native->pins[i] = (uint8_t)next;
    }
}

void native_forget_all(struct native *native)
{
    native_forget_counts(native);
    for (struct installed *next; native->installed; native->installed = next) {
        next = native->installed->next;
        code_untranslate(&native->machine->code, native->installed->view, native->installed->pc);
        free(native->installed);
    }
    if (native->entry_count ||
        native->has_paths) { /* else they are 0, and their memory need not be touched */
        memset(native->entries + native->entry_room, 0,
               native->entry_room * sizeof *native->entries);
        memset(native->pages, 0, sizeof native->pages);
        memset(native->jumps, 0, NATIVE_JUMPS * sizeof *native->jumps);
    }
    if (native->has_variants)
        memset(native->variants, 0, sizeof native->variants);
    native->has_variants = native->has_paths = false;
    native->first_page = MEMORY_CODE_PAGES;
    native->page_end = 0;
    native->entry_count = native->site_count = native->call_count = native->access_count = 0;
    native->counter_count = native->link_count = 0;
    native->jumps[0].pc = 1; /* 0 belongs there */
    if (native->observers)
        native_observers_forget(native->observers);
    copier_reset(&native->copier);
    native->is_mirror = native_has_mirror(native);
    repair_pins(native);
    native_place_pins(native);
    native->view = native->machine->code.view;
    native->floats = native->machine->code.floats;
    native->generation++;
    native->made_before = native->made;
    add_frame(native);
}
