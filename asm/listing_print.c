/* Printing the listing.
 *
 * Rows are in the order in which statements were read. Lines without a row, such as comments and
 * bodies of macros, are printed between them. An included file is printed where its first row is,
 * so the files form a stack here too. The bytes of a source line are collected from all its rows;
 * as many of them are shown as GNU as shows. */
#include "asm/listing.h"
#include "asm/statement.h"
#include "asm/tasm.h"
#include "lib/options.h"
#include <inttypes.h>
#include <string.h>

enum {
    BYTES_IN_ROW = 4,
    ROWS_OF_BYTES = 5,
    SOURCE_COLUMNS = 99,
    HEADER_LINES = 3,
    GENERAL_LINES = 6
};

/* A file that is being printed. */
struct open_file {
    const struct source *source;
    unsigned line;         /* the next one to print */
    const char *next;      /* its text */
    bool hidden, left_out; /* lines between the rows are */
    struct open_file *below;
};

struct printer {
    struct assembler *as;
    struct text *text;
    struct open_file *top;
    unsigned page, page_lines; /* number of the page, of its lines so far */
};

/* ---- pages and lines ---- */

static void new_page(struct printer *printer)
{
    const struct listing *listing = &printer->as->listing;

    if (listing->no_pages)
        return;
    if (printer->page++)
        text_append_char(printer->text, '\f');
    text_format(printer->text, "TASM LISTING %s \t\t\tpage %u\n%s\n%s\n",
                printer->as->options.inputs.items[0], printer->page,
                listing->title ? listing->title : "", listing->subtitle ? listing->subtitle : "");
    printer->page_lines = HEADER_LINES;
}

static void end_line(struct printer *printer)
{
    text_append_char(printer->text, '\n');
    printer->page_lines++;
}

static void start_line(struct printer *printer)
{
    unsigned lines = printer->as->listing.page_lines;

    if (lines && printer->page_lines >= lines)
        new_page(printer);
}

static void put_source(struct printer *printer, const char *source, size_t length)
{
    unsigned columns = printer->as->listing.page_columns;
    size_t limit = columns && columns < SOURCE_COLUMNS ? columns : SOURCE_COLUMNS;

    if (length && source[length - 1] == '\r')
        length--;
    text_append_char(printer->text, '\t');
    text_append_bytes(printer->text, source, length < limit ? length : limit);
    end_line(printer);
}

/* ---- bytes ---- */

struct bytes {
    unsigned char values[BYTES_IN_ROW * ROWS_OF_BYTES];
    size_t count;
    uint64_t address; /* of the first byte */
};

/* Adds the bytes between the start and the end of the row. A statement that only changed the
 * section has none. */
static void gather(struct bytes *bytes, const struct listing_row *row)
{
    if (!row->fragment || !row->end_fragment ||
        row->fragment->section != row->end_fragment->section)
        return;
    const struct section *section = row->fragment->section;
    uint64_t start = fragment_address(row->fragment) + row->offset;
    uint64_t end = fragment_address(row->end_fragment) + row->end_offset;
    if (!bytes->count)
        bytes->address = start;
    for (; start < end && bytes->count < sizeof bytes->values; start++)
        bytes->values[bytes->count++] =
            section->image && start < section->size ? section->image[start] : 0;
}

static void put_bytes(struct printer *printer, const struct bytes *bytes, size_t from)
{
    size_t end = from + BYTES_IN_ROW < bytes->count ? from + BYTES_IN_ROW : bytes->count;

    for (size_t i = from; i < end; i++)
        text_format(printer->text, "%02X", bytes->values[i]);
    if (!from || end - from == BYTES_IN_ROW)
        text_format(printer->text, "%*s", (int)(2 * (from + BYTES_IN_ROW - end)) + 1, "");
}

static void put_line(struct printer *printer, unsigned line, const struct bytes *bytes,
                     const char *source, size_t length)
{
    start_line(printer);
    if (bytes->count) {
        text_format(printer->text, "%4u %04" PRIx64 " ", line, bytes->address);
        put_bytes(printer, bytes, 0);
    } else {
        text_format(printer->text, "%4u%14s", line, "");
    }
    put_source(printer, source, length);
    for (size_t i = BYTES_IN_ROW; i < bytes->count; i += BYTES_IN_ROW) {
        start_line(printer);
        text_format(printer->text, "%4u      ", line);
        put_bytes(printer, bytes, i);
        end_line(printer);
    }
}

/* ---- the lines of a file ---- */

/* Returns the next line of the file; NULL at its end. */
static const char *take_line(struct open_file *file, size_t *length)
{
    const struct diag_file *text = file->source->text;
    const char *end = text->bytes + text->length, *start = file->next;

    if (start >= end)
        return NULL;
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    *length = (size_t)((newline ? newline : end) - start);
    file->next = newline ? newline + 1 : end;
    file->line++;
    return start;
}

/* Prints the lines before `line`, which have no row. */
static void put_lines_before(struct printer *printer, unsigned line)
{
    static const struct bytes none = {.count = 0};
    struct open_file *file = printer->top;
    size_t length;

    while (file->line < line) {
        const char *source = take_line(file, &length);
        if (!source)
            return;
        if (!file->hidden && !(file->left_out && printer->as->listing.no_conditionals))
            put_line(printer, file->line - 1, &none, source, length);
    }
}

/* Makes the file of a row the top of the stack. The files above it have ended. */
static void enter_file(struct printer *printer, const struct source *source)
{
    const struct open_file *file = printer->top;

    while (file && file->source != source)
        file = file->below;
    if (!file) {
        struct open_file *opened = arena_new(printer->as->arena, struct open_file);
        *opened = (struct open_file){
            .source = source, .line = 1, .next = source->text->bytes, .below = printer->top};
        printer->top = opened;
        return;
    }
    for (; printer->top != file; printer->top = printer->top->below)
        put_lines_before(printer, -1u);
}

/* Prints the rows of one line of a file, from `first`; returns their number. */
static size_t put_rows(struct printer *printer, const struct listing_row *first, size_t count)
{
    const struct listing *listing = &printer->as->listing;
    struct open_file *file = printer->top;
    struct bytes bytes = {.count = 0};
    size_t rows = 0, length = 0;
    bool shown = false, ejects = false;

    for (; rows < count && first[rows].source == first->source && first[rows].line == first->line;
         rows++) {
        const struct listing_row *row = &first[rows];
        shown |= !row->hidden && !(row->left_out && listing->no_conditionals) &&
                 !(row->debugging && listing->no_debugging);
        ejects |= row->ejects;
        file->hidden = row->hidden;
        file->left_out = row->leaves_out;
        if (!row->expansion)
            gather(&bytes, row);
    }
    const char *source = file->line == first->line ? take_line(file, &length) : NULL;
    if (shown && (source || bytes.count))
        put_line(printer, first->line, &bytes, source ? source : "", length);
    for (size_t i = 0; shown && i < rows; i++) {
        if (!first[i].expansion || (first[i].left_out && listing->no_conditionals))
            continue;
        static const char marks[] = ">>>>>>>>";
        unsigned depth = first[i].depth < sizeof marks ? first[i].depth : sizeof marks - 1;
        struct bytes own = {.count = 0};
        gather(&own, &first[i]);
        const char *line =
            arena_format(printer->as->arena, "%.*s  %s", (int)depth, marks, first[i].expansion);
        put_line(printer, first->line, &own, line, strlen(line));
    }
    if (ejects && shown)
        new_page(printer);
    return rows;
}

static void put_source_lines(struct printer *printer)
{
    const struct listing *listing = &printer->as->listing;

    for (size_t i = 0; i < listing->count;) {
        const struct listing_row *row = &listing->rows[i];
        /* Also before the row of an .include, so that files above it end first. */
        enter_file(printer, row->source);
        if (!row->line) {
            i++;
            continue;
        }
        put_lines_before(printer, row->line);
        i += put_rows(printer, row, listing->count - i);
    }
    for (; printer->top; printer->top = printer->top->below)
        put_lines_before(printer, -1u);
}

/* ---- symbols and options ---- */

static void put_general(struct printer *printer)
{
    const struct tasm_options *options = &printer->as->options;

    text_format(printer->text,
                " tasm %s\n options passed\t: %s\n input file    \t: %s\n output file   \t: %s\n"
                " target        \t: riscv64\n\n",
                TOOL_VERSION, printer->as->listing.command, options->inputs.items[0],
                printer->as->options.output);
    printer->page_lines += GENERAL_LINES;
}

static void put_symbol(struct printer *printer, struct symbol *symbol)
{
    bool is_common = symbol->kind == SYMBOL_COMMON;
    const struct symbol *label;
    int64_t offset;
    const char *section = "*ABS*";
    uint64_t value = 0;
    struct value number;

    if (is_common) {
        section = "*COM*";
        value = symbol->common_size;
    } else if (symbol_locate(printer->as, symbol, &label, &offset)) {
        section = symbol_section(label)->name;
        value = symbol_address(label) + (uint64_t)offset;
    } else if (symbol->kind == SYMBOL_EQUATED &&
               expression_evaluate(printer->as, symbol->value, true, &number)) {
        value = (uint64_t)number.constant;
    }
    start_line(printer);
    const char *place = "";
    if (symbol->defined_at.origin && !is_common) {
        struct position at = location_position(printer->as, symbol->defined_at);
        if (at.file)
            place = arena_format(printer->as->arena, "%20s:%-5u", at.file->name, at.line);
    }
    text_format(printer->text, "%s%*s:%016" PRIx64 " ", place, 33 - (int)strlen(place), section,
                value);
    text_append_visible(printer->text, symbol->name);
    end_line(printer);
}

static bool is_listed(const struct symbol *symbol)
{
    return !symbol->generated && !symbol->superseded && !symbol->is_section && symbol->name &&
           *symbol->name;
}

static void put_symbols(struct printer *printer)
{
    static const char *const headings[2][2] = {{"DEFINED SYMBOLS", "NO DEFINED SYMBOLS"},
                                               {"UNDEFINED SYMBOLS", "NO UNDEFINED SYMBOLS"}};

    new_page(printer);
    for (int undefined = 0; undefined < 2; undefined++) {
        bool any = false;
        for (struct symbol *symbol = printer->as->symbols.first; symbol; symbol = symbol->next) {
            if (!is_listed(symbol) || (symbol->kind == SYMBOL_UNDEFINED) != undefined)
                continue;
            if (!any)
                text_format(printer->text, "%s%s\n", undefined ? "\n" : "", headings[undefined][0]);
            any = true;
            if (undefined) {
                text_append_visible(printer->text, symbol->name);
                text_append_char(printer->text, '\n');
            } else
                put_symbol(printer, symbol);
        }
        if (!any)
            text_format(printer->text, "%s%s\n", undefined ? "\n" : "", headings[undefined][1]);
    }
}

void listing_text(struct assembler *as, struct text *text)
{
    struct printer printer = {.as = as, .text = text};
    const struct listing *listing = &as->listing;

    if (listing->general || listing->lines)
        new_page(&printer);
    if (listing->general)
        put_general(&printer);
    if (listing->lines)
        put_source_lines(&printer);
    if (listing->symbols)
        put_symbols(&printer);
}
