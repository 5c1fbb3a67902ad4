/* See output_section.h. */
#include "ld/output_section.h"

#include "ld/symbol.h"
#include <stdlib.h>
#include <string.h>

enum region section_region(const struct section *section)
{
    if (!(section->flags & SHF_ALLOC))
        return REGION_UNLOADED;
    if (section->flags & SHF_TLS)
        return REGION_TLS;
    if (section->flags & SHF_EXECINSTR)
        return REGION_TEXT;
    if (section->type == SHT_NOBITS)
        return REGION_BSS;
    if (section->flags & SHF_WRITE)
        return REGION_DATA;
    return section->type == SHT_NOTE ? REGION_NOTE : REGION_RODATA;
}

struct output_section *output_section_new(struct linker *linker, const char *name)
{
    struct output_section *output = arena_new(&linker->arena, struct output_section);

    output->name = name;
    output->alignment = 1;
    linker->outputs = arena_grow(&linker->arena, linker->outputs, linker->output_count,
                                 &linker->output_capacity, sizeof(struct output_section *));
    linker->outputs[linker->output_count++] = output;
    return output;
}

void output_section_add(struct linker *linker, struct output_section *output,
                        struct section *section)
{
    uint64_t merge = SHF_MERGE | SHF_STRINGS;
    uint64_t flags = section->flags & ~(uint64_t)(SHF_LINK_ORDER | SHF_EXCLUDE | SHF_GNU_RETAIN);

    if (output->member_count == 0) {
        output->type = section->type;
        output->flags = flags;
        output->entry_size = section->entry_size;
    } else {
        if (output->type == SHT_NOBITS)
            output->type = section->type;
        if ((output->flags & merge) != (flags & merge) ||
            output->entry_size != section->entry_size) {
            output->flags &= ~merge;
            flags &= ~merge;
            output->entry_size = 0;
        }
        output->flags |= flags;
    }
    if (linker->config.writable_code && strcmp(output->name, ".text") == 0)
        output->flags |= SHF_WRITE;
    if (section->alignment > output->alignment)
        output->alignment = section->alignment;
    section->output = output;
    output->members = arena_grow(&linker->arena, output->members, output->member_count,
                                 &output->member_capacity, sizeof(struct section *));
    output->members[output->member_count++] = section;
}

/* .init_array.00100 runs before .init_array.00200; .ctors.65435 is equivalent to
 * .init_array.00100. */
unsigned section_priority(const struct section *section)
{
    const char *dot = strrchr(section->name, '.');
    char *end;
    unsigned long number = dot ? strtoul(dot + 1, &end, 10) : 0;

    if (!dot || end == dot + 1 || *end || number > 65535)
        return 65536;
    bool reversed =
        strncmp(section->name, ".ctors", 6) == 0 || strncmp(section->name, ".dtors", 6) == 0;
    return (unsigned)(reversed ? 65535 - number : number);
}

struct statement *statement_add(struct linker *linker, struct statement statement)
{
    linker->statements = arena_grow(&linker->arena, linker->statements, linker->statement_count,
                                    &linker->statement_capacity, sizeof statement);
    linker->statements[linker->statement_count] = statement;
    return &linker->statements[linker->statement_count++];
}

const char *section_bounded_by(const char *symbol_name)
{
    const char *section = strncmp(symbol_name, "__start_", 8) == 0  ? symbol_name + 8
                          : strncmp(symbol_name, "__stop_", 7) == 0 ? symbol_name + 7
                                                                    : NULL;
    static const char letters[] = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

    if (!section || !*section || section[strspn(section, letters)] ||
        (*section >= '0' && *section <= '9'))
        return NULL;
    return section;
}

static struct output_section *named_output(struct linker *linker, const struct map *outputs,
                                           const char *prefix, const char *name)
{
    return map_get(outputs, arena_format(&linker->arena, "%s%s", prefix, name));
}

void output_sections_define_bounds(struct linker *linker, struct map *outputs, const char *prefix)
{
    for (size_t i = 0; i < linker->symbols.count; i++) {
        struct symbol *symbol = linker->symbols.entries[i].value;
        const char *section = section_bounded_by(symbol->name);
        if (!section || symbol->state != SYMBOL_UNDEFINED)
            continue;
        struct output_section *output = named_output(linker, outputs, prefix, section);
        if (!output)
            continue;
        bool start = symbol->name[4] == 'a'; /* __sta… */
        symbol_assign(linker, symbol);
        statement_add(linker, (struct statement){.kind = STATEMENT_SYMBOL,
                                                 .symbol = symbol,
                                                 .output = output,
                                                 .anchor = start ? ANCHOR_START : ANCHOR_END});
    }
}

void output_sections_fix_addresses(struct linker *linker, struct map *outputs, const char *prefix)
{
    for (size_t i = 0; i < linker->config.section_start_count; i++) {
        const struct section_start *start = &linker->config.section_starts[i];
        struct output_section *output = named_output(linker, outputs, prefix, start->name);
        if (!output) {
            diag_warning(&linker->diag, NULL, "there is no output section '%s' to put at 0x%llx",
                         start->name, (unsigned long long)start->address);
            continue;
        }
        output->has_fixed_address = true;
        output->fixed_address = start->address;
    }
}
