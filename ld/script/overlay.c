/* OVERLAY (GNU ld's manual, "Overlay Description") becomes ordinary output sections. All begin
 * where the first one does; each is loaded after the one before. The linker provides symbols for
 * the places where they are loaded, so that a program can copy them. */
#include "ld/script/build.h"

#include <ctype.h>
#include <string.h>

void build_overlay(struct script_reader *reader, struct expression *start,
                   struct expression *load_address)
{
    unsigned number = reader->overlay ? reader->overlay->number + 1 : 1;

    reader->overlay = arena_new(&reader->linker->arena, struct script_overlay);
    *reader->overlay =
        (struct script_overlay){.number = number, .start = start, .load_address = load_address};
}

/* Returns where the section is loaded, or the address after it. */
static struct expression *load_bound(struct script_reader *reader, const char *name, bool end,
                                     const struct position *at)
{
    struct expression *start = build_property(reader, LOAD_ADDRESS_OF, at, name);

    return end ? build_expression(reader, ADD, at, start, build_property(reader, SIZE_OF, at, name))
               : start;
}

/* Provides PREFIX and the letters, digits and underscores of the section's name. */
static void provide(struct script_reader *reader, const char *prefix, const char *name, bool end,
                    const struct position *at)
{
    char *symbol = arena_format(&reader->linker->arena, "%s%s", prefix, name),
         *to = symbol + strlen(prefix);

    for (const char *from = name; *from; from++)
        if (isalnum((unsigned char)*from) || *from == '_')
            *to++ = *from;
    *to = 0;
    struct script_statement *statement =
        build_assign(reader, symbol, "=", load_bound(reader, name, end, at), at);
    statement->provide = true;
    build_append(&reader->script->statements, statement);
}

void build_overlay_section(struct script_reader *reader, const char *name, struct script_list body,
                           struct script_words *segments, struct expression *fill,
                           const struct position *at)
{
    struct script_overlay *overlay = reader->overlay;
    struct script_output *output = build_output(reader, name, NULL, SCRIPT_LOADED, at);
    struct script_statement *statement = build_statement(reader, SCRIPT_OUTPUT, at);

    output->overlay = overlay->number;
    output->overlaid = overlay->first != NULL;
    output->address =
        overlay->first ? build_property(reader, ADDRESS_OF, at, overlay->first) : overlay->start;
    output->load_address =
        overlay->previous ? load_bound(reader, overlay->previous, true, at) : overlay->load_address;
    output->body = body;
    output->segments = segments;
    output->segments_given = segments != NULL;
    output->fill = fill;
    statement->output = output;
    build_append(&reader->script->statements, statement);
    provide(reader, "__load_start_", name, false, at);
    provide(reader, "__load_stop_", name, true, at);
    if (overlay->last_output)
        overlay->last_output->next_in_overlay = output;
    else
        overlay->outputs = output;
    overlay->last_output = output;
    overlay->first = overlay->first ? overlay->first : name;
    overlay->previous = name;
}

void build_overlay_end(struct script_reader *reader, struct script_region *region,
                       struct script_region *load_region, struct script_words *segments,
                       struct expression *fill)
{
    for (struct script_output *output = reader->overlay->outputs; output;
         output = output->next_in_overlay) {
        output->region = region;
        output->load_region = load_region;
        if (load_region)
            output->load_address = NULL;
        if (!output->segments_given) {
            output->segments = segments;
            output->segments_given = segments != NULL;
        }
        output->fill = output->fill ? output->fill : fill;
    }
}
