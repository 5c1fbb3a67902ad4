/* Source lines of the traced program, from its DWARF (elfutils' libdw). A program without is no error: there are just no lines. */
#include "emu/tdiff.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <string.h>

struct tdiff_source {
    Elf *elf;
    Dwarf *dwarf;
};

struct tdiff_source *source_open(struct tdiff *tdiff)
{
    struct tdiff_source *source;
    Elf *elf;
    Dwarf *dwarf;

    elf_version(EV_CURRENT);
    elf = elf_memory((char *)(uintptr_t)tdiff->elf.bytes, tdiff->elf.length);
    dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    if (!dwarf) {
        elf_end(elf);
        return NULL;
    }
    source = arena_new(&tdiff->arena, struct tdiff_source);
    source->elf = elf;
    source->dwarf = dwarf;
    return source;
}

const char *source_line(struct tdiff_source *source, uint64_t pc, char *buffer, size_t size)
{
    Dwarf_Off offset = 0, next;
    size_t header_size;

    while (dwarf_nextcu(source->dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        Dwarf_Line *line = dwarf_offdie(source->dwarf, offset + header_size, &unit)
                               ? dwarf_getsrc_die(&unit, pc)
                               : NULL;
        const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
        int number;
        if (file && dwarf_lineno(line, &number) == 0) {
            const char *base = strrchr(file, '/');
            snprintf(buffer, size, "%s:%d", base ? base + 1 : file, number);
            return buffer;
        }
        offset = next;
    }
    return NULL;
}

void source_close(struct tdiff_source *source)
{
    if (!source)
        return;
    dwarf_end(source->dwarf);
    elf_end(source->elf);
}
