/*
 * The order in which sections are read. Only this file knows which section needs which other one.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static const char *const sections[] = {
    "extension",
    "registers",
    "constants",
    "formats",
    "operands",
    "enums",
    "elements",
    "classes",
    "accessors",
    "relocations",
    "csrs",
    "instructions",
    "compressed",
    "aliases",
    "insn",
    "architecture",
    "superinstructions",
    "needs",
    "csr_names",
    "functions",
    "units",
    "traps",
    NULL,
};

static void init_maps(struct spec *spec)
{
    struct map *maps[] = {
        &spec->extensions,
        &spec->register_files,
        &spec->constants,
        &spec->enums,
        &spec->elements,
        &spec->classes,
        &spec->layouts,
        &spec->operand_types,
        &spec->relocations,
        &spec->csrs,
        &spec->states,
        &spec->instructions,
        &spec->units,
        &spec->traps,
        &spec->reported,
        &spec->names,
        &spec->field_names,
        &spec->accessors,
        &spec->csr_names,
        &spec->functions,
        &spec->architecture_names,
        &spec->element_directives,
    };

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_init(maps[i], spec->arena);
}

static void read_file(struct spec *spec, struct spec_file *file, const char *name)
{
    file->name = name;
    file->root = node_read(&spec->context, name);
    if (file->root && !node_check_keys(&spec->context, file->root, "the file", sections))
        file->root = NULL;
    if (file->root)
        spec_read_extension(spec, file);
}

typedef void section_reader(struct spec *spec, const struct node *section);

/* Calls `read` for the section of every file that has it. */
static void each_section(struct spec *spec, const char *name, enum node_kind kind,
                         section_reader *read)
{
    for (size_t i = 0; i < spec->file_count; i++) {
        const struct node *section = node_get(spec->files[i].root, name);
        if (section && node_expect(&spec->context, section, kind, name))
            read(spec, section);
    }
}

typedef void file_section_reader(struct spec *spec, const struct spec_file *file,
                                 const struct node *section);

/* The same for sections whose contents belong to the file's extension. */
static void each_extension_section(struct spec *spec, const char *name, enum node_kind kind,
                                   file_section_reader *read)
{
    for (size_t i = 0; i < spec->file_count; i++) {
        const struct spec_file *file = &spec->files[i];
        const struct node *section = node_get(file->root, name);
        if (!section || !node_expect(&spec->context, section, kind, name))
            continue;
        if (!file->extension)
            diag_error(spec->diag, &section->at,
                       "'%s' in a file without an extension; add 'extension: {name: ..., version: "
                       "..., summary: ...}'",
                       name);
        else
            read(spec, file, section);
    }
}

void spec_read(struct spec *spec, char *const *names, size_t count)
{
    spec->context = (struct node_context){.arena = spec->arena, .diag = spec->diag};
    spec->files = arena_array(spec->arena, count, sizeof *spec->files);
    spec->file_count = count;
    init_maps(spec);
    for (size_t i = 0; i < count; i++)
        read_file(spec, &spec->files[i], names[i]);

    for (size_t i = 0; i < count; i++)
        spec_read_file_needs(spec, &spec->files[i]);

    each_section(spec, "architecture", NODE_MAPPING, spec_read_architecture);
    spec_check_architecture(spec);
    each_section(spec, "registers", NODE_MAPPING, spec_read_registers);
    each_section(spec, "constants", NODE_MAPPING, spec_read_constants);
    each_section(spec, "enums", NODE_MAPPING, spec_read_enums);
    each_section(spec, "elements", NODE_MAPPING, spec_read_elements);
    spec_resolve_pairs(spec);
    each_section(spec, "classes", NODE_MAPPING, spec_read_classes);
    for (size_t i = 0; i < count; i++) {
        const struct node *section = node_get(spec->files[i].root, "units");
        if (section && node_expect(&spec->context, section, NODE_MAPPING, "units"))
            spec_read_units(spec, &spec->files[i], section);
    }
    each_section(spec, "traps", NODE_MAPPING, spec_read_traps);
    spec_resolve_traps(spec);
    each_section(spec, "accessors", NODE_MAPPING, spec_read_accessors);
    each_section(spec, "functions", NODE_MAPPING, spec_read_functions);
    each_section(spec, "formats", NODE_MAPPING, spec_read_formats);
    each_section(spec, "relocations", NODE_MAPPING, spec_read_relocations);
    each_section(spec, "operands", NODE_MAPPING, spec_read_operand_types);
    each_extension_section(spec, "csrs", NODE_MAPPING, spec_read_csrs);
    each_section(spec, "csr_names", NODE_SEQUENCE, spec_read_csr_names);
    each_extension_section(spec, "instructions", NODE_MAPPING, spec_read_instructions);
    each_extension_section(spec, "compressed", NODE_MAPPING, spec_read_compressed);
    each_extension_section(spec, "aliases", NODE_SEQUENCE, spec_read_aliases);
    each_extension_section(spec, "insn", NODE_SEQUENCE, spec_read_insn);

    spec_resolve_relocations(spec);
    spec_sort_csrs(spec);
    spec_check_relaxation(spec);
    spec_resolve_refines(spec);
    spec_check_overlaps(spec);
    spec_resolve_accessors(spec);
    spec_check_unit_names(spec);
    spec_check_functions(spec);
    spec_check_bodies(spec);
    spec_check_fast(spec);
    spec_check_time(spec);
    spec_check_state_uses(spec);
    spec_infer_traps(spec);
    spec_resolve_aliases(spec);
    spec_resolve_compressed(spec);
    spec_check_forms(spec);
    spec_check_prints(spec);
    each_section(spec, "superinstructions", NODE_SEQUENCE, spec_read_superinstructions);
    spec_sort_superinstructions(spec);
}
