/* See coverage.h. The lines are those of the line tables that have an instruction, also of code
 * that was not executed. A line was executed as often as that of its instructions which was
 * executed most. Each conditional branch is a block of two branches: taken, and not taken. */
#include "emu/report/coverage.h"
#include "lib/bytes.h"
#include "lib/output.h"
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct covered_line {
    const char *file;
    unsigned line;
    bool is_branch;
    uint64_t address, count, taken;
};

struct covered_function {
    const char *file, *name;
    unsigned line;
    uint64_t calls;
};

struct coverage {
    const struct profile_view *view;
    FILE *stream;
    struct covered_line *lines; /* one for each instruction */
    size_t line_count, line_capacity;
    bool *has_bins; /* by instruction: the program has it, and it has bins of operands */
    bool is_listed; /* the bin that is written */
    bool any_bins;
    unsigned bin_line, bins_found, bins_hit;
    struct covered_function *functions;
    size_t function_count, function_capacity;
};

/* ---- what there is ---- */

/* Returns the place of an instruction, or NULL if it was not executed. */
static const struct profile_place *place_at(const struct profile *profile, uint64_t address)
{
    const struct profile_place *page = profile->pages[address % MEMORY_CODE_LIMIT / PROFILE_PAGE];
    const struct profile_place *place = page ? &page[address % PROFILE_PAGE / 2] : NULL;

    return place && place->cost.instructions ? place : NULL;
}

static void add_instruction(struct coverage *coverage, uint64_t address, uint64_t word, int length)
{
    const struct debug_place line = profile_view_line(coverage->view, address);
    const struct profile_place *place = place_at(coverage->view->profile, address);
    const struct isa_instruction *instruction = isa_decode(word, length);

    if (instruction)
        instruction = isa_expand(instruction, &word);
    if (instruction && operand_bins_has(instruction))
        coverage->has_bins[instruction->id] = coverage->any_bins = true;
    if (!line.file || line.line == 0)
        return;
    coverage->lines =
        arena_grow(coverage->view->profile->arena, coverage->lines, coverage->line_count,
                   &coverage->line_capacity, sizeof *coverage->lines);
    coverage->lines[coverage->line_count++] = (struct covered_line){
        .file = line.file,
        .line = line.line,
        .is_branch = instruction && instruction->inverse,
        .address = address,
        .count = place ? place->cost.instructions : 0,
        .taken = place ? place->turned : 0,
    };
}

static void add_section(struct coverage *coverage, const struct elf_section *section)
{
    uint64_t size = section->header.sh_size, at = 0;

    while (section->bytes && at + 2 <= size) {
        uint64_t word = bytes_get(section->bytes + at, 2);
        int length = isa_length((uint16_t)word) ? isa_length((uint16_t)word) : 2;
        if (at + (uint64_t)length > size)
            break;
        word = bytes_get(section->bytes + at, (unsigned)length);
        add_instruction(coverage, section->header.sh_addr + at, word, length);
        at += (uint64_t)length;
    }
}

static void add_functions(struct coverage *coverage)
{
    const struct profile_view *view = coverage->view;
    const struct profile *profile = view->profile;
    size_t executed = 0;

    for (size_t i = 0; i < profile->function_count; i++) {
        uint64_t address = profile->functions[i];
        const struct debug_place line = profile_view_line(view, address);
        while (executed < view->function_count && view->functions[executed].address < address)
            executed++;
        bool was_called =
            executed < view->function_count && view->functions[executed].address == address;
        if (!line.file || line.line == 0)
            continue;
        coverage->functions =
            arena_grow(profile->arena, coverage->functions, coverage->function_count,
                       &coverage->function_capacity, sizeof *coverage->functions);
        coverage->functions[coverage->function_count++] = (struct covered_function){
            .file = line.file,
            .name = profile_view_name(view, address),
            .line = line.line,
            .calls = was_called ? view->functions[executed].calls : 0,
        };
    }
}

/* ---- order ---- */

static int compare_lines(const void *a, const void *b)
{
    const struct covered_line *left = a, *right = b;
    int files = strcmp(left->file, right->file);

    if (files || left->line != right->line)
        return files ? files : (left->line > right->line ? 1 : -1);
    return (left->address > right->address) - (left->address < right->address);
}

static int compare_functions(const void *a, const void *b)
{
    const struct covered_function *left = a, *right = b;
    int files = strcmp(left->file, right->file);

    if (files || left->line != right->line)
        return files ? files : (left->line > right->line ? 1 : -1);
    return strcmp(left->name, right->name);
}

/* Makes one of the copies that several files of a program have of a function. */
static void merge_functions(struct coverage *coverage)
{
    struct covered_function *functions = coverage->functions;
    size_t count = 0;

    if (coverage->function_count == 0)
        return;
    qsort(functions, coverage->function_count, sizeof *functions, compare_functions);
    for (size_t i = 1; i < coverage->function_count; i++)
        if (compare_functions(&functions[count], &functions[i]) == 0)
            functions[count].calls += functions[i].calls;
        else
            functions[++count] = functions[i];
    coverage->function_count = count + 1;
}

/* ---- the tracefile ---- */

static void write_functions(struct coverage *coverage, const char *file)
{
    size_t found = 0, hit = 0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < coverage->function_count; i++) {
            const struct covered_function *function = &coverage->functions[i];
            if (strcmp(function->file, file) != 0)
                continue;
            if (pass == 0) {
                fprintf(coverage->stream, "FN:%u,%s\n", function->line, function->name);
                found++;
                hit += function->calls > 0;
            } else {
                fprintf(coverage->stream, "FNDA:%" PRIu64 ",%s\n", function->calls, function->name);
            }
        }
    fprintf(coverage->stream, "FNF:%zu\nFNH:%zu\n", found, hit);
}

static void write_branches(struct coverage *coverage, size_t first, size_t end)
{
    size_t found = 0, hit = 0, block = 0;

    for (size_t i = first; i < end; i++) {
        const struct covered_line *branch = &coverage->lines[i];
        uint64_t counts[2] = {branch->taken, branch->count - branch->taken};
        if (i > first && branch->line != branch[-1].line)
            block = 0;
        if (!branch->is_branch)
            continue;
        for (unsigned way = 0; way < 2; way++) {
            fprintf(coverage->stream, "BRDA:%u,%zu,%u,", branch->line, block, way);
            if (branch->count)
                fprintf(coverage->stream, "%" PRIu64 "\n", counts[way]);
            else
                fputs("-\n", coverage->stream);
            found++;
            hit += counts[way] > 0;
        }
        block++;
    }
    fprintf(coverage->stream, "BRF:%zu\nBRH:%zu\n", found, hit);
}

static void write_lines(struct coverage *coverage, size_t first, size_t end)
{
    size_t found = 0, hit = 0;
    uint64_t count = 0;

    for (size_t i = first; i < end; i++) {
        const struct covered_line *line = &coverage->lines[i];
        if (line->count > count)
            count = line->count;
        if (i + 1 < end && line[1].line == line->line)
            continue;
        fprintf(coverage->stream, "DA:%u,%" PRIu64 "\n", line->line, count);
        found++;
        hit += count > 0;
        count = 0;
    }
    fprintf(coverage->stream, "LF:%zu\nLH:%zu\n", found, hit);
}

/* Writes the record of a file, whose instructions are those from `first` up to `end`. */
static void write_file(struct coverage *coverage, size_t first, size_t end)
{
    const char *file = coverage->lines[first].file;
    char *path = realpath(file, NULL);

    fprintf(coverage->stream, "SF:%s\n", path ? path : file);
    free(path);
    write_functions(coverage, file);
    write_branches(coverage, first, end);
    write_lines(coverage, first, end);
    fputs("end_of_record\n", coverage->stream);
}

/* ---- operands of tensor instructions ---- */

static void append_bin(void *context, const char *name, uint64_t count)
{
    (void)count;
    text_format(context, "%s\n", name);
}

/* Writes the line of a bin, if the program has the instruction. */
static void write_bin(void *context, const char *name, uint64_t count)
{
    struct coverage *coverage = context;

    (void)name;
    coverage->bin_line++;
    if (!coverage->is_listed)
        return;
    fprintf(coverage->stream, "DA:%u,%" PRIu64 "\n", coverage->bin_line, count);
    coverage->bins_found++;
    coverage->bins_hit += count > 0;
}

/* The element types of an instruction are those of all instructions whose names begin alike. */
static size_t stem_length(const struct isa_instruction *instruction)
{
    return strcspn(instruction->mnemonic, ".");
}

static bool has_stem(const struct coverage *coverage, const struct isa_instruction *instruction)
{
    size_t length = stem_length(instruction);

    for (size_t id = 0; id < isa_instruction_count; id++)
        if (coverage->has_bins[id] && stem_length(&isa_instructions[id]) == length &&
            strncmp(isa_instructions[id].mnemonic, instruction->mnemonic, length) == 0)
            return true;
    return false;
}

/* Calls `each` for every bin of the ISA, in the order of the description. */
static void each_bin(struct coverage *coverage,
                     void (*each)(void *context, const char *name, uint64_t count), void *context)
{
    for (size_t id = 0; id < isa_instruction_count; id++) {
        const struct isa_instruction *instruction = &isa_instructions[id];
        const struct operand_bins *bins = coverage->view->profile->bins[id];
        struct text name = TEXT_INIT;
        if (!operand_bins_has(instruction))
            continue;
        coverage->is_listed = has_stem(coverage, instruction);
        text_format(&name, "%s: executed", instruction->mnemonic);
        each(context, name.bytes, bins ? bins->executed : 0);
        text_free(&name);
        coverage->is_listed = coverage->has_bins[id];
        operand_bins_each(bins, instruction, each, context);
    }
}

const char *coverage_operands_file(struct arena *arena, const char *name)
{
    const char *slash = strrchr(name, '/');
    int directory = slash ? (int)(slash + 1 - name) : 0;

    return output_is_direct(name) ? NULL
                                  : arena_format(arena, "%.*stensor-operands.txt", directory, name);
}

/* Writes the file of operands, whose lines are the bins, and its record. It is the same for all
 * programs and machines, so that the coverage of several runs can be added up. */
static bool write_operands(struct coverage *coverage, struct diag *diag, const char *file)
{
    struct text text = TEXT_INIT;

    each_bin(coverage, append_bin, &text);
    bool good = output_file(diag, file, 0666, text.bytes, text.length);
    if (good) {
        char *real = realpath(file, NULL);
        fprintf(coverage->stream, "SF:%s\nFNF:0\nFNH:0\n", real ? real : file);
        each_bin(coverage, write_bin, coverage);
        fprintf(coverage->stream, "LF:%u\nLH:%u\nend_of_record\n", coverage->bins_found,
                coverage->bins_hit);
        free(real);
    }
    text_free(&text);
    return good;
}

bool coverage_write(const struct profile_view *view, struct diag *diag, const char *operands,
                    FILE *stream)
{
    const struct elf_file *file = &view->program->file;
    struct coverage coverage = {
        .view = view,
        .stream = stream,
        .has_bins = arena_array(view->profile->arena, isa_instruction_count, sizeof(bool))};
    size_t first = 0;

    for (size_t i = 1; i < file->section_count; i++)
        if (file->sections[i].header.sh_flags & SHF_EXECINSTR)
            add_section(&coverage, &file->sections[i]);
    add_functions(&coverage);
    merge_functions(&coverage);
    if (coverage.line_count)
        qsort(coverage.lines, coverage.line_count, sizeof *coverage.lines, compare_lines);
    fputs("TN:\n", stream);
    for (size_t i = 0; i < coverage.line_count; i++)
        if (i + 1 == coverage.line_count ||
            strcmp(coverage.lines[i].file, coverage.lines[i + 1].file) != 0) {
            write_file(&coverage, first, i + 1);
            first = i + 1;
        }
    return !coverage.any_bins || !operands || write_operands(&coverage, diag, operands);
}
