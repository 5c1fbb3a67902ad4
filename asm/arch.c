/* Architecture strings.
 *
 * Without -march everything in the ISA description is enabled (rv64gc and our extensions), and the
 * object names the standard extensions of it, plus those others (x…) that it uses: a plain program
 * stays linkable by tools that know nothing of ours. */
#include "asm/arch.h"
#include "asm/tasm.h"
#include <string.h>

/* Canonical order of single letters: RISC-V Unprivileged ISA, "ISA Extension Naming Conventions".
 */
static const char letter_order[] = "iemafdqlcbkjtpvh";

/* What a name stands for or brings along (the same chapter, and chapters F and D). */
static const struct {
    const char *name;
    const char *implied[6];
} implications[] = {
    {"g", {"i", "m", "a", "f", "d", "zicsr"}},
    {"d", {"f"}},
    {"f", {"zicsr"}},
};

static int category(const char *name)
{
    if (!name[1])
        return 0;
    return *name == 'z' ? 1 : *name == 's' ? 2 : 3;
}

static int compare(const char *a, const char *b)
{
    int order = category(a) - category(b);
    if (order || category(a))
        return order ? order : strcmp(a, b);
    const char *place_a = strchr(letter_order, *a), *place_b = strchr(letter_order, *b);
    return (int)((place_a ? place_a - letter_order : 99) - (place_b ? place_b - letter_order : 99));
}

static struct arch_extension *find(const struct assembler *as, const char *name)
{
    for (size_t i = 0; i < as->arch.count; i++)
        if (!strcmp(as->arch.extensions[i].name, name))
            return &as->arch.extensions[i];
    return NULL;
}

/* "2.1" → "2p1"; what the ISA description does not have gets no version. */
static const char *known_version(struct assembler *as, const char *name)
{
    for (size_t i = 0; i < isa_extension_count; i++) {
        if (!strcmp(isa_extensions[i].name, name) && isa_extensions[i].version) {
            char *version = arena_string(as->arena, isa_extensions[i].version);
            char *dot = strchr(version, '.');
            if (dot)
                *dot = 'p';
            return version;
        }
    }
    return "";
}

static void enable(struct assembler *as, const char *name, const char *version)
{
    for (size_t i = 0; i < sizeof implications / sizeof *implications; i++) {
        if (strcmp(implications[i].name, name))
            continue;
        for (size_t j = 0; j < 6 && implications[i].implied[j]; j++)
            enable(as, implications[i].implied[j], NULL);
        if (*name == 'g') {
            enable(as, "zifencei", NULL);
            return;
        }
    }
    struct arch *arch = &as->arch;
    struct arch_extension *known = find(as, name);
    as->compressed |= !strcmp(name, ARCH_COMPRESSED);
    if (known) {
        if (version)
            known->version = version;
        return;
    }
    arch->extensions = arena_grow(as->arena, arch->extensions, arch->count, &arch->capacity,
                                  sizeof *arch->extensions);
    size_t place = arch->count++;
    for (; place && compare(arch->extensions[place - 1].name, name) > 0; place--)
        arch->extensions[place] = arch->extensions[place - 1];
    arch->extensions[place] = (struct arch_extension){
        .name = name, .version = version ? version : known_version(as, name)};
}

void arch_init(struct assembler *as)
{
    as->arch = (struct arch){0};
    for (size_t i = 0; i < isa_extension_count; i++)
        enable(as, isa_extensions[i].name, NULL);
}

bool arch_compresses(const struct assembler *as)
{
    return find(as, ARCH_COMPRESSED) != NULL;
}

unsigned arch_code_alignment(const struct assembler *as)
{
    return arch_compresses(as) ? 2 : 4;
}

/* `2p1` behind a name: letters p between digits; moves *text over it. */
static const char *read_version(struct assembler *as, const char **text)
{
    const char *start = *text, *c = start;
    while (*c >= '0' && *c <= '9')
        c++;
    if (c == start)
        return NULL;
    if (*c == 'p' && c[1] >= '0' && c[1] <= '9')
        for (c++; *c >= '0' && *c <= '9';)
            c++;
    *text = c;
    return arena_copy(as->arena, start, (size_t)(c - start));
}

static bool complain(struct assembler *as, const struct position *at, const char *string,
                     const char *rest, const char *expected)
{
    diag_error(as->diag, at, "malformed architecture '%s' at '%s': expected %s", string, rest,
               expected);
    return false;
}

/* A name of several letters ends at `_`; digits (with p) at its end are its version. */
static bool read_long_name(struct assembler *as, const char **text, bool *known)
{
    size_t length = strcspn(*text, "_"), name = length;
    const char *start = *text;
    size_t digits = name;
    while (digits && start[digits - 1] >= '0' && start[digits - 1] <= '9')
        digits--;
    if (digits < name) {
        size_t major = digits;
        if (major > 1 && start[major - 1] == 'p' && start[major - 2] >= '0' &&
            start[major - 2] <= '9') {
            major--;
            while (major && start[major - 1] >= '0' && start[major - 1] <= '9')
                major--;
        }
        name = major;
    }
    if (name < 2)
        return false;
    const char *version = name < length ? arena_copy(as->arena, start + name, length - name) : NULL;
    const char *copy = arena_copy(as->arena, start, name);
    for (size_t i = 0; i < name; i++)
        if (!((copy[i] >= 'a' && copy[i] <= 'z') || (copy[i] >= '0' && copy[i] <= '9')))
            return false;
    *known = *copy != 'x' || *known_version(as, copy);
    enable(as, copy, version);
    *text += length;
    return true;
}

static bool read_extension(struct assembler *as, const char *string, const char **text,
                           const struct position *at)
{
    if (strchr("zsx", **text)) {
        const char *start = *text;
        bool known;
        if (!read_long_name(as, text, &known))
            return complain(as, at, string, start,
                            "the name of an extension, lower-case, as zicsr or xname");
        if (!known)
            diag_warning(as->diag, at, "extension '%.*s' is not in the ISA description",
                         (int)(*text - start), start);
        return true;
    }
    if (!strchr(letter_order, **text) && **text != 'g')
        return complain(as, at, string, *text,
                        "the letter of a standard extension, or one beginning with z, s or x");
    const char *name = arena_copy(as->arena, (*text)++, 1);
    const char *version = read_version(as, text);
    enable(as, name, version);
    return true;
}

bool arch_set(struct assembler *as, const char *string, const struct position *at)
{
    const char *text = string;
    if (strncmp(text, "rv64", 4))
        return complain(as, at, string, text, "'rv64' (this machine has 64-bit registers)");
    text += 4;
    if (*text != 'i' && *text != 'g')
        return complain(as, at, string, text, "'i' or 'g' behind 'rv64'");
    struct arch older = as->arch;
    as->arch = (struct arch){.explicit_arch = true};
    as->compressed &= older.explicit_arch || as->has_code;
    while (*text) {
        if (!read_extension(as, string, &text, at)) {
            as->arch = older;
            return false;
        }
        if (*text == '_' && text[1])
            text++;
    }
    return true;
}

bool arch_change(struct assembler *as, const char *change, const struct position *at)
{
    const char *name = change + 1;
    size_t length = strcspn(name, "0123456789");
    if ((*change != '+' && *change != '-') || !*name) {
        diag_error(as->diag, at,
                   "expected '+extension', '-extension' or an architecture, found '%s'", change);
        return false;
    }
    if (*change == '+') {
        const char *text = name;
        return read_extension(as, change, &text, at);
    }
    for (size_t i = 0; i < as->arch.count; i++) {
        if (strlen(as->arch.extensions[i].name) == length &&
            !strncmp(as->arch.extensions[i].name, name, length)) {
            /* a copy: .option push may hold the array */
            struct arch_extension *copy = arena_array(as->arena, as->arch.count, sizeof *copy);
            memcpy(copy, as->arch.extensions, i * sizeof *copy);
            memcpy(copy + i, as->arch.extensions + i + 1, (as->arch.count - i - 1) * sizeof *copy);
            as->arch.extensions = copy;
            as->arch.capacity = as->arch.count--;
            return true;
        }
    }
    return true;
}

bool arch_has(const struct assembler *as, const char *extension)
{
    return find(as, extension) != NULL;
}

bool arch_use(struct assembler *as, const char *extension)
{
    if (!extension)
        return true;
    struct arch_extension *known = find(as, extension);
    if (known)
        known->used = true;
    return known != NULL;
}

const char *arch_text(struct assembler *as)
{
    struct text text = TEXT_INIT;
    text_append(&text, "rv64");
    bool first = true;
    for (size_t i = 0; i < as->arch.count; i++) {
        const struct arch_extension *extension = &as->arch.extensions[i];
        if (category(extension->name) == 3 && !as->arch.explicit_arch && !extension->used)
            continue;
        text_format(&text, "%s%s%s", first ? "" : "_", extension->name, extension->version);
        first = false;
    }
    const char *copy = arena_string(as->arena, text.bytes);
    text_free(&text);
    return copy;
}
