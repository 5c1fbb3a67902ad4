/*
 * All forms of all mnemonics in one sorted list, in the order of the assembler's table. Two forms
 * of one mnemonic must differ in their punctuation or in the types of their operands; otherwise the
 * second could never be chosen.
 */
#include "isa/isagen/spec.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    const struct spec_form *a = left, *b = right;
    int order = strcmp(a->mnemonic, b->mnemonic);

    if (order)
        return order;
    if (!a->instruction != !b->instruction)
        return a->instruction ? -1 : 1;
    if (a->alias && (a->alias->step_count > 1) != (b->alias->step_count > 1))
        return a->alias->step_count > 1 ? 1 : -1;
    return (a->order > b->order) - (a->order < b->order);
}

static const struct spec_syntax *syntax_of(const struct spec_form *form)
{
    return form->instruction ? &form->instruction->syntax : &form->alias->syntax;
}

static const struct spec_operands *operands_of(const struct spec_form *form)
{
    return form->instruction ? &form->instruction->operands : &form->alias->operands;
}

static bool same_type(const struct spec_operand_type *left, const struct spec_operand_type *right)
{
    if (!left || !right || left == right)
        return true;
    bool registers = left->kind == ISA_REGISTER && right->kind == ISA_REGISTER;
    return registers && left->file == right->file;
}

static bool is_pic(const struct spec_form *form)
{
    return form->alias && form->alias->pic;
}

/* The extensions that a form needs may tell which of two is meant. */
static const struct isa_needs *needs_of(const struct spec_form *form)
{
    return form->instruction ? &form->instruction->needs : &form->alias->needs;
}

static bool same_needs(const struct spec_form *left, const struct spec_form *right)
{
    bool generic = left->instruction && left->instruction->generic;

    return generic || memcmp(needs_of(left), needs_of(right), sizeof(struct isa_needs)) == 0;
}

static bool look_same(const struct spec_form *left, const struct spec_form *right)
{
    const struct spec_syntax *a = syntax_of(left), *b = syntax_of(right);

    if (a->count != b->count || is_pic(left) != is_pic(right) || !same_needs(left, right))
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct isa_token *x = &a->tokens[i], *y = &b->tokens[i];
        if (x->kind != y->kind || x->literal != y->literal)
            return false;
        if (x->kind == ISA_TOKEN_OPERAND && !same_type(operands_of(left)->items[x->operand].type,
                                                       operands_of(right)->items[y->operand].type))
            return false;
    }
    return true;
}

static const struct position *position_of(const struct spec_form *form)
{
    return form->instruction ? &form->instruction->at : &form->alias->at;
}

static void check_duplicates(struct spec *spec, const struct spec_form *forms, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t k = i; k-- > 0 && strcmp(forms[k].mnemonic, forms[i].mnemonic) == 0;) {
            if (!look_same(&forms[k], &forms[i]))
                continue;
            diag_error(spec->diag, position_of(&forms[i]),
                       "a second form of '%s' with the same syntax; remove one", forms[i].mnemonic);
            diag_note(spec->diag, position_of(&forms[k]), "first here");
        }
    }
}

static void sort_insn_forms(struct spec *spec)
{
    if (!spec->insn_form_count)
        return;
    qsort(spec->insn_forms, spec->insn_form_count, sizeof *spec->insn_forms, compare);
    for (size_t i = 0; i < spec->insn_form_count; i++)
        spec->insn_forms[i].instruction->form = spec->insn_forms[i].instruction->index =
            (unsigned)i;
    check_duplicates(spec, spec->insn_forms, spec->insn_form_count);
}

void spec_check_forms(struct spec *spec)
{
    size_t count = spec->instructions.count + spec->alias_count, n = 0;

    spec->forms = arena_array(spec->arena, count, sizeof *spec->forms);
    for (size_t i = 0; i < spec->instructions.count; i++) {
        struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        spec->forms[n++] = (struct spec_form){instruction->mnemonic, instruction, NULL, i};
    }
    for (size_t i = 0; i < spec->alias_count; i++)
        spec->forms[n++] =
            (struct spec_form){spec->aliases[i].mnemonic, NULL, &spec->aliases[i], i};
    spec->form_count = n;
    qsort(spec->forms, n, sizeof *spec->forms, compare);
    for (size_t i = 0; i < n; i++) {
        if (spec->forms[i].instruction)
            spec->forms[i].instruction->form = (unsigned)i;
        else
            spec->forms[i].alias->form = (unsigned)i;
    }
    check_duplicates(spec, spec->forms, n);
    sort_insn_forms(spec);
}
