/* Architecture strings.
 *
 * Without -march, the extensions of the ISA description are enabled whose `default` is not off:
 * rv64gc, the tensor extensions, and a few small ones. The object then names those of rv64gc, but
 * the others only if it uses their instructions. So a program without tensor instructions can be
 * linked by any linker. */
#include "asm/arch.h"
#include "asm/tasm.h"
#include "lib/architecture.h"
#include <string.h>

static struct arch_extension *find(const struct assembler *as, const char *name)
{
    for (size_t i = 0; i < as->arch.count; i++)
        if (*as->arch.extensions[i].name == *name && strcmp(as->arch.extensions[i].name, name) == 0)
            return &as->arch.extensions[i];
    return NULL;
}

static bool described(const char *name)
{
    const struct isa_architecture_name *known = architecture_find(name);

    return known && known->described;
}

/* Returns the index of a described extension in isa_extensions; -1 for other names. */
static int extension_index(const char *name)
{
    for (size_t i = 0; i < isa_extension_count; i++)
        if (*isa_extensions[i].name == *name && strcmp(isa_extensions[i].name, name) == 0)
            return (int)i;
    return -1;
}

static isa_set extension_bit(const char *name)
{
    int index = extension_index(name);

    return index < 0 ? 0 : (isa_set)1 << index;
}

bool arch_set_specification(struct assembler *as, const char *name)
{
    struct text list = TEXT_INIT;

    for (const struct isa_specification *known = isa_specifications; known->name; known++) {
        if (strcmp(known->name, name) == 0) {
            as->options.specification = known;
            text_free(&list);
            return true;
        }
        text_format(&list, "%s%s",
                    known == isa_specifications ? ""
                    : known[1].name             ? ", "
                                                : " or ",
                    known->name);
    }
    diag_error(as->diag, NULL, "unknown ISA specification '%s'; expected %s", name, list.bytes);
    text_free(&list);
    return false;
}

/* Returns what the manual of -misa-spec says about the extension; NULL: nothing special. */
static const struct isa_version *older_version(const struct assembler *as, const char *name)
{
    const struct isa_specification *specification = as->options.specification;

    for (const struct isa_version *change = specification ? specification->changes : NULL;
         change && change->name; change++)
        if (strcmp(change->name, name) == 0)
            return change;
    return NULL;
}

/* Returns the extensions that are a part of the base in the manual of -misa-spec. */
static isa_set parts_of_base(const struct assembler *as)
{
    isa_set parts = 0;

    for (size_t i = 0; i < isa_extension_count; i++) {
        const struct isa_version *older = older_version(as, isa_extensions[i].name);
        if (older && !older->version)
            parts |= extension_bit(isa_extensions[i].name);
    }
    return parts;
}

/* Returns the version as an architecture string has it, "2p1" for "2.1"; "" if it is unknown. */
static const char *known_version(struct assembler *as, const struct isa_architecture_name *name)
{
    const struct isa_version *older = name ? older_version(as, name->name) : NULL;

    if (!name || !name->version)
        return "";
    char *version =
        arena_string(as->arena, older && older->version ? older->version : name->version);
    char *dot = strchr(version, '.');
    if (dot)
        *dot = 'p';
    return version;
}

/* Enables the extension and those that it implies. */
static void enable(struct assembler *as, const char *name, const char *version)
{
    const struct isa_architecture_name *known_name = architecture_find(name);

    for (size_t i = 0; known_name && known_name->implies[i]; i++)
        enable(as, known_name->implies[i], NULL);
    if (known_name && !known_name->version)
        return; /* only a name for several others */
    const struct isa_version *older = older_version(as, name);
    if (older && !older->version && !version)
        return; /* a part of the base in that manual */
    struct arch *arch = &as->arch;
    struct arch_extension *known = find(as, name);
    as->elf_flags |= known_name ? known_name->elf_flags : 0;
    if (known) {
        if (version)
            known->version = version;
        return;
    }
    /* A new array, because .option push may have saved the old one. */
    struct arch_extension *all = arena_array(as->arena, arch->count + 1, sizeof *all);
    size_t place = 0;
    while (place < arch->count && architecture_compare(arch->extensions[place].name, name) < 0)
        place++;
    if (arch->count) {
        memcpy(all, arch->extensions, place * sizeof *all);
        memcpy(all + place + 1, arch->extensions + place, (arch->count - place) * sizeof *all);
    }
    all[place] = (struct arch_extension){
        .name = name, .version = version ? version : known_version(as, known_name)};
    words_change(&as->words);
    arch->extensions = all;
    arch->count++;
    arch->enabled |= extension_bit(name);
    arch->compresses |= known_name && known_name->compresses;
}

void arch_init(struct assembler *as)
{
    as->arch = (struct arch){.enabled = parts_of_base(as)};
    for (size_t i = 0; i < isa_extension_count; i++)
        if (isa_extensions[i].initial != ISA_DEFAULT_OFF)
            enable(as, isa_extensions[i].name, NULL);
}

bool arch_compresses(const struct assembler *as)
{
    return as->arch.compresses;
}

const char *arch_compressed_name(void)
{
    for (size_t i = 0; i < isa_architecture_name_count; i++)
        if (isa_architecture_names[i].compresses)
            return isa_architecture_names[i].name;
    return NULL;
}

unsigned arch_code_alignment(const struct assembler *as)
{
    return arch_compresses(as) ? 2 : 4;
}

static bool complain(struct assembler *as, const struct position *at, const char *string,
                     const char *rest, const char *expected)
{
    diag_error(as->diag, at, "malformed architecture '%s' at '%s': expected %s", string, rest,
               expected);
    return false;
}

static bool is_plain_name(const char *name)
{
    for (; *name; name++)
        if (!((*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9')))
            return false;
    return true;
}

static bool report_unknown(struct assembler *as, const struct position *at, const char *string,
                           const char *name)
{
    struct suggestion suggestion;
    struct text list = TEXT_INIT;

    suggest_init(&suggestion, name);
    for (size_t i = 0; i < isa_extension_count; i++) {
        text_format(&list, "%s%s", i ? ", " : "", isa_extensions[i].name);
    }
    for (size_t i = 0; i < isa_architecture_name_count; i++)
        suggest_add(&suggestion, isa_architecture_names[i].name);
    const char *near = name[1] ? suggest_text(&suggestion) : NULL;
    diag_error(as->diag, at,
               "unknown extension '%s' in architecture '%s'%s%s%s; the ISA description has %s%s",
               name, string, near ? "; did you mean " : "", near ? near : "", near ? "?" : "",
               list.bytes,
               *name == 'x' ? "; an extension of another vendor needs a version (xname1p0)" : "");
    text_free(&list);
    return false;
}

static bool read_extension(struct assembler *as, const char *string, const char **text,
                           const struct position *at)
{
    const char *start = *text;
    bool is_long = *start && strchr("zsx", *start);

    if (!is_long && !architecture_is_letter(*start))
        return complain(as, at, string, start,
                        "the letter of a standard extension, or a name beginning with z, s or x");
    const struct architecture_item item = architecture_split(start);
    if (is_long && item.name_length < 2)
        return complain(as, at, string, start, "a name such as zicsr or xname1p0");
    *text += item.length;
    const char *name = arena_copy(as->arena, start, item.name_length);
    const char *version =
        item.versioned ? arena_format(as->arena, "%up%u", item.major, item.minor) : NULL;
    if (!is_plain_name(name))
        return complain(as, at, string, start, "lower-case letters and digits");
    if (!architecture_find(name) && !(*name == 'x' && version))
        return report_unknown(as, at, string, name);
    enable(as, name, version);
    return true;
}

bool arch_set(struct assembler *as, const char *string, const struct position *at)
{
    const char *text = string;

    if (strncmp(text, "rv64", 4))
        return complain(as, at, string, text,
                        "'rv64', in lower case (this machine has 64-bit registers)");
    text += 4;
    if (*text != 'i' && *text != 'g')
        return complain(as, at, string, text, "'i' or 'g' after 'rv64'");
    struct arch older = as->arch;
    as->arch = (struct arch){.explicit_arch = true, .enabled = parts_of_base(as)};
    if (!older.explicit_arch && !as->has_code)
        as->elf_flags = 0;
    while (*text) {
        if (!read_extension(as, string, &text, at)) {
            as->arch = older;
            return false;
        }
        while (*text == '_' && text[1])
            text++;
    }
    return true;
}

static void disable(struct assembler *as, const char *name)
{
    const struct arch_extension *gone = find(as, name);

    if (!gone)
        return;
    struct arch_extension *rest = arena_array(as->arena, as->arch.count, sizeof *rest);
    size_t place = (size_t)(gone - as->arch.extensions);
    as->arch.count--;
    memcpy(rest, as->arch.extensions, place * sizeof *rest);
    memcpy(rest + place, gone + 1, (as->arch.count - place) * sizeof *rest);
    words_change(&as->words);
    as->arch.extensions = rest;
    as->arch.enabled &= ~extension_bit(name);
    const struct isa_architecture_name *known = architecture_find(name);
    as->arch.compresses &= !(known && known->compresses);
}

bool arch_change(struct assembler *as, const char *change, const struct position *at)
{
    const char *text = change + 1;
    struct arch older = as->arch;

    if ((*change != '+' && *change != '-') || !*text)
        diag_error(as->diag, at,
                   "expected '+extension', '-extension' or an architecture, found '%s'", change);
    else if (strchr("ieg", *text) && !architecture_is_letter(text[1]))
        diag_error(as->diag, at, "'%s': the base of an architecture cannot be added or removed",
                   change);
    else if (read_extension(as, change, &text, at) && *text)
        complain(as, at, change, text, "one extension after each sign");
    else if (!*text && *change == '+')
        return true;
    else if (!*text) {
        as->arch = older;
        disable(as, arena_copy(as->arena, change + 1, architecture_split(change + 1).name_length));
        return true;
    }
    as->arch = older;
    return false;
}

const char *arch_abi(const struct assembler *as)
{
    const char *abi = "";

    for (size_t i = 0; i < as->arch.count; i++) {
        const struct isa_architecture_name *name = architecture_find(as->arch.extensions[i].name);
        if (name && name->abi)
            abi = name->abi;
    }
    return abi;
}

const char *arch_abi_lacks(const struct assembler *as, const char *abi)
{
    for (size_t i = 0; i < isa_architecture_name_count; i++) {
        const struct isa_architecture_name *name = &isa_architecture_names[i];
        if (name->abi && strcmp(name->abi, abi) == 0 && !find(as, name->name))
            return name->name;
    }
    return NULL;
}

/* Is the extension a part of another one, which the ISA description has? */
static bool is_part(const char *name)
{
    for (size_t i = 0; i < isa_architecture_name_count; i++)
        for (size_t k = 0; isa_architecture_names[i].described; k++) {
            const char *implied = isa_architecture_names[i].implies[k];
            if (!implied)
                break;
            if (strcmp(implied, name) == 0)
                return true;
        }
    return false;
}

const char *arch_undescribed(const struct assembler *as)
{
    for (size_t i = 0; i < as->arch.count; i++) {
        const char *name = as->arch.extensions[i].name;
        if (!described(name) && name[1] && !is_part(name))
            return name;
    }
    return NULL;
}

bool arch_has(const struct assembler *as, const char *extension)
{
    const struct isa_version *older = older_version(as, extension);

    return find(as, extension) || (older && !older->version);
}

bool arch_use(struct assembler *as, const struct isa_needs *needs)
{
    for (unsigned i = 0; i < ISA_NEEDS; i++)
        if (needs->any[i] && !(needs->any[i] & ~as->arch.enabled)) {
            as->used_extensions |= needs->any[i];
            return true;
        }
    return false;
}

bool arch_append_options(const struct assembler *as, struct text *text,
                         const struct isa_needs *needs)
{
    isa_set missing = needs->any[0] & ~as->arch.enabled;

    for (isa_set left = missing; left; left &= left - 1)
        text_format(text, "%s+%s", left == missing ? "" : ", ",
                    isa_extensions[__builtin_ctzll(left)].name);
    return missing & (missing - 1);
}

/* Does the object name the extension only because one of its instructions is in it? */
static bool is_named_when_used(const char *name)
{
    int index = extension_index(name);

    return architecture_family(name) == ARCHITECTURE_VENDOR ||
           (index >= 0 && isa_extensions[index].initial == ISA_DEFAULT_USED);
}

const char *arch_text(struct assembler *as)
{
    struct text text = TEXT_INIT;

    text_append(&text, "rv64");
    bool first = true;
    for (size_t i = 0; i < as->arch.count; i++) {
        const struct arch_extension *extension = &as->arch.extensions[i];
        if (!as->arch.explicit_arch && is_named_when_used(extension->name) &&
            !(as->used_extensions & extension_bit(extension->name)))
            continue;
        text_format(&text, "%s%s%s", first ? "" : "_", extension->name, extension->version);
        first = false;
    }
    const char *copy = arena_string(as->arena, text.bytes);
    text_free(&text);
    return copy;
}
