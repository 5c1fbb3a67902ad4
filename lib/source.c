/* See source.h. libdw does the work. A unit is found by its address ranges. Where the assembler has
 * not written these, the line tables of all units are searched. */
#include "lib/source.h"
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

struct source {
    struct source_image image;
    uint64_t moved;
};

/* Returns the size of a section after decompression; 0 if it is not compressed. */
static uint64_t expanded_size(Elf_Scn *section, const char *name)
{
    static const char magic[] = "ZLIB"; /* of .zdebug sections; the size follows, big-endian */
    size_t header = sizeof magic - 1;

    GElf_Chdr compression;
    if (gelf_getchdr(section, &compression))
        return compression.ch_size;
    const Elf_Data *data =
        name && strncmp(name, ".zdebug", 7) == 0 ? elf_rawdata(section, NULL) : NULL;
    if (!data || data->d_size < header + 8 || memcmp(data->d_buf, magic, header) != 0)
        return 0;
    uint64_t size = 0;
    for (unsigned i = 0; i < 8; i++)
        size = size << 8 | ((const unsigned char *)data->d_buf)[header + i];
    return size;
}

/* Returns the sum of the sizes of all compressed sections after decompression. */
static uint64_t expanded_total(Elf *elf)
{
    uint64_t total = 0;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return 0;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        uint64_t size = expanded_size(section, elf_strptr(elf, names, header.sh_name));
        total = size > UINT64_MAX - total ? UINT64_MAX : total + size;
    }
    return total;
}

bool source_debug_fits(Elf *elf)
{
    size_t length;

    return !elf_rawfile(elf, &length) ||
           expanded_total(elf) <= (UINT64_C(1) << 20) + (uint64_t)length * SOURCE_EXPANSION;
}

void source_image_open(struct source_image *opened, const struct diag_file *image)
{
    elf_version(EV_CURRENT);
    *opened = (struct source_image){.elf = elf_memory((char *)image->bytes, image->length)};
    if (!opened->elf || !source_debug_fits(opened->elf))
        return;
    if (expanded_total(opened->elf)) {
        opened->copy = malloc(image->length);
        if (!opened->copy)
            return;
        elf_end(opened->elf);
        memcpy(opened->copy, image->bytes, image->length);
        opened->elf = elf_memory(opened->copy, image->length);
    }
    if (opened->elf)
        opened->dwarf = dwarf_begin_elf(opened->elf, DWARF_C_READ, NULL);
}

void source_image_close(const struct source_image *opened)
{
    if (opened->dwarf)
        dwarf_end(opened->dwarf);
    if (opened->elf)
        elf_end(opened->elf);
    free(opened->copy);
}

struct source *source_open(const struct diag_file *image, uint64_t moved)
{
    struct source *source = calloc(1, sizeof *source);

    if (!source)
        return NULL;
    source->moved = moved;
    source_image_open(&source->image, image);
    if (source->image.dwarf)
        return source;
    source_close(source);
    return NULL;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    source_image_close(&source->image);
    free(source);
}

static uint64_t line_address(Dwarf_Lines *lines, size_t number)
{
    Dwarf_Addr address = 0;

    dwarf_lineaddr(dwarf_onesrcline(lines, number), &address);
    return address;
}

/* Returns the row of the unit's line table that covers the address. libdw sorts the rows by their
 * addresses, so it is the last one that begins there or before. */
static Dwarf_Line *find_line(Dwarf_Die *unit, uint64_t address)
{
    Dwarf_Lines *lines;
    size_t low = 0, high;
    bool ends;

    if (dwarf_getsrclines(unit, &lines, &high) != 0 || high == 0 ||
        line_address(lines, high - 1) <= address)
        return NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (line_address(lines, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    Dwarf_Line *line = low > 0 ? dwarf_onesrcline(lines, low - 1) : NULL;
    return line && dwarf_lineendsequence(line, &ends) == 0 && !ends ? line : NULL;
}

static Dwarf_Line *find_anywhere(Dwarf *dwarf, uint64_t address)
{
    Dwarf_Off offset = 0, next;
    size_t header;

    while (dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset) {
        Dwarf_Die unit;
        Dwarf_Line *line =
            dwarf_offdie(dwarf, offset + header, &unit) ? find_line(&unit, address) : NULL;
        if (line)
            return line;
        offset = next;
    }
    return NULL;
}

bool source_append(struct source *source, struct text *text, uint64_t address)
{
    Dwarf_Die unit;
    Dwarf_Line *line = NULL;
    int number;

    if (!source)
        return false;
    address -= source->moved;
    if (dwarf_addrdie(source->image.dwarf, address, &unit))
        line = find_line(&unit, address);
    if (!line)
        line = find_anywhere(source->image.dwarf, address);
    const char *name = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (!name || dwarf_lineno(line, &number) != 0 || number == 0)
        return false;
    text_format(text, "%s:%d", name, number);
    return true;
}

/* Reports the files of a unit. The first one is the unit itself, or unknown. */
static void each_file(Dwarf_Die *unit, void (*each)(void *context, const char *name), void *context)
{
    Dwarf_Files *files;
    size_t count;

    if (dwarf_getsrcfiles(unit, &files, &count) != 0)
        return;
    for (size_t i = 1; i < count; i++) {
        const char *name = dwarf_filesrc(files, i, NULL, NULL);
        if (name)
            each(context, name);
    }
}

void source_each_file(struct source *source, void (*each)(void *context, const char *name),
                      void *context)
{
    Dwarf_Off offset = 0, next;
    size_t header;

    while (source &&
           dwarf_nextcu(source->image.dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 &&
           next > offset) {
        Dwarf_Die unit;
        if (dwarf_offdie(source->image.dwarf, offset + header, &unit))
            each_file(&unit, each, context);
        offset = next;
    }
}
