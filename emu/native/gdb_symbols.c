/* gdb is slow with many files, and a file cannot grow. So each run of blocks gets a file, and of
 * two files for about as many runs one is made: there are never more files than the logarithm of
 * the number of runs. See gdb_symbols.h. */
#include "emu/native/gdb_symbols.h"
#include "emu/native/copy.h"
#include "emu/native/elf_image.h"
#include "emu/native/host.h"

#include <stdlib.h>

/* ---- what gdb reads: names and layout are those of its manual ---- */

enum jit_action { JIT_NONE, JIT_REGISTER, JIT_UNREGISTER };

struct jit_code_entry {
    struct jit_code_entry *next, *previous;
    const char *file;
    uint64_t size;
};

struct jit_descriptor {
    uint32_t version, action;
    struct jit_code_entry *relevant, *first;
};

void __jit_debug_register_code(void);
extern struct jit_descriptor __jit_debug_descriptor;
struct jit_descriptor __jit_debug_descriptor = {.version = 1};

/* gdb has a breakpoint here. */
__attribute__((noinline)) void __jit_debug_register_code(void)
{
    __asm__ volatile("" : "+m"(__jit_debug_descriptor));
}

static void tell(enum jit_action action, struct jit_code_entry *entry)
{
    __jit_debug_descriptor.action = action;
    __jit_debug_descriptor.relevant = entry;
    __jit_debug_register_code();
    __jit_debug_descriptor.action = JIT_NONE;
}

static void link_entry(struct jit_code_entry *entry)
{
    entry->previous = NULL;
    entry->next = __jit_debug_descriptor.first;
    if (entry->next)
        entry->next->previous = entry;
    __jit_debug_descriptor.first = entry;
    tell(JIT_REGISTER, entry);
}

static void unlink_entry(struct jit_code_entry *entry)
{
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        __jit_debug_descriptor.first = entry->next;
    if (entry->next)
        entry->next->previous = entry->previous;
    tell(JIT_UNREGISTER, entry);
}

/* ---- the files ---- */

/* A file for the code of consecutive pieces. */
struct batch {
    struct jit_code_entry entry;
    struct batch *older;
    struct text image;
    size_t first, end;
    unsigned order; /* it is made of about 2 to this power files */
};

struct gdb_symbols {
    const struct copier *copier;
    const struct native_map *map;
    const struct symbolizer *symbols;
    struct batch *newest;
    /* of the file that is being made */
    struct elf_image_symbol *list;
    size_t count, capacity;
    struct text names;
};

struct gdb_symbols *gdb_symbols_open(const struct copier *copier, const struct native_map *map,
                                     const struct symbolizer *symbols)
{
    struct gdb_symbols *made = calloc(1, sizeof *made);

    if (made)
        *made = (struct gdb_symbols){.copier = copier, .map = map, .symbols = symbols};
    return made;
}

static void add_symbol(void *context, const struct native_range *range)
{
    struct gdb_symbols *symbols = context;

    if (symbols->count == symbols->capacity) {
        size_t capacity = symbols->capacity ? 2 * symbols->capacity : 64;
        struct elf_image_symbol *list = reallocarray(symbols->list, capacity, sizeof *list);
        if (!list) /* it has no name then */
            return;
        symbols->list = list;
        symbols->capacity = capacity;
    }
    symbols->list[symbols->count++] =
        (struct elf_image_symbol){.name = symbols->names.length,
                                  .address = (uintptr_t)symbols->copier->executable + range->at,
                                  .size = range->size,
                                  .section = range->is_cold ? 2 : 1};
    text_append_bytes(&symbols->names, range->name, strlen(range->name) + 1);
}

/* Appends DWARF frames (.debug_frame): what host.h says holds in both sections. */
static void append_frames(struct text *frames, const struct elf_image_section *code)
{
    uint32_t length = (uint32_t)host_frame_size;

    text_append_bytes(frames, &length, sizeof length);
    text_append_bytes(frames, host_frame, host_frame_size);
    for (unsigned i = 0; i < 2; i++) {
        const struct {
            uint32_t length, common;
            uint64_t address, size;
        } range = {sizeof range - sizeof range.length, 0, code[i].address, code[i].size};
        text_append_bytes(frames, &range, sizeof range);
    }
}

static void make_image(struct gdb_symbols *symbols, struct batch *batch)
{
    const struct native_piece *first = &symbols->map->pieces[batch->first],
                              *last = &symbols->map->pieces[batch->end - 1];
    uintptr_t executable = (uintptr_t)symbols->copier->executable;
    struct elf_image_section sections[] = {
        {".text", executable + first->hot, last->hot + last->hot_size - first->hot, NULL, true},
        {".text.cold", executable + first->cold, last->cold + last->cold_size - first->cold, NULL,
         true},
        {".debug_frame", 0, 0, NULL, false}};
    struct text frames = TEXT_INIT;

    symbols->count = 0;
    text_clear(&symbols->names);
    native_map_ranges(symbols->map, batch->first, batch->end, symbols->symbols, add_symbol,
                      symbols);
    append_frames(&frames, sections);
    sections[2].bytes = frames.bytes;
    sections[2].size = frames.length;
    elf_image_append(&batch->image, sections, 3, symbols->list, symbols->count, &symbols->names);
    text_free(&frames);
}

static void drop_newest(struct gdb_symbols *symbols)
{
    struct batch *batch = symbols->newest;

    symbols->newest = batch->older;
    unlink_entry(&batch->entry);
    text_free(&batch->image);
    free(batch);
}

void gdb_symbols_add(struct gdb_symbols *symbols, size_t first, size_t end)
{
    struct batch *batch = calloc(1, sizeof *batch);

    if (!batch)
        return;
    *batch = (struct batch){.first = first, .end = end};
    for (; symbols->newest && symbols->newest->order <= batch->order; drop_newest(symbols)) {
        batch->first = symbols->newest->first;
        batch->order = symbols->newest->order + 1;
    }
    batch->older = symbols->newest;
    symbols->newest = batch;
    make_image(symbols, batch);
    batch->entry.file = batch->image.bytes;
    batch->entry.size = batch->image.length;
    link_entry(&batch->entry);
}

void gdb_symbols_forget(struct gdb_symbols *symbols)
{
    while (symbols->newest)
        drop_newest(symbols);
}

void gdb_symbols_close(struct gdb_symbols *symbols)
{
    if (!symbols)
        return;
    gdb_symbols_forget(symbols);
    free(symbols->list);
    text_free(&symbols->names);
    free(symbols);
}
