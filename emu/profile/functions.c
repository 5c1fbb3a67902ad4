/* Where the functions of a program begin: at symbols, and where calls lead to. See parts.h. */
#include "emu/profile/parts.h"
#include <stdlib.h>
#include <string.h>

size_t profile_functions_up_to(const struct profile *profile, uint64_t address)
{
    size_t low = 0, high = profile->function_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (profile->functions[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t profile_function(const struct profile *profile, uint64_t address)
{
    size_t count = profile_functions_up_to(profile, address);

    return count ? profile->functions[count - 1] : 0;
}

static void append_function(struct profile *profile, uint64_t address)
{
    profile->functions = arena_grow(profile->arena, profile->functions, profile->function_count,
                                    &profile->function_capacity, sizeof *profile->functions);
    profile->functions[profile->function_count++] = address;
}

static int compare_addresses(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* Is it a symbol that a function begins at? A label of assembly has no type; it is one if other
 * files can see it. */
static bool is_function(const struct elf_file *file, const struct elf_symbol *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->raw.st_info);
    bool is_code = symbol->section > 0 && symbol->section < file->section_count &&
                   file->sections[symbol->section].header.sh_flags & SHF_EXECINSTR;

    return is_code && (type == STT_FUNC || type == STT_GNU_IFUNC ||
                       (type == STT_NOTYPE && ELF64_ST_BIND(symbol->raw.st_info) != STB_LOCAL));
}

void profile_find_functions(struct profile *profile)
{
    const struct elf_file *file = &profile->program->file;
    size_t count = 0;

    for (size_t i = 1; i < file->section_count; i++) {
        const Elf64_Shdr *header = &file->sections[i].header;
        if (!(header->sh_flags & SHF_EXECINSTR))
            continue;
        append_function(profile, header->sh_addr);
        append_function(profile, header->sh_addr + header->sh_size);
    }
    for (size_t i = 1; i < file->symbol_count; i++) {
        const struct elf_symbol symbol = elf_symbol_at(file, i);
        if (is_function(file, &symbol))
            append_function(profile, symbol.raw.st_value);
    }
    append_function(profile, profile->program->entry);
    qsort(profile->functions, profile->function_count, sizeof *profile->functions,
          compare_addresses);
    for (size_t i = 0; i < profile->function_count; i++)
        if (count == 0 || profile->functions[count - 1] != profile->functions[i])
            profile->functions[count++] = profile->functions[i];
    profile->function_count = count;
}

bool profile_knows_callee(const struct profile *profile, uint64_t target)
{
    if (profile_function(profile, target) == target)
        return true;
    const struct elf_symbol *symbol = symbolizer_find(&profile->program->symbols, target);
    return !symbol || symbol->raw.st_value != target;
}

void profile_learn_function(struct profile *profile, uint64_t address)
{
    size_t place = profile_functions_up_to(profile, address);

    if (profile_knows_callee(profile, address))
        return;
    profile->learned++;
    append_function(profile, address);
    memmove(&profile->functions[place + 1], &profile->functions[place],
            (profile->function_count - 1 - place) * sizeof *profile->functions);
    profile->functions[place] = address;
    for (uint64_t at = 0; at < MEMORY_CODE_LIMIT / PROFILE_PAGE; at++)
        for (size_t i = 0; profile->pages[at] && i < PROFILE_SLOTS; i++)
            profile->pages[at][i].function = profile_function(profile, at * PROFILE_PAGE + i * 2);
}
