/*
 * The names in a body that need no declaration in the YAML: words of C, the variables of the body,
 * and arguments that are names of something else.
 */
#include "isa/isagen/spec.h"

#include <string.h>

/* Keywords of C and its headers, and macros that compilers define. A body cannot use them as names.
 */
static const char *const reserved_words[] = {
    "asm",      "auto",    "bool",     "break",    "case",     "char",    "const",
    "continue", "default", "do",       "double",   "else",     "enum",    "extern",
    "false",    "float",   "for",      "goto",     "if",       "inline",  "int",
    "linux",    "long",    "register", "restrict", "return",   "short",   "signed",
    "sizeof",   "static",  "struct",   "switch",   "true",     "typedef", "typeof",
    "union",    "unix",    "unsigned", "void",     "volatile", "while",   NULL,
};

/* The name that an accessor defines for its arguments. */
static const char old_value[] = "old";

/* Names of types, and words that come before them. */
static const char *const type_words[] = {
    "bool",    "char",     "const",    "double",   "float",    "int",      "int8_t",
    "int16_t", "int32_t",  "int64_t",  "long",     "short",    "signed",   "size_t",
    "enum",    "struct",   "uint8_t",  "uint16_t", "uint32_t", "uint64_t", "unsigned",
    "void",    "volatile", "__int128", NULL,
};

/* Names of C's headers and of the compiler that a body may use. */
static const char *const library_words[] = {
    "UINT64_C",  "INT64_C",   "UINT8_MAX", "UINT16_MAX", "UINT32_MAX", "UINT64_MAX",
    "INT32_MIN", "INT32_MAX", "INT64_MIN", "INT64_MAX",  NULL,
};

static bool is_among(const char *const *words, const char *name)
{
    while (*words && strcmp(*words, name) != 0)
        words++;
    return *words != NULL;
}

bool spec_is_c_word(const char *name)
{
    return is_among(reserved_words, name);
}

bool spec_is_body_word(const struct spec *spec, const char *name)
{
    return is_among(reserved_words, name) || strcmp(name, old_value) == 0 ||
           is_among(type_words, name) || is_among(library_words, name) ||
           map_get(&spec->accessors, name) != NULL;
}

void scope_init(struct scope *scope, const struct spec *spec)
{
    *scope = (struct scope){.spec = spec, .is_start = true};
    map_init(&scope->variables, spec->arena);
}

/* Follows a character that is not part of a name. */
static void follow_character(struct scope *scope, char c)
{
    scope->is_start = strchr(";{}", c) || (c == '(' && scope->after_for);
    scope->after_for = false;
    if (strchr("([{", c) && scope->in_value)
        scope->depth++;
    else if (strchr(")]}", c) && scope->depth)
        scope->depth--;
    else if (strchr("(){};", c))
        scope->in_declaration = scope->in_value = false;
    else if (c == '=' && scope->in_declaration)
        scope->in_value = true;
    else if (c == ',' && !scope->depth)
        scope->in_value = false;
}

static bool is_name(enum spec_argument_kind kind)
{
    return kind == SPEC_NAME || kind == SPEC_TRAP || kind == SPEC_STATE_NAME ||
           kind == SPEC_COUNTER;
}

/* Notes which arguments of a call are names that are neither operands nor variables. They are next
 * to each other. */
static void follow_call(struct scope *scope, const char *text, const struct code_token *token,
                        const struct spec_accessor *accessor)
{
    bool any = false;
    size_t begin;

    for (size_t i = 0; i < accessor->argument_count; i++) {
        if (!is_name(accessor->arguments[i].kind))
            continue;
        scope->names_end = spec_find_argument(text, token->offset + token->length, i, &begin);
        if (!any)
            scope->names_begin = begin;
        any = true;
    }
}

/* Is it an enumerator of the generated isa_ids.h? */
static bool is_enumerator(const char *name)
{
    return strncmp(name, "ISA_ELEMENT_", 12) == 0 || strncmp(name, "ISA_VALUE_", 10) == 0 ||
           strncmp(name, SPEC_SETTING_PREFIX, sizeof SPEC_SETTING_PREFIX - 1) == 0;
}

static bool follow_word(struct scope *scope, const char *word)
{
    bool is_start = scope->is_start;

    scope->is_start = strcmp(word, "else") == 0;
    scope->after_for = strcmp(word, "for") == 0;
    if (scope->is_tag) {
        scope->is_tag = false;
        return true;
    }
    if (is_among(type_words, word) && (is_start || scope->in_declaration) && !scope->in_value) {
        scope->in_declaration = true;
        scope->depth = 0;
        scope->is_tag = strcmp(word, "struct") == 0 || strcmp(word, "enum") == 0;
        return true;
    }
    bool is_word = is_among(reserved_words, word) || strcmp(word, old_value) == 0 ||
                   is_among(type_words, word) || is_among(library_words, word) ||
                   strncmp(word, "__builtin_", 10) == 0 || is_enumerator(word);
    if (!is_word && scope->in_declaration && !scope->in_value)
        map_set(&scope->variables, word, scope);
    return is_word || map_get(&scope->variables, word) != NULL;
}

bool scope_follow(struct scope *scope, const char *text, const struct code_token *token)
{
    if (token->kind == CODE_OTHER)
        follow_character(scope, text[token->offset]);
    if (token->kind != CODE_NAME ||
        (token->offset >= scope->names_begin && token->offset < scope->names_end))
        return true;
    const struct spec_accessor *accessor =
        spec_find_accessor(scope->spec, text + token->offset, token->length);
    if (accessor && accessor->is_called && !spec_is_called(text, token))
        accessor = NULL; /* a variable of the body */
    if (accessor)
        follow_call(scope, text, token, accessor);
    return !accessor &&
           follow_word(scope, arena_copy(scope->spec->arena, text + token->offset, token->length));
}

bool spec_code_uses(const struct spec *spec, const struct spec_code *code, const char *name)
{
    struct scope scope;
    size_t offset = 0, length = strlen(name);

    scope_init(&scope, spec);
    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        if (token.kind == CODE_END)
            return false;
        if (!scope_follow(&scope, code->text, &token) && token.length == length &&
            memcmp(code->text + token.offset, name, length) == 0)
            return true;
    }
}

void spec_report_name(struct spec *spec, const struct spec_code *code,
                      const struct code_token *token, const char *what)
{
    const char *word = arena_copy(spec->arena, code->text + token->offset, token->length);
    struct suggestion near;

    suggest_init(&near, word);
    for (size_t i = 0; i < spec->accessors.count; i++)
        suggest_add(&near, spec->accessors.entries[i].key);
    for (size_t i = 0; i < spec->functions.count; i++)
        suggest_add(&near, spec->functions.entries[i].key);
    spec_code_error(spec, code, token->offset, token->length,
                    arena_format(spec->arena,
                                 "%s names '%s'; expected an operand, an accessor, a function or "
                                 "a variable of the body%s",
                                 what, word, node_near(&spec->context, &near, "")));
}
