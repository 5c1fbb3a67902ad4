/* The layout of the file: headers, the contents of the segments in the order of the segments, then
 * what is not loaded. Reports sections that overlap in memory or where they are loaded. */
#include "ld/segment.h"

#include "ld/object.h"
#include "ld/script/script.h"
#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE (UINT64_C(1) << 31)

static void check_overlaps(struct linker *linker)
{
    struct output_section **sections = segment_loaded_sections(linker);
    const struct output_section *a = sections[0]; /* the section that reaches furthest */

    for (size_t i = 1; a && sections[i]; i++) {
        const struct output_section *b = sections[i];
        bool overlays = a->overlay && a->overlay == b->overlay;
        if (b->address < a->address + a->size && !overlays)
            diag_error(&linker->diag, NULL,
                       "output sections overlap: '%s' is at 0x%llx to 0x%llx, '%s' at 0x%llx to "
                       "0x%llx; move one %s",
                       a->name, (unsigned long long)a->address,
                       (unsigned long long)(a->address + a->size - 1), b->name,
                       (unsigned long long)b->address,
                       (unsigned long long)(b->address + b->size - 1),
                       linker->script ? "in the script" : "with --section-start");
        if (b->address + b->size > a->address + a->size)
            a = b;
    }
}

static int compare_load_addresses(const void *a, const void *b)
{
    const struct output_section *x = *(struct output_section *const *)a,
                                *y = *(struct output_section *const *)b;

    return x->load_address < y->load_address ? -1 : x->load_address > y->load_address;
}

/* Only sections with contents take up room where they are loaded. */
static void check_load_overlaps(struct linker *linker)
{
    struct output_section **sections = segment_loaded_sections(linker);
    size_t count = 0;

    for (size_t i = 0; sections[i]; i++)
        if (segment_has_contents(sections[i]))
            sections[count++] = sections[i];
    qsort(sections, count, sizeof *sections, compare_load_addresses);
    for (size_t i = 1; i < count; i++) {
        const struct output_section *a = sections[i - 1], *b = sections[i];
        if (b->load_address - a->load_address < a->size)
            diag_error(&linker->diag, NULL,
                       "'%s' and '%s' are loaded at the same place: the first at 0x%llx and the "
                       "0x%llx bytes after it, the second at 0x%llx; change AT in the script",
                       a->name, b->name, (unsigned long long)a->load_address,
                       (unsigned long long)a->size, (unsigned long long)b->load_address);
    }
}

static void note_members(struct linker *linker, const struct output_section *output)
{
    enum { SHOWN = 10 };
    for (size_t i = 0; i < output->member_count && i < SHOWN; i++) {
        const struct section *section = output->members[i];
        struct position at = place_position(linker, section, 0);
        diag_note(&linker->diag, &at, "%llu bytes",
                  (unsigned long long)section_final_size(section));
    }
    if (output->member_count > SHOWN)
        diag_note(&linker->diag, NULL, "and %zu more sections in '%s'",
                  output->member_count - SHOWN, output->name);
}

/* Finds how far into the window the scratchpad sections reach. Returns false if one of them is
 * below it. */
static bool scratchpad_used(struct linker *linker, uint64_t *used)
{
    *used = 0;
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        if (output->region != REGION_SCRATCHPAD || !output->size)
            continue;
        if (output->address < SCRATCHPAD_START) {
            diag_error(&linker->diag, NULL,
                       "'%s' is at 0x%llx, outside the scratchpad, which begins at 0x%llx",
                       output->name, (unsigned long long)output->address,
                       (unsigned long long)SCRATCHPAD_START);
            return false;
        }
        uint64_t end = output->address + output->size - SCRATCHPAD_START;
        *used = end > *used ? end : *used;
    }
    return true;
}

static void check_scratchpad(struct linker *linker)
{
    uint64_t used;

    if (!scratchpad_used(linker, &used) || used <= linker->config.scratchpad_size)
        return;
    diag_error(&linker->diag, NULL,
               "the scratchpad overflows: the .spm sections end 0x%llx bytes after its start "
               "0x%llx, but it has 0x%llx; use less, or give the machine's size with --spm-size",
               (unsigned long long)used, (unsigned long long)SCRATCHPAD_START,
               (unsigned long long)linker->config.scratchpad_size);
    for (size_t i = 0; i < linker->output_count; i++)
        if (linker->outputs[i]->region == REGION_SCRATCHPAD)
            note_members(linker, linker->outputs[i]);
}

static int compare_in_file(const void *a, const void *b)
{
    const struct output_section *x = *(struct output_section *const *)a,
                                *y = *(struct output_section *const *)b;
    bool x_loaded = x->flags & SHF_ALLOC, y_loaded = y->flags & SHF_ALLOC;

    if (x_loaded != y_loaded)
        return x_loaded ? -1 : 1;
    if (x_loaded && x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index; /* in the order of the statements */
}

static void keep_output_of(const struct symbol *symbol)
{
    struct output_section *output = symbol->section ? symbol->section->output : NULL;

    if (output && symbol->type != STT_SECTION)
        output->has_symbols = true;
}

/* Returns the loaded section at or nearest below the address, or else the first one; NULL if there
 * is none. */
static struct output_section *nearest(const struct linker *linker, uint64_t address)
{
    struct output_section *below = NULL, *first = NULL;

    for (size_t i = 0; i < linker->output_count; i++) {
        struct output_section *output = linker->outputs[i];
        if (!(output->flags & SHF_ALLOC))
            continue;
        if (output->address <= address && (!below || output->address >= below->address))
            below = output;
        if (!first || output->address < first->address)
            first = output;
    }
    return below ? below : first;
}

/* Gives a symbol that is assigned in a section that is not written another section. */
static void move_symbol(struct linker *linker, struct symbol *symbol)
{
    const struct output_section *output = symbol_output(symbol);

    if (symbol->state != SYMBOL_ASSIGNED || !output || !output->is_dropped)
        return;
    uint64_t address = output->address + symbol->value;
    struct output_section *other = nearest(linker, address);
    symbol->assignment->output = other;
    symbol->value = address - (other ? other->address : 0);
}

static bool has_locals(const struct output_section *output)
{
    for (size_t i = 0; i < output->member_count; i++)
        if (output->members[i]->has_locals)
            return true;
    return false;
}

/* Empty sections that no object names anything in are not written, as in GNU ld, unless a script
 * moves the location counter in them. */
static void drop_empty_outputs(struct linker *linker)
{
    for (size_t i = 0; i < linker->symbols.count; i++)
        keep_output_of(linker->symbols.entries[i].value);
    size_t count = 0;
    for (size_t i = 0; i < linker->output_count; i++) {
        struct output_section *output = linker->outputs[i];
        output->is_dropped = !output->size && !output->has_symbols && !has_locals(output);
        if (!output->is_dropped)
            linker->outputs[count++] = output;
    }
    linker->output_count = count;
    for (size_t i = 0; i < linker->symbols.count; i++)
        move_symbol(linker, linker->symbols.entries[i].value);
}

static void sort_outputs(struct linker *linker)
{
    unsigned order = 0;

    for (size_t i = 0; i < linker->statement_count; i++)
        if (linker->statements[i].kind == STATEMENT_SECTION && linker->statements[i].output)
            linker->statements[i].output->index = order++;
    if (linker->output_count)
        qsort(linker->outputs, linker->output_count, sizeof *linker->outputs, compare_in_file);
    for (size_t i = 0; i < linker->output_count; i++)
        linker->outputs[i]->index = (unsigned)i + 1;
}

bool segments_find_headers(const struct linker *linker, uint64_t *address)
{
    uint64_t headers = sizeof(Elf64_Ehdr) + linker->segment_count * sizeof(Elf64_Phdr);
    const struct segment *first = linker->segments;
    const struct segment *end = linker->segments + linker->segment_count;

    while (first < end && first->type != PT_LOAD)
        first++;
    if (first == end || !first->first)
        return false;
    if (first->scripted) {
        *address = first->address - headers - ((first->address - headers) & (PAGE_SIZE - 1));
        return first->scripted->file_header && first->address >= headers;
    }
    *address = linker->script ? first->address & -PAGE_SIZE : linker->config.text_segment;
    return first->address >= *address + headers && first->address < *address + PAGE_SIZE;
}

/* The headers of the file are loaded with the first segment if the layout left room for them, so
 * that a program can find its program headers. */
static void load_headers(struct linker *linker, struct segment *segment, uint64_t headers)
{
    uint64_t start;

    if (!segments_find_headers(linker, &start))
        return;
    uint64_t before = segment->address - start;
    segment->address = start;
    segment->load_address -= before;
    segment->offset = 0;
    segment->memory_size += before;
    if (segment->file_size)
        segment->file_size += before;
    else
        segment->file_size = headers;
}

/* FILEHDR and PHDRS: the segment begins with the headers, as far before its first section as they
 * need. */
static void load_scripted_headers(struct linker *linker, struct segment *segment, uint64_t headers)
{
    const struct script_segment *asked = segment->scripted;
    uint64_t start = asked->file_header ? 0 : sizeof(Elf64_Ehdr);

    if (!asked->file_header && !asked->program_headers)
        return;
    if (headers != sizeof(Elf64_Ehdr) + linker->segment_count * sizeof(Elf64_Phdr)) {
        diag_error(&linker->diag, &asked->at,
                   "segment '%s' cannot have the file's headers, because another segment is before "
                   "it in the file; ask for them in the first PT_LOAD",
                   asked->name);
        return;
    }
    uint64_t room = segment->offset - start;
    if (segment->first && segment->address < room)
        diag_error(&linker->diag, &asked->at,
                   "no room for the file's headers in segment '%s': it begins at 0x%llx, and they "
                   "need 0x%llx bytes before it; let it begin later (SIZEOF_HEADERS)",
                   asked->name, (unsigned long long)segment->address, (unsigned long long)room);
    if (segment->first) {
        segment->address -= room;
        if (!asked->load_address_value)
            segment->load_address -= room;
    } else {
        room = headers - start;
    }
    segment->offset = start;
    segment->memory_size += room;
    segment->file_size += room;
}

static uint64_t place_load_segments(struct linker *linker, uint64_t offset)
{
    bool first = true;

    for (size_t i = 0; i < linker->segment_count; i++) {
        struct segment *segment = &linker->segments[i];
        if (segment->type != PT_LOAD)
            continue;
        uint64_t headers = offset;
        offset += (segment->address - offset) & (segment_page_size(linker) - 1);
        segment->offset = offset;
        if (segment->scripted)
            load_scripted_headers(linker, segment, headers);
        else if (first)
            load_headers(linker, segment, headers);
        first = false;
        if (segment->file_size > LARGEST_FILE)
            return UINT64_MAX;
        if (segment->file_size)
            offset = segment->offset + segment->file_size;
    }
    return offset;
}

/* Returns the file offset of a loaded address. Sections without a segment (empty ones) get the end
 * of the contents. */
static uint64_t offset_of_address(const struct linker *linker, uint64_t address, uint64_t otherwise)
{
    for (size_t i = 0; i < linker->segment_count; i++) {
        const struct segment *segment = &linker->segments[i];
        if (segment->type == PT_LOAD && address >= segment->address &&
            address - segment->address <= segment->file_size)
            return segment->offset + (address - segment->address);
    }
    return otherwise;
}

static uint64_t place_sections_in_file(struct linker *linker, uint64_t end)
{
    uint64_t offset = end;

    for (size_t i = 0; i < linker->output_count; i++) {
        struct output_section *output = linker->outputs[i];
        if (output->segment) {
            const struct segment *segment = &linker->segments[output->segment - 1];
            output->file_offset = segment->offset + (output->address - segment->address);
            continue;
        }
        if (output->flags & SHF_ALLOC && (!output->size || !segment_has_contents(output))) {
            output->file_offset = offset_of_address(linker, output->address, end);
            continue;
        }
        offset = align_up(offset, output->alignment < PAGE_SIZE ? output->alignment : PAGE_SIZE);
        output->file_offset = offset;
        if (output->type != SHT_NOBITS)
            offset += output->size;
        if (output->size > LARGEST_FILE || offset > LARGEST_FILE)
            return UINT64_MAX;
    }
    return offset;
}

/* PT_PHDR gives the address of the program headers in memory. */
static void place_program_headers(struct linker *linker, struct segment *segment)
{
    segment->offset = sizeof(Elf64_Ehdr);
    segment->file_size = segment->memory_size = linker->segment_count * sizeof(Elf64_Phdr);
    for (size_t i = 0; i < linker->segment_count; i++) {
        const struct segment *load = &linker->segments[i];
        if (load->type != PT_LOAD || load->offset > segment->offset ||
            load->offset + load->file_size < segment->offset + segment->file_size)
            continue;
        segment->address = load->address + (segment->offset - load->offset);
        segment->load_address = load->load_address + (segment->offset - load->offset);
        return;
    }
    diag_error(&linker->diag, &segment->scripted->at,
               "segment '%s' is the place of the program headers in memory, but no PT_LOAD "
               "contains them; say PHDRS in the first PT_LOAD",
               segment->scripted->name);
}

/* Sets the offsets of segments that lie inside of others: notes, the thread-local image,
 * attributes. */
static void place_inner_segments(struct linker *linker)
{
    for (size_t i = 0; i < linker->segment_count; i++) {
        struct segment *segment = &linker->segments[i];
        if (segment->type == PT_LOAD || segment->type == PT_GNU_STACK)
            continue;
        if (segment->scripted && segment->first && !segment->scripted->load_address_value)
            segment->load_address = segment->first->load_address; /* set with its PT_LOAD */
        if (segment->type == PT_PHDR)
            place_program_headers(linker, segment);
        else if (segment->first)
            segment->offset = segment->first->file_offset;
        else
            segment->offset = offset_of_address(linker, segment->address, 0);
    }
}

static void check_headers_symbol(struct linker *linker)
{
    uint64_t address;

    if (linker->script && linker->script->headers && linker->script->headers_required &&
        !segments_find_headers(linker, &address))
        diag_error(&linker->diag, NULL,
                   "the program uses '%s', but no segment contains the file's headers; leave room "
                   "for them before the first section with '. = ... + SIZEOF_HEADERS'",
                   linker->script->headers->name);
}

uint64_t segments_place_in_file(struct linker *linker)
{
    unsigned errors = linker->diag.errors;

    if (linker->script && linker->script->segments)
        segments_check_scripted(linker);
    check_overlaps(linker);
    if (linker->diag.errors == errors)
        check_load_overlaps(linker);
    check_scratchpad(linker);
    check_headers_symbol(linker);
    if (linker->diag.errors != errors)
        return 0;
    drop_empty_outputs(linker);
    sort_outputs(linker);
    uint64_t end = place_load_segments(linker, sizeof(Elf64_Ehdr) +
                                                   linker->segment_count * sizeof(Elf64_Phdr));
    if (end <= LARGEST_FILE)
        end = place_sections_in_file(linker, end);
    if (end > LARGEST_FILE) {
        diag_error(&linker->diag, NULL,
                   "the output would be larger than %llu bytes; look for a section with a huge "
                   "size or alignment",
                   (unsigned long long)LARGEST_FILE);
        return 0;
    }
    place_inner_segments(linker);
    return linker->diag.errors != errors ? 0 : end;
}
