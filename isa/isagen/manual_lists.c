/*
 * The lists that link to the pages of the manual: aliases, opcodes, the index. All entries are
 * links to headings, so a list cannot contain anything that is not in the description.
 */
#include "isa/isagen/manual.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Makes an anchor: lower case, `-` for blanks, no punctuation but `-` and `_`. */
static void append_anchor(struct text *text, const char *heading)
{
    for (const char *c = heading; *c; c++)
        if (*c == ' ')
            text_append_char(text, '-');
        else if (isalnum((unsigned char)*c) || *c == '-' || *c == '_')
            text_append_char(text, (char)tolower((unsigned char)*c));
}

void emit_link(struct emitter *emitter, const char *text, const char *heading)
{
    text_format(&emitter->text, "[%s](#", text);
    append_anchor(&emitter->text, heading);
    text_append_char(&emitter->text, ')');
}

/* ---- aliases ---- */

/* Lists the instructions that an algorithm of the assembler combines: `lui`, `addi`. */
static void emit_building_blocks(struct emitter *emitter, const struct spec_alias *alias)
{
    text_append(&emitter->text, "as many as the constant needs of");
    for (size_t i = 0; i < alias->step_count; i++)
        text_format(&emitter->text, "%s `%s`", i ? "," : "", alias->steps[i].instruction->mnemonic);
}

void emit_aliases_chapter(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    text_append(&emitter->text, "## " MANUAL_ALIASES "\n\n"
                                "Mnemonics that the assembler accepts for other instructions. The "
                                "disassembler prints those marked with *; of several\n"
                                "that fit, the first in the description. `@0` is the address of "
                                "the first instruction of the expansion.\n\n"
                                "| alias | stands for |\n"
                                "| --- | --- |\n");
    for (size_t i = 0; i < spec->form_count; i++) {
        const struct spec_alias *alias = spec->forms[i].alias;
        if (!alias)
            continue;
        text_format(&emitter->text, "| `%s`%s | ", alias->text,
                    alias->print ? " \\*"
                    : alias->pic ? ", position-independent"
                                 : "");
        if (alias->expander)
            emit_building_blocks(emitter, alias);
        else
            text_format(&emitter->text, "`%s`", alias->expansion);
        text_format(&emitter->text, "%s%s |\n", alias->summary ? ": " : "",
                    alias->summary ? alias->summary : "");
    }
    text_append_char(&emitter->text, '\n');
}

/* ---- .insn ---- */

/* Returns the name of an opcode: `OP`, `STORE`. */
static void emit_opcode_names(struct emitter *emitter, const struct spec_operand_type *type)
{
    text_format(&emitter->text, "A %s is a number or one of", type->summary);
    for (size_t i = 0; i < type->values->count; i++)
        text_format(&emitter->text, " `%s`", type->values->values[i].name);
    text_append(&emitter->text, ".\n");
}

void emit_insn_chapter(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    if (!spec->insn_form_count)
        return;
    text_append(&emitter->text,
                "## " MANUAL_INSN "\n\nAn instruction without a mnemonic, by its format. Also "
                "`.insn VALUE` and `.insn LENGTH, VALUE`, with the length in bytes.\n\n");
    for (size_t i = 0; i < spec->insn_form_count; i++) {
        const struct spec_instruction *form = spec->insn_forms[i].instruction;
        text_format(&emitter->text, "- `.insn %s %s`: format %s\n", form->mnemonic,
                    form->syntax.text, form->layout->name);
    }
    text_append_char(&emitter->text, '\n');
    for (size_t i = 0; i < spec->operand_types.count; i++) {
        const struct spec_operand_type *type =
            SPEC_AT(spec->operand_types, i, struct spec_operand_type);
        if (type->kind == ISA_OPCODE)
            emit_opcode_names(emitter, type);
    }
    text_append_char(&emitter->text, '\n');
}

/* ---- opcodes ---- */

/* Returns the bits that determine the length and the major opcode (RISC-V Unprivileged ISA, "Base
 * Instruction-Length Encoding"), or the quadrant of a 16-bit instruction. */
static unsigned opcode_bits(const struct spec_instruction *instruction)
{
    return instruction->layout->bits == 16 ? 2 : 7;
}

static unsigned opcode_of(const struct spec_instruction *instruction)
{
    return (unsigned)(instruction->match & ((1u << opcode_bits(instruction)) - 1));
}

static int by_opcode(const void *left, const void *right)
{
    const struct spec_instruction *a = *(const struct spec_instruction *const *)left;
    const struct spec_instruction *b = *(const struct spec_instruction *const *)right;

    if (a->layout->bits != b->layout->bits)
        return a->layout->bits < b->layout->bits ? -1 : 1;
    if (opcode_of(a) != opcode_of(b))
        return opcode_of(a) < opcode_of(b) ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void emit_opcode(struct emitter *emitter, const struct spec_instruction *instruction)
{
    text_format(&emitter->text, "- %u bits, `", instruction->layout->bits);
    for (unsigned bit = opcode_bits(instruction); bit--;)
        text_append_char(&emitter->text, opcode_of(instruction) >> bit & 1 ? '1' : '0');
    text_append(&emitter->text, "`:");
}

void emit_opcodes_chapter(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    size_t count = spec->instructions.count;
    const struct spec_instruction **sorted = arena_array(spec->arena, count + 1, sizeof *sorted);

    for (size_t i = 0; i < count; i++)
        sorted[i] = SPEC_AT(spec->instructions, i, struct spec_instruction);
    qsort(sorted, count, sizeof *sorted, by_opcode);
    text_append(&emitter->text, "## Opcodes\n\nThe lowest bits of an encoding determine its length "
                                "and its major opcode.\n\n");
    for (size_t i = 0; i < count; i++) {
        bool first = !i || sorted[i]->layout->bits != sorted[i - 1]->layout->bits ||
                     opcode_of(sorted[i]) != opcode_of(sorted[i - 1]);
        if (first && i)
            text_append(&emitter->text, "\n");
        if (first)
            emit_opcode(emitter, sorted[i]);
        text_append_char(&emitter->text, ' ');
        emit_link(emitter, sorted[i]->mnemonic, sorted[i]->mnemonic);
    }
    text_append(&emitter->text, count ? "\n\n" : "\n");
}

/* ---- index ---- */

static bool stand_for_one_instruction(const struct spec_form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (forms[i].alias->step_count != 1)
            return false;
    return true;
}

/* Writes the entry of an alias: `csrw` is an alias of csrrw or csrrwi. Links to the first
 * instruction and names all. */
static void emit_alias_entry(struct emitter *emitter, const struct spec_form *forms, size_t count)
{
    const struct spec_instruction *target = forms->alias->steps->instruction;

    emit_link(emitter, forms->mnemonic, target->mnemonic);
    text_format(&emitter->text, ": alias of %s", target->mnemonic);
    for (size_t i = 1; i < count; i++) {
        if (forms[i].alias->steps->instruction != target)
            text_format(&emitter->text, " or %s", forms[i].alias->steps->instruction->mnemonic);
        target = forms[i].alias->steps->instruction;
    }
    text_append_char(&emitter->text, '\n');
}

/* Writes one line for all forms of a mnemonic. */
static void emit_entry(struct emitter *emitter, const struct spec_form *forms, size_t count)
{
    const struct spec_instruction *instruction = forms->instruction;

    text_append(&emitter->text, "- ");
    if (instruction) {
        emit_link(emitter, instruction->mnemonic, instruction->mnemonic);
        text_format(&emitter->text, ": %s\n", instruction->summary);
    } else if (stand_for_one_instruction(forms, count)) {
        emit_alias_entry(emitter, forms, count);
    } else {
        emit_link(emitter, forms->mnemonic, MANUAL_ALIASES);
        text_append(&emitter->text, ": pseudo-instruction\n");
    }
}

void emit_index(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    text_append(&emitter->text, "## Index\n\n");
    for (size_t i = 0, count; i < spec->form_count; i += count) {
        for (count = 1; i + count < spec->form_count; count++)
            if (strcmp(spec->forms[i].mnemonic, spec->forms[i + count].mnemonic))
                break;
        emit_entry(emitter, &spec->forms[i], count);
    }
}
