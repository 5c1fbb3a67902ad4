/* Writing the files of a run: the object, the make rule, the listing.
 *
 * Either all of them are written or none: each is written completely under a temporary name, before
 * the first one is renamed. */
#include "asm/object.h"
#include "asm/tasm.h"
#include "lib/file.h"
#include "lib/output.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FILE_LIMIT = 3 };

struct files {
    struct output outputs[FILE_LIMIT];
    size_t count;
};

static bool replaces_input(struct assembler *as, const char *name)
{
    const struct file_identity output = file_identify(name);

    for (size_t i = 0; i < as->dependencies.count; i++)
        if (file_is_replaced(&output, as->diag, as->dependencies.items[i]))
            return true;
    return false;
}

static struct output *open_file(struct assembler *as, struct files *files, const char *name)
{
    struct output *output = &files->outputs[files->count];

    if (replaces_input(as, name) || !output_open(output, as->diag, name, 0666))
        return NULL;
    files->count++;
    return output;
}

static bool report(struct assembler *as, const char *name)
{
    struct position whole = {.name = strcmp(name, "-") == 0 ? "<stdout>" : name};

    diag_error(as->diag, &whole, "cannot write: %s", strerror(errno));
    return false;
}

static bool add_file(struct assembler *as, struct files *files, const char *name, const void *bytes,
                     size_t length)
{
    struct output *output = open_file(as, files, name);

    if (!output)
        return false;
    bool ok = (!length || fwrite(bytes, 1, length, output->stream) == length) &&
              fflush(output->stream) == 0;
    return ok || report(as, name);
}

static bool add_object(struct assembler *as, struct files *files, const struct object *object)
{
    const char *name = as->options.output;
    struct output *output = output_is_terminal(name, as->diag) ? NULL : open_file(as, files, name);

    if (!output)
        return false;
    return object_write(object, output->stream) || report(as, name);
}

/* Appends a file name as a make rule needs it: $ is doubled, and a blank, a # and the backslashes
 * before them get a backslash. */
static void append_make_name(struct text *text, const char *name)
{
    size_t backslashes = 0;

    for (; *name; name++) {
        bool quoted = *name == ' ' || *name == '\t' || *name == '#';
        for (size_t i = 0; quoted && i < backslashes; i++)
            text_append_char(text, '\\');
        if (quoted || *name == '$')
            text_append_char(text, quoted ? '\\' : '$');
        text_append_char(text, *name);
        backslashes = *name == '\\' ? backslashes + 1 : 0;
    }
}

/* Writes the make rule that lists the files that the output was made from. */
static bool add_dependencies(struct assembler *as, struct files *files)
{
    if (!as->options.dependencies)
        return true;
    struct text text = TEXT_INIT;
    append_make_name(&text, as->options.output);
    text_append_char(&text, ':');
    for (size_t i = 0; i < as->dependencies.count; i++) {
        if (strcmp(as->dependencies.items[i], "-") == 0)
            continue;
        text_append_char(&text, ' ');
        append_make_name(&text, as->dependencies.items[i]);
    }
    text_append_char(&text, '\n');
    bool ok = add_file(as, files, as->options.dependencies, text.bytes, text.length);
    text_free(&text);
    return ok;
}

static bool add_listing(struct assembler *as, struct files *files)
{
    if (!as->listing.wanted)
        return true;
    struct text text = TEXT_INIT;
    listing_text(as, &text);
    bool ok =
        add_file(as, files, as->listing.file ? as->listing.file : "-", text.bytes, text.length);
    text_free(&text);
    return ok;
}

bool tasm_write(struct assembler *as, const struct object *object)
{
    struct files files = {.count = 0};
    bool ok =
        add_object(as, &files, object) && add_dependencies(as, &files) && add_listing(as, &files);

    return output_commit_all(files.outputs, files.count, ok);
}
