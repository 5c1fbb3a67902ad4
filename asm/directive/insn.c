/* .insn: an instruction without a mnemonic, given as a number or by its format. The formats are
 * forms of the ISA description (section `insn`), so that operands are matched in the same way as
 * for instructions. */
#include "asm/directive/directive.h"
#include "asm/instruction/instruction.h"
#include "lib/bytes.h"
#include "lib/text.h"
#include <inttypes.h>
#include <string.h>

/* .insn WORD and .insn LENGTH, WORD */
static void raw_instruction(struct assembler *as, const struct parsed *parsed)
{
    int64_t number, length = 0;
    size_t last = parsed->argument_count - 1;

    if (!argument_number(as, parsed, last, &number) ||
        (last && !argument_number(as, parsed, 0, &length)))
        return;
    int by_rule = isa_length((uint16_t)number);
    struct position at = argument_place(parsed, last);
    if (!by_rule) {
        diag_error(as->diag, &at,
                   "the low bits of 0x%" PRIx64
                   " are those of an instruction of more than 8 bytes; expected 2, 4, 6 or 8",
                   number);
        return;
    }
    if (last && by_rule != length) {
        diag_error(as->diag, &at,
                   "the low bits of 0x%" PRIx64
                   " say that the instruction has %d bytes, not what '.insn' says",
                   number, by_rule);
        return;
    }
    if (by_rule < 8 && (uint64_t)number >> 8 * by_rule) {
        diag_error(as->diag, &at, "0x%" PRIx64 " does not fit in an instruction of %d bytes",
                   number, by_rule);
        return;
    }
    section_content(as, CONTENT_CODE);
    lines_instruction(as, parsed->statement->at);
    unsigned char *place = section_append(as, (uint64_t)by_rule, &at);
    if (place)
        bytes_put(place, (uint64_t)number, (unsigned)by_rule);
}

/* Returns the word before the first operand; NULL if the argument does not begin with a word. */
static const char *format_name(const struct parsed *parsed)
{
    const struct argument *first = &parsed->arguments[0];

    if (!first->count || first->items->kind != ITEM_EXPRESSION ||
        first->items->expression->kind != EXPRESSION_NAME ||
        first->items->expression->parenthesized)
        return NULL;
    return first->items->expression->name;
}

static void report_format(struct assembler *as, const struct parsed *parsed, const char *name)
{
    struct text known = TEXT_INIT;
    const struct item *item = parsed->arguments[0].items;
    struct position at = statement_place(parsed->statement, item->offset, item->length);

    for (size_t i = 0; i < isa_insn_form_count; i++)
        if (!i || strcmp(isa_insn_forms[i].mnemonic, isa_insn_forms[i - 1].mnemonic))
            text_format(&known, " %s", isa_insn_forms[i].mnemonic);
    diag_error(as->diag, &at, "unknown format '%s' of '.insn'; known:%s", name,
               known.bytes ? known.bytes : " none");
    text_free(&known);
}

/* Returns the statement without the name of the format, so that its arguments are the operands. */
static struct parsed operands_of(struct assembler *as, const struct parsed *parsed,
                                 const char *name)
{
    struct parsed operands = *parsed;

    operands.name = arena_format(as->arena, "%s %s", parsed->name, name);
    operands.arguments = arena_array(as->arena, parsed->argument_count, sizeof *operands.arguments);
    memcpy(operands.arguments, parsed->arguments,
           parsed->argument_count * sizeof *operands.arguments);
    struct argument *first = operands.arguments;
    unsigned end = first->offset + first->length;
    first->items++;
    first->count--;
    operands.items++;
    operands.item_count--;
    if (first->count) {
        first->offset = first->items->offset;
        first->length = end - first->offset;
    } else if (operands.argument_count == 1) {
        operands.argument_count = 0;
    }
    return operands;
}

void directive_insn(struct assembler *as, const struct parsed *parsed, int unused)
{
    (void)unused;
    const char *name = format_name(parsed);
    size_t count;
    const struct isa_form *forms = name ? isa_find_insn_forms(name, &count) : NULL;

    if (forms) {
        const struct parsed operands = operands_of(as, parsed, name);
        instruction_assemble_form(as, &operands, forms, count);
    } else if (name && parsed->arguments[0].count > 1) {
        report_format(as, parsed, name);
    } else if (parsed->argument_count > 2) {
        struct position at = argument_place(parsed, 2);
        diag_error(as->diag, &at,
                   "too many arguments of '.insn'; expected VALUE, LENGTH, VALUE or a format");
    } else {
        raw_instruction(as, parsed);
    }
}
