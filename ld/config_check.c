/* Which options go together, and what follows from several of them. Some are only meant for
 * executables, others need another option. */
#include "ld/config_check.h"
#include <string.h>

static bool check_relocatable(struct diag *diag, const struct config *config)
{
    const char *wrong = NULL;

    if (config->pie)
        wrong = "-pie and -static-pie; give them to the final link";
    else if (config->script)
        wrong = "-T: -r joins sections of one name; give the script to the final link";
    else if (config->binary)
        wrong = "--oformat=binary, which needs addresses; give it to the final link";
    else if (config->no_pages)
        wrong = "-n and -N; give them to the final link";
    else if (config->compression)
        wrong = "--compress-debug-sections; give it to the final link";
    else if (config->section_start_count)
        wrong = "addresses of sections; give them to the final link";
    else if (config->gc_sections && !config->entry_given && !config->undefined.count)
        wrong = "--gc-sections without -e or -u, which say what is used";
    if (wrong)
        diag_error(diag, NULL, "-r does not go with %s", wrong);
    return !wrong;
}

/* Does the program have the start file that relocates a position-independent program? Drivers pass
 * it for -static-pie; not all also pass --no-dynamic-linker. */
static bool relocates_itself(const struct config *config)
{
    for (size_t i = 0; i < config->input_count; i++) {
        const char *name = config->inputs[i].name, *slash = name ? strrchr(name, '/') : NULL;
        if (config->inputs[i].kind == INPUT_FILE &&
            strcmp(slash ? slash + 1 : name, "rcrt1.o") == 0)
            return true;
    }
    return false;
}

static bool check_pie(struct diag *diag, const struct config *config)
{
    if (!config->is_static && !config->no_dynamic_linker && !relocates_itself(config)) {
        diag_error(diag, NULL,
                   "-pie alone asks for a program that a dynamic linker relocates, which is not "
                   "supported; link with -static-pie (gcc: -static-pie "
                   "-Wl,--no-dynamic-linker), or with -no-pie (gcc: -static)");
        return false;
    }
    if (config->binary) {
        diag_error(diag, NULL,
                   "--oformat=binary does not go with -pie, since a file without headers cannot "
                   "be relocated; give only one of the two");
        return false;
    }
    return true;
}

bool config_check(struct diag *diag, struct config *config)
{
    if (config->no_pages)
        config->relro = false; /* it ends on a page */
    if (config->relocatable && !check_relocatable(diag, config))
        return false;
    if (config->pie && !config->relocatable && !check_pie(diag, config))
        return false;
    if (config->pie && !config->text_segment_given)
        config->text_segment = 0;
    if (config->emit_relocations && config->strip == STRIP_ALL) {
        diag_error(diag, NULL,
                   "--emit-relocs needs the symbol table, which -s leaves out; give "
                   "only one of the two");
        return false;
    }
    return true;
}
