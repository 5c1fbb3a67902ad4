#include "ld/map_file.h"

#include "ld/script/script.h"

#include "ld/symbol.h"
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 16

typedef unsigned long long number;

/* Prints "NAME  ADDRESS SIZE". A long name gets a separate line. */
static void write_head(struct text *text, const char *indent, const char *name, uint64_t address,
                       uint64_t size)
{
    size_t start = text->length;

    text_append(text, indent);
    text_append_visible(text, name);
    if (text->length - start >= NAME_WIDTH)
        text_append_char(text, '\n');
    text_pad(text, NAME_WIDTH);
    text_format(text, "0x%016llx %#10llx", (number)address, (number)size);
}

static void write_archives(struct text *text, const struct linker *linker)
{
    bool any = false;

    for (size_t i = 0; i < linker->object_count; i++) {
        const struct object *object = linker->objects[i];
        if (!object->archive)
            continue;
        if (!any)
            text_append(text, "Archive member included to satisfy reference by symbol\n\n");
        any = true;
        text_append_visible(text, object->name);
        text_append_char(text, '\n');
        text_pad(text, 30);
        text_append_char(text, '(');
        text_append_visible(text, object->pulled_for ? object->pulled_for : "--whole-archive");
        text_append(text, ")\n");
    }
    if (any)
        text_append_char(text, '\n');
}

static void write_discarded(struct text *text, const struct linker *linker)
{
    struct section_walk walk = {0};

    text_append(text, "Discarded input sections\n\n");
    for (struct section *section; (section = section_next(linker, &walk));) {
        if (section->live || !section->size || (section->discarded && !section->group) ||
            section->type == SHT_GROUP)
            continue;
        write_head(text, " ", section->name, 0, section->size);
        text_append_char(text, ' ');
        text_append_visible(text, section_object_name(section));
        text_append(text, section->discarded ? " (copy of a group)\n" : "\n");
    }
}

static void write_memory(struct text *text, const struct linker *linker)
{
    text_append(text, "\nMemory Configuration\n\nName             Origin             Length        "
                      "     Attributes\n");
    text_format(text, "scratchpad       0x%016llx 0x%016llx rw\n", (number)SCRATCHPAD_START,
                (number)linker->config.scratchpad_size);
    text_format(text, "*default*        0x%016llx 0x%016llx\n", 0ULL, (number)UINT64_MAX);
}

struct entry {
    const struct symbol *symbol;
    const struct section *section; /* NULL: defined by the linker */
    uint64_t address;
    size_t order;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Collects the global symbols that are in the output, by address. */
static struct entry *sorted_symbols(struct linker *linker, size_t *count)
{
    struct entry *entries = arena_array(&linker->arena, linker->symbols.count + 1, sizeof *entries);

    *count = 0;
    for (size_t i = 0; i < linker->symbols.count; i++) {
        const struct symbol *symbol = linker->symbols.entries[i].value;
        bool gone = symbol->section && !(symbol->section->live && symbol->section->output);
        if (symbol->state != SYMBOL_UNDEFINED && !gone) {
            entries[*count] =
                (struct entry){symbol, symbol->section, symbol_address(symbol), *count};
            ++*count;
        }
    }
    qsort(entries, *count, sizeof *entries, compare_entries);
    return entries;
}

static void write_symbol(struct text *text, const struct entry *entry)
{
    text_pad(text, NAME_WIDTH);
    const struct symbol *symbol = entry->symbol;
    text_format(text, "0x%016llx                ", (number)entry->address);
    text_append_visible(text, symbol->name);
    if (symbol->state == SYMBOL_ASSIGNED)
        text_append(text, " = (linker)");
    else if (!entry->section && symbol->object) {
        text_append_char(text, ' ');
        text_append_visible(text, symbol->object->name);
    }
    text_append_char(text, '\n');
}

/* Prints the symbols of each member below it. Both the entries and the members are in order of
 * addresses. */
static void write_members(struct text *text, const struct output_section *output,
                          const struct entry *entries, size_t count)
{
    for (size_t i = 0; i < output->member_count; i++) {
        const struct section *section = output->members[i];
        uint64_t address = output->address + section->offset;
        write_head(text, " ", section->name, address, section_final_size(section));
        text_append_char(text, ' ');
        text_append_visible(text, section_object_name(section));
        text_append_char(text, '\n');
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (entries[middle].address < address)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < count && entries[low].address <= address + section_final_size(section); low++)
            if (entries[low].section == section)
                write_symbol(text, &entries[low]);
    }
}

/* Prints the symbols that do not belong to a section of an object. */
static void write_symbols(struct text *text, const char *heading, enum symbol_state state,
                          const struct entry *entries, size_t count)
{
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        if (entries[i].section || entries[i].symbol->state != state)
            continue;
        if (!any)
            text_format(text, "\n%s\n\n", heading);
        any = true;
        write_symbol(text, &entries[i]);
    }
}

void map_make(struct text *text, struct linker *linker)
{
    size_t count;
    const struct entry *entries = sorted_symbols(linker, &count);

    write_archives(text, linker);
    write_discarded(text, linker);
    write_memory(text, linker);
    text_append(text, "\nLinker script and memory map\n\n");
    for (size_t i = 0; i < linker->object_count; i++) {
        text_append(text, "LOAD ");
        text_append_visible(text, linker->objects[i]->name);
        text_append_char(text, '\n');
    }
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        text_append_char(text, '\n');
        write_head(text, "", output->name, output->address, output->size);
        text_append_char(text, '\n');
        write_members(text, output, entries, count);
    }
    write_symbols(text, "Absolute symbols", SYMBOL_DEFINED, entries, count);
    write_symbols(text, "Common symbols", SYMBOL_COMMON, entries, count);
    write_symbols(text, "Symbols defined by the linker", SYMBOL_ASSIGNED, entries, count);
    text_format(text, "\nOUTPUT(%s elf64-littleriscv)\n", linker->config.output);
}

/* ---- --cref ---- */

struct reference {
    const struct symbol *symbol;
    const struct object *object;
    size_t order;
};

static int compare_references(const void *a, const void *b)
{
    const struct reference *x = a, *y = b;
    int names = strcmp(x->symbol->name, y->symbol->name);
    bool x_defines = x->symbol->object == x->object, y_defines = y->symbol->object == y->object;

    if (names)
        return names;
    if (x_defines != y_defines)
        return x_defines ? -1 : 1;
    return x->order < y->order   ? 1
           : x->order > y->order ? -1
                                 : 0; /* the last one first, as in
                                         GNU ld */
}

void map_cross_reference(struct text *text, struct linker *linker)
{
    enum { FILE_COLUMN = 50 };
    size_t count = 0, capacity = 0;
    struct reference *all = NULL;
    const struct symbol *last = NULL;

    for (size_t i = 0; i < linker->object_count; i++)
        for (size_t j = 0; j < linker->objects[i]->global_count; j++) {
            all = arena_grow(&linker->arena, all, count, &capacity, sizeof *all);
            all[count] =
                (struct reference){linker->objects[i]->globals[j], linker->objects[i], count};
            count++;
        }
    if (count)
        qsort(all, count, sizeof *all, compare_references);
    text_append(text, "\nCross Reference Table\n\nSymbol");
    text_pad(text, FILE_COLUMN);
    text_append(text, "File\n");
    for (size_t i = 0; i < count; i++) {
        if (all[i].symbol != last)
            text_format(text, "%s ", all[i].symbol->name);
        last = all[i].symbol;
        text_pad(text, FILE_COLUMN);
        text_format(text, "%s\n", all[i].object->name);
    }
}

void map_print_memory_usage(const struct linker *linker)
{
    uint64_t main_memory = 0, scratchpad = 0, start = UINT64_MAX, end = 0;

    if (!linker->config.print_memory_usage)
        return;
    printf("Memory region         Used Size  Region Size  %%age Used\n");
    if (linker->script && linker->script->regions) {
        script_print_memory_usage(linker);
        return;
    }
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        if (!(output->flags & SHF_ALLOC) || !output->size)
            continue;
        if (output->region == REGION_SCRATCHPAD) {
            uint64_t used = output->address + output->size - SCRATCHPAD_START;
            scratchpad = used > scratchpad ? used : scratchpad;
            continue;
        }
        main_memory += output->size;
        start = output->address < start ? output->address : start;
        end = output->address + output->size > end ? output->address + output->size : end;
    }
    printf("%16s: %10llu B", "main", (number)main_memory);
    if (main_memory)
        printf("   (0x%llx to 0x%llx)", (number)start, (number)end);
    printf("\n%16s: %10llu B %9llu KB %9.2f%%\n", "scratchpad", (number)scratchpad,
           (number)(linker->config.scratchpad_size >> 10),
           100.0 * (double)scratchpad / (double)linker->config.scratchpad_size);
}
