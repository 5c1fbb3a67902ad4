/*
 * The target description that temu's gdb stub sends ("Debugging with GDB", appendix G, "RISC-V
 * Features"), in two files: target.xml for people and other stubs, and gdb_target.inc with the same
 * text and a table of register numbers. gdb_target.inc has no CSRs, since the environment
 * determines which exist. gdb knows the registers of the cpu and fpu features by name; the csr
 * feature may hold CSRs that are unknown to gdb. The state of the units depends on the sizes of the
 * machine, so the stub makes these features at run time, from unit_state.inc.
 */
#include "isa/isagen/emit.h"

#include <stdio.h>
#include <string.h>

struct description {
    struct text xml;
    struct text registers; /* GDB_REGISTER(kind, index), in the order of the register numbers */
    unsigned number;
};

static void add_register(struct description *description, const char *name, unsigned bits,
                         const char *attributes, const char *kind, unsigned index)
{
    text_format(&description->xml, "    <reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\" %s/>\n", name,
                bits, description->number++, attributes);
    text_format(&description->registers, "GDB_REGISTER(%s, 0x%x)\n", kind, index);
}

/* Writes a standard register file. The integer file includes the pc. */
static void add_standard_file(struct description *description,
                              const struct spec_register_file *file)
{
    bool is_integer = file->standard == ISA_STANDARD_INTEGER;

    text_format(&description->xml, "  <feature name=\"org.gnu.gdb.riscv.%s\">\n",
                is_integer ? "cpu" : "fpu");
    for (unsigned i = 0; i < file->count; i++)
        add_register(description, file->names[i], (unsigned)file->width,
                     is_integer ? "type=\"int\"" : "type=\"ieee_double\"", is_integer ? "X" : "F",
                     i);
    if (is_integer)
        add_register(description, "pc", 64, "type=\"code_ptr\"", "PC", 0);
    text_append(&description->xml, "  </feature>\n");
}

/* Returns the name of gdb's integer type for a register of so many bits, or NULL: gdb has none. */
static const char *integer_type(uint64_t width)
{
    switch (width) {
    case 8:
        return "uint8";
    case 16:
        return "uint16";
    case 32:
        return "uint32";
    case 64:
        return "uint64";
    default:
        return NULL;
    }
}

/* Writes the type of a register that is not an integer for gdb: a union of vectors of u8, u16, u32
 * and u64, as far as they divide the register. */
static void add_vector_types(struct description *description, const struct spec_register_file *file)
{
    struct text *xml = &description->xml;

    for (unsigned bits = 8; bits <= 64 && file->width % bits == 0; bits *= 2)
        text_format(xml, "    <vector id=\"%s_u%u\" type=\"uint%u\" count=\"%llu\"/>\n", file->name,
                    bits, bits, (unsigned long long)file->width / bits);
    text_format(xml, "    <union id=\"%s_vector\">\n", file->name);
    for (unsigned bits = 8; bits <= 64 && file->width % bits == 0; bits *= 2)
        text_format(xml, "      <field name=\"u%u\" type=\"%s_u%u\"/>\n", bits, file->name, bits);
    text_append(xml, "    </union>\n");
}

/* Writes another register file, as a feature and a group of its own name. */
static void add_own_file(struct description *description, const struct spec_register_file *file)
{
    const char *integer = integer_type(file->width);
    char attributes[256];

    text_format(&description->xml, "  <feature name=\"tensor.registers.%s\">\n", file->name);
    if (!integer)
        add_vector_types(description, file);
    snprintf(attributes, sizeof attributes, "type=\"%s%s\" group=\"%s\"",
             integer ? integer : file->name, integer ? "" : "_vector", file->name);
    for (unsigned i = 0; i < file->count; i++)
        add_register(description, file->names[i], (unsigned)file->width, attributes, "FILE",
                     file->index << 8 | i);
    text_append(&description->xml, "  </feature>\n");
}

static void add_csrs(struct description *description, const struct spec *spec)
{
    text_append(&description->xml, "  <feature name=\"org.gnu.gdb.riscv.csr\">\n");
    for (size_t i = 0; i < spec->csrs.count; i++)
        add_register(description, spec->csrs_by_number[i]->name, 64, "type=\"int\" group=\"csr\"",
                     "CSR", (unsigned)spec->csrs_by_number[i]->number);
    text_append(&description->xml, "  </feature>\n");
}

/* Writes everything but the CSRs and the end tag. */
static struct description describe(const struct spec *spec)
{
    struct description description = {0};

    text_append(&description.xml,
                "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                "<!-- Written by isagen. Do not edit. -->\n<target version=\"1.0\">\n"
                "  <architecture>riscv:rv64</architecture>\n");
    for (size_t i = 0; i < spec->register_files.count; i++) {
        const struct spec_register_file *file =
            SPEC_AT(spec->register_files, i, struct spec_register_file);
        if (file->standard)
            add_standard_file(&description, file);
    }
    for (size_t i = 0; i < spec->register_files.count; i++) {
        const struct spec_register_file *file =
            SPEC_AT(spec->register_files, i, struct spec_register_file);
        if (!file->standard)
            add_own_file(&description, file);
    }
    return description;
}

static void free_description(struct description *description)
{
    text_free(&description->xml);
    text_free(&description->registers);
}

void emit_gdb(struct emitter *emitter)
{
    struct description description = describe(emitter->spec);

    add_csrs(&description, emitter->spec);
    text_format(&emitter->text, "%s</target>\n", description.xml.bytes);
    free_description(&description);
}

/* Writes the text as a string literal, one line of it a line. */
static void emit_lines(struct emitter *emitter, char *text)
{
    for (char *line = text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        emit_string(emitter, line);
        text_append(&emitter->text, " \"\\n\"\n");
    }
}

void emit_gdb_inc(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    struct description description = describe(spec);

    emit_header(emitter, "What gdb sees of the machine; to be included with one of the macros.");
    text_append(&emitter->text, "#ifdef GDB_XML\n");
    emit_lines(emitter, description.xml.bytes);
    add_csrs(&description, spec);
    text_format(&emitter->text, "#endif\n#ifdef GDB_REGISTER\n%s#endif\n",
                description.registers.bytes);
    free_description(&description);
}
