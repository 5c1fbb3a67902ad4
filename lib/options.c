#include "lib/options.h"

#include "lib/arena.h"
#include "lib/completion.h"
#include "lib/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 30

enum { BUILT_IN_HELP, BUILT_IN_VERSION, BUILT_IN_COLOR, BUILT_IN_COMPLETION };

static const struct option_spec built_in[] = {
    {0, "color", OPTION_REQUIRED, "auto|yes|no",
     "color messages; auto (default): on a terminal, unless NO_COLOR is set", false,
     BUILT_IN_COLOR},
    {'h', "help", OPTION_NONE, NULL, "print this help and exit", false, BUILT_IN_HELP},
    {0, "version", OPTION_NONE, NULL, "print the version and exit", false, BUILT_IN_VERSION},
    {0, "completion", OPTION_REQUIRED, "bash|zsh|fish", NULL, false, BUILT_IN_COMPLETION},
    {0, NULL, OPTION_NONE, NULL, NULL, false, 0},
};

static bool is_last(const struct option_spec *spec)
{
    return !spec->letter && !spec->name;
}

static void print_spec(const struct option_spec *spec)
{
    struct text line = TEXT_INIT;

    text_append(&line, "  ");
    if (spec->letter)
        text_format(&line, "-%c%s", spec->letter, spec->name ? ", " : "");
    if (spec->name)
        text_format(&line, "%s%s", spec->single_dash == SINGLE_DASH_LISTED ? "-" : "--",
                    spec->name);
    if (spec->argument != OPTION_NONE) {
        const char *join = !spec->name ? " " : "=";
        if (spec->argument == OPTION_OPTIONAL)
            text_format(&line, spec->name ? "[=%s]" : "[%s]", spec->value);
        else
            text_format(&line, "%s%s", join, spec->value);
    }
    if (line.length >= HELP_COLUMN - 1)
        text_append_char(&line, '\n');
    text_pad(&line, HELP_COLUMN);
    printf("%s%s\n", line.bytes, spec->help);
    text_free(&line);
}

static const struct option_spec *find_letter(const struct option_spec *specs, char letter)
{
    for (const struct option_spec *spec = specs; !is_last(spec); spec++)
        if (spec->letter == letter)
            return spec;
    return NULL;
}

/* Goes through the options that --help lists, those that every tool has among them: copies the one
 * at *at, which begins at 0, and moves *at on. Returns false after the last one. */
static bool next_listed(const struct options *options, size_t *at, struct option_spec *spec)
{
    size_t own = 0;

    while (!is_last(&options->specs[own]))
        own++;
    for (;;) {
        const struct option_spec *next = *at < own ? &options->specs[*at] : &built_in[*at - own];
        if (is_last(next))
            return false;
        ++*at;
        if (!next->help)
            continue;
        *spec = *next;
        const struct option_spec *other = find_letter(options->specs, spec->letter);
        if (*at > own && other && other->help)
            spec->letter = 0;
        return true;
    }
}

static void print_help(const struct options *options)
{
    struct option_spec spec;

    printf("Usage: %s %s\n%s\n\nOptions:\n", options->diag->tool, options->usage, options->summary);
    for (size_t at = 0; next_listed(options, &at, &spec);)
        print_spec(&spec);
    if (options->epilogue)
        printf("\n%s\n", options->epilogue);
}

static int fail(struct options *options, const char *format, const char *what)
{
    diag_error(options->diag, NULL, format, what);
    diag_note(options->diag, NULL, "try '%s --help'", options->diag->tool);
    return OPTIONS_ERROR;
}

static int unknown(struct options *options, const char *word)
{
    struct suggestion near;
    char name[80];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    suggest_init(&near, name + strspn(name, "-"));
    struct option_spec spec;
    for (size_t at = 0; next_listed(options, &at, &spec);)
        if (spec.name)
            suggest_add(&near, spec.name);
    const char *hint = suggest_text(&near);
    diag_error(options->diag, NULL, "unknown option '%s'%s%s%s", name,
               hint ? "; did you mean " : "", hint ? hint : "", hint ? "?" : "");
    diag_note(options->diag, NULL, "try '%s --help'", options->diag->tool);
    return OPTIONS_ERROR;
}

/* The option's argument is the next word of the command line. */
static int take_word(struct options *options, const struct option_spec *spec)
{
    if (options->index >= options->argc)
        return fail(options, "option '%s' needs an argument", options->written);
    options->argument = options->argv[options->index++];
    return spec->id;
}

static int long_option(struct options *options, const char *word, const struct option_spec *spec)
{
    const char *equals = strchr(word, '=');

    options->written = word;
    if (spec->argument == OPTION_NONE && equals)
        return fail(options, "option '%s' takes no argument", word);
    if (equals)
        options->argument = equals + 1;
    else if (spec->argument == OPTION_REQUIRED)
        return take_word(options, spec);
    return spec->id;
}

static const struct option_spec *find_long(const struct option_spec *specs, const char *name,
                                           bool one_dash)
{
    size_t length = strcspn(name, "=");

    for (const struct option_spec *spec = specs; !is_last(spec); spec++)
        if (spec->name && (!one_dash || spec->single_dash) && strlen(spec->name) == length &&
            memcmp(spec->name, name, length) == 0)
            return spec;
    return NULL;
}

static int set_color(struct options *options)
{
    static const char *const names[] = {"auto", "yes", "no"}; /* as enum diag_color */

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(options->argument, names[i]) == 0) {
            options->diag->color = (enum diag_color)i;
            return options_next(options);
        }
    return fail(options, "option '--color': found '%s', expected auto, yes or no",
                options->argument);
}

/* Prints the completion for a shell: the options that --help lists are completed; the others, which
 * are accepted for compatibility, are not. */
static bool print_completion(const struct options *options)
{
    struct option_spec *listed = NULL, spec;
    struct arena arena = ARENA_INIT;
    size_t count = 0, capacity = 0;

    for (size_t at = 0; next_listed(options, &at, &spec);) {
        listed = arena_grow(&arena, listed, count, &capacity, sizeof *listed);
        listed[count++] = spec;
    }
    listed = arena_grow(&arena, listed, count, &capacity, sizeof *listed);
    listed[count] = (struct option_spec){0};
    bool printed = completion_print(options->diag->tool, listed, options->argument);
    arena_free(&arena);
    return printed;
}

/* Does what an option of all tools asks for. */
static int obey(struct options *options, int id)
{
    switch (id) {
    case BUILT_IN_HELP:
        print_help(options);
        return OPTIONS_EXIT;
    case BUILT_IN_VERSION:
        printf("%s %s\n", options->diag->tool, TOOL_VERSION);
        return OPTIONS_EXIT;
    case BUILT_IN_COLOR:
        return set_color(options);
    case BUILT_IN_COMPLETION:
        if (print_completion(options))
            return OPTIONS_EXIT;
        return fail(options, "option '--completion': found '%s', expected bash, zsh or fish",
                    options->argument);
    }
    return id; /* an error, which was reported */
}

/* -abc, -oFILE, -o FILE; options->cluster points at the letter. */
static int letter_option(struct options *options)
{
    const struct option_spec *spec = find_letter(options->specs, *options->cluster);

    bool is_last_word = options->index >= options->argc;
    if (strcmp(options->written, "-h") == 0 &&
        (!spec || (spec->argument == OPTION_REQUIRED && is_last_word)))
        return obey(options, BUILT_IN_HELP);
    if (!spec) {
        options->cluster = NULL;
        return unknown(options, options->written);
    }
    const char *rest = options->cluster + 1;
    if (spec->argument == OPTION_NONE) {
        options->cluster = *rest ? rest : NULL;
        return spec->id;
    }
    options->cluster = NULL;
    if (*rest)
        options->argument = rest;
    else if (spec->argument == OPTION_REQUIRED)
        return take_word(options, spec);
    return spec->id;
}

int options_next(struct options *options)
{
    options->argument = NULL;
    if (options->cluster)
        return letter_option(options);
    if (options->index >= options->argc)
        return OPTIONS_END;
    const char *word = options->argv[options->index++];
    options->written = word;
    if (options->only_operands || word[0] != '-' || !word[1]) {
        options->only_operands |= options->stop_at_operand;
        options->argument = word;
        return OPTIONS_OPERAND;
    }
    if (strcmp(word, "--") == 0) {
        options->only_operands = true;
        return options_next(options);
    }
    const struct option_spec *spec =
        find_long(options->specs, word + (word[1] == '-' ? 2 : 1), word[1] != '-');
    if (spec)
        return long_option(options, word, spec);
    if (word[1] == '-') {
        spec = find_long(built_in, word + 2, false);
        return spec ? obey(options, long_option(options, word, spec)) : unknown(options, word);
    }
    options->cluster = word + 1;
    return letter_option(options);
}

bool options_number(struct options *options, const char *word, unsigned long long minimum,
                    unsigned long long maximum, unsigned long long *value)
{
    char *end;

    errno = 0;
    *value = strtoull(word, &end, 0);
    if (errno || end == word || *end || word[0] == '-' || *value < minimum || *value > maximum) {
        diag_error(options->diag, NULL,
                   "option '%s': found '%s', expected a number from %llu to %llu", options->written,
                   word, minimum, maximum);
        return false;
    }
    return true;
}
