/* The order of the command line matters: an object is linked at its place; an archive supplies, at
 * its place, the members that define names which are used and undefined by then, until no more are
 * needed. --start-group … --end-group searches its archives repeatedly until none supplies
 * anything. (This is System V linking, as in every ld.) */
#include "ld/read.h"

#include "ld/ahead.h"
#include "ld/object.h"
#include "ld/script/script.h"
#include "ld/symbol.h"
#include "lib/archive.h"
#include "lib/file.h"
#include <string.h>
#include <unistd.h>

struct archives {
    struct archive **items;
    size_t count, capacity;
};

struct reader {
    struct linker *linker;
    struct archives group; /* the archives of the open group */
    bool in_group;
    unsigned scripts; /* depth of scripts that name each other */
    size_t files;     /* number of files read so far */
    struct file_identity output, map_file;
    struct map pulled; /* "archive(offset)" → object: no member is linked twice */
};

static void pull_member(struct reader *reader, const struct archive *archive, uint64_t offset,
                        const char *symbol)
{
    struct linker *linker = reader->linker;
    const char *key =
        arena_format(&linker->arena, "%s@%llx", archive->name, (unsigned long long)offset);
    struct map_entry *entry = map_entry(&reader->pulled, key, strlen(key));
    struct archive_member member;

    if (entry->value)
        return;
    entry->value = entry; /* also if it is broken: one message is enough */
    if (!archive_member(archive, offset, &member))
        return;
    struct object *object = object_read(linker, member.name, member.bytes, member.length);
    if (object) {
        object->archive = archive->name;
        object->pulled_for = symbol;
    }
}

/* Makes one pass over the symbol table. Returns whether it pulled a member. */
static bool search_once(struct reader *reader, const struct archive *archive)
{
    size_t before = reader->linker->object_count;

    for (size_t i = 0; i < archive->symbol_count && !diag_full(&reader->linker->diag); i++)
        if (symbol_is_wanted(reader->linker, archive->symbols[i].name))
            pull_member(reader, archive, archive->symbols[i].member, archive->symbols[i].name);
    return reader->linker->object_count > before;
}

static bool search(struct reader *reader, const struct archive *archive)
{
    bool any = false;

    while (search_once(reader, archive))
        any = true;
    return any;
}

static void read_whole(struct reader *reader, const struct archive *archive)
{
    struct archive_member member;

    for (uint64_t offset = archive->first_member; offset < archive->length; offset = member.next) {
        if (!archive_member(archive, offset, &member))
            return;
        pull_member(reader, archive, offset, NULL);
    }
}

static void read_archive(struct reader *reader, const struct diag_file *file, bool whole)
{
    struct linker *linker = reader->linker;
    struct archive *archive = arena_new(&linker->arena, struct archive);

    if (!archive_open(archive, &linker->arena, &linker->diag, file->name, file->bytes,
                      file->length))
        return;
    if (whole) {
        read_whole(reader, archive);
        return;
    }
    if (!archive->has_symbol_table && archive->first_member < archive->length) {
        diag_error(&linker->diag, &(struct position){.name = file->name},
                   "archive has no symbol table; run ranlib to add one");
        return;
    }
    search(reader, archive);
    if (!reader->in_group)
        return;
    struct archives *group = &reader->group;
    group->items = arena_grow(&linker->arena, group->items, group->count, &group->capacity,
                              sizeof *group->items);
    group->items[group->count++] = archive;
}

static void read_object(struct linker *linker, const struct ahead_file *file)
{
    const struct diag_file *contents = &file->contents;
    struct object *object = file->object;

    if (!object)
        object = object_read(linker, contents->name, contents->bytes, contents->length);
    else if (!object_enter(linker, object))
        object = NULL;
    if (object && file->mapped)
        object_release_tables(object);
}

static void read_script(struct reader *reader, const struct diag_file *file, bool whole);

/* Returns the file if it can be read, and otherwise reports why not. */
static const struct ahead_file *load(struct linker *linker, const char *name)
{
    const struct ahead_file *ready = ahead_take(linker, name);

    if (ready)
        return ready;
    struct ahead_file *file = arena_new(&linker->arena, struct ahead_file);
    if (!file_map(&linker->arena, &linker->diag, NULL, name, &file->contents, &file->mapped))
        return NULL;
    file->identity = file_identify(name);
    return file;
}

static void read_file(struct reader *reader, const char *name, bool whole)
{
    struct linker *linker = reader->linker;

    reader->files++;
    const struct ahead_file *file = load(linker, name);
    if (!file ||
        file_identified_is_replaced(&reader->output, &linker->diag, name, &file->identity) ||
        file_identified_is_replaced(&reader->map_file, &linker->diag, name, &file->identity))
        return;
    const struct diag_file *contents = &file->contents;
    if (file->object)
        read_object(linker, file);
    else if (elf_is_archive(contents->bytes, contents->length))
        read_archive(reader, contents, whole);
    else if (elf_is_elf(contents->bytes, contents->length) ||
             object_is_bitcode(contents->bytes, contents->length))
        read_object(linker, file);
    else
        read_script(reader, contents, whole);
}

/* Finds libNAME.a in the directories of -L, in order; ":FILE" names the file itself. */
static void read_library(struct reader *reader, const char *name, bool whole)
{
    struct linker *linker = reader->linker;
    const struct config *config = &linker->config;
    const char *file = name[0] == ':' ? name + 1 : arena_format(&linker->arena, "lib%s.a", name);

    for (size_t i = 0; i < config->library_paths.count; i++) {
        const char *path =
            arena_format(&linker->arena, "%s/%s", config->library_paths.items[i], file);
        if (access(path, F_OK) == 0) {
            read_file(reader, path, whole);
            return;
        }
    }
    diag_error(&linker->diag, NULL, "cannot find -l%s: no %s in %s", name, file,
               config->library_paths.count
                   ? "the directories given with -L"
                   : "any directory, as no -L names one; give its directory with -L");
    for (size_t i = 0; i < config->library_paths.count; i++)
        diag_note(&linker->diag, NULL, "searched in %s", config->library_paths.items[i]);
}

/* Enters the global symbols of the file (-R) as absolute ones. */
static void read_just_symbols(struct linker *linker, const char *name)
{
    struct object *object = arena_new(&linker->arena, struct object);
    struct diag_file file;

    object->name = name;
    if (!file_read(&linker->arena, &linker->diag, NULL, name, &file) ||
        !elf_open(&object->elf, &linker->arena, &linker->diag, name, file.bytes, file.length))
        return;
    for (size_t i = 1; i < object->elf.symbol_count; i++) {
        const struct elf_symbol *symbol = &object->elf.symbols[i];
        const Elf64_Sym *raw = &symbol->raw;
        if (ELF64_ST_BIND(raw->st_info) == STB_LOCAL || raw->st_shndx == SHN_UNDEF ||
            raw->st_shndx == SHN_COMMON || ELF64_ST_TYPE(raw->st_info) == STT_TLS)
            continue;
        symbol_enter(linker, object, symbol, NULL);
    }
}

static void end_group(struct reader *reader)
{
    bool any = reader->group.count > 0;

    while (any) {
        any = false;
        for (size_t i = 0; i < reader->group.count; i++)
            any |= search(reader, reader->group.items[i]);
    }
    reader->in_group = false;
    reader->group.count = 0;
}

static void read_input(struct reader *reader, enum input_kind kind, const char *name, bool whole)
{
    switch (kind) {
    case INPUT_FILE:
        read_file(reader, name, whole);
        break;
    case INPUT_LIBRARY:
        read_library(reader, name, whole);
        break;
    case INPUT_SYMBOLS:
        read_just_symbols(reader->linker, name);
        break;
    case INPUT_GROUP_START:
        reader->in_group = true;
        break;
    case INPUT_GROUP_END:
        end_group(reader);
        break;
    }
}

/* Reads the files that a script names. A group inside a group is part of it. */
static void read_script_inputs(struct reader *reader, const struct script_input *input,
                               const char *script, bool whole)
{
    bool in_group = reader->in_group;

    for (; input && !diag_full(&reader->linker->diag); input = input->next) {
        const char *name = input->kind == INPUT_FILE
                               ? script_find_file(reader->linker, input->name, script)
                               : input->name;
        bool bracket = input->kind == INPUT_GROUP_START || input->kind == INPUT_GROUP_END;
        if (!bracket || !in_group)
            read_input(reader, input->kind, name, whole);
    }
}

static void read_script(struct reader *reader, const struct diag_file *file, bool whole)
{
    enum { DEEPEST = 10 };
    if (reader->scripts == DEEPEST) {
        diag_error(&reader->linker->diag, &(struct position){.name = file->name},
                   "more than %d linker scripts name one another", DEEPEST);
        return;
    }
    const struct script_input *inputs = script_read_inputs(reader->linker, file);
    reader->scripts++;
    read_script_inputs(reader, inputs, file->name, whole);
    reader->scripts--;
}

void read_inputs(struct linker *linker)
{
    const struct config *config = &linker->config;
    struct reader reader = {.linker = linker,
                            .output = file_identify(config->output),
                            .map_file = file_identify(config->map_file)};
    const struct script *script = linker->script;

    map_init(&reader.pulled, &linker->arena);
    object_prepare(linker);
    ahead_start(linker);
    if (script && script->startup)
        read_file(&reader, script_find_file(linker, script->startup, config->script), false);
    for (size_t i = 0; i <= config->input_count && !diag_full(&linker->diag); i++) {
        if (script && i == config->script_at)
            read_script_inputs(&reader, script->inputs, config->script, false);
        if (i < config->input_count)
            read_input(&reader, config->inputs[i].kind, config->inputs[i].name,
                       config->inputs[i].whole_archive);
    }
    ahead_end(linker);
    if (!reader.files && !diag_failed(&linker->diag))
        diag_error(&linker->diag, NULL, "no input files; give object files or archives");
}
