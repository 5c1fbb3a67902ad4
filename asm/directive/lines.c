/* .file NUMBER and .loc: the line table as compilers describe it. */
#include "asm/lines.h"
#include "asm/constant.h"
#include "asm/directive/directive.h"
#include "asm/expression.h"
#include <inttypes.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 16 };

/* Reads `md5 0x…`, the digest of the source file, which clang writes. */
static bool read_digest(const struct item *items, struct line_file *file)
{
    const struct expression *word = items[0].kind == ITEM_EXPRESSION ? items[0].expression : NULL;
    const struct expression *number = items[1].kind == ITEM_EXPRESSION ? items[1].expression : NULL;

    if (!word || word->kind != EXPRESSION_NAME || strcmp(word->name, "md5") != 0 || !number)
        return false;
    file->has_digest = true;
    if (number->kind == EXPRESSION_CONSTANT)
        file->digest[0] = number->constant;
    else if (number->kind != EXPRESSION_BIG || !constant_read_octa(number->name, file->digest))
        return false;
    return true;
}

/* Reads what follows the number: ["DIRECTORY"] "NAME" [md5 DIGEST]. `directory` is NULL where there
 * is none. */
static bool read_names(struct assembler *as, const struct item *items, size_t count,
                       struct line_file *file, const char **directory, const char **name)
{
    size_t strings = 0;

    while (strings < count && items[strings].kind == ITEM_STRING && items[strings].string.length &&
           !memchr(items[strings].string.bytes, '\0', items[strings].string.length))
        strings++;
    if (strings < 1 || strings > 2)
        return false;
    *name = arena_string(as->arena, items[strings - 1].string.bytes);
    *directory = strings == 2 ? arena_string(as->arena, items[0].string.bytes) : NULL;
    return count == strings || (count == strings + 2 && read_digest(items + strings, file));
}

static bool is_same(const char *a, const char *b)
{
    return !a || !b ? a == b : strcmp(a, b) == 0;
}

/* .file NUMBER ["DIRECTORY"] "NAME" [md5 DIGEST] */
void lines_file(struct assembler *as, const struct parsed *parsed)
{
    const struct argument *argument = &parsed->arguments[0];
    const struct item *items = argument->items;
    struct position at = argument_place(parsed, 0);
    struct line_file file = {0};
    const char *directory, *name;
    int64_t number;

    if (parsed->argument_count != 1 || argument->count < 2 ||
        !read_names(as, items + 1, argument->count - 1, &file, &directory, &name)) {
        diag_error(as->diag, &at,
                   "expected '.file NUMBER \"NAME\"' or '.file NUMBER \"DIRECTORY\" \"NAME\"', and "
                   "maybe 'md5' and a number of up to 128 bits after it");
        return;
    }
    if (!expression_number(as, items[0].expression, "the number of a file", &number))
        return;
    if (number < 0 || number > FILE_LIMIT) {
        diag_error(as->diag, &at, "file number %" PRId64 " is out of range; expected 0..%d", number,
                   FILE_LIMIT);
        return;
    }
    lines_split_name(as, &file, number ? directory : NULL, name);
    if (!number && directory) { /* of the compilation; the name may have a directory too */
        as->lines.directory = directory;
        if (!file.directory)
            file.directory = directory;
    }
    struct line_file *entry = lines_file_at(as, (uint64_t)number);
    if (entry->name &&
        (!is_same(entry->directory, file.directory) || !is_same(entry->name, file.name))) {
        diag_error(as->diag, &at, "file number %" PRId64 " is already the number of '%s'", number,
                   entry->name);
        return;
    }
    *entry = file;
    as->lines.given = true;
}

/* ---- .loc ---- */

/* The state of reading the arguments of .loc: numbers, then words, most of them with a number. */
struct loc {
    struct assembler *as;
    const struct parsed *parsed;
    const struct item *items;
    size_t count, next;
};

__attribute__((format(printf, 3, 4))) static bool loc_error(const struct loc *loc, size_t index,
                                                            const char *format, ...)
{
    char message[200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const struct statement *statement = loc->parsed->statement;
    struct position at = index < loc->count ? statement_place(statement, loc->items[index].offset,
                                                              loc->items[index].length)
                                            : statement_place(statement, statement->length, 1);
    diag_error(loc->as->diag, &at, "%s", message);
    return false;
}

static bool loc_number(struct loc *loc, const char *what, uint32_t limit, uint32_t *number)
{
    int64_t value;
    size_t index = loc->next++;

    if (index >= loc->count || loc->items[index].kind != ITEM_EXPRESSION)
        return loc_error(loc, index, "'.loc': expected %s", what);
    if (!expression_number(loc->as, loc->items[index].expression, what, &value))
        return false;
    if (value < 0 || value > limit)
        return loc_error(loc, index, "'.loc': %s is %" PRId64 "; expected 0..%" PRIu32, what, value,
                         limit);
    *number = (uint32_t)value;
    return true;
}

/* view NAME: defines the name as the number of rows before this one at the same place. */
static bool loc_view(struct loc *loc)
{
    struct assembler *as = loc->as;
    struct lines *lines = &as->lines;
    size_t index = loc->next++;
    struct expression *name = index < loc->count && loc->items[index].kind == ITEM_EXPRESSION
                                  ? loc->items[index].expression
                                  : NULL;

    if (name && name->kind == EXPRESSION_CONSTANT && !name->constant) {
        lines->view = 0;
        return true;
    }
    if (!name || name->kind != EXPRESSION_NAME)
        return loc_error(loc, index, "'.loc': expected the name of a view or 0");
    struct position at = expression_place(name);
    struct expression *view = expression_constant(as, loc->parsed->statement->at, lines->view);
    symbol_assign(as, name->name, view, &at, true);
    return true;
}

static bool loc_word(struct loc *loc, struct line_row *row)
{
    size_t index = loc->next++;
    const struct expression *word =
        loc->items[index].kind == ITEM_EXPRESSION ? loc->items[index].expression : NULL;
    uint32_t number;

    if (word && word->kind == EXPRESSION_BINARY && word->operation == OPERATION_SUBTRACT &&
        word->left->kind == EXPRESSION_NAME && strcmp(word->left->name, "view") == 0)
        return true; /* view -0 */
    const char *name = word && word->kind == EXPRESSION_NAME ? word->name : "";
    if (strcmp(name, "view") == 0)
        return loc_view(loc);
    if (strcmp(name, "is_stmt") == 0) {
        if (!loc_number(loc, "'is_stmt'", 1, &number))
            return false;
        row->flags = number ? row->flags | LINE_STATEMENT : row->flags & ~(unsigned)LINE_STATEMENT;
    } else if (strcmp(name, "basic_block") == 0) {
        row->flags |= LINE_BLOCK;
    } else if (strcmp(name, "prologue_end") == 0) {
        row->flags |= LINE_PROLOGUE_END;
    } else if (strcmp(name, "epilogue_begin") == 0) {
        row->flags |= LINE_EPILOGUE;
    } else if (strcmp(name, "isa") == 0) {
        return loc_number(loc, "'isa'", INT32_MAX, &row->isa);
    } else if (strcmp(name, "discriminator") == 0) {
        return loc_number(loc, "'discriminator'", INT32_MAX, &row->discriminator);
    } else {
        return loc_error(loc, index,
                         "'.loc': expected basic_block, prologue_end, epilogue_begin, "
                         "is_stmt, isa, discriminator or view");
    }
    return true;
}

/* Updates the number of rows at the current location. */
static void count_view(struct assembler *as)
{
    struct lines *lines = &as->lines;
    const struct fragment *fragment = section_fragment(as);
    bool same = lines->last && lines->last->label->fragment == fragment &&
                lines->last->label->offset == fragment->length;

    lines->view = same ? lines->view + 1 : 0;
}

/* Returns a row at the current location as it is before the arguments of .loc change it. */
static struct line_row begin_row(struct assembler *as, const struct position *at)
{
    struct lines *lines = &as->lines;

    if (lines->pending)
        lines_add_row(as);
    count_view(as);
    struct line_row row = lines->now;
    row.at = location_of(as, at);
    row.discriminator = 0;
    return row;
}

static void finish_row(struct assembler *as, const struct line_row *row)
{
    as->lines.now = *row;
    as->lines.pending = as->lines.given = true;
}

/* .loc FILE LINE [COLUMN] [WORDS…] */
static void location(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct lines *lines = &as->lines;
    const struct argument *argument = &parsed->arguments[0];
    struct loc loc = {as, parsed, argument->items, argument->count, 0};

    struct line_row row = begin_row(as, parsed->statement->at);
    if (!loc_number(&loc, "the number of a file", FILE_LIMIT, &row.file) ||
        !loc_number(&loc, "a line", INT32_MAX, &row.line))
        return;
    if (row.file >= lines->file_count || !lines->files[row.file].name) {
        loc_error(&loc, 0,
                  "file number %" PRIu32 " has no name; expected '.file %" PRIu32
                  " \"NAME\"' before it",
                  row.file, row.file);
        return;
    }
    if (loc.next < loc.count && loc.items[loc.next].kind == ITEM_EXPRESSION &&
        loc.items[loc.next].expression->kind == EXPRESSION_CONSTANT &&
        !loc_number(&loc, "a column", INT32_MAX, &row.column))
        return;
    while (loc.next < loc.count)
        if (!loc_word(&loc, &row))
            return;
    finish_row(as, &row);
}

/* Reads a number up to the limit, and the blanks after it. NULL if there is none. */
static const char *quick_number(const char *text, uint32_t limit, uint32_t *number)
{
    uint64_t value;
    const char *end = plain_number(text, &value);

    if (!end || value > limit || !(*end == '\n' || *end == '#' || cut_class(*end) & CUT_BLANK))
        return NULL;
    *number = (uint32_t)value;
    return cut_blanks(end);
}

/* Reads the word and the blank after it. NULL if it is not that word. */
static const char *quick_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    return strncmp(text, word, length) == 0 && text[length] == ' ' ? cut_blanks(text + length)
                                                                   : NULL;
}

/* What .loc says if it has only numbers, `is_stmt` and `discriminator`. */
struct quick_location {
    uint32_t file, line, column, is_statement, discriminator;
    bool has_column, has_is_statement;
};

static const char *read_location(const char *text, struct quick_location *read)
{
    const char *next = quick_number(text, FILE_LIMIT, &read->file);

    next = next ? quick_number(next, INT32_MAX, &read->line) : NULL;
    if (next && *next >= '0' && *next <= '9') {
        next = quick_number(next, INT32_MAX, &read->column);
        read->has_column = true;
    }
    while (next && *next != '\n' && *next != '#') {
        const char *value = quick_word(next, "is_stmt");
        if (value) {
            next = quick_number(value, 1, &read->is_statement);
            read->has_is_statement = true;
        } else {
            value = quick_word(next, "discriminator");
            next = value ? quick_number(value, INT32_MAX, &read->discriminator) : NULL;
        }
    }
    return next;
}

const char *lines_location_quick(struct assembler *as, const char *text, struct position *at)
{
    struct quick_location read = {0};
    const char *end = read_location(text, &read), *last = end;

    if (!end || read.file >= as->lines.file_count || !as->lines.files[read.file].name)
        return NULL;
    while (cut_class(last[-1]) & CUT_BLANK)
        last--;
    at->length += (unsigned)(last - text);
    struct line_row row = begin_row(as, at);
    row.file = read.file;
    row.line = read.line;
    row.column = read.has_column ? read.column : row.column;
    row.discriminator = read.discriminator;
    if (read.has_is_statement)
        row.flags =
            (row.flags & ~(unsigned)LINE_STATEMENT) | (read.is_statement ? LINE_STATEMENT : 0);
    finish_row(as, &row);
    return end;
}

const struct directive directives_lines[] = {
    {".loc", location, 0, 1, 1},
    {0},
};
