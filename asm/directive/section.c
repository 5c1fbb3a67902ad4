/* Directives that set the current section. */
#include "asm/directive/directive.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
    uint64_t flags, entry_size;
    uint32_t type;
    bool has_flags, has_type, same_group, comdat, is_unique;
    uint32_t unique;
    const char *group, *link_order;
    struct position link_order_at;
};

static bool parse_flags(struct assembler *as, const struct parsed *parsed, const char *letters,
                        struct wanted *wanted)
{
    static const struct {
        char letter;
        uint64_t flag;
    } flags[] = {
        {'a', SHF_ALLOC},   {'w', SHF_WRITE},      {'x', SHF_EXECINSTR}, {'M', SHF_MERGE},
        {'S', SHF_STRINGS}, {'G', SHF_GROUP},      {'T', SHF_TLS},       {'o', SHF_LINK_ORDER},
        {'e', SHF_EXCLUDE}, {'R', SHF_GNU_RETAIN},
    };
    wanted->has_flags = true;
    for (; *letters; letters++) {
        size_t i = 0;
        if (*letters >= '0' && *letters <= '9') {
            char *end;
            wanted->flags |= strtoull(letters, &end, 0);
            letters = end - 1;
            continue;
        }
        if (*letters == '?') { /* the group of the current section, if it has one */
            wanted->group = as->sections.current.section->group;
            wanted->flags |= wanted->group ? SHF_GROUP : 0;
            wanted->same_group = true;
            wanted->comdat = as->sections.current.section->comdat;
            continue;
        }
        while (i < sizeof flags / sizeof *flags && flags[i].letter != *letters)
            i++;
        if (i == sizeof flags / sizeof *flags) {
            struct position at = argument_place(parsed, 1);
            diag_error(as->diag, &at,
                       "unknown section flag '%c'; known: a w x M S G T o e R ? and numbers",
                       *letters);
            return false;
        }
        wanted->flags |= flags[i].flag;
    }
    return true;
}

static bool parse_type(struct assembler *as, const struct parsed *parsed, size_t index,
                       struct wanted *wanted)
{
    static const struct {
        const char *name;
        uint32_t type;
    } types[] = {
        {"progbits", SHT_PROGBITS},
        {"nobits", SHT_NOBITS},
        {"note", SHT_NOTE},
        {"init_array", SHT_INIT_ARRAY},
        {"fini_array", SHT_FINI_ARRAY},
        {"preinit_array", SHT_PREINIT_ARRAY},
    };
    const char *word = argument_text(as, parsed, index);
    word += *word == '@' || *word == '%';
    wanted->has_type = true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, word) == 0) {
            wanted->type = types[i].type;
            return true;
        }
    }
    char *end;
    unsigned long number = strtoul(word, &end, 0);
    if (*word && !*end && number && number <= UINT32_MAX) {
        wanted->type = (uint32_t)number;
        return true;
    }
    struct position at = argument_place(parsed, index);
    diag_error(
        as->diag, &at,
        "unknown section type '%s'; expected @progbits, @nobits, @note, @init_array, @fini_array, "
        "@preinit_array or a number",
        word);
    return false;
}

/* Reads `unique, NUMBER`, which come last. */
static bool parse_unique(struct assembler *as, const struct parsed *parsed, size_t index,
                         struct wanted *wanted)
{
    int64_t number;

    if (index + 1 >= parsed->argument_count || strcmp(argument_text(as, parsed, index), "unique"))
        return true;
    if (!argument_number(as, parsed, index + 1, &number))
        return false;
    if (number < 0 || number >= UINT32_MAX) {
        struct position at = argument_place(parsed, index + 1);
        diag_error(as->diag, &at,
                   "the number of a unique section is %" PRId64 "; expected 0..%" PRIu32, number,
                   UINT32_MAX - 1);
        return false;
    }
    wanted->unique = (uint32_t)number;
    wanted->is_unique = true;
    return true;
}

/* Reads the name of what is in the section whose order to follow, or of that section. */
static bool parse_link_order(struct assembler *as, const struct parsed *parsed, size_t index,
                             struct wanted *wanted)
{
    wanted->link_order = arena_string(as->arena, argument_text(as, parsed, index));
    wanted->link_order_at = argument_place(parsed, index);
    if (*wanted->link_order)
        return true;
    diag_error(as->diag, &wanted->link_order_at,
               "a section with flag o needs the name of a symbol in the section whose order it "
               "follows, or of that section");
    return false;
}

/* Reads the arguments after the type: entry size (flag M), group and linkage (G), section whose
 * order to follow (o). */
static bool parse_extras(struct assembler *as, const struct parsed *parsed, size_t index,
                         struct wanted *wanted)
{
    if (wanted->flags & SHF_MERGE) {
        int64_t size;
        if (!argument_number(as, parsed, index, &size))
            return false;
        if (size < 1) {
            struct position at = argument_place(parsed, index);
            diag_error(as->diag, &at,
                       "the entry size of a mergeable section is %" PRId64 "; it must be positive",
                       size);
            return false;
        }
        wanted->entry_size = (uint64_t)size;
        index++;
    }
    if (wanted->flags & SHF_GROUP && !wanted->same_group) {
        wanted->group = arena_string(as->arena, argument_text(as, parsed, index++));
        if (index < parsed->argument_count &&
            strcmp(argument_text(as, parsed, index), "comdat") == 0) {
            wanted->comdat = true;
            index++;
        }
        if (!*wanted->group) {
            struct position at = argument_place(parsed, index);
            diag_error(as->diag, &at, "a section with flag G needs the name of its group");
            return false;
        }
    }
    if (wanted->flags & SHF_LINK_ORDER && !parse_link_order(as, parsed, index++, wanted))
        return false;
    if (!parse_unique(as, parsed, index, wanted))
        return false;
    index += wanted->is_unique ? 2 : 0;
    if (index < parsed->argument_count) {
        struct position at = argument_place(parsed, index);
        diag_error(as->diag, &at, "unexpected argument of '%s'", parsed->name);
        return false;
    }
    return true;
}

static bool parse_wanted(struct assembler *as, const struct parsed *parsed, struct wanted *wanted)
{
    size_t next = 1;

    if (next < parsed->argument_count) {
        const char *letters;
        size_t length;
        if (!argument_string(as, parsed, next, &letters, &length) ||
            !parse_flags(as, parsed, letters, wanted))
            return false;
        next++;
    }
    if (next < parsed->argument_count) {
        if (!argument_is_empty(parsed, next) && !parse_type(as, parsed, next, wanted))
            return false;
        next++;
    }
    return parse_extras(as, parsed, next, wanted);
}

static void apply_wanted(struct assembler *as, const struct parsed *parsed, struct section *section,
                         const struct wanted *wanted, bool made)
{
    struct position at = argument_place(parsed, 0);

    if (made) {
        if (wanted->has_flags)
            section->flags = wanted->flags;
        if (wanted->has_type)
            section->type = wanted->type;
        if (wanted->entry_size)
            section->entry_size = wanted->entry_size;
        section->link_order = wanted->link_order;
        if (wanted->link_order)
            section->link_order_at = location_of(as, &wanted->link_order_at);
        section->comdat = wanted->comdat;
        return;
    }
    if (wanted->has_flags && section->flags != wanted->flags)
        diag_warning(as->diag, &at, "section '%s' keeps the flags it was given first",
                     section->name);
    if (wanted->has_type && section->type != wanted->type)
        diag_warning(as->diag, &at, "section '%s' keeps the type it was given first",
                     section->name);
}

static void enter_named(struct assembler *as, const struct parsed *parsed, int pushed)
{
    struct wanted wanted = {0};
    int64_t subsection = 0;
    const char *name = argument_text(as, parsed, 0);
    struct position at = argument_place(parsed, 0);

    if (!*name) {
        diag_error(as->diag, &at, "'%s' needs the name of a section", parsed->name);
        return;
    }
    if (pushed && parsed->argument_count == 2 && parsed->arguments[1].count &&
        parsed->arguments[1].items->kind == ITEM_EXPRESSION) {
        if (!argument_number(as, parsed, 1, &subsection)) /* .pushsection NAME, SUBSECTION */
            return;
    } else if (!parse_wanted(as, parsed, &wanted)) {
        return;
    }
    bool made;
    struct section *section =
        wanted.is_unique || wanted.link_order
            ? section_lookup_apart(as, name, wanted.group, wanted.link_order,
                                   wanted.is_unique ? &wanted.unique : NULL, &made)
            : section_lookup(as, name, wanted.group, &made);
    apply_wanted(as, parsed, section, &wanted, made);
    if (pushed)
        section_push(as);
    section_enter(as, section, subsection);
}

static void enter_standard(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    int64_t subsection = 0;
    bool made;

    if (parsed->argument_count && !argument_number(as, parsed, 0, &subsection))
        return;
    section_enter(as, section_lookup(as, parsed->name, NULL, &made), subsection);
}

/* .struct and .offset: labels become offsets, like those of members of a structure in C. */
static void enter_absolute(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    int64_t start = 0;

    if (parsed->argument_count && !argument_number(as, parsed, 0, &start))
        return;
    if (start < 0) {
        struct position at = argument_place(parsed, 0);
        diag_error(as->diag, &at, "'%s' begins at 0 or above, not at %" PRId64, parsed->name,
                   start);
        return;
    }
    section_enter_absolute(as);
    section_reserve(as, (uint64_t)start, parsed->statement->at);
}

static void attach_to_group(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct section *section = as->sections.current.section;
    struct position at = argument_place(parsed, 0);
    const char *group = argument_text(as, parsed, 0);

    if (!*group)
        diag_error(as->diag, &at, "'.attach_to_group' needs the name of a group");
    else if (section->group)
        diag_warning(as->diag, &at, "section '%s' is in group '%s' and stays there", section->name,
                     section->group);
    else
        section->group = arena_string(as->arena, group);
    if (section->group)
        section->flags |= SHF_GROUP;
}

static void enter_subsection(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    int64_t subsection;

    if (argument_number(as, parsed, 0, &subsection))
        section_enter(as, as->sections.current.section, subsection);
}

static void pop(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct position at = name_place(parsed);

    if (!section_pop(as))
        diag_error(as->diag, &at, "'.popsection' without '.pushsection'");
}

static void previous(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)parsed;
    (void)unused;
    section_swap(as);
}

const struct directive directives_section[] = {
    {".text", enter_standard, 0, 0, 1},
    {".data", enter_standard, 0, 0, 1},
    {".bss", enter_standard, 0, 0, 1},
    {".rodata", enter_standard, 0, 0, 1},
    {".section", enter_named, 0, 1, 9},
    {".pushsection", enter_named, 1, 1, 9},
    {".struct", enter_absolute, 0, 0, 1},
    {".offset", enter_absolute, 0, 0, 1},
    {".attach_to_group", attach_to_group, 0, 1, 1},
    {".popsection", pop, 0, 0, 0},
    {".previous", previous, 0, 0, 0},
    {".subsection", enter_subsection, 0, 1, 1},
    {0},
};
