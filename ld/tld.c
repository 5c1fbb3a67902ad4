/* tld: links objects and archives into a static executable, which may be position-independent. This
 * file has the phases; linker.h says what each phase makes final. */
#include "ld/address.h"
#include "ld/ahead.h"
#include "ld/apply.h"
#include "ld/attributes.h"
#include "ld/command_line.h"
#include "ld/crew.h"
#include "ld/dynamic.h"
#include "ld/eh_frame.h"
#include "ld/got.h"
#include "ld/indirect.h"
#include "ld/layout.h"
#include "ld/link_order.h"
#include "ld/map_file.h"
#include "ld/mark.h"
#include "ld/merge.h"
#include "ld/read.h"
#include "ld/relax.h"
#include "ld/relocatable.h"
#include "ld/response.h"
#include "ld/script/expression.h"
#include "ld/script/script.h"
#include "ld/segment.h"
#include "ld/symbol.h"
#include "ld/write.h"
#include "lib/file.h"
#include "lib/options.h"
#include "lib/output.h"
#include <ctype.h>
#include <stdlib.h>

/* Enters names that are used before any object is read, so that they pull archive members. */
static void use_names(struct linker *linker)
{
    const struct config *config = &linker->config;

    if (!isdigit((unsigned char)*config->entry) && (config->entry_given || !config->relocatable))
        linker->entry = symbol_use(linker, config->entry);
    for (size_t i = 0; i < config->undefined.count; i++)
        symbol_use(linker, config->undefined.items[i]);
    script_read_defsyms(linker);
}

/* After this phase every name has one definition or none. */
static void resolve(struct linker *linker)
{
    if (!linker->config.relocatable || linker->config.define_commons)
        symbols_allocate_commons(linker);
    if (!linker->config.relocatable)
        layout_define_symbols(linker);
    if (linker->config.pie)
        dynamic_make(linker);
    attributes_merge_flags(linker);
    attributes_merge(linker);
    notes_merge(linker);
    if (linker->config.build_id && !linker->config.relocatable)
        linker->build_id = notes_add_build_id(linker);
}

static void check_required(struct linker *linker)
{
    for (size_t i = 0; i < linker->config.required.count; i++)
        if (symbol_find(linker, linker->config.required.items[i])->state == SYMBOL_UNDEFINED)
            diag_error(&linker->diag, NULL,
                       "--require-defined: nothing defines '%s'; link the object that does",
                       linker->config.required.items[i]);
}

/* Determines e_entry: the symbol, a number, or the start of the code. */
static void find_entry(struct linker *linker)
{
    const struct config *config = &linker->config;
    char *end;

    if (linker->entry && linker->entry->state != SYMBOL_UNDEFINED) {
        linker->entry_address = symbol_address(linker->entry);
        return;
    }
    if (!linker->entry) {
        linker->entry_address = strtoull(config->entry, &end, 0);
        if (*end)
            diag_error(&linker->diag, NULL,
                       "option '-e': found '%s', expected a symbol or a number", config->entry);
        return;
    }
    for (size_t i = 0; i < linker->output_count && !linker->entry_address; i++)
        if (linker->outputs[i]->flags & SHF_EXECINSTR)
            linker->entry_address = linker->outputs[i]->address;
    diag_warning(&linker->diag, NULL,
                 "cannot find entry symbol %s; starting at 0x%llx, where the code begins",
                 config->entry, (unsigned long long)linker->entry_address);
}

/* Returns the default layout as a linker script. */
static const char *default_layout(struct linker *linker)
{
    struct text text = TEXT_INIT;

    layout_write_script(&text, &linker->config);
    const char *script = arena_copy(&linker->arena, text.bytes, text.length);
    text_free(&text);
    return script;
}

/* Prints the script that the link follows, as GNU ld --verbose does. */
static void print_script(struct linker *linker)
{
    static const char line[] = "==================================================";
    const char *name = linker->config.script;
    struct diag_file file = {.bytes = name ? NULL : default_layout(linker)};

    if (name && !file_read(&linker->arena, &linker->diag, NULL,
                           script_find_file(linker, name, NULL), &file))
        return;
    printf("using %s linker script:\n%s\n%s%s\n", name ? "external" : "internal", line, file.bytes,
           line);
}

static void read_phase(struct linker *linker)
{
    if (linker->config.script)
        script_read(linker, default_layout(linker));
    if (diag_failed(&linker->diag))
        return;
    use_names(linker);
    read_inputs(linker);
}

static void lay_out(struct linker *linker)
{
    indirect_make(linker);
    got_make(linker);
    if (linker->config.eh_frame_header)
        eh_frame_make_header(linker);
    layout_sections(linker);
    link_order_sort(linker);
    if (linker->script)
        script_check_isolation(linker);
    merge_sections(linker);
    check_required(linker);
    mark_check_undefined(linker); /* now that __start_SECTION and __stop_SECTION are known */
}

static void assign(struct linker *linker)
{
    if (linker->script)
        script_check(linker);
    linker->contents_end = segments_place_in_file(linker);
    find_entry(linker);
    if (!diag_failed(&linker->diag))
        write_begin(linker);
}

static void write_phase(struct linker *linker)
{
    write_executable(linker);
}

struct phase {
    void (*run)(struct linker *linker);
    bool despite_duplicates; /* this phase runs after duplicate definitions, too, so that one run
                                also reports undefined symbols */
};

/* Each list ends with {0}. */
static const struct phase executable_phases[] = {
    {.run = read_phase},
    {.run = resolve, .despite_duplicates = true},
    {.run = mark_live, .despite_duplicates = true},
    {.run = lay_out, .despite_duplicates = true},
    {.run = relax},
    {.run = assign},
    {.run = apply_relocations},
    {.run = write_phase},
    {0},
};
static const struct phase relocatable_phases[] = {
    {.run = read_phase},          {.run = resolve},           {.run = mark_live},
    {.run = relocatable_lay_out}, {.run = relocatable_write}, {0},
};

static void run(struct linker *linker)
{
    const struct phase *phase = linker->config.relocatable ? relocatable_phases : executable_phases;

    for (; phase->run; phase++) {
        bool only_duplicates = linker->diag.errors == linker->duplicates;
        if (diag_failed(&linker->diag) && !(only_duplicates && phase->despite_duplicates))
            return;
        phase->run(linker);
    }
    map_print_memory_usage(linker);
}

int main(int argc, char **argv)
{
    struct linker linker = {.diag = {.tool = "tld"}};

    output_init();
    map_init(&linker.symbols, &linker.arena);
    map_init(&linker.groups, &linker.arena);
    response_files_expand(&linker.arena, &linker.diag, &argc, &argv);
    int parsed = diag_failed(&linker.diag)
                     ? OPTIONS_ERROR
                     : command_line_read(&linker.config, &linker.arena, &linker.diag, argc, argv);
    if (linker.config.verbose && parsed != OPTIONS_ERROR)
        print_script(&linker);
    if (parsed == OPTIONS_END && !diag_failed(&linker.diag))
        run(&linker);
    int status = output_finish_stdout(&linker.diag, diag_failed(&linker.diag));
    crew_end(&linker);
    arena_free(&linker.scratch);
    ahead_free(&linker);
    arena_free(&linker.arena);
    return status;
}
