/* Definitions and expansions of macros and repetitions. Arguments and substitution are in
 * macro_text.c.
 *
 * An expansion is text that is read like a file. An error in it shows the expanded line, its place
 * in the body, and the place of the call. */
#include "asm/macro.h"
#include "asm/argument.h"
#include "asm/expression.h"
#include "asm/macro_text.h"
#include "asm/parse.h"
#include "asm/tasm.h"
#include <string.h>

struct macro {
    const char *name;
    struct parameter *parameters;
    size_t count, capacity;
    struct body body;
    const struct position *at;
    const char *expansion; /* what messages call one */
};

void macro_init(struct assembler *as)
{
    static const char *const directives[] = {".macro",    ".endm",       ".endmacro", ".rept",
                                             ".rep",      ".irp",        ".irpc",     ".endr",
                                             ".altmacro", ".noaltmacro", ".purgem",   ".exitm"};

    map_init(&as->macros.map, as->arena);
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        words_mean(&as->words, directives[i])->text = true;
}

static struct meaning *meaning_of(struct assembler *as, const char *name, size_t length)
{
    return word_meaning(&as->words, word_get(&as->words, name, length));
}

static void push_expansion(struct assembler *as, enum source_kind kind, const struct body *body,
                           const struct text *text, unsigned period, const struct position *from,
                           const char *what)
{
    char *copy = arena_copy(as->arena, text->bytes ? text->bytes : "", text->length);

    input_push_text(as, kind, body, copy, text->length, period, 1, from, what);
}

/* ---- .macro ---- */

static bool opens_macro(const char *word)
{
    return strcmp(word, ".macro") == 0;
}

static bool closes_macro(const char *word)
{
    return strcmp(word, ".endm") == 0 || strcmp(word, ".endmacro") == 0;
}

static bool read_qualifier(struct reader *reader, struct parameter *parameter)
{
    struct span word = reader_name(reader);

    if (word.length == 3 && memcmp(word.text, "req", 3) == 0)
        parameter->required = true;
    else if (word.length == 6 && memcmp(word.text, "vararg", 6) == 0)
        parameter->rest = true;
    else {
        reader->next = word.text;
        reader_complain(reader, "unknown qualifier '%.*s' of a parameter; known: req, vararg",
                        (int)word.length, word.text);
        return false;
    }
    return true;
}

static bool read_parameters(struct reader *reader, struct macro *macro)
{
    for (reader_skip_blanks(reader); reader->next < reader->end; reader_skip_blanks(reader)) {
        struct parameter parameter = {0};
        if (macro->count && macro->parameters[macro->count - 1].rest) {
            reader_complain(reader,
                            "no parameter may follow the one that takes the rest (:vararg)");
            return false;
        }
        struct span name = reader_name(reader);
        if (!name.length) {
            reader_complain(reader, "expected the name of a parameter, found '%c'", *reader->next);
            return false;
        }
        for (size_t i = 0; i < macro->count; i++) {
            if (macro->parameters[i].name_length == name.length &&
                memcmp(macro->parameters[i].name, name.text, name.length) == 0) {
                reader->next = name.text;
                reader_complain(reader, "parameter '%.*s' is named twice", (int)name.length,
                                name.text);
                return false;
            }
        }
        parameter.name = arena_copy(reader->as->arena, name.text, name.length);
        parameter.name_length = name.length;
        if (reader_accept(reader, ':') && !read_qualifier(reader, &parameter))
            return false;
        if (reader_accept(reader, '=')) {
            struct span value = reader_argument(reader);
            parameter.value = arena_copy(reader->as->arena, value.text, value.length);
            parameter.value_length = value.length;
        }
        macro->parameters = arena_grow(reader->as->arena, macro->parameters, macro->count,
                                       &macro->capacity, sizeof *macro->parameters);
        macro->parameters[macro->count++] = parameter;
        reader_accept(reader, ',');
    }
    return true;
}

/* Returns the name in lower case, because case does not matter in names of macros. */
static const char *lower_case(struct assembler *as, struct span name)
{
    char *copy = arena_copy(as->arena, name.text, name.length);

    for (char *c = copy; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c | 0x20);
    return copy;
}

static void define_macro(struct reader *reader)
{
    struct assembler *as = reader->as;
    struct macro *macro = arena_new(as->arena, struct macro);

    macro->at = position_keep(as, reader->statement->at);
    struct span name = reader_name(reader);
    bool ok = name.length != 0;
    if (!ok)
        reader_complain(reader, "expected the name of the macro");
    if (ok) {
        macro->name = lower_case(as, name);
        macro->expansion = arena_format(as->arena, "in expansion of macro '%s'", macro->name);
        reader_accept(reader, ',');
        ok = read_parameters(reader, macro);
    }
    if (!input_capture(as, macro->at, "'.macro'", opens_macro, closes_macro, &macro->body) || !ok)
        return;
    struct map_entry *entry = map_entry(&as->macros.map, macro->name, name.length);
    const struct macro *older = entry->value;
    if (older) {
        diag_error(as->diag, macro->at, "macro '%s' is already defined", macro->name);
        diag_note(as->diag, older->at, "first defined here");
        return;
    }
    words_change(&as->words);
    entry->value = meaning_of(as, macro->name, name.length)->macro = macro;
}

/* Reads `name =` if there is a parameter of that name; returns its index, or -1. */
static long named_parameter(struct reader *reader, const struct macro *macro)
{
    const char *start = reader->next;
    struct span name = reader_name(reader);

    reader_skip_blanks(reader);
    if (name.length && reader->next < reader->end && *reader->next == '=' &&
        !(reader->next + 1 < reader->end && reader->next[1] == '=')) {
        for (size_t i = 0; i < macro->count; i++) {
            if (macro->parameters[i].name_length == name.length &&
                memcmp(macro->parameters[i].name, name.text, name.length) == 0) {
                reader->next++;
                return (long)i;
            }
        }
    }
    reader->next = start;
    return -1;
}

static bool read_values(struct reader *reader, const struct macro *macro, struct span *values)
{
    size_t next = 0;

    for (reader_skip_blanks(reader); reader->next < reader->end; reader_skip_blanks(reader)) {
        long named = named_parameter(reader, macro);
        size_t index = named >= 0 ? (size_t)named : next;
        if (index >= macro->count) {
            reader_complain(reader, "macro '%s' takes %zu argument%s, found more", macro->name,
                            macro->count, macro->count == 1 ? "" : "s");
            return false;
        }
        if (macro->parameters[index].rest) {
            values[index] = (struct span){reader->next, (size_t)(reader->end - reader->next)};
            reader->next = reader->end;
            break;
        }
        struct span value = reader_argument(reader);
        if (value.length || named >= 0)
            values[index] = value;
        next = index + 1;
        if (!reader_accept(reader, ',') && reader->next < reader->end &&
            !strchr(" \t", reader->next[-1]) && *reader->next == '"')
            continue;
    }
    return true;
}

/* Gives the parameters without a value their defaults. Reports those that need one. */
static bool complete_values(struct reader *reader, const struct macro *macro, struct span *values)
{
    struct assembler *as = reader->as;
    bool ok = true;

    for (size_t i = 0; i < macro->count; i++) {
        const struct parameter *parameter = &macro->parameters[i];
        bool is_missing = parameter->required && !values[i].length;
        if (!values[i].text)
            values[i] = (struct span){parameter->value, parameter->value_length};
        if (!is_missing)
            continue;
        diag_error(as->diag, reader->statement->at,
                   "macro '%s' needs a value for its parameter '%.*s'", macro->name,
                   (int)parameter->name_length, parameter->name);
        diag_note(as->diag, macro->at, "defined here");
        ok = false;
    }
    return ok;
}

static void expand_macro(struct reader *reader, const struct macro *macro)
{
    struct assembler *as = reader->as;
    struct span *values = arena_array(as->scratch, macro->count + 1, sizeof *values);

    if (!read_values(reader, macro, values) || !complete_values(reader, macro, values))
        return;
    struct substitution substitution = {.as = as,
                                        .parameters = macro->parameters,
                                        .values = values,
                                        .count = macro->count,
                                        .number = as->macros.count++,
                                        .is_macro = true,
                                        .at = reader->statement->at};
    text_clear(&as->macros.text);
    macro_substitute(&as->macros.text, &macro->body, &substitution);
    push_expansion(as, SOURCE_MACRO, &macro->body, &as->macros.text, 0,
                   position_keep(as, reader->statement->at), macro->expansion);
}

static void purge_macro(struct reader *reader)
{
    struct span name = reader_name(reader);
    const char *key = lower_case(reader->as, name);
    struct meaning *meaning = meaning_of(reader->as, key, name.length);

    if (!meaning->macro) {
        reader->next = name.text;
        reader_complain(reader, "no macro '%.*s' is defined", (int)name.length, name.text);
        return;
    }
    meaning->macro = NULL;
    words_change(&reader->as->words);
    map_set(&reader->as->macros.map, key, NULL);
}

/* ---- .rept .irp .irpc ---- */

static bool opens_repetition(const char *word)
{
    return strcmp(word, ".rept") == 0 || strcmp(word, ".rep") == 0 || strcmp(word, ".irp") == 0 ||
           strcmp(word, ".irpc") == 0;
}

static bool closes_repetition(const char *word)
{
    return strcmp(word, ".endr") == 0;
}

static void repeat(struct reader *reader)
{
    struct assembler *as = reader->as;
    const struct position *at = position_keep(as, reader->statement->at);
    struct parsed parsed;
    struct expression *expression = NULL;
    int64_t count = 0;

    if (parse_arguments(as, reader->statement, (size_t)(reader->next - reader->statement->text),
                        &parsed))
        expression = argument_expression(as, &parsed, 0);
    bool ok = expression && expression_number(as, expression, "the count of '.rept'", &count);
    struct body body;
    if (!input_capture(as, at, "'.rept'", opens_repetition, closes_repetition, &body) || !ok)
        return;
    if (count < 0) {
        struct position place = argument_place(&parsed, 0);
        diag_error(as->diag, &place, "the count of '.rept' is %lld; it must not be negative",
                   (long long)count);
        return;
    }
    input_push_text(as, SOURCE_REPEAT, &body, body.text, body.length, 0, (unsigned long)count, at,
                    "in repetition");
}

static unsigned count_lines(const char *text, size_t length)
{
    unsigned lines = 0;

    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Reads the next value of .irp, or the next byte of .irpc; false at the end. */
static bool next_value(struct reader *reader, bool characters, struct span *value)
{
    reader_skip_blanks(reader);
    if (reader->next == reader->end)
        return false;
    if (characters) {
        *value = (struct span){reader->next++, 1};
        return true;
    }
    *value = reader_argument(reader);
    reader_accept(reader, ',');
    return true;
}

static void repeat_values(struct reader *reader, bool characters)
{
    struct assembler *as = reader->as;
    const struct position *at = position_keep(as, reader->statement->at);
    struct span name = reader_name(reader);

    if (!name.length)
        reader_complain(reader, "expected the name of the parameter that takes the values");
    reader_accept(reader, ',');
    struct body body;
    if (!input_capture(as, at, characters ? "'.irpc'" : "'.irp'", opens_repetition,
                       closes_repetition, &body) ||
        !name.length)
        return;
    struct parameter parameter = {.name = name.text, .name_length = name.length};
    struct text *text = &as->macros.text;
    text_clear(text);
    struct span value = {"", 0};
    bool more = next_value(reader, characters, &value);
    do {
        struct substitution substitution = {
            .as = as, .parameters = &parameter, .values = &value, .count = 1, .at = at};
        macro_substitute(text, &body, &substitution);
        if (text->length > 1u << 28) {
            diag_error(as->diag, at, "the repetition expands to more than %u MiB", 1u << 8);
            return;
        }
    } while (more && next_value(reader, characters, &value));
    push_expansion(as, SOURCE_REPEAT, &body, text, count_lines(body.text, body.length), at,
                   "in repetition");
}

/* ---- dispatch ---- */

static bool word_is(const struct reader *reader, size_t offset, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(reader->statement->text + offset, word, length) == 0;
}

bool macro_statement(struct assembler *as, const struct statement *statement,
                     const struct meaning *meaning, size_t offset, size_t length)
{
    struct reader reader = {.as = as,
                            .statement = statement,
                            .next = statement->text + offset + length,
                            .end = statement->text + statement->length};

    if (meaning->macro) {
        expand_macro(&reader, meaning->macro);
        return true;
    }
    if (word_is(&reader, offset, length, ".macro"))
        define_macro(&reader);
    else if (word_is(&reader, offset, length, ".rept") || word_is(&reader, offset, length, ".rep"))
        repeat(&reader);
    else if (word_is(&reader, offset, length, ".irp"))
        repeat_values(&reader, false);
    else if (word_is(&reader, offset, length, ".irpc"))
        repeat_values(&reader, true);
    else if (word_is(&reader, offset, length, ".altmacro") ||
             word_is(&reader, offset, length, ".noaltmacro"))
        as->macros.alternate = length == strlen(".altmacro");
    else if (word_is(&reader, offset, length, ".purgem"))
        purge_macro(&reader);
    else if (word_is(&reader, offset, length, ".exitm")) {
        if (!input_exit_macro(as))
            diag_error(as->diag, statement->at, "'.exitm' outside a macro");
    } else if (word_is(&reader, offset, length, ".endm") ||
               word_is(&reader, offset, length, ".endmacro"))
        diag_error(as->diag, statement->at, "'.endm' without '.macro'");
    else if (word_is(&reader, offset, length, ".endr"))
        diag_error(as->diag, statement->at, "'.endr' without '.rept', '.irp' or '.irpc'");
    else
        return false;
    return true;
}
