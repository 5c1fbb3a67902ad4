/* See csr_check.h. GNU as warns of the same. */
#include "asm/instruction/csr_check.h"
#include "asm/attribute.h"
#include "asm/expression.h"
#include "asm/tasm.h"
#include "standard_ids.h"

/* Warns of a CSR that the architecture does not have. */
static void check_name(struct assembler *as, const struct expression *expression)
{
    const struct isa_csr_name *csr = isa_find_csr_name(expression->name);
    const char *extensions[] = {csr ? csr->also : NULL, csr ? csr->extension : NULL};
    struct position at = expression_place(expression);
    unsigned version = attribute_privileged(as);

    if (csr && csr->rv32)
        diag_warning(as->diag, &at, "CSR '%s' exists only in machines of 32 bits", csr->name);
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (extensions[i] && !arch_has(as, extensions[i]))
            diag_warning(as->diag, &at, "CSR '%s' needs extension '%s', which is not enabled",
                         csr->name, extensions[i]);
    if (csr && version && (version < csr->since || (csr->before && version >= csr->before)))
        diag_warning(as->diag, &at,
                     "CSR '%s' is not in version %s of the privileged architecture; '-mpriv-spec' "
                     "chooses another one",
                     csr->name, isa_privileged_versions[version - 1]);
}

/* Returns the value of an operand of the instruction that the form stands for. */
static struct operand_value operand_of(const struct match *match, unsigned index)
{
    if (!match->form->step_count)
        return match->operands[index];
    const struct isa_argument *argument = &match->form->steps[0].arguments[index];
    if (argument->kind == ISA_ARGUMENT_CONSTANT)
        return (struct operand_value){.number = argument->constant};
    return match->operands[argument->operand];
}

/* Warns of a write to a read-only CSR. An instruction that sets or clears bits does not write when
 * its source, the last operand, is x0 or 0. */
static void check_write(struct assembler *as, const struct parsed *parsed,
                        const struct match *match)
{
    const struct isa_instruction *instruction = match->form->instruction;
    const struct position *at = parsed->statement->at;
    unsigned number = 0;

    if (!instruction || instruction->generic)
        return;
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].type->kind == ISA_CSR)
            number = (unsigned)operand_of(match, i).number;
    struct operand_value source = operand_of(match, instruction->operand_count - 1u);
    bool writes = instruction->id == ISA_ID_CSRRW || instruction->id == ISA_ID_CSRRWI ||
                  source.number || source.expression;
    if (!writes || !isa_csr_is_read_only(number))
        return;
    const char *name = isa_csr_name(number);
    if (name)
        diag_warning(as->diag, at, "'%s' writes CSR '%s', which is read-only; 'csrr' reads it",
                     parsed->name, name);
    else
        diag_warning(as->diag, at, "'%s' writes CSR 0x%x, which is read-only; 'csrr' reads it",
                     parsed->name, number);
}

void csr_check(struct assembler *as, const struct parsed *parsed, const struct match *match)
{
    unsigned number;

    for (size_t i = 0; i < parsed->item_count; i++) {
        const struct item *item = &parsed->items[i];
        if (item->kind == ITEM_EXPRESSION && item->expression->kind == EXPRESSION_NAME &&
            isa_csr_number(item->expression->name, &number))
            check_name(as, item->expression);
    }
    check_write(as, parsed, match);
}
