/*
 * gather OUTPUT OBJECT... [-- SECOND... [-- OBJECT...]]: makes tables of the stencils
 * in the objects, as C. A stencil is a function in a section of its own, maybe with a cold part in
 * another one, or at its end. Those that need what only the linker could give them, such as a call
 * of another function, are left out.
 *
 * SECOND are the same objects, compiled with other constants for immediates. The objects of the
 * third list make another library, which has those of the first list where it lacks a stencil. Most
 * stencils of the two are the same, or have the same holes or fields, so these are written once.
 */
#include "emu/native/stencils/library.h"
#include "emu/native/stencils/object.h"
#include "emu/native/stencils/tables.h"

#include <err.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USAGE "usage: gather OUTPUT OBJECT... [-- SECOND... [-- OBJECT...]]"

enum { LISTS = 3 }; /* of objects */

struct gatherer {
    FILE *output;
    struct object object, second; /* the same one with other constants, or without an ELF file */
    size_t left_out;
    struct library library; /* that is being gathered */
    struct tables tables;
};

/* The stencil that is being gathered. */
struct candidate {
    const char *name;
    struct part parts[PARTS];
    int single_jump; /* object_single_jump */
    size_t first_hole, first_field, first_byte;
    unsigned uses; /* as in struct stencil */
};

/* Has the hole lead to the offset in a section of the stencil. */
static void aim(const struct object *object, const struct part *parts, bool is_far, size_t offset,
                struct stencil_hole *hole)
{
    const struct part *rest = &parts[PART_REST];

    hole->kind = HOLE_OWN;
    if (!is_far && rest->size && offset >= rest->start &&
        is_relay(object, rest, offset - rest->start, &offset))
        is_far = true;
    if (is_far)
        hole->addend = (int32_t)(parts[PART_COLD].base + offset);
    else if (rest->size && offset >= rest->start)
        hole->addend = (int32_t)(rest->base + offset - rest->start);
    else if (offset == parts[PART_HOT].size) /* the jump that was dropped */
        hole->kind = HOLE_NEXT;
    else
        hole->addend = (int32_t)offset;
}

/* Makes the hole of a relocation. Returns false for one that the copier cannot fill. */
static bool make_hole(const struct object *object, const struct candidate *candidate,
                      const struct part *part, const GElf_Rela *relocation,
                      struct stencil_hole *hole)
{
    GElf_Sym symbol;
    const char *name = object_symbol_name(object, relocation, &symbol);
    int kind = hole_kind(name);
    int64_t addend = relocation->r_addend;
    enum hole_form form;
    bool is_far;

    if (!object->reader->find_form(GELF_R_TYPE(relocation->r_info), &addend, &form))
        return false;
    *hole = (struct stencil_hole){.at = (uint16_t)(part->base + relocation->r_offset - part->start),
                                  .kind = (uint8_t)kind,
                                  .form = (uint8_t)form,
                                  .addend = (int32_t)addend};
    if (kind >= 0)
        return addend == (int32_t)addend;
    if (!is_own_code(name, &is_far))
        return false;
    aim(object, candidate->parts, is_far, (size_t)(addend + (int64_t)symbol.st_value), hole);
    if (is_far && candidate->single_jump >= 0) {
        hole->kind = (uint8_t)candidate->single_jump;
        hole->addend = 0;
    }
    return true;
}

/* Adds the holes of a part. Returns false if there is one that the copier cannot fill. */
static bool add_holes(struct gatherer *gatherer, const struct candidate *candidate,
                      const struct part *part)
{
    for (size_t i = 0; i < part->count; i++) {
        GElf_Rela relocation;
        struct stencil_hole hole;
        if (!gelf_getrela(part->relocations, (int)i, &relocation))
            errx(1, "bad relocation");
        if (relocation.r_offset - part->start >= part->size)
            continue; /* of another part, or of a jump that was dropped */
        if (!make_hole(&gatherer->object, candidate, part, &relocation, &hole))
            return false;
        tables_add_hole(&gatherer->tables, &hole);
    }
    return true;
}

/* Adds holes for the jumps of a part to another one. */
static void add_branches(struct gatherer *gatherer, const struct candidate *candidate,
                         const struct part *part)
{
    const struct object *object = &gatherer->object;
    const struct part *hot = &candidate->parts[PART_HOT], *rest = &candidate->parts[PART_REST];

    if (!object->reader->find_branch || part == &candidate->parts[PART_COLD])
        return;
    for (size_t at = 0; at < part->size; at += object->reader->jump_size) {
        int64_t distance;
        enum hole_form form;
        GElf_Rela relocation;
        if (!object->reader->find_branch(part->bytes + at, &distance, &form) ||
            part_find_relocation(part, part->start + at, &relocation))
            continue;
        size_t target = (size_t)((int64_t)(part->start + at) + distance);
        if (target - part->start < part->size ||
            (part == hot && target == part->size && target < rest->start))
            continue;
        struct stencil_hole hole = {.at = (uint16_t)(part->base + at), .form = (uint8_t)form};
        aim(object, candidate->parts, false, target, &hole);
        tables_add_hole(&gatherer->tables, &hole);
    }
}

/* Adds the fields for the registers of the operands, and notes other registers. Returns false for
 * code that is not known. */
static bool add_fields(struct gatherer *gatherer, struct candidate *candidate,
                       const struct part *part)
{
    const struct reader *reader = gatherer->object.reader;

    for (size_t at = 0, length; at < part->size; at += length) {
        struct stencil_field found[READER_FIELDS];
        size_t count;
        const unsigned char *bytes = part->bytes + at;
        length = reader->decode(bytes, part->size - at, found, &count, &candidate->uses);
        if (!length) {
            warnx("unknown code %02x %02x %02x %02x", bytes[0], bytes[1], bytes[2], bytes[3]);
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            unsigned operand = found[i].operand - reader->operand0;
            struct stencil_field field = found[i];
            field.at = (uint16_t)(field.at + part->base + at);
            field.operand = (uint8_t)operand;
            if (operand < STENCIL_REGISTERS)
                tables_add_field(&gatherer->tables, &field);
        }
    }
    return true;
}

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

/* Finds the hole for the immediate where a byte of the hot part differs from that with the other
 * constant. Returns false if the two differ otherwise. */
static bool make_constant(const struct part *part, const struct part *other, size_t at,
                          struct stencil_hole *hole)
{
    enum { DISTANCE = STENCIL_SMALL - STENCIL_SECOND_SMALL };
    int value = part->bytes[at], difference = value - other->bytes[at];
    bool is_minus = difference == -DISTANCE;

    *hole =
        (struct stencil_hole){.at = (uint16_t)at,
                              .kind = is_minus ? HOLE_MINUS_IMMEDIATE : HOLE_IMMEDIATE,
                              .form = FORM_X86_BYTE,
                              .addend = is_minus ? value + STENCIL_SMALL : value - STENCIL_SMALL};
    return difference == DISTANCE || is_minus;
}

/* Adds the holes for the immediate. Returns false if the stencil depends on it otherwise. */
static bool add_constants(struct gatherer *gatherer, const struct candidate *candidate)
{
    const struct part *part = &candidate->parts[PART_HOT];
    struct part other[PARTS] = {{0}};

    if (!object_find_parts(&gatherer->second, candidate->name, other) ||
        other[PART_HOT].size < part->size || !same_relocations(part, &other[PART_HOT]))
        return false;
    for (size_t at = 0; at < part->size; at++) {
        struct stencil_hole hole;
        if (part->bytes[at] == other[PART_HOT].bytes[at])
            continue;
        if (!make_constant(part, &other[PART_HOT], at, &hole))
            return false;
        tables_add_hole(&gatherer->tables, &hole);
    }
    return true;
}

static bool add_part(struct gatherer *gatherer, struct candidate *candidate,
                     const struct part *part)
{
    if (part->is_relays)
        return true;
    if (!add_holes(gatherer, candidate, part) || !add_fields(gatherer, candidate, part))
        return false;
    add_branches(gatherer, candidate, part);
    return true;
}

/* Adds holes and fields. Returns false for a stencil that the copier cannot copy. */
static bool add_parts(struct gatherer *gatherer, struct candidate *candidate)
{
    struct part *parts = candidate->parts;
    char kind = candidate->name[strlen(candidate->name) - 1];
    bool is_constant = strncmp(candidate->name, "stencil_", 8) == 0 && kind == 's';

    if (!object_find_parts(&gatherer->object, candidate->name, parts))
        return false;
    candidate->single_jump = object_single_jump(&gatherer->object, &parts[PART_COLD]);
    if (candidate->single_jump >= 0)
        parts[PART_COLD].size = 0;
    for (unsigned i = 0; i < PARTS; i++)
        if (!add_part(gatherer, candidate, &parts[i]))
            return false;
    if (is_constant && gatherer->second.elf &&
        (parts[PART_REST].size || parts[PART_COLD].size || !add_constants(gatherer, candidate)))
        return false;
    return gatherer->tables.hole_count - candidate->first_hole <= UINT8_MAX &&
           gatherer->tables.field_count - candidate->first_field <= UINT8_MAX;
}

/* Adds the code, with the fields of registers as the copier expects them. */
static void add_code(struct gatherer *gatherer, const struct candidate *candidate)
{
    struct tables *tables = &gatherer->tables;
    const struct reader *reader = gatherer->object.reader;

    for (unsigned i = 0; i < PARTS; i++)
        if (!candidate->parts[i].is_relays)
            tables_add_code(tables, candidate->parts[i].bytes, candidate->parts[i].size);
    for (size_t i = candidate->first_field; i < tables->field_count; i++)
        reader->clear(tables->code + candidate->first_byte, &tables->fields[i],
                      reader->operand0 + tables->fields[i].operand);
}

/* Describes the stencil whose holes, fields and code are the last ones in the tables. */
static struct stencil describe(const struct tables *tables, const struct candidate *candidate)
{
    const struct part *parts = candidate->parts;
    size_t hot = parts[PART_HOT].size, end = parts[PART_COLD].base + parts[PART_COLD].size;
    struct stencil stencil = {.hot = (uint16_t)hot,
                              .cold = (uint16_t)(end - hot),
                              .holes = (uint8_t)(tables->hole_count - candidate->first_hole),
                              .fields = (uint8_t)(tables->field_count - candidate->first_field),
                              .uses = (uint8_t)candidate->uses};

    for (size_t i = candidate->first_hole; i < tables->hole_count; i++)
        stencil.leaves |= tables->holes[i].kind == HOLE_LEAVE;
    return stencil;
}

/* Glue has to be there. An instruction without a stencil is executed by its function. */
static bool is_glue(const char *name)
{
    return strncmp(name, "glue_", 5) == 0;
}

/* Other functions are those that the compiler did not put into all stencils that call them, which
 * are left out. */
static bool is_stencil(const char *name)
{
    return strncmp(name, "stencil_", 8) == 0 || is_glue(name);
}

static void add_stencil(struct gatherer *gatherer, const char *name)
{
    struct tables *tables = &gatherer->tables;
    struct candidate candidate = {.name = name,
                                  .first_hole = tables->hole_count,
                                  .first_field = tables->field_count,
                                  .first_byte = tables->code_size};
    const char *same = object_find_same(&gatherer->object, name);
    const struct row *row = same ? library_find(&gatherer->library, same) : NULL;

    if (library_find(&gatherer->library, name)) /* from an object before */
        return;
    if (row) {
        library_add(&gatherer->library, name, row->number);
        return;
    }
    if (!add_parts(gatherer, &candidate)) {
        if (is_glue(name))
            errx(1, "%s: the compiler's code cannot be copied; use another compiler (STENCIL_CC)",
                 name);
        tables->hole_count = candidate.first_hole;
        tables->field_count = candidate.first_field;
        gatherer->left_out++;
        return;
    }
    add_code(gatherer, &candidate);
    struct stencil stencil = describe(tables, &candidate);
    stencil.code = tables_merge_code(tables, candidate.first_byte);
    stencil.first_hole = tables_merge_holes(tables, candidate.first_hole);
    stencil.first_field = tables_merge_fields(tables, candidate.first_field);
    library_add(&gatherer->library, name, tables_number(tables, &stencil));
}

/* Adds the instructions of the object that have the stencils of others. */
static void add_twins(struct gatherer *gatherer)
{
    struct part part;

    if (!object_find_section(&gatherer->object, STENCILS_AS_SECTION, &part))
        return;
    for (size_t at = 0; at < part.size; at += strlen((const char *)part.bytes + at) + 1)
        library_add_twin(&gatherer->library, (const char *)part.bytes + at);
}

/* `second_name`: the same object with other constants; or NULL. */
static void read_object(struct gatherer *gatherer, const char *name, const char *second_name)
{
    struct object *object = &gatherer->object;

    *object = object_open(name);
    gatherer->second = second_name ? object_open(second_name) : (struct object){0};
    for (size_t i = 0; i < object->symbol_count; i++) {
        GElf_Sym symbol;
        gelf_getsym(object->symbols, (int)i, &symbol);
        const char *text = elf_strptr(object->elf, object->strings, symbol.st_name);
        if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
            !strchr(text, '.') && is_stencil(text))
            add_stencil(gatherer, text);
    }
    add_twins(gatherer);
    object_close(object);
    if (second_name)
        object_close(&gatherer->second);
}

/* `seconds`: the same ones with other constants; or NULL. */
static void read_objects(struct gatherer *gatherer, char **objects, int count, char **seconds)
{
    for (int i = 0; i < count; i++)
        read_object(gatherer, objects[i], seconds ? seconds[i] : NULL);
}

/* Writes the library of the objects that were read, and begins another one. */
static void end_library(struct gatherer *gatherer, const char *name)
{
    struct library *library = &gatherer->library;
    const struct tables *tables = &gatherer->tables;

    library_sort(library);
    library_write(library, tables, name, gatherer->output);
    if (getenv("V"))
        fprintf(stderr, "gather: %s: %zu stencils; %zu different ones of %zu bytes, %zu left out\n",
                name, library->count, tables->stencil_count, tables->code_size, gatherer->left_out);
    library->count = library->twin_count = 0;
}

int main(int argc, char **argv)
{
    struct gatherer *gatherer = calloc(1, sizeof *gatherer);
    char **lists[LISTS + 1]; /* where they begin, and where the last one ends */
    int counts[LISTS] = {0}, list_count = 0;

    if (argc < 3 || !gatherer || elf_version(EV_CURRENT) == EV_NONE ||
        !(gatherer->output = fopen(argv[1], "w")))
        errx(1, USAGE);
    lists[0] = argv + 2;
    for (char **at = argv + 2; at <= argv + argc; at++)
        if (at == argv + argc || strcmp(*at, "--") == 0) {
            counts[list_count] = (int)(at - lists[list_count]);
            if (list_count == 1 && counts[1] != counts[0])
                errx(1, USAGE);
            lists[++list_count] = at + 1;
            if (list_count == LISTS)
                break;
        }
    fputs("/* Stencils. Written by gather. Do not edit. */\n", gatherer->output);
    char **seconds = list_count > 1 ? lists[1] : NULL;
    read_objects(gatherer, lists[0], counts[0], seconds);
    end_library(gatherer, "any");
    if (list_count == LISTS) {
        read_objects(gatherer, lists[2], counts[2], NULL);
        read_objects(gatherer, lists[0], counts[0], seconds);
        end_library(gatherer, "new");
    }
    tables_write(&gatherer->tables, gatherer->output);
    if (fclose(gatherer->output) != 0)
        errx(1, "cannot write the output");
    free(gatherer);
    return 0;
}
