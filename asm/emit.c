/* The object file: ELF64, RISC-V, relocatable.
 *
 * The sections are in this order: groups; the sections of the source in its order, each followed by
 * its relocations; attributes; the note with the fingerprint of the instruction set; symbols and
 * names. */
#include "asm/attribute.h"
#include "asm/expression.h"
#include "asm/object.h"
#include "asm/tasm.h"
#include "lib/elf_write.h"
#include "lib/isa_note.h"
#include <inttypes.h>
#include <string.h>

#ifndef STO_RISCV_VARIANT_CC
#define STO_RISCV_VARIANT_CC 0x80
#endif
#ifndef SHT_RISCV_ATTRIBUTES
#define SHT_RISCV_ATTRIBUTES 0x70000003
#endif

struct group {
    const char *signature;
    struct symbol *symbol;
    struct text members; /* the contents: flags and section indices of 32 bits */
    unsigned index;
    struct group *next;
};

struct emission {
    struct assembler *as;
    struct object object;
    struct text names, section_names;
    Elf64_Sym *symbols;
    uint32_t *sections; /* of the symbols: their indices that do not fit in the symbol, or 0 */
    size_t symbol_count, section_capacity, first_global;
    unsigned section_count;
    unsigned symtab_index;
    struct group *groups, *last_group;
    struct map group_map;     /* signature → struct group */
    bool uses_gnu_extensions; /* a symbol does */
};

static uint32_t add_name(struct text *names, const char *name)
{
    if (!names->length)
        text_append_char(names, '\0');
    if (!*name)
        return 0;
    uint32_t offset = (uint32_t)names->length;
    text_append_bytes(names, name, strlen(name) + 1);
    return offset;
}

/* ---- symbols ---- */

/* Does the object have sections whose indices do not fit in a symbol? */
static bool has_large_indices(const struct emission *emission)
{
    return emission->section_count >= SHN_LORESERVE;
}

static bool is_wanted(const struct symbol *symbol)
{
    bool hidden = symbol->name[0] == '.' && symbol->name[1] == 'L';

    if (symbol->superseded || symbol->weakref)
        return false;
    if (symbol->group)
        return true;
    if (hidden || symbol_register(symbol))
        return symbol->in_relocation;
    if (symbol->kind == SYMBOL_UNDEFINED)
        return symbol->in_relocation || symbol->visibility ||
               (symbol->binding_set && symbol->binding == STB_GLOBAL);
    return true;
}

static unsigned char binding_of(const struct symbol *symbol)
{
    if (symbol->binding_set)
        return symbol->binding;
    if (symbol_is_weak_alias(symbol))
        return STB_WEAK;
    return symbol->kind == SYMBOL_UNDEFINED || symbol->kind == SYMBOL_COMMON ? STB_GLOBAL
                                                                             : STB_LOCAL;
}

/* Adds a symbol in the section of that index; 0: its st_shndx stays. */
static void add_symbol(struct emission *emission, const Elf64_Sym *symbol, uint32_t section)
{
    struct arena *arena = emission->as->arena;
    size_t i = emission->symbol_count++;
    bool is_large = section >= SHN_LORESERVE;

    emission->symbols[i] = *symbol;
    if (section)
        emission->symbols[i].st_shndx = is_large ? SHN_XINDEX : (Elf64_Half)section;
    if (!has_large_indices(emission))
        return;
    emission->sections = arena_grow(arena, emission->sections, i, &emission->section_capacity,
                                    sizeof *emission->sections);
    emission->sections[i] = is_large ? section : 0;
}

static uint64_t symbol_size(struct assembler *as, const struct symbol *symbol,
                            const struct expression *size)
{
    struct value value;

    if (!size || !expression_evaluate(as, size, false, &value))
        return 0;
    if (value.add || value.subtract) {
        struct position at = expression_place(size);
        diag_error(as->diag, &at, "the size of '%s' must be a number", symbol->name);
    }
    return (uint64_t)value.constant;
}

/* Fills in an equated symbol: it has the place of its value and, unless the source sets them, the
 * type and the size of the symbol there. False if the symbol is not to be written. */
static bool fill_equated(struct assembler *as, struct symbol *symbol, Elf64_Sym *raw,
                         uint32_t *section)
{
    const struct symbol *label;
    int64_t offset;
    struct value value;

    if (symbol_locate(as, symbol, &label, &offset)) {
        *section = symbol_section(label)->index;
        raw->st_value = symbol_address(label) + (uint64_t)offset;
        if (!symbol->type)
            symbol->type = label->type;
        if (!symbol->size)
            raw->st_size = symbol_size(as, label, label->size);
        return true;
    }
    if (!expression_evaluate(as, symbol->value, false, &value))
        return false;
    if (!value.add && !value.subtract) {
        raw->st_shndx = SHN_ABS;
        raw->st_value = (uint64_t)value.constant;
        return true;
    }
    if (binding_of(symbol) == STB_LOCAL)
        return false;
    struct position at = location_position(as, symbol->defined_at);
    diag_error(
        as->diag, &at,
        "'%s' cannot be written to the object: its value depends on the undefined symbol '%s'",
        symbol->name, symbol_title(as, value.add ? value.add : value.subtract));
    return false;
}

static bool fill_symbol(struct emission *emission, struct symbol *symbol, Elf64_Sym *raw,
                        uint32_t *section)
{
    struct assembler *as = emission->as;

    *raw = (Elf64_Sym){.st_other =
                           symbol->visibility | (symbol->variant_cc ? STO_RISCV_VARIANT_CC : 0)};
    raw->st_size = symbol_size(as, symbol, symbol->size);
    *section = 0;
    switch (symbol->kind) {
    case SYMBOL_UNDEFINED:
        *section = symbol->group; /* 0: undefined */
        break;
    case SYMBOL_LABEL:
        *section = symbol_section(symbol)->index;
        raw->st_value = symbol_address(symbol);
        break;
    case SYMBOL_EQUATED:
        if (!fill_equated(as, symbol, raw, section))
            return false;
        break;
    case SYMBOL_COMMON:
        raw->st_shndx = SHN_COMMON;
        raw->st_value = symbol->common_alignment;
        raw->st_size = symbol->common_size;
        break;
    }
    raw->st_info = ELF64_ST_INFO(binding_of(symbol), symbol->type);
    raw->st_name = add_name(&emission->names, symbol->name);
    return true;
}

static void write_symbol(struct emission *emission, struct symbol *symbol)
{
    Elf64_Sym raw;
    uint32_t section;

    if (!fill_symbol(emission, symbol, &raw, &section))
        return;
    symbol->index = (uint32_t)emission->symbol_count;
    add_symbol(emission, &raw, section);
}

/* Is it of a kind that is not in the generic ABI? */
static bool is_gnu_extension(const struct symbol *symbol)
{
    return !symbol->superseded &&
           (symbol->type == STT_GNU_IFUNC || symbol->binding == STB_GNU_UNIQUE);
}

/* Adds the symbols of the source, first the local ones. */
static void add_symbols(struct emission *emission)
{
    struct assembler *as = emission->as;
    struct symbol **global = NULL;
    size_t count = 0, capacity = 0;

    for (struct symbol *symbol = as->symbols.first; symbol; symbol = symbol->next) {
        emission->uses_gnu_extensions |= is_gnu_extension(symbol);
        if (symbol->is_section)
            symbol->index = symbol_section(symbol)->symbol->index;
        if (symbol->is_section || !is_wanted(symbol))
            continue;
        if (binding_of(symbol) == STB_LOCAL) {
            write_symbol(emission, symbol);
        } else {
            global = arena_grow(as->arena, global, count, &capacity, sizeof *global);
            global[count++] = symbol;
        }
    }
    emission->first_global = emission->symbol_count;
    for (size_t i = 0; i < count; i++)
        write_symbol(emission, global[i]);
}

/* Collects the symbols to write. ELF requires the local ones first: file, sections, labels. */
static void collect_symbols(struct emission *emission)
{
    struct assembler *as = emission->as;
    enum { NULL_AND_FILE = 2 };
    size_t most = NULL_AND_FILE + emission->section_count + as->symbols.count;

    emission->symbols = arena_array(as->arena, most, sizeof *emission->symbols);
    add_symbol(emission, &(Elf64_Sym){0}, 0);
    if (as->source_name)
        add_symbol(emission,
                   &(Elf64_Sym){.st_name = add_name(&emission->names, as->source_name),
                                .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FILE),
                                .st_shndx = SHN_ABS},
                   0);
    for (struct section *section = as->sections.first; section; section = section->next) {
        section->symbol->index = (uint32_t)emission->symbol_count;
        add_symbol(emission, &(Elf64_Sym){.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION)},
                   section->index);
    }
    add_symbols(emission);
}

/* ---- sections ---- */

static unsigned next_index(struct emission *emission)
{
    return ++emission->section_count;
}

static void add_section(struct emission *emission, Elf64_Shdr header, const char *name,
                        const void *bytes, size_t length)
{
    header.sh_name = add_name(&emission->section_names, name);
    header.sh_size = length;
    if (!header.sh_addralign)
        header.sh_addralign = 1;
    object_add(&emission->object, emission->as->arena, &header, bytes);
}

static void append_word(struct text *text, uint32_t word)
{
    text_append_bytes(text, &word, sizeof word);
}

static struct group *find_group(struct emission *emission, const struct section *section)
{
    const char *signature = section->group;
    struct map_entry *entry = map_entry(&emission->group_map, signature, strlen(signature));

    if (!entry->value) {
        struct group *group = arena_new(emission->as->arena, struct group);
        group->signature = signature;
        append_word(&group->members, section->comdat ? GRP_COMDAT : 0);
        entry->value = group;
        if (emission->last_group)
            emission->last_group->next = group;
        else
            emission->groups = group;
        emission->last_group = group;
    }
    return entry->value;
}

/* Finds the symbol that names the group. If the source does not define it, it becomes a local
 * symbol of the group's section. */
static void find_signature(struct emission *emission, struct group *group)
{
    struct symbol *symbol = symbol_lookup(emission->as, group->signature);

    if (symbol->kind == SYMBOL_UNDEFINED && !symbol->in_relocation) {
        symbol->group = group->index;
        symbol->binding_set = true;
        symbol->binding = STB_LOCAL;
    }
    group->symbol = symbol;
}

/* Assigns the indices of all sections first, because sections refer to each other. */
static void number_sections(struct emission *emission)
{
    struct assembler *as = emission->as;

    for (struct section *section = as->sections.first; section; section = section->next)
        if (section->group)
            find_group(emission, section);
    for (struct group *group = emission->groups; group; group = group->next)
        group->index = next_index(emission);
    for (struct section *section = as->sections.first; section; section = section->next) {
        section->index = next_index(emission);
        unsigned relocations = section->relocation_count ? next_index(emission) : 0;
        if (!section->group)
            continue;
        struct group *group = find_group(emission, section);
        if (!group->symbol)
            find_signature(emission, group);
        append_word(&group->members, section->index);
        if (relocations)
            append_word(&group->members, relocations);
    }
    if (attribute_wanted(as))
        next_index(emission);
    unsigned note = next_index(emission);
    (void)note;
    emission->symtab_index = next_index(emission);
}

static void add_groups(struct emission *emission)
{
    for (struct group *group = emission->groups; group; group = group->next)
        add_section(emission,
                    (Elf64_Shdr){.sh_type = SHT_GROUP,
                                 .sh_link = emission->symtab_index,
                                 .sh_info = group->symbol->index,
                                 .sh_entsize = 4,
                                 .sh_addralign = 4},
                    ".group", group->members.bytes, group->members.length);
}

/* Returns the entry of the object for a relocation. A symbol that is not written is replaced by
 * that of its section and an offset. */
static Elf64_Rela relocation_entry(struct assembler *as, const struct relocation *relocation)
{
    struct symbol *target = relocation->symbol;
    const struct symbol *label;
    int64_t addend = relocation->addend, offset = 0;

    if (target && target->superseded && symbol_locate(as, target, &label, &offset)) {
        target = symbol_section(label)->symbol;
        addend += (int64_t)symbol_address(label) + offset;
    }
    return (Elf64_Rela){.r_offset = relocation->offset,
                        .r_addend = addend,
                        .r_info = ELF64_R_INFO((uint64_t)(target ? target->index : 0),
                                               isa_relocations[relocation->type].number)};
}

/* Adds the relocations. Their entries replace them in memory, because nothing reads them later. */
static void add_relocations(struct emission *emission, const struct section *section)
{
    struct assembler *as = emission->as;
    unsigned char *entries = (unsigned char *)section->relocations;

    _Static_assert(sizeof(Elf64_Rela) <= sizeof(struct relocation), "entries fit in their place");
    for (size_t i = 0; i < section->relocation_count; i++) {
        const struct relocation relocation = section->relocations[i];
        Elf64_Rela entry = relocation_entry(as, &relocation);
        memcpy(entries + i * sizeof entry, &entry, sizeof entry);
    }
    const char *name = arena_format(as->arena, ".rela%s", section->name);
    add_section(emission,
                (Elf64_Shdr){.sh_type = SHT_RELA,
                             .sh_flags = SHF_INFO_LINK | (section->group ? SHF_GROUP : 0),
                             .sh_link = emission->symtab_index,
                             .sh_info = section->index,
                             .sh_entsize = sizeof(Elf64_Rela),
                             .sh_addralign = 8},
                name, entries, section->relocation_count * sizeof(Elf64_Rela));
}

/* Returns the section whose order another one follows: that of a label, or else the first section
 * of the name. NULL: there is none. */
static const struct section *link_order(struct assembler *as, const struct section *section)
{
    struct symbol *symbol = symbol_find(as, section->link_order);
    const struct symbol *label;
    int64_t offset;

    return symbol && symbol_locate(as, symbol, &label, &offset)
               ? symbol_section(label)
               : section_find(as, section->link_order);
}

static void check_link_orders(struct assembler *as)
{
    for (const struct section *section = as->sections.first; section; section = section->next) {
        if (!section->link_order || link_order(as, section))
            continue;
        struct position at = location_position(as, section->link_order_at);
        diag_error(as->diag, &at,
                   "section '%s' is ordered by '%s', which is neither a label nor a section",
                   section->name, section->link_order);
    }
}

/* Is it a list of functions to call? As in GNU as, its entries may be shorter than the pointers
 * that its header states. */
static bool is_array(const struct section *section)
{
    return section->type == SHT_INIT_ARRAY || section->type == SHT_FINI_ARRAY ||
           section->type == SHT_PREINIT_ARRAY;
}

/* Checks that sections of entries consist of whole entries. */
static void check_entries(struct assembler *as)
{
    for (const struct section *section = as->sections.first; section; section = section->next)
        if (section->entry_size && section->size % section->entry_size && !is_array(section))
            diag_error(as->diag, NULL,
                       "section '%s' has %" PRIu64
                       " bytes; expected a multiple of its entry size, %" PRIu64,
                       section->name, section->size, section->entry_size);
}

static void add_sections(struct emission *emission)
{
    struct assembler *as = emission->as;

    for (struct section *section = as->sections.first; section; section = section->next) {
        const struct section *order = section->link_order ? link_order(as, section) : NULL;
        Elf64_Shdr header = {.sh_type = section->type,
                             .sh_flags = section->flags,
                             .sh_entsize = section->entry_size,
                             .sh_addralign = section->alignment,
                             .sh_link = order ? order->index : 0};
        add_section(emission, header, section->name, section->image, section->size);
        if (section->relocation_count)
            add_relocations(emission, section);
    }
}

/* Does the object have a feature that is not in the generic ABI? Then its OS/ABI is GNU's, as with
 * GNU as. */
static bool uses_gnu_extensions(const struct emission *emission)
{
    if (emission->uses_gnu_extensions)
        return true;
    for (const struct section *section = emission->as->sections.first; section;
         section = section->next)
        if (section->flags & SHF_GNU_RETAIN)
            return true;
    return false;
}

static void fill_header(struct emission *emission)
{
    const struct assembler *as = emission->as;
    Elf64_Ehdr *header = &emission->object.header;
    const char *abi = as->options.mabi ? as->options.mabi : arch_abi(as);

    header->e_ident[EI_OSABI] = uses_gnu_extensions(emission) ? ELFOSABI_GNU : ELFOSABI_NONE;
    header->e_flags = as->elf_flags | (strcmp(abi, "lp64d") == 0   ? EF_RISCV_FLOAT_ABI_DOUBLE
                                       : strcmp(abi, "lp64f") == 0 ? EF_RISCV_FLOAT_ABI_SINGLE
                                                                   : 0);
}

/* Writes the note about the instruction set. */
static void write_isa_note(struct assembler *as, struct text *note)
{
    uint64_t *digests = arena_array(as->arena, isa_instruction_count, sizeof *digests);
    size_t count = 0;

    for (size_t i = 0; i < isa_instruction_count; i++)
        if (as->used_instructions[i])
            digests[count++] = isa_instructions[i].digest;
    isa_note_sort(digests, count);
    isa_note_write(note, isa_fingerprint, digests, count);
}

static void add_symbol_tables(struct emission *emission)
{
    add_section(emission,
                (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                             .sh_link = emission->symtab_index + 1,
                             .sh_info = (Elf64_Word)emission->first_global,
                             .sh_entsize = sizeof(Elf64_Sym),
                             .sh_addralign = 8},
                ".symtab", emission->symbols, emission->symbol_count * sizeof(Elf64_Sym));
    add_section(emission, (Elf64_Shdr){.sh_type = SHT_STRTAB}, ".strtab", emission->names.bytes,
                emission->names.length);
    if (has_large_indices(emission))
        add_section(emission,
                    (Elf64_Shdr){.sh_type = SHT_SYMTAB_SHNDX,
                                 .sh_link = emission->symtab_index,
                                 .sh_entsize = sizeof *emission->sections,
                                 .sh_addralign = sizeof *emission->sections},
                    ".symtab_shndx", emission->sections,
                    emission->symbol_count * sizeof *emission->sections);
}

/* Adds the names of all sections, the last section, and places all. */
static void add_section_names(struct emission *emission)
{
    static const char own_name[] = ".shstrtab";
    struct text *names = &emission->section_names;

    add_section(emission, (Elf64_Shdr){.sh_type = SHT_STRTAB}, own_name, NULL, 0);
    struct object_section *own = &emission->object.sections[emission->object.count - 1];
    own->bytes = names->bytes;
    own->header.sh_size = names->length;
    object_place(&emission->object, emission->object.count - 1);
}

/* Builds the object and writes the files of the run. */
static bool write_object(struct emission *emission)
{
    struct assembler *as = emission->as;
    struct text attributes = TEXT_INIT, note = TEXT_INIT;

    object_begin(&emission->object, as->arena);
    fill_header(emission);
    add_groups(emission);
    add_sections(emission);
    if (attribute_wanted(as))
        attribute_text(as, &attributes);
    write_isa_note(as, &note);
    if (attribute_wanted(as))
        add_section(emission, (Elf64_Shdr){.sh_type = SHT_RISCV_ATTRIBUTES}, ".riscv.attributes",
                    attributes.bytes, attributes.length);
    add_section(emission, (Elf64_Shdr){.sh_type = SHT_NOTE, .sh_addralign = 4}, ISA_NOTE_SECTION,
                note.bytes, note.length);
    add_symbol_tables(emission);
    add_section_names(emission);
    bool ok = tasm_write(as, &emission->object);
    text_free(&attributes);
    text_free(&note);
    return ok;
}

bool tasm_emit(struct assembler *as)
{
    struct emission emission = {.as = as};

    map_init(&emission.group_map, as->arena);
    add_name(&emission.names, "");
    number_sections(&emission);
    collect_symbols(&emission);
    check_entries(as);
    if (!diag_failed(as->diag))
        check_link_orders(as);
    bool ok = !diag_failed(as->diag) && write_object(&emission);
    for (struct group *group = emission.groups; group; group = group->next)
        text_free(&group->members);
    text_free(&emission.names);
    text_free(&emission.section_names);
    return ok;
}
