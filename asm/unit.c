/* The debug information of an assembly source: its name, its language and its ranges of addresses.
 *
 * File names are those of the command line, and the compilation directory is ".", so that an object
 * does not depend on the directory that it is made in. */
#include "asm/unit.h"
#include "asm/expression.h"
#include "asm/generate.h"
#include <dwarf.h>

enum { VERSION = 5, ARANGES_VERSION = 2, ADDRESS_SIZE = 8 };

struct writer {
    struct assembler *as;
    const struct position *at;
};

static void put(const struct writer *writer, uint64_t value, unsigned size)
{
    generate_number(writer->as, writer->at, value, size);
}

static void put_symbol(const struct writer *writer, struct symbol *symbol, unsigned size)
{
    generate_expression(writer->as, writer->at, expression_symbol(writer->as, writer->at, symbol),
                        size);
}

static struct symbol *write_abbreviations(const struct writer *writer)
{
    static const unsigned char attributes[][2] = {
        {DW_AT_stmt_list, DW_FORM_sec_offset}, {DW_AT_ranges, DW_FORM_sec_offset},
        {DW_AT_low_pc, DW_FORM_addr},          {DW_AT_name, DW_FORM_strp},
        {DW_AT_comp_dir, DW_FORM_strp},        {DW_AT_producer, DW_FORM_strp},
        {DW_AT_language, DW_FORM_data2},       {0, 0}};
    struct assembler *as = writer->as;

    generate_section(as, ".debug_abbrev", 0, 1);
    struct symbol *start = symbol_here(as, ".L0 ");
    put(writer, 1, 1); /* abbreviation 1 */
    put(writer, DW_TAG_compile_unit, 1);
    put(writer, DW_CHILDREN_no, 1);
    generate_bytes(as, writer->at, attributes, sizeof attributes);
    put(writer, 0, 1);
    section_pop(as);
    return start;
}

/* Writes the list of ranges; returns its label. */
static struct symbol *write_ranges(const struct writer *writer)
{
    struct assembler *as = writer->as;

    generate_section(as, ".debug_rnglists", 0, 1);
    struct symbol *end = generate_length(as, writer->at);
    put(writer, VERSION, 2);
    put(writer, ADDRESS_SIZE, 1);
    put(writer, 0, 1); /* segment_selector_size */
    put(writer, 0, 4); /* offset_entry_count */
    struct symbol *start = symbol_here(as, ".L0 ");
    for (size_t i = 0; i < as->lines.section_count; i++) {
        struct section *section = as->lines.sections[i];
        put(writer, DW_RLE_start_end, 1);
        put_symbol(writer, generate_section_start(as, section), ADDRESS_SIZE);
        put_symbol(writer, generate_section_end(as, section), ADDRESS_SIZE);
    }
    put(writer, DW_RLE_end_of_list, 1);
    generate_define(as, end);
    section_pop(as);
    return start;
}

static struct symbol *write_info(const struct writer *writer, struct symbol *table,
                                 struct symbol *abbreviations, struct symbol *ranges)
{
    struct assembler *as = writer->as;
    const char *input = as->options.inputs.items[0];

    generate_section(as, ".debug_info", 0, 1);
    struct symbol *start = symbol_here(as, ".L0 ");
    struct symbol *end = generate_length(as, writer->at);
    put(writer, VERSION, 2);
    put(writer, DW_UT_compile, 1);
    put(writer, ADDRESS_SIZE, 1);
    put_symbol(writer, abbreviations, 4);
    put(writer, 1, 1); /* abbreviation 1 */
    put_symbol(writer, table, 4);
    put_symbol(writer, ranges, 4);
    put(writer, 0, ADDRESS_SIZE); /* DW_AT_low_pc: the base of the ranges */
    generate_string(as, writer->at, ".debug_str", input);
    generate_string(as, writer->at, ".debug_str", ".");
    generate_string(as, writer->at, ".debug_str", "tasm");
    put(writer, DW_LANG_Mips_Assembler, 2); /* used for the assembly language of any machine */
    generate_define(as, end);
    section_pop(as);
    return start;
}

/* Writes the addresses of the unit, in tuples aligned to their size. */
static void write_aranges(const struct writer *writer, struct symbol *info)
{
    struct assembler *as = writer->as;

    generate_section(as, ".debug_aranges", 0, 2 * ADDRESS_SIZE);
    struct symbol *end = generate_length(as, writer->at);
    put(writer, ARANGES_VERSION, 2);
    put_symbol(writer, info, 4);
    put(writer, ADDRESS_SIZE, 1);
    put(writer, 0, 1); /* no segment selectors */
    put(writer, 0, 4); /* padding: the header has 12 bytes */
    for (size_t i = 0; i < as->lines.section_count; i++) {
        struct section *section = as->lines.sections[i];
        struct symbol *start = generate_section_start(as, section);
        put_symbol(writer, start, ADDRESS_SIZE);
        generate_expression(
            as, writer->at,
            generate_difference(
                as, writer->at,
                expression_symbol(as, writer->at, generate_section_end(as, section)),
                expression_symbol(as, writer->at, start)),
            ADDRESS_SIZE);
    }
    put(writer, 0, ADDRESS_SIZE);
    put(writer, 0, ADDRESS_SIZE);
    generate_define(as, end);
    section_pop(as);
}

void unit_write(struct assembler *as, const struct position *at, struct symbol *table)
{
    const struct writer writer = {as, at};

    if (section_find(as, ".debug_info")) /* the source has its own */
        return;
    struct symbol *abbreviations = write_abbreviations(&writer);
    struct symbol *ranges = write_ranges(&writer);
    write_aranges(&writer, write_info(&writer, table, abbreviations, ranges));
}
