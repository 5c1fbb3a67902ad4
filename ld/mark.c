/* Garbage collection marks sections from the roots along relocations. Sections that are not loaded
 * (debug information) mark nothing, and are kept if some loaded section of their object is. Unwind
 * tables (.eh_frame) are kept, but do not keep the functions that they describe. What a function's
 * record names besides, its table of exceptions, is only kept if the function is. A section that
 * follows the order of another one (SHF_LINK_ORDER) is kept if that one is. As with lld, that also
 * holds where __start_NAME is used, which keeps all functions of the list with GNU ld. */
#include "ld/mark.h"

#include "ld/eh_frame.h"
#include "ld/layout.h"
#include "ld/link_order.h"
#include "ld/output_section.h"
#include "ld/script/expression.h"
#include "ld/script/script.h"
#include "ld/source_line.h"
#include "ld/symbol.h"
#include "lib/text.h"
#include <string.h>

/* The record of a function in an unwind table, and its relocations [first, end). */
struct unwinding {
    const struct section *section;
    struct eh_record record;
    size_t first, end;
};

struct marker {
    struct linker *linker;
    struct section **pending; /* live sections whose relocations have not been followed yet */
    size_t count, capacity;
    struct unwinding *unwindings; /* of functions that were not live yet */
    size_t unwinding_count, unwinding_capacity;
    struct section **followers; /* sections that follow others which were not live yet */
    size_t follower_count, follower_capacity;
    struct map by_name; /* name → struct named, for __start_NAME */
};

struct named {
    struct section **sections;
    size_t count, capacity;
};

static void mark_section(struct marker *marker, struct section *section)
{
    for (; section && !section->live && !section->discarded; section = section->next_in_group) {
        section->live = true;
        marker->pending = arena_grow(&marker->linker->arena, marker->pending, marker->count,
                                     &marker->capacity, sizeof(struct section *));
        marker->pending[marker->count++] = section;
    }
}

static void mark_symbol(void *context, struct symbol *symbol)
{
    struct marker *marker = context;

    if (symbol->state == SYMBOL_DEFINED) {
        mark_section(marker, symbol->section);
        return;
    }
    const char *name = section_bounded_by(symbol->name);
    const struct named *named = name ? map_get(&marker->by_name, name) : NULL;
    for (size_t i = 0; named && i < named->count; i++)
        mark_section(marker, named->sections[i]);
}

/* Lists the sections that follow others, and all others by name. */
static void index_sections(struct marker *marker)
{
    struct linker *linker = marker->linker;

    map_init(&marker->by_name, &linker->arena);
    struct section_walk walk = {0};
    for (struct section *section; (section = section_next(linker, &walk));) {
        if (section->discarded || !(section->flags & SHF_ALLOC))
            continue;
        if (link_order_of(section)) {
            marker->followers =
                arena_grow(&linker->arena, marker->followers, marker->follower_count,
                           &marker->follower_capacity, sizeof(struct section *));
            marker->followers[marker->follower_count++] = section;
            continue;
        }
        struct map_entry *entry = map_entry(&marker->by_name, section->name, strlen(section->name));
        if (!entry->value)
            entry->value = arena_new(&linker->arena, struct named);
        struct named *named = entry->value;
        named->sections = arena_grow(&linker->arena, named->sections, named->count,
                                     &named->capacity, sizeof(struct section *));
        named->sections[named->count++] = section;
    }
}

static void mark_roots(struct marker *marker)
{
    struct linker *linker = marker->linker;

    if (linker->entry)
        mark_symbol(marker, linker->entry);
    for (size_t i = 0; i < linker->config.undefined.count; i++)
        mark_symbol(marker, symbol_find(linker, linker->config.undefined.items[i]));
    for (size_t i = 0; i < linker->symbols.count; i++)
        expression_symbols(symbol_expression(linker->symbols.entries[i].value), mark_symbol,
                           marker);
    if (linker->script)
        script_symbols(linker->script, mark_symbol, marker);
    struct section_walk walk = {0};
    for (struct section *section; (section = section_next(linker, &walk));)
        if (section->flags & SHF_ALLOC && !section->discarded &&
            (section->keep || layout_keeps(linker, section)))
            mark_section(marker, section);
}

static void mark_relocations(struct marker *marker, const struct section *section, size_t first,
                             size_t end)
{
    for (size_t i = first; i < end; i++)
        mark_symbol(marker, section->relocations[i].symbol);
}

static bool is_local_code(const struct symbol *symbol)
{
    const struct section *section = symbol->state == SYMBOL_DEFINED ? symbol->section : NULL;

    return section && section->flags & SHF_EXECINSTR && symbol->local;
}

/* Marks what an unwind table names besides the functions, whose records are looked at later. */
static void follow_unwind_table(struct marker *marker, const struct section *section)
{
    struct eh_record record;
    size_t end = 0;

    for (uint64_t offset = 0; eh_frame_record(section->bytes, section->size, offset, &record);
         offset += record.size) {
        size_t first = end;
        while (end < section->relocation_count &&
               section->relocations[end].offset < offset + record.size)
            end++;
        if (!eh_frame_is_function(&record)) {
            mark_relocations(marker, section, first, end);
            continue;
        }
        marker->unwindings =
            arena_grow(&marker->linker->arena, marker->unwindings, marker->unwinding_count,
                       &marker->unwinding_capacity, sizeof *marker->unwindings);
        marker->unwindings[marker->unwinding_count++] =
            (struct unwinding){section, record, first, end};
    }
    for (size_t i = end; i < section->relocation_count; i++) /* not a list of records */
        if (!is_local_code(section->relocations[i].symbol))
            mark_symbol(marker, section->relocations[i].symbol);
}

/* Marks what the records of functions name that have become live. */
static void follow_functions(struct marker *marker)
{
    size_t kept = 0;

    for (size_t i = 0; i < marker->unwinding_count; i++) {
        const struct unwinding *unwinding = &marker->unwindings[i];
        if (eh_frame_is_dead(unwinding->section, &unwinding->record))
            marker->unwindings[kept++] = *unwinding;
        else
            mark_relocations(marker, unwinding->section, unwinding->first, unwinding->end);
    }
    marker->unwinding_count = kept;
}

/* Marks the sections that follow those which have become live. */
static void mark_followers(struct marker *marker)
{
    size_t kept = 0;

    for (size_t i = 0; i < marker->follower_count; i++) {
        struct section *follower = marker->followers[i];
        if (link_order_of(follower)->live)
            mark_section(marker, follower);
        else
            marker->followers[kept++] = follower;
    }
    marker->follower_count = kept;
}

static void follow(struct marker *marker)
{
    while (marker->count) {
        while (marker->count) {
            const struct section *section = marker->pending[--marker->count];
            if (!(section->flags & SHF_ALLOC))
                continue;
            if (eh_frame_is(section))
                follow_unwind_table(marker, section);
            else
                mark_relocations(marker, section, 0, section->relocation_count);
        }
        follow_functions(marker);
        mark_followers(marker);
    }
}

static bool object_is_live(const struct object *object)
{
    for (size_t i = 1; i < object->elf.section_count; i++)
        if (object->sections[i]->live && object->sections[i]->flags & SHF_ALLOC)
            return true;
    return false;
}

/* Does the section follow the order of one that is loaded, but not kept? */
static bool follows_dead(const struct section *section)
{
    const struct section *followed = link_order_of(section);

    return followed && followed->flags & SHF_ALLOC && !followed->live;
}

static void mark_unloaded(struct linker *linker)
{
    for (size_t i = 0; i < linker->object_count; i++) {
        const struct object *object = linker->objects[i];
        if (!object_is_live(object))
            continue;
        for (size_t j = 1; j < object->elf.section_count; j++) {
            struct section *section = object->sections[j];
            if (!(section->flags & SHF_ALLOC))
                section->live = !section->discarded && !follows_dead(section);
        }
    }
}

static void report_removed(const struct section *section)
{
    struct text text = TEXT_INIT;

    text_format(&text, "tld: removing unused section '%s' in file '%s'", section->name,
                section->object ? section->object->name : "<linker>");
    struct text visible = TEXT_INIT;
    text_append_visible(&visible, text.bytes);
    fprintf(stderr, "%s\n", visible.bytes);
    text_free(&visible);
    text_free(&text);
}

static void report_dead(struct linker *linker)
{
    struct section_walk walk = {0};

    for (struct section *section; (section = section_next(linker, &walk));)
        if (!section->live && !section->discarded && section->flags & SHF_ALLOC && section->size)
            report_removed(section);
}

void mark_live(struct linker *linker)
{
    struct section_walk walk = {0};
    bool collect = linker->config.gc_sections;

    for (struct section *section; (section = section_next(linker, &walk));)
        section->live = !section->discarded &&
                        (!collect || (!section->object && !(section->flags & SHF_ALLOC)));
    if (!collect)
        return;
    struct marker marker = {.linker = linker};
    index_sections(&marker);
    mark_roots(&marker);
    follow(&marker);
    mark_unloaded(linker);
    if (linker->config.print_gc_sections)
        report_dead(linker);
}

/* ---- undefined symbols ---- */

struct use {
    const struct section *section;
    uint64_t offset;
};

struct uses {
    struct symbol *symbol;
    struct use *items;
    size_t count, capacity;
    struct uses *next;
};

static void add_use(struct linker *linker, struct map *by_symbol, const struct section *section,
                    const struct relocation *relocation)
{
    struct map_entry *entry =
        map_entry(by_symbol, (const char *)&relocation->symbol, sizeof relocation->symbol);

    if (!entry->value) {
        entry->value = arena_new(&linker->arena, struct uses);
        ((struct uses *)entry->value)->symbol = relocation->symbol;
    }
    struct uses *uses = entry->value;
    if (uses->count && uses->items[uses->count - 1].section == section &&
        uses->items[uses->count - 1].offset == relocation->offset)
        return;
    uses->items =
        arena_grow(&linker->arena, uses->items, uses->count, &uses->capacity, sizeof *uses->items);
    uses->items[uses->count++] = (struct use){.section = section, .offset = relocation->offset};
}

static const char *suggestion(struct linker *linker, const struct symbol *symbol)
{
    struct suggestion near;

    suggest_init(&near, symbol->name);
    for (size_t i = 0; i < linker->symbols.count; i++) {
        const struct symbol *candidate = linker->symbols.entries[i].value;
        if (candidate->state == SYMBOL_DEFINED)
            suggest_add(&near, candidate->name);
    }
    const char *text = suggest_text(&near);
    return text ? arena_format(&linker->arena, "; did you mean %s?", text) : "";
}

static void report_use(struct linker *linker, const struct use *use)
{
    struct position at = place_position(linker, use->section, use->offset), line;
    const char *function = place_function(linker, use->section, use->offset);

    if (source_line_find(linker, use->section, use->offset, &line))
        diag_note(&linker->diag, &at, "used here%s, at %s:%u", function, line.name, line.line);
    else
        diag_note(&linker->diag, &at, "used here%s", function);
}

static void report_uses(struct linker *linker, const struct uses *uses)
{
    enum { SHOWN = 100 };
    const char *near = *uses->symbol->name ? suggestion(linker, uses->symbol) : "";

    if (linker->config.warn_undefined)
        diag_warning(&linker->diag, NULL, "undefined symbol '%s'%s", uses->symbol->name, near);
    else
        diag_error(&linker->diag, NULL, "undefined symbol '%s'%s", uses->symbol->name, near);
    if (diag_full(&linker->diag))
        return;
    for (size_t i = 0; i < uses->count && i < SHOWN; i++)
        report_use(linker, &uses->items[i]);
    if (uses->count > SHOWN)
        diag_note(&linker->diag, NULL, "and %zu more uses of '%s'", uses->count - SHOWN,
                  uses->symbol->name);
}

static bool is_missing(const void *context, const struct symbol *symbol)
{
    (void)context;
    return symbol->state == SYMBOL_UNDEFINED && (symbol->binding != STB_WEAK || symbol->local);
}

void mark_check_undefined(struct linker *linker)
{
    if (linker->config.ignore_undefined)
        return;
    struct map by_symbol; /* keyed by the bytes of the pointer; iterated in order of insertion */
    map_init(&by_symbol, &linker->arena);
    struct section_walk walk = {0};

    for (struct section *section; (section = section_next_naming(linker, &walk, is_missing, NULL));)
        for (size_t i = 0; section->live && i < section->relocation_count; i++)
            if (is_missing(NULL, section->relocations[i].symbol))
                add_use(linker, &by_symbol, section, &section->relocations[i]);
    for (size_t i = 0; i < by_symbol.count && !diag_full(&linker->diag); i++)
        report_uses(linker, by_symbol.entries[i].value);
}
