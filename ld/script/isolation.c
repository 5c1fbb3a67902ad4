/* NOCROSSREFS and NOCROSSREFS_TO (GNU ld's manual, "Miscellaneous Commands"). */
#include "ld/script/script.h"

#include <string.h>

static bool has(const struct script_words *words, const char *name)
{
    for (; words; words = words->next)
        if (strcmp(words->word, name) == 0)
            return true;
    return false;
}

static bool is_forbidden(const struct script_isolation *isolation, const char *from, const char *to)
{
    const struct script_words *targets = isolation->sections;

    if (!targets || strcmp(from, to) == 0 || !has(targets, from))
        return false;
    return isolation->to_first ? strcmp(targets->word, to) == 0 : has(targets, to);
}

static void check_section(struct linker *linker, const struct section *section)
{
    for (size_t i = 0; i < section->relocation_count; i++) {
        const struct relocation *relocation = &section->relocations[i];
        const struct section *target = relocation->symbol->section;
        if (relocation->symbol->state != SYMBOL_DEFINED || !target || !target->output)
            continue;
        const struct script_isolation *isolation = linker->script->isolations;
        while (isolation && !is_forbidden(isolation, section->output->name, target->output->name))
            isolation = isolation->next;
        if (!isolation)
            continue;
        struct position at = place_position(linker, section, relocation->offset);
        diag_error(&linker->diag, &at,
                   "section '%s' refers to %s in section '%s', which %s in the linker script "
                   "forbids; remove the reference or the command",
                   section->output->name, symbol_text(linker, relocation->symbol),
                   target->output->name, isolation->to_first ? "NOCROSSREFS_TO" : "NOCROSSREFS");
    }
}

void script_check_isolation(struct linker *linker)
{
    struct section_walk walk = {0};

    if (!linker->script->isolations)
        return;
    for (const struct section *section; (section = section_next(linker, &walk));)
        if (section->live && section->output)
            check_section(linker, section);
}
