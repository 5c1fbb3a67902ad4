/* The profile as a flame graph, a picture that needs nothing else: a frame for each function in
 * each chain of calls, as wide as what it cost with its callees, below the function that called it.
 * A script in the picture enlarges the frame that is clicked or chosen with the Tab and Enter keys,
 * or named by the address of the page (#f12); Escape or a click on the outermost one shows all.
 * Frames too narrow to be seen are left out.
 *
 * The colors say nothing but which frames are neighbors: they are shades of one hue, and each frame
 * has an outline. */
#include "emu/report/profile_report.h"
#include "lib/map.h"
#include "lib/quote.h"
#include <inttypes.h>
#include <string.h>

enum {
    WIDTH = 1200,
    MARGIN = 10,
    TOP = 48,
    ROW = 17,
    LETTER = 7,    /* width of a letter, roughly */
    SHADES = 8,    /* of the color of frames */
    SMALLEST = 10, /* frames are wider than a pixel divided by this */
};

static const char style[] =
    "<style>\n"
    "svg{background:#fff;font:12px monospace;color:#000}\n"
    "text{fill:#000;pointer-events:none}.note{fill:currentColor}\n"
    "rect{stroke:#fff;stroke-width:.6}\n"
    "g:focus{outline:none}g:focus rect,g:hover rect{stroke:#000;stroke-width:2}\n"
    "g{cursor:pointer}\n"
    "@media (prefers-color-scheme:dark){svg{background:#111;color:#eee}"
    "rect{stroke:#111}g:focus rect,g:hover rect{stroke:#fff}}\n"
    "</style>\n";

static const char script[] =
    "<script><![CDATA[\n"
    "const frames=[...document.querySelectorAll('g')],all=frames[0];\n"
    "function number(g,name){return +g.getAttribute('data-'+name)}\n"
    "function show(chosen){\n"
    "  const from=number(chosen,'x'),size=number(chosen,'w'),level=number(chosen,'d');\n"
    "  for(const g of frames){\n"
    "    let x=number(g,'x'),w=number(g,'w');\n"
    "    const outer=number(g,'d')<=level&&x<=from&&x+w>=from+size;\n"
    "    x=outer?0:(x-from)/size;w=outer?1:w/size;\n"
    "    const seen=outer||(x>-1e-9&&x+w<1+1e-9&&number(g,'d')>level);\n"
    "    g.style.display=seen?'':'none';\n"
    "    if(!seen)continue;\n"
    "    const rect=g.querySelector('rect'),text=g.querySelector('text');\n"
    "    const left=all.margin+x*all.size,wide=w*all.size;\n"
    "    rect.setAttribute('x',left);rect.setAttribute('width',wide);\n"
    "    rect.setAttribute('fill-opacity',outer&&g!==chosen?.5:1);\n"
    "    const room=Math.floor((wide-6)/7),name=g.getAttribute('data-n');\n"
    "    text.setAttribute('x',left+3);\n"
    "    text.textContent=name.length<=room?name:room<3?'':name.slice(0,room-1)+'…';\n"
    "  }\n"
    "}\n"
    "all.margin=+all.querySelector('rect').getAttribute('x');\n"
    "all.size=+all.querySelector('rect').getAttribute('width');\n"
    "for(const g of frames){\n"
    "  g.addEventListener('click',()=>show(g));\n"
    "  g.addEventListener('keydown',e=>{if(e.key==='Enter')show(g)});\n"
    "}\n"
    "document.addEventListener('keydown',e=>{if(e.key==='Escape')show(all)});\n"
    "const named=location.hash&&document.getElementById(location.hash.slice(1));\n"
    "if(named)show(named);\n"
    "]]></script>\n";

/* How the frames are drawn. */
struct flame {
    const struct profile_view *view;
    FILE *stream;
    uint64_t all;
    unsigned depth; /* of the innermost frame that is shown */
};

static double scaled(const struct flame *flame, uint64_t weight)
{
    return flame->all ? (double)weight * (WIDTH - 2 * MARGIN) / (double)flame->all : 0;
}

static bool is_seen(const struct flame *flame, const struct view_node *node)
{
    return scaled(flame, profile_view_weight(flame->view, &node->total)) * SMALLEST >= 1;
}

static void put_frame(const struct flame *flame, uint32_t index, const char *name, uint64_t start)
{
    const struct view_node *node = &flame->view->nodes[index];
    uint64_t weight = profile_view_weight(flame->view, &node->total);
    double x = MARGIN + scaled(flame, start), width = scaled(flame, weight);
    unsigned y = TOP + node->depth * ROW;
    unsigned shade = (unsigned)(hash_bytes(name, strlen(name), 0) % SHADES);
    FILE *stream = flame->stream;

    fprintf(stream,
            "<g id=\"f%" PRIu32 "\" tabindex=\"0\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64
            "\" data-d=\"%u\" data-n=\"",
            index, start, weight, node->depth);
    quote_xml_to(stream, name, SIZE_MAX);
    fputs("\"><title>", stream);
    quote_xml_to(stream, name, SIZE_MAX);
    fprintf(stream, "\n%" PRIu64 "%s (%.2f %%), without callees %" PRIu64 "</title>", weight,
            flame->view->is_timed ? " cycles" : " instructions",
            flame->all ? 100 * (double)weight / (double)flame->all : 0,
            profile_view_weight(flame->view, &node->self));
    fprintf(stream,
            "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"hsl(35,90%%,%u%%)\"/>",
            x, y, width, ROW - 1, 58 + shade * 3);
    fprintf(stream, "<text x=\"%.2f\" y=\"%u\">", x + 3, y + ROW - 5);
    size_t room = width < 6 ? 0 : (size_t)((width - 6) / LETTER);
    if (strlen(name) <= room) {
        quote_xml_to(stream, name, SIZE_MAX);
    } else if (room >= 3) {
        quote_xml_to(stream, name, quote_whole(name, room - 1));
        fputs("…", stream);
    }
    fputs("</text></g>\n", stream);
}

/* Calls `each` for every frame that can be seen, callers before callees, with where it begins. */
static void each_frame(struct flame *flame,
                       void (*each)(struct flame *flame, uint32_t index, uint64_t start))
{
    const struct view_node *nodes = flame->view->nodes;
    uint64_t start = 0;
    uint32_t at = nodes[0].child;

    while (at) {
        bool seen = is_seen(flame, &nodes[at]);
        if (seen)
            each(flame, at, start);
        if (seen && nodes[at].child) {
            at = nodes[at].child;
            continue;
        }
        start += profile_view_weight(flame->view, &nodes[at].total);
        while (at && !nodes[at].sibling) {
            at = nodes[at].parent;
            if (at)
                start += profile_view_weight(flame->view, &nodes[at].self);
        }
        at = at ? nodes[at].sibling : 0;
    }
}

static void measure(struct flame *flame, uint32_t index, uint64_t start __attribute__((unused)))
{
    unsigned depth = flame->view->nodes[index].depth;

    if (depth > flame->depth)
        flame->depth = depth;
}

static void draw(struct flame *flame, uint32_t index, uint64_t start)
{
    const struct view_node *node = &flame->view->nodes[index];

    put_frame(flame, index, flame->view->functions[node->function].name, start);
}

void profile_write_svg(const struct profile_view *view, FILE *stream)
{
    struct flame flame = {
        .view = view, .stream = stream, .all = profile_view_weight(view, &view->all)};
    struct text name = TEXT_INIT;

    text_append_visible(&name, view->program->name);
    each_frame(&flame, measure);
    unsigned height = TOP + (flame.depth + 1) * ROW + MARGIN;
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
            "viewBox=\"0 0 %d %u\">\n%s<text class=\"note\" x=\"%d\" y=\"18\">",
            WIDTH, height, WIDTH, height, style, MARGIN);
    quote_xml_to(stream, name.bytes ? name.bytes : "", SIZE_MAX);
    fprintf(stream,
            ": %" PRIu64 "%s</text>\n<text class=\"note\" x=\"%d\" y=\"36\">A click, or Tab and "
            "Enter, enlarges a function; Escape shows all.</text>\n",
            flame.all, view->is_timed ? " cycles" : " instructions", MARGIN);
    put_frame(&flame, 0, "all", 0);
    each_frame(&flame, draw);
    fprintf(stream, "%s</svg>\n", script);
    text_free(&name);
}
