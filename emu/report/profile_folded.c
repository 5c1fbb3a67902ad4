/* The profile as folded stacks: `main;multiply;add 120`, the functions of a chain of calls and what
 * the last one cost without its callees. Flame graph tools read it. */
#include "emu/report/profile_report.h"
#include <inttypes.h>

/* The names of functions are separated by semicolons, and the last word of a line is the cost. */
static void append_name(struct text *text, const char *name)
{
    for (; *name; name++)
        text_append_char(text, *name == ';' ? ':' : *name == ' ' ? '_' : *name);
}

void profile_write_folded(const struct profile_view *view, FILE *stream)
{
    /* Where the text of each node on the way to the current one ends. */
    size_t *ends = arena_array(view->profile->arena, PROFILE_DEPTH + 2, sizeof *ends);
    struct text text = TEXT_INIT;
    uint32_t at = view->nodes[0].child;

    while (at) {
        const struct view_node *node = &view->nodes[at];
        text.length = ends[node->depth - 1];
        if (node->depth > 1)
            text_append_char(&text, ';');
        append_name(&text, view->functions[node->function].name);
        ends[node->depth] = text.length;
        uint64_t weight = profile_view_weight(view, &node->self);
        if (weight)
            fprintf(stream, "%.*s %" PRIu64 "\n", (int)text.length, text.bytes, weight);
        if (node->child) {
            at = node->child;
            continue;
        }
        while (at && !view->nodes[at].sibling)
            at = view->nodes[at].parent;
        at = at ? view->nodes[at].sibling : 0;
    }
    text_free(&text);
}
