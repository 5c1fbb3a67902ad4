/* Relocations that the source asks for by name (.reloc), and thread-local offsets as data.
 *
 * The place of a .reloc may be a label that is defined later. So these relocations are kept until
 * layout is done, and then inserted into those of the section, after others at the same place. */
#include "asm/directive/directive.h"
#include "asm/expression.h"
#include <inttypes.h>
#include <string.h>

struct reloc {
    struct expression *place; /* a label, or an offset in `section` */
    struct section *section;  /* the current one at the .reloc */
    const struct isa_relocation *type;
    struct expression *value; /* or NULL */
    struct reloc *next;
};

static const struct isa_relocation *find_type(struct assembler *as, const struct parsed *parsed,
                                              const char *name)
{
    struct suggestion suggestion;

    suggest_init(&suggestion, name);
    for (size_t i = 0; i < isa_relocation_count; i++) {
        if (strcmp(isa_relocations[i].name, name) == 0)
            return &isa_relocations[i];
        suggest_add(&suggestion, isa_relocations[i].name);
    }
    const char *near = suggest_text(&suggestion);
    struct position at = argument_place(parsed, 1);
    diag_error(as->diag, &at, "unknown relocation '%s'%s%s%s", name, near ? "; did you mean " : "",
               near ? near : "; expected a name such as R_RISCV_NONE", near ? "?" : "");
    return NULL;
}

/* .reloc PLACE, TYPE[, VALUE] */
static void reloc(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    struct expression *place = argument_expression(as, parsed, 0), *value = NULL;
    const struct isa_relocation *type = find_type(as, parsed, argument_text(as, parsed, 1));

    if (!place || !type ||
        (parsed->argument_count > 2 && !(value = argument_expression(as, parsed, 2))))
        return;
    place = expression_keep(as, place);
    if (value)
        value = expression_keep(as, value);
    struct reloc *reloc = arena_new(as->arena, struct reloc);
    *reloc = (struct reloc){
        .place = place, .section = as->sections.current.section, .type = type, .value = value};
    struct reloc **end = &as->sections.relocs;
    while (*end)
        end = &(*end)->next;
    *end = reloc;
}

/* Finds the place of the relocation; false after a diagnostic. */
static bool locate(struct assembler *as, const struct reloc *reloc, struct section **section,
                   uint64_t *offset)
{
    struct value value;
    const struct symbol *label;
    int64_t distance;
    struct position at = expression_place(reloc->place);

    if (!expression_evaluate(as, reloc->place, false, &value))
        return false;
    *section = reloc->section;
    *offset = (uint64_t)value.constant;
    if (value.add && !value.subtract && symbol_locate(as, value.add, &label, &distance)) {
        *section = symbol_section(label);
        *offset += symbol_address(label) + (uint64_t)distance;
    } else if (value.add || value.subtract) {
        diag_error(as->diag, &at, "'.reloc' needs a place in a section of this file");
        return false;
    }
    unsigned bytes = reloc->type->place == ISA_PLACE_DATA ? (reloc->type->data_bits + 7) / 8 : 0;
    if (*offset > (*section)->size || bytes > (*section)->size - *offset) {
        diag_error(as->diag, &at,
                   "offset %" PRId64 " is outside section '%s', which has %" PRIu64 " bytes",
                   (int64_t)*offset, (*section)->name, (*section)->size);
        return false;
    }
    return true;
}

static void apply(struct assembler *as, const struct reloc *reloc)
{
    struct section *section;
    uint64_t offset;
    struct value value = {0};

    if (!locate(as, reloc, &section, &offset))
        return;
    if (!section_has_contents(section)) {
        struct position at = expression_place(reloc->place);
        diag_error(as->diag, &at, "section '%s' has no contents that could be relocated",
                   section->name);
        return;
    }
    if (reloc->value && !expression_evaluate(as, reloc->value, false, &value))
        return;
    if (value.subtract) {
        struct position at = expression_place(reloc->value);
        diag_error(as->diag, &at,
                   "'.reloc' needs an address or a number; found a difference with '%s'",
                   symbol_title(as, value.subtract));
        return;
    }
    if (expression_check_address(as, reloc->value, value.add))
        section_relocation(as, section, offset, reloc->type, value.add, value.constant);
}

void reloc_resolve(struct assembler *as)
{
    for (const struct reloc *reloc = as->sections.relocs; reloc && !diag_full(as->diag);
         reloc = reloc->next)
        apply(as, reloc);
}

/* .dtprelword, .dtpreldword: offsets in the thread-local block, for debuggers. */
static void thread_offset(struct assembler *as, const struct parsed *parsed, int size)
{
    const struct isa_relocation *type =
        isa_relocation_of(ISA_VALUE_DTPREL, ISA_PLACE_DATA, 8 * (unsigned)size);

    section_content(as, CONTENT_DATA);
    for (size_t i = 0; i < parsed->argument_count; i++) {
        struct expression *expression = argument_expression(as, parsed, i);
        if (!expression || !section_append(as, (uint64_t)size, parsed->statement->at))
            return;
        expression = expression_keep(as, expression);
        struct fragment *fragment = section_fragment(as);
        struct fixup *fixup = section_fixup(as, fragment, fragment->length - (uint64_t)size);
        fixup->expression = expression;
        fixup->size = (unsigned char)size;
        fixup_ask(fixup, type);
    }
}

const struct directive directives_reloc[] = {
    {".reloc", reloc, 0, 2, 3},
    {".dtprelword", thread_offset, 4, 1, 255},
    {".dtpreldword", thread_offset, 8, 1, 255},
    {0},
};
