/* Segments are made of sections in the order of their addresses. A new one begins where the
 * permissions change, where memory is not contiguous, and where contents follow sections without
 * any, provided that it can begin on a page of its own: two mappings of one page would destroy each
 * other. Where it cannot, the segment goes on with the permissions of both, and sections without
 * contents become zeros in the file. */
#include "ld/segment.h"

#include "ld/address.h"
#include "ld/object.h"
#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE (UINT64_C(1) << 31)

static bool is_loaded(const struct output_section *output)
{
    bool tls_image = output->flags & SHF_TLS && output->type == SHT_NOBITS; /* takes no room */
    return output->flags & SHF_ALLOC && output->size && !tls_image;
}

static bool has_contents(const struct output_section *output)
{
    return output->type != SHT_NOBITS || output->fills_file;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct output_section *x = *(struct output_section *const *)a,
                                *y = *(struct output_section *const *)b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->size != y->size) /* empty ones first */
        return x->size < y->size ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The loaded sections by address; NULL ends the list. */
static struct output_section **loaded_sections(struct linker *linker)
{
    struct output_section **sections =
        arena_array(&linker->arena, linker->output_count + 1, sizeof *sections);
    size_t count = 0;
    for (size_t i = 0; i < linker->output_count; i++)
        if (is_loaded(linker->outputs[i]))
            sections[count++] = linker->outputs[i];
    qsort(sections, count, sizeof *sections, compare_addresses);
    return sections;
}

static struct segment *add_segment(struct linker *linker, uint32_t type, uint32_t flags)
{
    linker->segments = arena_grow(&linker->arena, linker->segments, linker->segment_count,
                                  &linker->segment_capacity, sizeof *linker->segments);
    struct segment *segment = &linker->segments[linker->segment_count++];
    *segment = (struct segment){.type = type, .flags = flags, .alignment = PAGE_SIZE};
    return segment;
}

static uint32_t permissions(const struct output_section *output)
{
    return PF_R | (output->flags & SHF_WRITE ? PF_W : 0) |
           (output->flags & SHF_EXECINSTR ? PF_X : 0);
}

static bool begins_segment(const struct segment *segment, const struct output_section *previous,
                           const struct output_section *output)
{
    uint64_t end = segment->address + segment->memory_size;
    if (output->load_address - output->address != segment->load_address - segment->address)
        return true;
    if (output->address / PAGE_SIZE <= (end - 1) / PAGE_SIZE)
        return false;
    return permissions(output) != segment->flags || output->address - end >= PAGE_SIZE ||
           (has_contents(output) && !has_contents(previous)) ||
           (output->region == REGION_SCRATCHPAD) != (previous->region == REGION_SCRATCHPAD);
}

/* Sections of the segment from `first` on, where the last search ended, must be in the file,
 * because contents follow. */
static void fill_file(struct output_section *const *first, struct output_section *const *end)
{
    for (; first < end; first++)
        if ((*first)->type == SHT_NOBITS)
            (*first)->fills_file = true;
}

static void add_load_segments(struct linker *linker)
{
    struct output_section **sections = loaded_sections(linker), **first = sections;
    struct segment *segment = NULL;
    for (size_t i = 0; sections[i]; i++) {
        struct output_section *output = sections[i];
        if (!segment || begins_segment(segment, sections[i - 1], output)) {
            segment = add_segment(linker, PT_LOAD, permissions(output));
            segment->address = output->address;
            segment->load_address = output->load_address;
            first = &sections[i];
        }
        segment->flags |= permissions(output);
        uint64_t end = output->address - segment->address + output->size;
        if (end > segment->memory_size)
            segment->memory_size = end;
        if (has_contents(output)) {
            fill_file(first, &sections[i]);
            first = &sections[i];
            segment->file_size = end;
        }
    }
}

/* A segment for each run of neighbouring outputs of which `belongs` is true. */
static void add_runs(struct linker *linker, uint32_t type,
                     bool (*belongs)(const struct output_section *output))
{
    struct segment *segment = NULL;
    uint64_t alignment = 1;
    for (size_t i = 0; i < linker->statement_count; i++) {
        const struct output_section *output = linker->statements[i].output;
        if (linker->statements[i].kind != STATEMENT_SECTION || !output || !output->size)
            continue;
        if (!belongs(output)) {
            segment = NULL;
            continue;
        }
        if (!segment || output->address < segment->address) {
            segment = add_segment(linker, type, PF_R);
            segment->address = output->address;
            segment->load_address = output->load_address;
            alignment = 1;
        }
        if (output->alignment > alignment)
            alignment = output->alignment;
        segment->alignment = alignment;
        segment->memory_size = output->address + output->size - segment->address;
        if (output->type != SHT_NOBITS)
            segment->file_size = segment->memory_size;
    }
}

static bool is_note(const struct output_section *output)
{
    return output->type == SHT_NOTE && output->flags & SHF_ALLOC;
}

static bool is_thread_local(const struct output_section *output)
{
    return output->flags & SHF_TLS;
}

static bool is_attributes(const struct output_section *output)
{
    return output->type == SHT_RISCV_ATTRIBUTES;
}

static bool is_unwind_index(const struct output_section *output)
{
    return strcmp(output->name, ".eh_frame_hdr") == 0;
}

/* What the program may make read-only after it has started: from the first section after the start,
 * as far as the file has it; padding up to the page's end may have no contents. */
static void add_relro(struct linker *linker)
{
    uint64_t start = linker->relro_start, end = linker->relro_end;
    if (start >= end)
        return;
    for (size_t i = 0; i < linker->segment_count; i++) {
        const struct segment *load = &linker->segments[i];
        if (load->type != PT_LOAD || load->address >= end ||
            load->address + load->memory_size <= start)
            continue;
        uint64_t contents_end = load->address + load->file_size;
        start = load->address > start ? load->address : start;
        contents_end = contents_end < start ? start : contents_end < end ? contents_end : end;
        struct segment *relro = add_segment(linker, PT_GNU_RELRO, PF_R);
        relro->address = relro->load_address = start;
        relro->memory_size = end - start;
        relro->file_size = contents_end - start;
        relro->alignment = 1;
        return;
    }
}

void segments_build(struct linker *linker)
{
    linker->segment_count = 0;
    for (size_t i = 0; i < linker->output_count; i++)
        linker->outputs[i]->fills_file = false;
    add_load_segments(linker);
    add_runs(linker, PT_NOTE, is_note);
    add_runs(linker, PT_TLS, is_thread_local);
    add_runs(linker, PT_RISCV_ATTRIBUTES, is_attributes);
    add_runs(linker, PT_GNU_EH_FRAME, is_unwind_index);
    add_relro(linker);
    bool executable = linker->config.executable_stack || linker->executable_stack;
    struct segment *stack =
        add_segment(linker, PT_GNU_STACK, PF_R | PF_W | (executable ? PF_X : 0));
    stack->alignment = 16;
}

/* ---- the file ---- */

static void check_overlaps(struct linker *linker)
{
    struct output_section **sections = loaded_sections(linker);
    const struct output_section *a = sections[0]; /* that reaches furthest */
    for (size_t i = 1; a && sections[i]; i++) {
        const struct output_section *b = sections[i];
        if (b->address < a->address + a->size)
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

/* Only what has contents takes room where it is loaded. */
static void check_load_overlaps(struct linker *linker)
{
    struct output_section **sections = loaded_sections(linker);
    size_t count = 0;
    for (size_t i = 0; sections[i]; i++)
        if (has_contents(sections[i]))
            sections[count++] = sections[i];
    qsort(sections, count, sizeof *sections, compare_load_addresses);
    for (size_t i = 1; i < count; i++) {
        const struct output_section *a = sections[i - 1], *b = sections[i];
        if (b->load_address - a->load_address < a->size)
            diag_error(&linker->diag, NULL,
                       "'%s' and '%s' are loaded to the same place: the first to 0x%llx and 0x%llx "
                       "bytes on, the second to 0x%llx; change AT in the script",
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

/* How far into the window the scratchpad sections reach; false when one is below it. */
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
               "0x%llx, it has 0x%llx; use less, or give the machine's size with --spm-size",
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
    return x->index < y->index ? -1 : x->index > y->index; /* as the statements have them */
}

static void keep_output_of(const struct symbol *symbol)
{
    struct output_section *output = symbol->section ? symbol->section->output : symbol->output;
    if (output && symbol->type != STT_SECTION)
        output->has_symbols = true;
}

/* Empty sections in which nothing is named are not written, as GNU ld does it. */
static void drop_empty_outputs(struct linker *linker)
{
    for (size_t i = 0; i < linker->object_count; i++)
        for (size_t j = 1; j < linker->objects[i]->elf.symbol_count; j++)
            keep_output_of(linker->objects[i]->symbols[j]);
    for (size_t i = 0; i < linker->symbols.count; i++)
        keep_output_of(linker->symbols.entries[i].value);
    size_t count = 0;
    for (size_t i = 0; i < linker->output_count; i++)
        if (linker->outputs[i]->size || linker->outputs[i]->has_symbols)
            linker->outputs[count++] = linker->outputs[i];
    linker->output_count = count;
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

/* The file's headers are loaded with the first segment when the layout left room for them, so that
 * a program can find its own program headers. */
static void load_headers(const struct linker *linker, struct segment *segment, uint64_t headers)
{
    uint64_t start = linker->script ? segment->address & -PAGE_SIZE : linker->config.text_segment;
    if (segment->address < start + headers || segment->address >= start + PAGE_SIZE)
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

static uint64_t place_load_segments(struct linker *linker, uint64_t offset)
{
    bool first = true;
    for (size_t i = 0; i < linker->segment_count; i++) {
        struct segment *segment = &linker->segments[i];
        if (segment->type != PT_LOAD)
            continue;
        uint64_t headers = offset;
        offset += (segment->address - offset) & (PAGE_SIZE - 1);
        segment->offset = offset;
        if (first)
            load_headers(linker, segment, headers);
        first = false;
        if (segment->file_size > LARGEST_FILE)
            return UINT64_MAX;
        if (segment->file_size)
            offset = segment->offset + segment->file_size;
    }
    return offset;
}

/* File offset of a loaded address; sections without a segment (empty ones) get the end of the
 * contents. */
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
        if (output->flags & SHF_ALLOC) {
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

/* Segments that lie in others: notes, the thread-local image, attributes. */
static void place_inner_segments(struct linker *linker)
{
    for (size_t i = 0; i < linker->segment_count; i++) {
        struct segment *segment = &linker->segments[i];
        if (segment->type == PT_LOAD || segment->type == PT_GNU_STACK)
            continue;
        segment->offset = offset_of_address(linker, segment->address, 0);
        for (size_t j = 0; j < linker->output_count; j++)
            if (segment->type == PT_RISCV_ATTRIBUTES && is_attributes(linker->outputs[j]))
                segment->offset = linker->outputs[j]->file_offset;
    }
}

uint64_t segments_place_in_file(struct linker *linker)
{
    unsigned errors = linker->diag.errors;
    check_overlaps(linker);
    if (linker->diag.errors == errors)
        check_load_overlaps(linker);
    check_scratchpad(linker);
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
    return end;
}
