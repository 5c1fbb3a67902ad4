/* See object.h. */
#include "emu/native/stencils/object.h"

#include <err.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of ".text.unlikely." and the name of a stencil. */
enum { SECTION_NAME = 128 };

static const char *const targets[] = {
    [HOLE_NEXT] = "next",
    [HOLE_NEXT_RARELY] = "next_rarely",
    [HOLE_TAKEN] = "taken",
    [HOLE_TAKEN_RARELY] = "taken_rarely",
    [HOLE_LEAVE] = "leave",
    [HOLE_CALL_RARELY] = "call_rarely",
    [HOLE_CALL] = "call",
    [HOLE_USUAL] = "usual",
    [HOLE_PC] = "hole_pc",
    [HOLE_NEXT_PC] = "hole_next_pc",
    [HOLE_REMAINING] = "hole_remaining",
    [HOLE_VALUE] = "hole_value",
    [HOLE_JUMPS] = "hole_jumps",
    [HOLE_CODES] = "hole_codes",
    [HOLE_IMMEDIATE] = "hole_immediate0",
    "hole_immediate1",
    [HOLE_OFFSET] = "hole_offset0",
    "hole_offset1",
    "hole_offset2",
    "hole_offset3",
    "hole_offset4",
    "hole_offset5",
    "hole_offset6",
    "hole_offset7",
    [HOLE_NUMBER] = "hole_number0",
    "hole_number1",
    "hole_number2",
    "hole_number3",
    "hole_number4",
    "hole_number5",
    "hole_number6",
    "hole_number7",
};

int hole_kind(const char *name)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (targets[i] && strcmp(targets[i], name) == 0)
            return (int)i;
    return -1;
}

static const char *section_name(const struct object *object, size_t index, GElf_Shdr *header)
{
    Elf_Scn *section = elf_getscn(object->elf, index);

    if (!section || !gelf_getshdr(section, header))
        errx(1, "bad section");
    return elf_strptr(object->elf, object->names, header->sh_name);
}

bool object_find_section(const struct object *object, const char *name, struct part *part)
{
    Elf_Scn *section = NULL;
    size_t index = 0;
    GElf_Shdr header;

    *part = (struct part){0};
    while ((section = elf_nextscn(object->elf, section))) {
        if (!gelf_getshdr(section, &header))
            errx(1, "bad section");
        const char *found = elf_strptr(object->elf, object->names, header.sh_name);
        if (header.sh_type == SHT_PROGBITS && strcmp(found, name) == 0) {
            Elf_Data *data = elf_getdata(section, NULL);
            part->bytes = data->d_buf;
            part->size = data->d_size;
            index = elf_ndxscn(section);
        }
        if (index && header.sh_type == SHT_RELA && header.sh_info == index) {
            part->relocations = elf_getdata(section, NULL);
            part->count = header.sh_size / header.sh_entsize;
            break;
        }
    }
    return index != 0;
}

const char *object_symbol_name(const struct object *object, const GElf_Rela *relocation,
                               GElf_Sym *symbol)
{
    if (!gelf_getsym(object->symbols, (int)GELF_R_SYM(relocation->r_info), symbol))
        errx(1, "bad symbol");
    if (GELF_ST_TYPE(symbol->st_info) == STT_SECTION) {
        GElf_Shdr header;
        return section_name(object, symbol->st_shndx, &header);
    }
    return elf_strptr(object->elf, object->strings, symbol->st_name);
}

bool part_find_relocation(const struct part *part, size_t offset, GElf_Rela *relocation)
{
    for (size_t i = 0; i < part->count; i++)
        if (gelf_getrela(part->relocations, (int)i, relocation) && relocation->r_offset == offset)
            return true;
    return false;
}

int object_single_jump(const struct object *object, const struct part *cold)
{
    GElf_Rela relocation;
    GElf_Sym symbol;

    if (object->reader->find_branch || cold->size != object->reader->jump_size ||
        !object->reader->is_jump(cold->bytes) || cold->count != 1)
        return -1;
    gelf_getrela(cold->relocations, 0, &relocation);
    return hole_kind(object_symbol_name(object, &relocation, &symbol));
}

bool is_own_code(const char *name, bool *is_far)
{
    *is_far = strncmp(name, ".text.unlikely.", 15) == 0 || strstr(name, ".cold");
    return *is_far || strncmp(name, ".text.", 6) == 0;
}

bool is_relay(const struct object *object, const struct part *rest, size_t at, size_t *offset)
{
    GElf_Rela relocation;
    GElf_Sym symbol;
    bool is_far;

    if (!object->reader->is_jump(rest->bytes + at) ||
        !part_find_relocation(rest, rest->start + at, &relocation) ||
        !is_own_code(object_symbol_name(object, &relocation, &symbol), &is_far) || !is_far)
        return false;
    *offset = (size_t)(relocation.r_addend + (int64_t)symbol.st_value);
    return true;
}

/* Drops the jump to the next stencil at the end, which falls through instead. */
static void drop_jump(const struct object *object, struct part *hot)
{
    GElf_Rela relocation;
    GElf_Sym symbol;

    if (hot->size >= object->reader->jump_size &&
        object->reader->is_jump(hot->bytes + hot->size - object->reader->jump_size) &&
        part_find_relocation(hot, hot->size - object->reader->jump_size + object->reader->jump_hole,
                             &relocation) &&
        hole_kind(object_symbol_name(object, &relocation, &symbol)) == HOLE_NEXT)
        hot->size -= object->reader->jump_size;
}

/* What comes after the first jump out of the stencil does not belong to the hot part. Returns false
 * for code that is not known. */
static bool split(const struct object *object, struct part *hot, struct part *rest)
{
    size_t at = 0, length = 0;
    bool has_code = false;

    for (bool is_end = false; at < hot->size && !is_end; at += length) {
        struct stencil_field found[READER_FIELDS];
        size_t count;
        unsigned uses = 0;
        GElf_Rela relocation;
        is_end = object->reader->is_indirect_jump(hot->bytes + at) ||
                 (object->reader->is_jump(hot->bytes + at) &&
                  part_find_relocation(hot, at, &relocation));
        length = object->reader->decode(hot->bytes + at, hot->size - at, found, &count, &uses);
        if (!length)
            return false;
    }
    *rest = *hot;
    rest->start = at;
    rest->bytes += at;
    rest->size -= at;
    hot->size = at;
    for (at = 0; at < rest->size; at += object->reader->jump_size) {
        size_t offset;
        has_code |= !is_relay(object, rest, at, &offset);
    }
    rest->is_relays = !has_code;
    return true;
}

bool object_find_parts(const struct object *object, const char *name, struct part *parts)
{
    char section[SECTION_NAME];
    struct part *hot = &parts[PART_HOT], *rest = &parts[PART_REST], *cold = &parts[PART_COLD];

    snprintf(section, sizeof section, ".text.%s", name);
    if (object_find_section(object, section, hot)) {
        snprintf(section, sizeof section, ".text.unlikely.%s", name);
        object_find_section(object, section, cold);
    } else { /* all of it is cold */
        snprintf(section, sizeof section, ".text.unlikely.%s", name);
        if (!object_find_section(object, section, hot))
            errx(1, "a stencil without code");
    }
    if (object->reader->find_branch && !split(object, hot, rest))
        return false;
    drop_jump(object, hot);
    rest->base = hot->size;
    cold->base = hot->size + (rest->is_relays ? 0 : rest->size);
    return cold->base + cold->size <= STENCIL_BYTES;
}

const char *object_find_same(const struct object *object, const char *name)
{
    char section[SECTION_NAME];
    struct part part;
    GElf_Rela relocation;
    GElf_Sym symbol;

    snprintf(section, sizeof section, ".text.%s", name);
    if (!object_find_section(object, section, &part) || part.size != object->reader->jump_size ||
        !object->reader->is_jump(part.bytes) || part.count != 1 ||
        !gelf_getrela(part.relocations, 0, &relocation))
        return NULL;
    return object_symbol_name(object, &relocation, &symbol);
}

static const struct reader *find_reader(Elf *elf)
{
    static const struct reader *const readers[] = {&x86_reader, &arm_reader};
    GElf_Ehdr header;

    if (!gelf_getehdr(elf, &header))
        errx(1, "cannot read an object");
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i]->machine == header.e_machine)
            return readers[i];
    errx(1, "an object is for an architecture without stencils");
}

struct object object_open(const char *name)
{
    struct object object = {.file = open(name, O_RDONLY)};
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    object.elf = elf_begin(object.file, ELF_C_READ, NULL);
    if (object.file < 0 || !object.elf || elf_getshdrstrndx(object.elf, &object.names) != 0)
        errx(1, "cannot read an object");
    object.reader = find_reader(object.elf);
    while ((section = elf_nextscn(object.elf, section))) {
        gelf_getshdr(section, &header);
        if (header.sh_type == SHT_SYMTAB) {
            object.symbols = elf_getdata(section, NULL);
            object.strings = header.sh_link;
            object.symbol_count = header.sh_size / header.sh_entsize;
        }
    }
    return object;
}

void object_close(const struct object *object)
{
    elf_end(object->elf);
    close(object->file);
}
