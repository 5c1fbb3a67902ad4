/* --emit-relocs: the executable keeps the relocations of its objects, for tools that change
 * programs after the link. As in GNU ld, each describes what is at its place now: offsets are
 * addresses, the type is that of the form that relaxation chose, and R_RISCV_NONE with a number of
 * bytes is where bytes were deleted. */
#include "ld/indirect.h"
#include "ld/pcrel.h"
#include "ld/place.h"
#include "ld/relax.h"
#include "ld/short_form.h"
#include "ld/symbol.h"
#include "ld/write.h"
#include "lib/bytes.h"

static bool has_relocations(const struct section *section)
{
    return section->live && section->output && section->object && section->bytes &&
           section->relocation_count;
}

void emit_relocations_mark(struct linker *linker)
{
    struct section_walk walk = {0};

    for (const struct section *section; (section = section_next(linker, &walk));)
        for (size_t i = 0; has_relocations(section) && i < section->relocation_count; i++)
            indirect_function(linker, section->relocations[i].symbol)->needed = true;
}

/* Returns the output section that has the contents of the section symbol's section. */
static const struct output_section *section_of(const struct symbol *symbol)
{
    if (symbol->type != STT_SECTION || !symbol->section)
        return NULL;
    return symbol->section->merged ? symbol->section->merged->output : symbol->section->output;
}

/* The entry that describes the relocation with the symbol and addend of `target`. */
static Elf64_Rela entry(const struct linker *linker, uint64_t address,
                        const struct isa_relocation *type, const struct relocation *target)
{
    struct symbol *symbol = indirect_function(linker, target->symbol);
    const struct output_section *output = section_of(symbol);
    uint64_t index = output ? output->index : symbol->table_index;
    uint64_t addend =
        output ? relocation_target(target) - output->address : (uint64_t)target->addend;

    return (Elf64_Rela){.r_offset = address,
                        .r_info = ELF64_R_INFO(index, (uint64_t)type->number),
                        .r_addend = (int64_t)addend};
}

/* The entry where `count` bytes were deleted. */
static Elf64_Rela deleted_entry(uint64_t address, int64_t count)
{
    const struct isa_relocation *none = isa_relocation_of(ISA_VALUE_NONE, ISA_PLACE_NONE, 0);

    return (Elf64_Rela){.r_offset = address,
                        .r_info = ELF64_R_INFO(UINT64_C(0), (uint64_t)none->number),
                        .r_addend = count};
}

/* Returns the type of a low part in this field. */
static const struct isa_relocation *low_type(const struct isa_field *field)
{
    for (size_t i = 0; i < isa_relocation_count; i++)
        if (isa_relocations[i].value == ISA_VALUE_LO_S_A && isa_relocations[i].field == field)
            return &isa_relocations[i];
    BUG("the ISA description has no relocation of a low part in a call");
}

/* Returns the type that describes a call in its form. */
static const struct isa_relocation *call_type(struct linker *linker, const struct section *section,
                                              const struct relocation *relocation)
{
    const struct isa_relocation *type = relocation_type(relocation);
    uint64_t at = relocation->offset + (uint64_t)type->field->length;

    if (relocation->form == FORM_ZERO_BASED)
        return low_type(type->second);
    uint64_t second = bytes_get(section->bytes + at, type->second->length);
    return short_jump_for(linker, type, second, relocation->form)->target->type->relocation;
}

/* The entry of a low part whose high part was deleted. An offset from the global pointer is in the
 * addend. As in GNU ld, an undefined weak symbol keeps the type of a low part. */
static Elf64_Rela based_entry(const struct linker *linker, uint64_t address,
                              const struct relocation *low, const struct relocation *target)
{
    int64_t offset;
    enum near near = relax_near(linker, target, 0, &offset);
    bool weak = near == NEAR_ZERO && target->symbol->state == SYMBOL_UNDEFINED;
    const struct isa_relocation *type =
        weak ? low_type(relocation_type(low)->field) : relocation_type(low)->relaxed;
    Elf64_Rela rela = entry(linker, address, type, target);

    if (near == NEAR_POINTER && relocation_type(low)->value != ISA_VALUE_LO_TPREL)
        rela.r_addend -= (int64_t)symbol_address(linker->global_pointer);
    return rela;
}

/* The entry of a relocation whose type may have changed. */
static Elf64_Rela instruction_entry(struct linker *linker, const struct section *section,
                                    const struct relocation *relocation)
{
    const struct isa_relocation *type = relocation_type(relocation);
    uint64_t address = section_address(section, relocation->offset);
    size_t count;
    const struct relocation *high = relocation;

    if (type->value == ISA_VALUE_LO_PCREL)
        high = pcrel_find_high(relocation, &count);
    if (relocation->form == FORM_BASED ||
        (high && high != relocation && high->form == FORM_DELETED))
        return based_entry(linker, address, relocation, high);
    if (relocation->form != FORM_ORIGINAL)
        type =
            type->place == ISA_PLACE_PAIR ? call_type(linker, section, relocation) : type->relaxed;
    else if (pcrel_is_high(relocation) && type->value == ISA_VALUE_HI_S_A_P &&
             pcrel_is_absolute(linker, relocation, address, pcrel_target(linker, relocation)))
        type = isa_relocation_of(ISA_VALUE_HI_S_A, ISA_PLACE_FIELD, 0);
    return entry(linker, address, type, relocation);
}

/* Returns the relocation at the same place whose instructions became shorter, or NULL. */
static const struct relocation *shortened_before(const struct section *section,
                                                 const struct relocation *mark)
{
    const struct relocation *before = mark - 1;

    if (mark == section->relocations || before->offset != mark->offset ||
        before->form == FORM_ORIGINAL || before->form == FORM_DELETED || before->form == FORM_BASED)
        return NULL;
    return before;
}

/* The mark of an instruction that became shorter says how many bytes were deleted after it. */
static Elf64_Rela mark_entry(const struct linker *linker, const struct section *section,
                             const struct relocation *mark)
{
    const struct relocation *before = shortened_before(section, mark);

    if (!before)
        return entry(linker, section_address(section, mark->offset), relocation_type(mark), mark);
    const struct isa_relocation *type = relocation_type(before);
    uint64_t whole = relax_form_length(type, FORM_ORIGINAL),
             kept = relax_form_length(type, before->form);
    return deleted_entry(section_address(section, before->offset + kept), (int64_t)(whole - kept));
}

static Elf64_Rela convert(struct linker *linker, const struct section *section,
                          const struct relocation *relocation)
{
    const struct isa_relocation *type = relocation_type(relocation);
    uint64_t address = section_address(section, relocation->offset);

    if (symbol_is_gone(relocation->symbol))
        return deleted_entry(address, 0);
    if (type->value == ISA_VALUE_ALIGN)
        return deleted_entry(address, relocation->addend);
    if (type->value == ISA_VALUE_RELAX)
        return mark_entry(linker, section, relocation);
    if (relocation->form == FORM_DELETED)
        return deleted_entry(address, (int64_t)relax_form_length(type, FORM_ORIGINAL));
    return instruction_entry(linker, section, relocation);
}

/* Is the place in a record that was dropped? Bytes that relaxation deletes have an entry. */
static bool is_dropped(const struct section *section, const struct relocation *relocation)
{
    bool relaxed = section->flags & SHF_EXECINSTR;

    return !relaxed && section->deletion_count &&
           section_place(section, relocation->offset) ==
               section_place(section, (uint64_t)relocation->offset + 1);
}

static size_t count_relocations(const struct output_section *output)
{
    size_t count = 0;

    for (size_t i = 0; i < output->member_count; i++)
        count += has_relocations(output->members[i]) ? output->members[i]->relocation_count : 0;
    return count;
}

static void fill(struct linker *linker, struct kept_relocations *kept)
{
    for (size_t i = 0; i < kept->output->member_count; i++) {
        const struct section *section = kept->output->members[i];
        for (size_t j = 0; has_relocations(section) && j < section->relocation_count; j++)
            if (!is_dropped(section, &section->relocations[j]))
                kept->items[kept->count++] = convert(linker, section, &section->relocations[j]);
    }
}

struct kept_relocations *emit_relocations_make(struct linker *linker, size_t *count)
{
    struct kept_relocations *tables =
        arena_array(&linker->arena, linker->output_count + 1, sizeof *tables);

    *count = 0;
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        size_t capacity = count_relocations(output);
        if (!capacity)
            continue;
        struct kept_relocations *kept = &tables[(*count)++];
        *kept = (struct kept_relocations){
            .output = output,
            .name = arena_format(&linker->arena, ".rela%s", output->name),
            .items = arena_array(&linker->arena, capacity, sizeof *kept->items)};
        fill(linker, kept);
    }
    return tables;
}
