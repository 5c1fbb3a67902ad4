#include "ld/symbol.h"
#include "ld/write.h"
#include <string.h>

static uint32_t add_string(struct symbol_table *table, struct linker *linker, const char *string)
{
    size_t length = strlen(string) + 1, offset = table->string_size;

    if (length == 1)
        return 0;
    while (table->string_size + length > table->string_capacity) {
        size_t capacity = table->string_capacity ? table->string_capacity * 2 : 4096;
        char *bigger = arena_alloc(&linker->arena, capacity);
        if (table->string_size)
            memcpy(bigger, table->strings, table->string_size);
        table->strings = bigger;
        table->string_capacity = capacity;
    }
    memcpy(table->strings + offset, string, length);
    table->string_size += length;
    return (uint32_t)offset;
}

/* Returns the index of the symbol's section, or 0. */
static uint32_t section_index(const struct symbol *symbol)
{
    const struct output_section *output = symbol->state == SYMBOL_ASSIGNED ? symbol_output(symbol)
                                          : symbol->section                ? symbol->section->output
                                                                           : NULL;

    return symbol->state != SYMBOL_UNDEFINED && output ? output->index : 0;
}

void symbol_table_add(struct symbol_table *table, struct linker *linker, const char *name,
                      uint32_t section, Elf64_Sym symbol)
{
    bool is_large = section >= SHN_LORESERVE;

    if (table->is_extended) {
        table->sections = arena_grow(&linker->arena, table->sections, table->count,
                                     &table->section_capacity, sizeof *table->sections);
        table->sections[table->count] = is_large ? section : 0;
    }
    table->symbols = arena_grow(&linker->arena, table->symbols, table->count, &table->capacity,
                                sizeof *table->symbols);
    symbol.st_name = add_string(table, linker, name);
    if (section)
        symbol.st_shndx = is_large ? SHN_XINDEX : (uint16_t)section;
    table->symbols[table->count++] = symbol;
}

void symbol_table_begin(struct symbol_table *table, struct linker *linker, size_t capacity,
                        size_t last_section)
{
    *table = (struct symbol_table){.capacity = capacity + 1,
                                   .string_capacity = 4096,
                                   .string_size = 1,
                                   .is_extended = last_section >= SHN_LORESERVE};
    table->symbols = arena_array(&linker->arena, table->capacity, sizeof *table->symbols);
    table->strings = arena_alloc(&linker->arena, table->string_capacity);
    symbol_table_add(table, linker, "", 0, (Elf64_Sym){0});
}

Elf64_Shdr symbol_table_extension(const struct symbol_table *table, size_t table_index,
                                  uint64_t offset)
{
    return (Elf64_Shdr){.sh_type = SHT_SYMTAB_SHNDX,
                        .sh_offset = offset,
                        .sh_size = table->count * sizeof *table->sections,
                        .sh_link = (Elf64_Word)table_index,
                        .sh_addralign = sizeof *table->sections,
                        .sh_entsize = sizeof *table->sections};
}

static void add_symbol(struct symbol_table *table, struct linker *linker, struct symbol *symbol)
{
    bool hidden = symbol->visibility == STV_HIDDEN || symbol->visibility == STV_INTERNAL;
    bool local = symbol->local || (hidden && symbol->state != SYMBOL_UNDEFINED);
    bool thread_local = symbol->type == STT_TLS && symbol->state != SYMBOL_UNDEFINED;
    uint64_t size = symbol->size;

    if (symbol->state == SYMBOL_DEFINED && symbol->section && !symbol->section->merged && size) {
        const struct section *section = symbol->section;
        size = section_place(section, symbol->value + size) - section_place(section, symbol->value);
    }
    symbol->table_index = (uint32_t)table->count;
    symbol_table_add(
        table, linker, symbol->name, section_index(symbol),
        (Elf64_Sym){.st_info = ELF64_ST_INFO(local ? STB_LOCAL : symbol->binding, symbol->type),
                    .st_other = symbol->visibility | symbol->other,
                    .st_shndx = symbol->state == SYMBOL_UNDEFINED ? SHN_UNDEF : SHN_ABS,
                    .st_value = symbol_address(symbol) -
                                (thread_local && linker->has_tls ? linker->tls_start : 0),
                    .st_size = size});
}

static bool is_written(const struct linker *linker, const struct symbol *symbol)
{
    if (symbol->section)
        return symbol->section->live && symbol->section->output;
    if (symbol->state == SYMBOL_UNDEFINED)
        return symbol->needed ||
               (symbol->referenced && !symbol->local && !linker->config.gc_sections);
    return true;
}

static void add_locals(struct symbol_table *table, struct linker *linker,
                       const struct object *object)
{
    for (size_t i = 0; i < object->named_local_count; i++)
        if (is_written(linker, object->named_locals[i]))
            add_symbol(table, linker, object->named_locals[i]);
    if (!linker->config.emit_relocations)
        return;
    for (size_t i = 1; i < object->elf.symbol_count; i++) {
        struct symbol *symbol = object->symbols[i];
        bool named = symbol->local && symbol->type != STT_SECTION;
        if (named && symbol->needed && !symbol->table_index && is_written(linker, symbol))
            add_symbol(table, linker, symbol);
    }
}

static bool is_hidden(const struct symbol *symbol)
{
    return (symbol->visibility == STV_HIDDEN || symbol->visibility == STV_INTERNAL) &&
           symbol->state != SYMBOL_UNDEFINED;
}

static void add_globals(struct symbol_table *table, struct linker *linker, bool hidden)
{
    for (size_t i = 0; i < linker->symbols.count; i++) {
        struct symbol *symbol = linker->symbols.entries[i].value;
        if (is_hidden(symbol) == hidden && is_written(linker, symbol))
            add_symbol(table, linker, symbol);
    }
}

/* The symbol of an output section has the index of the section. */
static void add_section_symbols(struct symbol_table *table, struct linker *linker)
{
    for (size_t i = 0; i < linker->output_count; i++)
        symbol_table_add(table, linker, "", linker->outputs[i]->index,
                         (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION),
                                     .st_value = linker->outputs[i]->address});
}

/* Returns how many symbols there are, about. */
static size_t count_symbols(const struct linker *linker)
{
    size_t count = linker->output_count + linker->indirect_count + linker->symbols.count;

    for (size_t i = 0; i < linker->object_count; i++)
        count += linker->objects[i]->named_local_count;
    return count;
}

void symbol_table_build(struct symbol_table *table, struct linker *linker)
{
    symbol_table_begin(table, linker, count_symbols(linker), linker->output_count);
    if (linker->config.emit_relocations)
        add_section_symbols(table, linker);
    for (size_t i = 0; i < linker->object_count; i++)
        add_locals(table, linker, linker->objects[i]);
    for (size_t i = 0; i < linker->indirect_count; i++)
        if (is_written(linker, linker->indirect_entries[i]))
            add_symbol(table, linker, linker->indirect_entries[i]);
    add_globals(table, linker, true); /* other modules cannot see them: they are local now */
    table->local_count = table->count;
    add_globals(table, linker, false);
}
