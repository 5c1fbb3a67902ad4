/* The sizes of fragments, and the conditions under which they remain valid.
 *
 * In most rounds of relaxation few sizes change. So each size narrows the condition under which its
 * block may be skipped: the block moves by a multiple of an alignment, or a target stays within
 * reach or out of it. A size that depends on anything else makes the next round visit the block. */
#include "asm/expression.h"
#include "asm/instruction/instruction.h"
#include "asm/relax.h"
#include "asm/tasm.h"
#include "lib/leb128.h"
#include <inttypes.h>

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

/* ---- validity ---- */

void validity_init(struct validity *validity, const struct block *block)
{
    *validity = (struct validity){
        .least = INT64_MIN, .most = INT64_MAX, .alignment = 1, .first = block, .last = block};
}

void validity_refuse(struct validity *validity)
{
    validity->least = 1;
    validity->most = 0;
}

static void depend_on_alignment(struct validity *validity, uint64_t alignment)
{
    if (validity->alignment < alignment)
        validity->alignment = alignment;
}

/* Limits how far the block may move, while its target does not: the distance has to stay below
 * `bound` if it is below it now, and at or above it otherwise. */
static void depend_on_side(const struct sizing *sizing, int64_t distance, int64_t bound)
{
    struct validity *validity = sizing->validity;
    int64_t furthest = (int64_t)((uint64_t)sizing->shift + (uint64_t)distance - (uint64_t)bound);

    if (distance >= bound && validity->most > furthest)
        validity->most = furthest;
    if (distance < bound && validity->least <= furthest)
        validity->least = furthest + 1;
}

static void depend_on_range(const struct sizing *sizing, const struct isa_operand *operand,
                            int64_t distance)
{
    int64_t minimum, maximum, step;

    if (operand->type->nonzero || operand->type->extends) { /* not a plain range */
        validity_refuse(sizing->validity);
        return;
    }
    isa_range(operand, &minimum, &maximum, &step);
    depend_on_alignment(sizing->validity, (uint64_t)step);
    depend_on_side(sizing, distance, minimum);
    depend_on_side(sizing, distance, maximum + 1);
}

/* Does the target come after the fragment? Then it still has the address of the previous round. */
static bool is_ahead(const struct fragment *target, const struct fragment *fragment)
{
    return target->block > fragment->block ||
           (target->block == fragment->block && target->number > fragment->number);
}

static void depend_on_target(const struct sizing *sizing, const struct fragment *fragment,
                             int64_t distance)
{
    struct validity *validity = sizing->validity;
    const struct fragment *target = fragment->target;

    if (validity->first > target->block)
        validity->first = target->block;
    if (validity->last < target->block)
        validity->last = target->block;
    if (!is_ahead(target, fragment))
        return;
    depend_on_range(sizing, target_operand(fragment->instruction), distance);
    if (fragment->compressed)
        depend_on_range(sizing, target_operand(fragment->compressed), distance);
}

/* Extends the blocks of another section, between which sizes must not change, by the block of a
 * label. The validity holds blocks of one section only. */
static void depend_on_label(struct validity *validity, const struct symbol *label)
{
    const struct block *block = label->fragment->block;

    if (!validity->other_first)
        validity->other_first = validity->other_last = block;
    if (validity->other_first->first->section != symbol_section(label))
        validity_refuse(validity);
    else if (validity->other_first > block)
        validity->other_first = block;
    else if (validity->other_last < block)
        validity->other_last = block;
}

/* Lets the size depend on the distance of two labels. If they are in another section, as in call
 * frame information, it changes only with the sizes between them. */
static void depend_on_distance(struct validity *validity, const struct fragment *fragment,
                               const struct symbol *from, const struct symbol *to)
{
    if (from->kind != SYMBOL_LABEL || to->kind != SYMBOL_LABEL ||
        symbol_section(from) != symbol_section(to) || symbol_section(from) == fragment->section) {
        validity_refuse(validity);
        return;
    }
    depend_on_label(validity, to);
    depend_on_label(validity, from);
}

/* Lets the size depend on the value of the fragment's expression. */
static void depend_on_value(struct validity *validity, const struct fragment *fragment)
{
    const struct expression *value = fragment->expression;

    if (value->kind == EXPRESSION_CONSTANT)
        return;
    if (value->kind != EXPRESSION_BINARY || value->operation != OPERATION_SUBTRACT ||
        value->left->kind != EXPRESSION_SYMBOL || value->right->kind != EXPRESSION_SYMBOL)
        validity_refuse(validity);
    else
        depend_on_distance(validity, fragment, value->right->symbol, value->left->symbol);
}

/* ---- sizes ---- */

/* Finds the distance of a branch's target; false if it is not known: the target is in another
 * section, undefined or weak. */
static bool distance_of(struct assembler *as, const struct fragment *fragment, int64_t *distance)
{
    struct value value;
    const struct symbol *label;
    int64_t offset;

    if (fragment->target) {
        uint64_t target = fragment_address(fragment->target) + fragment->target_offset;
        *distance = (int64_t)(target - fragment_address(fragment) - fragment->length);
        return true;
    }
    if (!expression_evaluate(as, fragment->expression, true, &value)) {
        *distance = 0; /* resolve.c reports the error */
        return true;
    }
    if (!value.add || value.subtract || value.add->binding == STB_WEAK ||
        !symbol_locate(as, value.add, &label, &offset) ||
        symbol_section(label) != fragment->section)
        return false;
    uint64_t target = symbol_address(label) + (uint64_t)offset + (uint64_t)value.constant;
    *distance = (int64_t)(target - fragment_address(fragment) - fragment->length);
    return true;
}

/* May the inverse branch that skips the jump be compressed? As in GNU as, only if the branch itself
 * could be, and the distance of its target is known. */
static bool has_short_inverse(const struct fragment *fragment, bool known)
{
    int64_t operands[ISA_OPERAND_LIMIT], values[ISA_OPERAND_LIMIT];
    const struct isa_instruction *inverse = fragment->instruction->inverse;

    if (!known || !fragment->compressed)
        return false;
    isa_extract_all(fragment->instruction, fragment->word, operands);
    return isa_find_compressed(inverse, operands, (int)target_index(inverse), ISA_EVERY_EXTENSION,
                               values);
}

static enum reach reach_of(const struct fragment *fragment, bool known, int64_t distance)
{
    const struct isa_instruction *instruction = fragment->instruction;

    if (known && fragment->compressed && isa_fits(target_operand(fragment->compressed), distance))
        return REACH_SHORT;
    if (known && isa_fits(target_operand(instruction), distance))
        return REACH_NEAR;
    return instruction->inverse ? REACH_FAR : REACH_NEAR;
}

/* Is the target in another section, undefined or weak? Then no round will know its distance. */
static bool is_elsewhere(const struct fragment *fragment, bool known)
{
    const struct expression *expression = fragment->expression;

    return !known && expression->kind == EXPRESSION_SYMBOL &&
           expression->symbol->kind != SYMBOL_EQUATED;
}

static uint64_t branch_size(const struct sizing *sizing, struct fragment *fragment)
{
    const struct isa_instruction *instruction = fragment->instruction;
    enum reach before = fragment->reach;
    int64_t distance = 0;
    bool known = distance_of(sizing->as, fragment, &distance);
    enum reach reach = reach_of(fragment, known, distance);

    if (before < reach || !sizing->only_grows)
        fragment->reach = reach;
    if (fragment->target)
        depend_on_target(sizing, fragment, distance);
    else if (!is_elsewhere(fragment, known))
        validity_refuse(sizing->validity);
    switch (fragment->reach) {
    case REACH_SHORT:
        return fragment->compressed ? fragment->compressed->length : instruction->length;
    case REACH_NEAR:
        return instruction->length;
    case REACH_FAR:
        if (before != REACH_FAR || !fragment->target)
            fragment->short_inverse = has_short_inverse(fragment, known);
        return (fragment->short_inverse ? fragment->compressed->length
                                        : instruction->inverse->length) +
               (uint64_t)instruction->jump->length;
    }
    BUG("reach %d", fragment->reach);
}

/* Computes the number that the fragment's expression has to be; false after a diagnostic, or
 * without one if quiet. */
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
                       symbol_title(as, value.add ? value.add : value.subtract));
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
    uint64_t here = fragment_address(fragment) + fragment->length,
             target = (uint64_t)value.constant;
    if (value.add) {
        if (value.subtract || !symbol_locate(as, value.add, &label, &offset) ||
            symbol_section(label) != fragment->section) {
            if (!quiet)
                diag_error(as->diag, &at, "'.org' needs a place in this section or a number");
            return 0;
        }
        target += symbol_address(label) + (uint64_t)offset;
    }
    if ((int64_t)target < (int64_t)here) {
        if (!quiet)
            diag_error(as->diag, &at,
                       "'.org' cannot move back: the location is %#" PRIx64
                       ", the target is %" PRId64,
                       here, (int64_t)target);
        return 0;
    }
    return target - here > SECTION_LIMIT ? SECTION_LIMIT : target - here;
}

static uint64_t leb128_size(struct assembler *as, const struct fragment *fragment, bool quiet)
{
    int64_t number;

    if (!number_of(as, fragment, "a LEB128 value", quiet, &number))
        return 1;
    return fragment->is_signed ? leb128_size_signed(number)
                               : leb128_size_unsigned((uint64_t)number);
}

static uint64_t advance_size(struct assembler *as, const struct fragment *fragment, bool quiet)
{
    int64_t distance = (int64_t)(symbol_address(fragment->to) - symbol_address(fragment->from));

    if (distance < 0 || distance > UINT32_MAX) {
        if (!quiet)
            diag_error(
                as->diag, fragment->at,
                "the locations in this function must not decrease; found an advance of %" PRId64
                " bytes",
                distance);
        return 1;
    }
    return frame_advance_size((uint64_t)distance);
}

static uint64_t align_size(struct assembler *as, const struct fragment *fragment, bool quiet)
{
    uint64_t padding = -(fragment_address(fragment) + fragment->length) & (fragment->alignment - 1);

    if (fragment->maximum && padding > fragment->maximum)
        return 0;
    if (!quiet && !fragment->code_fill && padding % fragment->pattern_length)
        diag_error(as->diag, fragment->at,
                   "the padding here has %" PRIu64
                   " bytes, which is not a multiple of the fill's %u",
                   padding, fragment->pattern_length);
    return padding;
}

uint64_t fragment_size(const struct sizing *sizing, struct fragment *fragment)
{
    struct assembler *as = sizing->as;
    bool quiet = sizing->quiet;

    switch (fragment->kind) {
    case FRAGMENT_FIXED:
        return 0;
    case FRAGMENT_ALIGN:
        depend_on_alignment(sizing->validity, fragment->alignment);
        return align_size(as, fragment, quiet);
    case FRAGMENT_BRANCH:
        return branch_size(sizing, fragment);
    case FRAGMENT_LEB128:
        depend_on_value(sizing->validity, fragment);
        break;
    case FRAGMENT_ADVANCE:
        depend_on_distance(sizing->validity, fragment, fragment->from, fragment->to);
        return advance_size(as, fragment, quiet);
    default:
        validity_refuse(sizing->validity);
        break;
    }
    switch (fragment->kind) {
    case FRAGMENT_SPACE:
        return space_size(as, fragment, quiet);
    case FRAGMENT_ORG:
        return org_size(as, fragment, quiet);
    case FRAGMENT_LEB128:
        return leb128_size(as, fragment, quiet);
    default:
        BUG("fragment of kind %d", fragment->kind);
    }
}
