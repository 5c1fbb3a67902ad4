/* Opens the files of a script and passes them to the scanner and the grammar. */
#include "ld/script/read.h"

#include "ld/symbol.h"
#include "lib/file.h"
#include "script_parser.h"
#define YYSTYPE SCRIPT_STYPE /* names that flex uses */
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

const char *script_find_file(struct linker *linker, const char *name, const char *beside)
{
    const struct config *config = &linker->config;

    if (access(name, F_OK) == 0 || *name == '/')
        return name;
    for (size_t i = 0; i < config->library_paths.count; i++) {
        const char *path =
            arena_format(&linker->arena, "%s/%s", config->library_paths.items[i], name);
        if (access(path, F_OK) == 0)
            return path;
    }
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    if (!slash)
        return name;
    const char *path = arena_format(&linker->arena, "%.*s/%s", (int)(slash - beside), beside, name);
    return access(path, F_OK) == 0 ? path : name;
}

static bool add_source(struct script_reader *reader, const struct diag_file *file,
                       const struct position *at)
{
    if (file->length > INT32_MAX / 2 || memchr(file->bytes, 0, file->length)) {
        diag_error(&reader->linker->diag, at ? at : &(struct position){.name = file->name},
                   "'%s' is not a text file, expected a linker script", file->name);
        return false;
    }
    reader->sources[reader->source_count++] =
        (struct script_source){.file = file, .line = 1, .column = 1};
    return true;
}

static bool open_source(struct script_reader *reader, const char *name, const struct position *at,
                        struct diag_file **file)
{
    struct linker *linker = reader->linker;
    const struct file_identity output = file_identify(linker->config.output),
                               map_file = file_identify(linker->config.map_file);
    const char *found = script_find_file(linker, name, NULL);

    *file = arena_new(&linker->arena, struct diag_file);
    return !file_is_replaced(&output, &linker->diag, found) &&
           !file_is_replaced(&map_file, &linker->diag, found) &&
           file_read(&linker->arena, &linker->diag, at, found, *file) &&
           add_source(reader, *file, at);
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
    const struct diag_file *file = script_source(reader)->file;

    if (script_scanner_lex_init_extra(reader, &scanner))
        BUG("no memory for a scanner");
    script_scanner__scan_bytes(file->bytes, (int)file->length, scanner);
    script_parse(reader, scanner);
    script_scanner_lex_destroy(scanner);
}

void script_read_defsyms(struct linker *linker)
{
    for (size_t i = 0; i < linker->config.defsyms.count; i++) {
        struct script_reader reader = {.linker = linker, .is_defsym = true};
        const char *text = linker->config.defsyms.items[i];
        struct diag_file *file = arena_new(&linker->arena, struct diag_file);
        *file = (struct diag_file){.name = "--defsym", .bytes = text, .length = strlen(text)};
        if (add_source(&reader, file, NULL))
            parse(&reader);
    }
}

static struct script *new_script(struct linker *linker)
{
    struct script *script = arena_new(&linker->arena, struct script);

    map_init(&script->outputs, &linker->arena);
    return script;
}

/* Puts the statements of an INSERT beside the output section that it names. */
static void insert(struct linker *linker, struct script_list *list,
                   const struct script_insert *insert)
{
    struct script_statement **link = &list->first, *found = NULL;
    struct suggestion near;

    if (!insert->statements.first)
        return;
    suggest_init(&near, insert->section);
    for (; *link; link = &(*link)->next) {
        if ((*link)->kind != SCRIPT_OUTPUT)
            continue;
        suggest_add(&near, (*link)->output->name);
        if (strcmp((*link)->output->name, insert->section) == 0) {
            found = *link;
            break;
        }
    }
    if (!found) {
        const char *text = suggest_text(&near);
        diag_error(&linker->diag, &insert->at,
                   "INSERT: there is no output section '%s' in the default layout%s%s%s",
                   insert->section, text ? "; did you mean " : "; see 'tld --verbose'",
                   text ? text : "", text ? "?" : "");
        return;
    }
    if (insert->after)
        link = &found->next;
    if (!*link)
        list->last = insert->statements.last;
    insert->statements.last->next = *link;
    *link = insert->statements.first;
}

/* Makes the script the default layout with the statements of each INSERT in it. */
static void apply_inserts(struct linker *linker, struct script *script, const char *default_layout)
{
    struct script_reader reader = {.linker = linker, .script = script};
    const struct script_list own = script->statements;
    const char *entry = script->entry;
    struct diag_file *file = arena_new(&linker->arena, struct diag_file);

    *file = (struct diag_file){
        .name = "default layout", .bytes = default_layout, .length = strlen(default_layout)};
    script->statements = (struct script_list){0};
    if (add_source(&reader, file, NULL))
        parse(&reader);
    script->entry = entry ? entry : script->entry;
    for (const struct script_insert *i = script->inserts; i; i = i->next)
        insert(linker, &script->statements, i);
    if (own.first) {
        script->statements.last->next = own.first;
        script->statements.last = own.last;
    }
}

void script_read(struct linker *linker, const char *default_layout)
{
    struct script *script = new_script(linker);
    struct script_reader reader = {.linker = linker, .script = script};
    struct diag_file *file;

    linker->script = script;
    if (open_source(&reader, linker->config.script, NULL, &file))
        parse(&reader);
    if (script->inserts && !diag_failed(&linker->diag))
        apply_inserts(linker, script, default_layout);
    if (script->entry && !linker->config.entry_given)
        linker->config.entry = script->entry;
    for (const struct script_words *word = script->externs; word; word = word->next)
        symbol_use(linker, word->word);
}

const struct script_input *script_read_inputs(struct linker *linker, const struct diag_file *file)
{
    struct script *script = new_script(linker);
    struct script_reader reader = {.linker = linker, .script = script};
    unsigned errors = linker->diag.errors;

    if (add_source(&reader, file, NULL))
        parse(&reader);
    if (linker->diag.errors != errors) {
        diag_error(&linker->diag, &(struct position){.name = file->name},
                   "neither an ELF object nor an archive, so it was read as a linker script");
        return NULL;
    }
    const struct script_statement *first = script->statements.first;
    if (first || script->regions || !script->inputs) {
        diag_error(&linker->diag, first ? &first->at : &(struct position){.name = file->name},
                   "a linker script among the inputs can only name files, with INPUT or GROUP; "
                   "give one that lays out the program with -T");
        return NULL;
    }
    return script->inputs;
}
