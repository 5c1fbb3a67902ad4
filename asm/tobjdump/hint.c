/* The `# 1119c <x>` after the second instruction of a pair that forms an address.
 *
 * The aliases that the assembler expands (la, lw rd, symbol, call, li) tell which instructions
 * start and end such a pair. The first step of an expansion, with %pcrel_hi, starts a pair relative
 * to the pc; the steps with %pcrel_lo, and the second step of a %call, end one. As in objdump, the
 * upper part of a register is known until an instruction uses it, gp and tp have their conventional
 * values, and an offset from the zero register is an address. */
#include "asm/tobjdump/tobjdump.h"

#include "isa_ids.h"
#include <string.h>

enum role {
    ROLE_NONE,
    ROLE_UPPER,         /* rd = immediate << 12 */
    ROLE_UPPER_PC,      /* rd = pc + (immediate << 12) */
    ROLE_MEMORY,        /* imm(base) */
    ROLE_ARITHMETIC,    /* base + imm */
    ROLE_ARITHMETIC_32, /* the same, sign-extended from 32 bits */
};

struct use {
    enum role role;
    uint8_t base, immediate; /* operands: for the upper roles base is the destination */
};

struct hints {
    struct use *uses; /* by instruction id */
    uint64_t upper[ISA_X_REGISTERS];
    bool known[ISA_X_REGISTERS];
    uint64_t gp;
    bool gp_known;
};

/* Finds an operand of this kind. A register is an integer register with this access. */
static bool find_operand(const struct isa_instruction *instruction, enum isa_kind kind,
                         enum isa_access access, uint8_t *index)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand_type *type = instruction->operands[i].type;
        if (type->kind == kind &&
            (kind != ISA_REGISTER ||
             (type->access & access && type->file->standard == ISA_STANDARD_INTEGER))) {
            *index = (uint8_t)i;
            return true;
        }
    }
    return false;
}

/* Finds the register in parentheses: the base of a memory operand. */
static bool find_base(const struct isa_form *form, uint8_t *index)
{
    for (unsigned i = 0; i + 1 < form->syntax_count; i++) {
        const struct isa_token *token = &form->syntax[i];
        if (token->kind == ISA_TOKEN_LITERAL && token->literal == '(' &&
            token[1].kind == ISA_TOKEN_OPERAND) {
            *index = token[1].operand;
            return true;
        }
    }
    return false;
}

static void set_upper(struct hints *hints, const struct isa_instruction *instruction,
                      enum role role)
{
    struct use use = {.role = role};

    if (find_operand(instruction, ISA_REGISTER, ISA_WRITE, &use.base) &&
        find_operand(instruction, ISA_IMMEDIATE, 0, &use.immediate))
        hints->uses[instruction->id] = use;
}

static void set_lower(struct hints *hints, const struct isa_instruction *instruction,
                      enum role arithmetic)
{
    struct use use = {.role = ROLE_MEMORY};

    if (!find_operand(instruction, ISA_IMMEDIATE, 0, &use.immediate))
        return;
    if (!find_base(instruction->form, &use.base)) {
        use.role = arithmetic;
        if (!find_operand(instruction, ISA_REGISTER, ISA_READ, &use.base))
            return;
    }
    hints->uses[instruction->id] = use;
}

/* Returns the relocation of the first argument of a step that has one. */
static const struct isa_relocation *step_relocation(const struct isa_step *step, bool *first)
{
    for (unsigned i = 0; i < step->instruction->operand_count; i++) {
        const struct isa_argument *argument = &step->arguments[i];
        *first = argument->kind == ISA_ARGUMENT_FIRST;
        if (argument->kind == ISA_ARGUMENT_RELOCATED || *first)
            return isa_relocation_for(argument->operator_name, &step->instruction->operands[i]);
    }
    return NULL;
}

static void learn_address(struct hints *hints, const struct isa_form *form)
{
    bool first;
    const struct isa_relocation *upper = step_relocation(&form->steps[0], &first);
    const struct isa_relocation *lower = step_relocation(&form->steps[1], &first);

    if (upper && (upper->value == ISA_VALUE_HI_S_A_P || upper->value == ISA_VALUE_PAIR_S_A_P))
        set_upper(hints, form->steps[0].instruction, ROLE_UPPER_PC);
    if ((lower && first) || (upper && upper->value == ISA_VALUE_PAIR_S_A_P))
        set_lower(hints, form->steps[1].instruction, ROLE_ARITHMETIC);
}

/* Notes the instructions that build a constant: upper part, addition, 32-bit addition. */
static void learn_constant(struct hints *hints, const struct isa_form *form)
{
    if (form->step_count < 3)
        return;
    set_upper(hints, form->steps[0].instruction, ROLE_UPPER);
    set_lower(hints, form->steps[2].instruction, ROLE_ARITHMETIC_32);
}

struct hints *hints_new(struct arena *arena, const struct elf_file *file)
{
    struct hints *hints = arena_new(arena, struct hints);

    hints->uses = arena_array(arena, isa_instruction_count, sizeof *hints->uses);
    for (size_t i = 0; i < isa_form_count; i++) {
        if (isa_forms[i].expander == ISA_EXPAND_LOAD_IMMEDIATE)
            learn_constant(hints, &isa_forms[i]);
        else if (isa_forms[i].step_count >= 2)
            learn_address(hints, &isa_forms[i]);
    }
    for (size_t i = 1; i < file->symbol_count; i++) {
        if (strcmp(file->symbols[i].name, "__global_pointer$") == 0 &&
            file->symbols[i].raw.st_shndx != SHN_UNDEF) {
            hints->gp = file->symbols[i].raw.st_value;
            hints->gp_known = true;
        }
    }
    return hints;
}

/* Takes the known upper part of the register; false if it is not known. */
static bool take(struct hints *hints, unsigned base, uint64_t *value)
{
    *value = 0;
    if (hints->known[base]) {
        *value = base ? hints->upper[base] : 0;
        hints->known[base] = false;
        return true;
    }
    if (base == ISA_REGISTER_GP && hints->gp_known) {
        *value = hints->gp;
        return true;
    }
    return base == 0 || base == ISA_REGISTER_TP;
}

/* Does the form that is printed show the operand? (`mv` hides the immediate, `ret` the base.) */
static bool shown(const struct isa_form *form, unsigned operand)
{
    return form->step_count == 0 || form->steps[0].arguments[operand].kind == ISA_ARGUMENT_OPERAND;
}

/* May a compressed instruction be the second of a pair? Not c.mv, which has no immediate, nor
 * c.addi16sp and c.addi4spn, whose base is always sp and not an operand. */
static bool compressed_is_lower(const struct isa_instruction *compressed, const struct use *use)
{
    const struct isa_argument *arguments = compressed->expansion->step.arguments;

    return arguments[use->immediate].kind == ISA_ARGUMENT_OPERAND &&
           arguments[use->base].kind == ISA_ARGUMENT_OPERAND &&
           compressed->operands[arguments[use->base].operand].type->count != 1;
}

/* Returns the instruction that a compressed one expands to; any other instruction itself. */
static const struct isa_instruction *base_of(const struct isa_instruction *instruction)
{
    return instruction->expansion ? instruction->expansion->step.instruction : instruction;
}

bool hints_address(struct hints *hints, uint64_t pc, const struct isa_instruction *instruction,
                   uint64_t word, bool no_aliases, uint64_t *address)
{
    const struct use *use = &hints->uses[base_of(instruction)->id];
    int64_t values[ISA_OPERAND_LIMIT];
    const struct isa_form *form;
    uint64_t immediate, start;
    unsigned base;

    if (use->role == ROLE_NONE || (instruction->expansion && use->role == ROLE_MEMORY))
        return false; /* objdump does not print addresses for compressed loads and stores */
    isa_operands(instruction, word, values);
    base = (unsigned)values[use->base] % ISA_X_REGISTERS;
    immediate = (uint64_t)values[use->immediate];
    if (use->role == ROLE_UPPER || use->role == ROLE_UPPER_PC) {
        hints->upper[base] = (uint64_t)(int64_t)(int32_t)(uint32_t)(immediate << 12) +
                             (use->role == ROLE_UPPER_PC ? pc : 0);
        hints->known[base] = true;
        return false;
    }
    if (instruction->expansion && !compressed_is_lower(instruction, use))
        return false;
    form = disasm_form(instruction, word, ISA_EVERY_EXTENSION, no_aliases, values);
    if (use->role == ROLE_MEMORY ? !shown(form, use->base)
                                 : base == 0 || !shown(form, use->immediate))
        return false;
    if (!take(hints, base, &start))
        return false;
    *address = start + immediate;
    if (use->role == ROLE_ARITHMETIC_32)
        *address = (uint64_t)(int64_t)(int32_t)(uint32_t)*address;
    return true;
}
