/* .insn: an instruction without a mnemonic, given as a number or by its format. The formats are
 * forms of the ISA description (section `insn`), so that operands are matched in the same way as
 * for instructions. */
#include "asm/directive/directive.h"
#include "asm/instruction/instruction.h"
#include "lib/bytes.h"
#include "lib/text.h"
#include <inttypes.h>
#include <string.h>

enum { LONGEST = 22 }; /* bytes of an instruction whose length has an encoding */

/* Returns the length in bytes that the low 16 bits of an instruction tell (RISC-V Unprivileged ISA,
 * 1.5); 0 if no length has that encoding. */
static unsigned length_of(uint16_t low)
{
    unsigned length = (unsigned)isa_length(low), units = low >> 12 & 7;

    return length ? length : units < 7 ? 10 + 2 * units : 0;
}

/* Reads the digits of a number into bytes, lowest first. False if it has more bits. */
static bool read_digits(const char *text, unsigned char bytes[LONGEST])
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    unsigned base = hex ? 16 : binary ? 2 : *text == '0' ? 8 : 10;

    memset(bytes, 0, LONGEST);
    for (text += 2 * (hex || binary); *text && !strchr("uUlL", *text); text++) {
        unsigned carry = (unsigned)text_hex_digit(*text);
        for (size_t i = 0; i < LONGEST; i++) {
            carry += bytes[i] * base;
            bytes[i] = (unsigned char)carry;
            carry >>= 8;
        }
        if (carry)
            return false;
    }
    return true;
}

/* Reads the value of an instruction, which may have more than 64 bits. */
static bool read_word(struct assembler *as, const struct parsed *parsed, size_t index,
                      unsigned char bytes[LONGEST])
{
    const struct argument *argument = &parsed->arguments[index];
    int64_t number = 0;

    if (argument->count == 1 && argument->items->kind == ITEM_EXPRESSION &&
        argument->items->expression->kind == EXPRESSION_BIG) {
        bool fits = read_digits(argument->items->expression->name, bytes);
        struct position at = argument_place(parsed, index);
        if (!fits)
            diag_error(as->diag, &at, "this instruction has more than %d bytes", LONGEST);
        return fits;
    }
    if (!argument_number(as, parsed, index, &number))
        return false;
    memset(bytes, 0, LONGEST);
    bytes_put(bytes, (uint64_t)number, 8);
    return true;
}

/* .insn WORD and .insn LENGTH, WORD */
static void raw_instruction(struct assembler *as, const struct parsed *parsed)
{
    unsigned char bytes[LONGEST];
    int64_t length = 0;
    size_t last = parsed->argument_count - 1;

    if (!read_word(as, parsed, last, bytes) || (last && !argument_number(as, parsed, 0, &length)))
        return;
    const char *word = argument_text(as, parsed, last);
    unsigned by_rule = length_of((uint16_t)(bytes[0] | bytes[1] << 8));
    struct position at = argument_place(parsed, last);
    if (!by_rule) {
        diag_error(as->diag, &at,
                   "the low bits of %s are reserved; expected those of an instruction of 2 to %d "
                   "bytes",
                   word, LONGEST);
        return;
    }
    if (last && by_rule != length) {
        diag_error(
            as->diag, &at,
            "the low bits of %s say that the instruction has %u bytes, not what '.insn' says", word,
            by_rule);
        return;
    }
    for (size_t i = by_rule; i < LONGEST; i++)
        if (bytes[i]) {
            diag_error(as->diag, &at, "%s does not fit in an instruction of %u bytes", word,
                       by_rule);
            return;
        }
    section_content(as, CONTENT_CODE);
    lines_instruction(as, parsed->statement->at);
    unsigned char *place = section_append(as, by_rule, &at);
    if (place)
        memcpy(place, bytes, by_rule);
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
