/*
 * gather OUTPUT OBJECT... [-- SECOND...]: makes tables of the stencils in the objects, as C. A
 * stencil is a function in a section of its own, maybe with a cold part in another one, or at its
 * end. Those that need what only the linker could give them, such as a call of another function,
 * are left out.
 */
#include "emu/native/stencil.h"
#include "emu/native/stencils/reader.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIST = 1 << 16 };

/* The parts of a stencil. The compiler writes some of the rest to the section of the hot part. */
enum { HOT, REST, COLD, PARTS };

struct part {
    const unsigned char *bytes;
    size_t size, start; /* in the section */
    size_t base;        /* in the stencil */
    bool is_relays;     /* is nothing but jumps to the cold part, and not needed */
    Elf_Data *relocations;
    size_t count; /* of the section */
};

/* What is known of one object. */
struct object {
    Elf *elf;
    Elf_Data *symbols;
    size_t strings, names, symbol_count;
    int file;
};

static const struct reader *const readers[] = {&x86_reader, &arm_reader};
static const struct reader *reader; /* of the objects */
static FILE *output;
static size_t code_size, hole_count, field_count, stencil_count, left_out;
static struct stencil_hole holes[LIST];
static struct stencil_field fields[LIST];

static const char *const targets[] = {
    [HOLE_NEXT] = "next",
    [HOLE_NEXT_RARELY] = "next_rarely",
    [HOLE_TAKEN] = "taken",
    [HOLE_TAKEN_RARELY] = "taken_rarely",
    [HOLE_LEAVE] = "leave",
    [HOLE_USUAL] = "usual",
    [HOLE_PC] = "hole_pc",
    [HOLE_NEXT_PC] = "hole_next_pc",
    [HOLE_REMAINING] = "hole_remaining",
    [HOLE_VALUE] = "hole_value",
    [HOLE_JUMPS] = "hole_jumps",
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

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "gather: %s\n", what);
    exit(1);
}

static int hole_kind(const char *name)
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
        fail("bad section");
    return elf_strptr(object->elf, object->names, header->sh_name);
}

/* Finds the section and its relocations. */
static bool find_part(const struct object *object, const char *name, struct part *part)
{
    Elf_Scn *section = NULL;
    size_t index = 0;
    GElf_Shdr header;

    *part = (struct part){0};
    while ((section = elf_nextscn(object->elf, section))) {
        if (!gelf_getshdr(section, &header))
            fail("bad section");
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

static const char *symbol_name(const struct object *object, const GElf_Rela *relocation,
                               GElf_Sym *symbol)
{
    if (!gelf_getsym(object->symbols, (int)GELF_R_SYM(relocation->r_info), symbol))
        fail("bad symbol");
    if (GELF_ST_TYPE(symbol->st_info) == STT_SECTION) {
        GElf_Shdr header;
        return section_name(object, symbol->st_shndx, &header);
    }
    return elf_strptr(object->elf, object->strings, symbol->st_name);
}

/* If the cold part is one jump that another one reaches, returns the kind of its target, else -1.
 */
static int single_jump(const struct object *object, const struct part *cold)
{
    GElf_Rela relocation;
    GElf_Sym symbol;

    if (reader->find_branch || cold->size != reader->jump_size || !reader->is_jump(cold->bytes) ||
        cold->count != 1)
        return -1;
    gelf_getrela(cold->relocations, 0, &relocation);
    return hole_kind(symbol_name(object, &relocation, &symbol));
}

static bool find_relocation(const struct part *part, size_t offset, GElf_Rela *relocation)
{
    for (size_t i = 0; i < part->count; i++)
        if (gelf_getrela(part->relocations, (int)i, relocation) && relocation->r_offset == offset)
            return true;
    return false;
}

/* Is the symbol the stencil's own code; and in which section? */
static bool is_own(const char *name, bool *is_far)
{
    *is_far = strncmp(name, ".text.unlikely.", 15) == 0 || strstr(name, ".cold");
    return *is_far || strncmp(name, ".text.", 6) == 0;
}

/* Is there a jump in the rest to the section of the cold part, because jumps on a condition do not
 * reach far? */
static bool is_relay(const struct object *object, const struct part *rest, size_t at,
                     size_t *offset)
{
    GElf_Rela relocation;
    GElf_Sym symbol;
    bool is_far;

    if (!reader->is_jump(rest->bytes + at) ||
        !find_relocation(rest, rest->start + at, &relocation) ||
        !is_own(symbol_name(object, &relocation, &symbol), &is_far) || !is_far)
        return false;
    *offset = (size_t)(relocation.r_addend + (int64_t)symbol.st_value);
    return true;
}

/* Has the hole lead to the offset in a section of the stencil. */
static void aim(const struct object *object, const struct part *parts, bool is_far, size_t offset,
                struct stencil_hole *hole)
{
    const struct part *rest = &parts[REST];

    hole->kind = HOLE_OWN;
    if (!is_far && rest->size && offset >= rest->start &&
        is_relay(object, rest, offset - rest->start, &offset))
        is_far = true;
    if (is_far)
        hole->addend = (int32_t)(parts[COLD].base + offset);
    else if (rest->size && offset >= rest->start)
        hole->addend = (int32_t)(rest->base + offset - rest->start);
    else if (offset == parts[HOT].size) /* the jump that was dropped */
        hole->kind = HOLE_NEXT;
    else
        hole->addend = (int32_t)offset;
}

/* Adds the holes of a part. Returns false if there is one that the copier cannot fill. */
static bool add_holes(const struct object *object, const struct part *parts,
                      const struct part *part, int jump)
{
    for (size_t i = 0; i < part->count; i++) {
        GElf_Rela relocation;
        GElf_Sym symbol;
        if (!gelf_getrela(part->relocations, (int)i, &relocation))
            fail("bad relocation");
        if (relocation.r_offset - part->start >= part->size)
            continue; /* of another part, or of a jump that was dropped */
        const char *name = symbol_name(object, &relocation, &symbol);
        int64_t addend = relocation.r_addend;
        enum hole_form form;
        bool is_far;
        if (!reader->find_form(GELF_R_TYPE(relocation.r_info), &addend, &form) ||
            hole_count == LIST)
            return false;
        int kind = hole_kind(name);
        struct stencil_hole *hole = &holes[hole_count++];
        *hole =
            (struct stencil_hole){.at = (uint16_t)(part->base + relocation.r_offset - part->start),
                                  .kind = (uint8_t)kind,
                                  .form = (uint8_t)form,
                                  .addend = (int32_t)addend};
        if (kind >= 0 ? addend != (int32_t)addend : !is_own(name, &is_far))
            return false;
        if (kind >= 0)
            continue;
        aim(object, parts, is_far, (size_t)(addend + (int64_t)symbol.st_value), hole);
        if (is_far && jump >= 0) {
            hole->kind = (uint8_t)jump;
            hole->addend = 0;
        }
    }
    return true;
}

/* Adds holes for the jumps of a part to another one. */
static bool add_branches(const struct object *object, const struct part *parts,
                         const struct part *part)
{
    for (size_t at = 0; part != &parts[COLD] && at < part->size; at += reader->jump_size) {
        int64_t distance;
        enum hole_form form;
        GElf_Rela relocation;
        if (!reader->find_branch(part->bytes + at, &distance, &form) ||
            find_relocation(part, part->start + at, &relocation))
            continue;
        size_t target = (size_t)((int64_t)(part->start + at) + distance);
        if (target - part->start < part->size ||
            (part == &parts[HOT] && target == part->size && target < parts[REST].start))
            continue;
        if (hole_count == LIST)
            return false;
        struct stencil_hole *hole = &holes[hole_count++];
        *hole = (struct stencil_hole){.at = (uint16_t)(part->base + at), .form = (uint8_t)form};
        aim(object, parts, false, target, hole);
    }
    return true;
}

/* Adds the fields for the registers of the operands. Returns false for code that is not known. */
static bool add_fields(const struct part *part, size_t base)
{
    for (size_t at = 0; at < part->size;) {
        struct stencil_field found[READER_FIELDS];
        size_t count, length = reader->decode(part->bytes + at, part->size - at, found, &count);
        if (!length) {
            fprintf(stderr, "gather: unknown code %02x %02x %02x %02x\n", part->bytes[at],
                    part->bytes[at + 1], part->bytes[at + 2], part->bytes[at + 3]);
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            unsigned operand = found[i].operand - reader->operand0;
            if (operand >= STENCIL_REGISTERS)
                continue;
            if (field_count == LIST)
                return false;
            struct stencil_field *field = &fields[field_count++];
            *field = found[i];
            field->at = (uint16_t)(field->at + base + at);
            field->rex = (uint16_t)(field->rex + base + at);
            field->operand = (uint8_t)operand;
        }
        at += length;
    }
    return true;
}

static void write_bytes(const struct part *part)
{
    if (!part->size)
        return;
    fputc('"', output); /* a compiler reads strings faster than numbers */
    for (size_t i = 0; i < part->size; i++)
        fprintf(output, "\\%o", part->bytes[i]);
    fputs("\"\n", output);
    code_size += part->size;
}

struct row {
    char name[64];
    struct stencil stencil;
};
static struct row rows[LIST];

/* The same object, compiled with other constants for immediates. */
static struct object second;

static bool same_relocations(const struct part *part, const struct part *other)
{
    if (part->count != other->count)
        return false;
    for (size_t i = 0; i < part->count; i++) {
        GElf_Rela a, b;
        if (!gelf_getrela(part->relocations, (int)i, &a) ||
            !gelf_getrela(other->relocations, (int)i, &b) || a.r_offset != b.r_offset ||
            GELF_R_TYPE(a.r_info) != GELF_R_TYPE(b.r_info) || a.r_addend != b.r_addend)
            return false;
    }
    return true;
}

static int64_t read_constant(const unsigned char *bytes, size_t size)
{
    int32_t value;

    if (size == 1)
        return *bytes;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Adds the holes for the immediate: where the code differs from that with the other constant.
 * Returns false if it differs otherwise. */
static bool add_constants(const char *name, const struct part *part, bool is_small)
{
    char section[128];
    struct part other;
    size_t size = is_small ? 1 : 4;
    int64_t constant = is_small ? STENCIL_SMALL : STENCIL_WIDE,
            distance = constant - (is_small ? STENCIL_SECOND_SMALL : STENCIL_SECOND_WIDE);

    snprintf(section, sizeof section, ".text.%s", name);
    if (!second.elf || !find_part(&second, section, &other) || other.size < part->size ||
        !same_relocations(part, &other))
        return false;
    for (size_t at = 0; at < part->size;) {
        const unsigned char *bytes = part->bytes + at;
        if (*bytes == other.bytes[at]) {
            at++;
            continue;
        }
        if (at + size > part->size)
            return false;
        int64_t value = read_constant(bytes, size),
                difference = value - read_constant(other.bytes + at, size);
        bool is_minus = difference == -distance;
        if (difference != distance && !is_minus)
            return false;
        holes[hole_count++] = (struct stencil_hole){
            .at = (uint16_t)at,
            .kind = is_minus ? HOLE_MINUS_IMMEDIATE : HOLE_IMMEDIATE,
            .form = is_small ? FORM_X86_BYTE : FORM_X86_ABSOLUTE,
            .addend = (int32_t)(is_minus ? value + constant : value - constant)};
        at += size;
    }
    return true;
}

/* Drops the jump to the next stencil at the end, which falls through instead. */
static void drop_jump(const struct object *object, struct part *hot)
{
    GElf_Rela relocation;
    GElf_Sym symbol;

    if (hot->size >= reader->jump_size &&
        reader->is_jump(hot->bytes + hot->size - reader->jump_size) &&
        find_relocation(hot, hot->size - reader->jump_size + reader->jump_hole, &relocation) &&
        hole_kind(symbol_name(object, &relocation, &symbol)) == HOLE_NEXT)
        hot->size -= reader->jump_size;
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
        GElf_Rela relocation;
        is_end = reader->is_indirect_jump(hot->bytes + at) ||
                 (reader->is_jump(hot->bytes + at) && find_relocation(hot, at, &relocation));
        length = reader->decode(hot->bytes + at, hot->size - at, found, &count);
        if (!length)
            return false;
    }
    *rest = *hot;
    rest->start = at;
    rest->bytes += at;
    rest->size -= at;
    hot->size = at;
    for (at = 0; at < rest->size; at += reader->jump_size) {
        size_t offset;
        has_code |= !is_relay(object, rest, at, &offset);
    }
    rest->is_relays = !has_code;
    return true;
}

/* Finds the parts. Returns false for code that is not known. */
static bool find_parts(const struct object *object, const char *name, struct part *parts)
{
    char section[128];
    struct part *hot = &parts[HOT], *rest = &parts[REST], *cold = &parts[COLD];

    snprintf(section, sizeof section, ".text.%s", name);
    if (find_part(object, section, hot)) {
        snprintf(section, sizeof section, ".text.unlikely.%s", name);
        find_part(object, section, cold);
    } else { /* all of it is cold */
        snprintf(section, sizeof section, ".text.unlikely.%s", name);
        if (!find_part(object, section, hot))
            fail("a stencil without code");
    }
    if (reader->find_branch && !split(object, hot, rest))
        return false;
    drop_jump(object, hot);
    rest->base = hot->size;
    cold->base = hot->size + (rest->is_relays ? 0 : rest->size);
    return cold->base + cold->size <= STENCIL_BYTES;
}

static bool add_part(const struct object *object, const struct part *parts, const struct part *part,
                     int jump)
{
    return add_holes(object, parts, part, jump) && add_fields(part, part->base) &&
           (!reader->find_branch || add_branches(object, parts, part));
}

/* Was there a stencil of the name in an object before? */
static bool is_gathered(const char *name)
{
    for (size_t i = 0; i < stencil_count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return true;
    return false;
}

/* The compiler makes one function of those with the same code, and the others jump to it. Returns
 * the stencil that this one is nothing but a jump to, or NULL. */
static const struct stencil *find_same(const struct object *object, const char *name)
{
    char section[128];
    struct part part;
    GElf_Rela relocation;
    GElf_Sym symbol;

    snprintf(section, sizeof section, ".text.%s", name);
    if (!find_part(object, section, &part) || part.size != reader->jump_size ||
        !reader->is_jump(part.bytes) || part.count != 1 ||
        !gelf_getrela(part.relocations, 0, &relocation))
        return NULL;
    const char *target = symbol_name(object, &relocation, &symbol);
    for (size_t i = 0; i < stencil_count; i++)
        if (strcmp(rows[i].name, target) == 0)
            return &rows[i].stencil;
    return NULL;
}

static void add_stencil(const struct object *object, const char *name)
{
    struct part parts[PARTS] = {{0}};
    size_t first_hole = hole_count, first_field = field_count;
    bool known = find_parts(object, name, parts);
    int jump = single_jump(object, &parts[COLD]);
    char kind = name[strlen(name) - 1];
    bool is_constant = strncmp(name, "stencil_", 8) == 0 && (kind == 's' || kind == 'w');

    if (is_gathered(name))
        return;
    const struct stencil *same = find_same(object, name);
    if (same) {
        struct row *row = &rows[stencil_count++];
        snprintf(row->name, sizeof row->name, "%s", name);
        row->stencil = *same;
        return;
    }
    if (jump >= 0)
        parts[COLD].size = 0;
    for (unsigned i = 0; i < PARTS && known; i++)
        if (!parts[i].is_relays)
            known = add_part(object, parts, &parts[i], jump);
    if (is_constant && known && second.elf)
        known =
            !parts[REST].size && !parts[COLD].size && add_constants(name, &parts[HOT], kind == 's');
    if (!known) {
        hole_count = first_hole;
        field_count = first_field;
        left_out++;
        return;
    }
    size_t hot = parts[HOT].size, cold = parts[COLD].base + parts[COLD].size - hot;
    struct row *row = &rows[stencil_count++];
    snprintf(row->name, sizeof row->name, "%s", name);
    row->stencil = (struct stencil){.code = (uint32_t)code_size,
                                    .first_hole = (uint32_t)first_hole,
                                    .first_field = (uint32_t)first_field,
                                    .hot = (uint16_t)hot,
                                    .cold = (uint16_t)cold,
                                    .holes = (uint8_t)(hole_count - first_hole),
                                    .fields = (uint8_t)(field_count - first_field)};
    if (hole_count - first_hole > UINT8_MAX || field_count - first_field > UINT8_MAX)
        fail("too many holes");
    for (unsigned i = 0; i < PARTS; i++)
        if (!parts[i].is_relays)
            write_bytes(&parts[i]);
}

static void choose_reader(const struct object *object)
{
    GElf_Ehdr header;

    if (!gelf_getehdr(object->elf, &header))
        fail("cannot read an object");
    reader = NULL;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i]->machine == header.e_machine)
            reader = readers[i];
    if (!reader)
        fail("an object is for an architecture without stencils");
}

static struct object open_object(const char *name)
{
    struct object object = {.file = open(name, O_RDONLY)};
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    object.elf = elf_begin(object.file, ELF_C_READ, NULL);
    if (object.file < 0 || !object.elf || elf_getshdrstrndx(object.elf, &object.names) != 0)
        fail("cannot read an object");
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

static void close_object(const struct object *object)
{
    elf_end(object->elf);
    close(object->file);
}

/* `second_name`: the same object with other constants; or NULL. */
static void read_object(const char *name, const char *second_name)
{
    struct object object = open_object(name);

    choose_reader(&object);
    second = second_name ? open_object(second_name) : (struct object){0};
    for (size_t i = 0; i < object.symbol_count; i++) {
        GElf_Sym symbol;
        gelf_getsym(object.symbols, (int)i, &symbol);
        const char *symbol_text = elf_strptr(object.elf, object.strings, symbol.st_name);
        if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
            !strchr(symbol_text, '.'))
            add_stencil(&object, symbol_text);
    }
    close_object(&object);
    if (second_name)
        close_object(&second);
}

static int compare_rows(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

/* Returns the length of what says whose row it is: stencil_ADD of stencil_ADD__rrmc, or glue_count.
 */
static size_t id_length(const char *name)
{
    const char *places = strstr(name, "__");

    return places ? (size_t)(places - name) : strlen(name);
}

/* The rows of an instruction, or of glue, follow one another. */
static void write_rows(void)
{
    for (size_t i = 0; i < stencil_count; i++) {
        const struct stencil *stencil = &rows[i].stencil;
        const char *name = rows[i].name;
        size_t length = id_length(name);
        char kind = name[strlen(name) - 1];
        if (i == 0 || id_length(rows[i - 1].name) != length ||
            memcmp(rows[i - 1].name, name, length) != 0)
            fprintf(output, "%sSTENCIL_ROWS(%.*s) {\n", i ? "};\n" : "", (int)length, name);
        if (name[length])
            fprintf(output, "{ISA_ID_%.*s, \"%.*s%c\", ", (int)length - 8, name + 8,
                    STENCIL_OPERANDS, name + length + 2, kind == 's' || kind == 'w' ? 'i' : kind);
        else
            fprintf(output, "{STENCIL_%s, \"mmmc\", ", name);
        fprintf(output, "{%u, %u, %u, %u, %u, %u, %u}},\n", stencil->code, stencil->first_hole,
                stencil->first_field, stencil->hot, stencil->cold, stencil->holes, stencil->fields);
    }
    fputs("};\nSTENCIL_SPANS {\n", output);
    for (size_t i = 0, count; i < stencil_count; i += count) {
        const char *name = rows[i].name;
        size_t length = id_length(name);
        for (count = 1; i + count < stencil_count; count++)
            if (id_length(rows[i + count].name) != length ||
                memcmp(rows[i + count].name, name, length) != 0)
                break;
        if (name[length])
            fprintf(output, "[ISA_ID_%.*s]", (int)length - 8, name + 8);
        else
            fprintf(output, "[STENCIL_%s - STENCIL_GLUE + ISA_ID_COUNT]", name);
        fprintf(output, " = STENCIL_SPAN(%.*s, %zu),\n", (int)length, name, count);
    }
    fputs("};\nSTENCIL_HOLES {\n", output);
    for (size_t i = 0; i < hole_count; i++)
        fprintf(output, "{%u, %u, %u, %d},\n", holes[i].at, holes[i].kind, holes[i].form,
                holes[i].addend);
    fputs("};\nSTENCIL_FIELDS {\n", output);
    for (size_t i = 0; i < field_count; i++)
        fprintf(output, "{%u, %u, %u, %u, %u, %u},\n", fields[i].at, fields[i].rex, fields[i].shift,
                fields[i].bit, fields[i].operand, fields[i].inverted);
    fputs("};\n", output);
}

/* Returns where the argument is, or argc. */
static int find_argument(int argc, char **argv, const char *argument)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], argument) == 0)
            return i;
    return argc;
}

int main(int argc, char **argv)
{
    int end = find_argument(argc, argv, "--"); /* of the first objects */

    if (end < 3 || (end < argc && argc - end - 1 != end - 2) ||
        elf_version(EV_CURRENT) == EV_NONE || !(output = fopen(argv[1], "w")))
        fail("usage: gather OUTPUT OBJECT... [-- SECOND...]");
    fputs("/* Stencils. Written by gather. Do not edit. */\nSTENCIL_CODE\n", output);
    for (int i = 2; i < end; i++)
        read_object(argv[i], end < argc ? argv[i + end - 1] : NULL);
    fputs(";\n", output);
    qsort(rows, stencil_count, sizeof *rows, compare_rows);
    write_rows();
    if (fclose(output) != 0)
        fail("cannot write the output");
    if (getenv("V"))
        fprintf(stderr, "gather: %zu stencils of %zu bytes, %zu left out\n", stencil_count,
                code_size, left_out);
    return 0;
}
