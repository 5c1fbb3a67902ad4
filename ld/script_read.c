/* From files to a script: opening them, and handing them to scanner and grammar. */
#include "ld/script_read.h"

#include "ld/symbol.h"
#include "lib/file.h"
#include "script_parser.h"
#define YYSTYPE SCRIPT_STYPE /* as flex calls them */
#define YYLTYPE SCRIPT_LTYPE
#include "script_scanner.h"
#include <string.h>
#include <unistd.h>

struct script_source *script_source(struct script_reader *reader)
{
    return &reader->sources[reader->source_count - 1];
}

struct script_region *script_find_region(const struct script *script, const char *name)
{
    for (const struct script_alias *alias = script->aliases; alias; alias = alias->next)
        if (strcmp(alias->name, name) == 0)
            return alias->region;
    for (struct script_region *region = script->regions; region; region = region->next)
        if (strcmp(region->name, name) == 0)
            return region;
    return NULL;
}

static const char *find_file(struct linker *linker, const char *name)
{
    const struct config *config = &linker->config;
    if (access(name, F_OK) == 0 || *name == '/')
        return name;
    for (size_t i = 0; i < config->library_path_count; i++) {
        const char *path = arena_format(&linker->arena, "%s/%s", config->library_paths[i], name);
        if (access(path, F_OK) == 0)
            return path;
    }
    return name;
}

static bool open_source(struct script_reader *reader, const char *name, const struct position *at,
                        struct diag_file **file)
{
    struct linker *linker = reader->linker;
    *file = arena_new(&linker->arena, struct diag_file);
    if (!file_read(&linker->arena, &linker->diag, at, find_file(linker, name), *file))
        return false;
    if ((*file)->length > INT32_MAX / 2 || memchr((*file)->bytes, 0, (*file)->length)) {
        diag_error(&linker->diag, at ? at : &(struct position){.name = name},
                   "'%s' is not a text, expected a linker script", name);
        return false;
    }
    reader->sources[reader->source_count++] =
        (struct script_source){.file = *file, .line = 1, .column = 1};
    return true;
}

bool script_include(struct script_reader *reader, const char *name, const struct position *at,
                    struct diag_file **file)
{
    if (reader->source_count == SCRIPT_INCLUDES) {
        diag_error(&reader->linker->diag, at, "more than %d files include each other",
                   SCRIPT_INCLUDES);
        return false;
    }
    if (!open_source(reader, name, at, file))
        return false;
    struct position *from = arena_new(&reader->linker->arena, struct position);
    *from = *at;
    script_source(reader)->from = from;
    return true;
}

static void parse(struct script_reader *reader)
{
    void *scanner;
    struct diag_file *file;
    if (!open_source(reader, reader->linker->config.script, NULL, &file))
        return;
    if (script_scanner_lex_init_extra(reader, &scanner))
        BUG("no memory for a scanner");
    script_scanner__scan_bytes(file->bytes, (int)file->length, scanner);
    script_parse(reader, scanner);
    script_scanner_lex_destroy(scanner);
}

void script_read(struct linker *linker)
{
    struct script *script = arena_new(&linker->arena, struct script);
    struct script_reader reader = {.linker = linker, .script = script};
    map_init(&script->outputs, &linker->arena);
    linker->script = script;
    parse(&reader);
    if (script->entry && !linker->config.entry_given)
        linker->config.entry = script->entry;
    for (const struct script_words *word = script->externs; word; word = word->next)
        symbol_use(linker, word->word);
}
