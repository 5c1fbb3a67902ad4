/* Rows of the line table, and .debug_line: a header with the names of the files, then a sequence of
 * rows for each section.
 *
 * The rows of a subsection are in the order of its code, because a row is made when its place is
 * reached. In the table a row changes the registers of DWARF's line machine (DWARF 5, 6.2.2), which
 * have their initial values again at the start of each sequence. */
#include "asm/lines.h"
#include "asm/expression.h"
#include "asm/generate.h"
#include "asm/tasm.h"
#include "asm/unit.h"
#include "lib/leb128.h"
#include "lib/strings.h"
#include <dwarf.h>
#include <string.h>

enum {
    VERSION = 5,
    ADDRESS_SIZE = 8,
    LINE_BASE = -5,
    LINE_RANGE = 14,
    OPCODE_BASE = 13,
    STEP_LIMIT = 50000 /* of an advance in 16 bits; below 65536, because the linker may add to it */
};

/* ---- files ---- */

struct line_file *lines_file_at(struct assembler *as, uint64_t number)
{
    struct lines *lines = &as->lines;

    while (lines->file_count <= number) {
        lines->files = arena_grow(as->arena, lines->files, lines->file_count, &lines->file_capacity,
                                  sizeof *lines->files);
        lines->files[lines->file_count++] = (struct line_file){0};
    }
    return &lines->files[number];
}

void lines_split_name(struct assembler *as, struct line_file *file, const char *directory,
                      const char *name)
{
    const char *slash = strrchr(name, '/');

    file->directory = directory;
    file->name = name;
    if (directory || !slash)
        return;
    file->directory = slash == name ? "/" : arena_copy(as->arena, name, (size_t)(slash - name));
    file->name = slash + 1;
}

/* Returns the number of the file that a statement is in, which gets one if it has none. */
static uint64_t file_of(struct assembler *as, const struct position *at)
{
    struct lines *lines = &as->lines;
    const char *name = at->name ? at->name : at->file->name;
    struct line_file file = {0};

    lines_split_name(as, &file, NULL, name);
    for (size_t i = 1; i < lines->file_count; i++) {
        const char *directory = lines->files[i].directory;
        if (lines->files[i].name && strcmp(lines->files[i].name, file.name) == 0 &&
            (directory && file.directory ? strcmp(directory, file.directory) == 0
                                         : directory == file.directory))
            return i;
    }
    uint64_t number = lines->file_count ? lines->file_count : 1;
    *lines_file_at(as, number) = file;
    return number;
}

/* ---- rows ---- */

static void note_section(struct assembler *as, struct section *section)
{
    struct lines *lines = &as->lines;

    if (section->has_lines)
        return;
    section->has_lines = true;
    lines->sections = arena_grow(as->arena, lines->sections, lines->section_count,
                                 &lines->section_capacity, sizeof *lines->sections);
    lines->sections[lines->section_count++] = section;
}

void lines_add_row(struct assembler *as)
{
    struct lines *lines = &as->lines;
    struct subsection *subsection = as->sections.current.subsection;
    struct line_row *row = arena_new(as->arena, struct line_row);

    *row = lines->now;
    row->label = symbol_here(as, ".L0 ");
    if (subsection->last_row)
        subsection->last_row->next = row;
    else
        subsection->first_row = row;
    subsection->last_row = lines->last = row;
    note_section(as, symbol_section(row->label));
    lines->pending = false;
    lines->now.flags &= LINE_STATEMENT;
    lines->now.discriminator = 0;
}

void lines_instruction(struct assembler *as, const struct position *at)
{
    struct lines *lines = &as->lines;

    if (lines->pending) {
        lines_add_row(as);
        return;
    }
    if (!as->options.debug_lines || lines->given)
        return;
    uint64_t file = file_of(as, at);
    const struct line_row *last = as->sections.current.subsection->last_row;
    if (last && last->file == file && last->line == at->line)
        return;
    lines->now = (struct line_row){.at = location_of(as, at),
                                   .file = (uint32_t)file,
                                   .line = at->line,
                                   .flags = LINE_STATEMENT};
    lines_add_row(as);
}

/* ---- writing ---- */

struct writer {
    struct assembler *as;
    const struct position *at; /* of the last row of all, or `row_at` */
    struct position row_at;    /* of the row being written */
    struct strings directories;
};

static void put(const struct writer *writer, uint64_t value, unsigned size)
{
    generate_number(writer->as, writer->at, value, size);
}

/* ---- header ---- */

static uint64_t directory_number(struct writer *writer, const char *name)
{
    if (!name)
        return 0;
    size_t number = strings_find(&writer->directories, name);
    if (number == writer->directories.count)
        strings_add(&writer->directories, writer->as->arena, name);
    return number;
}

static void put_string(struct writer *writer, const char *text)
{
    generate_string(writer->as, writer->at, ".debug_line_str", text);
}

/* Returns the file for entry 0, which describes the unit: that of .file 0, or else the first file.
 */
static struct line_file *first_file(struct lines *lines)
{
    for (size_t i = 0; i < lines->file_count; i++)
        if (lines->files[i].name)
            return &lines->files[i];
    BUG("rows without a file");
}

/* The table has a column of digests if every file has one, since 0 would be a wrong digest. */
static bool has_digests(struct lines *lines)
{
    for (size_t i = 0; i < lines->file_count; i++)
        if (lines->files[i].name && !lines->files[i].has_digest)
            return false;
    return true;
}

static void put_digest(struct writer *writer, const struct line_file *file)
{
    for (unsigned i = 2; i-- > 0;)
        put(writer, __builtin_bswap64(file->digest[i]), 8); /* the first byte is the highest */
}

static void put_names(struct writer *writer)
{
    struct lines *lines = &writer->as->lines;
    bool digests = has_digests(lines);

    directory_number(writer, lines->directory ? lines->directory : ".");
    for (size_t i = 0; i < lines->file_count; i++)
        if (lines->files[i].name)
            directory_number(writer, lines->files[i].directory);
    put(writer, 1, 1);
    put(writer, DW_LNCT_path, 1);
    put(writer, DW_FORM_line_strp, 1);
    generate_unsigned(writer->as, writer->at, writer->directories.count);
    for (size_t i = 0; i < writer->directories.count; i++)
        put_string(writer, writer->directories.items[i]);
    put(writer, digests ? 3 : 2, 1);
    put(writer, DW_LNCT_path, 1);
    put(writer, DW_FORM_line_strp, 1);
    put(writer, DW_LNCT_directory_index, 1);
    put(writer, DW_FORM_udata, 1);
    if (digests) {
        put(writer, DW_LNCT_MD5, 1);
        put(writer, DW_FORM_data16, 1);
    }
    generate_unsigned(writer->as, writer->at, lines->file_count);
    for (size_t i = 0; i < lines->file_count; i++) {
        const struct line_file *file = lines->files[i].name ? &lines->files[i] : first_file(lines);
        put_string(writer, file->name);
        generate_unsigned(writer->as, writer->at, directory_number(writer, file->directory));
        if (digests)
            put_digest(writer, file);
    }
}

static void put_header(struct writer *writer)
{
    static const unsigned char argument_counts[OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0,
                                                                   0, 0, 1, 0, 0, 1};

    put(writer, VERSION, 2);
    put(writer, ADDRESS_SIZE, 1);
    put(writer, 0, 1); /* no segment selectors */
    struct symbol *end = generate_length(writer->as, writer->at);
    put(writer, 1, 1);              /* minimum_instruction_length */
    put(writer, 1, 1);              /* maximum_operations_per_instruction */
    put(writer, LINE_STATEMENT, 1); /* default_is_stmt */
    put(writer, (uint64_t)LINE_BASE, 1);
    put(writer, LINE_RANGE, 1);
    put(writer, OPCODE_BASE, 1);
    generate_bytes(writer->as, writer->at, argument_counts, sizeof argument_counts);
    put_names(writer);
    generate_define(writer->as, end);
}

/* ---- sequences ---- */

static void put_operation(struct writer *writer, unsigned opcode, uint64_t operand)
{
    put(writer, opcode, 1);
    generate_unsigned(writer->as, writer->at, operand);
}

static void put_extended(struct writer *writer, unsigned opcode, uint64_t operand_bytes)
{
    put(writer, 0, 1);
    generate_unsigned(writer->as, writer->at, operand_bytes + 1);
    put(writer, opcode, 1);
}

/* Returns the largest size of a branch or jump: that of its inverse and a jump, if it has an
 * inverse. */
static uint64_t longest_branch(const struct isa_instruction *instruction)
{
    return instruction->inverse ? (uint64_t)instruction->inverse->length + instruction->jump->length
                                : instruction->length;
}

/* Is the second label so near that the advance fits in 16 bits? Layout is not done yet, so this
 * adds up the largest possible sizes. */
static bool is_near(const struct symbol *from, const struct symbol *to)
{
    uint64_t distance = 0;
    const struct fragment *fragment = from->fragment;

    for (; fragment && fragment != to->fragment && distance <= STEP_LIMIT;
         fragment = fragment->next) {
        distance += fragment->length;
        if (fragment->kind == FRAGMENT_ALIGN)
            distance += fragment->alignment - 1;
        else if (fragment->kind == FRAGMENT_BRANCH)
            distance += longest_branch(fragment->instruction);
        else if (fragment->kind == FRAGMENT_LEB128)
            distance += 10;
        else if (fragment->kind != FRAGMENT_FIXED)
            return false;
    }
    return fragment && distance + to->offset - from->offset <= STEP_LIMIT;
}

static void put_address(struct writer *writer, struct symbol *label)
{
    put_extended(writer, DW_LNE_set_address, ADDRESS_SIZE);
    generate_distance(writer->as, writer->at, label, NULL, ADDRESS_SIZE);
}

static void put_step(struct writer *writer, struct symbol *from, struct symbol *to)
{
    if (!is_near(from, to)) {
        put_address(writer, to);
        return;
    }
    put(writer, DW_LNS_fixed_advance_pc, 1);
    generate_distance(writer->as, writer->at, to, from, 2);
}

/* Appends the first row of a sequence, with a single opcode if the change of the line is small. */
static void put_first_line(struct writer *writer, int64_t change)
{
    if (change < LINE_BASE || change >= LINE_BASE + LINE_RANGE) {
        put(writer, DW_LNS_advance_line, 1);
        generate_signed(writer->as, writer->at, change);
        change = 0;
    }
    put(writer, change ? (uint64_t)(change - LINE_BASE + OPCODE_BASE) : DW_LNS_copy, 1);
}

static void put_row(struct writer *writer, const struct line_row *before,
                    const struct line_row *row, bool first)
{
    writer->row_at = location_position(writer->as, row->at);
    writer->at = &writer->row_at;
    if (row->file != before->file)
        put_operation(writer, DW_LNS_set_file, row->file);
    if (row->column != before->column)
        put_operation(writer, DW_LNS_set_column, row->column);
    if (row->discriminator) {
        put_extended(writer, DW_LNE_set_discriminator,
                     (unsigned)leb128_size_unsigned(row->discriminator));
        generate_unsigned(writer->as, writer->at, row->discriminator);
    }
    if (row->isa != before->isa)
        put_operation(writer, DW_LNS_set_isa, row->isa);
    if ((row->flags ^ before->flags) & LINE_STATEMENT)
        put(writer, DW_LNS_negate_stmt, 1);
    if (row->flags & LINE_BLOCK)
        put(writer, DW_LNS_set_basic_block, 1);
    if (row->flags & LINE_PROLOGUE_END)
        put(writer, DW_LNS_set_prologue_end, 1);
    if (row->flags & LINE_EPILOGUE)
        put(writer, DW_LNS_set_epilogue_begin, 1);
    int64_t change = (int64_t)row->line - (int64_t)before->line;
    if (first) {
        put_address(writer, row->label);
        put_first_line(writer, change);
        return;
    }
    put(writer, DW_LNS_advance_line, 1);
    generate_signed(writer->as, writer->at, change);
    put_step(writer, before->label, row->label);
    put(writer, DW_LNS_copy, 1);
}

static void put_sequence(struct writer *writer, struct section *section)
{
    struct line_row start = {.file = 1, .line = 1, .flags = LINE_STATEMENT};
    const struct line_row *before = &start;

    for (const struct subsection *subsection = section->subsections; subsection;
         subsection = subsection->next) {
        for (const struct line_row *row = subsection->first_row; row; row = row->next) {
            put_row(writer, before, row, before == &start);
            before = row;
        }
    }
    put_step(writer, before->label, generate_section_end(writer->as, section));
    put_extended(writer, DW_LNE_end_sequence, 0);
}

void lines_finish(struct assembler *as)
{
    struct lines *lines = &as->lines;

    if (lines->pending)
        lines_add_row(as);
    if (!lines->section_count)
        return;
    const struct position *at = position_new(as, location_position(as, lines->last->at));
    struct writer writer = {.as = as, .at = at};
    generate_section(as, ".debug_line", 0, 1);
    struct symbol *start = symbol_here(as, ".L0 ");
    struct symbol *end = generate_length(as, writer.at);
    put_header(&writer);
    for (size_t i = 0; i < lines->section_count; i++)
        put_sequence(&writer, lines->sections[i]);
    generate_define(as, end);
    section_pop(as);
    if (as->options.debug_lines && !lines->given)
        unit_write(as, at, start);
}
