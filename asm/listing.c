/* Making the rows of the listing while statements are read.
 *
 * The bytes of a macro or repetition are listed at the line that expands it: the call of the macro,
 * or the `.endr` of the repetition. When its statements are read, that is the last line read from
 * the innermost file. So a row refers to that file and to that line of it. */
#include "asm/listing.h"
#include "asm/tasm.h"
#include <string.h>

enum { PAGE_LINES = 60, PAGE_COLUMNS = 200 };

/* Returns what the letter of -a asks for; NULL: something else. */
static bool *listing_flag(struct listing *listing, char letter)
{
    switch (letter) {
    case 'c':
        return &listing->no_conditionals;
    case 'd':
        return &listing->no_debugging;
    case 'g':
        return &listing->general;
    case 'l':
        return &listing->lines;
    case 'm':
        return &listing->expansions;
    case 'n':
        return &listing->no_pages;
    case 's':
        return &listing->symbols;
    }
    return NULL;
}

bool listing_option(struct assembler *as, const char *letters)
{
    struct listing *listing = &as->listing;

    if (!listing->wanted)
        *listing = (struct listing){
            .wanted = true, .page_lines = PAGE_LINES, .page_columns = PAGE_COLUMNS};
    if (!letters || !*letters || *letters == '=')
        listing->lines = listing->symbols = true;
    for (; letters && *letters && *letters != '='; letters++) {
        bool *flag = listing_flag(listing, *letters);
        if (!flag) {
            diag_error(as->diag, NULL,
                       "unknown letter '%c' of -a; expected c, d, g, l, m, n or s%s", *letters,
                       *letters == 'h' ? " (the source of a compiler is not listed)" : "");
            return false;
        }
        *flag = true;
    }
    if (letters && *letters == '=')
        listing->file = letters + 1;
    return true;
}

static struct listing_row *add_row(struct assembler *as, const struct source *source)
{
    struct listing *listing = &as->listing;

    listing->rows = arena_grow(as->arena, listing->rows, listing->count, &listing->capacity,
                               sizeof *listing->rows);
    struct listing_row *row = &listing->rows[listing->count++];
    *row = (struct listing_row){.source = source, .hidden = listing->level < 0};
    return row;
}

void listing_file(struct assembler *as)
{
    if (as->listing.wanted)
        add_row(as, as->input.top);
}

/* Returns the text of an expanded statement as GNU as lists it, with blanks only between words. */
static const char *squeeze(struct assembler *as, const struct statement *statement)
{
    char *text = arena_alloc(as->arena, statement->length + 1), *to = text;
    bool quoted = false, first = true;
    const char *from = statement->text;

    while (*from == ' ' || *from == '\t')
        from++;
    for (; *from; from++) {
        bool blank = !quoted && (*from == ' ' || *from == '\t');
        if (blank) {
            while (from[1] == ' ' || from[1] == '\t')
                from++;
            bool between =
                !strchr(",+-*/()|&^~!<>=%", to[-1]) && !strchr(",+-*/)|&^~!<>=", from[1]);
            if (first || (between && from[1] != '('))
                *to++ = ' ';
            first = false;
            continue;
        }
        if (quoted && *from == '\\' && from[1])
            *to++ = *from++;
        else if (*from == '"')
            quoted = !quoted;
        *to++ = *from;
    }
    *to = '\0';
    return text;
}

static bool is_debugging(const struct statement *statement)
{
    size_t length = statement->word_length;
    const char *word = statement->text + statement->word_offset;

    if (length == strlen(".loc"))
        return memcmp(word, ".loc", length) == 0;
    if (length != strlen(".file") || memcmp(word, ".file", length) != 0)
        return false;
    for (word += length; *word == ' ' || *word == '\t';)
        word++;
    return *word >= '0' && *word <= '9';
}

void listing_begin(struct assembler *as, const struct statement *statement)
{
    if (!as->listing.wanted)
        return;
    const struct source *source = as->input.top;
    unsigned depth = 0;
    for (; source->kind != SOURCE_FILE; source = source->below)
        depth++;
    struct listing_row *row = add_row(as, source);
    row->line = source->statement_line;
    row->depth = depth;
    row->left_out = !condition_is_active(&as->conditions);
    row->debugging = is_debugging(statement);
    row->fragment = section_fragment(as);
    row->offset = row->fragment->length;
    if (depth && as->listing.expansions)
        row->expansion = squeeze(as, statement);
}

void listing_end(struct assembler *as)
{
    struct listing *listing = &as->listing;

    if (!listing->wanted)
        return;
    struct listing_row *row = &listing->rows[listing->count - 1];
    /* The statement is an .include: the last row is that of the file. */
    if (!row->line)
        row--;
    row->leaves_out = !condition_is_active(&as->conditions);
    row->left_out &= row->leaves_out;
    row->hidden = listing->level < 0;
    row->end_fragment = section_fragment(as);
    row->end_offset = row->end_fragment->length;
}
