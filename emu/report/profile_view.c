/* See profile_view.h. */
#include "emu/report/profile_view.h"
#include "lib/disasm.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t profile_view_weight(const struct profile_view *view, const struct profile_cost *cost)
{
    return view->is_timed ? cost->cycles : cost->instructions;
}

/* Returns the section of code that has the address, or NULL. */
static const struct elf_section *find_section(const struct profile_view *view, uint64_t address)
{
    const struct elf_file *file = &view->program->file;

    for (size_t i = 1; i < file->section_count; i++) {
        const Elf64_Shdr *header = &file->sections[i].header;
        if (header->sh_flags & SHF_EXECINSTR && address - header->sh_addr < header->sh_size)
            return &file->sections[i];
    }
    return NULL;
}

struct debug_place profile_view_line(const struct profile_view *view, uint64_t address)
{
    const struct elf_section *section = view->debug ? find_section(view, address) : NULL;

    if (!section)
        return (struct debug_place){0};
    return debug_find(view->debug, section, address - section->header.sh_addr);
}

/* ---- places and functions ---- */

const char *profile_view_name(const struct profile_view *view, uint64_t address)
{
    const struct elf_symbol *symbol = symbolizer_find(&view->program->symbols, address);
    struct arena *arena = view->profile->arena;
    struct text text = TEXT_INIT;

    if (view->program->file.section_count > 1 && !find_section(view, address))
        return "[outside the program]"; /* libraries, code that is made at run time */
    if (!symbol || symbol->raw.st_value != address)
        return arena_format(arena, "0x%" PRIx64, address);
    disasm_name(&text, symbol->name);
    const char *name = arena_string(arena, text.bytes ? text.bytes : "");
    text_free(&text);
    return name;
}

static size_t add_function(struct profile_view *view, size_t *capacity, uint64_t address,
                           const struct debug_place *line)
{
    struct arena *arena = view->profile->arena;

    view->functions =
        arena_grow(arena, view->functions, view->function_count, capacity, sizeof *view->functions);
    view->functions[view->function_count] =
        (struct view_function){.address = address,
                               .name = profile_view_name(view, address),
                               .file = line->file,
                               .line = line->line,
                               .places = view->place_count};
    return view->function_count++;
}

static void list_places(struct profile_view *view)
{
    const struct profile_place *place;
    size_t places = 0, functions = 0;
    struct arena *arena = view->profile->arena;

    for (uint64_t at = 0; (place = profile_next(view->profile, &at)); at += 2) {
        struct debug_place line = profile_view_line(view, at);
        if (view->function_count == 0 ||
            view->functions[view->function_count - 1].address != place->function)
            add_function(view, &functions, place->function, &line);
        struct view_function *function = &view->functions[view->function_count - 1];
        view->places =
            arena_grow(arena, view->places, view->place_count, &places, sizeof *view->places);
        view->places[view->place_count++] = (struct view_place){
            at, place, view->function_count - 1, line.line ? line.file : NULL, line.line};
        profile_add(&function->self, &place->cost);
        profile_add(&view->all, &place->cost);
        function->places_in++;
        if (line.file && function->file && strcmp(line.file, function->file) == 0 && line.line &&
            line.line < function->line)
            function->line = line.line;
    }
}

/* Returns the index of the function that the address belongs to. */
static size_t find_function(const struct profile_view *view, uint64_t address)
{
    size_t low = 0, high = view->function_count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(view->functions[middle].address <= address ? &low : &high) = middle;
    }
    return low;
}

/* ---- lines ---- */

static int compare_places(const void *a, const void *b)
{
    const struct view_line *left = a, *right = b;

    if (left->function != right->function)
        return left->function > right->function ? 1 : -1;
    int files = strcmp(left->file ? left->file : "", right->file ? right->file : "");
    return files ? files : (left->line > right->line) - (left->line < right->line);
}

static int compare_lines(const void *a, const void *b, void *context)
{
    const struct view_line *left = a, *right = b;
    uint64_t x = profile_view_weight(context, &left->cost);
    uint64_t y = profile_view_weight(context, &right->cost);

    return x != y ? (x < y ? 1 : -1) : compare_places(a, b);
}

static void list_lines(struct profile_view *view)
{
    view->lines = arena_array(view->profile->arena, view->place_count + 1, sizeof *view->lines);
    size_t count = 0;

    for (size_t i = 0; i < view->place_count; i++) {
        const struct view_place *at = &view->places[i];
        view->lines[i] = (struct view_line){at->function, at->file, at->line, at->place->cost};
    }
    qsort(view->lines, view->place_count, sizeof *view->lines, compare_places);
    for (size_t i = 0; i < view->place_count; i++)
        if (count && compare_places(&view->lines[count - 1], &view->lines[i]) == 0)
            profile_add(&view->lines[count - 1].cost, &view->lines[i].cost);
        else
            view->lines[count++] = view->lines[i];
    view->line_count = count;
    qsort_r(view->lines, count, sizeof *view->lines, compare_lines, view);
}

/* ---- the tree ---- */

static uint32_t find_child(struct profile_view *view, uint32_t parent, size_t function)
{
    struct view_node *nodes = view->nodes;
    uint32_t *last = &nodes[parent].child;

    for (; *last; last = &nodes[*last].sibling)
        if (nodes[*last].function == function)
            return *last;
    uint32_t node = *last = (uint32_t)view->node_count++;
    nodes[node] = (struct view_node){
        .function = function, .parent = parent, .depth = nodes[parent].depth + 1};
    return node;
}

/* Merges the contexts that differ only in the places of calls. */
static uint32_t *merge_nodes(struct profile_view *view)
{
    const struct profile *profile = view->profile;
    uint32_t *merged = arena_array(profile->arena, profile->node_count, sizeof *merged);

    view->nodes = arena_array(profile->arena, profile->node_count, sizeof *view->nodes);
    view->node_count = 1;
    for (size_t i = 1; i < profile->node_count; i++) {
        const struct profile_node *node = &profile->nodes[i];
        if (node->parent == PROFILE_ARC)
            continue;
        merged[i] = find_child(view, merged[node->parent], find_function(view, node->function));
        profile_add(&view->nodes[merged[i]].self, &node->cost);
        view->functions[view->nodes[merged[i]].function].calls += node->calls;
    }
    for (size_t i = view->node_count; i-- > 0;) {
        struct view_node *node = &view->nodes[i];
        profile_add(&node->total, &node->self);
        if (i)
            profile_add(&view->nodes[node->parent].total, &node->total);
    }
    return merged;
}

/* Finds the nodes whose function is not in the chain already, and adds up their costs. */
static void find_outermost(struct profile_view *view)
{
    unsigned *active = arena_array(view->profile->arena, view->function_count, sizeof *active);
    uint32_t at = 0;

    for (;;) {
        struct view_node *node = &view->nodes[at];
        if (node->child) {
            at = node->child;
        } else {
            while (at && !view->nodes[at].sibling) {
                active[view->nodes[at].function]--;
                at = view->nodes[at].parent;
            }
            if (!at)
                return;
            active[view->nodes[at].function]--;
            at = view->nodes[at].sibling;
        }
        node = &view->nodes[at];
        node->is_outermost = active[node->function]++ == 0;
        if (node->is_outermost)
            profile_add(&view->functions[node->function].total, &node->total);
    }
}

/* ---- calls ---- */

static int compare_calls(const void *a, const void *b)
{
    const struct view_call *left = a, *right = b;

    if (left->caller != right->caller)
        return left->caller > right->caller ? 1 : -1;
    if (left->site != right->site)
        return left->site > right->site ? 1 : -1;
    return (left->callee > right->callee) - (left->callee < right->callee);
}

static void list_calls(struct profile_view *view, const uint32_t *merged)
{
    const struct profile *profile = view->profile;
    struct profile_cost *totals = arena_array(profile->arena, profile->node_count, sizeof *totals);
    size_t count = 0;

    view->calls = arena_array(profile->arena, profile->node_count, sizeof *view->calls);
    for (size_t i = profile->node_count; i-- > 1;) {
        const struct profile_node *node = &profile->nodes[i];
        profile_add(&totals[i], &node->cost);
        if (node->parent != PROFILE_ARC)
            profile_add(&totals[node->parent], &totals[i]);
        if (node->parent == 0 || node->site == 0)
            continue;
        struct view_call *call = &view->calls[count++];
        *call = (struct view_call){.site = node->site,
                                   .caller = find_function(view, node->site),
                                   .callee = find_function(view, node->function),
                                   .calls = node->calls};
        if (node->parent != PROFILE_ARC && view->nodes[merged[i]].is_outermost)
            call->total = totals[i];
    }
    qsort(view->calls, count, sizeof *view->calls, compare_calls);
    for (size_t i = 0; i < count; i++) {
        struct view_call *last = &view->calls[view->call_count - 1];
        if (view->call_count == 0 || compare_calls(last, &view->calls[i]) != 0) {
            view->calls[view->call_count++] = view->calls[i];
            continue;
        }
        last->calls += view->calls[i].calls;
        profile_add(&last->total, &view->calls[i].total);
    }
}

void profile_view_open(struct profile_view *view, const struct profile *profile, struct diag *diag)
{
    *view =
        (struct profile_view){.profile = profile,
                              .program = profile->program,
                              .is_timed = profile->is_timed,
                              .debug = debug_open(profile->arena, diag, &profile->program->file)};
    list_places(view);
    list_lines(view);
    if (view->function_count == 0) {
        view->nodes = arena_array(profile->arena, 1, sizeof *view->nodes);
        view->node_count = 1;
        return;
    }
    uint32_t *merged = merge_nodes(view);
    find_outermost(view);
    list_calls(view, merged);
}

void profile_view_close(struct profile_view *view)
{
    if (view->debug)
        debug_close(view->debug);
}
