/* Sections, their fragments, and the current location.
 *
 * Bytes are added only to the last fragment of a subsection, which is FIXED; the fragments before
 * it do not change. Before layout addresses are unknown (laid_out), but distances within a run of
 * FIXED fragments are known. */
#include "asm/section.h"
#include "asm/tasm.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct section_pushed {
    struct section_place current, previous;
    struct section_pushed *below;
};

/* The type and flags that a name implies, as in GNU as and the psABI. A name that ends in '.'
 * stands for all names that begin with it. */
static const struct known_section {
    const char *name;
    uint32_t type;
    uint64_t flags;
} known_sections[] = {
    {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
    {".text.", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
    {".init", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
    {".fini", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
    {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
    {".data.", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
    {".sdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
    {".sdata.", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
    {".rodata", SHT_PROGBITS, SHF_ALLOC},
    {".rodata.", SHT_PROGBITS, SHF_ALLOC},
    {".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE},
    {".bss.", SHT_NOBITS, SHF_ALLOC | SHF_WRITE},
    {".sbss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE},
    {".sbss.", SHT_NOBITS, SHF_ALLOC | SHF_WRITE},
    {".tdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS},
    {".tdata.", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS},
    {".tbss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS},
    {".tbss.", SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS},
    {".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE},
    {".init_array.", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE},
    {".fini_array", SHT_FINI_ARRAY, SHF_ALLOC | SHF_WRITE},
    {".fini_array.", SHT_FINI_ARRAY, SHF_ALLOC | SHF_WRITE},
    {".preinit_array", SHT_PREINIT_ARRAY, SHF_ALLOC | SHF_WRITE},
    {".note", SHT_NOTE, 0},
    {".note.", SHT_NOTE, 0},
    /* Scratchpad: tld places sections of this name there. */
    {".spm", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
    {".spm.", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
};

static void apply_name(struct section *section)
{
    section->type = SHT_PROGBITS;
    if (section->name[0] != '.')
        return;
    for (size_t i = 0; i < sizeof known_sections / sizeof *known_sections; i++) {
        const struct known_section *known = &known_sections[i];
        if (known->name[1] != section->name[1])
            continue;
        size_t length = strlen(known->name);
        if (known->name[length - 1] == '.' ? strncmp(section->name, known->name, length) == 0
                                           : strcmp(section->name, known->name) == 0) {
            section->type = known->type;
            section->flags = known->flags;
        }
    }
    if (strcmp(section->name, ".note.GNU-stack") == 0)
        section->type = SHT_PROGBITS;
}

/* Allocates fragments from arrays, so that they are adjacent in memory: relaxation visits all of
 * them many times. */
static struct fragment *fragment_new(struct assembler *as, struct section *section)
{
    struct sections *sections = &as->sections;

    enum { AT_ONCE = 64 };
    if (!sections->spare_count) {
        sections->spare = arena_array(as->arena, AT_ONCE, sizeof *sections->spare);
        sections->spare_count = AT_ONCE;
    }
    struct fragment *fragment = sections->spare++;
    sections->spare_count--;
    fragment->section = section;
    return fragment;
}

static struct subsection *subsection_new(struct assembler *as, struct section *section,
                                         int64_t number)
{
    struct subsection *subsection = arena_new(as->arena, struct subsection);

    subsection->number = number;
    subsection->first = subsection->last = fragment_new(as, section);
    subsection->fragment_count = 1;
    subsection->next = section->subsections;
    return section->subsections = subsection;
}

/* Returns the subsection of that number. All but number 0 are found by a map, because there may be
 * thousands, entered in any order. */
static struct subsection *subsection_get(struct assembler *as, struct section *section,
                                         int64_t number)
{
    char key[sizeof section + sizeof number];

    if (!number)
        return section->main;
    memcpy(key, &section, sizeof section);
    memcpy(key + sizeof section, &number, sizeof number);
    struct map_entry *entry = map_entry(&as->sections.subsections, key, sizeof key);
    if (!entry->value)
        entry->value = subsection_new(as, section, number);
    return entry->value;
}

static int compare_subsections(const void *a, const void *b)
{
    const struct subsection *const *left = a, *const *right = b;

    return ((*left)->number > (*right)->number) - ((*left)->number < (*right)->number);
}

static void order_subsections(struct assembler *as, struct section *section)
{
    size_t count = 0, capacity = 0;
    struct subsection **sorted = NULL, **link = &section->subsections;

    for (struct subsection *each = section->subsections; each; each = each->next) {
        sorted = arena_grow(as->arena, sorted, count, &capacity, sizeof *sorted);
        sorted[count++] = each;
    }
    qsort(sorted, count, sizeof *sorted, compare_subsections);
    for (size_t i = 0; i < count; i++) {
        *link = sorted[i];
        link = &sorted[i]->next;
    }
    *link = NULL;
}

void section_order(struct assembler *as)
{
    for (struct section *section = as->sections.first; section; section = section->next)
        if (section->subsections->next)
            order_subsections(as, section);
}

struct section *section_find(const struct assembler *as, const char *name)
{
    return map_get(&as->sections.names, name);
}

static struct section *section_new(struct assembler *as, const char *name, const char *group)
{
    struct sections *sections = &as->sections;
    struct section *section = arena_new(as->arena, struct section);

    section->name = arena_string(as->arena, name);
    section->group = group;
    section->alignment = 1;
    apply_name(section);
    if (section->type == SHT_INIT_ARRAY || section->type == SHT_FINI_ARRAY ||
        section->type == SHT_PREINIT_ARRAY)
        section->entry_size = 8;
    section->main = subsection_new(as, section, 0);
    struct symbol *symbol = arena_new(as->arena, struct symbol);
    *symbol = (struct symbol){.name = section->name,
                              .kind = SYMBOL_LABEL,
                              .fragment = section->main->first,
                              .type = STT_SECTION,
                              .is_section = true};
    section->symbol = symbol;
    if (sections->last)
        sections->last->next = section;
    else
        sections->first = section;
    sections->last = section;
    return section;
}

static struct section *lookup(struct assembler *as, const char *name, const char *group,
                              const char *key, bool *made)
{
    struct map_entry *entry = map_entry(&as->sections.map, key, strlen(key));

    *made = !entry->value;
    if (!entry->value) {
        struct section *section = entry->value = section_new(as, name, group);
        struct map_entry *first = map_entry(&as->sections.names, name, strlen(name));
        first->value = first->value ? first->value : section;
    }
    return entry->value;
}

struct section *section_lookup(struct assembler *as, const char *name, const char *group,
                               bool *made)
{
    const char *second = group ? group : "";
    size_t length = strlen(name), second_length = strlen(second);
    char *key = arena_alloc(as->scratch, length + second_length + 2); /* names may be long */

    memcpy(key, name, length);
    key[length] = '\n';
    memcpy(key + length + 1, second, second_length + 1);
    return lookup(as, name, group, key, made);
}

struct section *section_lookup_apart(struct assembler *as, const char *name, const char *group,
                                     const char *link_order, const uint32_t *unique, bool *made)
{
    const char *number = unique ? arena_format(as->arena, "%" PRIu32, *unique) : "";
    const char *key = arena_format(as->arena, "%s\n%s\n%s\n%s", name, group ? group : "", number,
                                   link_order ? link_order : "");

    return lookup(as, name, group, key, made);
}

void section_enter_absolute(struct assembler *as)
{
    struct section *section = section_new(as, "*ABS*", NULL);

    section->type = SHT_NOBITS;
    section->absolute = true;
    section_enter(as, section, 0);
}

void section_drop_absolute(struct assembler *as)
{
    struct sections *sections = &as->sections;

    sections->last = NULL;
    for (struct section **link = &sections->first; *link;) {
        if ((*link)->absolute) {
            *link = (*link)->next;
        } else {
            sections->last = *link;
            link = &(*link)->next;
        }
    }
}

void section_init(struct assembler *as)
{
    static const char *const standard[] = {".text", ".data", ".bss"};
    bool made;

    map_init(&as->sections.map, as->arena);
    map_init(&as->sections.names, as->arena);
    map_init(&as->sections.subsections, as->arena);
    for (size_t i = 0; i < 3; i++)
        section_lookup(as, standard[i], NULL, &made);
    struct section *text = as->sections.first;
    as->sections.current = as->sections.previous = (struct section_place){text, text->main};
}

void section_enter(struct assembler *as, struct section *section, int64_t subsection)
{
    as->sections.previous = as->sections.current;
    as->sections.current = (struct section_place){section, subsection_get(as, section, subsection)};
}

void section_push(struct assembler *as)
{
    struct section_pushed *pushed = arena_new(as->arena, struct section_pushed);

    *pushed =
        (struct section_pushed){as->sections.current, as->sections.previous, as->sections.pushed};
    as->sections.pushed = pushed;
}

bool section_pop(struct assembler *as)
{
    struct section_pushed *pushed = as->sections.pushed;

    if (!pushed)
        return false;
    as->sections.current = pushed->current;
    as->sections.previous = pushed->previous;
    as->sections.pushed = pushed->below;
    return true;
}

void section_swap(struct assembler *as)
{
    struct section_place current = as->sections.current;

    as->sections.current = as->sections.previous;
    as->sections.previous = current;
}

static void note_code_start(struct assembler *as, const struct symbol *symbol)
{
    struct sections *sections = &as->sections;
    struct code_start *start = arena_new(as->arena, struct code_start);

    start->symbol = symbol;
    *(sections->code_starts ? sections->code_starts_end : &sections->code_starts) = start;
    sections->code_starts_end = &start->next;
}

bool section_continues_code(const struct assembler *as)
{
    const struct section *section = as->sections.current.section;
    const void *marked = section->marked ? section->marked : as->object_extensions;

    return section->content == CONTENT_CODE && marked == as->arch.extensions;
}

void section_content(struct assembler *as, enum content content)
{
    struct section *section = as->sections.current.section;

    if (!section_is_code(section))
        return;
    const void *marked = section->marked ? section->marked : as->object_extensions;
    bool changed = content == CONTENT_CODE && marked != as->arch.extensions;
    if (section->content == content && !changed)
        return;
    section->content = content;
    as->has_code |= content == CONTENT_CODE;
    const char *name = content == CONTENT_CODE ? "$x" : "$d";
    if (changed) {
        section->marked = as->arch.extensions;
        name = arena_format(as->arena, "$x%s", arch_text(as));
    }
    struct symbol *symbol = symbol_here(as, name);
    symbol->defined_at = location_of(as, as->at);
    if (content == CONTENT_CODE && as->at)
        note_code_start(as, symbol);
}

struct fragment *section_fragment(struct assembler *as)
{
    return as->sections.current.subsection->last;
}

/* Allocates memory for the bytes of the last fragment, which have to stay contiguous, and for
 * further ones. A large fragment of data is not moved but ended. That of code is not, because
 * distances in it are known before layout, and the linker may change them (section_may_shrink). */
static void more_room(struct assembler *as, struct subsection *subsection, uint64_t length)
{
    enum { SMALLEST = 64, LARGEST = 1 << 14 };
    struct fragment *fragment = subsection->last;

    if (fragment->length >= LARGEST && !section_is_code(fragment->section))
        fragment = section_variable(as, FRAGMENT_FIXED, NULL)->next;
    size_t held = fragment->bytes ? fragment->length : 0;
    size_t room = subsection->room < LARGEST / 2 ? 2 * subsection->room : LARGEST;

    while (room < SMALLEST || room < 2 * held)
        room = room ? 2 * room : SMALLEST;
    if (room < 2 * held + length)
        room = 2 * held + length; /* of one large piece, after which little may follow */
    unsigned char *bytes = arena_alloc(as->arena, room);
    if (held)
        memcpy(bytes, fragment->bytes, held);
    fragment->bytes = held ? bytes : NULL;
    subsection->free = bytes + held;
    subsection->end = bytes + room;
    subsection->room = room;
}

/* Adds the bytes where they do not just follow others. */
static unsigned char *append(struct assembler *as, uint64_t length, const struct position *at)
{
    struct fragment *fragment = section_fragment(as);

    if (!section_has_contents(fragment->section)) {
        diag_error(as->diag, at, "section '%s' has no contents: only space can be reserved in it",
                   fragment->section->name);
        return NULL;
    }
    as->sections.bytes += length;
    if (as->sections.bytes > SECTION_CONTENTS_LIMIT) {
        diag_error(as->diag, at, "the sections have more than %u MiB of contents",
                   SECTION_CONTENTS_LIMIT >> 20);
        as->ended = true;
        return NULL;
    }
    struct subsection *subsection = as->sections.current.subsection;
    if (!subsection->free || (uint64_t)(subsection->end - subsection->free) < length)
        more_room(as, subsection, length);
    fragment = subsection->last;
    if (!fragment->bytes)
        fragment->bytes = subsection->free;
    unsigned char *place = subsection->free;
    subsection->free += length;
    fragment->length += length;
    return place;
}

unsigned char *section_append(struct assembler *as, uint64_t length, const struct position *at)
{
    struct subsection *subsection = as->sections.current.subsection;
    struct fragment *fragment = subsection->last;
    unsigned char *place = subsection->free;

    if (!fragment->bytes || (uint64_t)(subsection->end - place) < length ||
        as->sections.bytes + length > SECTION_CONTENTS_LIMIT)
        return append(as, length, at);
    as->sections.bytes += length;
    subsection->free = place + length;
    fragment->length += length;
    return place;
}

void section_reserve(struct assembler *as, uint64_t length, const struct position *at)
{
    struct fragment *fragment = section_fragment(as);

    if (length > SECTION_LIMIT - fragment->length)
        diag_error(as->diag, at, "section '%s' grows beyond %" PRIu64 " bytes here",
                   fragment->section->name, SECTION_LIMIT);
    else
        fragment->length += length;
}

struct fragment *section_variable(struct assembler *as, enum fragment_kind kind,
                                  const struct position *at)
{
    struct subsection *subsection = as->sections.current.subsection;
    struct fragment *fragment = subsection->last;

    fragment->kind = kind;
    fragment->at = position_keep(as, at);
    fragment->mnemonic = as->mnemonic;
    subsection->last = fragment_new(as, fragment->section);
    subsection->fragment_count++;
    fragment->section->branch_count += kind == FRAGMENT_BRANCH;
    fragment->next = subsection->last;
    return fragment;
}

static struct fixup *add_fixup(struct assembler *as, struct fragment *fragment, uint64_t offset)
{
    struct section *section = fragment->section;
    struct fixup *fixup = arena_new(as->arena, struct fixup);

    fixup->fragment = fragment;
    fixup->offset = (uint32_t)offset; /* fits, because the size of contents is limited */
    fixup->relaxable = as->mode.relax;
    section->relaxes |= as->mode.relax;
    if (section->last_fixup)
        section->last_fixup->next = fixup;
    else
        section->fixups = fixup;
    section->last_fixup = fixup;
    section->fixup_count++;
    return fixup;
}

struct fixup *section_fixup(struct assembler *as, struct fragment *fragment, uint64_t offset)
{
    struct fixup *fixup = add_fixup(as, fragment, offset);

    fixup->mnemonic = as->mnemonic;
    return fixup;
}

static struct fixup *add_address(struct assembler *as, unsigned size, struct symbol *add,
                                 const struct position *at)
{
    struct fragment *fragment = section_fragment(as);
    struct fixup *fixup = add_fixup(as, fragment, fragment->length - size);

    fixup->size = (unsigned char)size;
    fixup->is_address = true;
    fixup->add = add;
    fixup->at = location_of(as, at);
    return fixup;
}

void section_address(struct assembler *as, unsigned size, struct symbol *add,
                     struct symbol *subtract, const struct position *at)
{
    add_address(as, size, add, at)->subtract = subtract;
}

void section_sum(struct assembler *as, unsigned size, struct symbol *add, int64_t addend,
                 const struct position *at)
{
    struct fixup *fixup = add_address(as, size, add, at);

    fixup->is_sum = true;
    fixup->addend = addend;
}

void section_relocation(struct assembler *as, struct section *section, uint64_t offset,
                        const struct isa_relocation *type, struct symbol *symbol, int64_t addend)
{
    section->relocations = arena_grow(as->arena, section->relocations, section->relocation_count,
                                      &section->relocation_capacity, sizeof *section->relocations);
    section->relocations[section->relocation_count++] =
        (struct relocation){.offset = (uint32_t)offset, /* fits: the size of contents is limited */
                            .type = (uint32_t)(type - isa_relocations),
                            .symbol = symbol,
                            .addend = addend};
    if (symbol)
        symbol->in_relocation = true;
}

void section_align(struct section *section, uint64_t alignment)
{
    if (section->alignment < alignment)
        section->alignment = alignment;
}

/* Aligns the end of a mergeable section to the largest power of two that divides its entry size. */
static void fill_last_entry(struct assembler *as, struct section *section)
{
    if (!(section->flags & SHF_MERGE) || !section->entry_size || !section_has_contents(section))
        return;
    struct subsection *last = section->subsections;
    while (last->next)
        last = last->next;
    section_enter(as, section, last->number);
    struct fragment *fragment = section_variable(as, FRAGMENT_ALIGN, NULL);
    fragment->alignment = section->entry_size & -section->entry_size;
    fragment->pattern_length = 1;
}

void section_finish(struct assembler *as)
{
    for (struct section *section = as->sections.first; section; section = section->next) {
        fill_last_entry(as, section);
        struct subsection *last = section->subsections;
        if (!section_is_code(section) || !section_has_contents(section) ||
            section->content == CONTENT_NONE)
            continue;
        while (last->next)
            last = last->next;
        section_enter(as, section, last->number);
        as->at = NULL;
        if (section->alignment > arch_code_alignment(as) && !as->mode.relax)
            section_content(as, CONTENT_CODE);
        struct fragment *fragment = section_variable(as, FRAGMENT_ALIGN, NULL);
        fragment->alignment = section->alignment;
        fragment->code_fill = !as->mode.relax; /* else zeros, as in GNU as */
        fragment->short_nops = fragment->code_fill;
        fragment->pattern_length = 1;
    }
}

/* Finds the distance to a later place along fixed fragments. */
static bool walk(const struct fragment *from, uint64_t from_offset, const struct fragment *to,
                 uint64_t to_offset, uint64_t *distance)
{
    uint64_t total = 0;

    for (; from != to; from = from->next) {
        if (from->kind != FRAGMENT_FIXED)
            return false;
        total += from->length;
        if (!from->next)
            return false;
    }
    *distance = total + to_offset - from_offset;
    return true;
}

bool section_distance(const struct fragment *from, uint64_t from_offset, const struct fragment *to,
                      uint64_t to_offset, int64_t *distance)
{
    if (from->section->laid_out) {
        *distance =
            (int64_t)(fragment_address(to) + to_offset - fragment_address(from) - from_offset);
        return true;
    }
    uint64_t forwards;
    if (walk(from, from_offset, to, to_offset, &forwards)) {
        *distance = (int64_t)forwards;
        return true;
    }
    if (walk(to, to_offset, from, from_offset, &forwards)) {
        *distance = (int64_t)(0 - forwards);
        return true;
    }
    return false;
}

/* Before layout both labels are in one fragment, because their distance is known; then their
 * offsets are compared. */
bool section_may_shrink(const struct symbol *from, const struct symbol *to)
{
    const struct section *section = symbol_section(from);
    uint64_t low = fragment_address(from->fragment) + from->offset;
    uint64_t high = fragment_address(to->fragment) + to->offset;

    if (low > high) {
        uint64_t swap = low;
        low = high;
        high = swap;
    }
    for (const struct fixup *fixup = section->fixups; fixup; fixup = fixup->next) {
        uint64_t place = fragment_address(fixup->fragment) + fixup->offset;
        const struct isa_relocation *relocation = fixup_relocation(fixup);
        if (!relocation || (!section->laid_out && fixup->fragment != from->fragment))
            continue;
        bool movable =
            relocation->value == ISA_VALUE_ALIGN || (relocation->relaxable && fixup->relaxable);
        if (movable && place >= low && place < high)
            return true;
    }
    return false;
}
