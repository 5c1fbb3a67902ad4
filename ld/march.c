#include "ld/march.h"

#include "lib/architecture.h"
#include "lib/text.h"
#include <ctype.h>
#include <string.h>

#define LONGEST 4096 /* bytes of an architecture string */

static bool is_later(const struct march_extension *a, const struct march_extension *b)
{
    return a->major != b->major ? a->major > b->major : a->minor > b->minor;
}

/* Inserts an extension in order. The later of two versions is kept. */
static void add(struct march *march, struct arena *arena, struct march_extension extension)
{
    size_t at = 0;

    while (at < march->count &&
           architecture_compare(march->extensions[at].name, extension.name) < 0)
        at++;
    if (at < march->count && strcmp(march->extensions[at].name, extension.name) == 0) {
        if (is_later(&extension, &march->extensions[at]))
            march->extensions[at] = extension;
        return;
    }
    march->extensions =
        arena_grow(arena, march->extensions, march->count, &march->capacity, sizeof extension);
    memmove(march->extensions + at + 1, march->extensions + at,
            (march->count - at) * sizeof extension);
    march->extensions[at] = extension;
    march->count++;
}

const char *march_parse(struct march *march, struct arena *arena, const char *text)
{
    *march = (struct march){0};
    if (strnlen(text, LONGEST + 1) > LONGEST)
        return "expected a shorter string";
    if (strncmp(text, "rv32", 4) != 0 && strncmp(text, "rv64", 4) != 0)
        return "expected rv32 or rv64 at the start";
    march->base = text[2] == '3' ? 32 : 64;
    const char *next = text + 4;
    if (*next != 'i' && *next != 'e' && *next != 'g')
        return "expected the base i or e after rv32 or rv64";
    while (*next) {
        struct march_extension extension = {0};
        if (*next == '_') {
            next++;
            continue;
        }
        if (!islower((unsigned char)*next))
            return "expected extensions in lower case, separated by _";
        const struct architecture_item item = architecture_split(next);
        extension.name = arena_copy(arena, next, item.name_length);
        if (strchr("zsx", *next) && item.name_length < 2)
            return "an extension of one letter z, s or x, expected a longer name";
        extension.versioned = item.versioned;
        extension.major = item.major;
        extension.minor = item.minor;
        next += item.length;
        add(march, arena, extension);
    }
    return NULL;
}

static bool has(const struct march *march, const char *name)
{
    for (size_t i = 0; i < march->count; i++)
        if (strcmp(march->extensions[i].name, name) == 0)
            return true;
    return false;
}

const char *march_merge(struct march *march, const struct march *other, struct arena *arena)
{
    if (march->base != other->base)
        return "one is for 32 bits, the other for 64; build both for rv64";
    if (has(march, "e") != has(other, "e"))
        return "one has the base e (16 registers), the other i; build both with the same base";
    for (size_t i = 0; i < other->count; i++)
        add(march, arena, other->extensions[i]);
    return NULL;
}

const char *march_text(const struct march *march, struct arena *arena)
{
    struct text text = TEXT_INIT;

    text_format(&text, "rv%u", march->base);
    for (size_t i = 0; i < march->count; i++) {
        const struct march_extension *extension = &march->extensions[i];
        text_format(&text, "%s%s", i ? "_" : "", extension->name);
        if (extension->versioned)
            text_format(&text, "%up%u", extension->major, extension->minor);
    }
    const char *copy = arena_string(arena, text.bytes);
    text_free(&text);
    return copy;
}
