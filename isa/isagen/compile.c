/*
 * Mistakes in the C of the YAML, found by the C compiler: isagen --check compiles the bodies
 * (check.c), and, where the description is in the tree of the emulator, the files with the code of
 * CSRs, state and counters. It reports what the compiler says at the place in the YAML. It takes a
 * fraction of a second, where the emulator takes many.
 */
#include "isa/isagen/emit.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The files that are written to be compiled, and the files of the emulator that include them. */
static const struct {
    const char *name;
    void (*emit)(struct emitter *emitter);
} written[] = {
    {"bodies.c", emit_check},
    {"isa_ids.h", emit_ids},
    {"csrs.inc", emit_csrs},
    {"settings.inc", emit_settings},
    {"units.h", emit_units_header},
    {"units.inc", emit_units},
    {"traps.inc", emit_trap_causes},
    {"unit_state.inc", emit_unit_state},
    {"fast.h", emit_fast},
    {"float_formats.h", emit_float_formats},
    {"timing.inc", emit_timing},
    {"definitions.inc", emit_definitions},
    {"standard_ids.h", emit_standard_ids},
    {"instruction_ids.h", emit_instruction_ids},
};
enum { WRITTEN = sizeof written / sizeof *written };
static const char *const code_readers[] = {"emu/csr.c", "emu/unit_state.c",
                                           "emu/report/stats_print.c", NULL},
                         *const definition_readers[] = {"emu/reference/reference.c",
                                                        "lib/timing/time.c", NULL};

struct check {
    struct spec *spec;
    const char *directory; /* of the written files */
    char *pending;     /* a message at a place outside of the YAML, in the expansion of a macro */
    const char *other; /* the first error outside of the YAML */
};

/* ---- messages ---- */

static const struct spec_file *find_file(const struct spec *spec, const char *name, size_t length)
{
    for (size_t i = 0; i < spec->file_count; i++)
        if (strlen(spec->files[i].name) == length && memcmp(spec->files[i].name, name, length) == 0)
            return &spec->files[i];
    return NULL;
}

/* Finds the place in the YAML that "FILE:LINE:COLUMN" names. */
static bool find_place(const struct spec *spec, const char *text, struct position *at)
{
    const char *colon = strrchr(text, ':');
    unsigned line, column;
    int end = 0;

    while (colon > text && isdigit((unsigned char)colon[-1]))
        colon--;
    if (!colon || colon == text || sscanf(colon, "%u:%u%n", &line, &column, &end) != 2 ||
        colon[end])
        return false;
    const struct spec_file *file = find_file(spec, text, (size_t)(colon - 1 - text));
    if (file)
        *at = (struct position){
            .file = file->root->at.file, .line = line, .column = column, .length = 1};
    return file != NULL;
}

/* Returns the function that is declared at the place, or NULL. */
static const struct spec_function *function_at(const struct spec *spec, const struct position *at)
{
    for (size_t i = 0; i < spec->functions.count; i++) {
        const struct spec_function *function = SPEC_AT(spec->functions, i, struct spec_function);
        if (function->at.file == at->file && function->at.line == at->line &&
            function->at.column == at->column)
            return function;
    }
    return NULL;
}

/* Reports what the compiler says. Of the name of a function, that is a conflict
 * (emit_function_names). */
static void report(struct spec *spec, const struct position *at, char *text)
{
    const struct spec_function *function = function_at(spec, at);
    char *option = strrchr(text, '['), *defaults = strstr(text, SPEC_DEFAULTS);

    if (defaults)
        text = arena_format(spec->arena, "%.*s", (int)strcspn(defaults, "\""), defaults);
    else if (function)
        text = arena_format(spec->arena,
                            "the emulator has something else with the name '%s'; choose another "
                            "name for the function",
                            function->name);
    else if (option > text && option[-1] == ' ' && option[1] == '-')
        option[-1] = '\0';
    if (spec_report_once(spec, at))
        diag_error(spec->diag, at, "%s", text);
}

/* Takes a line of the compiler's output, "FILE:LINE:COLUMN: error: TEXT". An error within a macro is
 * one of the YAML if a note says that the YAML uses this macro. */
static void take_line(struct check *check, char *line)
{
    static const char *const kinds[] = {": error: ", ": warning: ", ": fatal error: "};
    static const char expansion[] = ": note: in expansion of macro";
    struct position at;
    char *note = strstr(line, expansion), *text = NULL;

    line[strcspn(line, "\n")] = '\0';
    if (note && check->pending) {
        *note = '\0';
        if (find_place(check->spec, line, &at)) {
            report(check->spec, &at, check->pending);
            check->pending = NULL;
        }
        return;
    }
    const char *whole = arena_string(check->spec->arena, line);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !text; i++)
        if ((text = strstr(line, kinds[i]))) {
            *text = '\0';
            text += strlen(kinds[i]);
        }
    if (!text)
        return;
    check->pending = NULL;
    if (find_place(check->spec, line, &at)) {
        report(check->spec, &at, text);
        return;
    }
    check->pending = arena_string(check->spec->arena, text);
    if (!check->other && !strstr(whole, kinds[1]))
        check->other = whole;
}

/* ---- the compiler ---- */

/* Returns the root of the emulator's tree: the parent of the folder of a file of the description.
 * NULL: it is elsewhere. */
static const char *find_tree(const struct spec *spec)
{
    for (size_t i = 0; i < spec->file_count; i++) {
        const char *name = spec->files[i].name, *slash = strrchr(name, '/');
        const char *root =
            arena_format(spec->arena, "%.*s..", slash ? (int)(slash + 1 - name) : 0, name);
        if (access(arena_format(spec->arena, "%s/%s", root, code_readers[0]), R_OK) == 0)
            return root;
    }
    return NULL;
}

/* Reports headers of units that are not there. Returns whether all are. */
static bool check_headers(struct spec *spec, const char *tree)
{
    bool good = true;

    for (size_t i = 0; i < spec->units.count; i++) {
        const struct spec_unit *unit = SPEC_AT(spec->units, i, struct spec_unit);
        if (!unit->header || access(unit->header, R_OK) == 0 ||
            access(arena_format(spec->arena, "%s/%s", tree, unit->header), R_OK) == 0)
            continue;
        diag_error(
            spec->diag, &unit->header_at,
            "cannot read the header '%s' of unit '%s'; expected a file, as seen from the root "
            "of the emulator's tree",
            unit->header, unit->name);
        good = false;
    }
    return good;
}

static const char *find_compiler(void)
{
    return getenv("CC") && *getenv("CC") ? getenv("CC") : "cc";
}

/* Compiles files of the root, NULL-terminated, and reports what the compiler says of the YAML.
 * Returns whether it compiles them. */
static bool run_compiler(struct check *check, const char *root, const char *const *files)
{
    char line[4096];
    const char *command =
        arena_format(check->spec->arena,
                     "LC_ALL=C %s -std=gnu11 -D_GNU_SOURCE -fsyntax-only -x c -Wall -Wextra "
                     "-Wno-unused-but-set-variable -fdiagnostics-color=never -I'%s' -I'%s'",
                     find_compiler(), root, check->directory);

    for (; *files; files++)
        command = arena_format(check->spec->arena, "%s '%s/%s'", command, root, *files);
    FILE *output = popen(arena_format(check->spec->arena, "%s 2>&1 </dev/null", command), "r");
    while (output && fgets(line, sizeof line, output))
        take_line(check, line);
    return output && pclose(output) == 0;
}

/* Compiles step by step, since the definitions include the bodies once more. A part of the
 * description may lack what the files of the emulator need, so only the bodies have to compile. */
static void compile(struct check *check)
{
    static const char *const bodies[] = {"bodies.c", NULL};
    struct diag *diag = check->spec->diag;
    const char *tree = find_tree(check->spec);

    if (!run_compiler(check, check->directory, bodies) && !diag->errors)
        diag_error(diag, NULL, "the C compiler '%s' does not compile the bodies: %s",
                   find_compiler(), check->other ? check->other : "it cannot be run");
    if (!tree || !check_headers(check->spec, tree))
        return;
    run_compiler(check, tree, code_readers);
    if (!diag->errors)
        run_compiler(check, tree, definition_readers);
}

/* Returns the path of a file in the directory. */
static const char *path_of(const struct check *check, size_t index)
{
    return arena_format(check->spec->arena, "%s/%s", check->directory, written[index].name);
}

static bool write_part(const struct check *check, size_t index)
{
    const char *path = path_of(check, index);
    struct emitter emitter = {.spec = check->spec, .path = path};
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    written[index].emit(&emitter);
    bool good = fwrite(emitter.text.bytes, 1, emitter.text.length, file) == emitter.text.length;
    text_free(&emitter.text);
    return (fclose(file) == 0) & good;
}

void spec_compile_bodies(struct spec *spec)
{
    const char *parent = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char *directory = arena_format(spec->arena, "%s/isagen-XXXXXX", parent);
    struct check check = {.spec = spec, .directory = directory};
    bool good = mkdtemp(directory) != NULL;

    if (!good) {
        diag_error(spec->diag, NULL, "cannot create '%s' to check the bodies: %s", directory,
                   strerror(errno));
        return;
    }
    for (size_t i = 0; i < WRITTEN && good; i++)
        good = write_part(&check, i);
    if (good)
        compile(&check);
    else
        diag_error(spec->diag, NULL, "cannot write to '%s': %s", directory, strerror(errno));
    for (size_t i = 0; i < WRITTEN; i++)
        unlink(path_of(&check, i));
    rmdir(directory);
}
