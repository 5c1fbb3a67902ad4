/*
 * gather OUTPUT OBJECT... [-- SECOND... [-- OBJECT... -- SECOND...]]: makes tables of the stencils
 * in the objects, as C. A stencil is a function in a section of its own, maybe with a cold part in
 * another one, or at its end. Those that need what only the linker could give them, such as a call
 * of another function, are left out.
 *
 * SECOND are the same objects, compiled with other constants for immediates. The third and fourth
 * list make another library. Most stencils of the two are the same, or have the same holes or
 * fields, so these are written once.
 */
#include "emu/native/stencil.h"
#include "emu/native/stencils/reader.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USAGE "usage: gather OUTPUT OBJECT... [-- SECOND... [-- OBJECT... -- SECOND...]]"

enum {
    LIST = 1 << 16,
    CODE = 1 << 20,
    LISTS = 4, /* of objects */
    LINE = 32, /* bytes of code in a line */
};

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
static size_t code_size, hole_count, field_count, stencil_count, row_count, left_out;
static unsigned char code[CODE];
static struct stencil_hole holes[LIST];
static struct stencil_field fields[LIST];
static struct stencil_code stencils[LIST];

static const char *const targets[] = {
    [HOLE_NEXT] = "next",
    [HOLE_NEXT_RARELY] = "next_rarely",
    [HOLE_TAKEN] = "taken",
    [HOLE_TAKEN_RARELY] = "taken_rarely",
    [HOLE_LEAVE] = "leave",
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

/* Adds the fields for the registers of the operands, and other registers to *uses. Returns false
 * for code that is not known. */
static bool add_fields(const struct part *part, size_t base, unsigned *uses)
{
    for (size_t at = 0; at < part->size;) {
        struct stencil_field found[READER_FIELDS];
        size_t count,
            length = reader->decode(part->bytes + at, part->size - at, found, &count, uses);
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
            field->operand = (uint8_t)operand;
        }
        at += length;
    }
    return true;
}

static void append_code(const struct part *part)
{
    if (code_size + part->size + STENCIL_UNIT > CODE)
        fail("too much code");
    if (part->size != 0)
        memcpy(code + code_size, part->bytes, part->size);
    code_size += part->size;
}

/* Drops the last elements of the table, from `first` on, if others before them are the same.
 * Returns where the first one is. */
static uint32_t merge(const void *table, size_t size, size_t first, size_t *count)
{
    const char *bytes = table;
    size_t length = (*count - first) * size;

    for (size_t i = 0; i < first; i++)
        if (i + *count - first <= first &&
            memcmp(bytes + i * size, bytes + first * size, length) == 0) {
            *count = first;
            return (uint32_t)i;
        }
    return (uint32_t)first;
}

/* Returns the number of the stencil among the different ones. */
static uint16_t number_of(const struct stencil_code *stencil)
{
    size_t number = 0;

    while (number < stencil_count && memcmp(&stencils[number], stencil, sizeof *stencil) != 0)
        number++;
    if (number == stencil_count)
        stencils[stencil_count++] = *stencil;
    if (stencil_count == LIST)
        fail("too many stencils");
    return (uint16_t)number;
}

/* A stencil of the library that is being gathered. */
struct row {
    char name[64];
    uint16_t number;
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
        unsigned uses = 0;
        GElf_Rela relocation;
        is_end = reader->is_indirect_jump(hot->bytes + at) ||
                 (reader->is_jump(hot->bytes + at) && find_relocation(hot, at, &relocation));
        length = reader->decode(hot->bytes + at, hot->size - at, found, &count, &uses);
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
                     int jump, unsigned *uses)
{
    return add_holes(object, parts, part, jump) && add_fields(part, part->base, uses) &&
           (!reader->find_branch || add_branches(object, parts, part));
}

/* Was there a stencil of the name in an object before? */
static bool is_gathered(const char *name)
{
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return true;
    return false;
}

/* The compiler makes one function of those with the same code, and the others jump to it. Returns
 * the row of the stencil that this one is nothing but a jump to, or NULL. */
static const struct row *find_same(const struct object *object, const char *name)
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
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].name, target) == 0)
            return &rows[i];
    return NULL;
}

static void add_row(const char *name, uint16_t number)
{
    struct row *row = &rows[row_count++];

    snprintf(row->name, sizeof row->name, "%s", name);
    row->number = number;
}

/* Does one of the last holes, from `first` on, lead out of native code? */
static bool has_leave(size_t first)
{
    for (size_t i = first; i < hole_count; i++)
        if (holes[i].kind == HOLE_LEAVE)
            return true;
    return false;
}

/* Changes the registers in the stencil's code, which begins at `first_byte`, to those that the
 * copier expects. */
static void clear_fields(size_t first_byte, size_t first_field)
{
    for (size_t i = first_field; i < field_count; i++)
        reader->clear(code + first_byte, &fields[i], reader->operand0 + fields[i].operand);
}

static void add_stencil(const struct object *object, const char *name)
{
    struct part parts[PARTS] = {{0}};
    size_t first_hole = hole_count, first_field = field_count, first_byte = code_size;
    unsigned uses = 0;
    bool known = find_parts(object, name, parts);
    int jump = single_jump(object, &parts[COLD]);
    char kind = name[strlen(name) - 1];
    bool is_constant = strncmp(name, "stencil_", 8) == 0 && (kind == 's' || kind == 'w');

    if (is_gathered(name))
        return;
    const struct row *same = find_same(object, name);
    if (same) {
        add_row(name, same->number);
        return;
    }
    if (jump >= 0)
        parts[COLD].size = 0;
    for (unsigned i = 0; i < PARTS && known; i++)
        if (!parts[i].is_relays)
            known = add_part(object, parts, &parts[i], jump, &uses);
    if (is_constant && known && second.elf)
        known =
            !parts[REST].size && !parts[COLD].size && add_constants(name, &parts[HOT], kind == 's');
    if (!known || hole_count - first_hole > UINT8_MAX || field_count - first_field > UINT8_MAX) {
        hole_count = first_hole;
        field_count = first_field;
        left_out++;
        return;
    }
    size_t hot = parts[HOT].size, cold = parts[COLD].base + parts[COLD].size - hot;
    struct stencil_code stencil = {.hot = (uint16_t)hot,
                                   .cold = (uint16_t)cold,
                                   .holes = (uint8_t)(hole_count - first_hole),
                                   .fields = (uint8_t)(field_count - first_field),
                                   .uses = (uint8_t)uses,
                                   .leaves = has_leave(first_hole)};
    for (unsigned i = 0; i < PARTS; i++)
        if (!parts[i].is_relays)
            append_code(&parts[i]);
    clear_fields(first_byte, first_field);
    stencil.code = merge(code, 1, first_byte, &code_size);
    stencil.first_hole = (uint16_t)merge(holes, sizeof *holes, first_hole, &hole_count);
    stencil.first_field = (uint16_t)merge(fields, sizeof *fields, first_field, &field_count);
    add_row(name, number_of(&stencil));
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

/* Other functions are those that the compiler did not put into all stencils that call them, which
 * are left out. */
static bool is_stencil(const char *name)
{
    return strncmp(name, "stencil_", 8) == 0 || strncmp(name, "glue_", 5) == 0;
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
            !strchr(symbol_text, '.') && is_stencil(symbol_text))
            add_stencil(&object, symbol_text);
    }
    close_object(&object);
    if (second_name)
        close_object(&second);
}

/* Returns the length of what says whose row it is: stencil_ADD of stencil_ADD__rrmc, or glue_count.
 */
static size_t id_length(const char *name)
{
    const char *places = strstr(name, "__");

    return places ? (size_t)(places - name) : strlen(name);
}

/* Do the rows belong to the same instruction? */
static bool is_same_id(const struct row *a, const struct row *b)
{
    size_t length = id_length(a->name);

    return id_length(b->name) == length && memcmp(a->name, b->name, length) == 0;
}

/* Returns the number of the rows from this one on that belong to the same instruction. */
static size_t count_rows(size_t first)
{
    size_t end = first + 1;

    while (end < row_count && is_same_id(&rows[first], &rows[end]))
        end++;
    return end - first;
}

static unsigned number_of_letter(const char *letters, char letter)
{
    const char *found = strchr(letters, letter);

    if (!found)
        fail("a stencil has an unknown letter in its name");
    return (unsigned)(found - letters);
}

static void write_id(const char *name)
{
    size_t length = id_length(name);

    if (name[length])
        fprintf(output, "ISA_ID_%.*s", (int)length - 8, name + 8);
    else
        fprintf(output, "STENCIL_%s", name);
}

/* Returns the kind of the stencil and the places of its operands. */
static enum stencil_kind read_choice(const char *name, unsigned *places)
{
    const char *letters = name + id_length(name);
    char kind = name[strlen(name) - 1];

    *places = PLACE_MEMORY;
    if (!*letters)
        return KIND_USUAL;
    for (unsigned i = 0; i < STENCIL_OPERANDS; i++)
        *places |= number_of_letter(STENCIL_PLACES, letters[2 + i]) << i * STENCIL_PLACE_BITS;
    return number_of_letter(STENCIL_KIND_LETTERS, kind == 's' || kind == 'w' ? 'i' : kind);
}

/* The place of a stencil in a library, in order. */
static unsigned order_of(const struct row *row)
{
    unsigned places;
    enum stencil_kind kind = read_choice(row->name, &places);

    return (unsigned)kind * STENCIL_CHOICES + places;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    size_t length = id_length(one->name), other_length = id_length(other->name);
    int order = memcmp(one->name, other->name, length < other_length ? length : other_length);

    if (order || length != other_length)
        return order ? order : length < other_length ? -1 : 1;
    unsigned first = order_of(one), second = order_of(other);
    return first != second ? (first < second ? -1 : 1) : strcmp(one->name, other->name);
}

/* Sorts the rows by instruction, kind and choice. Of two for the same choice, the first one by its
 * name stays. */
static void sort_rows(void)
{
    size_t kept = 0;

    qsort(rows, row_count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < row_count; i++)
        if (!kept || !is_same_id(&rows[kept - 1], &rows[i]) ||
            order_of(&rows[kept - 1]) != order_of(&rows[i]))
            rows[kept++] = rows[i];
    row_count = kept;
}

/* The groups of one instruction, by kind. */
struct groups {
    struct stencil_group groups[STENCIL_KINDS];
    unsigned numbers[STENCIL_KINDS]; /* in the order of the kinds, from 1 on; 0: none */
    unsigned count;
};

/* Makes the groups of the rows from `first` on. */
static struct groups make_groups(size_t first, size_t count)
{
    struct groups groups = {.count = 0};
    unsigned places;

    for (size_t i = first; i < first + count; i++) {
        enum stencil_kind kind = read_choice(rows[i].name, &places);
        if (!groups.numbers[kind]) {
            groups.numbers[kind] = ++groups.count;
            groups.groups[kind].first = (uint16_t)i;
        }
        groups.groups[kind].choices |= UINT64_C(1) << places;
    }
    return groups;
}

static void write_groups(const struct groups *groups)
{
    for (unsigned kind = 0; kind < STENCIL_KINDS; kind++)
        if (groups->numbers[kind])
            fprintf(output, "{0x%" PRIx64 ", %u},\n", groups->groups[kind].choices,
                    groups->groups[kind].first);
}

static void write_span(const char *name, const struct groups *groups, unsigned first)
{
    fputs("[", output);
    write_id(name);
    fprintf(output, "%s] = {%u, {", name[id_length(name)] ? "" : " - STENCIL_GLUE + ISA_ID_COUNT",
            first);
    for (unsigned kind = 0; kind < STENCIL_KINDS; kind++)
        fprintf(output, "%u, ", groups->numbers[kind]);
    fputs("}},\n", output);
}

/* Writes a library. The rows of an instruction, or of glue, follow one another, and so do its
 * groups. */
static void write_library(const char *library)
{
    fprintf(output, "STENCIL_ROWS(%s) {\n", library);
    for (size_t i = 0; i < row_count; i++) {
        fputs("{", output);
        write_id(rows[i].name);
        fprintf(output, ", %u},\n", rows[i].number);
    }
    fprintf(output, "};\nSTENCIL_GROUPS(%s) {\n", library);
    for (size_t i = 0, count; i < row_count; i += count) {
        count = count_rows(i);
        struct groups groups = make_groups(i, count);
        write_groups(&groups);
    }
    fprintf(output, "};\nSTENCIL_SPANS(%s) {\n", library);
    for (size_t i = 0, count, first = 0; i < row_count; i += count) {
        count = count_rows(i);
        struct groups groups = make_groups(i, count);
        write_span(rows[i].name, &groups, (unsigned)first);
        first += groups.count;
    }
    fputs("};\n", output);
}

/* Writes what the libraries consist of. */
static void write_stencils(void)
{
    fputs("STENCIL_TABLE {\n", output);
    for (size_t i = 0; i < stencil_count; i++)
        fprintf(output, "{%u, %u, %u, %u, %u, %u, %u, %u, %u},\n", stencils[i].code,
                stencils[i].first_hole, stencils[i].first_field, stencils[i].hot, stencils[i].cold,
                stencils[i].holes, stencils[i].fields, stencils[i].uses, stencils[i].leaves);
    fputs("};\nSTENCIL_CODE\n", output);
    /* The last unit is copied with what comes after it. A compiler reads strings faster than
     * numbers. */
    size_t end = code_size + STENCIL_UNIT;
    for (size_t i = 0; i < end; i++)
        fprintf(output, "%s\\%o%s", i % LINE == 0 ? "\"" : "", i < code_size ? code[i] : 0,
                i % LINE == LINE - 1 || i == end - 1 ? "\"\n" : "");
    fputs(";\nSTENCIL_HOLES {\n", output);
    for (size_t i = 0; i < hole_count; i++)
        fprintf(output, "{%u, %u, %u, %d},\n", holes[i].at, holes[i].kind, holes[i].form,
                holes[i].addend);
    fputs("};\nSTENCIL_FIELDS {\n", output);
    for (size_t i = 0; i < field_count; i++)
        fprintf(output, "{%u, %u, %u, %u, %u},\n", fields[i].at, fields[i].back, fields[i].shift,
                fields[i].bit, fields[i].operand);
    fputs("};\n", output);
}

/* Gathers a library of the objects. `seconds`: the same ones with other constants; or NULL. */
static void add_library(const char *library, char **objects, int count, char **seconds)
{
    row_count = 0;
    for (int i = 0; i < count; i++)
        read_object(objects[i], seconds ? seconds[i] : NULL);
    sort_rows();
    write_library(library);
    if (getenv("V"))
        fprintf(stderr, "gather: %s: %zu stencils; %zu different ones of %zu bytes, %zu left out\n",
                library, row_count, stencil_count, code_size, left_out);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"any", "new"};
    char **lists[LISTS + 1]; /* where they begin, and where the last one ends */
    int counts[LISTS], list_count = 0;

    if (argc < 3 || elf_version(EV_CURRENT) == EV_NONE || !(output = fopen(argv[1], "w")))
        fail(USAGE);
    lists[0] = argv + 2;
    for (char **at = argv + 2; at <= argv + argc; at++)
        if (at == argv + argc || strcmp(*at, "--") == 0) {
            counts[list_count] = (int)(at - lists[list_count]);
            if (list_count % 2 == 1 && counts[list_count] != counts[list_count - 1])
                fail(USAGE);
            lists[++list_count] = at + 1;
            if (list_count == LISTS)
                break;
        }
    fputs("/* Stencils. Written by gather. Do not edit. */\n", output);
    for (int i = 0; i < list_count; i += 2)
        add_library(names[i / 2], lists[i], counts[i], i + 1 < list_count ? lists[i + 1] : NULL);
    write_stencils();
    if (fclose(output) != 0)
        fail("cannot write the output");
    return 0;
}
