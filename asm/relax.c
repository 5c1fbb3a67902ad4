/* Sizes and addresses.
 *
 * Problem: the size of a branch, an alignment or a gap depends on addresses, which depend on sizes.
 * Every round goes through the fragments of a section in order and gives each an address, from what
 * this round has found before it, and then a size, for which what follows has the addresses of the
 * round before (0 in the first one); until nothing changes. Which of several layouts is found
 * depends on that order: it is GNU as's, so that the result is. Branches that do not settle may
 * only grow after a number of rounds; gaps whose size is an expression are given up after a larger
 * one.
 *
 * After this phase every address and size is fixed; addresses count from the start of the section.
 */
#include "asm/expression.h"
#include "asm/instruction.h"
#include "asm/tasm.h"
#include <inttypes.h>

enum { ROUND_LIMIT = 1000, SETTLING_ROUNDS = 100 };

static unsigned target_index(const struct isa_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].type->kind == ISA_TARGET)
            return i;
    BUG("'%s' has no target", instruction->mnemonic);
}

static const struct isa_operand *target_operand(const struct isa_instruction *instruction)
{
    return &instruction->operands[target_index(instruction)];
}

/* The distance of a branch's target; false if it may be anywhere: in another section, undefined or
 * weak. */
static bool distance_of(struct assembler *as, const struct fragment *fragment, int64_t *distance)
{
    struct value value;
    const struct symbol *label;
    int64_t offset;
    if (fragment->target) {
        uint64_t target = fragment->target->address + fragment->target_offset;
        *distance = (int64_t)(target - fragment->address - fragment->length);
        return true;
    }
    if (!expression_evaluate(as, fragment->expression, true, &value)) {
        *distance = 0; /* reported when it is resolved */
        return true;
    }
    if (!value.add || value.subtract || value.add->binding == STB_WEAK ||
        !symbol_locate(as, value.add, &label, &offset) || label->section != fragment->section)
        return false;
    uint64_t target = symbol_address(label) + (uint64_t)offset + (uint64_t)value.constant;
    *distance = (int64_t)(target - fragment->address - fragment->length);
    return true;
}

/* The inverse of a branch steps over the jump, and may be compressed itself: but only where the
 * branch could be, and its target is known, as in GNU as. */
static bool has_short_inverse(const struct fragment *fragment, bool known)
{
    int64_t operands[ISA_OPERAND_LIMIT], values[ISA_OPERAND_LIMIT];
    const struct isa_instruction *inverse = fragment->instruction->inverse;
    if (!known || !fragment->compressed)
        return false;
    isa_extract_all(fragment->instruction, fragment->word, operands);
    return isa_find_compressed(inverse, operands, (int)target_index(inverse), values);
}

static uint64_t branch_size(struct assembler *as, struct fragment *fragment, bool only_grows)
{
    const struct isa_instruction *instruction = fragment->instruction, *inverse;
    int64_t distance = 0;
    bool known = distance_of(as, fragment, &distance);
    enum reach reach = instruction->inverse ? REACH_FAR : REACH_NEAR;
    if (known && fragment->compressed && isa_fits(target_operand(fragment->compressed), distance))
        reach = REACH_SHORT;
    else if (known && isa_fits(target_operand(instruction), distance))
        reach = REACH_NEAR;
    if (fragment->reach < reach || !only_grows)
        fragment->reach = reach;
    switch (fragment->reach) {
    case REACH_SHORT:
        return fragment->compressed ? fragment->compressed->length : instruction->length;
    case REACH_NEAR:
        return instruction->length;
    case REACH_FAR:
        inverse = instruction->inverse;
        fragment->short_inverse = has_short_inverse(fragment, known);
        return (fragment->short_inverse ? fragment->compressed->length : inverse->length) +
               (uint64_t)instruction->jump->length;
    }
    BUG("reach %d", fragment->reach);
}

/* A number, or false after a diagnostic (if not quiet). */
static bool number_of(struct assembler *as, const struct fragment *fragment, const char *what,
                      bool quiet, int64_t *number)
{
    struct value value;
    if (!expression_evaluate(as, fragment->expression, quiet, &value))
        return false;
    if (value.add || value.subtract) {
        struct position at = expression_place(fragment->expression);
        if (!quiet)
            diag_error(as->diag, &at, "%s must be a number; it depends on symbol '%s'", what,
                       (value.add ? value.add : value.subtract)->name);
        return false;
    }
    *number = value.constant;
    return true;
}

static uint64_t space_size(struct assembler *as, const struct fragment *fragment, bool quiet)
{
    int64_t count;
    uint64_t size;
    struct position at = expression_place(fragment->expression);
    if (!number_of(as, fragment, "the count", quiet, &count))
        return 0;
    if (count < 0) {
        if (!quiet)
            diag_error(as->diag, &at, "the count is %" PRId64 "; it must not be negative", count);
        return 0;
    }
    if (__builtin_mul_overflow((uint64_t)count, (uint64_t)fragment->pattern_length, &size) ||
        size > SECTION_LIMIT)
        return SECTION_LIMIT;
    return size;
}

static uint64_t org_size(struct assembler *as, const struct fragment *fragment, bool quiet)
{
    struct value value;
    const struct symbol *label;
    int64_t offset = 0;
    struct position at = expression_place(fragment->expression);
    if (!expression_evaluate(as, fragment->expression, quiet, &value))
        return 0;
    uint64_t here = fragment->address + fragment->length, target = (uint64_t)value.constant;
    if (value.add) {
        if (value.subtract || !symbol_locate(as, value.add, &label, &offset) ||
            label->section != fragment->section) {
            if (!quiet)
                diag_error(as->diag, &at, "'.org' needs a place in this section or a number");
            return 0;
        }
        target += symbol_address(label) + (uint64_t)offset;
    }
    if ((int64_t)target < (int64_t)here) {
        if (!quiet)
            diag_error(as->diag, &at,
                       "'.org' cannot move back: here is %#" PRIx64 ", the target is %" PRId64,
                       here, (int64_t)target);
        return 0;
    }
    return target - here > SECTION_LIMIT ? SECTION_LIMIT : target - here;
}

static uint64_t leb128_size(struct assembler *as, const struct fragment *fragment, bool quiet)
{
    int64_t number;
    uint64_t size = 1;
    if (!number_of(as, fragment, "a LEB128 value", quiet, &number))
        return 1;
    if (fragment->is_signed)
        for (; number < -64 || number > 63; number >>= 7)
            size++;
    else
        for (uint64_t rest = (uint64_t)number >> 7; rest; rest >>= 7)
            size++;
    return size;
}

/* One byte, and what the distance takes that does not fit in its low six bits. */
static uint64_t advance_size(struct assembler *as, const struct fragment *fragment, bool quiet)
{
    int64_t distance;
    if (!number_of(as, fragment, "the distance in a function", quiet, &distance))
        return 1;
    if (distance < 0 || distance > UINT32_MAX) {
        struct position at = expression_place(fragment->expression);
        if (!quiet)
            diag_error(as->diag, &at,
                       "the locations of this function do not ascend: a step of %" PRId64 " bytes",
                       distance);
        return 1;
    }
    if (distance < 1 << 6)
        return 1;
    return distance < 1 << 8 ? 2 : distance < 1 << 16 ? 3 : 5;
}

static uint64_t align_size(struct assembler *as, const struct fragment *fragment, bool quiet)
{
    uint64_t padding = -(fragment->address + fragment->length) & (fragment->alignment - 1);
    if (fragment->maximum && padding > fragment->maximum)
        return 0;
    if (!quiet && !fragment->code_fill && padding % fragment->pattern_length)
        diag_error(as->diag, fragment->at,
                   "the padding here has %" PRIu64 " bytes, which are no multiple of the fill's %u",
                   padding, fragment->pattern_length);
    return padding;
}

static uint64_t variable_size(struct assembler *as, struct fragment *fragment, bool quiet,
                              bool only_grows)
{
    switch (fragment->kind) {
    case FRAGMENT_FIXED:
        return 0;
    case FRAGMENT_ALIGN:
        return align_size(as, fragment, quiet);
    case FRAGMENT_SPACE:
        return space_size(as, fragment, quiet);
    case FRAGMENT_ORG:
        return org_size(as, fragment, quiet);
    case FRAGMENT_BRANCH:
        return branch_size(as, fragment, only_grows);
    case FRAGMENT_LEB128:
        return leb128_size(as, fragment, quiet);
    case FRAGMENT_ADVANCE:
        return advance_size(as, fragment, quiet);
    }
    BUG("fragment of kind %d", fragment->kind);
}

/* Of two that changed, the one whose size is an expression: it is the cause, where a cause is
 * sought. */
static const struct fragment *worse(const struct fragment *a, const struct fragment *b)
{
    return !a || (b && b->expression && b->kind != FRAGMENT_BRANCH) ? b : a;
}

/* Notes a fragment that changed in *changed. False when the section has become too large. */
static bool relax_section(struct assembler *as, struct section *section, bool only_grows,
                          const struct fragment **changed)
{
    uint64_t address = 0;
    for (struct subsection *subsection = section->subsections; subsection;
         subsection = subsection->next) {
        for (struct fragment *fragment = subsection->first; fragment; fragment = fragment->next) {
            fragment->address = address;
            uint64_t size = variable_size(as, fragment, true, only_grows);
            if (size != fragment->variable)
                *changed = worse(*changed, fragment);
            fragment->variable = size;
            address += fragment->length + size;
            if (address >
                (section_has_contents(section) ? SECTION_CONTENTS_LIMIT : SECTION_LIMIT)) {
                diag_error(as->diag, fragment->at,
                           "section '%s' grows beyond %" PRIu64 " bytes here", section->name,
                           section_has_contents(section) ? SECTION_CONTENTS_LIMIT : SECTION_LIMIT);
                return false;
            }
        }
    }
    section->size = address;
    section->laid_out = true;
    return true;
}

static bool one_round(struct assembler *as, bool only_grows, const struct fragment **changed)
{
    *changed = NULL;
    for (struct section *section = as->sections.first; section; section = section->next)
        if (!relax_section(as, section, only_grows, changed))
            return false;
    return true;
}

/* Says what is wrong with fragments whose size could not be found. */
static void report(struct assembler *as)
{
    for (struct section *section = as->sections.first; section; section = section->next)
        for (struct subsection *subsection = section->subsections; subsection;
             subsection = subsection->next)
            for (struct fragment *fragment = subsection->first; fragment; fragment = fragment->next)
                variable_size(as, fragment, false, true);
}

/* Most branches aim at a plain label of their section. Their rounds, which are many, then stay
 * within the fragments, where neighbours are near. */
static void find_target(struct fragment *fragment)
{
    const struct expression *expression = fragment->expression;
    if (fragment->kind != FRAGMENT_BRANCH || expression->kind != EXPRESSION_SYMBOL)
        return;
    const struct symbol *label = expression->symbol;
    if (label->kind != SYMBOL_LABEL || label->section != fragment->section ||
        label->binding == STB_WEAK)
        return;
    fragment->target = label->fragment;
    fragment->target_offset = label->offset;
}

static void find_targets(struct assembler *as)
{
    for (struct section *section = as->sections.first; section; section = section->next)
        for (struct subsection *subsection = section->subsections; subsection;
             subsection = subsection->next)
            for (struct fragment *fragment = subsection->first; fragment; fragment = fragment->next)
                find_target(fragment);
}

bool tasm_relax(struct assembler *as)
{
    find_targets(as);
    const struct fragment *changed;
    for (unsigned round = 0;; round++) {
        if (!one_round(as, round >= SETTLING_ROUNDS, &changed))
            return false;
        if (!changed && round)
            break;
        if (round >= ROUND_LIMIT && changed->kind != FRAGMENT_BRANCH) {
            diag_error(as->diag, changed->at,
                       "the size of this depends on itself: no layout is found");
            return false;
        }
    }
    report(as);
    return true;
}
