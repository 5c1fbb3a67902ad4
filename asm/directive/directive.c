/* The registry of directives: the tables of all files of this folder. */
#include "asm/directive/directive.h"
#include <string.h>

static const struct directive *const tables[] = {
    directives_data,  directives_symbol,  directives_section, directives_misc,  directives_frame,
    directives_lines, directives_listing, directives_reloc,   directives_space,
};

void directive_init(struct assembler *as)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct directive *directive = tables[i]; directive->name; directive++)
            words_mean(&as->words, directive->name)->directive = directive;
}

void directive_suggest(struct suggestion *suggestion)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct directive *directive = tables[i]; directive->name; directive++)
            suggest_add(suggestion, directive->name);
}
