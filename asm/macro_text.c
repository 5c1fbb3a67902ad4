/* Arguments of macros, and their substitution into bodies.
 *
 * GNU as replaces \name in the text of a body before anything is parsed, so this file works on
 * bytes. Arguments are texts, separated by commas or by blanks between words. After .altmacro a
 * parameter needs no backslash, may have an ampersand before and after it, an argument may be
 * <text> or %expression, and LOCAL declares names that are new in each expansion. */
#include "asm/macro_text.h"
#include "asm/expression.h"
#include "asm/parse.h"
#include "asm/tasm.h"
#include <inttypes.h>
#include <string.h>

static bool is_name_byte(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$' ||
           (c & 0x80) || (!first && c >= '0' && c <= '9');
}

void reader_skip_blanks(struct reader *reader)
{
    while (reader->next < reader->end && text_is_blank(*reader->next))
        reader->next++;
}

bool reader_accept(struct reader *reader, char c)
{
    reader_skip_blanks(reader);
    if (reader->next == reader->end || *reader->next != c)
        return false;
    reader->next++;
    return true;
}

static struct span name_at(const char *text, const char *end)
{
    struct span name = {.text = text};

    while (text < end && is_name_byte(*text, text == name.text))
        text++;
    name.length = (size_t)(text - name.text);
    return name;
}

struct span reader_name(struct reader *reader)
{
    reader_skip_blanks(reader);
    struct span name = name_at(reader->next, reader->end);
    reader->next += name.length;
    return name;
}

void reader_complain(struct reader *reader, const char *format, ...)
{
    char message[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct position at =
        statement_place(reader->statement, (size_t)(reader->next - reader->statement->text), 1);
    diag_error(reader->as->diag, &at, "%s", message);
}

/* ---- arguments ---- */

/* Copies a text that was built here, and frees it. */
static struct span keep(struct reader *reader, struct text *text)
{
    struct span span = {
        .text = arena_copy(reader->as->arena, text->bytes ? text->bytes : "", text->length),
        .length = text->length};

    text_free(text);
    return span;
}

/* Reads a quoted argument: the text between the quotes. Escapes are kept; two quotes mean one.
 * After .altmacro, `!` quotes the next byte. */
static void read_quoted(struct reader *reader, struct text *text)
{
    bool alternate = reader->as->macros.alternate;

    for (reader->next++; reader->next < reader->end; reader->next++) {
        char c = *reader->next;
        bool more = reader->next + 1 < reader->end;
        if (c == '"' && !(more && reader->next[1] == '"'))
            break;
        if (more && c == '\\')
            text_append_char(text, c);
        if (more && (c == '\\' || c == '"' || (alternate && c == '!')))
            c = *++reader->next;
        text_append_char(text, c);
    }
    if (reader->next < reader->end)
        reader->next++;
}

/* Reads <text>, which may contain <more text>; `!` quotes the next byte. */
static void read_angled(struct reader *reader, struct text *text)
{
    const char *open = reader->next;
    unsigned depth = 0;

    for (reader->next++; reader->next < reader->end; reader->next++) {
        char c = *reader->next;
        if (c == '>' && !depth--)
            break;
        depth += c == '<';
        if (c == '!' && reader->next + 1 < reader->end)
            c = *++reader->next;
        text_append_char(text, c);
    }
    if (reader->next < reader->end) {
        reader->next++;
        return;
    }
    reader->next = open;
    reader_complain(reader, "'<' without '>'");
    reader->next = reader->end;
}

/* Reads adjacent strings as one argument. After .altmacro, strings in quotes keep their quotes. */
static struct span read_string(struct reader *reader)
{
    struct text text = TEXT_INIT;
    bool alternate = reader->as->macros.alternate;
    bool quotes = alternate && *reader->next == '"';

    if (quotes)
        text_append_char(&text, '"');
    while (reader->next < reader->end &&
           (*reader->next == '"' || (alternate && *reader->next == '<'))) {
        if (*reader->next == '"')
            read_quoted(reader, &text);
        else
            read_angled(reader, &text);
    }
    if (quotes)
        text_append_char(&text, '"');
    return keep(reader, &text);
}

/* Reads %expression; returns its value in decimal. `%1+2 3` is the expression `1+2`, then another
 * argument. */
static struct span read_value(struct reader *reader)
{
    struct assembler *as = reader->as;
    size_t start = (size_t)(reader->next + 1 - reader->statement->text), end = start;

    for (unsigned depth = 0; end < reader->statement->length; end++) {
        char c = reader->statement->text[end];
        if (c == ',' && !depth)
            break;
        depth += c == '(';
        depth -= depth && c == ')';
    }
    /* A copy, because the scanner works in place. */
    struct statement part = {
        .text = arena_alloc(as->scratch, end + 3), .length = end, .at = reader->statement->at};
    memcpy(part.text, reader->statement->text, end);
    statement_find_word(&part);
    struct parsed parsed;
    struct expression *expression = NULL;
    int64_t number = 0;
    reader->next = reader->statement->text + end;
    if (!parse_arguments(as, &part, start, &parsed))
        return (struct span){"0", 1};
    struct argument *argument = parsed.argument_count ? parsed.arguments : NULL;
    if (argument && argument->count && argument->items->kind == ITEM_EXPRESSION)
        expression = argument->items->expression;
    if (argument && argument->count > 1)
        reader->next = reader->statement->text + argument->items[1].offset;
    if (expression) {
        expression_number(as, expression, "the value of '%'", &number);
    } else {
        reader->next = reader->statement->text + start - 1;
        reader_complain(reader, "expected an expression after '%%'");
        reader->next = reader->end;
    }
    const char *text = arena_format(as->arena, "%" PRId64, number);
    return (struct span){text, strlen(text)};
}

/* Does the blank at the next byte end the argument? It does between two words: `a b` are two
 * arguments, `a + b` is one. */
static bool blank_separates(const struct reader *reader, const char *start)
{
    const char *after = reader->next;

    while (after < reader->end && text_is_blank(*after))
        after++;
    if (after == reader->end || reader->next == start)
        return true;
    static const char joins[] = "+-*/|&^~!<>=)(:,";
    if (strchr("+*/|&^<>=),:", *after))
        return false;
    return !strchr(joins, reader->next[-1]) || reader->next[-1] == ')';
}

struct span reader_argument(struct reader *reader)
{
    bool alternate = reader->as->macros.alternate;

    reader_skip_blanks(reader);
    if (reader->next < reader->end && *reader->next == '%' && alternate)
        return read_value(reader);
    if (reader->next < reader->end && (*reader->next == '"' || (alternate && *reader->next == '<')))
        return read_string(reader);
    struct span span = {.text = reader->next};
    unsigned depth = 0;
    for (; reader->next < reader->end && *reader->next != ','; reader->next++) {
        char c = *reader->next;
        if ((text_is_blank(c) && !depth && blank_separates(reader, span.text)) ||
            (alternate && c == '<'))
            break;
        if (c == '"' || c == '\'') {
            const char *close =
                memchr(reader->next + 1, c, (size_t)(reader->end - reader->next - 1));
            if (close)
                reader->next = close;
        }
        depth += c == '(' || c == '[';
        depth -= depth && (c == ')' || c == ']');
    }
    span.length = (size_t)(reader->next - span.text);
    while (span.length && text_is_blank(span.text[span.length - 1]))
        span.length--;
    return span;
}

/* ---- substitution ---- */

/* A name that LOCAL declares. */
struct local_name {
    struct span name;
    const char *value;
    struct local_name *next;
};

/* The state of substituting into a body. */
struct substituter {
    const struct substitution *substitution;
    struct text *out;
    const char *next, *end;
    struct local_name *locals;
    bool alternate, quoted;
};

static bool same_name(struct span a, const char *name, size_t length)
{
    return a.length == length && memcmp(a.text, name, length) == 0;
}

/* Appends the value of the name; false if the name is not a parameter. */
static bool put_value(struct substituter *substituter, struct span name)
{
    const struct substitution *substitution = substituter->substitution;

    for (size_t i = 0; i < substitution->count; i++) {
        const struct parameter *parameter = &substitution->parameters[i];
        if (same_name(name, parameter->name, parameter->name_length)) {
            text_append_bytes(substituter->out, substitution->values[i].text,
                              substitution->values[i].length);
            return true;
        }
    }
    for (const struct local_name *local = substituter->locals; local; local = local->next) {
        if (same_name(name, local->name.text, local->name.length)) {
            text_append(substituter->out, local->value);
            return true;
        }
    }
    return false;
}

/* Reads the name at the next byte. After .altmacro also an ampersand that ends it (*joined). */
static struct span take_name(struct substituter *substituter, bool *joined)
{
    struct span name = name_at(substituter->next, substituter->end);

    substituter->next += name.length;
    *joined =
        substituter->alternate && substituter->next < substituter->end && *substituter->next == '&';
    substituter->next += *joined;
    return name;
}

/* Replaces \name, \@ and \(). Any other backslash is kept. */
static void substitute_escape(struct substituter *substituter)
{
    const char *c = ++substituter->next;
    bool joined;

    if (c < substituter->end && *c == '@' && substituter->substitution->is_macro) {
        text_format(substituter->out, "%lu", substituter->substitution->number);
        substituter->next++;
        return;
    }
    if (c + 1 < substituter->end && c[0] == '(' && c[1] == ')') {
        substituter->next += 2;
        return;
    }
    struct span name = take_name(substituter, &joined);
    if (name.length && put_value(substituter, name))
        return;
    text_append_char(substituter->out, '\\');
    text_append_bytes(substituter->out, name.text, name.length);
}

static void substitute_ampersand(struct substituter *substituter)
{
    bool joined;

    substituter->next++;
    struct span name = take_name(substituter, &joined);
    if (name.length && put_value(substituter, name))
        return;
    text_append_char(substituter->out, '&');
    text_append_bytes(substituter->out, name.text, name.length);
    if (joined)
        text_append_char(substituter->out, '&');
}

static bool is_local(const struct substituter *substituter)
{
    return substituter->substitution->is_macro && !substituter->quoted &&
           substituter->end - substituter->next > 5 &&
           strncasecmp(substituter->next, "LOCAL", 5) == 0 && text_is_blank(substituter->next[5]);
}

/* Declares the names of LOCAL NAME, … */
static void declare_locals(struct substituter *substituter)
{
    struct assembler *as = substituter->substitution->as;

    for (substituter->next += 5; substituter->next < substituter->end;) {
        while (substituter->next < substituter->end &&
               (text_is_blank(*substituter->next) || *substituter->next == ','))
            substituter->next++;
        struct span name = name_at(substituter->next, substituter->end);
        substituter->next += name.length;
        if (!name.length)
            return;
        size_t length = substituter->out->length;
        if (put_value(substituter, name)) {
            substituter->out->length = length;
            diag_error(as->diag, substituter->substitution->at,
                       "'%.*s' of LOCAL is already a parameter of the macro or a name of LOCAL",
                       (int)name.length, name.text);
            return;
        }
        struct local_name *local = arena_new(as->arena, struct local_name);
        *local = (struct local_name){
            .name = name,
            .value = arena_format(as->arena, ".LL%04lx", ++as->macros.local_count),
            .next = substituter->locals};
        substituter->locals = local;
    }
}

static void substitute_word(struct substituter *substituter)
{
    bool joined;

    if (is_local(substituter)) {
        declare_locals(substituter);
        return;
    }
    struct span name = take_name(substituter, &joined);
    if (!put_value(substituter, name))
        text_append_bytes(substituter->out, name.text, name.length);
}

/* Copies a comment, in which LOCAL has no meaning. */
static void copy_comment(struct substituter *substituter)
{
    const char *start = substituter->next;
    const char *newline = memchr(start, '\n', (size_t)(substituter->end - start));

    substituter->next = newline ? newline : substituter->end;
    text_append_bytes(substituter->out, start, (size_t)(substituter->next - start));
}

/* Copies text in which nothing is replaced. Quotes matter only after .altmacro. */
static void copy_plain(struct substituter *substituter)
{
    const char *start = substituter->next, *end = substituter->end;

    while (substituter->next < end && *substituter->next != '\\' && *substituter->next != '&')
        substituter->next++;
    text_append_bytes(substituter->out, start, (size_t)(substituter->next - start));
}

void macro_substitute(struct text *out, const struct body *body,
                      const struct substitution *substitution)
{
    struct substituter substituter = {.substitution = substitution,
                                      .out = out,
                                      .next = body->text,
                                      .end = body->text + body->length,
                                      .alternate = substitution->as->macros.alternate};

    while (substituter.next < substituter.end) {
        char c = *substituter.next;
        if (c == '\\') {
            substitute_escape(&substituter);
        } else if (c == '&') {
            substitute_ampersand(&substituter);
        } else if (!substituter.alternate) {
            copy_plain(&substituter);
        } else if (c == '#' && !substituter.quoted) {
            copy_comment(&substituter);
        } else if (is_name_byte(c, true)) {
            substitute_word(&substituter);
        } else {
            substituter.quoted = (substituter.quoted ^ (c == '"')) && c != '\n';
            text_append_char(out, c);
            substituter.next++;
        }
    }
}
