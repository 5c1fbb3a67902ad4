/* The layout of the object that -r makes. Sections with the same name and kind become one section.
 * Members of a group are not joined, because a later link takes or drops the group as a whole; nor
 * are sections that refer to another one (SHF_LINK_ORDER).
 *
 * Nothing is relaxed: relocations still say what a later link may shorten. When it does, everything
 * after that place in the section moves. What moves must be aligned by a relocation
 * (R_RISCV_ALIGN). A code section that relies on its section alignment instead therefore begins a
 * new section with the same name. */
#include "ld/relocatable.h"

#include "ld/eh_frame.h"
#include "ld/object.h"
#include "ld/output_section.h"
#include "ld/relax.h"
#include "ld/script/expression.h"
#include <string.h>

/* An output section to which more sections may be added. */
struct open {
    struct output_section *output;
    bool shrinks;         /* a later link may shorten one of its members */
    uint64_t granularity; /* the number of bytes that it deletes is a multiple of this */
};

static bool stands_alone(const struct section *section)
{
    return section->group || section->flags & SHF_LINK_ORDER;
}

static bool may_shrink(const struct section *section)
{
    for (size_t i = 0; i < section->relocation_count; i++) {
        enum isa_value value = relocation_type(&section->relocations[i])->value;
        if (value == ISA_VALUE_RELAX || value == ISA_VALUE_ALIGN)
            return true;
    }
    return false;
}

/* Returns the largest alignment that a relocation in the section takes care of; 1: none. */
static uint64_t aligned_by_relocation(const struct section *section)
{
    uint64_t alignment = 1;

    for (size_t i = 0; i < section->relocation_count; i++) {
        const struct relocation *relocation = &section->relocations[i];
        if (relocation_type(relocation)->value == ISA_VALUE_ALIGN &&
            relax_alignment(relocation->addend) > alignment)
            alignment = relax_alignment(relocation->addend);
    }
    return alignment;
}

static uint64_t granularity_of(const struct section *section)
{
    bool compressed = section->object && section->object->elf.header.e_flags & EF_RISCV_RVC;

    return compressed ? 2 : 4;
}

static bool would_lose_alignment(const struct open *open, const struct section *section)
{
    return open->shrinks && section->alignment > open->granularity &&
           aligned_by_relocation(section) < section->alignment;
}

static struct open *find_open(struct linker *linker, struct map *by_kind,
                              const struct section *section)
{
    const char *key =
        arena_format(&linker->arena, "%s %x %llx %llx", section->name, section->type,
                     (unsigned long long)section->flags, (unsigned long long)section->entry_size);
    struct map_entry *entry = map_entry(by_kind, key, strlen(key));
    struct open *open = entry->value;

    if (open && !stands_alone(section) && !would_lose_alignment(open, section))
        return open;
    open = arena_new(&linker->arena, struct open);
    *open = (struct open){.output = output_section_new(linker, section->name), .granularity = 4};
    if (!stands_alone(section))
        entry->value = open;
    return open;
}

static void add_member(struct linker *linker, struct map *by_kind, struct section *section)
{
    struct open *open = find_open(linker, by_kind, section);

    output_section_add(linker, open->output, section);
    open->output->flags = section->flags;
    if (!may_shrink(section))
        return;
    open->shrinks = true;
    if (granularity_of(section) < open->granularity)
        open->granularity = granularity_of(section);
}

/* Makes one note about the stack for all objects. */
static void add_stack_note(struct linker *linker)
{
    bool any = false;

    for (size_t i = 0; i < linker->object_count; i++)
        any |= elf_find_section(&linker->objects[i]->elf, STACK_NOTE_SECTION) != NULL;
    if (any)
        section_new(linker, STACK_NOTE_SECTION, SHT_PROGBITS,
                    linker->executable_stack ? SHF_EXECINSTR : 0, 1, NULL, 0);
}

static void place_members(struct linker *linker)
{
    for (size_t i = 0; i < linker->output_count; i++) {
        struct output_section *output = linker->outputs[i];
        output->size = 0;
        for (size_t j = 0; j < output->member_count; j++) {
            struct section *section = output->members[j];
            section->offset = align_up(output->size, section->alignment);
            output->size = section->offset + section_final_size(section);
        }
    }
}

static void correct_unwind_tables(struct linker *linker)
{
    struct section_walk walk = {0};

    for (struct section *section; (section = section_next(linker, &walk));) {
        if (!section->output || !section->bytes || !eh_frame_is(section))
            continue;
        section->patched = (unsigned char *)arena_copy(&linker->arena, (const char *)section->bytes,
                                                       section->size);
        eh_frame_correct(section, section->patched);
    }
    eh_frame_pad(linker);
}

struct depends {
    const struct output_section *output; /* the section of all symbols so far; NULL: none */
    bool wrong;
};

/* Rejects differences of two symbols and the like. The address of a single symbol is relative to
 * its section. */
static void check_symbol(void *context, struct symbol *symbol)
{
    struct depends *depends = context;
    const struct output_section *output = symbol->state == SYMBOL_DEFINED && symbol->section
                                              ? symbol->section->output
                                              : symbol_output(symbol);

    if (!output)
        return;
    depends->wrong |= depends->output != NULL;
    depends->output = output;
}

static void evaluate_expressions(struct linker *linker)
{
    expressions_evaluate(linker);
    for (size_t i = 0; i < linker->symbols.count; i++) {
        const struct symbol *symbol = linker->symbols.entries[i].value;
        struct depends depends = {0};
        expression_symbols(symbol_expression(symbol), check_symbol, &depends);
        if (depends.wrong || (depends.output && symbol_output(symbol) != depends.output))
            diag_error(&linker->diag, &symbol_expression(symbol)->position,
                       "symbol '%s': the value depends on addresses, which -r does not know; "
                       "define it in the final link",
                       symbol->name);
    }
}

void relocatable_lay_out(struct linker *linker)
{
    struct map by_kind;
    struct section_walk walk = {0};

    map_init(&by_kind, &linker->arena);
    add_stack_note(linker);
    for (struct section *section; (section = section_next(linker, &walk));)
        if (section->live && !(linker->config.strip != STRIP_NONE && section_is_debug(section)))
            add_member(linker, &by_kind, section);
    eh_frame_prune(linker);
    place_members(linker);
    correct_unwind_tables(linker);
    evaluate_expressions(linker);
}
