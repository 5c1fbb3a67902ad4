/*
 * Typed access to the nodes of a YAML tree. Readers of sections say here what they expect, and all
 * messages about wrong shapes come from here.
 */
#include "isa/isagen/node.h"

#include "lib/text.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct node *node_get(const struct node *mapping, const char *key)
{
    if (!mapping || mapping->kind != NODE_MAPPING)
        return NULL;
    for (size_t i = 0; i < mapping->count; i++)
        if (strcmp(mapping->items[2 * i]->text, key) == 0)
            return mapping->items[2 * i + 1];
    return NULL;
}

static const char *kind_name(enum node_kind kind)
{
    switch (kind) {
    case NODE_SCALAR:
        return "a single value";
    case NODE_SEQUENCE:
        return "a list";
    case NODE_MAPPING:
        return "a mapping (key: value)";
    }
    return "?";
}

bool node_expect(struct node_context *context, const struct node *node, enum node_kind kind,
                 const char *what)
{
    if (node->kind == kind)
        return true;
    if (node->kind == NODE_SCALAR && !node->text[0])
        diag_error(context->diag, &node->at, "%s is empty; expected %s", what, kind_name(kind));
    else
        diag_error(context->diag, &node->at, "%s is %s; expected %s", what, kind_name(node->kind),
                   kind_name(kind));
    return false;
}

static bool key_matches(const char *spec, const char *key)
{
    size_t length = strcspn(spec, "!");

    return strlen(key) == length && strncmp(spec, key, length) == 0;
}

static void report_unknown_key(struct node_context *context, const struct node *key,
                               const char *what, const char *const *keys)
{
    const char *list = "; expected one of";
    struct suggestion suggestion;

    suggest_init(&suggestion, key->text);
    for (size_t i = 0; keys[i]; i++) {
        char *name = arena_copy(context->arena, keys[i], strcspn(keys[i], "!"));
        suggest_add(&suggestion, name);
        list = arena_format(context->arena, "%s%s '%s'", list, i ? "," : "", name);
    }
    diag_error(context->diag, &key->at, "unknown key '%s' in %s%s", key->text, what,
               node_near(context, &suggestion, list));
}

/* A summary becomes a comment in generated C. */
static void check_summary(struct node_context *context, const struct node *summary)
{
    if (summary && summary->kind == NODE_SCALAR &&
        (strstr(summary->text, "/*") || strstr(summary->text, "*/")))
        diag_error(context->diag, &summary->at,
                   "a summary with '/*' or '*/'; say it without, since it becomes a comment of C");
}

bool node_check_keys(struct node_context *context, const struct node *mapping, const char *what,
                     const char *const *keys)
{
    bool complete = true;

    if (!node_expect(context, mapping, NODE_MAPPING, what))
        return false;
    for (size_t i = 0; i < mapping->count; i++) {
        size_t k = 0;
        while (keys[k] && !key_matches(keys[k], mapping->items[2 * i]->text))
            k++;
        if (!keys[k])
            report_unknown_key(context, mapping->items[2 * i], what, keys);
    }
    check_summary(context, node_get(mapping, "summary"));
    for (size_t k = 0; keys[k]; k++) {
        size_t length = strcspn(keys[k], "!");
        char *name = arena_copy(context->arena, keys[k], length);
        if (keys[k][length] && !node_get(mapping, name)) {
            diag_error(context->diag, &mapping->at, "%s has no '%s'; add it", what, name);
            complete = false;
        }
    }
    return complete;
}

const char *node_text(struct node_context *context, const struct node *node, const char *what)
{
    if (!node || !node_expect(context, node, NODE_SCALAR, what))
        return NULL;
    if (!node->text[0] && node->style != NODE_QUOTED) {
        diag_error(context->diag, &node->at, "%s is empty; expected a text", what);
        return NULL;
    }
    return node->text;
}

bool node_bool(struct node_context *context, const struct node *node, const char *what,
               bool otherwise)
{
    const char *text = node_text(context, node, what);

    if (!text)
        return otherwise;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return text[0] == 't';
    diag_error(context->diag, &node->at, "%s is '%s'; expected true or false", what, text);
    return otherwise;
}

bool node_parse_unsigned(const char *text, uint64_t *value)
{
    unsigned base = 10;
    uint64_t result = 0;
    bool digit_before = false;

    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'b')) {
        base = text[1] == 'x' ? 16 : 2;
        text += 2;
    }
    for (; *text; text++) {
        if (*text == '_' && digit_before && text[1] && text[1] != '_')
            continue;
        unsigned digit = (unsigned)text_hex_digit(*text); /* not a digit: a large number */
        if (digit >= base || __builtin_mul_overflow(result, base, &result) ||
            __builtin_add_overflow(result, digit, &result))
            return false;
        digit_before = true;
    }
    *value = result;
    return digit_before;
}

bool node_parse_integer(const char *text, int64_t *value)
{
    bool negative = text[0] == '-';
    uint64_t magnitude;

    if (!node_parse_unsigned(text + negative, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = negative ? (int64_t)-magnitude : (int64_t)magnitude;
    return true;
}

bool node_unsigned(struct node_context *context, const struct node *node, const char *what,
                   uint64_t maximum, uint64_t *value)
{
    uint64_t number;
    const char *text = node_text(context, node, what);

    if (!text)
        return false;
    if (!node_parse_unsigned(text, &number)) {
        diag_error(context->diag, &node->at,
                   "%s is '%s'; expected an unsigned integer of up to 64 bits (decimal, 0x or 0b)",
                   what, text);
        return false;
    }
    if (number > maximum) {
        diag_error(context->diag, &node->at, "%s is %s; expected at most %llu", what, text,
                   (unsigned long long)maximum);
        return false;
    }
    *value = number;
    return true;
}

bool node_is_name(const char *text, bool dots)
{
    if (!isalpha((unsigned char)text[0]) && text[0] != '_')
        return false;
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && !(dots && *c == '.'))
            return false;
    return true;
}

bool node_is_number(const char *text)
{
    char *end;

    if (!isdigit((unsigned char)text[*text == '-']))
        return false;
    strtod(text, &end);
    return !*end;
}

const char *node_near(struct node_context *context, struct suggestion *suggestion,
                      const char *otherwise)
{
    const char *near = suggest_text(suggestion);

    return near ? arena_format(context->arena, "; did you mean %s?", near) : otherwise;
}

const char *node_suggest(struct node_context *context, const struct map *map, const char *word)
{
    struct suggestion suggestion;

    suggest_init(&suggestion, word);
    for (size_t i = 0; i < map->count; i++)
        suggest_add(&suggestion, map->entries[i].key);
    return node_near(context, &suggestion, "");
}

int node_word(struct node_context *context, const struct node *node, const char *what,
              const char *const *words)
{
    const char *text = node_text(context, node, what), *list = "; expected ";
    struct suggestion suggestion;

    if (!text)
        return -1;
    suggest_init(&suggestion, text);
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
        suggest_add(&suggestion, words[i]);
        list = arena_format(context->arena, "%s%s%s", list,
                            !i             ? ""
                            : words[i + 1] ? ", "
                                           : " or ",
                            words[i]);
    }
    diag_error(context->diag, &node->at, "unknown %s '%s'%s", what, text,
               node_near(context, &suggestion, list));
    return -1;
}
