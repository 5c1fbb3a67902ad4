/*
 * libyaml's events become a tree. libyaml counts columns in characters while diagnostics count
 * bytes, so every mark is converted with the help of the source line. The depth is bounded, so that
 * neither this recursion nor a later one can exhaust the stack.
 */
#include "isa/isagen/node.h"

#include "lib/file.h"
#include "lib/text.h"
#include <ctype.h>
#include <string.h>
#include <yaml.h>

enum { DEPTH_LIMIT = 24 };

struct reading {
    struct node_context *context;
    const struct diag_file *file;
    yaml_parser_t parser;
    bool failed;             /* the rest of the file is not read */
    unsigned known_line;     /* the line that was last looked up (from 1; 0: none yet), */
    const char *known_start; /* and where it begins */
};

/* Returns the start of the line `count` lines below the one at `at`. */
static const char *skip_lines(const struct diag_file *file, const char *at, unsigned count)
{
    const char *end = file->bytes + file->length;

    for (; count; count--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            return end;
        at = newline + 1;
    }
    return at;
}

static const char *line_start(const struct diag_file *file, unsigned line)
{
    return skip_lines(file, file->bytes, line - 1);
}

/* Returns the start of a line quickly: marks are mostly in ascending order. */
static const char *next_line_start(struct reading *reading, unsigned line)
{
    if (!reading->known_line || line < reading->known_line) {
        reading->known_line = 1;
        reading->known_start = reading->file->bytes;
    }
    reading->known_start =
        skip_lines(reading->file, reading->known_start, line - reading->known_line);
    reading->known_line = line;
    return reading->known_start;
}

static size_t line_length(const struct diag_file *file, const char *start)
{
    size_t rest = (size_t)(file->bytes + file->length - start);
    const char *newline = memchr(start, '\n', rest);
    size_t length = newline ? (size_t)(newline - start) : rest;

    return length && start[length - 1] == '\r' ? length - 1 : length;
}

/* Returns the bytes of the first `characters` UTF-8 characters of the line. */
static size_t bytes_of(const struct diag_file *file, const char *start, size_t characters)
{
    size_t length = line_length(file, start), i = 0;

    for (; characters && i < length; characters--) {
        i++;
        while (i < length && ((unsigned char)start[i] & 0xc0) == 0x80)
            i++;
    }
    return i;
}

static struct position position_at(struct reading *reading, const yaml_mark_t *mark, size_t length)
{
    const char *start = next_line_start(reading, (unsigned)mark->line + 1);

    return (struct position){
        .file = reading->file,
        .line = (unsigned)mark->line + 1,
        .column = (unsigned)bytes_of(reading->file, start, mark->column) + 1,
        .length = (unsigned)length,
    };
}

/* The caret of a scalar on one line covers it; that of a collection marks its start. */
static struct position event_position(struct reading *reading, const yaml_event_t *event)
{
    struct position at = position_at(reading, &event->start_mark, 1);

    if (event->type == YAML_SCALAR_EVENT && event->start_mark.line == event->end_mark.line) {
        struct position end = position_at(reading, &event->end_mark, 1);
        if (end.column > at.column)
            at.length = end.column - at.column;
    }
    return at;
}

/* Does libyaml complain about a tab in the indentation of the line? Moves the position to the tab.
 */
static bool is_tab_in_indentation(const yaml_parser_t *parser, const struct diag_file *file,
                                  struct position *at)
{
    const char *start = line_start(file, at->line);
    size_t length = line_length(file, start), column = 0;

    while (column < length && start[column] == ' ')
        column++;
    if (column == length || start[column] != '\t')
        return false;
    if (at->column != column + 1 && !(parser->problem && strstr(parser->problem, "tab character")))
        return false;
    at->column = (unsigned)column + 1;
    return true;
}

/* Returns what to do about the colon of C's ?:, which ends a text without quotes. */
static const char *colon_advice(const char *problem)
{
    return strstr(problem, "mapping values")
               ? "; put a text with ': ' in quotes, or after '|' on lines of its own"
               : "";
}

static void report_parser(struct reading *reading)
{
    yaml_parser_t *parser = &reading->parser;
    struct position at = {.file = reading->file, .line = 1, .column = 1, .length = 1};
    const char *problem = parser->problem ? parser->problem : "cannot be parsed";

    if (parser->error == YAML_READER_ERROR) {
        for (size_t i = 0; i < parser->problem_offset && i < reading->file->length; i++)
            at.line += reading->file->bytes[i] == '\n';
        diag_error(reading->context->diag, &at,
                   "malformed YAML: %s (byte 0x%02x at offset %zu); expected UTF-8 text", problem,
                   (unsigned)parser->problem_value, parser->problem_offset);
    } else {
        at = position_at(reading, &parser->problem_mark, 1);
        if (is_tab_in_indentation(parser, reading->file, &at))
            diag_error(reading->context->diag, &at,
                       "malformed YAML: a tab in the indentation; expected blanks: replace the tab "
                       "with as many as the lines around it have");
        else
            diag_error(reading->context->diag, &at, "malformed YAML: %s%s%s%s", problem,
                       parser->context ? " " : "", parser->context ? parser->context : "",
                       colon_advice(problem));
    }
    reading->failed = true;
}

static void report_event(struct reading *reading, const yaml_event_t *event, const char *message)
{
    struct position at = position_at(reading, &event->start_mark, 1);

    diag_error(reading->context->diag, &at, "%s", message);
    reading->failed = true;
}

static bool next_event(struct reading *reading, yaml_event_t *event)
{
    if (yaml_parser_parse(&reading->parser, event))
        return true;
    report_parser(reading);
    return false;
}

static enum node_style scalar_style(const yaml_event_t *event, const char *text)
{
    if (event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE)
        return NODE_BLOCK;
    if (event->start_mark.line != event->end_mark.line)
        return NODE_OTHER;
    size_t width = event->end_mark.column - event->start_mark.column;
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        return NODE_PLAIN;
    return width == strlen(text) + 2 ? NODE_QUOTED : NODE_OTHER;
}

static struct node *scalar(struct reading *reading, const yaml_event_t *event)
{
    struct node *node = arena_new(reading->context->arena, struct node);

    node->kind = NODE_SCALAR;
    node->at = event_position(reading, event);
    if (memchr(event->data.scalar.value, 0, event->data.scalar.length)) {
        report_event(reading, event, "a NUL character in a text; remove it");
        return NULL;
    }
    node->text = arena_copy(reading->context->arena, (const char *)event->data.scalar.value,
                            event->data.scalar.length);
    node->style = scalar_style(event, node->text);
    return node;
}

static void push(struct reading *reading, struct node *node, size_t used, struct node *item)
{
    node->items = arena_grow(reading->context->arena, node->items, used, &node->capacity,
                             sizeof(struct node *));
    node->items[used] = item;
}

static struct node *read_node(struct reading *reading, const yaml_event_t *event, unsigned depth);

static bool read_item(struct reading *reading, yaml_event_type_t end, unsigned depth,
                      struct node **item)
{
    yaml_event_t event;

    if (!next_event(reading, &event))
        return false;
    bool more = event.type != end;
    *item = more ? read_node(reading, &event, depth + 1) : NULL;
    yaml_event_delete(&event);
    return more && !reading->failed;
}

static void read_sequence(struct reading *reading, struct node *node, unsigned depth)
{
    struct node *item;

    while (read_item(reading, YAML_SEQUENCE_END_EVENT, depth, &item)) {
        push(reading, node, node->count, item);
        node->count++;
    }
}

static void read_mapping(struct reading *reading, struct node *node, unsigned depth)
{
    struct node *key, *value;
    struct map seen;

    map_init(&seen, reading->context->arena);
    while (read_item(reading, YAML_MAPPING_END_EVENT, depth, &key)) {
        if (key->kind != NODE_SCALAR) {
            diag_error(reading->context->diag, &key->at,
                       "the key is not a plain text; expected a name");
            reading->failed = true;
            return;
        }
        if (!read_item(reading, YAML_NO_EVENT, depth, &value))
            return;
        struct node *first = map_get(&seen, key->text);
        if (first) {
            diag_error(reading->context->diag, &key->at,
                       "'%s' appears twice in this mapping; remove one", key->text);
            diag_note(reading->context->diag, &first->at, "first here");
            continue;
        }
        map_set(&seen, key->text, key);
        push(reading, node, node->count * 2, key);
        push(reading, node, node->count * 2 + 1, value);
        node->count++;
    }
}

static bool has_properties(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor || event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    default:
        return false;
    }
}

/* Returns NULL exactly if reading->failed has been set. */
static struct node *read_node(struct reading *reading, const yaml_event_t *event, unsigned depth)
{
    if (event->type == YAML_ALIAS_EVENT || has_properties(event)) {
        report_event(reading, event,
                     "YAML anchors, aliases and tags are not part of the ISA description format; "
                     "write the value out");
        return NULL;
    }
    if (depth > DEPTH_LIMIT) {
        report_event(reading, event, "nested too deeply for an ISA description");
        return NULL;
    }
    if (event->type == YAML_SCALAR_EVENT)
        return scalar(reading, event);

    struct node *node = arena_new(reading->context->arena, struct node);
    node->at = event_position(reading, event);
    if (event->type == YAML_SEQUENCE_START_EVENT) {
        node->kind = NODE_SEQUENCE;
        read_sequence(reading, node, depth);
    } else {
        node->kind = NODE_MAPPING;
        read_mapping(reading, node, depth);
    }
    return reading->failed ? NULL : node;
}

static struct node *read_document(struct reading *reading)
{
    struct node *root = NULL;
    bool done = false;

    while (!done && !reading->failed) {
        yaml_event_t event;
        if (!next_event(reading, &event))
            break;
        if (event.type == YAML_STREAM_END_EVENT)
            done = true;
        else if (event.type == YAML_DOCUMENT_START_EVENT && root)
            report_event(reading, &event,
                         "a second YAML document; expected one document in a file");
        else if (event.type != YAML_STREAM_START_EVENT && event.type != YAML_DOCUMENT_START_EVENT &&
                 event.type != YAML_DOCUMENT_END_EVENT)
            root = read_node(reading, &event, 0);
        yaml_event_delete(&event);
    }
    return reading->failed ? NULL : root;
}

struct node *node_read(struct node_context *context, const char *name)
{
    struct diag_file *file = arena_new(context->arena, struct diag_file);

    if (!file_read(context->arena, context->diag, NULL, name, file))
        return NULL;

    struct reading reading = {.context = context, .file = file};
    if (!yaml_parser_initialize(&reading.parser)) {
        diag_error(context->diag, NULL, "no memory for the YAML parser");
        return NULL;
    }
    /* libyaml skips a byte order mark only where it finds the encoding itself. */
    size_t start = strncmp(file->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    yaml_parser_set_input_string(&reading.parser, (const unsigned char *)file->bytes + start,
                                 file->length - start);
    yaml_parser_set_encoding(&reading.parser, YAML_UTF8_ENCODING);
    struct node *root = read_document(&reading);
    yaml_parser_delete(&reading.parser);

    if (!root && !reading.failed) {
        struct position at = {.file = file, .line = 1, .column = 1, .length = 1};
        diag_error(context->diag, &at,
                   "the file is empty; expected sections such as 'instructions'");
    }
    return root;
}

struct position node_position(const struct node *scalar, size_t offset, size_t length)
{
    struct position at = scalar->at;

    if (scalar->style == NODE_OTHER)
        return at;
    at.length = length ? (unsigned)length : 1;
    if (scalar->style == NODE_BLOCK) {
        const char *line = scalar->text;
        for (const char *c = scalar->text; c < scalar->text + offset; c++) {
            if (*c == '\n') {
                at.line++;
                line = c + 1;
            }
        }
        at.line++;
        size_t indented = line_length(at.file, line_start(at.file, at.line));
        size_t plain = strcspn(line, "\n");
        at.column = (unsigned)(indented > plain ? indented - plain : 0) + 1 +
                    (unsigned)(scalar->text + offset - line);
    } else {
        at.column += (unsigned)offset + (scalar->style == NODE_QUOTED);
    }
    return at;
}
