/* The registry of directives: the tables of all files of this folder, and the data directives that
 * the ISA description gives to element types. */
#include "asm/directive/directive.h"
#include <string.h>

static const struct directive *const tables[] = {
    directives_data,  directives_symbol,  directives_section, directives_misc,  directives_frame,
    directives_lines, directives_listing, directives_reloc,   directives_space,
};

static void enter(struct assembler *as, const struct directive *directive)
{
    struct meaning *meaning = words_mean(&as->words, directive->name);

    meaning->directive = directive;
    meaning->list = (unsigned char)directive_list_kind(directive);
}

/* Enters the names of a list, which ends with NULL. */
static void enter_elements(struct assembler *as, const char *const *names,
                           struct directive directive)
{
    for (; *names; names++) {
        struct directive *entry = arena_new(as->words.arena, struct directive);
        *entry = directive;
        entry->name = *names;
        enter(as, entry);
    }
}

void directive_init(struct assembler *as)
{
    for (size_t i = 0; i < isa_element_count; i++) {
        enter_elements(as, isa_elements[i].directives,
                       (struct directive){NULL, directive_elements, (int)i, 0, 255});
        enter_elements(as, isa_elements[i].blocks,
                       (struct directive){NULL, directive_element_block, (int)i, 1,
                                          isa_elements[i].part ? 3 : 2});
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct directive *directive = tables[i]; directive->name; directive++)
            enter(as, directive);
    words_mean(&as->words, ".loc")->location = true;
}

void directive_run(struct assembler *as, const struct parsed *parsed,
                   const struct directive *directive)
{
    struct position at = name_place(parsed);
    size_t count = parsed->argument_count;

    if (count < directive->least)
        diag_error(as->diag, &at, "'%s' needs %s%u argument%s, found %zu", directive->name,
                   directive->most == directive->least ? "" : "at least ", directive->least,
                   directive->least == 1 ? "" : "s", count);
    else if (directive->most != 255 && count > directive->most) {
        at = argument_place(parsed, directive->most);
        diag_error(as->diag, &at, "'%s' takes %s%u argument%s, found %zu", directive->name,
                   directive->most == directive->least ? "" : "at most ", directive->most,
                   directive->most == 1 ? "" : "s", count);
    } else {
        directive->run(as, parsed, directive->parameter);
    }
}

static void suggest_names(struct suggestion *suggestion, const char *const *names)
{
    for (; *names; names++)
        suggest_add(suggestion, *names);
}

void directive_suggest(struct suggestion *suggestion)
{
    for (size_t i = 0; i < isa_element_count; i++) {
        suggest_names(suggestion, isa_elements[i].directives);
        suggest_names(suggestion, isa_elements[i].blocks);
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct directive *directive = tables[i]; directive->name; directive++)
            suggest_add(suggestion, directive->name);
}
