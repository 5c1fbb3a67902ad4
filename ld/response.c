/* Response files as GNU's tools read them, for build systems that pass more words than a command
 * line can hold. */
#include "ld/response.h"

#include "lib/file.h"
#include "lib/strings.h"
#include "lib/text.h"
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#define DEEPEST 16 /* nested files */

struct words {
    struct arena *arena;
    struct diag *diag;
    struct strings list;
};

/* Reads the word at *next without its quotes, and moves *next past it. */
static const char *read_word(struct words *words, const char **next, const char *end)
{
    struct text text = TEXT_INIT;
    char quote = 0;

    for (; *next < end && (quote || !isspace((unsigned char)**next)); ++*next) {
        char c = **next;
        if (c == '\\' && *next + 1 < end)
            text_append_char(&text, *++*next);
        else if (quote ? c == quote : c == '"' || c == '\'')
            quote = quote ? 0 : c;
        else
            text_append_char(&text, c);
    }
    const char *word = arena_copy(words->arena, text.bytes, text.length);
    text_free(&text);
    return word;
}

static void expand(struct words *words, const char *word, unsigned depth)
{
    struct diag_file file;

    if (*word != '@' || access(word + 1, F_OK) != 0) {
        strings_add(&words->list, words->arena, word);
        return;
    }
    if (depth == DEEPEST) {
        diag_error(words->diag, NULL, "'%s': more than %d nested response files", word, DEEPEST);
        return;
    }
    if (!file_read(words->arena, words->diag, NULL, word + 1, &file))
        return;
    if (memchr(file.bytes, 0, file.length)) {
        diag_error(words->diag, &(struct position){.name = word + 1},
                   "is not a text file, expected words of a command line");
        return;
    }
    const char *next = file.bytes, *end = file.bytes + file.length;
    for (;;) {
        while (next < end && isspace((unsigned char)*next))
            next++;
        if (next == end || diag_failed(words->diag))
            return;
        expand(words, read_word(words, &next, end), depth + 1);
    }
}

void response_files_expand(struct arena *arena, struct diag *diag, int *argc, char ***argv)
{
    struct words words = {.arena = arena, .diag = diag};

    for (int i = 0; i < *argc; i++)
        if (i == 0)
            strings_add(&words.list, arena, (*argv)[0]);
        else
            expand(&words, (*argv)[i], 0);
    *argc = (int)words.list.count;
    strings_add(&words.list, arena, NULL);
    *argv = (char **)words.list.items;
}
