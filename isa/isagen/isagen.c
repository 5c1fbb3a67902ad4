/*
 * isagen reads the ISA description, checks it and writes the files that every tool is built from.
 * docs/isa-format.md describes the format.
 */
#include "isa/isagen/emit.h"

#include "lib/file.h"
#include "lib/options.h"
#include "lib/output.h"
#include <string.h>
#include <unistd.h>

enum { OPTION_OUTPUT, OPTION_CHECK };

static const struct option_spec option_specs[] = {
    {'o', NULL, OPTION_REQUIRED, "DIR", "directory for the generated files", false, OPTION_OUTPUT},
    {0, "check", OPTION_NONE, NULL, "only check the description, write nothing", false,
     OPTION_CHECK},
    {0},
};

struct isagen {
    struct arena arena;
    struct diag diag;
    struct spec spec;
    const char *directory;
    bool check;
    char **names;
    size_t name_count;
};

/* Returns an exit status, or -1 to continue. */
static int read_options(struct isagen *isagen, int argc, char **argv)
{
    struct options options = {
        .diag = &isagen->diag,
        .usage = "-o DIR file.yaml...",
        .summary = "Checks an ISA description and writes tables, decoder, bodies, manual and "
                   "editor syntax from it.",
        .specs = option_specs,
        .argc = argc,
        .argv = argv,
        .index = 1,
    };

    isagen->names = arena_array(&isagen->arena, (size_t)argc + 1, sizeof *isagen->names);
    for (;;) {
        int id = options_next(&options);
        if (id == OPTIONS_EXIT)
            return output_finish_stdout(&isagen->diag, 0);
        if (id == OPTIONS_ERROR)
            return 1;
        if (id == OPTIONS_END)
            break;
        if (id == OPTIONS_OPERAND)
            isagen->names[isagen->name_count++] = (char *)options.argument;
        else if (id == OPTION_OUTPUT)
            isagen->directory = options.argument;
        else
            isagen->check = true;
    }
    if (!isagen->name_count)
        diag_error(&isagen->diag, NULL,
                   "no input files; name the YAML files of the ISA description");
    else if (!isagen->check && !isagen->directory)
        diag_error(&isagen->diag, NULL,
                   "no output directory; add -o DIR, or --check to write nothing");
    else if (isagen->directory && !*isagen->directory)
        diag_error(&isagen->diag, NULL,
                   "option '-o': found '', expected a directory; '.' is this one");
    return diag_failed(&isagen->diag) ? 1 : -1;
}

/* Has the file these contents already? */
static bool is_unchanged(struct isagen *isagen, const struct emitter *emitter)
{
    struct diag_file file;

    return access(emitter->path, R_OK) == 0 &&
           file_read(&isagen->arena, &isagen->diag, NULL, emitter->path, &file) &&
           file.length == emitter->text.length &&
           memcmp(file.bytes, emitter->text.bytes, file.length) == 0;
}

static void write_part(struct isagen *isagen, const char *name, const char *file,
                       void (*emit)(struct emitter *))
{
    struct emitter emitter = {.spec = &isagen->spec, .file = file};

    emitter.path = arena_format(&isagen->arena, "%s/%s", isagen->directory, name);
    emit(&emitter);
    if (!emitter.text.length)
        text_append(&emitter.text, "/* Nothing. */\n");
    if (!is_unchanged(isagen, &emitter))
        output_file(&isagen->diag, emitter.path, 0666, emitter.text.bytes, emitter.text.length);
    text_free(&emitter.text);
}

static void write_file(struct isagen *isagen, const char *name, void (*emit)(struct emitter *))
{
    write_part(isagen, name, NULL, emit);
}

/* Returns the name of a file without its folder. */
static const char *own_name(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash ? slash + 1 : file;
}

/* The bodies of a file go to files of its name, so no two files may have the same. */
static void check_names(struct isagen *isagen)
{
    for (size_t i = 0; i < isagen->spec.file_count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct position at = {.name = isagen->spec.files[i].name};
            if (strcmp(own_name(at.name), own_name(isagen->spec.files[k].name)) == 0)
                diag_error(&isagen->diag, &at, "has the same name as %s; rename one",
                           isagen->spec.files[k].name);
        }
}

/* Writes the bodies of each file into files of its own, so that an edit compiles few of them. */
static void write_bodies(struct isagen *isagen)
{
    for (size_t i = 0; i < isagen->spec.file_count; i++) {
        const char *file = isagen->spec.files[i].name;
        const char *name = own_name(file), *dot = strrchr(name, '.');
        int length = dot ? (int)(dot - name) : (int)strlen(name);
        write_part(isagen, arena_format(&isagen->arena, "whole_%.*s.c", length, name), file,
                   emit_whole_bodies);
        write_part(isagen, arena_format(&isagen->arena, "direct_%.*s.c", length, name), file,
                   emit_direct_bodies);
    }
}

static void write_files(struct isagen *isagen)
{
    write_file(isagen, "isa_tables.c", emit_tables);
    write_file(isagen, "isa_ids.h", emit_ids);
    write_file(isagen, "float_formats.h", emit_float_formats);
    write_file(isagen, "float_layouts.inc", emit_float_layouts);
    write_file(isagen, "standard_ids.h", emit_standard_ids);
    write_file(isagen, "instruction_ids.h", emit_instruction_ids);
    write_bodies(isagen);
    write_file(isagen, "csrs.inc", emit_csrs);
    write_file(isagen, "settings.inc", emit_settings);
    write_file(isagen, "units.h", emit_units_header);
    write_file(isagen, "units.inc", emit_units);
    write_file(isagen, "traps.inc", emit_trap_causes);
    write_file(isagen, "definitions.inc", emit_definitions);
    write_file(isagen, "definition_table.inc", emit_definition_table);
    write_file(isagen, "fast.h", emit_fast);
    write_file(isagen, "timing.inc", emit_timing);
    write_file(isagen, "values.inc", emit_values);
    write_file(isagen, "state_reads.inc", emit_state_reads);
    write_file(isagen, "examples.s", emit_examples);
    write_file(isagen, "isa.md", emit_manual);
    write_file(isagen, "tensor.vim", emit_vim);
    write_file(isagen, "tensor_detect.vim", emit_vim_detect);
    write_file(isagen, "tensor.tmLanguage.json", emit_grammar);
    write_file(isagen, "package.json", emit_vscode_package);
    write_file(isagen, "language-configuration.json", emit_vscode_language);
    write_file(isagen, "target.xml", emit_gdb);
    write_file(isagen, "tensor.h", emit_c_header);
    write_file(isagen, "gdb_target.inc", emit_gdb_inc);
    write_file(isagen, "unit_state.inc", emit_unit_state);
    write_file(isagen, "accesses.inc", emit_accesses);
}

int main(int argc, char **argv)
{
    struct isagen isagen = {.diag = {.tool = "isagen"}};

    isagen.spec.arena = &isagen.arena;
    isagen.spec.diag = &isagen.diag;

    output_init();
    int status = read_options(&isagen, argc, argv);
    if (status < 0) {
        spec_read(&isagen.spec, isagen.names, isagen.name_count);
        if (!diag_failed(&isagen.diag) && isagen.check)
            spec_compile_bodies(&isagen.spec);
        else
            check_names(&isagen);
        if (!diag_failed(&isagen.diag) && !isagen.check)
            write_files(&isagen);
        status = diag_failed(&isagen.diag) ? 1 : 0;
    }
    arena_free(&isagen.arena);
    return status;
}
