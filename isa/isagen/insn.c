/*
 * The `insn` section: the formats that `.insn` accepts. A form is a format with a name, whose
 * fields are all operands or fixed. It does not describe an instruction, so it has no body and is
 * never decoded.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static bool covers_lowest_bit(const struct spec_field *field)
{
    return field && (spec_field_mask(field) & 1);
}

/* Checks that an operand in the low bits determines the length of the word. */
static void check_opcode(struct spec *spec, const struct spec_instruction *form,
                         const struct node *node)
{
    for (size_t i = 0; i < form->operands.count; i++) {
        const struct spec_operand *operand = &form->operands.items[i];
        if (covers_lowest_bit(operand->field) == (operand->type->kind == ISA_OPCODE))
            continue;
        diag_error(spec->diag, &operand->at,
                   "operand '%s' of '%s' is %s; the one in the lowest bits, and no other, is of "
                   "kind opcode",
                   operand->name, form->mnemonic, operand->type->summary);
    }
    if (form->layout->bits != 16 && form->layout->bits != 32 && form->layout->bits != 64)
        diag_error(spec->diag, &node->at, "a form of %u bits; expected 16, 32 or 64",
                   form->layout->bits);
}

static void read_form(struct spec *spec, const struct spec_file *file, const struct node *node)
{
    static const char *const keys[] = {"name!", "encoding!", "operands!", "syntax!", NULL};

    if (!node_check_keys(&spec->context, node, "form of .insn", keys))
        return;
    const struct node *name = node_get(node, "name"), *encoding = node_get(node, "encoding");
    const char *text = node_text(&spec->context, name, "name");
    if (!text || !node_expect(&spec->context, encoding, NODE_MAPPING, "encoding"))
        return;
    if (!node_is_name(text, false)) {
        diag_error(spec->diag, &name->at,
                   "'%s' is not a name for a form of .insn; expected letters and digits", text);
        return;
    }
    struct spec_instruction *form = arena_new(spec->arena, struct spec_instruction);
    unsigned errors = spec->diag->errors;
    form->generic = true;
    form->mnemonic = text;
    form->index = (unsigned)spec->insn_form_count;
    form->mangled = arena_format(spec->arena, "insn_%u", form->index);
    form->at = name->at;
    form->node = node;
    form->extension = file->extension;
    form->needs = file->needs;
    spec_read_operands(spec, form, node_get(node, "operands"));
    if (spec->diag->errors == errors)
        spec_read_encoding(spec, form, encoding);
    if (spec->diag->errors == errors)
        spec_read_syntax(spec, form, node_get(node, "syntax"));
    if (spec->diag->errors == errors)
        check_opcode(spec, form, encoding);
    if (spec->diag->errors != errors)
        return;
    spec->insn_forms = arena_grow(spec->arena, spec->insn_forms, spec->insn_form_count,
                                  &spec->insn_form_capacity, sizeof *spec->insn_forms);
    spec->insn_forms[spec->insn_form_count] =
        (struct spec_form){text, form, NULL, spec->insn_form_count};
    spec->insn_form_count++;
}

void spec_read_insn(struct spec *spec, const struct spec_file *file, const struct node *section)
{
    for (size_t i = 0; i < section->count; i++)
        read_form(spec, file, section->items[i]);
}
