/* The pipeline as a picture: a row for each instruction, time from left to right, a bar for each
 * stage, colored by the stage, and by the cause where an instruction waits; a lane for each unit
 * below. The text of a bar, which a viewer shows under the pointer, has the cycles, the cause, the
 * instruction and its source line. HTML is the same picture in a page that zooms by a script of its
 * own and is readable without it. A picture has at most PICTURE_ROWS instructions. */
#include "emu/timing/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PICTURE_ROWS = 200,
    ROW = 16,     /* height of a row */
    LEFT = 420,   /* where the cycles begin */
    TOP = 60,     /* where the rows begin */
    WIDTH = 1200, /* of all cycles, unless a cycle needs more */
};

static const struct {
    const char *name, *color;
} colors[] = {
    {"F", "#b0bec5"},       {"D", "#90a4ae"},         {"X", "#66bb6a"},
    {"Q", "#ce93d8"},       {"P", "#ab47bc"},         {"S", "#ffe082"},
    {"M", "#29b6f6"},       {"pipe", "#b3e5fc"},      {"done", "#eceff1"},
    {"operand", "#ef5350"}, {"waw", "#d81b60"},       {"war", "#8e24aa"},
    {"raw", "#e53935"},     {"unit", "#fb8c00"},      {"fence", "#6d4c41"},
    {"memory", "#f4511e"},  {"traversal", "#00897b"}, {"queue-full", "#fdd835"},
    {"order", "#ffb300"},
};

static const char *color_of(const char *name)
{
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (strcmp(colors[i].name, name) == 0)
            return colors[i].color;
    return "#9e9e9e";
}

static void instruction(struct picture *picture, const struct pipeline_record *record)
{
    if (!picture->kept)
        picture->kept = calloc(PICTURE_ROWS, sizeof *picture->kept);
    if (picture->kept && picture->kept_count < PICTURE_ROWS)
        picture->kept[picture->kept_count++] = *record;
}

static void put_escaped(FILE *stream, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '&')
            fputs("&amp;", stream);
        else if (*text == '"')
            fputs("&quot;", stream);
        else
            fputc(*text, stream);
    }
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

/* Draws a bar from one cycle up to another, with what is shown under the pointer. */
static void put_bar(const struct scale *scale, const struct pipeline_record *record, double top,
                    const char *name, uint64_t from, uint64_t to)
{
    struct picture *picture = scale->picture;
    const struct site *site = record->context;
    FILE *stream = picture->stream;

    if (from == PIPELINE_NEVER || to == PIPELINE_NEVER || from >= to)
        return;
    fprintf(stream,
            "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>%s: "
            "cycles %" PRIu64 " to %" PRIu64,
            place(scale, from), top, (double)(to - from) * scale->cycle, ROW - 2, color_of(name),
            name, from, to - 1);
    const char *cause = picture_cause(picture, record);
    if (*cause)
        fprintf(stream, "; waited: %s", cause);
    fprintf(stream, "\n%" PRIu64 " %" PRIx64 " ", record->sequence, site->pc);
    put_escaped(stream, picture_code(picture, site));
    picture->text.length = 0;
    if (source_append(picture->source, &picture->text, site->pc)) {
        text_append_char(&picture->text, '\0');
        fputc('\n', stream);
        put_escaped(stream, picture->text.bytes);
    }
    fputs("</title></rect>\n", stream);
}

static void put_label(FILE *stream, double x, double y, const char *text)
{
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\">", x, y);
    put_escaped(stream, text);
    fputs("</text>\n", stream);
}

static void put_instruction(const struct scale *scale, const struct pipeline_record *record,
                            double top)
{
    struct picture *picture = scale->picture;
    const struct site *site = record->context;
    uint64_t leave = record->q != PIPELINE_NEVER ? record->q : record->x;
    const char *stall = record->stall > STALL_WINDOW && record->stall < STALL_COUNT
                            ? pipeline_stall_names[record->stall]
                            : "D";
    const char *wait = record->wait != UNIT_EMPTY ? pipeline_state_names[record->wait] : "S";
    uint64_t start = record->m != PIPELINE_NEVER ? record->m : record->e;
    char head[48];

    snprintf(head, sizeof head, "%" PRIu64 " %" PRIx64, record->sequence, site->pc);
    put_label(picture->stream, 8, top + ROW - 4, head);
    put_label(picture->stream, 110, top + ROW - 4, picture_code(picture, site));
    put_bar(scale, record, top, "F", record->f, record->d);
    put_bar(scale, record, top, "D", record->d, record->d + 1);
    put_bar(scale, record, top, stall, record->d + 1, leave);
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

static void put_legend(FILE *stream)
{
    double x = 8;

    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++) {
        fprintf(stream, "<rect x=\"%.1f\" y=\"8\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x,
                colors[i].color);
        put_label(stream, x + 16, 18, colors[i].name);
        x += 30 + 7.0 * (double)strlen(colors[i].name);
    }
}

static void put_units(const struct scale *scale, double top)
{
    struct picture *picture = scale->picture;

    for (size_t unit = 0; unit < time_unit_count; unit++, top += ROW) {
        put_label(picture->stream, 8, top + ROW - 4, time_units[unit].name);
        for (size_t i = 0; i < picture->kept_count; i++) {
            const struct pipeline_record *record = &picture->kept[i];
            if (record->unit != (int)unit || record->m == PIPELINE_NEVER)
                continue;
            uint64_t pipe = record->pipe < record->e ? record->pipe : record->e;
            put_bar(scale, record, top, "M", record->m, pipe);
            put_bar(scale, record, top, "pipe", pipe, record->e);
        }
    }
}

static struct scale find_scale(struct picture *picture)
{
    struct scale scale = {.picture = picture, .first = PIPELINE_NEVER};

    for (size_t i = 0; i < picture->kept_count; i++) {
        const struct pipeline_record *record = &picture->kept[i];
        if (record->f < scale.first)
            scale.first = record->f;
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

static void put_svg(struct picture *picture)
{
    struct scale scale = find_scale(picture);
    double rows = TOP + (double)picture->kept_count * ROW,
           height = rows + ((double)time_unit_count + 2) * ROW;
    FILE *stream = picture->stream;

    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "viewBox=\"0 0 %d %.0f\" font-family=\"monospace\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDTH + 40, height, LEFT + WIDTH + 40, height);
    put_legend(stream);
    put_axis(&scale, rows + (double)time_unit_count * ROW + ROW);
    for (size_t i = 0; i < picture->kept_count; i++)
        put_instruction(&scale, &picture->kept[i], TOP + (double)i * ROW);
    put_units(&scale, rows + ROW);
    if (picture->shown > picture->kept_count) {
        char text[80];
        snprintf(text, sizeof text, "the first %zu of %" PRIu64 " instructions",
                 picture->kept_count, picture->shown);
        put_label(stream, 8, TOP - 12, text);
    }
    fputs("</svg>\n", stream);
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
          "const svg = document.querySelector('svg'), w = svg.width.baseVal.value, "
          "h = svg.height.baseVal.value;\n"
          "let zoom = 1;\n"
          "function set(z) { zoom = Math.min(64, Math.max(0.25, z)); "
          "svg.setAttribute('width', w * zoom); svg.setAttribute('height', h * zoom); }\n"
          "addEventListener('wheel', e => { if (e.ctrlKey) { e.preventDefault(); "
          "set(zoom * (e.deltaY < 0 ? 1.25 : 0.8)); } }, {passive: false});\n"
          "addEventListener('keydown', e => { if (e.key == '+') set(zoom * 1.25); "
          "if (e.key == '-') set(zoom * 0.8); });\n"
          "</script>\n</body></html>\n",
          picture->stream);
}

const struct picture_writer picture_svg = {"svg", NULL, instruction, put_svg};
const struct picture_writer picture_html = {"html", NULL, instruction, put_html};
