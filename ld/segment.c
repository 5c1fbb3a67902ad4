/* Segments are made of sections in the order of their addresses. A new segment begins where
 * permissions change, where memory is not contiguous, and where contents follow sections without
 * contents, provided that it can begin on a new page, since two mappings of one page would
 * overwrite each other. Where it cannot, the segment continues with the permissions of both, and
 * sections without contents become zeros in the file. */
#include "ld/segment.h"

#include <stdlib.h>
#include <string.h>

bool segment_holds(const struct output_section *output)
{
    bool tls_image = output->flags & SHF_TLS && output->type == SHT_NOBITS; /* takes no memory */

    return output->flags & SHF_ALLOC && output->size && !tls_image;
}

bool segment_has_contents(const struct output_section *output)
{
    return output->type != SHT_NOBITS || output->fills_file;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct output_section *x = *(struct output_section *const *)a,
                                *y = *(struct output_section *const *)b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->overlay && y->overlay && x->load_address != y->load_address)
        return x->load_address < y->load_address ? -1 : 1;
    if (x->size != y->size) /* empty sections first */
        return x->size < y->size ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Returns the loaded sections by address; NULL ends the list. */
struct output_section **segment_loaded_sections(struct linker *linker)
{
    struct output_section **sections =
        arena_array(&linker->arena, linker->output_count + 1, sizeof *sections);
    size_t count = 0;

    for (size_t i = 0; i < linker->output_count; i++)
        if (segment_holds(linker->outputs[i]))
            sections[count++] = linker->outputs[i];
    qsort(sections, count, sizeof *sections, compare_addresses);
    return sections;
}

uint64_t segment_page_size(const struct linker *linker)
{
    uint64_t largest = 1;

    if (!linker->config.no_pages)
        return PAGE_SIZE;
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        if (segment_holds(output) && output->alignment > largest)
            largest = output->alignment;
    }
    return largest;
}

struct segment *segment_add(struct linker *linker, uint32_t type, uint32_t flags)
{
    linker->segments = arena_grow(&linker->arena, linker->segments, linker->segment_count,
                                  &linker->segment_capacity, sizeof *linker->segments);
    struct segment *segment = &linker->segments[linker->segment_count++];
    *segment =
        (struct segment){.type = type, .flags = flags, .alignment = segment_page_size(linker)};
    return segment;
}

uint32_t segment_permissions(const struct output_section *output)
{
    return PF_R | (output->flags & SHF_WRITE ? PF_W : 0) |
           (output->flags & SHF_EXECINSTR ? PF_X : 0);
}

static bool begins_segment(const struct linker *linker, const struct segment *segment,
                           const struct output_section *previous,
                           const struct output_section *output)
{
    uint64_t end = segment->address + segment->memory_size;

    if (output->load_address - output->address != segment->load_address - segment->address)
        return true;
    if (linker->config.writable_code)
        return output->address - end >= PAGE_SIZE;
    if (output->address / PAGE_SIZE <= (end - 1) / PAGE_SIZE)
        return false;
    return segment_permissions(output) != segment->flags || output->address - end >= PAGE_SIZE ||
           (segment_has_contents(output) && !segment_has_contents(previous)) ||
           (output->region == REGION_SCRATCHPAD) != (previous->region == REGION_SCRATCHPAD);
}

/* Puts the sections of the segment from `first` on, where the last search ended, into the file,
 * because contents follow them. */
static void fill_file(struct output_section *const *first, struct output_section *const *end)
{
    for (; first < end; first++)
        if ((*first)->type == SHT_NOBITS)
            (*first)->fills_file = true;
}

static void add_load_segments(struct linker *linker)
{
    struct output_section **sections = segment_loaded_sections(linker), **first = sections;
    struct segment *segment = NULL;

    for (size_t i = 0; sections[i]; i++) {
        struct output_section *output = sections[i];
        if (!segment || begins_segment(linker, segment, sections[i - 1], output)) {
            segment = segment_add(linker, PT_LOAD, segment_permissions(output));
            segment->address = output->address;
            segment->load_address = output->load_address;
            segment->first = output;
            first = &sections[i];
        }
        output->segment = linker->segment_count;
        segment->flags |= segment_permissions(output);
        uint64_t end = output->address - segment->address + output->size;
        if (end > segment->memory_size)
            segment->memory_size = end;
        if (segment_has_contents(output)) {
            fill_file(first, &sections[i]);
            first = &sections[i];
            segment->file_size = end;
        }
    }
}

/* Adds a segment for each run of neighboring outputs for which `belongs` is true. */
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
            segment = segment_add(linker, type, type == PT_DYNAMIC ? PF_R | PF_W : PF_R);
            segment->first = output;
            segment->address = output->address;
            segment->load_address = output->load_address;
            alignment = 1;
        }
        if (output->alignment > alignment)
            alignment = output->alignment;
        segment->alignment = alignment;
        uint64_t end = output->address + output->size - segment->address;
        if (output->flags & SHF_ALLOC)
            segment->memory_size = end;
        if (output->type != SHT_NOBITS)
            segment->file_size = end;
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

static bool is_dynamic(const struct output_section *output)
{
    return output->type == SHT_DYNAMIC;
}

static bool is_attributes(const struct output_section *output)
{
    return output->type == SHT_RISCV_ATTRIBUTES;
}

static bool is_unwind_index(const struct output_section *output)
{
    return strcmp(output->name, ".eh_frame_hdr") == 0;
}

/* Adds the segment that the program may make read-only after its start: from the first protected
 * section to the end of the contents in the file; the padding up to the end of the page may have no
 * contents. */
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
        struct segment *relro = segment_add(linker, PT_GNU_RELRO, PF_R);
        relro->address = relro->load_address = start;
        relro->memory_size = end - start;
        relro->file_size = contents_end - start;
        relro->alignment = 1;
        return;
    }
}

void segments_clear(struct linker *linker)
{
    linker->segment_count = 0;
    for (size_t i = 0; i < linker->output_count; i++) {
        linker->outputs[i]->fills_file = false;
        linker->outputs[i]->segment = 0;
    }
}

void segments_build(struct linker *linker)
{
    segments_clear(linker);
    add_load_segments(linker);
    add_runs(linker, PT_DYNAMIC, is_dynamic);
    add_runs(linker, PT_NOTE, is_note);
    add_runs(linker, PT_TLS, is_thread_local);
    add_runs(linker, PT_RISCV_ATTRIBUTES, is_attributes);
    add_runs(linker, PT_GNU_EH_FRAME, is_unwind_index);
    add_relro(linker);
    bool executable = linker->config.executable_stack || linker->executable_stack;
    struct segment *stack =
        segment_add(linker, PT_GNU_STACK, PF_R | PF_W | (executable ? PF_X : 0));
    stack->alignment = 16;
}
