/* Directives for the listing: .list .nolist .eject .title .sbttl .psize. */
#include "asm/directive/directive.h"
#include <inttypes.h>

/* .list and .nolist nest, as in GNU as: a line is listed unless there were more .nolist than .list
 * before it. */
static void change_level(struct assembler *as, const struct parsed *parsed, int change)
{
    (void)parsed;
    as->listing.level += change;
}

static void eject(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)parsed;
    (void)unused;
    if (as->listing.count)
        as->listing.rows[as->listing.count - 1].ejects = true;
}

static void set_title(struct assembler *as, const struct parsed *parsed, int is_subtitle)
{
    const char *text;
    size_t length;

    if (argument_string(as, parsed, 0, &text, &length))
        *(is_subtitle ? &as->listing.subtitle : &as->listing.title) = arena_string(as->arena, text);
}

/* .psize LINES, COLUMNS. With 0 lines, only .eject ends a page. */
static void set_page(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    unsigned *const sizes[] = {&as->listing.page_lines, &as->listing.page_columns};
    for (size_t i = 0; i < parsed->argument_count; i++) {
        int64_t number;
        if (!argument_number(as, parsed, i, &number))
            return;
        if (number < 0 || number > INT32_MAX) {
            struct position at = argument_place(parsed, i);
            diag_error(as->diag, &at, "a page cannot have %" PRId64 " %s; expected 0..%d", number,
                       i ? "columns" : "lines", INT32_MAX);
            return;
        }
        *sizes[i] = (unsigned)number;
    }
}

const struct directive directives_listing[] = {
    {".list", change_level, 1, 0, 0}, {".nolist", change_level, -1, 0, 0},
    {".eject", eject, 0, 0, 0},       {".page", eject, 0, 0, 0},
    {".title", set_title, 0, 1, 1},   {".sbttl", set_title, 1, 1, 1},
    {".psize", set_page, 0, 1, 2},    {0},
};
