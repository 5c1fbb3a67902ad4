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

/* Inserts in order; of two versions the later one stays. */
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

/* Digits before `end` in [start, end): where they begin. */
static const char *digits_before(const char *start, const char *end)
{
    while (end > start && isdigit((unsigned char)end[-1]))
        end--;
    return end;
}

static unsigned number(const char *start, const char *end)
{
    unsigned value = 0;
    for (; start < end; start++)
        value = value * 10 + (unsigned)(*start - '0');
    return value;
}

/* Takes "NpM" off the end of [start, end); returns where the name ends. */
static const char *take_version(const char *start, const char *end,
                                struct march_extension *extension)
{
    const char *minor = digits_before(start, end);
    if (minor == end || minor == start || minor[-1] != 'p')
        return end;
    const char *major = digits_before(start, minor - 1);
    if (major == minor - 1)
        return end;
    extension->versioned = true;
    extension->major = number(major, minor - 1);
    extension->minor = number(minor, end);
    return major;
}

/* "i2p1" or "m": one letter and its version. */
static const char *take_letter(const char *next, struct march_extension *extension)
{
    next++;
    const char *major = next;
    while (isdigit((unsigned char)*next))
        next++;
    if (next == major)
        return next;
    extension->versioned = true;
    extension->major = number(major, next);
    if (*next == 'p' && isdigit((unsigned char)next[1])) {
        const char *minor = ++next;
        while (isdigit((unsigned char)*next))
            next++;
        extension->minor = number(minor, next);
    }
    return next;
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
        const char *start = next;
        if (*next == '_') {
            next++;
            continue;
        }
        if (!islower((unsigned char)*next))
            return "expected extensions in lower case, separated by _";
        if (*next == 'z' || *next == 's' || *next == 'x') {
            next += strcspn(next, "_");
            const char *end = take_version(start, next, &extension);
            if (end - start < 2)
                return "an extension of one letter z, s or x, expected a longer name";
            extension.name = arena_copy(arena, start, (size_t)(end - start));
        } else {
            next = take_letter(next, &extension);
            extension.name = arena_copy(arena, start, 1);
        }
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
        return "one is for 32 bits, one for 64; build both for rv64";
    if (has(march, "e") != has(other, "e"))
        return "one has the base e (16 registers), one i; build both with the same base";
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
