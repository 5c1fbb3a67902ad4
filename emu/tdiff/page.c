/* The page of --html: both traces side by side around each difference, with source lines, elements
 * and causes. It is one file that needs no other and no network. */
#include "emu/tdiff/lossless.h"

#include "lib/output.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AFTER = 6, ROWS = 64 }; /* rows after a difference, and most of a table */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>tdiff</title>\n<style>\n"
    ":root { color-scheme: light dark; --back: #fff; --text: #1a1a1a; --dim: #666; --line: #ccc;\n"
    "  --first: #ffe3c2; --second: #cfe4ff; --focus: #0060c0; }\n"
    "@media (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #e6e6e6; --dim: #999;\n"
    "  --line: #444; --first: #5a3a10; --second: #12406e; --focus: #7ab8ff; } }\n"
    "body { background: var(--back); color: var(--text); font: 15px/1.4 sans-serif; margin: 1em; "
    "}\n"
    "table { border-collapse: collapse; margin: .5em 0; } td, th { padding: .1em .6em; text-align: "
    "left; vertical-align: top; border-bottom: 1px solid var(--line); }\n"
    ".sides { width: 100%; table-layout: fixed; font: 13px/1.35 monospace; }\n"
    ".sides td { overflow-wrap: anywhere; } .number { text-align: right; }\n"
    "tr.differs td:first-child, td.first { background: var(--first); }\n"
    "tr.differs td:last-child, td.second { background: var(--second); }\n"
    ".source, .dim { color: var(--dim); } section { border-top: 2px solid var(--line); }\n"
    "section:focus { outline: 3px solid var(--focus); } h2 { font-size: 1.1em; }\n"
    "</style>\n</head>\n<body>\n";

static const char tail[] =
    "<script>\n"
    "const sections = [...document.querySelectorAll('section')];\nlet at = -1;\n"
    "document.addEventListener('keydown', event => {\n"
    "  const step = {n: 1, j: 1, p: -1, k: -1}[event.key];\n"
    "  if (!step || event.ctrlKey || event.metaKey || event.altKey || !sections.length) return;\n"
    "  at = Math.max(0, Math.min(sections.length - 1, at + step));\n"
    "  sections[at].focus();\n  sections[at].scrollIntoView({block: 'start'});\n});\n"
    "</script>\n</body>\n</html>\n";

/* Appends text with the characters that HTML uses written as entities. */
static void append(struct text *page, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<':
            text_append(page, "&lt;");
            break;
        case '>':
            text_append(page, "&gt;");
            break;
        case '&':
            text_append(page, "&amp;");
            break;
        case '"':
            text_append(page, "&quot;");
            break;
        default:
            text_append_char(page, *text);
        }
    }
}

/* Appends a name from the command line. */
static void append_name(struct text *page, const char *name)
{
    struct text visible = TEXT_INIT;

    text_append_visible(&visible, name);
    append(page, visible.bytes ? visible.bytes : "");
    text_free(&visible);
}

/* ---- rows ---- */

struct row {
    uint64_t numbers[2]; /* NO_NUMBER: an empty cell */
};

/* The pcs of the instructions around a difference. */
struct around {
    uint64_t first, at; /* numbers of the first one that was read, and of the difference */
    uint64_t pcs[2 * ROWS];
    unsigned count;
};

static void read_around(struct lossless *walk, const struct difference *difference, unsigned which,
                        struct around *around)
{
    struct ttrace_decoder decoder = {0};
    struct ttrace_record record;
    struct side *side = &walk->sides[which];

    around->at =
        difference->at[which] == NO_NUMBER ? side->trace.record_count : difference->at[which];
    around->first = around->at > ROWS ? around->at - ROWS : 0;
    around->count = 0;
    while (around->count < 2 * ROWS &&
           side_record(side, &decoder, around->first + around->count, &record))
        around->pcs[around->count++] = record.pc;
    ttrace_decoder_free(&decoder);
}

/* Returns which of two instructions come next in a row: bit 0 for the first trace, bit 1 for the
 * second. `has` says in the same way which there are. */
static unsigned next_of(const struct lossless *walk, unsigned has, uint64_t a, uint64_t b)
{
    if (has == 3 && moved_pc(&walk->moved, 0, a) == NO_NUMBER)
        return 1;
    if (has == 3 && moved_pc(&walk->moved, 1, b) == NO_NUMBER)
        return 2;
    return has;
}

/* Puts the instructions of both traces around a difference side by side, those before it from the
 * difference back. Returns how many rows there are. */
static unsigned find_rows(struct lossless *walk, const struct difference *difference,
                          struct row *rows)
{
    struct around around[2];
    uint64_t at[2];
    unsigned count = 0, most = walk->tdiff->context < ROWS / 2 ? walk->tdiff->context : ROWS / 2;

    for (unsigned i = 0; i < 2; i++) {
        read_around(walk, difference, i, &around[i]);
        at[i] = around[i].at - around[i].first;
    }
    for (; count < most && (at[0] || at[1]); count++) {
        unsigned next =
            next_of(walk, (at[0] != 0) + 2u * (at[1] != 0), at[0] ? around[0].pcs[at[0] - 1] : 0,
                    at[1] ? around[1].pcs[at[1] - 1] : 0);
        for (unsigned i = 0; i < 2; i++)
            rows[count].numbers[i] = next >> i & 1 ? around[i].first + --at[i] : NO_NUMBER;
    }
    for (unsigned i = 0; 2 * i + 1 < count; i++) {
        const struct row other = rows[i];
        rows[i] = rows[count - 1 - i];
        rows[count - 1 - i] = other;
    }
    for (unsigned i = 0; i < 2; i++)
        at[i] = around[i].at - around[i].first;
    for (unsigned after = 0; after <= AFTER; after++, count++) {
        bool has[2] = {at[0] < around[0].count, at[1] < around[1].count};
        if (!has[0] && !has[1])
            break;
        unsigned next = next_of(walk, has[0] + 2u * has[1], has[0] ? around[0].pcs[at[0]] : 0,
                                has[1] ? around[1].pcs[at[1]] : 0);
        for (unsigned i = 0; i < 2; i++)
            rows[count].numbers[i] = next >> i & 1 ? around[i].first + at[i]++ : NO_NUMBER;
    }
    return count;
}

static void append_cell(struct lossless *walk, struct text *page, unsigned which, uint64_t number)
{
    struct side *side = &walk->sides[which];
    struct ttrace_decoder decoder = {0};
    struct ttrace_record record;
    struct text where = TEXT_INIT, source = TEXT_INIT;

    text_append(page, "<td>");
    if (number != NO_NUMBER && side_record(side, &decoder, number, &record)) {
        if (record.flags & TTRACE_START) {
            text_append(page, "<span class=\"dim\">before the first instruction</span>");
        } else {
            text_format(page, "<span class=\"dim\">%" PRIu64 "</span> ", record.sequence);
            side_append_where(side, &where, &record);
            append(page, where.bytes);
            if (side_append_source(side, &source, record.pc)) {
                text_append(page, "<br><span class=\"source\">");
                append(page, source.bytes);
                text_append(page, "</span>");
            }
        }
    }
    text_append(page, "</td>");
    text_free(&where);
    text_free(&source);
    ttrace_decoder_free(&decoder);
}

static void append_rows(struct lossless *walk, struct text *page,
                        const struct difference *difference)
{
    struct row rows[ROWS];
    unsigned count = find_rows(walk, difference, rows);

    text_append(page, "<table class=\"sides\">\n<tr>");
    for (unsigned i = 0; i < 2; i++) {
        text_append(page, "<th>");
        append_name(page, walk->sides[i].name);
        text_append(page, "</th>");
    }
    text_append(page, "</tr>\n");
    for (unsigned i = 0; i < count; i++) {
        bool differs = false;
        for (unsigned which = 0; which < 2; which++)
            differs |= rows[i].numbers[which] != NO_NUMBER &&
                       rows[i].numbers[which] == difference->numbers[which];
        text_append(page, differs ? "<tr class=\"differs\">" : "<tr>");
        append_cell(walk, page, 0, rows[i].numbers[0]);
        append_cell(walk, page, 1, rows[i].numbers[1]);
        text_append(page, "</tr>\n");
    }
    text_append(page, "</table>\n");
}

/* ---- differences ---- */

static void append_lanes(struct lossless *walk, struct text *page,
                         const struct difference *difference)
{
    if (difference->lane_count == 0)
        return;
    text_append(page, "<table>\n<tr><th>place</th>");
    for (unsigned i = 0; i < 2; i++) {
        text_append(page, "<th>");
        append_name(page, walk->sides[i].name);
        text_append(page, "</th>");
    }
    text_append(page, "<th>distance</th></tr>\n");
    for (unsigned i = 0; i < difference->lane_count; i++) {
        const struct lane *lane = &difference->lanes[i];
        text_append(page, "<tr><td>");
        append(page, lane->place);
        text_append(page, "</td><td class=\"first\">");
        append(page, lane->values[0]);
        text_append(page, "</td><td class=\"second\">");
        append(page, lane->values[1]);
        text_append(page, "</td><td>");
        append(page, lane->note);
        text_append(page, "</td></tr>\n");
    }
    text_append(page, "</table>\n");
    if (difference->different_count)
        text_format(page, "<p>%" PRIu64 " of %" PRIu64 " elements differ.</p>\n",
                    difference->different_count, difference->element_count);
}

static void append_causes(struct lossless *walk, struct text *page,
                          const struct difference *difference)
{
    uint32_t chain[CAUSES];
    bool is_cut;
    unsigned count = event_chain(walk, difference->event, chain, &is_cut);

    if (count == 0)
        return;
    text_append(page, "<p>It follows from differences before:</p>\n<ol>\n");
    for (unsigned i = 0; i < count; i++) {
        struct text line = TEXT_INIT;
        explain_event(walk, &line, &walk->events[chain[i]]);
        text_append(page, is_cut && i + 1 == count ? "<li>…</li>\n<li>" : "<li>");
        append(page, line.bytes ? line.bytes : "");
        text_append(page, "</li>\n");
        text_free(&line);
    }
    text_append(page, "</ol>\n");
}

static void append_difference(struct lossless *walk, struct text *page,
                              const struct difference *difference, size_t number)
{
    static const char *const titles[] = {
        [DIFFERENCE_VALUE] = "Values differ",
        [DIFFERENCE_CODE] = "The instructions differ",
        [DIFFERENCE_EXTRA] = "Only one program has this code",
        [DIFFERENCE_PATH] = "The paths differ",
        [DIFFERENCE_END] = "One trace ends",
    };
    unsigned which = difference->numbers[0] == NO_NUMBER ? 1 : 0;
    struct text place = TEXT_INIT;

    side_append_place(&walk->sides[which], &place, difference->pcs[which]);
    text_format(page, "<section tabindex=\"-1\" id=\"d%zu\">\n<h2>%zu. %s in ", number, number,
                titles[difference->kind]);
    append(page, place.bytes);
    if (difference->count > 1)
        text_format(page, ", %" PRIu64 " times", difference->count);
    text_append(page, "</h2>\n");
    text_free(&place);
    append_lanes(walk, page, difference);
    append_causes(walk, page, difference);
    append_rows(walk, page, difference);
    text_append(page, "</section>\n");
}

static void append_functions(struct lossless *walk, struct text *page)
{
    text_append(page, "<h2>By function</h2>\n<table>\n<tr><th>function</th><th>compared</th>"
                      "<th>different</th><th>only first</th><th>only second</th><th>causes</th>"
                      "</tr>\n");
    for (size_t i = 0; i < walk->functions.count; i++) {
        const struct function *function = walk->functions.entries[i].value;
        const uint64_t numbers[] = {function->compared, function->different, function->only[0],
                                    function->only[1], function->causes};
        if (!function->first && !function->only[0] && !function->only[1])
            continue;
        text_append(page, "<tr><td>");
        append_name(page, *function->name ? function->name : "(none)");
        text_append(page, "</td>");
        for (unsigned column = 0; column < sizeof numbers / sizeof *numbers; column++)
            text_format(page, "<td class=\"number\">%" PRIu64 "</td>", numbers[column]);
        text_append(page, "</tr>\n");
    }
    text_append(page, "</table>\n");
}

bool page_write(struct lossless *walk, const char *name)
{
    struct text page = TEXT_INIT;

    text_append(&page, head);
    text_append(&page, "<h1>");
    append_name(&page, walk->sides[0].name);
    text_append(&page, " and ");
    append_name(&page, walk->sides[1].name);
    text_format(&page, "</h1>\n<p>%" PRIu64 " instructions compared, %zu places differ%s. ",
                walk->compared, walk->count,
                walk->tdiff->has_all || !walk->count ? "" : " up to the first value that does");
    text_append(&page, "Keys: n or j for the next difference, p or k for the one before.</p>\n");
    append_functions(walk, &page);
    for (size_t i = 0; i < walk->count && i < walk->tdiff->shown; i++)
        append_difference(walk, &page, walk->differences[i], i + 1);
    if (walk->count > walk->tdiff->shown)
        text_format(&page, "<p>%zu more places differ.</p>\n", walk->count - walk->tdiff->shown);
    text_append(&page, tail);
    bool good = output_file(&walk->tdiff->diag, name, 0666, page.bytes, page.length);
    text_free(&page);
    return good;
}
