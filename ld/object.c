/* Objects come from any compiler, and may have been damaged on the way. lib/elf_file.c has checked
 * that everything lies in the file. This module checks what only a linker needs (groups, places of
 * relocations, kinds of symbols), so that later phases need no checks.
 *
 * Invariants from here on: each symbol index has a symbol, and what object_relocations.c says of
 * relocations. */
#include "ld/object.h"

#include "ld/compress.h"
#include "ld/object_parts.h"
#include "ld/symbol.h"
#include "lib/bytes.h"
#include "lib/file.h"
#include "lib/text.h"
#include <stdlib.h>
#include <string.h>

#define MAXIMUM_ALIGNMENT (UINT64_C(1) << 32)

#define LTO_MESSAGE                                                                                \
    "contains link-time optimization code only; compile without -flto or with -ffat-lto-objects"

bool object_is_bitcode(const void *bytes, size_t length)
{
    static const unsigned char magic[] = {'B', 'C', 0xc0, 0xde},
                               wrapper[] = {0xde, 0xc0, 0x17, 0x0b};

    return length >= sizeof magic &&
           (memcmp(bytes, magic, sizeof magic) == 0 || memcmp(bytes, wrapper, sizeof wrapper) == 0);
}

/* Is it a section that describes the object and is not part of the program? */
static bool is_left_out(const struct linker *linker, const struct elf_section *elf)
{
    static const char *const prefixes[] = {".gnu.lto_", ".gnu.warning.", ".gnu.debuglto_"};
    static const char *const names[] = {STACK_NOTE_SECTION, ".gnu_debuglink", ATTRIBUTES_SECTION,
                                        ISA_NOTE_SECTION};

    switch (elf->header.sh_type) {
    case SHT_NULL:
    case SHT_SYMTAB:
    case SHT_STRTAB:
    case SHT_RELA:
    case SHT_GROUP:
    case SHT_SYMTAB_SHNDX:
    case SHT_RISCV_ATTRIBUTES:
        return true;
    }
    if (elf->header.sh_flags & SHF_EXCLUDE && !linker->config.relocatable)
        return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(elf->name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(elf->name, names[i]) == 0)
            return true;
    return false;
}

static bool check_section(struct linker *linker, const struct object *object,
                          const struct elf_section *elf)
{
    const Elf64_Shdr *header = &elf->header;
    switch (header->sh_type) {
    case SHT_REL:
        return FAIL("section '%s' has relocations without addends (SHT_REL), expected SHT_RELA",
                    elf->name);
    case SHT_DYNAMIC:
    case SHT_DYNSYM:
    case SHT_HASH:
        return FAIL("section '%s' belongs to a dynamically linked file, expected an object",
                    elf->name);
    }
    if (header->sh_addralign > MAXIMUM_ALIGNMENT)
        return FAIL("section '%s' has alignment 0x%llx, expected at most 0x%llx", elf->name,
                    (unsigned long long)header->sh_addralign,
                    (unsigned long long)MAXIMUM_ALIGNMENT);
    if (header->sh_flags & SHF_TLS && !(header->sh_flags & SHF_ALLOC))
        return FAIL("section '%s' is thread-local (T) but not allocated (A)", elf->name);
    return true;
}

static bool read_sections(struct linker *linker, struct object *object)
{
    const struct elf_file *elf = &object->elf;

    object->sections =
        arena_array(&linker->arena, elf->section_count + 1, sizeof *object->sections);
    struct section *sections = arena_array(&linker->arena, elf->section_count, sizeof *sections);
    bool good = true;
    for (size_t i = 1; i < elf->section_count; i++) {
        struct elf_section *from = &elf->sections[i];
        const Elf64_Shdr *header = &from->header;
        if (!compress_expand(linker, object, from)) {
            good = false;
            continue;
        }
        struct section *section = &sections[i];
        *section =
            (struct section){.object = object,
                             .name = from->name,
                             .type = header->sh_type,
                             .flags = header->sh_flags & ~(uint64_t)(SHF_GROUP | SHF_INFO_LINK),
                             .alignment = header->sh_addralign ? header->sh_addralign : 1,
                             .entry_size = header->sh_entsize,
                             .size = header->sh_size,
                             .bytes = from->bytes,
                             .index = (unsigned)i,
                             .discarded = is_left_out(linker, from),
                             .keep = (header->sh_flags & SHF_GNU_RETAIN) != 0};
        section->next_in_group = section;
        object->sections[i] = section;
        if (strcmp(from->name, STACK_NOTE_SECTION) == 0 && header->sh_flags & SHF_EXECINSTR)
            object->executable_stack = true;
        good &= check_section(linker, object, from);
    }
    return good;
}

/* ---- groups: gABI, "Section Groups" ---- */

/* A group of which one object supplies the sections. */
struct group {
    const char *signature;
    struct section *first; /* of its members, or NULL */
};

static const char *group_signature(const struct object *object, const struct elf_section *group)
{
    if (group->header.sh_info >= object->elf.symbol_count)
        return NULL;
    const struct elf_symbol symbol = elf_symbol_at(&object->elf, group->header.sh_info);
    if (ELF64_ST_TYPE(symbol.raw.st_info) == STT_SECTION &&
        symbol.section < object->elf.section_count)
        return object->elf.sections[symbol.section].name;
    return symbol.name;
}

static bool read_group(struct linker *linker, struct object *object,
                       const struct elf_section *group)
{
    uint64_t size = group->header.sh_size;
    const char *signature = group_signature(object, group);

    if (size < 4 || size % 4)
        return FAIL(
            "group section '%s' has %llu bytes, expected 4 for the flags and 4 for each member",
            group->name, (unsigned long long)size);
    if (!signature || !*signature)
        return FAIL("group section '%s' has no signature symbol", group->name);
    struct section *first = NULL;
    for (uint64_t offset = 4; offset < size; offset += 4) {
        uint32_t member = (uint32_t)bytes_get(group->bytes + offset, 4);
        if (member == 0 || member >= object->elf.section_count)
            return FAIL("group '%s' has section %u as a member; there are only %zu sections",
                        signature, member, object->elf.section_count);
        struct section *section = object->sections[member];
        if (section->group)
            return FAIL("section '%s' is in two groups, '%s' and '%s'", section->name,
                        section->group, signature);
        section->group = signature;
        if (first) {
            section->next_in_group = first->next_in_group;
            first->next_in_group = section;
        } else {
            first = section;
        }
    }
    if (bytes_get(group->bytes, 4) & GRP_COMDAT) {
        struct parsed *parsed = object->parsed;
        parsed->groups = arena_grow(&linker->arena, parsed->groups, parsed->group_count,
                                    &parsed->group_capacity, sizeof *parsed->groups);
        parsed->groups[parsed->group_count++] = (struct group){signature, first};
    }
    return true;
}

static bool read_groups(struct linker *linker, struct object *object)
{
    bool good = true;

    for (size_t i = 1; i < object->elf.section_count; i++)
        if (object->elf.sections[i].header.sh_type == SHT_GROUP)
            good &= read_group(linker, object, &object->elf.sections[i]);
    return good;
}

/* Discards the members of the group if another object has supplied it. */
static void enter_group(struct linker *linker, struct object *object, const struct group *group)
{
    struct map_entry *entry =
        map_entry(&linker->groups, group->signature, strlen(group->signature));
    struct section *member = group->first;

    if (!entry->value) {
        entry->value = object;
        return;
    }
    for (bool more = member; more; more = member != group->first) {
        member->discarded = true;
        member = member->next_in_group;
    }
}

/* Members of groups are listed even if they only describe the object: the map shows those that are
 * discarded. */
static void list_linked(struct linker *linker, struct object *object)
{
    size_t count = object->elf.section_count;

    object->linked = arena_array(&linker->arena, count, sizeof *object->linked);
    for (size_t i = 1; i < count; i++) {
        struct section *section = object->sections[i];
        if (!section->discarded || section->group)
            object->linked[object->linked_count++] = section;
    }
}

/* ---- symbols ---- */

static bool check_symbol(struct linker *linker, const struct object *object,
                         const struct elf_symbol *raw)
{
    unsigned binding = ELF64_ST_BIND(raw->raw.st_info), special = raw->raw.st_shndx;

    if (binding > STB_WEAK && binding != STB_GNU_UNIQUE)
        return FAIL("symbol %u '%s': binding %u is unknown, expected local, global or weak",
                    raw->index, raw->name, binding);
    if (special >= SHN_LORESERVE && special != SHN_XINDEX && special != SHN_ABS &&
        special != SHN_COMMON)
        return FAIL("symbol %u '%s': section index 0x%x has no meaning in a RISC-V object",
                    raw->index, raw->name, special);
    if (binding == STB_LOCAL && special == SHN_COMMON)
        return FAIL("symbol %u '%s': a common symbol cannot be local", raw->index, raw->name);
    if (binding != STB_LOCAL && !*raw->name)
        return FAIL("symbol %u is global but has no name", raw->index);
    if (raw->name[0] == '_' && strcmp(raw->name, "__gnu_lto_slim") == 0)
        return FAIL(LTO_MESSAGE);
    return true;
}

static struct section *section_of(const struct object *object, const struct elf_symbol *raw)
{
    unsigned special = raw->raw.st_shndx;

    if (special == SHN_UNDEF || (special >= SHN_LORESERVE && special != SHN_XINDEX))
        return NULL;
    return object->sections[raw->section];
}

static void enter_local(struct object *object, struct symbol *symbol, const struct elf_symbol *raw)
{
    *symbol = (struct symbol){.name = raw->name,
                              .state = SYMBOL_DEFINED,
                              .binding = STB_LOCAL,
                              .type = ELF64_ST_TYPE(raw->raw.st_info),
                              .visibility = ELF64_ST_VISIBILITY(raw->raw.st_other),
                              .other = symbol_other_bits(&raw->raw),
                              .local = true,
                              .object = object,
                              .section = section_of(object, raw),
                              .value = raw->raw.st_value,
                              .size = raw->raw.st_size};
    if (raw->raw.st_shndx == SHN_UNDEF && raw->index)
        symbol->state = SYMBOL_UNDEFINED;
    if (symbol->section && symbol->type != STT_SECTION)
        symbol->section->has_locals = true;
}

/* Counts the null symbol also for an object without a symbol table. */
static size_t count_locals(const struct elf_file *elf)
{
    size_t count = 1;

    for (size_t i = 1; i < elf->symbol_count; i++)
        count += ELF64_ST_BIND(elf_raw_symbol(elf, i).st_info) == STB_LOCAL;
    return count;
}

static bool is_discarded(const struct linker *linker, const struct symbol *symbol)
{
    switch (linker->config.discard) {
    case DISCARD_NONE:
        return false;
    case DISCARD_LOCALS:
        return true;
    default:
        return strncmp(symbol->name, ".L", 2) == 0;
    }
}

/* Lists the local symbol if it is written. */
static void list_local(struct linker *linker, struct object *object, struct symbol *symbol,
                       size_t *capacity)
{
    object->odd_locals |= symbol->state == SYMBOL_UNDEFINED || symbol->type == STT_GNU_IFUNC;
    if (symbol->type == STT_SECTION || is_discarded(linker, symbol))
        return;
    object->named_locals = arena_grow(&linker->arena, object->named_locals,
                                      object->named_local_count, capacity, sizeof(struct symbol *));
    object->named_locals[object->named_local_count++] = symbol;
}

/* Makes the local symbols, and keeps the global ones for object_enter. */
static bool read_symbols(struct linker *linker, struct object *object)
{
    const struct elf_file *elf = &object->elf;
    size_t count = count_locals(elf), capacity = 0;
    struct symbol *local = arena_array(&linker->arena, count, sizeof *local);
    struct elf_symbol *globals =
        arena_array(&linker->arena, elf->symbol_count + 1 - count, sizeof *globals);
    bool good = true;

    object->symbols = arena_array(&linker->arena, elf->symbol_count + 1, sizeof *object->symbols);
    object->parsed->globals = globals;
    /* A relocation without a symbol gets the null symbol: address 0. */
    *local = (struct symbol){.name = "", .state = SYMBOL_DEFINED, .local = true, .object = object};
    object->symbols[0] = local;
    for (size_t i = 1; i < elf->symbol_count; i++) {
        const struct elf_symbol raw = elf_symbol_at(elf, i);
        if (!check_symbol(linker, object, &raw)) {
            good = false;
        } else if (ELF64_ST_BIND(raw.raw.st_info) == STB_LOCAL) {
            object->symbols[i] = ++local;
            enter_local(object, local, &raw);
            list_local(linker, object, local, &capacity);
        } else {
            globals[object->global_count++] = raw;
        }
    }
    return good;
}

static void enter_symbols(struct linker *linker, struct object *object)
{
    const struct elf_symbol *globals = object->parsed->globals;

    object->globals = arena_array(&linker->arena, object->global_count, sizeof *object->globals);
    for (size_t i = 0; i < object->global_count; i++) {
        struct symbol *symbol =
            symbol_enter(linker, object, &globals[i], section_of(object, &globals[i]));
        object->symbols[globals[i].index] = object->globals[i] = symbol;
    }
}

static void print_visible(const char *name)
{
    struct text line = TEXT_INIT;

    text_append_visible(&line, name);
    printf("%s\n", line.bytes);
    text_free(&line);
}

/* Only parsing reads tables of symbols and relocations, except that the relocations of groups are
 * read when it is known which object supplies the group. */
static bool is_only_parsed(const struct elf_file *elf, const struct elf_section *section)
{
    switch (section->header.sh_type) {
    case SHT_SYMTAB:
    case SHT_SYMTAB_SHNDX:
        return true;
    case SHT_RELA:
        return !elf->has_groups;
    default:
        return false;
    }
}

struct object *object_parse(struct linker *linker, const char *name, const void *bytes,
                            size_t length, bool temporary)
{
    struct object *object = arena_new(&linker->arena, struct object);

    object->name = name;
    object->parsed = arena_new(&linker->arena, struct parsed);
    arena_reset(&linker->scratch);
    if (object_is_bitcode(bytes, length)) {
        (void)FAIL(LTO_MESSAGE);
        return NULL;
    }
    if (!elf_open_sections(&object->elf, &linker->arena, &linker->diag, name, bytes, length) ||
        !elf_check_symbols(&object->elf, &linker->diag))
        return NULL;
    if (object->elf.header.e_type != ET_REL) {
        struct position at = object_position(object);
        diag_error(&linker->diag, &at,
                   "is not a relocatable object (ELF file type %u); tld links objects and archives "
                   "of objects, not "
                   "executables or shared libraries",
                   object->elf.header.e_type);
        return NULL;
    }
    if (!object->elf.section_count) {
        struct position at = object_position(object);
        diag_error(&linker->diag, &at,
                   "has no section headers, so it cannot be linked; assemble it again");
        return NULL;
    }
    if (temporary)
        elf_keep(&object->elf, is_only_parsed);
    if (!read_sections(linker, object) || !read_groups(linker, object) ||
        !read_symbols(linker, object) || !object_read_relocations(linker, object, false))
        return NULL;
    list_linked(linker, object);
    return object;
}

bool object_enter(struct linker *linker, struct object *object)
{
    const struct parsed *parsed = object->parsed;

    for (size_t i = 0; i < parsed->group_count; i++)
        enter_group(linker, object, &parsed->groups[i]);
    enter_symbols(linker, object);
    object_resolve(object);
    arena_reset(&linker->scratch);
    if (!object_read_relocations(linker, object, true))
        return false;
    linker->executable_stack |= object->executable_stack;
    linker->objects = arena_grow(&linker->arena, linker->objects, linker->object_count,
                                 &linker->object_capacity, sizeof(struct object *));
    linker->objects[linker->object_count++] = object;
    if (linker->config.trace)
        print_visible(object->name);
    return true;
}

struct object *object_read(struct linker *linker, const char *name, const void *bytes,
                           size_t length)
{
    struct object *object = object_parse(linker, name, bytes, length, false);

    return object && object_enter(linker, object) ? object : NULL;
}

/* A few pages are not worth the time that it takes to release them. */
static void release(const unsigned char *start, const unsigned char *end)
{
    enum { SMALLEST_PART = 64 * 1024 };
    size_t length = (size_t)(end - start);

    if (length >= SMALLEST_PART)
        file_release(start, length);
}

/* Relocations, most of an object, are consecutive in the file. */
void object_release_tables(const struct object *object)
{
    const unsigned char *start = NULL, *end = NULL;

    for (size_t i = 1; i < object->elf.section_count; i++) {
        const struct elf_section *section = &object->elf.sections[i];
        uint32_t type = section->header.sh_type;
        if ((type != SHT_RELA && type != SHT_SYMTAB) || !section->bytes)
            continue;
        if (!start || section->bytes < end || section->bytes - end > 16) {
            release(start, end);
            start = section->bytes;
        }
        end = section->bytes + section->header.sh_size;
    }
    release(start, end);
}
