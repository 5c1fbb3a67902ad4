/* The pipeline as a picture: a row for each instruction, time from left to right, a bar for each
 * stage, colored by the stage, and by the cause where an instruction waits; a lane for each unit
 * below. The text of a bar, which a viewer shows under the pointer, has the cycles, the cause, the
 * instruction and its source line. HTML is the same picture in a page that zooms by a script of its
 * own and is readable without it. A picture has at most PICTURE_ROWS instructions. */
#include "emu/picture/picture.h"
#include "lib/quote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PICTURE_ROWS = 200,
    ROW = 16,     /* height of a row */
    LEFT = 420,   /* where the cycles begin */
    TOP = 60,     /* where the rows begin */
    WIDTH = 1200, /* of all cycles, unless a cycle needs more */
    CAUSES = 9,   /* the colors from this one on are of causes */
};

/* Work is blue, what is on its way is gray, and waiting has the other colors of Okabe and Ito's
 * palette, which people with any color vision can tell apart; where a color occurs twice, one is
 * striped. Wide bars have the name of the cause, too. */
static const struct {
    const char *name, *color;
    bool is_cause, is_striped;
} colors[] = {
    {"F", "#e6e6e6", false, false},         {"D", "#cfcfcf", false, false},
    {"Q", "#b8b8b8", false, false},         {"P", "#a0a0a0", false, false},
    {"S", "#d9d9d9", false, false},         {"X", "#0072b2", false, false},
    {"M", "#0072b2", false, false},         {"pipe", "#56b4e9", false, false},
    {"done", "#f4f4f4", false, false},      {"raw", "#d55e00", true, false},
    {"waw", "#d55e00", true, true},         {"war", "#cc79a7", true, true},
    {"operand", "#e69f00", true, false},    {"memory", "#e69f00", true, true},
    {"unit", "#f0e442", true, false},       {"order", "#f0e442", true, true},
    {"queue-full", "#cc79a7", true, false}, {"storage-full", "#666666", true, true},
    {"fence", "#009e73", true, false},      {"traversal", "#009e73", true, true},
    {NULL, "#666666", true, false},         {NULL, "#56b4e9", true, true},
    {NULL, "#f7f7f7", true, false},         {NULL, "#999999", true, true},
};

enum { COLORS = sizeof colors / sizeof *colors };
/* The last colors are of causes that only the threads of a barrel show. */
enum { BARREL_COLORS = 4 };

static const char *color_name(size_t color)
{
    static const enum pipeline_stall stalls[BARREL_COLORS] = {STALL_BRANCH, STALL_WINDOW,
                                                              STALL_SYNC, STALL_BARRIER};

    return colors[color].name ? colors[color].name
                              : pipeline_stall_names[stalls[color - (COLORS - BARREL_COLORS)]];
}

static size_t color_count(const struct picture *picture)
{
    return COLORS - (picture->program.threads ? 0 : BARREL_COLORS);
}

/* Turns of a thread that pass one after the other for the same cause. */
struct bubbles {
    unsigned thread;
    enum pipeline_stall stall;
    uint64_t from, last, count;
};

struct lanes {
    struct bubbles *bubbles;
    size_t count, capacity;
    size_t current[PIPELINE_THREADS]; /* of each thread, plus 1; 0: none */
};

static size_t find_color(const char *name)
{
    size_t i = 0;

    while (i + 1 < COLORS && strcmp(color_name(i), name) != 0)
        i++;
    return i;
}

static void instruction(struct picture *picture, const struct pipeline_record *record)
{
    if (!picture->kept)
        picture->kept = calloc(PICTURE_ROWS, sizeof *picture->kept);
    if (picture->kept && picture->kept_count < PICTURE_ROWS)
        picture->kept[picture->kept_count++] = *record;
    if (picture->state)
        ((struct lanes *)picture->state)->current[record->thread] = 0;
}

static void bubble(struct picture *picture, const struct pipeline_record *record)
{
    struct lanes *lanes = picture->state;

    if (picture->kept_count == PICTURE_ROWS)
        return;
    if (!lanes)
        lanes = picture->state = calloc(1, sizeof *lanes);
    if (!lanes)
        return;
    size_t *current = &lanes->current[record->thread];
    if (*current && lanes->bubbles[*current - 1].stall == record->stall) {
        lanes->bubbles[*current - 1].last = record->x;
        lanes->bubbles[*current - 1].count++;
        return;
    }
    if (lanes->count == lanes->capacity) {
        size_t capacity = lanes->capacity ? 2 * lanes->capacity : PICTURE_ROWS;
        struct bubbles *grown = reallocarray(lanes->bubbles, capacity, sizeof *grown);
        if (!grown)
            return;
        lanes->bubbles = grown;
        lanes->capacity = capacity;
    }
    lanes->bubbles[lanes->count++] =
        (struct bubbles){record->thread, record->stall, record->x, record->x, 1};
    *current = lanes->count;
}

/* Where the cycles are drawn. */
struct scale {
    struct picture *picture;
    uint64_t first, last;
    double cycle; /* width of a cycle */
};

static double place(const struct scale *scale, uint64_t cycle)
{
    return LEFT + (double)(cycle - scale->first) * scale->cycle;
}

/* Begins a rectangle, which the caller ends. */
static void put_rectangle(FILE *stream, double x, double y, double width, size_t color)
{
    fprintf(stream, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" ", x, y, width,
            ROW - 2);
    if (colors[color].is_striped)
        fprintf(stream, "fill=\"url(#%s)\">", color_name(color));
    else
        fprintf(stream, "fill=\"%s\">", colors[color].color);
}

/* Writes the name of a cause on its bar, through which the pointer reaches the bar. */
static void put_name(FILE *stream, double x, double y, const char *name)
{
    fprintf(stream,
            "<text x=\"%.1f\" y=\"%.1f\" pointer-events=\"none\" stroke=\"white\" "
            "stroke-width=\"2\" paint-order=\"stroke\">%s</text>\n",
            x, y, name);
}

/* Draws a bar from one cycle up to another, with what is shown under the pointer. */
static void put_bar(const struct scale *scale, const struct pipeline_record *record, double top,
                    const char *name, uint64_t from, uint64_t to)
{
    struct picture *picture = scale->picture;
    const struct picture_site *site = record->context;
    FILE *stream = picture->stream;

    if (from == PIPELINE_NEVER || to == PIPELINE_NEVER || from >= to)
        return;
    size_t color = find_color(name);
    double width = (double)(to - from) * scale->cycle;
    put_rectangle(stream, place(scale, from), top, width, color);
    fprintf(stream, "<title>%s: cycles %" PRIu64 " to %" PRIu64, name, from, to - 1);
    const char *cause = picture_cause(picture, record);
    if (*cause)
        fprintf(stream, "; waited: %s", cause);
    fprintf(stream, "\n%" PRIu64 " %" PRIx64 " ", record->sequence, site->pc);
    quote_xml_to(stream, picture_code(picture, site), SIZE_MAX);
    picture->text.length = 0;
    if (source_append(picture->source, &picture->text, site->pc)) {
        text_append_char(&picture->text, '\0');
        fputc('\n', stream);
        quote_xml_to(stream, picture->text.bytes, SIZE_MAX);
    }
    fputs("</title></rect>\n", stream);
    if (colors[color].is_cause && width > 7.0 * (double)strlen(name) + 6)
        put_name(stream, place(scale, from) + 3, top + ROW - 5, name);
}

static void put_label(FILE *stream, double x, double y, const char *text)
{
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\">", x, y);
    quote_xml_to(stream, text, SIZE_MAX);
    fputs("</text>\n", stream);
}

static void put_instruction(const struct scale *scale, const struct pipeline_record *record,
                            double top)
{
    struct picture *picture = scale->picture;
    const struct picture_site *site = record->context;
    uint64_t leave = record->q != PIPELINE_NEVER ? record->q : record->x;
    const char *stall = record->stall > STALL_WINDOW && record->stall < STALL_ALL
                            ? pipeline_stall_names[record->stall]
                            : "D";
    const char *wait = record->wait != UNIT_EMPTY ? pipeline_state_names[record->wait] : "S";
    uint64_t start = record->m != PIPELINE_NEVER ? record->m : record->e;
    char head[48];

    snprintf(head, sizeof head, "%" PRIu64 " %s%s%" PRIx64, record->sequence,
             picture->program.threads ? picture_thread(picture, record->thread) : "",
             picture->program.threads ? " " : "", site->pc);
    put_label(picture->stream, 8, top + ROW - 4, head);
    put_label(picture->stream, 110, top + ROW - 4, picture_code(picture, site));
    if (!picture->program.threads) {
        put_bar(scale, record, top, "F", record->f, record->d);
        put_bar(scale, record, top, "D", record->d, record->d + 1);
        put_bar(scale, record, top, stall, record->d + 1, leave);
    }
    if (record->unit >= 0) {
        put_bar(scale, record, top, "Q", record->q, record->p);
        put_bar(scale, record, top, "P", record->p, record->p + 1);
        put_bar(scale, record, top, wait, record->p + 1, start);
        put_bar(scale, record, top, "M", record->m, record->e);
    } else {
        put_bar(scale, record, top, "X", record->x, record->e);
    }
    put_bar(scale, record, top, "done", record->e, record->c + 1);
}

static void put_axis(const struct scale *scale, double bottom)
{
    FILE *stream = scale->picture->stream;
    uint64_t step = 1;
    char text[24];

    while ((double)step * scale->cycle < 50)
        step *= step % 3 == 2 ? 5 : 2;
    for (uint64_t cycle = (scale->first + step - 1) / step * step; cycle <= scale->last;
         cycle += step) {
        fprintf(stream, "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
                place(scale, cycle), TOP - 8, place(scale, cycle), bottom);
        snprintf(text, sizeof text, "%" PRIu64, cycle);
        put_label(stream, place(scale, cycle), TOP - 12, text);
    }
}

static void put_legend(const struct picture *picture)
{
    FILE *stream = picture->stream;
    size_t count = color_count(picture);
    double x = 8;

    fputs("<defs>\n", stream);
    for (size_t i = 0; i < count; i++)
        if (colors[i].is_striped)
            fprintf(stream,
                    "<pattern id=\"%s\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
                    "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" "
                    "fill=\"white\"/><rect width=\"4\" height=\"6\" fill=\"%s\"/></pattern>\n",
                    color_name(i), colors[i].color);
    fputs("</defs>\n", stream);
    for (size_t i = 0; i < count; i++) {
        if (i == CAUSES) {
            put_label(stream, x, 18, "waits for:");
            x += 80;
        }
        put_rectangle(stream, x, 8, 12, i);
        fputs("</rect>\n", stream);
        put_label(stream, x + 16, 18, color_name(i));
        x += 30 + 7.0 * (double)strlen(color_name(i));
    }
}

/* ---- the lanes of units ---- */

static bool is_of_unit(const struct pipeline_record *record, size_t unit)
{
    return record->unit == (int)unit && record->m != PIPELINE_NEVER;
}

/* Returns the lane of a unit for an instruction: the first one without an older one that overlaps.
 */
static unsigned find_lane(const struct picture *picture, const unsigned *lanes, size_t index)
{
    const struct pipeline_record *record = &picture->kept[index];
    unsigned lane = 0;

    for (size_t i = 0; i < index; i++) {
        const struct pipeline_record *older = &picture->kept[i];
        if (!is_of_unit(older, (size_t)record->unit) || lanes[i] != lane ||
            older->m >= record->pipe || record->m >= older->pipe)
            continue;
        lane++;
        i = (size_t)-1;
    }
    return lane;
}

/* Returns from which cycle on the lane was free before the instruction. */
static uint64_t free_since(const struct picture *picture, const unsigned *lanes, size_t index)
{
    const struct pipeline_record *record = &picture->kept[index];
    uint64_t since = record->p + 1;

    for (size_t i = 0; i < picture->kept_count; i++) {
        const struct pipeline_record *other = &picture->kept[i];
        if (i != index && is_of_unit(other, (size_t)record->unit) && lanes[i] == lanes[index] &&
            other->m < record->m && other->e > since)
            since = other->e;
    }
    return since;
}

/* Draws the units, with what an instruction waited for while its lane was free. */
static void put_units(const struct scale *scale, double top)
{
    struct picture *picture = scale->picture;
    unsigned lanes[PICTURE_ROWS] = {0};

    for (size_t unit = 0; unit < time_unit_count; unit++) {
        unsigned count = 1;
        put_label(picture->stream, 8, top + ROW - 4, time_units[unit].name);
        for (size_t i = 0; i < picture->kept_count; i++) {
            if (!is_of_unit(&picture->kept[i], unit))
                continue;
            lanes[i] = find_lane(picture, lanes, i);
            count = lanes[i] + 1 > count ? lanes[i] + 1 : count;
        }
        for (size_t i = 0; i < picture->kept_count; i++) {
            const struct pipeline_record *record = &picture->kept[i];
            if (!is_of_unit(record, unit))
                continue;
            double y = top + lanes[i] * (double)ROW;
            uint64_t pipe = record->pipe < record->e ? record->pipe : record->e;
            if (record->wait != UNIT_EMPTY)
                put_bar(scale, record, y, pipeline_state_names[record->wait],
                        free_since(picture, lanes, i), record->m);
            put_bar(scale, record, y, "pipe", pipe, record->e);
            put_bar(scale, record, y, "M", record->m, pipe);
        }
        top += count * (double)ROW;
    }
}

/* ---- the lanes of threads ---- */

static void put_bubbles(const struct scale *scale, const struct bubbles *bubbles, double top)
{
    FILE *stream = scale->picture->stream;
    uint64_t last = bubbles->last < scale->last ? bubbles->last : scale->last;
    const char *name = pipeline_stall_names[bubbles->stall];
    double width = (double)(last + 1 - bubbles->from) * scale->cycle;

    if (bubbles->from < scale->first || bubbles->from > scale->last)
        return;
    put_rectangle(stream, place(scale, bubbles->from), top, width, find_color(name));
    fprintf(stream,
            "<title>%s: %" PRIu64 " turns of %s from %" PRIu64 " to %" PRIu64
            " pass</title></rect>\n",
            name, bubbles->count, picture_thread(scale->picture, bubbles->thread), bubbles->from,
            bubbles->last);
    if (width > 7.0 * (double)strlen(name) + 6)
        put_name(stream, place(scale, bubbles->from) + 3, top + ROW - 5, name);
}

/* Draws the turns of each thread: its instructions, and the bubbles with their causes. */
static void put_threads(const struct scale *scale, double top)
{
    struct picture *picture = scale->picture;
    const struct lanes *lanes = picture->state;

    for (unsigned thread = 0; thread < picture->program.threads; thread++, top += ROW) {
        put_label(picture->stream, 8, top + ROW - 4, picture_thread(picture, thread));
        for (size_t i = 0; lanes && i < lanes->count; i++)
            if (lanes->bubbles[i].thread == thread)
                put_bubbles(scale, &lanes->bubbles[i], top);
        for (size_t i = 0; i < picture->kept_count; i++) {
            const struct pipeline_record *record = &picture->kept[i];
            uint64_t turn = picture_first(record);
            if (record->thread == thread)
                put_bar(scale, record, top, "X", turn, turn + 1);
        }
    }
}

static struct scale find_scale(struct picture *picture)
{
    struct scale scale = {.picture = picture, .first = PIPELINE_NEVER};

    for (size_t i = 0; i < picture->kept_count; i++) {
        const struct pipeline_record *record = &picture->kept[i];
        if (picture_first(record) < scale.first)
            scale.first = picture_first(record);
        if (record->c + 1 > scale.last)
            scale.last = record->c + 1;
    }
    if (picture->kept_count == 0)
        scale.first = 0;
    scale.cycle = WIDTH / (double)(scale.last - scale.first + 1);
    if (scale.cycle > 16)
        scale.cycle = 16;
    return scale;
}

/* Returns how high the lanes of all units are, at most. */
static double height_of_units(const struct picture *picture)
{
    double lanes = 0;

    for (size_t unit = 0; unit < time_unit_count; unit++)
        lanes += (double)time_resources(&time_units[unit], picture->program.config);
    return lanes * ROW;
}

static void put_svg(struct picture *picture)
{
    struct scale scale = find_scale(picture);
    double units = TOP + picture->program.threads * (double)ROW,
           rows = units + height_of_units(picture) + ROW,
           height = rows + ((double)picture->kept_count + 1) * ROW;
    FILE *stream = picture->stream;

    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "viewBox=\"0 0 %d %.0f\" font-family=\"monospace\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDTH + 40, height, LEFT + WIDTH + 40, height);
    put_legend(picture);
    put_axis(&scale, height - ROW);
    put_threads(&scale, TOP);
    put_units(&scale, units);
    for (size_t i = 0; i < picture->kept_count; i++)
        put_instruction(&scale, &picture->kept[i], rows + (double)i * ROW);
    if (picture->shown > picture->kept_count) {
        char text[80];
        snprintf(text, sizeof text, "the first %zu of %" PRIu64 " instructions",
                 picture->kept_count, picture->shown);
        put_label(stream, 8, TOP - 12, text);
    }
    fputs("</svg>\n", stream);
}

static void free_lanes(const struct picture *picture)
{
    if (picture->state)
        free(((struct lanes *)picture->state)->bubbles);
}

static void end_svg(struct picture *picture)
{
    put_svg(picture);
    free_lanes(picture);
}

static void put_html(struct picture *picture)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<title>Pipeline</title>\n"
          "<style>body{margin:0;font-family:monospace}#view{overflow:auto;height:95vh}"
          "rect:hover{stroke:#000}</style></head>\n<body>\n"
          "<p>Zoom with the wheel and Ctrl, or with + and -. The text under the pointer has the "
          "cycles, the cause and the source line.</p>\n<div id=\"view\">\n",
          picture->stream);
    put_svg(picture);
    fputs("</div>\n<script>\n"
          "const view = document.querySelector('#view'), svg = document.querySelector('svg'), "
          "w = svg.width.baseVal.value, h = svg.height.baseVal.value;\n"
          "let zoom = 1;\n"
          "function set(z, x, y) { z = Math.min(64, Math.max(0.25, z)); const f = z / zoom; "
          "zoom = z; svg.setAttribute('width', w * z); svg.setAttribute('height', h * z); "
          "view.scrollLeft = (view.scrollLeft + x) * f - x; "
          "view.scrollTop = (view.scrollTop + y) * f - y; }\n"
          "view.addEventListener('wheel', e => { if (e.ctrlKey) { e.preventDefault(); "
          "set(zoom * (e.deltaY < 0 ? 1.25 : 0.8), e.clientX, e.clientY); } }, "
          "{passive: false});\n"
          "addEventListener('keydown', e => { const f = {'+': 1.25, '-': 0.8}[e.key]; "
          "if (f) set(zoom * f, view.clientWidth / 2, view.clientHeight / 2); });\n"
          "</script>\n</body></html>\n",
          picture->stream);
}

static void end_html(struct picture *picture)
{
    put_html(picture);
    free_lanes(picture);
}

const struct picture_writer picture_svg = {"svg", NULL, instruction, end_svg, bubble};
const struct picture_writer picture_html = {"html", NULL, instruction, end_html, bubble};
