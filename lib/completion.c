/* See completion.h. An option with one dash is completed in both spellings. */
#include "lib/completion.h"

#include "lib/text.h"
#include <ctype.h>
#include <string.h>

/* ---- the table ---- */

enum argument_kind {
    ARGUMENT_NONE,
    ARGUMENT_FILE,
    ARGUMENT_DIRECTORY,
    ARGUMENT_WORDS,
    ARGUMENT_TEXT
};

static bool is_word_list(const char *value)
{
    if (!strchr(value, '|'))
        return false;
    for (; *value; value++)
        if (!islower((unsigned char)*value) && !isdigit((unsigned char)*value) && *value != '|' &&
            *value != '-')
            return false;
    return true;
}

static enum argument_kind kind_of(const struct option_spec *spec)
{
    if (spec->argument == OPTION_NONE)
        return ARGUMENT_NONE;
    if (strcmp(spec->value, "FILE") == 0)
        return ARGUMENT_FILE;
    if (strcmp(spec->value, "DIR") == 0)
        return ARGUMENT_DIRECTORY;
    return is_word_list(spec->value) ? ARGUMENT_WORDS : ARGUMENT_TEXT;
}

/* Is the letter one that a shell takes as it is? ld has `-(`. */
static bool has_letter(const struct option_spec *spec)
{
    return isalnum((unsigned char)spec->letter);
}

/* Appends the words of a list, separated by blanks. */
static void append_words(struct text *text, const char *list)
{
    for (; *list; list++)
        text_append_char(text, *list == '|' ? ' ' : *list);
}

/* Appends text for a place in single quotes. */
static void append_quoted(struct text *text, const char *string)
{
    for (; *string; string++)
        if (*string == '\'')
            text_append(text, "'\\''");
        else
            text_append_char(text, *string);
}

/* Appends the spellings of an option, separated by `separator`; the long ones end with `end`. */
static void append_spellings(struct text *text, const struct option_spec *spec, char separator,
                             const char *end)
{
    size_t start = text->length;

    if (has_letter(spec))
        text_format(text, "-%c", spec->letter);
    for (unsigned dashes = spec->single_dash ? 1 : 2; spec->name && dashes <= 2; dashes++) {
        if (text->length > start)
            text_append_char(text, separator);
        text_format(text, "%s%s%s", dashes == 1 ? "-" : "--", spec->name, end);
    }
}

/* ---- bash ---- */

static void bash_argument(struct text *text, const struct option_spec *spec)
{
    enum argument_kind kind = kind_of(spec);

    if (kind == ARGUMENT_NONE)
        return;
    text_append(text, "    ");
    append_spellings(text, spec, '|', "");
    text_append(text, ")\n");
    if (spec->argument == OPTION_OPTIONAL) /* only after `=` */
        text_append(text, "        if [[ $equals ]]; then\n    ");
    if (kind == ARGUMENT_WORDS) {
        text_append(text, "        mapfile -t COMPREPLY < <(compgen -W '");
        append_words(text, spec->value);
        text_append(text, "' -- \"$current\")\n");
    } else if (kind == ARGUMENT_TEXT) {
        text_append(text, "        COMPREPLY=()\n");
    } else {
        text_format(
            text,
            "        compopt -o filenames; mapfile -t COMPREPLY < <(compgen -%c -- \"$current\")\n",
            kind == ARGUMENT_FILE ? 'f' : 'd');
    }
    if (spec->argument == OPTION_OPTIONAL)
        text_append(text, "            return\n        fi ;;\n");
    else
        text_append(text, "        return ;;\n");
}

static void print_bash(const char *tool, const struct option_spec *specs, struct text *text)
{
    text_format(text, "# bash completion of %s, made from its table of options.\n_%s()\n{\n", tool,
                tool);
    text_append(
        text,
        "    local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} equals=\n"
        "    COMPREPLY=()\n"
        "    # bash takes `=` for a word of its own.\n"
        "    if [[ $current == = ]]; then\n        current= equals=1\n"
        "    elif [[ $option == = ]]; then\n        option=${COMP_WORDS[COMP_CWORD-2]} equals=1\n  "
        "  fi\n"
        "    case $option in\n");
    for (const struct option_spec *spec = specs; spec->help; spec++)
        bash_argument(text, spec);
    text_append(
        text, "    esac\n    if [[ $current != -* ]]; then\n"
              "        compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
              "        return\n    fi\n    mapfile -t COMPREPLY < <(compgen -W '");
    for (const struct option_spec *spec = specs; spec->help; spec++) {
        append_spellings(text, spec, ' ', spec->argument == OPTION_REQUIRED ? "=" : "");
        text_append_char(text, ' ');
    }
    text_append(text, "' -- \"$current\")\n"
                      "    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then\n"
                      "        compopt -o nospace\n    fi\n}\n");
    text_format(text, "complete -F _%s %s\n", tool, tool);
}

/* ---- zsh ---- */

/* Appends a description for a place in brackets and single quotes. */
static void zsh_help(struct text *text, const char *help)
{
    for (; *help; help++) {
        if (strchr("[]\\:", *help))
            text_append_char(text, '\\');
        append_quoted(text, (char[]){*help, 0});
    }
}

static void zsh_option(struct text *text, const struct option_spec *spec, const char *dashes,
                       const char *name, bool is_long)
{
    enum argument_kind kind = kind_of(spec);
    const char *join = kind == ARGUMENT_NONE               ? ""
                       : spec->argument == OPTION_OPTIONAL ? is_long ? "=-" : "-"
                       : is_long                           ? "="
                                                           : "+";

    text_format(text, "  '*%s%s%s[", dashes, name, join);
    zsh_help(text, spec->help);
    text_append_char(text, ']');
    if (kind != ARGUMENT_NONE) {
        text_append(text, spec->argument == OPTION_OPTIONAL ? "::" : ":");
        zsh_help(text, spec->value);
        text_append_char(text, ':');
    }
    if (kind == ARGUMENT_FILE) {
        text_append(text, "_files");
    } else if (kind == ARGUMENT_DIRECTORY) {
        text_append(text, "_files -/");
    } else if (kind == ARGUMENT_WORDS) {
        text_append_char(text, '(');
        append_words(text, spec->value);
        text_append_char(text, ')');
    }
    text_append(text, "' \\\n");
}

static void zsh_spellings(struct text *text, const struct option_spec *spec)
{
    if (has_letter(spec))
        zsh_option(text, spec, "-", (char[]){spec->letter, 0}, false);
    if (spec->name && spec->single_dash)
        zsh_option(text, spec, "-", spec->name, true);
    if (spec->name)
        zsh_option(text, spec, "--", spec->name, true);
}

static void print_zsh(const char *tool, const struct option_spec *specs, struct text *text)
{
    text_format(text, "#compdef %s\n# Made from the table of options of %s.\n_arguments \\\n", tool,
                tool);
    for (const struct option_spec *spec = specs; spec->help; spec++)
        zsh_spellings(text, spec);
    text_append(text, "  '*:file:_files'\n");
}

/* ---- fish ---- */

static void fish_option(struct text *text, const char *tool, const struct option_spec *spec)
{
    enum argument_kind kind = kind_of(spec);

    text_format(text, "complete -c %s", tool);
    if (has_letter(spec))
        text_format(text, " -s %c", spec->letter);
    if (spec->name && spec->single_dash)
        text_format(text, " -o %s", spec->name);
    if (spec->name)
        text_format(text, " -l %s", spec->name);
    if (spec->argument == OPTION_REQUIRED)
        text_append(text, kind == ARGUMENT_FILE ? " -r -F" : " -x");
    if (kind == ARGUMENT_WORDS) {
        text_append(text, " -a '");
        append_words(text, spec->value);
        text_append_char(text, '\'');
    } else if (kind == ARGUMENT_DIRECTORY) {
        text_append(text, " -a '(__fish_complete_directories)'");
    }
    text_append(text, " -d '");
    for (const char *c = spec->help; *c; c++) {
        if (strchr("'\\", *c))
            text_append_char(text, '\\');
        text_append_char(text, *c);
    }
    text_append(text, "'\n");
}

static void print_fish(const char *tool, const struct option_spec *specs, struct text *text)
{
    text_format(text, "# fish completion of %s, made from its table of options.\n", tool);
    for (const struct option_spec *spec = specs; spec->help; spec++)
        if (has_letter(spec) || spec->name)
            fish_option(text, tool, spec);
}

bool completion_print(const char *tool, const struct option_spec *specs, const char *shell)
{
    static const struct {
        const char *shell;
        void (*print)(const char *tool, const struct option_spec *specs, struct text *text);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].shell, shell) == 0) {
            struct text text = TEXT_INIT;
            shells[i].print(tool, specs, &text);
            fwrite(text.bytes, 1, text.length, stdout);
            text_free(&text);
            return true;
        }
    return false;
}
