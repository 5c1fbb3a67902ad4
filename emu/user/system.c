/* Files in which Linux tells a program about the system and about itself. The runtimes of Java,
 * Common Lisp and others do not start without some of them, and the garbage collectors of others
 * find the stack by the list of mappings. Their contents are made when they are opened. Like the
 * devices (open.c) they have exactly these names, and hide files of the same name in the root. */
#include "emu/user/calls.h"
#include "lib/architecture.h"
#include "lib/text.h"
#include <inttypes.h>
#include <string.h>

enum { HUNDREDTH = 10000000 /* nanoseconds of a tick of /proc/stat */, NAME_COLUMN = 73 };

/* ---- the processor ---- */

static void list_processors(const struct machine *machine, struct text *text)
{
    (void)machine;
    text_append(text, "0\n");
}

static void describe_processor(const struct machine *machine, struct text *text)
{
    static const char *const letters[] = {"i", "m", "a", "f", "d", "c"};

    text_append(text, "processor\t: 0\nhart\t\t: 0\nisa\t\t: rv64");
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        isa_set set = architecture_set(letters[i]);
        if ((machine->config.extensions & set) == set)
            text_append(text, letters[i]);
    }
    text_append(text, "\nmmu\t\t: sv39\n\n");
}

static void count_ticks(const struct machine *machine, struct text *text)
{
    uint64_t all = user_time(machine) / HUNDREDTH, idle = machine->user.slept / HUNDREDTH;

    for (unsigned line = 0; line < 2; line++)
        text_format(text, "cpu%s %" PRIu64 " 0 0 %" PRIu64 " 0 0 0 0 0 0\n", line ? "0" : " ",
                    all - idle, idle);
}

/* ---- memory ---- */

static void describe_memory(const struct machine *machine, struct text *text)
{
    const struct memory *memory = &machine->memory;
    uint64_t left = memory->limit - memory->mapped;

    text_format(text,
                "MemTotal:       %8" PRIu64 " kB\nMemFree:        %8" PRIu64
                " kB\nMemAvailable:   %8" PRIu64 " kB\nSwapTotal:             0 kB\n"
                "SwapFree:              0 kB\n",
                memory->limit >> 10, left >> 10, left >> 10);
}

/* Returns the end of the pages from `first` on that have the same permissions, or will have them.
 * One that is mapped begins another mapping at the heap, and ends there. */
static uint64_t find_mapping_end(const struct machine *machine, uint64_t first)
{
    const struct memory *memory = &machine->memory;
    const struct user *user = &machine->user;
    unsigned permissions = memory_permissions(memory->pages[first]);
    uint64_t heap = user->break_start >> MEMORY_PAGE_BITS,
             heap_end = (user->break_now + MEMORY_PAGE - 1) >> MEMORY_PAGE_BITS,
             end = first < heap       ? heap
                   : first < heap_end ? heap_end
                                      : memory->end >> MEMORY_PAGE_BITS,
             page = first;

    end = memory_common_end(memory, first << MEMORY_PAGE_BITS, end << MEMORY_PAGE_BITS) >>
          MEMORY_PAGE_BITS;
    do
        page = memory_find_alike(memory, page, end, PAGE_MAPPED | PAGE_ACCESS | PAGE_LATER);
    while (page < end && memory->pages[page] & PAGE_MAPPED &&
           memory_permissions(memory->pages[page]) == permissions);
    return page;
}

static void list_mappings(const struct machine *machine, struct text *text)
{
    const struct memory *memory = &machine->memory;
    const struct user *user = &machine->user;
    uint64_t end;

    for (uint64_t page = memory_next_mapped(memory, 0, MEMORY_PAGES); page < MEMORY_PAGES;
         page = memory_next_mapped(memory, end, MEMORY_PAGES)) {
        unsigned permissions = memory_permissions(memory->pages[page]);
        uint64_t start = page << MEMORY_PAGE_BITS;
        const char *name = start == user->stack_start ? "[stack]"
                           : start == user->break_start && user->break_now > user->break_start
                               ? "[heap]"
                               : NULL;
        size_t line = text->length;
        end = find_mapping_end(machine, page);
        text_format(text, "%08" PRIx64 "-%08" PRIx64 " %c%c%c%c 00000000 00:00 0", start,
                    end << MEMORY_PAGE_BITS, permissions & PAGE_READ ? 'r' : '-',
                    permissions & PAGE_WRITE ? 'w' : '-', permissions & PAGE_EXECUTE ? 'x' : '-',
                    memory_find_common(memory, start) ? 's' : 'p');
        if (name) {
            text_append_blanks(text, NAME_COLUMN - (text->length - line));
            text_append(text, name);
        }
        text_append_char(text, '\n');
    }
}

/* ---- names ---- */

static const struct {
    const char *path;
    void (*tell)(const struct machine *machine, struct text *text);
} files[] = {
    {"/proc/cpuinfo", describe_processor},
    {"/proc/meminfo", describe_memory},
    {"/proc/self/maps", list_mappings},
    {"/proc/stat", count_ticks},
    {"/sys/devices/system/cpu/online", list_processors},
    {"/sys/devices/system/cpu/possible", list_processors},
};

bool user_system_file(const struct machine *machine, const char *path, struct text *text)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].path, path) == 0) {
            if (text)
                files[i].tell(machine, text);
            return true;
        }
    return false;
}
