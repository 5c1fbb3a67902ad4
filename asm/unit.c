/* The unit of an assembly source: its name, its language and its ranges of addresses.
 *
 * File names are the user's own and the compilation directory is ".", so that an object does not
 * depend on where it is made. */
#include "asm/unit.h"
#include "asm/expression.h"
#include "asm/generate.h"

/* DWARF 5, 7.5 and 7.25. */
enum {
    VERSION = 5,
    ARANGES_VERSION = 2,
    UNIT_COMPILE = 1,
    ADDRESS_SIZE = 8,
    TAG_COMPILE_UNIT = 0x11,
    ATTRIBUTE_NAME = 0x03,
    ATTRIBUTE_STMT_LIST = 0x10,
    ATTRIBUTE_LANGUAGE = 0x13,
    ATTRIBUTE_COMP_DIR = 0x1b,
    ATTRIBUTE_PRODUCER = 0x25,
    ATTRIBUTE_RANGES = 0x55,
    ATTRIBUTE_LOW_PC = 0x11,
    FORM_ADDR = 0x01,
    FORM_DATA2 = 0x05,
    FORM_STRP = 0x0e,
    FORM_SEC_OFFSET = 0x17,
    LANGUAGE_ASSEMBLER = 0x8001, /* DW_LANG_Mips_Assembler, which stands for every assembler */
    RANGE_START_END = 0x06,      /* DW_RLE_start_end */
    RANGE_END_OF_LIST = 0
};

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
        {ATTRIBUTE_STMT_LIST, FORM_SEC_OFFSET}, {ATTRIBUTE_RANGES, FORM_SEC_OFFSET},
        {ATTRIBUTE_LOW_PC, FORM_ADDR},          {ATTRIBUTE_NAME, FORM_STRP},
        {ATTRIBUTE_COMP_DIR, FORM_STRP},        {ATTRIBUTE_PRODUCER, FORM_STRP},
        {ATTRIBUTE_LANGUAGE, FORM_DATA2},       {0, 0}};
    struct assembler *as = writer->as;
    generate_section(as, ".debug_abbrev", 0, 1);
    struct symbol *start = symbol_here(as, ".L0 ");
    put(writer, 1, 1); /* abbreviation 1 */
    put(writer, TAG_COMPILE_UNIT, 1);
    put(writer, 0, 1); /* no children */
    generate_bytes(as, writer->at, attributes, sizeof attributes);
    put(writer, 0, 1);
    section_pop(as);
    return start;
}

/* The list of ranges; returns its place. */
static struct symbol *write_ranges(const struct writer *writer)
{
    struct assembler *as = writer->as;
    generate_section(as, ".debug_rnglists", 0, 1);
    struct symbol *end = generate_length(as, writer->at);
    put(writer, VERSION, 2);
    put(writer, ADDRESS_SIZE, 1);
    put(writer, 0, 1); /* no segment selectors */
    put(writer, 0, 4); /* no table of offsets */
    struct symbol *start = symbol_here(as, ".L0 ");
    for (size_t i = 0; i < as->lines.section_count; i++) {
        struct section *section = as->lines.sections[i];
        put(writer, RANGE_START_END, 1);
        put_symbol(writer, generate_section_start(as, section), ADDRESS_SIZE);
        put_symbol(writer, generate_section_end(as, section), ADDRESS_SIZE);
    }
    put(writer, RANGE_END_OF_LIST, 1);
    generate_define(as, end);
    section_pop(as);
    return start;
}

static struct symbol *write_info(const struct writer *writer, struct symbol *table,
                                 struct symbol *abbreviations, struct symbol *ranges)
{
    struct assembler *as = writer->as;
    const char *input = as->options.inputs.words[0];
    generate_section(as, ".debug_info", 0, 1);
    struct symbol *start = symbol_here(as, ".L0 ");
    struct symbol *end = generate_length(as, writer->at);
    put(writer, VERSION, 2);
    put(writer, UNIT_COMPILE, 1);
    put(writer, ADDRESS_SIZE, 1);
    put_symbol(writer, abbreviations, 4);
    put(writer, 1, 1); /* abbreviation 1 */
    put_symbol(writer, table, 4);
    put_symbol(writer, ranges, 4);
    put(writer, 0, ADDRESS_SIZE); /* the ranges are absolute */
    generate_string(as, writer->at, ".debug_str", input);
    generate_string(as, writer->at, ".debug_str", ".");
    generate_string(as, writer->at, ".debug_str", "tasm");
    put(writer, LANGUAGE_ASSEMBLER, 2);
    generate_define(as, end);
    section_pop(as);
    return start;
}

/* Which addresses belong to the unit, for quick look-up: tuples aligned to their size. */
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
    if (section_find(as, ".debug_info")) /* the source describes itself */
        return;
    struct symbol *abbreviations = write_abbreviations(&writer);
    struct symbol *ranges = write_ranges(&writer);
    write_aranges(&writer, write_info(&writer, table, abbreviations, ranges));
}
