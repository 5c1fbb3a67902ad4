/* Versions are separated from names at the end of an item, since names contain digits too
 * (zvl128b).
 *
 * The order of extensions in an architecture string: single letters, then names with z, s and x.
 * Names with z are ordered by the letter that follows. The ISA description has the order of
 * letters. */
#include "lib/architecture.h"
#include <limits.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns where the digits before `end` begin, in [start, end). */
static const char *digits_before(const char *start, const char *end)
{
    while (end > start && is_digit(end[-1]))
        end--;
    return end;
}

static const char *digits_end(const char *start)
{
    while (is_digit(*start))
        start++;
    return start;
}

static unsigned number(const char *start, const char *end)
{
    unsigned value = 0;

    for (; start < end; start++)
        value = value > UINT_MAX / 10 - 1 ? UINT_MAX : value * 10 + (unsigned)(*start - '0');
    return value;
}

static const char *letter_end(const char *text)
{
    const char *major_end = digits_end(text + 1);

    return major_end > text + 1 && *major_end == 'p'
               ? digits_end(major_end + is_digit(major_end[1]))
               : major_end;
}

struct architecture_item architecture_split(const char *text)
{
    const char *end = strchr("zsx", *text) ? text + strcspn(text, "_") : letter_end(text);
    const char *minor = digits_before(text, end), *major = minor;
    struct architecture_item item = {.length = (size_t)(end - text), .versioned = minor < end};

    if (item.versioned && minor - text > 1 && minor[-1] == 'p')
        major = digits_before(text, minor - 1);
    if (major == minor - 1) /* the name ends with p */
        major = minor;
    item.name_length = (size_t)(major - text);
    item.major = major < minor ? number(major, minor - 1) : number(minor, end);
    item.minor = major < minor ? number(minor, end) : 0;
    return item;
}

const struct isa_architecture_name *architecture_find(const char *name)
{
    for (size_t i = 0; i < isa_architecture_name_count; i++)
        if (strcmp(isa_architecture_names[i].name, name) == 0)
            return &isa_architecture_names[i];
    return NULL;
}

bool architecture_is_letter(char letter)
{
    return letter && strchr(isa_architecture_order, letter);
}

enum architecture_family architecture_family(const char *name)
{
    if (!name[1])
        return ARCHITECTURE_LETTER;
    return *name == 'z'   ? ARCHITECTURE_UNPRIVILEGED
           : *name == 's' ? ARCHITECTURE_PRIVILEGED
                          : ARCHITECTURE_VENDOR;
}

/* Letters without a known place come after the others, in alphabetical order. */
static int letter_place(char letter)
{
    const char *place = letter ? strchr(isa_architecture_order, letter) : NULL;

    return place ? (int)(place - isa_architecture_order) : 256 + (unsigned char)letter;
}

int architecture_compare(const char *a, const char *b)
{
    enum architecture_family family = architecture_family(a);
    int order = (int)family - (int)architecture_family(b);

    if (order)
        return order;
    if (family == ARCHITECTURE_LETTER)
        return letter_place(*a) - letter_place(*b);
    order = family == ARCHITECTURE_UNPRIVILEGED ? letter_place(a[1]) - letter_place(b[1]) : 0;
    return order ? order : strcmp(a, b);
}

isa_set architecture_set(const char *name)
{
    const struct isa_architecture_name *known = architecture_find(name);
    isa_set set = 0;

    for (size_t i = 0; i < isa_extension_count; i++)
        if (strcmp(isa_extensions[i].name, name) == 0)
            set |= (isa_set)1 << i;
    for (size_t i = 0; known && known->implies[i]; i++)
        set |= architecture_set(known->implies[i]);
    return set;
}

isa_set architecture_set_of(const char *string)
{
    static const char prefix[] = "rv64";
    isa_set set = 0;
    char name[32];

    if (strncmp(string, prefix, strlen(prefix)) != 0)
        return 0;
    string += strlen(prefix);
    while (*string) {
        const struct architecture_item item = architecture_split(string);
        if (item.name_length < sizeof name) {
            memcpy(name, string, item.name_length);
            name[item.name_length] = '\0';
            set |= architecture_set(name);
        }
        string += item.length;
        string += strspn(string, "_");
    }
    return set;
}

void architecture_append_needs(struct text *text, const struct isa_needs *needs, isa_set enabled)
{
    isa_set first = needs->any[0] & ~enabled;
    const char *separator = first & (first - 1) ? "extensions '" : "extension '";

    for (unsigned i = 0; i < ISA_NEEDS; i++) {
        for (isa_set left = needs->any[i] & ~enabled; left; left &= left - 1) {
            text_format(text, "%s%s'", separator, isa_extensions[__builtin_ctzll(left)].name);
            separator = " and '";
        }
        separator = " or '";
    }
}
