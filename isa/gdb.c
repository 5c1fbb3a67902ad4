/*
 * target.xml: the target description that a gdb stub sends ("Debugging with GDB", appendix G,
 * "RISC-V Features"). gdb knows the registers of the cpu and fpu features by their names; the csr
 * feature may hold CSRs that gdb has never heard of.
 */
#include "isa/emit.h"

#include <string.h>

static void emit_registers(struct emitter *emitter, const struct spec_register_file *file,
                           const char *type)
{
    for (size_t i = 0; i < file->count; i++)
        text_format(&emitter->text, "    <reg name=\"%s\" bitsize=\"%llu\" type=\"%s\"/>\n",
                    file->names[i], (unsigned long long)file->width, type);
}

/* A file whose register 0 is hard-wired is the integer one and comes with the pc. */
static void emit_file(struct emitter *emitter, const struct spec_register_file *file)
{
    text_format(&emitter->text, "  <feature name=\"org.gnu.gdb.riscv.%s\">\n",
                file->zero ? "cpu" : "fpu");
    emit_registers(emitter, file, file->zero ? "int" : "ieee_double");
    if (file->zero)
        text_append(&emitter->text, "    <reg name=\"pc\" bitsize=\"64\" type=\"code_ptr\"/>\n");
    text_append(&emitter->text, "  </feature>\n");
}

void emit_gdb(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    text_append(&emitter->text,
                "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                "<!-- Written by isagen. Do not edit. -->\n<target version=\"1.0\">\n"
                "  <architecture>riscv:rv64</architecture>\n");
    for (size_t i = 0; i < spec->register_files.count; i++)
        emit_file(emitter, SPEC_AT(spec->register_files, i, struct spec_register_file));
    text_append(&emitter->text, "  <feature name=\"org.gnu.gdb.riscv.csr\">\n");
    for (size_t i = 0; i < spec->csrs.count; i++)
        text_format(&emitter->text,
                    "    <reg name=\"%s\" bitsize=\"64\" type=\"int\" group=\"csr\"/>\n",
                    spec->csrs_by_number[i]->name);
    text_append(&emitter->text, "  </feature>\n</target>\n");
}
