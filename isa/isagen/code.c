/*
 * The C in the YAML as tokens: bodies, conditions, the code of CSRs and of state. isagen does not
 * parse C. It finds names, and reports unclosed brackets, strings and comments, which would damage
 * the rest of a generated file.
 */
#include "isa/isagen/spec.h"

#include <ctype.h>
#include <string.h>

static size_t skip_quoted(const char *text)
{
    size_t i = 1;

    while (text[i] && text[i] != text[0] && text[i] != '\n')
        i += text[i] == '\\' && text[i + 1] ? 2 : 1;
    return text[i] == text[0] ? i + 1 : i;
}

/* Returns the length of blanks, a comment, a string or a number at `text`. Returns 0 if a token
 * starts here. */
static size_t skip_other(const char *text)
{
    if (isspace((unsigned char)*text))
        return 1;
    if (text[0] == '/' && text[1] == '/')
        return strcspn(text, "\n");
    if (text[0] == '/' && text[1] == '*') {
        const char *end = strstr(text + 2, "*/");
        return end ? (size_t)(end + 2 - text) : strlen(text);
    }
    if (*text == '"' || *text == '\'')
        return skip_quoted(text);
    size_t i = 0;
    if (isdigit((unsigned char)*text))
        while (isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '.')
            i++;
    return i;
}

struct code_token spec_next_token(const char *text, size_t *offset)
{
    size_t skip;
    bool member = *offset && (text[*offset - 1] == '.' ||
                              (*offset > 1 && strncmp(text + *offset - 2, "->", 2) == 0));

    while ((skip = skip_other(text + *offset)))
        *offset += skip;
    struct code_token token = {CODE_OTHER, *offset, 1};
    const char *at = text + *offset;
    if (!*at) {
        token.kind = CODE_END;
        token.length = 0;
    } else if (isalpha((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)at[token.length]) || at[token.length] == '_')
            token.length++;
        token.kind = member ? CODE_MEMBER : CODE_NAME;
    }
    *offset += token.length;
    return token;
}

bool spec_is_called(const char *text, const struct code_token *token)
{
    size_t offset = token->offset + token->length;
    const struct code_token next = spec_next_token(text, &offset);

    return text[next.offset] == '(';
}

size_t spec_find_argument(const char *text, size_t offset, size_t index, size_t *begin)
{
    size_t depth = 0;

    *begin = offset;
    for (;;) {
        struct code_token token = spec_next_token(text, &offset);
        char c = text[token.offset];
        if (token.kind == CODE_END)
            return token.offset;
        if (token.kind != CODE_OTHER)
            continue;
        if (c == '(' && depth++ == 0)
            *begin = offset;
        if ((c == ')' && --depth == 0) || (c == ',' && depth == 1)) {
            if (index-- == 0 || c == ')')
                return token.offset;
            *begin = offset;
        }
    }
}

bool spec_code_names(const struct spec_code *code, const char *name)
{
    size_t offset = 0, length = strlen(name);

    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        if (token.kind == CODE_END)
            return false;
        if (token.kind == CODE_NAME && token.length == length &&
            memcmp(code->text + token.offset, name, length) == 0)
            return true;
    }
}

void spec_code_error(struct spec *spec, const struct spec_code *code, size_t offset, size_t length,
                     const char *message)
{
    struct position at = node_position(code->node, offset, length);

    if (spec_report_once(spec, &at))
        diag_error(spec->diag, &at, "%s", message);
}

struct spec_code spec_make_code(const struct spec *spec, const struct position *at,
                                const char *text)
{
    struct node *node = arena_new(spec->arena, struct node);

    *node = (struct node){.kind = NODE_SCALAR, .style = NODE_OTHER, .at = *at, .text = text};
    return (struct spec_code){text, node};
}

bool spec_report_once(struct spec *spec, const struct position *at)
{
    const char *place = arena_format(spec->arena, "%s:%u:%u", at->file->name, at->line, at->column);

    if (map_get(&spec->reported, place))
        return false;
    map_set(&spec->reported, place, spec);
    return true;
}

/* Reports unclosed strings and comments, which spec_next_token would skip past. */
static bool check_lexical(struct spec *spec, const struct spec_code *code, const char *what)
{
    for (const char *at = code->text; *at;) {
        size_t skip = skip_other(at), offset = (size_t)(at - code->text);
        bool quoted = *at == '"' || *at == '\'';
        if (quoted && (skip < 2 || at[skip - 1] != *at)) {
            spec_code_error(
                spec, code, offset, 1,
                arena_format(spec->arena, "a quote in %s is not closed on its line", what));
            return false;
        }
        if (at[0] == '/' && at[1] == '*' && (skip < 4 || strncmp(at + skip - 2, "*/", 2))) {
            spec_code_error(spec, code, offset, 2,
                            arena_format(spec->arena, "a comment in %s is not closed", what));
            return false;
        }
        if (at[0] == '/' && at[1] == '/' && code->node->style != NODE_BLOCK) {
            spec_code_error(spec, code, offset, 2,
                            arena_format(spec->arena,
                                         "a // comment in %s, which is one line; remove it", what));
            return false;
        }
        at += skip ? skip : 1;
    }
    return true;
}

bool spec_check_code(struct spec *spec, const struct spec_code *code, const char *what)
{
    char open[32];
    size_t depth = 0, offset = 0;

    if (!check_lexical(spec, code, what))
        return false;
    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        char c = code->text[token.offset];
        if (token.kind == CODE_END)
            break;
        if (token.kind != CODE_OTHER || !strchr("(){}[]#", c))
            continue;
        if (c == '#') {
            spec_code_error(
                spec, code, token.offset, 1,
                arena_format(spec->arena, "'#' in %s; no preprocessor directives here", what));
            return false;
        }
        if (strchr("({[", c) && depth < sizeof open) {
            open[depth++] = c == '(' ? ')' : c == '{' ? '}' : ']';
        } else if (!depth || open[--depth] != c) {
            spec_code_error(spec, code, token.offset, 1,
                            arena_format(spec->arena,
                                         "'%c' in %s does not match; check the brackets", c, what));
            return false;
        }
    }
    if (depth)
        spec_code_error(spec, code, 0, 1,
                        arena_format(spec->arena, "%s ends without '%c'", what, open[depth - 1]));
    return !depth;
}
