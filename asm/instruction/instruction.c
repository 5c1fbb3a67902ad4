/* Assembling instructions: a matched form becomes one instruction or the steps of an alias, and
 * these become bytes and fixups.
 *
 * No instruction is named here: expansions, relaxations and even the nop that pads code come from
 * the tables. */
#include "asm/instruction/instruction.h"
#include "asm/attribute.h"
#include "asm/expression.h"
#include "asm/instruction/csr_check.h"
#include "asm/instruction/operand_match.h"
#include "asm/tasm.h"
#include "lib/architecture.h"
#include "lib/bytes.h"
#include <inttypes.h>
#include <string.h>

void instruction_put(struct assembler *as, const struct isa_instruction *instruction, uint64_t word,
                     unsigned char *place)
{
    bytes_put(place, word, instruction->length);
    if (!instruction->generic)
        as->used_instructions[instruction - isa_instructions] = true;
    if (as->bundle.is_open)
        bundle_note(as, instruction, word);
}

void instruction_append(struct assembler *as, const struct isa_instruction *instruction,
                        const int64_t *values, const struct position *at)
{
    unsigned char *place = section_append(as, instruction->length, at);

    if (place)
        instruction_put(as, instruction, isa_encode(instruction, values), place);
}

void instruction_init(struct assembler *as)
{
    as->nop = isa_nop(false);
    as->short_nop = isa_nop(true);
}

void instruction_nops(const struct assembler *as, unsigned char *place, uint64_t size,
                      bool compressed)
{
    const struct isa_nop *nop = &as->nop, *first = compressed ? &as->short_nop : nop;

    if (!nop->length)
        return;
    uint64_t at = size % first->length;
    if ((size - at) % nop->length) {
        bytes_put(place + at, first->word, first->length);
        at += first->length;
    }
    for (; at < size; at += nop->length)
        bytes_put(place + at, nop->word, nop->length);
}

static bool check_constraints(struct assembler *as, const struct isa_instruction *instruction,
                              const int64_t *values, const struct position *at)
{
    for (unsigned i = 0; i < instruction->constraint_count; i++) {
        if (!instruction->constraints[i].holds(values)) {
            diag_error(as->diag, at, "'%s': %s",
                       as->mnemonic ? as->mnemonic : instruction->mnemonic,
                       instruction->constraints[i].message);
            return false;
        }
    }
    return true;
}

/* Appends a branch to an expression, or a jump that may be compressed, whose size relaxation finds.
 * `operand` is the index of the target; `may_shrink` allows a compressed one. False if the
 * instruction is neither. */
static bool append_branch(struct assembler *as, const struct isa_instruction *instruction,
                          const int64_t *values, unsigned operand, struct expression *target,
                          bool may_shrink, const struct position *at)
{
    int64_t short_values[ISA_OPERAND_LIMIT] = {0};
    const struct isa_instruction *compressed =
        may_shrink && arch_compresses(as)
            ? isa_find_compressed(instruction, values, (int)operand, as->arch.enabled, short_values)
            : NULL;

    if ((!compressed && !instruction->inverse) || as->sections.current.section->absolute)
        return false;
    struct fragment *fragment = section_variable(as, FRAGMENT_BRANCH, at);
    fragment->instruction = instruction;
    fragment->word = isa_encode(instruction, values);
    if (as->bundle.is_open)
        bundle_note(as, instruction, fragment->word);
    fragment->compressed = compressed;
    fragment->compressed_word = compressed ? (uint32_t)isa_encode(compressed, short_values) : 0;
    fragment->expression = target;
    return true;
}

/* Appends a branch or jump that is written as a compressed instruction. It may grow like its
 * uncompressed form, as in GNU as. */
static bool append_compressed_branch(struct assembler *as,
                                     const struct isa_instruction *instruction,
                                     const int64_t *values, unsigned operand,
                                     struct expression *target, const struct position *at)
{
    const struct isa_step *step = &instruction->expansion->step;
    int64_t base_values[ISA_OPERAND_LIMIT] = {0};
    unsigned base_operand = 0;

    for (unsigned i = 0; i < step->instruction->operand_count; i++) {
        const struct isa_argument *argument = &step->arguments[i];
        bool constant = argument->kind == ISA_ARGUMENT_CONSTANT;
        base_values[i] = constant ? argument->constant : values[argument->operand];
        if (!constant && argument->operand == operand)
            base_operand = i;
    }
    return append_branch(as, step->instruction, base_values, base_operand, target, true, at);
}

static bool append_any_branch(struct assembler *as, const struct isa_instruction *instruction,
                              const int64_t *values, unsigned operand, struct expression *target,
                              bool may_shrink, const struct position *at)
{
    if (instruction->expansion)
        return append_compressed_branch(as, instruction, values, operand, target, at);
    return append_branch(as, instruction, values, operand, target, may_shrink, at);
}

/* May the compressed instruction be chosen for what the source has? `form`: how it is written; NULL:
 * as a part of several instructions. */
static bool may_compress(const struct isa_instruction *compressed, const struct isa_form *form)
{
    if (!compressed->alias_only || !form)
        return true;
    return form->step_count && (compressed->operand_count || !form->operand_count);
}

/* Appends the instruction, or the compressed one with the same meaning. */
static void append_shortest(struct assembler *as, const struct isa_instruction *instruction,
                            const int64_t *values, const struct isa_form *form,
                            const struct position *at)
{
    int64_t short_values[ISA_OPERAND_LIMIT] = {0};
    const struct isa_instruction *compressed =
        arch_compresses(as)
            ? isa_find_compressed(instruction, values, -1, as->arch.enabled, short_values)
            : NULL;

    if (compressed && may_compress(compressed, form))
        instruction_append(as, compressed, short_values, at);
    else
        instruction_append(as, instruction, values, at);
}

/* Assembles one instruction, with operands in its own order. `match` may have a mark for it; or
 * NULL. A `rigid` instruction keeps its length. */
static void assemble_one(struct assembler *as, const struct isa_instruction *instruction,
                         const struct operand_value *operands, const struct match *match,
                         bool rigid, const struct position *at)
{
    int64_t values[ISA_OPERAND_LIMIT];

    for (unsigned i = 0; i < instruction->operand_count; i++)
        values[i] = operands[i].expression ? 0 : operands[i].number;
    if (!check_constraints(as, instruction, values, at))
        return;
    bool known = !rigid && !(match && match->mark);
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        known &= !operands[i].expression;
        if (instruction->operands[i].type->kind == ISA_TARGET && operands[i].expression &&
            append_any_branch(as, instruction, values, i, operands[i].expression,
                              !match || !match->form->instruction->generic, at))
            return;
    }
    if (known) {
        append_shortest(as, instruction, values, match ? match->form : NULL, at);
        return;
    }
    unsigned char *place = section_append(as, instruction->length, at);
    if (!place)
        return;
    instruction_put(as, instruction, isa_encode(instruction, values), place);
    struct fragment *fragment = section_fragment(as);
    uint64_t offset = fragment->length - instruction->length;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        if (!operands[i].expression)
            continue;
        struct fixup *fixup = section_fixup(as, fragment, offset);
        fixup->instruction = instruction;
        fixup->operand = &instruction->operands[i];
        fixup->expression = operands[i].expression;
        fixup_ask(fixup, operands[i].relocation);
    }
    if (match && match->mark) {
        struct fixup *fixup = section_fixup(as, fragment, offset);
        fixup->instruction = instruction;
        fixup->expression = match->mark_expression;
        fixup_ask(fixup, match->mark);
    }
}

/* Returns the relocation of %name in an operand; for a pair of instructions, that of the first. */
static const struct isa_relocation *step_relocation(const char *name,
                                                    const struct isa_operand *operand)
{
    const struct isa_relocation *relocation = isa_relocation_for(name, operand);

    if (!relocation)
        BUG("an alias uses %%%s, which operand '%s' does not know", name, operand->name);
    return relocation;
}

static struct operand_value step_operand(const struct match *match,
                                         const struct isa_argument *argument,
                                         const struct isa_operand *operand,
                                         struct expression *first)
{
    switch (argument->kind) {
    case ISA_ARGUMENT_OPERAND:
        return match->operands[argument->operand];
    case ISA_ARGUMENT_CONSTANT:
        return (struct operand_value){.number = argument->constant};
    case ISA_ARGUMENT_RELOCATED:
        return (struct operand_value){.expression = match->operands[argument->operand].expression,
                                      .relocation =
                                          step_relocation(argument->operator_name, operand)};
    case ISA_ARGUMENT_FIRST:
        return (struct operand_value){
            .expression = first, .relocation = step_relocation(argument->operator_name, operand)};
    }
    BUG("argument of kind %d", argument->kind);
}

static bool refers_to_first(const struct isa_form *form)
{
    for (unsigned i = 0; i < form->step_count; i++)
        for (unsigned j = 0; j < form->steps[i].instruction->operand_count; j++)
            if (form->steps[i].arguments[j].kind == ISA_ARGUMENT_FIRST)
                return true;
    return false;
}

/* Must the instructions of the sequence keep their lengths? So it is if one has a relocation, which
 * may apply to the whole sequence. */
static bool is_rigid(const struct match *match)
{
    const struct isa_form *form = match->form;
    bool relocated = match->mark;

    for (unsigned i = 0; i < form->step_count; i++)
        for (unsigned j = 0; j < form->steps[i].instruction->operand_count; j++) {
            const struct isa_argument *argument = &form->steps[i].arguments[j];
            relocated |= argument->kind == ISA_ARGUMENT_OPERAND
                             ? match->operands[argument->operand].expression != NULL
                             : argument->kind != ISA_ARGUMENT_CONSTANT;
        }
    return relocated && form->step_count > 1;
}

static void assemble_steps(struct assembler *as, const struct match *match,
                           const struct position *at)
{
    const struct isa_form *form = match->form;
    struct expression *first =
        refers_to_first(form) ? expression_symbol(as, at, symbol_here(as, ".L0 ")) : NULL;
    bool rigid = is_rigid(match);

    for (unsigned i = 0; i < form->step_count; i++) {
        const struct isa_step *step = &form->steps[i];
        struct operand_value operands[ISA_OPERAND_LIMIT];
        for (unsigned j = 0; j < step->instruction->operand_count; j++)
            operands[j] =
                step_operand(match, &step->arguments[j], &step->instruction->operands[j], first);
        assemble_one(as, step->instruction, operands, i + 1u == form->step_count ? match : NULL,
                     rigid, at);
    }
}

/* Appends an instruction that builds a constant. Its first register is the destination. */
static void append_step(struct assembler *as, const struct isa_step *step, unsigned rd,
                        unsigned source, int64_t immediate, const struct position *at)
{
    int64_t values[ISA_OPERAND_LIMIT] = {0};
    bool destination = true;

    for (unsigned i = 0; i < step->instruction->operand_count; i++) {
        const struct isa_operand_type *type = step->instruction->operands[i].type;
        if (type->kind == ISA_REGISTER) {
            values[i] = destination ? rd : source;
            destination = false;
        } else {
            values[i] = immediate;
        }
    }
    append_shortest(as, step->instruction, values, NULL, at);
}

/* The steps of the form: 0 sets the upper 20 bits, 1 adds in 64 bits, 2 adds in 32 bits, 3 shifts
 * left. A constant of more than 32 bits is built from a shorter one, shifted left, plus its signed
 * low 12 bits. GNU as does the same, so code has the same size. */
void instruction_load_immediate(struct assembler *as, const struct isa_form *form, unsigned rd,
                                int64_t value, const struct position *at)
{
    int64_t low = (int64_t)((uint64_t)value << 52) >> 52;
    uint64_t upper = (uint64_t)value - (uint64_t)low;

    if (value != (int32_t)value) {
        unsigned shift = (unsigned)__builtin_ctzll(upper);
        instruction_load_immediate(as, form, rd, (int64_t)upper >> shift, at);
        append_step(as, &form->steps[3], rd, rd, shift, at);
        if (low)
            append_step(as, &form->steps[1], rd, rd, low, at);
        return;
    }
    if (upper)
        append_step(as, &form->steps[0], rd, rd, (int64_t)((uint32_t)upper >> 12), at);
    if (low || !upper)
        append_step(as, &form->steps[2], rd, upper ? rd : 0, low, at);
}

/* Assembles a form of .insn. If its encoding is that of a branch of the ISA, it is assembled as
 * that branch, because it may have to grow. */
static void assemble_generic(struct assembler *as, const struct match *match,
                             const struct position *at)
{
    const struct isa_instruction *form = match->form->instruction, *known = NULL;
    const struct operand_value *target = NULL;
    struct operand_value operands[ISA_OPERAND_LIMIT];
    int64_t values[ISA_OPERAND_LIMIT] = {0};

    for (unsigned i = 0; i < form->operand_count; i++) {
        if (form->operands[i].type->kind == ISA_TARGET && match->operands[i].expression)
            target = &match->operands[i];
        values[i] = match->operands[i].expression ? 0 : match->operands[i].number;
    }
    uint64_t word = isa_encode(form, values);
    if (target)
        known = isa_decode(word, form->length);
    for (unsigned i = 0; known && i < known->operand_count; i++)
        operands[i] =
            known->operands[i].type->kind == ISA_TARGET
                ? *target
                : (struct operand_value){.number = isa_extract(&known->operands[i], word)};
    assemble_one(as, known ? known : form, known ? operands : match->operands, match, false, at);
}

static void assemble_match(struct assembler *as, const struct match *match,
                           const struct position *at)
{
    const struct isa_form *form = match->form;

    if (form->expander == ISA_EXPAND_LOAD_IMMEDIATE)
        instruction_load_immediate(as, form, (unsigned)match->operands[0].number,
                                   match->operands[1].number, at);
    else if (form->step_count)
        assemble_steps(as, match, at);
    else if (form->instruction->generic)
        assemble_generic(as, match, at);
    else
        assemble_one(as, form->instruction, match->operands, match, false, at);
}

/* Checks that all extensions of the form's instructions are enabled. */
static bool check_extension(struct assembler *as, const struct parsed *parsed,
                            const struct isa_form *form)
{
    const struct isa_needs *needs = &form->needs;
    bool ok = arch_use(as, needs);

    for (unsigned i = 0; ok && i < form->step_count; i++) {
        needs = &form->steps[i].instruction->needs;
        ok = arch_use(as, needs);
    }
    if (!ok) {
        struct position at = name_place(parsed);
        struct text names = TEXT_INIT, options = TEXT_INIT;
        bool several = arch_append_options(as, &options, needs);
        architecture_append_needs(&names, needs, as->arch.enabled);
        diag_error(as->diag, &at,
                   "'%s' needs %s, which %s not enabled (architecture %s); add %s to "
                   "-march, or here with '.option arch, %s'",
                   parsed->name, names.bytes, several ? "are" : "is", arch_text(as),
                   several ? "them" : "it", options.bytes);
        text_free(&names);
        text_free(&options);
    }
    return ok;
}

/* Does an instruction of the step read or write the operand of the alias? */
static bool step_has(const struct isa_step *step, unsigned operand, enum isa_access access)
{
    for (unsigned i = 0; i < step->instruction->operand_count; i++)
        if (step->arguments[i].kind == ISA_ARGUMENT_OPERAND &&
            step->arguments[i].operand == operand &&
            step->instruction->operands[i].type->access == access)
            return true;
    return false;
}

/* Returns which argument of the statement the operand is. */
static size_t argument_of(const struct isa_form *form, unsigned operand)
{
    size_t commas = 0;

    for (unsigned i = 0; i < form->syntax_count; i++) {
        if (form->syntax[i].kind == ISA_TOKEN_OPERAND && form->syntax[i].operand == operand)
            break;
        commas += form->syntax[i].kind == ISA_TOKEN_LITERAL && form->syntax[i].literal == ',';
    }
    return commas;
}

/* Checks that the register which takes the upper part of an address to the next instruction is not
 * zero. */
static bool check_address(struct assembler *as, const struct parsed *parsed,
                          const struct match *match)
{
    const struct isa_form *form = match->form;

    if (form->step_count < 2 || !is_rigid(match))
        return true;
    for (unsigned i = 0; i < form->operand_count; i++) {
        const struct isa_operand_type *type = form->operands[i].type;
        if (type->kind != ISA_REGISTER || !type->file ||
            type->file->standard != ISA_STANDARD_INTEGER || match->operands[i].number != 0 ||
            !step_has(&form->steps[0], i, ISA_WRITE) || !step_has(&form->steps[1], i, ISA_READ))
            continue;
        struct position at = argument_place(parsed, argument_of(form, i));
        diag_error(as->diag, &at,
                   "operand %zu of '%s': found register '%s', which cannot hold the address; use "
                   "another one",
                   argument_of(form, i) + 1, parsed->name, type->file->names[0]);
        return false;
    }
    return true;
}

/* Notes whether the object has to state its version of the privileged architecture: an instruction
 * or a CSR may depend on it. */
static void note_privileged(struct assembler *as, const struct parsed *parsed,
                            const struct match *match)
{
    const struct isa_form *form = match->form;
    bool csr = false;

    as->is_privileged |= form->instruction && form->instruction->privileged;
    for (unsigned i = 0; i < form->operand_count; i++)
        csr |= form->operands[i].type->kind == ISA_CSR;
    as->is_privileged |= csr;
    if (csr && as->mode.csr_check)
        csr_check(as, parsed, match);
}

/* Reports a branch or jump to a number that looks like a distance. In GNU's syntax a number is an
 * address, in LLVM's it is a distance. */
static void check_target(struct assembler *as, const struct isa_operand *operand,
                         const struct expression *target)
{
    int64_t number;

    if (!target || (target->kind != EXPRESSION_CONSTANT && target->kind != EXPRESSION_UNARY) ||
        !expression_try_constant(as, target, &number))
        return;
    struct position at = expression_place(target);
    if (number & 1)
        diag_error(as->diag, &at,
                   "the target %" PRId64 " is odd; expected the address of an instruction", number);
    else if (isa_fits(operand, number))
        diag_warning(as->diag, &at,
                     "the target %" PRId64 " is an address, not a distance; write '. %c %" PRId64
                     "' for a distance",
                     number, number < 0 ? '-' : '+', number < 0 ? -number : number);
}

static void bind(struct assembler *as, struct match *match)
{
    for (unsigned i = 0; i < match->form->operand_count; i++)
        if (match->operands[i].expression)
            match->operands[i].expression = expression_keep(as, match->operands[i].expression);
    if (match->mark)
        match->mark_expression = expression_keep(as, match->mark_expression);
}

void instruction_assemble(struct assembler *as, const struct parsed *parsed)
{
    const struct meaning *meaning = parsed->word->meaning;

    const struct fragment *fragment = section_fragment(as);
    const struct fixup *fixup = fragment->section->last_fixup;
    uint64_t length = fragment->length;
    unsigned messages = as->diag->errors + as->diag->warnings;
    instruction_assemble_form(as, parsed, meaning->forms, meaning->form_count);
    if (as->diag->errors + as->diag->warnings != messages)
        return;
    if (section_fragment(as) != fragment || fragment->section->last_fixup != fixup)
        head_note(as, parsed, fragment, length, fixup);
    else if (fragment->bytes) /* only fixed bytes were added */
        recall_note(as, parsed, fragment->bytes + length, fragment->length - length);
}

/* Appends the steps of an alias whose operands are these numbers. */
static void append_steps(struct assembler *as, const struct isa_form *form, const int64_t *values)
{
    for (unsigned i = 0; i < form->step_count; i++) {
        const struct isa_step *step = &form->steps[i];
        int64_t own[ISA_OPERAND_LIMIT];
        for (unsigned j = 0; j < step->instruction->operand_count; j++) {
            const struct isa_argument *argument = &step->arguments[j];
            own[j] = argument->kind == ISA_ARGUMENT_CONSTANT ? argument->constant
                                                             : values[argument->operand];
        }
        append_shortest(as, step->instruction, own, i + 1u == form->step_count ? form : NULL, NULL);
    }
}

void instruction_assemble_values(struct assembler *as, const struct isa_form *form,
                                 const int64_t *values, const char *text, size_t text_length)
{
    const struct fragment *fragment = section_fragment(as);
    uint64_t length = fragment->length;

    arch_use(as, &form->needs);
    for (unsigned i = 0; i < form->step_count; i++)
        arch_use(as, &form->steps[i].instruction->needs);
    as->is_privileged |= form->instruction && form->instruction->privileged;
    as->at = NULL;
    lines_instruction(as, NULL);
    if (form->expander == ISA_EXPAND_LOAD_IMMEDIATE)
        instruction_load_immediate(as, form, (unsigned)values[0], values[1], NULL);
    else if (form->step_count)
        append_steps(as, form, values);
    else
        append_shortest(as, form->instruction, values, form, NULL);
    if (section_fragment(as) == fragment && fragment->bytes)
        recall_store(as, text, text_length, fragment->bytes + length, fragment->length - length);
}

void instruction_assemble_form(struct assembler *as, const struct parsed *parsed,
                               const struct isa_form *forms, size_t count)
{
    struct match match;

    if (!operand_match(as, parsed, forms, count, &match) ||
        !check_extension(as, parsed, match.form) || !check_address(as, parsed, &match))
        return;
    note_privileged(as, parsed, &match);
    for (unsigned i = 0; i < match.form->operand_count; i++)
        if (match.form->operands[i].type->kind == ISA_TARGET)
            check_target(as, field_operand(match.form, i), match.operands[i].expression);
    section_content(as, CONTENT_CODE);
    lines_instruction(as, parsed->statement->at);
    bind(as, &match);
    as->mnemonic = parsed->name;
    assemble_match(as, &match, parsed->statement->at);
    as->mnemonic = NULL;
}
