/*
 * The `functions` section: parts of definitions that several instructions share. A function is C
 * over its arguments, accessors and other functions. One with the name of an accessor is the
 * definition of this accessor: the executors have a faster form of it.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static void read_arguments(struct spec *spec, struct spec_function *function,
                           const struct node *node)
{
    if (!node || !node_expect(&spec->context, node, NODE_MAPPING, "arguments"))
        return;
    function->arguments = arena_array(spec->arena, node->count, sizeof *function->arguments);
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->items[2 * i];
        const char *c_type = spec_read_type(spec, node->items[2 * i + 1], "type of an argument");
        if (!node_is_name(key->text, false) || spec_is_body_word(spec, key->text))
            diag_error(spec->diag, &key->at,
                       "'%s' cannot name an argument: it is not a C name, or means something else "
                       "in a body; choose another name",
                       key->text);
        else
            function->arguments[function->argument_count++] =
                (struct spec_argument){key->text, c_type, SPEC_VALUE};
    }
}

static bool check_name(struct spec *spec, const struct node *key)
{
    const struct spec_function *first = map_get(&spec->functions, key->text);

    if (!node_is_name(key->text, false)) {
        diag_error(spec->diag, &key->at, "'%s' is not a name for a function; expected a C name",
                   key->text);
        return false;
    }
    if (spec_is_c_word(key->text)) {
        diag_error(spec->diag, &key->at, "'%s' is a word of C; choose another name for a function",
                   key->text);
        return false;
    }
    if (!first)
        return true;
    diag_error(spec->diag, &key->at, "a second function '%s'; rename or remove one", key->text);
    diag_note(spec->diag, &first->at, "first here");
    return false;
}

/* A function with the name of an accessor defines it, so it must have the same types. */
static void check_accessor(struct spec *spec, const struct spec_function *function)
{
    const struct spec_accessor *accessor = function->accessor;

    if (!accessor)
        return;
    bool is_same = accessor->returns && strcmp(accessor->returns, function->returns) == 0 &&
                   accessor->argument_count == function->argument_count;
    for (size_t i = 0; is_same && i < function->argument_count; i++)
        is_same = accessor->arguments[i].kind == SPEC_VALUE &&
                  strcmp(accessor->arguments[i].c_type, function->arguments[i].c_type) == 0;
    if (is_same)
        return;
    diag_error(spec->diag, &function->at,
               "'%s' is an accessor, which a function of this name would define; but its arguments "
               "and its result have other types; choose another name",
               function->name);
    diag_note(spec->diag, &accessor->at, "the accessor is here");
}

void spec_read_functions(struct spec *spec, const struct node *section)
{
    static const char *const keys[] = {"summary!", "arguments", "returns", "semantics!", NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const char *what = arena_format(spec->arena, "function '%s'", key->text);
        const struct node *returns;
        if (!check_name(spec, key) || !node_check_keys(&spec->context, node, what, keys))
            continue;
        struct spec_function *function = arena_new(spec->arena, struct spec_function);
        *function = (struct spec_function){
            .name = key->text,
            .at = key->at,
            .summary = node_text(&spec->context, node_get(node, "summary"), "summary"),
            .accessor = spec_find_accessor(spec, key->text, strlen(key->text)),
            .returns = "void",
            .semantics = {node_text(&spec->context, node_get(node, "semantics"), "semantics"),
                          node_get(node, "semantics")},
        };
        returns = node_get(node, "returns");
        if (returns)
            function->returns = spec_read_type(spec, returns, "returns");
        read_arguments(spec, function, node_get(node, "arguments"));
        check_accessor(spec, function);
        map_set(&spec->functions, function->name, function);
    }
}

static bool is_argument(const struct spec_function *function, const char *name, size_t length)
{
    for (size_t i = 0; i < function->argument_count; i++)
        if (strlen(function->arguments[i].name) == length &&
            memcmp(function->arguments[i].name, name, length) == 0)
            return true;
    return false;
}

/* Follows the names in the code: accessors add their effects, functions what they name. */
static void follow(struct spec *spec, struct spec_function *function)
{
    const char *what = arena_format(spec->arena, "the body of '%s'", function->name);
    struct scope scope;
    size_t offset = 0;

    scope_init(&scope, spec);
    function->visit = FOLLOW_OPEN;
    for (;;) {
        struct code_token token = spec_next_token(function->semantics.text, &offset);
        const char *name = function->semantics.text + token.offset;
        if (token.kind == CODE_END)
            break;
        if (scope_follow(&scope, function->semantics.text, &token) ||
            is_argument(function, name, token.length))
            continue;
        struct spec_function *called = map_get_bytes(&spec->functions, name, token.length);
        const struct spec_accessor *accessor = spec_find_accessor(spec, name, token.length);
        if (called && called->visit == FOLLOW_OPEN) {
            spec_code_error(
                spec, &function->semantics, token.offset, token.length,
                arena_format(spec->arena, "'%s' calls itself; write a loop", called->name));
            continue;
        }
        if (called && called->visit == FOLLOW_NONE)
            follow(spec, called);
        if (!called && !accessor)
            spec_report_name(spec, &function->semantics, &token, what);
        function->effects |= accessor ? accessor->effects : called ? called->effects : 0;
    }
    function->visit = FOLLOW_DONE;
}

void spec_check_functions(struct spec *spec)
{
    for (size_t i = 0; i < spec->functions.count; i++) {
        struct spec_function *function = SPEC_AT(spec->functions, i, struct spec_function);
        const char *what = arena_format(spec->arena, "the body of '%s'", function->name);
        if (!function->semantics.text || !spec_check_code(spec, &function->semantics, what))
            function->semantics.text = "";
        spec_check_length(spec, &function->semantics, what);
    }
    for (size_t i = 0; i < spec->functions.count; i++)
        if (SPEC_AT(spec->functions, i, struct spec_function)->visit == FOLLOW_NONE)
            follow(spec, SPEC_AT(spec->functions, i, struct spec_function));
}

void spec_check_length(struct spec *spec, const struct spec_code *code, const char *what)
{
    size_t lines = 0;

    for (const char *at = code->text; *at; at++)
        lines += *at == '\n' || !at[1];
    if (lines > SPEC_BODY_LINES)
        spec_code_error(spec, code, 0, 1,
                        arena_format(spec->arena,
                                     "%s has %zu lines, expected at most %d; move a part of it to "
                                     "'functions'",
                                     what, lines, SPEC_BODY_LINES));
}

static void use_function(const struct spec *spec, const char *name, size_t length,
                         struct spec_used *used)
{
    const struct spec_function *function = map_get_bytes(&spec->functions, name, length);

    for (size_t i = 0; i < used->count; i++)
        if (used->items[i] == function)
            return;
    if (!function)
        return;
    used->items =
        arena_grow(spec->arena, used->items, used->count, &used->capacity, sizeof *used->items);
    used->items[used->count++] = function;
}

/* Appends the functions that the code names, and those that define the accessors in it. */
static void use_functions(const struct spec *spec, const struct spec_code *code,
                          struct spec_used *used)
{
    size_t offset = 0;

    while (code->text) {
        struct code_token token = spec_next_token(code->text, &offset);
        const char *name = code->text + token.offset;
        if (token.kind == CODE_END)
            return;
        if (token.kind != CODE_NAME)
            continue;
        if (spec_is_called(code->text, &token))
            use_function(spec, name, token.length, used);
        const struct spec_accessor *accessor = spec_find_accessor(spec, name, token.length);
        for (size_t i = 0; accessor && accessor->uses && i < accessor->uses->count; i++) {
            const char *part = accessor->uses->items[i]->text;
            use_function(spec, part, strlen(part), used);
        }
    }
}

struct spec_used spec_used_functions(const struct spec *spec, const struct spec_code *code)
{
    struct spec_used used = {0};

    use_functions(spec, code, &used);
    for (size_t i = 0; i < used.count; i++)
        use_functions(spec, &used.items[i]->semantics, &used);
    return used;
}
