/* Reading DWARF with libdw.
 *
 * In an object all sections start at 0, and its DWARF needs relocations. So each section gets a
 * different address here, and the relocations of sections that are not loaded are applied to their
 * contents in a copy of the file, as the ISA's tables describe them. The rows of all line tables
 * become one list of ranges; so do the functions, of which the innermost counts. */
#include "lib/debug_info.h"

#include "lib/isa.h"
#include "lib/map.h"
#include "lib/source.h"
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECTION_GAP = 4096,     /* between the addresses given to the sections of an object */
    SPARE_RANGES = 1 << 16, /* a range takes at least one byte of a file, unless it is compressed */
    DEEPEST_BLOCK = 100,    /* nesting of functions and blocks; deeper ones are ignored */
};

struct range {
    uint64_t start, end; /* end: first address after it */
    uint64_t reach;      /* largest end of this range and those before it */
    const char *name;    /* file or function */
    unsigned line, discriminator, order;
};

struct ranges {
    struct range *items; /* by start */
    size_t count, capacity;
};

struct debug_info {
    struct arena *arena;
    Elf *elf;
    Dwarf *dwarf;
    uint64_t *bases; /* by section: its address */
    struct ranges lines, functions;
    size_t most;       /* ranges of either kind; debug information that has more is damaged */
    struct map tables; /* offsets of the line tables that were read: units may share them */
};

/* ---- relocations of an object ---- */

static void place_sections(struct debug_info *debug, const struct elf_file *file)
{
    uint64_t next = SECTION_GAP;

    debug->bases = arena_array(debug->arena, file->section_count + 1, sizeof *debug->bases);
    for (size_t i = 1; i < file->section_count; i++) {
        const Elf64_Shdr *header = &file->sections[i].header;
        debug->bases[i] = header->sh_addr;
        if (file->header.e_type == ET_REL && header->sh_flags & SHF_ALLOC) {
            debug->bases[i] = next;
            next += (header->sh_size / SECTION_GAP + 2) * SECTION_GAP;
        }
    }
}

/* Returns the number of bytes of data that the relocation changes; 0 if it changes no data. */
static unsigned patched_bytes(const struct isa_relocation *type)
{
    return type && type->place == ISA_PLACE_DATA && type->data_bits % 8 == 0 ? type->data_bits / 8
                                                                             : 0;
}

static void apply(const struct debug_info *debug, const struct elf_file *file,
                  unsigned char *contents, uint64_t size, const struct elf_relocation *relocation)
{
    const struct isa_relocation *type = isa_relocation_by_number(relocation->type);
    const struct elf_symbol *symbol = &file->symbols[relocation->symbol];
    unsigned bytes = patched_bytes(type);
    uint64_t place = 0, value = (uint64_t)relocation->addend;

    if (bytes == 0 || bytes > size || relocation->offset > size - bytes)
        return;
    if (relocation->symbol) {
        value += symbol->raw.st_value;
        if (symbol->section < file->section_count)
            value += debug->bases[symbol->section];
    }
    memcpy(&place, contents + relocation->offset, bytes);
    if (type->value == ISA_VALUE_S_A)
        place = value;
    else if (type->value == ISA_VALUE_ADD)
        place += value;
    else if (type->value == ISA_VALUE_SUB)
        place -= value;
    memcpy(contents + relocation->offset, &place, bytes);
}

/* Returns the contents of a section as libdw will see them, decompressed; NULL if it has none. */
static Elf_Data *debug_contents(const struct debug_info *debug, const struct elf_section *section)
{
    Elf_Scn *contents = elf_getscn(debug->elf, section->index);

    if (contents && section->header.sh_flags & SHF_COMPRESSED)
        elf_compress(contents, 0, 0);
    else if (contents && strncmp(section->name, ".zdebug", 7) == 0)
        elf_compress_gnu(contents, 0, 0);
    return contents ? elf_getdata(contents, NULL) : NULL;
}

/* Applies the relocations of the debug sections of an object to the contents that libdw reads. */
static void relocate(const struct debug_info *debug, struct diag *diag, const struct elf_file *file)
{
    for (size_t i = 1; file->header.e_type == ET_REL && i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i], *target;
        struct elf_relocation *relocations;
        size_t count;
        if (section->header.sh_type != SHT_RELA || section->header.sh_info >= file->section_count)
            continue;
        target = &file->sections[section->header.sh_info];
        if (!target->bytes || target->header.sh_flags & SHF_ALLOC ||
            !elf_relocations(file, diag, section, &relocations, &count))
            continue;
        Elf_Data *data = debug_contents(debug, target);
        for (size_t j = 0; data && data->d_buf && j < count; j++)
            apply(debug, file, data->d_buf, data->d_size, &relocations[j]);
    }
}

/* ---- ranges ---- */

static void add_range(struct debug_info *debug, struct ranges *ranges, const struct range *range)
{
    if (range->start >= range->end || ranges->count == debug->most)
        return;
    ranges->items = arena_grow(debug->arena, ranges->items, ranges->count, &ranges->capacity,
                               sizeof *ranges->items);
    ranges->items[ranges->count] = *range;
    ranges->items[ranges->count].order = (unsigned)ranges->count;
    ranges->count++;
}

/* Compares ranges by their start; an inner range comes after those around it. */
static int by_start(const void *left, const void *right)
{
    const struct range *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void sort_ranges(struct ranges *ranges)
{
    uint64_t reach = 0;

    if (ranges->count > 0)
        qsort(ranges->items, ranges->count, sizeof *ranges->items, by_start);
    for (size_t i = 0; i < ranges->count; i++) {
        if (ranges->items[i].end > reach)
            reach = ranges->items[i].end;
        ranges->items[i].reach = reach;
    }
}

/* Returns the last range that starts at or below the address and contains it; NULL if there is
 * none. */
static const struct range *find_range(const struct ranges *ranges, uint64_t address)
{
    size_t low = 0, high = ranges->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low > 0 && ranges->items[low - 1].reach > address; low--)
        if (ranges->items[low - 1].end > address)
            return &ranges->items[low - 1];
    return NULL;
}

/* ---- line tables ---- */

/* Adds the range of a row, which ends at the next one. Of several rows at one address, the last
 * counts. */
static void add_row(struct debug_info *debug, Dwarf_Line *row, Dwarf_Line *next)
{
    struct range range = {.name = dwarf_linesrc(row, NULL, NULL)};

    Dwarf_Addr start, end;
    int line;
    bool ends;

    if (dwarf_lineaddr(row, &start) != 0 || dwarf_lineaddr(next, &end) != 0 ||
        dwarf_lineendsequence(row, &ends) != 0 || ends || dwarf_lineno(row, &line) != 0)
        return;
    range.start = start;
    range.end = end;
    range.line = line > 0 ? (unsigned)line : 0;
    if (dwarf_linediscriminator(row, &range.discriminator) != 0)
        range.discriminator = 0;
    add_range(debug, &debug->lines, &range);
}

static void add_lines(struct debug_info *debug, Dwarf_Die *unit)
{
    Dwarf_Lines *lines;
    Dwarf_Attribute attribute;
    Dwarf_Word offset;
    size_t count;

    if (dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &attribute), &offset) != 0)
        return;
    struct map_entry *table = map_entry(&debug->tables, (const char *)&offset, sizeof offset);
    if (table->value || dwarf_getsrclines(unit, &lines, &count) != 0)
        return;
    table->value = debug;
    for (size_t i = 0; i + 1 < count; i++) {
        Dwarf_Line *row = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
        if (row && next)
            add_row(debug, row, next);
    }
}

/* ---- functions ---- */

/* Returns the linkage name if there is one, else the name in the source. */
static const char *function_name(Dwarf_Die *die)
{
    static const unsigned names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};

    Dwarf_Attribute attribute;

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = dwarf_formstring(dwarf_attr_integrate(die, names[i], &attribute));
        if (name)
            return name;
    }
    return NULL;
}

static void add_function(struct debug_info *debug, Dwarf_Die *die)
{
    struct range range = {.name = function_name(die)};

    Dwarf_Addr base, start, end;
    ptrdiff_t offset = 0;

    while (range.name && (offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0) {
        range.start = start;
        range.end = end;
        add_range(debug, &debug->functions, &range);
    }
}

static void add_functions(struct debug_info *debug, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die die;

    if (depth > DEEPEST_BLOCK || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
            add_function(debug, &die);
        add_functions(debug, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* ---- reading, and looking up ---- */

static void read_units(struct debug_info *debug)
{
    Dwarf_Off offset = 0, next;
    size_t header;

    while (dwarf_nextcu(debug->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 &&
           next > offset) {
        Dwarf_Die unit;
        if (dwarf_offdie(debug->dwarf, offset + header, &unit)) {
            add_lines(debug, &unit);
            add_functions(debug, &unit, 0);
        }
        offset = next;
    }
    sort_ranges(&debug->lines);
    sort_ranges(&debug->functions);
}

struct debug_info *debug_open(struct arena *arena, struct diag *diag, const struct elf_file *file)
{
    struct debug_info *debug = arena_new(arena, struct debug_info);

    debug->arena = arena;
    debug->most = file->length + SPARE_RANGES;
    map_init(&debug->tables, arena);
    elf_version(EV_CURRENT);
    place_sections(debug, file);
    char *image = arena_alloc(arena, file->length);
    memcpy(image, file->bytes, file->length);
    debug->elf = elf_memory(image, file->length);
    if (debug->elf && !source_debug_fits(debug->elf)) {
        diag_error(diag, &(struct position){.name = file->name},
                   "its compressed debug sections expand to more than %d times its size; no source "
                   "lines are shown: decompress the sections first (objcopy "
                   "--decompress-debug-sections)",
                   SOURCE_EXPANSION);
    } else if (debug->elf) {
        relocate(debug, diag, file);
        debug->dwarf = dwarf_begin_elf(debug->elf, DWARF_C_READ, NULL);
    }
    if (!debug->dwarf) {
        debug_close(debug);
        return NULL;
    }
    read_units(debug);
    return debug;
}

void debug_close(struct debug_info *debug)
{
    if (!debug)
        return;
    if (debug->dwarf)
        dwarf_end(debug->dwarf);
    if (debug->elf)
        elf_end(debug->elf);
}

struct debug_place debug_find(const struct debug_info *debug, const struct elf_section *section,
                              uint64_t offset)
{
    const struct range *line, *function;
    struct debug_place place = {0};

    if (!debug)
        return place;
    line = find_range(&debug->lines, debug->bases[section->index] + offset);
    function = find_range(&debug->functions, debug->bases[section->index] + offset);
    if (line) {
        place.file = line->name;
        place.line = line->line;
        place.discriminator = line->discriminator;
    }
    if (function)
        place.function = function->name;
    return place;
}
