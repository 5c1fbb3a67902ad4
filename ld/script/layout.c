/* Assigns sections to output sections by a script. A section is taken by the first pattern of the
 * script that matches it. Patterns in one pair of parentheses take sections in the order of the
 * link, unless they sort. A section that no pattern matches is put after the last one that is like
 * it. */
#include "ld/script/script.h"

#include "ld/glob.h"
#include "ld/output_section.h"
#include "ld/symbol.h"
#include <stdlib.h>
#include <string.h>

/* Iterates over all statements, also those inside of output sections. Start with {0}. */
struct statements {
    struct script_statement *outer, *inner;
    bool begun;
};

static struct script_statement *next_statement(const struct script *script, struct statements *walk)
{
    if (walk->inner) {
        struct script_statement *statement = walk->inner;
        walk->inner = statement->next;
        return statement;
    }
    walk->outer = walk->begun ? walk->outer->next : script->statements.first;
    walk->begun = true;
    if (walk->outer && walk->outer->kind == SCRIPT_OUTPUT)
        walk->inner = walk->outer->output->body.first;
    return walk->outer;
}

/* ---- symbols ---- */

static void define_symbol(struct linker *linker, struct script_statement *statement)
{
    struct symbol *symbol = symbol_find(linker, statement->name);
    bool wanted =
        symbol && symbol->referenced && (symbol->state == SYMBOL_UNDEFINED || symbol->scripted);

    if (strcmp(statement->name, ".") == 0 || (statement->provide && !wanted))
        return;
    symbol = symbol_intern(linker, statement->name);
    if (!symbol->scripted) {
        struct symbol *before = NULL;
        if (symbol->state != SYMBOL_UNDEFINED) {
            before = arena_new(&linker->arena, struct symbol);
            *before = *symbol;
        }
        symbol->assignment = NULL; /* not the assignment that it had before */
        symbol_assign(linker, symbol);
        symbol->assignment->before = before;
        symbol->value = 0;
        symbol->scripted = true;
    }
    if (statement->hidden)
        symbol->visibility = STV_HIDDEN;
    statement->symbol = symbol;
}

void script_define_symbols(struct linker *linker)
{
    struct statements walk = {0};

    for (struct script_statement *statement; (statement = next_statement(linker->script, &walk));)
        if (statement->kind == SCRIPT_ASSIGN)
            define_symbol(linker, statement);
    struct symbol *headers = symbol_find(linker, HEADERS_SYMBOL);
    if (!headers || headers->state != SYMBOL_UNDEFINED)
        return;
    linker->script->headers = headers;
    linker->script->headers_required = headers->binding != STB_WEAK;
    symbol_assign(linker, headers);
    headers->visibility = STV_HIDDEN;
}

void script_symbols(const struct script *script,
                    void (*visit)(void *context, struct symbol *symbol), void *context)
{
    struct statements walk = {0};

    for (struct script_statement *statement; (statement = next_statement(script, &walk));)
        if (statement->kind != SCRIPT_OUTPUT && statement->kind != SCRIPT_INPUT)
            expression_symbols(statement->value, visit, context);
}

/* ---- matching ---- */

/* Does the object match "archive:member", or a pattern for the name of the member or file? */
static bool matches_file(struct linker *linker, const char *pattern, const struct section *section)
{
    const struct object *object = section->object;
    const char *colon = strchr(pattern, ':'), *name = object ? object->name : "";

    if (object && object->archive) {
        const char *member = name + strlen(object->archive) + 1;
        size_t length = strlen(member);
        name = arena_copy(&linker->arena, member, length ? length - 1 : 0);
    }
    if (!colon)
        return glob_matches(pattern, name);
    const char *archive = arena_copy(&linker->arena, pattern, (size_t)(colon - pattern));
    if (!*archive)
        return object && !object->archive && glob_matches(colon + 1, name);
    return object && object->archive && glob_matches(archive, object->archive) &&
           (!colon[1] || glob_matches(colon + 1, name));
}

static bool is_excluded(struct linker *linker, const struct script_words *files,
                        const struct section *section)
{
    for (; files; files = files->next)
        if (matches_file(linker, files->word, section) ||
            (section->object && section->object->archive &&
             glob_matches(files->word, section->object->archive)))
            return true;
    return false;
}

static const struct script_pattern *matching_pattern(struct linker *linker,
                                                     const struct script_statement *statement,
                                                     const struct section *section)
{
    bool any_file = strcmp(statement->name, "*") == 0;

    for (const struct script_pattern *p = statement->patterns; p; p = p->next)
        if (glob_matches(p->name, section->name) &&
            (any_file || matches_file(linker, statement->name, section)) &&
            !is_excluded(linker, statement->excluded, section) &&
            !is_excluded(linker, p->excluded, section))
            return p;
    return NULL;
}

struct match {
    struct script_output *output;
    struct script_statement *statement;
    const struct script_pattern *pattern;
};

static bool find_match(struct linker *linker, const struct section *section, struct match *match)
{
    struct statements walk = {0};

    for (struct script_statement *s; (s = next_statement(linker->script, &walk));) {
        if (s->kind != SCRIPT_INPUT || walk.outer->output->skipped)
            continue;
        match->pattern = matching_pattern(linker, s, section);
        match->statement = s;
        match->output = walk.outer->output;
        if (match->pattern)
            return true;
    }
    return false;
}

bool script_keeps(const struct linker *linker, const struct section *section)
{
    struct match match;

    return find_match((struct linker *)linker, section, &match) && match.statement->keep;
}

/* ---- order ---- */

struct ordered {
    struct section *section;
    struct script_pattern pattern;
    unsigned group; /* number of the patterns that share one order */
    size_t order;
};

static int compare_by(enum script_sort sort, const struct section *a, const struct section *b)
{
    unsigned x, y;

    switch (sort) {
    case SORT_NAME:
        return strcmp(a->name, b->name);
    case SORT_ALIGNMENT: /* the largest first */
        return a->alignment > b->alignment ? -1 : a->alignment < b->alignment;
    case SORT_PRIORITY:
        x = section_priority(a);
        y = section_priority(b);
        return x != y ? (x < y ? -1 : 1) : strcmp(a->name, b->name);
    default:
        return 0;
    }
}

/* Adds the order of --sort-section to that of the pattern. */
static struct script_pattern with_key(const struct linker *linker,
                                      const struct script_pattern *pattern)
{
    static const enum script_sort sorts[] = {[SORT_KEY_NONE] = SORT_NONE,
                                             [SORT_KEY_NAME] = SORT_NAME,
                                             [SORT_KEY_ALIGNMENT] = SORT_ALIGNMENT};
    enum script_sort sort = sorts[linker->config.sort_key];
    struct script_pattern with = *pattern;

    if (pattern->unsorted || pattern->sort == SORT_PRIORITY)
        return with;
    if (pattern->sort == SORT_NONE)
        with.sort = sort;
    else if (pattern->then == SORT_NONE)
        with.then = sort;
    return with;
}

static int compare_ordered(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    int result = compare_by(x->pattern.sort, x->section, y->section);
    if (!result)
        result = compare_by(x->pattern.then, x->section, y->section);
    return result ? result : x->order < y->order ? -1 : x->order > y->order;
}

static unsigned group_of(const struct script_statement *statement,
                         const struct script_pattern *pattern)
{
    unsigned group = 0;

    for (const struct script_pattern *p = statement->patterns; p != pattern; p = p->next)
        group += p->sort != p->next->sort || p->then != p->next->then;
    return group;
}

static void sort_members(struct linker *linker, struct script_statement *statement)
{
    struct ordered *all = arena_array(&linker->arena, statement->member_count + 1, sizeof *all);

    for (size_t i = 0; i < statement->member_count; i++) {
        const struct script_pattern *pattern =
            matching_pattern(linker, statement, statement->members[i]);
        all[i] = (struct ordered){statement->members[i], with_key(linker, pattern),
                                  group_of(statement, pattern), i};
    }
    if (statement->member_count)
        qsort(all, statement->member_count, sizeof *all, compare_ordered);
    for (size_t i = 0; i < statement->member_count; i++)
        statement->members[i] = all[i].section;
}

/* ---- output sections ---- */

static void add_data(struct linker *linker, struct output_section *output,
                     struct script_statement *statement)
{
    unsigned char *bytes = arena_alloc(&linker->arena, statement->size);
    uint64_t flags = output->member_count ? output->flags : SHF_ALLOC | SHF_WRITE;

    statement->data =
        section_new(linker, output->name, SHT_PROGBITS, flags, 1, bytes, statement->size);
    output_section_add(linker, output, statement->data);
}

static void make_output(struct linker *linker, struct script_output *script_output)
{
    struct output_section *output = output_section_new(linker, script_output->name);
    struct map_entry *entry =
        map_entry(&linker->script->outputs, output->name, strlen(output->name));

    if (entry->value)
        diag_error(&linker->diag, &script_output->at,
                   "a second output section '%s'; put everything into one", output->name);
    entry->value = script_output->output = output;
    for (struct script_statement *s = script_output->body.first; s; s = s->next) {
        if (s->kind == SCRIPT_INPUT)
            sort_members(linker, s);
        for (size_t i = 0; s->kind == SCRIPT_INPUT && i < s->member_count; i++)
            output_section_add(linker, output, s->members[i]);
        if (s->kind == SCRIPT_DATA)
            add_data(linker, output, s);
        output->has_symbols |= s->kind == SCRIPT_ASSIGN && strcmp(s->name, ".") == 0;
    }
    if (!output->member_count) {
        output->type = SHT_NOBITS;
        output->flags = SHF_ALLOC | SHF_WRITE;
    }
    if (strcmp(output->name, ".text") == 0) /* even if a script puts writable sections there */
        output->flags &= ~(uint64_t)SHF_WRITE;
    if (script_output->type == SCRIPT_NOLOAD)
        output->type = SHT_NOBITS;
    output->overlay = script_output->overlay;
    if (script_output->type == SCRIPT_BESIDE)
        output->flags &= ~(uint64_t)SHF_ALLOC;
    output->region = output->member_count && output->flags & SHF_ALLOC
                         ? section_region(output->members[0])
                     : output->flags & SHF_ALLOC ? REGION_BSS
                                                 : REGION_UNLOADED;
}

/* ---- sections that the script does not name ---- */

/* Returns the last output section that an orphan of the region may follow. */
static struct script_statement *find_like(const struct script *script, enum region region)
{
    static const enum region instead[REGION_COUNT] = {
        [REGION_NOTE] = REGION_RODATA, [REGION_TEXT] = REGION_TEXT,   [REGION_RODATA] = REGION_TEXT,
        [REGION_TLS] = REGION_DATA,    [REGION_DATA] = REGION_RODATA, [REGION_BSS] = REGION_DATA,
    };
    struct script_statement *last = NULL;

    for (struct script_statement *s = script->statements.first; s; s = s->next)
        if (s->kind == SCRIPT_OUTPUT && s->output->output && s->output->output->member_count &&
            s->output->output->region == region)
            last = s;
    if (last || instead[region] == region)
        return last;
    return find_like(script, instead[region]);
}

/* Inserts the orphan after the section and after symbols that mark its end. */
static void insert_orphan(struct script *script, struct script_statement *like,
                          struct script_statement *orphan)
{
    if (!like) {
        if (script->statements.last)
            script->statements.last->next = orphan;
        else
            script->statements.first = orphan;
        script->statements.last = orphan;
        return;
    }
    while (like->next && (like->next->kind == SCRIPT_ASSERT ||
                          (like->next->kind == SCRIPT_ASSIGN && strcmp(like->next->name, "."))))
        like = like->next;
    orphan->next = like->next;
    like->next = orphan;
    if (script->statements.last == like)
        script->statements.last = orphan;
}

/* Applies --orphan-handling. Returns false if the section is left out. */
static bool admit_orphan(struct linker *linker, struct section *section)
{
    struct position at = place_position(linker, section, 0);
    static const char message[] = "the linker script does not name section '%s'; give it a place";

    switch (linker->config.orphans) {
    case ORPHANS_DISCARD:
        section->live = false;
        return false;
    case ORPHANS_ERROR:
        diag_error(&linker->diag, &at, message, section->name);
        return true;
    case ORPHANS_WARN:
        diag_warning(&linker->diag, &at, message, section->name);
        return true;
    default:
        return true;
    }
}

static void add_orphan(struct linker *linker, struct section *section)
{
    struct script *script = linker->script;

    if (!admit_orphan(linker, section))
        return;
    /* As in GNU ld, common symbols go to .bss. Sections in memory and sections outside of it are
     * never mixed. */
    bool common = strcmp(section->name, "COMMON") == 0;
    const char *name = common ? ".bss" : section->name;
    struct output_section *output = map_get(&script->outputs, name);
    if (output && output->member_count &&
        (output->flags & SHF_ALLOC) == (section->flags & SHF_ALLOC)) {
        output_section_add(linker, output, section);
        struct statements walk = {0};
        for (struct script_statement *s; (s = next_statement(script, &walk));)
            if (s->kind == SCRIPT_OUTPUT && s->output->output == output) {
                struct script_statement *input = arena_new(&linker->arena, struct script_statement);
                input->kind = SCRIPT_INPUT;
                input->members = arena_new(&linker->arena, struct section *);
                input->members[input->member_count++] = section;
                if (s->output->body.last)
                    s->output->body.last->next = input;
                else
                    s->output->body.first = input;
                s->output->body.last = input;
                return;
            }
    }
    struct script_statement *orphan = arena_new(&linker->arena, struct script_statement);
    struct script_statement *input = arena_new(&linker->arena, struct script_statement);
    input->kind = SCRIPT_INPUT;
    input->members = arena_new(&linker->arena, struct section *);
    input->members[input->member_count++] = section;
    orphan->kind = SCRIPT_OUTPUT;
    orphan->output = arena_new(&linker->arena, struct script_output);
    orphan->output->name = name;
    orphan->output->body = (struct script_list){input, input};
    orphan->output->output = output_section_new(linker, name);
    output_section_add(linker, orphan->output->output, section);
    map_entry(&script->outputs, name, strlen(name))->value = orphan->output->output;
    bool scratchpad = strncmp(name, ".spm", 4) == 0 && section->flags & SHF_ALLOC;
    enum region region = scratchpad ? REGION_SCRATCHPAD : section_region(section);
    orphan->output->output->region = region;
    struct script_statement *like = region < REGION_SCRATCHPAD ? find_like(script, region) : NULL;
    if (like) {
        orphan->output->region = like->output->region;
        orphan->output->load_region = like->output->load_region;
    }
    insert_orphan(script, like, orphan);
}

/* ---- the phase ---- */

/* Assigns sections to patterns. Returns the sections that no pattern matches, in order. */
static struct section **match_sections(struct linker *linker, size_t *count)
{
    struct section **orphans = NULL;
    size_t capacity = 0;
    struct section_walk walk = {0};

    for (struct section *section; (section = section_next(linker, &walk));) {
        struct match match;
        if (!section->live || (linker->config.strip != STRIP_NONE && section_is_debug(section)))
            continue;
        if (!find_match(linker, section, &match)) {
            orphans =
                arena_grow(&linker->arena, orphans, *count, &capacity, sizeof(struct section *));
            orphans[(*count)++] = section;
        } else if (match.output->discards) {
            section->live = false;
        } else {
            struct script_statement *to = match.statement;
            to->members = arena_grow(&linker->arena, to->members, to->member_count,
                                     &to->member_capacity, sizeof(struct section *));
            to->members[to->member_count++] = section;
        }
    }
    return orphans;
}

/* AT> also holds for the following sections, until one is in another region or has its own address
 * or load address. */
static void spread_load_regions(struct script *script)
{
    const struct script_output *previous = NULL;

    for (struct script_statement *s = script->statements.first; s; s = s->next) {
        if (s->kind != SCRIPT_OUTPUT || s->output->discards || s->output->skipped)
            continue;
        struct script_output *output = s->output;
        if (previous && !output->load_region && !output->load_address && !output->address &&
            output->region == previous->region)
            output->load_region = previous->load_region;
        previous = output;
    }
}

/* Undoes assignments of symbols that only a skipped output section contains. */
static void forget_symbols(struct linker *linker, const struct script_output *skipped)
{
    for (const struct script_statement *s = skipped->body.first; s; s = s->next) {
        struct symbol *symbol = s->kind == SCRIPT_ASSIGN ? s->symbol : NULL;
        struct statements walk = {0};
        bool elsewhere = !symbol;
        for (const struct script_statement *other;
             !elsewhere && (other = next_statement(linker->script, &walk));)
            elsewhere = other->kind == SCRIPT_ASSIGN && other->symbol == symbol &&
                        !(walk.outer->kind == SCRIPT_OUTPUT && walk.outer->output->skipped);
        if (elsewhere)
            continue;
        symbol->scripted = false;
        if (symbol_before(symbol))
            *symbol = *symbol_before(symbol);
        else
            symbol->state = SYMBOL_UNDEFINED;
    }
}

/* ONLY_IF_RO, ONLY_IF_RW: does the output section only take sections that satisfy it? */
static void check_constraint(struct linker *linker, struct script_output *output)
{
    struct section_walk walk = {0};
    struct match match;
    bool read_only = true;

    for (struct section *section; read_only && (section = section_next(linker, &walk));)
        if (section->live && section->flags & SHF_WRITE && find_match(linker, section, &match) &&
            match.output == output)
            read_only = false;
    output->skipped = read_only != (output->constraint == SCRIPT_IF_READ_ONLY);
}

void script_lay_out(struct linker *linker)
{
    struct script *script = linker->script;
    size_t count = 0;

    for (struct script_statement *s = script->statements.first; s; s = s->next)
        if (s->kind == SCRIPT_OUTPUT && s->output->constraint != SCRIPT_ALWAYS)
            check_constraint(linker, s->output);
    for (struct script_statement *s = script->statements.first; s; s = s->next)
        if (s->kind == SCRIPT_OUTPUT && s->output->skipped)
            forget_symbols(linker, s->output);
    struct section **orphans = match_sections(linker, &count);
    for (struct script_statement *s = script->statements.first; s; s = s->next)
        if (s->kind == SCRIPT_OUTPUT && !s->output->discards && !s->output->skipped)
            make_output(linker, s->output);
    spread_load_regions(script);
    for (size_t i = 0; i < count; i++)
        add_orphan(linker, orphans[i]);
    if (script->segments)
        script_spread_segments(linker);
    for (struct script_statement *s = script->statements.first; s; s = s->next)
        if (s->kind == SCRIPT_OUTPUT && s->output->output)
            statement_add(linker, (struct statement){.kind = STATEMENT_SECTION,
                                                     .output = s->output->output,
                                                     .region = s->output->output->region});
    output_sections_define_bounds(linker, &script->outputs, "");
    output_sections_fix_addresses(linker, &script->outputs, "");
}
