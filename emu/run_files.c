/* See run_files.h. */
#include "emu/run_files.h"
#include "emu/report/coverage.h"
#include "lib/file.h"
#include "lib/source.h"

static void add(struct run_files *files, const char *what, const char *name, bool is_input)
{
    files->uses =
        arena_grow(files->arena, files->uses, files->count, &files->capacity, sizeof *files->uses);
    files->uses[files->count++] = (struct output_use){what, name, is_input};
}

static void add_output(struct run_files *files, const char *option, const char *name)
{
    if (name)
        add(files, arena_format(files->arena, "%s=%s", option, name), name, false);
}

/* `given` is the argument of the option. */
static void add_input(struct run_files *files, const char *option, const char *given,
                      const char *name)
{
    add(files, arena_format(files->arena, "the input of %s=%s", option, given), name, true);
}

static void add_inputs(struct run_files *files, const struct temu_options *options,
                       const struct load_request *loads)
{
    add(files, arena_format(files->arena, "the program %s", options->program), options->program,
        true);
    for (size_t i = 0; i < options->machines.count; i++)
        add_input(files, "--machine", options->machines.items[i], options->machines.items[i]);
    for (size_t i = 0; i < options->loads.count; i++)
        add_input(files, "--load", options->loads.items[i], loads[i].file);
    if (options->schedule)
        add_input(files, "--schedule", options->schedule, options->schedule);
}

static void add_coverage(struct run_files *files, const char *name)
{
    const char *operands = name ? coverage_operands_file(files->arena, name) : NULL;

    add_output(files, "--coverage", name);
    if (operands)
        add(files, arena_format(files->arena, "%s of --coverage=%s", operands, name), operands,
            false);
}

void run_files_list(struct run_files *files, const struct temu_options *options,
                    const struct dump_request *dumps, const struct load_request *loads)
{
    add_inputs(files, options, loads);
    add_output(files, "--trace", options->trace.file);
    add_output(files, "--stats", options->stats_file);
    add_output(files, "--profile", options->profile_file);
    add_coverage(files, options->coverage);
    add_output(files, "--timing-file", options->timing_file);
    add_output(files, "--pipeline", options->picture.file);
    add_output(files, "--dump-state", options->state_file);
    add_output(files, "--jitdump", options->jitdump);
    for (size_t i = 0; i < options->dumps.count; i++)
        add(files, arena_format(files->arena, "--dump=%s", options->dumps.items[i]), dumps[i].file,
            false);
}

/* The outputs that exist already, by the indices of their uses: others cannot be sources. */
struct old_outputs {
    struct run_files *files;
    struct file_identity *identities;
    size_t count;
};

/* Adds a source file to the inputs if it is also an output. */
static void add_source(void *context, const char *name)
{
    const struct old_outputs *old = context;
    const struct file_identity source = file_identify(name);
    struct run_files *files = old->files;

    for (size_t i = 0; source.exists && i < old->count; i++)
        if (old->identities[i].exists && old->identities[i].device == source.device &&
            old->identities[i].inode == source.inode) {
            old->identities[i].exists = false; /* many units may have the file */
            add(files, arena_format(files->arena, "the source %s of the program", name),
                arena_string(files->arena, name), true);
        }
}

static void add_sources(struct run_files *files, const struct program *program)
{
    struct old_outputs old = {
        files, arena_array(files->arena, files->count, sizeof *old.identities), files->count};
    bool any = false;

    for (size_t i = 0; i < files->count; i++)
        if (!files->uses[i].is_input) {
            old.identities[i] = file_identify(files->uses[i].name);
            any |= old.identities[i].exists;
        }
    if (!any)
        return;
    struct source *source = source_open(&program->image, 0);
    source_each_file(source, add_source, &old);
    source_close(source);
}

bool run_files_check(struct run_files *files, struct diag *diag, const struct program *program)
{
    if (program->linker)
        add(files, arena_format(files->arena, "the dynamic linker %s", program->linker->name),
            program->linker->name, true);
    add_sources(files, program);
    return output_check(diag, files->uses, files->count);
}
