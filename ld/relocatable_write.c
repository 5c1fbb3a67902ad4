/* Writes the file of -r: header, contents, relocations, groups, symbols, section headers.
 *
 * The header of a group precedes those of its members (gABI, "Section Groups"), so groups come
 * first; relocations follow the section that they are for. A relocation keeps its type. One against
 * an input section becomes one against the output section, with a larger addend. */
#include "ld/eh_frame.h"
#include "ld/link_order.h"
#include "ld/relocatable.h"
#include "ld/symbol.h"
#include "ld/write.h"
#include "lib/bytes.h"
#include "lib/map.h"
#include "lib/text.h"
#include <string.h>

/* The relocations of an output section. */
struct table {
    Elf64_Rela *items;
    size_t count, capacity;
    uint64_t offset; /* file offset */
    unsigned index;  /* index of its section header; 0: none */
};

struct group {
    const struct object *object;
    const struct elf_section *from;
    const struct symbol *signature;
    uint32_t *words; /* flags, members */
    size_t count;
    uint64_t offset;
    unsigned index;
};

struct writer {
    struct linker *linker;
    struct group *groups;
    size_t group_count, group_capacity;
    struct table *tables; /* one for each of linker->outputs */
    struct symbol_table symbols;
    Elf64_Shdr *headers;
    size_t header_count;
    struct text names; /* of sections */
    unsigned symbols_index;
    struct map group_indices; /* of the groups, by the bytes of the pointers to their signatures */
    uint64_t end;             /* the end of what has a place in the file */
    unsigned char *bytes;
};

static bool in_output(const struct section *section)
{
    return section->live && section->output;
}

static bool is_gone(const struct symbol *symbol)
{
    return symbol->state == SYMBOL_DEFINED && symbol->section && !in_output(symbol->section);
}

/* ---- groups ---- */

static const struct symbol *signature_of(const struct object *object, unsigned group)
{
    return object->symbols[object->elf.sections[group].header.sh_info];
}

static bool has_member_in_output(const struct object *object, const struct elf_section *group)
{
    for (uint64_t at = 4; at < group->header.sh_size; at += 4)
        if (in_output(object->sections[bytes_get(group->bytes + at, 4)]))
            return true;
    return false;
}

static void collect_groups(struct writer *writer)
{
    struct linker *linker = writer->linker;

    for (size_t i = 0; i < linker->object_count; i++) {
        const struct object *object = linker->objects[i];
        for (unsigned j = 1; j < object->elf.section_count; j++) {
            const struct elf_section *section = &object->elf.sections[j];
            if (section->header.sh_type != SHT_GROUP || !has_member_in_output(object, section))
                continue;
            writer->groups = arena_grow(&linker->arena, writer->groups, writer->group_count,
                                        &writer->group_capacity, sizeof *writer->groups);
            writer->groups[writer->group_count++] =
                (struct group){.object = object,
                               .from = section,
                               .signature = signature_of(object, j),
                               .index = (unsigned)writer->group_count};
        }
    }
}

static void fill_group(struct writer *writer, struct group *group)
{
    const struct elf_section *from = group->from;

    group->words =
        arena_array(&writer->linker->arena, from->header.sh_size / 2, sizeof *group->words);
    memcpy(group->words, from->bytes, 4);
    group->count = 1;
    for (uint64_t at = 4; at < from->header.sh_size; at += 4) {
        const struct section *section = group->object->sections[bytes_get(from->bytes + at, 4)];
        if (!in_output(section))
            continue;
        group->words[group->count++] = section->output->index;
        const struct table *table = &writer->tables[section->output->order];
        if (table->index)
            group->words[group->count++] = table->index;
    }
}

/* ---- which relocations and symbols ---- */

static bool is_deleted(const struct section *section, uint64_t offset)
{
    return section->deletion_count &&
           section_place(section, offset) == section_place(section, offset + 1);
}

/* Debug information may refer to what is left out, and becomes 0 there. Code may not. */
static bool is_kept(struct linker *linker, const struct section *section,
                    const struct relocation *relocation)
{
    if (is_deleted(section, relocation->offset))
        return false;
    if (!is_gone(relocation->symbol))
        return true;
    if (section->flags & SHF_ALLOC) {
        struct position at = place_position(linker, section, relocation->offset);
        diag_error(&linker->diag, &at,
                   "relocation %s against %s: its section '%s' is not part of the output; build "
                   "all objects with the same compiler and options",
                   relocation_type(relocation)->name, symbol_text(linker, relocation->symbol),
                   relocation->symbol->section->name);
    }
    return false;
}

static void count_relocations(struct writer *writer)
{
    struct linker *linker = writer->linker;
    struct section_walk walk = {0};

    for (struct section *section; (section = section_next(linker, &walk));) {
        if (!in_output(section))
            continue;
        struct table *table = &writer->tables[section->output->order];
        for (size_t i = 0; i < section->relocation_count && !diag_full(&linker->diag); i++) {
            if (!is_kept(linker, section, &section->relocations[i]))
                continue;
            section->relocations[i].symbol->needed = true;
            table->capacity++;
        }
    }
}

/* ---- symbols ---- */

/* Assemblers define a signature that is not otherwise a symbol in the section of the group. */
static unsigned group_index(const struct writer *writer, const struct symbol *signature)
{
    const struct group *group =
        map_get_bytes(&writer->group_indices, (const char *)&signature, sizeof signature);

    return group ? group->index : 0;
}

/* Returns the index of the symbol's section, or 0. */
static uint32_t section_index(const struct writer *writer, const struct symbol *symbol)
{
    const struct output_section *output;
    const struct section *section = symbol->section;

    if (symbol->state == SYMBOL_DEFINED && section && section->type == SHT_GROUP)
        return group_index(writer, symbol);
    if (is_gone(symbol) || symbol->state == SYMBOL_UNDEFINED || symbol->state == SYMBOL_COMMON)
        return 0;
    output = symbol->state == SYMBOL_ASSIGNED ? symbol_output(symbol)
             : section                        ? section->output
                                              : NULL;
    return output ? output->index : 0;
}

/* Returns the st_shndx of a symbol without section. */
static uint16_t special_index(const struct symbol *symbol)
{
    bool in_group = symbol->section && symbol->section->type == SHT_GROUP;

    if (symbol->state == SYMBOL_UNDEFINED || is_gone(symbol) || in_group)
        return SHN_UNDEF;
    return symbol->state == SYMBOL_COMMON ? SHN_COMMON : SHN_ABS;
}

static void add_symbol(struct writer *writer, struct symbol *symbol)
{
    const struct section *section = symbol->section;
    uint64_t value = symbol->value, size = symbol->size;

    if (section && section->output) {
        value = section->offset + section_place(section, symbol->value);
        size = section_place(section, symbol->value + size) - (value - section->offset);
    }
    symbol->table_index = (uint32_t)writer->symbols.count;
    symbol_table_add(&writer->symbols, writer->linker, symbol->name, section_index(writer, symbol),
                     (Elf64_Sym){.st_info = ELF64_ST_INFO(
                                     symbol->local ? STB_LOCAL : symbol->binding, symbol->type),
                                 .st_other = symbol->visibility | symbol->other,
                                 .st_shndx = special_index(symbol),
                                 .st_value = value,
                                 .st_size = size});
}

static bool wants_local(const struct linker *linker, const struct symbol *symbol)
{
    if (symbol->needed)
        return true;
    if (is_gone(symbol) || (symbol->state == SYMBOL_UNDEFINED))
        return false;
    if (linker->config.discard == DISCARD_LOCALS || linker->config.strip == STRIP_ALL)
        return false;
    return !(linker->config.discard == DISCARD_TEMPORARY && strncmp(symbol->name, ".L", 2) == 0);
}

static void add_locals(struct writer *writer, const struct object *object)
{
    for (size_t i = 1; i < object->elf.symbol_count; i++) {
        struct symbol *symbol = object->symbols[i];
        if (symbol->local && symbol->type != STT_SECTION && wants_local(writer->linker, symbol))
            add_symbol(writer, symbol);
    }
}

/* Adds the global names of an object, also undefined ones. Names that only the linker uses are not
 * written. */
static bool wants_global(const struct symbol *symbol)
{
    if (is_gone(symbol))
        return symbol->needed;
    return symbol->state != SYMBOL_UNDEFINED || symbol->referenced || symbol->needed;
}

static void build_symbols(struct writer *writer)
{
    struct linker *linker = writer->linker;

    symbol_table_begin(&writer->symbols, linker, linker->symbols.count, writer->symbols_index);
    for (size_t i = 0; i < linker->output_count; i++)
        symbol_table_add(&writer->symbols, linker, "", linker->outputs[i]->index,
                         (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION)});
    for (size_t i = 0; i < linker->object_count; i++)
        add_locals(writer, linker->objects[i]);
    writer->symbols.local_count = writer->symbols.count;
    for (size_t i = 0; i < linker->symbols.count; i++)
        if (wants_global(linker->symbols.entries[i].value))
            add_symbol(writer, linker->symbols.entries[i].value);
}

/* The section symbol of an output section has the index of the section in the list, after the null
 * symbol. */
static uint32_t symbol_index(const struct symbol *symbol)
{
    if (symbol->type == STT_SECTION && symbol->section && symbol->section->output)
        return symbol->section->output->order + 1;
    return symbol->table_index;
}

/* ---- relocations ---- */

static Elf64_Rela convert(const struct section *section, const struct relocation *relocation)
{
    const struct symbol *symbol = relocation->symbol;
    const struct section *target = symbol->type == STT_SECTION ? symbol->section : NULL;
    uint64_t addend = (uint64_t)relocation->addend;

    if (target)
        addend = target->offset + symbol->value +
                 (addend <= target->size ? section_place(target, addend) : addend);
    return (Elf64_Rela){
        .r_offset = section->offset + section_place(section, relocation->offset),
        .r_info = ELF64_R_INFO((uint64_t)symbol_index(symbol), relocation_type(relocation)->number),
        .r_addend = (int64_t)addend};
}

static void fill_table(struct writer *writer, const struct output_section *output)
{
    struct table *table = &writer->tables[output->order];

    table->items = arena_array(&writer->linker->arena, table->capacity + 1, sizeof *table->items);
    for (size_t i = 0; i < output->member_count; i++) {
        const struct section *section = output->members[i];
        for (size_t j = 0; j < section->relocation_count; j++)
            if (!is_deleted(section, section->relocations[j].offset) &&
                !is_gone(section->relocations[j].symbol))
                table->items[table->count++] = convert(section, &section->relocations[j]);
    }
}

/* ---- section headers ---- */

static void give_indices(struct writer *writer)
{
    struct linker *linker = writer->linker;
    size_t next = 1 + writer->group_count;

    map_init(&writer->group_indices, &linker->arena);
    for (size_t i = 0; i < writer->group_count; i++) {
        struct group *group = &writer->groups[i];
        group->index = (unsigned)i + 1;
        struct map_entry *entry = map_entry(&writer->group_indices, (const char *)&group->signature,
                                            sizeof group->signature);
        if (!entry->value)
            entry->value = group;
    }
    for (size_t i = 0; i < linker->output_count; i++) {
        linker->outputs[i]->index = (unsigned)next++;
        if (writer->tables[i].capacity)
            writer->tables[i].index = (unsigned)next++;
    }
    writer->symbols_index = (unsigned)next;
}

static Elf64_Word add_name(struct writer *writer, const char *prefix, const char *name)
{
    size_t at = writer->names.length;

    text_append(&writer->names, prefix);
    text_append(&writer->names, name);
    text_append_char(&writer->names, '\0');
    return (Elf64_Word)at;
}

/* Assigns a table the next place in the file. */
static uint64_t take(struct writer *writer, uint64_t size, uint64_t alignment)
{
    uint64_t offset = align_up(writer->end, alignment);

    writer->end = offset + size;
    return offset;
}

static Elf64_Word link_of(const struct output_section *output)
{
    const struct section *other = output->member_count ? link_order_of(output->members[0]) : NULL;

    return other && other->output ? other->output->index : 0;
}

static void add_output_headers(struct writer *writer, struct output_section *output)
{
    const struct table *table = &writer->tables[output->order];
    uint64_t in_group = output->member_count && output->members[0]->group ? SHF_GROUP : 0;

    writer->headers[output->index] = (Elf64_Shdr){.sh_name = add_name(writer, "", output->name),
                                                  .sh_type = output->type,
                                                  .sh_flags = output->flags | in_group,
                                                  .sh_offset = output->file_offset,
                                                  .sh_size = output->size,
                                                  .sh_link = link_of(output),
                                                  .sh_addralign = output->alignment,
                                                  .sh_entsize = output->entry_size};
    if (table->index)
        writer->headers[table->index] =
            (Elf64_Shdr){.sh_name = add_name(writer, ".rela", output->name),
                         .sh_type = SHT_RELA,
                         .sh_flags = SHF_INFO_LINK | in_group,
                         .sh_offset = table->offset,
                         .sh_size = table->count * sizeof(Elf64_Rela),
                         .sh_link = writer->symbols_index,
                         .sh_info = output->index,
                         .sh_addralign = 8,
                         .sh_entsize = sizeof(Elf64_Rela)};
}

static void add_headers(struct writer *writer)
{
    struct linker *linker = writer->linker;

    writer->headers[0] = write_null_header(writer->header_count);
    for (size_t i = 0; i < writer->group_count; i++) {
        const struct group *group = &writer->groups[i];
        writer->headers[group->index] = (Elf64_Shdr){.sh_name = add_name(writer, "", ".group"),
                                                     .sh_type = SHT_GROUP,
                                                     .sh_offset = group->offset,
                                                     .sh_size = group->count * sizeof(uint32_t),
                                                     .sh_link = writer->symbols_index,
                                                     .sh_info = symbol_index(group->signature),
                                                     .sh_addralign = sizeof(uint32_t),
                                                     .sh_entsize = sizeof(uint32_t)};
    }
    for (size_t i = 0; i < linker->output_count; i++)
        add_output_headers(writer, linker->outputs[i]);
}

static void add_table_headers(struct writer *writer, uint64_t symbols, uint64_t strings,
                              uint64_t extension)
{
    Elf64_Shdr *last = &writer->headers[writer->symbols_index];

    last[0] = (Elf64_Shdr){.sh_name = add_name(writer, "", ".symtab"),
                           .sh_type = SHT_SYMTAB,
                           .sh_offset = symbols,
                           .sh_size = writer->symbols.count * sizeof(Elf64_Sym),
                           .sh_link = writer->symbols_index + 1,
                           .sh_info = (Elf64_Word)writer->symbols.local_count,
                           .sh_addralign = 8,
                           .sh_entsize = sizeof(Elf64_Sym)};
    last[1] = (Elf64_Shdr){.sh_name = add_name(writer, "", ".strtab"),
                           .sh_type = SHT_STRTAB,
                           .sh_offset = strings,
                           .sh_size = writer->symbols.string_size,
                           .sh_addralign = 1};
    last += 2;
    if (writer->symbols.is_extended) {
        *last = symbol_table_extension(&writer->symbols, writer->symbols_index, extension);
        last++->sh_name = add_name(writer, "", ".symtab_shndx");
    }
    Elf64_Word name = add_name(writer, "", ".shstrtab");
    *last = (Elf64_Shdr){.sh_name = name,
                         .sh_type = SHT_STRTAB,
                         .sh_offset = take(writer, writer->names.length, 1),
                         .sh_size = writer->names.length,
                         .sh_addralign = 1};
}

/* ---- the file ---- */

static void place_contents(struct writer *writer)
{
    struct linker *linker = writer->linker;

    writer->end = sizeof(Elf64_Ehdr);
    for (size_t i = 0; i < linker->output_count; i++) {
        struct output_section *output = linker->outputs[i];
        uint64_t size = output->type == SHT_NOBITS ? 0 : output->size;
        uint64_t alignment = output->alignment < PAGE_SIZE ? output->alignment : PAGE_SIZE;
        output->file_offset = take(writer, size, size ? alignment : 1);
    }
    for (size_t i = 0; i < linker->output_count; i++)
        writer->tables[i].offset = take(writer, writer->tables[i].count * sizeof(Elf64_Rela), 8);
    for (size_t i = 0; i < writer->group_count; i++)
        writer->groups[i].offset =
            take(writer, writer->groups[i].count * sizeof(uint32_t), sizeof(uint32_t));
}

static void put_contents(struct writer *writer)
{
    struct linker *linker = writer->linker;

    write_fills(linker, writer->bytes);
    write_sections(linker, writer->bytes);
    for (size_t i = 0; i < linker->output_count; i++)
        write_structures(writer->bytes + writer->tables[i].offset, ELF_T_RELA,
                         writer->tables[i].items, writer->tables[i].count * sizeof(Elf64_Rela));
    for (size_t i = 0; i < writer->group_count; i++)
        write_structures(writer->bytes + writer->groups[i].offset, ELF_T_WORD,
                         writer->groups[i].words, writer->groups[i].count * sizeof(uint32_t));
}

static void put_file_header(struct writer *writer, uint64_t headers)
{
    Elf64_Ehdr header =
        write_file_header(writer->linker, ET_REL, &writer->symbols, writer->header_count);
    header.e_shoff = headers;
    write_structures(writer->bytes, ELF_T_EHDR, &header, sizeof header);
}

static void write_file(struct writer *writer)
{
    struct linker *linker = writer->linker;
    const struct symbol_table *symbols = &writer->symbols;
    size_t symbols_size = symbols->count * sizeof(Elf64_Sym),
           extension_size = symbols->is_extended ? symbols->count * sizeof *symbols->sections : 0,
           headers_size = writer->header_count * sizeof(Elf64_Shdr);

    writer->headers = arena_array(&linker->arena, writer->header_count, sizeof(Elf64_Shdr));
    place_contents(writer);
    uint64_t symbols_at = take(writer, symbols_size, 8);
    uint64_t strings_at = take(writer, symbols->string_size, 1);
    uint64_t extension_at = take(writer, extension_size, symbols->is_extended ? 4 : 1);
    text_append_char(&writer->names, '\0');
    add_headers(writer);
    add_table_headers(writer, symbols_at, strings_at, extension_at);
    uint64_t names_at = writer->headers[writer->header_count - 1].sh_offset;
    uint64_t headers_at = take(writer, headers_size, 8);
    writer->bytes = arena_alloc(&linker->arena, writer->end);
    put_contents(writer);
    put_file_header(writer, headers_at);
    write_structures(writer->bytes + symbols_at, ELF_T_SYM, symbols->symbols, symbols_size);
    memcpy(writer->bytes + strings_at, symbols->strings, symbols->string_size);
    write_structures(writer->bytes + extension_at, ELF_T_WORD, symbols->sections, extension_size);
    memcpy(writer->bytes + names_at, writer->names.bytes, writer->names.length);
    write_structures(writer->bytes + headers_at, ELF_T_SHDR, writer->headers, headers_size);
    write_outputs(linker, writer->bytes, writer->end, 0666);
    text_free(&writer->names);
}

void relocatable_write(struct linker *linker)
{
    struct writer writer = {.linker = linker};

    writer.tables = arena_array(&linker->arena, linker->output_count + 1, sizeof *writer.tables);
    for (size_t i = 0; i < linker->output_count; i++)
        linker->outputs[i]->order = (unsigned)i;
    collect_groups(&writer);
    count_relocations(&writer);
    if (diag_failed(&linker->diag))
        return;
    give_indices(&writer);
    for (size_t i = 0; i < writer.group_count; i++) {
        struct symbol *signature = (struct symbol *)writer.groups[i].signature;
        signature->needed = true;
        fill_group(&writer, &writer.groups[i]);
    }
    build_symbols(&writer);
    writer.header_count = writer.symbols_index + 3 + writer.symbols.is_extended;
    for (size_t i = 0; i < linker->output_count; i++)
        fill_table(&writer, linker->outputs[i]);
    write_file(&writer);
}
