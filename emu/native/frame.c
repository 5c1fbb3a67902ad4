/* The code that enters and leaves native code, and the end of code: of all, or that of a page. See
 * parts.h. */
#include "emu/native/observers.h"
#include "emu/native/parts.h"

enum { NO_PC = 1 }; /* of no instruction */

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

void native_add_site(struct native *native, const struct site *site, uint64_t pc)
{
    struct filling filling = {0};

    native->copier.pc = pc;
    filling.values[HOLE_PC] = (int64_t)pc;
    filling.values[HOLE_VALUE] = (int64_t)native->site_count;
    native->sites[native->site_count++] = *site;
    copier_link(&native->copier, &site->jump,
                copier_add_cold(&native->copier, stencil_glue(STENCIL_glue_site), &filling));
}

bool native_has_room_for_run(const struct native *native)
{
    return copier_has_room(&native->copier, RUN_BYTES) && native->entry_count <= ENTRIES / 2 &&
           native->site_count + RUN_EXITS < SITES && native->access_count + RUN_EXITS < ACCESSES &&
           native->counter_count + RUN_EXITS < COUNTERS && native->link_count + RUN_EXITS < LINKS &&
           native->stretch_count + 2 * RUN_EXITS < STRETCHES && native_has_hooks(native);
}

/* Removes an entry from the table: those after it that were looked for there move up. */
static void remove_entry(struct native *native, struct entry *entry)
{
    struct entry *table = native->entries + native->entry_room;
    size_t mask = native->entry_room - 1, free_place = (size_t)(entry - table);

    for (size_t i = (free_place + 1) & mask; table[i].code; i = (i + 1) & mask) {
        size_t distance = (i - native_entry_place(native, table[i].pc)) & mask;
        if (distance < ((i - free_place) & mask))
            continue;
        table[free_place] = table[i];
        free_place = i;
    }
    table[free_place] = (struct entry){0};
    native->entry_count--;
}

/* Nothing finds the code of the stretch any more. Returns what control comes to it with. */
static struct facts remove_stretch(struct native *native, const struct stretch *stretch)
{
    struct variant *variant = &native->variants[stretch->pc / 2 % VARIANTS];
    struct entry *entry = native_find_entry(native, stretch->pc);
    struct facts facts = {0};

    if (entry->code == stretch->code)
        remove_entry(native, entry);
    for (unsigned i = 0; i < VARIANTS_LIMIT; i++)
        if (variant[i].code == stretch->code) {
            facts = variant[i].facts;
            variant[i] = (struct variant){0};
        }
    return facts;
}

/* Whatever leads to the stretch leaves native code from now on, or goes to new code, which may rely
 * on the same facts. */
static void forget_stretch(struct native *native, const struct stretch *stretch)
{
    struct native_jump *jump = &native->jumps[(stretch->pc >> 1) % NATIVE_JUMPS];

    code_untranslate(&native->machine->code, native->view, stretch->pc);
    if (jump->pc == stretch->pc)
        jump->pc = NO_PC;
    native_add_site(native,
                    &(struct site){.jump = copier_add_jump(&native->copier, stretch->code),
                                   .facts = remove_stretch(native, stretch)},
                    stretch->pc);
}

void native_forget(struct native *native, uint64_t address, uint64_t end)
{
    uint64_t page = address >> MEMORY_PAGE_BITS, parts = native_parts_of(address, end);
    uint32_t *link = &native->stretches_of[page];

    /* Counters of profiles, paths and maps are of all code. Calls must not run out. */
    if (native_profile(native) || native->has_paths || native->observers ||
        native->call_count > CALLS / 2) {
        native_forget_all(native);
        return;
    }
    native->generation++;
    while (*link) {
        struct stretch *stretch = &native->stretches[*link];
        if (!(stretch->parts & parts)) {
            link = &stretch->next;
            continue;
        }
        if (!native_has_room_for_run(native)) {
            native_forget_all(native);
            return;
        }
        forget_stretch(native, stretch);
        *link = stretch->next;
    }
    if (!native->stretches_of[page])
        native->pages[page / 8] &= (uint8_t) ~(1u << page % 8);
    copier_finish(&native->copier);
}

void native_forget_all(struct native *native)
{
    native_forget_counts(native);
    for (size_t i = 1; i <= native->stretch_count; i++) {
        const struct stretch *stretch = &native->stretches[i];
        code_untranslate(&native->machine->code, native->view, stretch->pc);
        native->stretches_of[stretch->page] = 0;
    }
    if (native->stretch_count ||
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
    native->counter_count = native->link_count = native->stretch_count = 0;
    native->jumps[0].pc = 1; /* 0 belongs there */
    if (native->observers)
        native_observers_forget(native->observers);
    copier_reset(&native->copier);
    native->is_mirror = native_has_mirror(native);
    repair_pins(native);
    native_place_pins(native);
    native->view = native->machine->code.view;
    native->breakpoints = native_breakpoints(native);
    native->floats = native->machine->code.floats;
    native->generation++;
    native->made_before = native->made;
    add_frame(native);
}
