/* Builds the data structures of a script for the grammar. */
#include "ld/script/build.h"

#include "ld/symbol.h"
#include <string.h>

struct expression *build_expression(struct script_reader *reader, enum operation operation,
                                    const struct position *at, struct expression *left,
                                    struct expression *right)
{
    struct expression *expression = arena_new(&reader->linker->arena, struct expression);
    unsigned depth = left ? left->depth : 0;

    depth = (right && right->depth > depth ? right->depth : depth) + 1;
    *expression = (struct expression){
        .operation = operation, .left = left, .right = right, .depth = depth, .position = *at};
    if (depth > SCRIPT_DEPTH) {
        if (depth == SCRIPT_DEPTH + 1)
            diag_error(&reader->linker->diag, at,
                       "the expression has more than %d nested operations; give parts of it names",
                       SCRIPT_DEPTH);
        expression->operation = NUMBER; /* the expression gets no deeper */
        expression->left = expression->right = NULL;
    }
    return expression;
}

struct expression *build_property(struct script_reader *reader, enum operation operation,
                                  const struct position *at, const char *name)
{
    struct expression *expression = build_expression(reader, operation, at, NULL, NULL);

    expression->name = name;
    return expression;
}

struct expression *build_symbol(struct script_reader *reader, enum operation operation,
                                const struct position *at, const char *name)
{
    struct expression *expression = build_expression(reader, operation, at, NULL, NULL);

    name = symbol_wrapped(reader->linker, name);
    expression->symbol = symbol_intern(reader->linker, name);
    if (operation == SYMBOL)
        symbol_use(reader->linker, name);
    return expression;
}

struct expression *build_name(struct script_reader *reader, const struct position *at,
                              const char *name)
{
    return strcmp(name, ".") == 0 && !reader->is_defsym
               ? build_expression(reader, HERE, at, NULL, NULL)
               : build_symbol(reader, SYMBOL, at, name);
}

void build_defsym(struct script_reader *reader, const char *name, struct expression *value)
{
    struct symbol *symbol = symbol_intern(reader->linker, name);

    symbol_assign(reader->linker, symbol);
    symbol->assignment->expression = value;
}

struct script_statement *build_statement(struct script_reader *reader, enum script_kind kind,
                                         const struct position *at)
{
    struct script_statement *statement = arena_new(&reader->linker->arena, struct script_statement);

    statement->kind = kind;
    statement->at = *at;
    return statement;
}

struct script_statement *build_assign(struct script_reader *reader, const char *name,
                                      const char *change, struct expression *value,
                                      const struct position *at)
{
    static const struct {
        const char *text;
        enum operation operation;
    } changes[] = {{"+=", ADD}, {"-=", SUBTRACT}, {"*=", MULTIPLY},    {"/=", DIVIDE},
                   {"&=", AND}, {"|=", OR},       {"<<=", SHIFT_LEFT}, {">>=", SHIFT_RIGHT}};
    struct script_statement *assignment = build_statement(reader, SCRIPT_ASSIGN, at);
    assignment->name = name;
    assignment->value = value;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (strcmp(change, changes[i].text) != 0)
            continue;
        assignment->value =
            build_expression(reader, changes[i].operation, at, build_name(reader, at, name), value);
    }
    return assignment;
}

struct script_output *build_output(struct script_reader *reader, const char *name,
                                   struct expression *address, enum script_type type,
                                   const struct position *at)
{
    struct script_output *output = arena_new(&reader->linker->arena, struct script_output);

    *output = (struct script_output){.name = name,
                                     .at = *at,
                                     .discards = strcmp(name, "/DISCARD/") == 0,
                                     .address = address,
                                     .type = type};
    return output;
}

struct script_pattern *build_pattern(struct script_reader *reader, const char *name)
{
    struct script_pattern *pattern = arena_new(&reader->linker->arena, struct script_pattern);

    pattern->name = name;
    return pattern;
}

struct script_words *build_words(struct script_reader *reader, const char *word)
{
    struct script_words *words = arena_new(&reader->linker->arena, struct script_words);

    words->word = word;
    return words;
}

struct script_isolation *build_isolation(struct script_reader *reader,
                                         struct script_words *sections, bool to_first)
{
    struct script_isolation *isolation = arena_new(&reader->linker->arena, struct script_isolation);

    *isolation = (struct script_isolation){sections, to_first, reader->script->isolations};
    reader->script->isolations = isolation;
    return isolation;
}

void build_append(struct script_list *list, struct script_statement *statement)
{
    if (list->last)
        list->last->next = statement;
    else
        list->first = statement;
    list->last = statement;
}

struct script_region *build_region_of(struct script_reader *reader, const char *name,
                                      const struct position *at)
{
    struct script_region *region = script_find_region(reader->script, name);
    struct suggestion near;

    if (region)
        return region;
    suggest_init(&near, name);
    for (region = reader->script->regions; region; region = region->next)
        suggest_add(&near, region->name);
    const char *text = suggest_text(&near);
    diag_error(&reader->linker->diag, at, "there is no memory region '%s'%s%s%s", name,
               text ? "; did you mean " : "; define it with MEMORY before", text ? text : "",
               text ? "?" : "");
    return NULL;
}

struct script_region *build_region(struct script_reader *reader, const char *name,
                                   const struct position *at)
{
    struct script_region *region = arena_new(&reader->linker->arena, struct script_region);
    struct script *script = reader->script;

    if (script_find_region(script, name))
        diag_error(&reader->linker->diag, at, "a second memory region '%s'; rename or remove one",
                   name);
    region->name = name;
    region->at = *at;
    if (script->last_region)
        script->last_region->next = region;
    else
        script->regions = region;
    script->last_region = region;
    return region;
}

/* Parses the letters that say which sections a region takes: GNU ld's manual, "MEMORY". */
bool build_attributes(struct script_reader *reader, struct script_region *region,
                      const char *letters, bool refuse, const struct position *at)
{
    for (; *letters; letters++) {
        uint64_t flags = 0;
        switch (*letters | 0x20) {
        case 'r':
        case 'i':
        case 'l':
        case 'a':
            flags = SHF_ALLOC;
            break;
        case 'w':
            flags = SHF_WRITE;
            break;
        case 'x':
            flags = SHF_EXECINSTR;
            break;
        default:
            diag_error(&reader->linker->diag, at,
                       "found attribute '%c', expected r, w, x, a, i or l", *letters);
            return false;
        }
        if (refuse)
            region->refuse |= flags;
        else
            region->need |= flags;
    }
    return true;
}

void build_check_word(struct script_reader *reader, const struct position *at, const char *found,
                      const char *const *allowed, const char *expected)
{
    for (; *allowed; allowed++)
        if (strcmp(found, *allowed) == 0)
            return;
    diag_error(&reader->linker->diag, at, "found '%s', expected %s", found, expected);
}

void build_input(struct script_reader *reader, enum input_kind kind, const char *name)
{
    struct script *script = reader->script;
    struct script_input *input = arena_new(&reader->linker->arena, struct script_input);

    *input = (struct script_input){.kind = kind, .name = name};
    if (script->last_input)
        script->last_input->next = input;
    else
        script->inputs = input;
    script->last_input = input;
}

struct expression *build_segment_start(struct script_reader *reader, const struct position *at,
                                       const char *segment, struct expression *otherwise)
{
    const struct config *config = &reader->linker->config;
    const uint64_t *address = NULL;

    if (strcmp(segment, "text-segment") == 0 && config->text_segment_given)
        address = &config->text_segment;
    for (size_t i = 0; i < config->section_start_count; i++)
        if (*config->section_starts[i].name == '.' &&
            strcmp(config->section_starts[i].name + 1, segment) == 0)
            address = &config->section_starts[i].address;
    if (!address)
        return otherwise;
    struct expression *number = build_expression(reader, NUMBER, at, NULL, NULL);
    number->number = *address;
    return number;
}

uint32_t build_segment_type(struct script_reader *reader, const char *name,
                            const struct position *at)
{
    static const struct {
        const char *name;
        uint32_t type;
    } types[] = {
        {"PT_NULL", PT_NULL},           {"PT_LOAD", PT_LOAD},
        {"PT_DYNAMIC", PT_DYNAMIC},     {"PT_INTERP", PT_INTERP},
        {"PT_NOTE", PT_NOTE},           {"PT_SHLIB", PT_SHLIB},
        {"PT_PHDR", PT_PHDR},           {"PT_TLS", PT_TLS},
        {"PT_GNU_STACK", PT_GNU_STACK}, {"PT_GNU_EH_FRAME", PT_GNU_EH_FRAME},
        {"PT_GNU_RELRO", PT_GNU_RELRO},
    };
    struct suggestion near;
    suggest_init(&near, name);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
        suggest_add(&near, types[i].name);
    }
    const char *text = suggest_text(&near);
    diag_error(&reader->linker->diag, at, "there is no segment type '%s'%s%s%s", name,
               text ? "; did you mean " : ", expected PT_LOAD, another PT_... or a number",
               text ? text : "", text ? "?" : "");
    return PT_NULL;
}

struct script_segment *build_segment(struct script_reader *reader, const char *name,
                                     const struct position *at, uint32_t type)
{
    struct script *script = reader->script;
    struct script_segment *segment = arena_new(&reader->linker->arena, struct script_segment);

    *segment = (struct script_segment){.name = name, .at = *at, .type = type};
    for (const struct script_segment *other = script->segments; other; other = other->next)
        if (strcmp(other->name, name) == 0)
            diag_error(&reader->linker->diag, at, "a second segment '%s'; rename or remove one",
                       name);
    if (script->last_segment)
        script->last_segment->next = segment;
    else
        script->segments = segment;
    script->last_segment = segment;
    return segment;
}

void build_insert(struct script_reader *reader, const char *section, bool after,
                  const struct position *at)
{
    struct script *script = reader->script;
    struct script_insert *insert = arena_new(&reader->linker->arena, struct script_insert);

    *insert = (struct script_insert){
        .statements = script->statements, .section = section, .after = after, .at = *at};
    script->statements = (struct script_list){0};
    if (script->last_insert)
        script->last_insert->next = insert;
    else
        script->inserts = insert;
    script->last_insert = insert;
}
