/* Sizes and addresses.
 *
 * Problem: the size of a branch, an alignment or a gap depends on addresses, which depend on sizes.
 * Every round gives all fragments addresses with the present sizes, then sizes with these
 * addresses, until nothing changes. Branches only grow, so that they settle; gaps whose size is an
 * expression may not, and are given up after a number of rounds.
 *
 * After this phase every address and size is fixed; addresses count from the start of the section.
 */
#include "asm/expression.h"
#include "asm/instruction.h"
#include "asm/tasm.h"
#include <inttypes.h>

enum { ROUND_LIMIT = 1000 };
static const uint64_t contents_limit = UINT64_C(1) << 29, size_limit = UINT64_C(1) << 62;

static const struct isa_operand *target_operand(const struct isa_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].type->kind == ISA_TARGET)
            return &instruction->operands[i];
    BUG("'%s' has no target", instruction->mnemonic);
}

/* Can the branch reach? What is in another section, undefined or weak may be anywhere. */
static bool reaches(struct assembler *as, const struct fragment *fragment)
{
    struct value value;
    const struct symbol *label;
    int64_t offset;
    if (!expression_evaluate(as, fragment->expression, true, &value))
        return true; /* reported when it is resolved */
    if (!value.add || value.subtract || value.add->binding == STB_WEAK ||
        !symbol_locate(as, value.add, &label, &offset) || label->section != fragment->section)
        return false;
    uint64_t target = symbol_address(label) + (uint64_t)offset + (uint64_t)value.constant;
    return isa_fits(target_operand(fragment->instruction),
                    (int64_t)(target - fragment->address - fragment->length));
}

static uint64_t branch_size(struct assembler *as, struct fragment *fragment)
{
    const struct isa_instruction *instruction = fragment->instruction;
    fragment->grown = fragment->grown || !reaches(as, fragment);
    return fragment->grown ? (uint64_t)instruction->inverse->length + instruction->jump->length
                           : instruction->length;
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
        size > size_limit)
        return size_limit;
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
    return target - here > size_limit ? size_limit : target - here;
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

static uint64_t variable_size(struct assembler *as, struct fragment *fragment, bool quiet)
{
    uint64_t padding;
    switch (fragment->kind) {
    case FRAGMENT_FIXED:
        return 0;
    case FRAGMENT_ALIGN:
        padding = -(fragment->address + fragment->length) & (fragment->alignment - 1);
        return fragment->maximum && padding > fragment->maximum ? 0 : padding;
    case FRAGMENT_SPACE:
        return space_size(as, fragment, quiet);
    case FRAGMENT_ORG:
        return org_size(as, fragment, quiet);
    case FRAGMENT_BRANCH:
        return branch_size(as, fragment);
    case FRAGMENT_LEB128:
        return leb128_size(as, fragment, quiet);
    case FRAGMENT_ADVANCE:
        return advance_size(as, fragment, quiet);
    }
    BUG("fragment of kind %d", fragment->kind);
}

/* What pads up to an address is sized along with the addresses: else a change before a thousand of
 * them would take a thousand rounds to settle. */
static bool stops_shift(const struct fragment *fragment)
{
    return fragment->kind == FRAGMENT_ALIGN ||
           (fragment->kind == FRAGMENT_ORG && fragment->section->laid_out);
}

/* false when the section has become too large. */
static bool assign_addresses(struct assembler *as, struct section *section)
{
    uint64_t address = 0;
    for (struct subsection *subsection = section->subsections; subsection;
         subsection = subsection->next) {
        for (struct fragment *fragment = subsection->first; fragment; fragment = fragment->next) {
            fragment->address = address;
            if (stops_shift(fragment))
                fragment->variable = variable_size(as, fragment, true);
            address += fragment->length + fragment->variable;
            if (address > (section_has_contents(section) ? contents_limit : size_limit)) {
                diag_error(as->diag, fragment->at,
                           "section '%s' grows beyond %" PRIu64 " bytes here", section->name,
                           section_has_contents(section) ? contents_limit : size_limit);
                return false;
            }
        }
    }
    section->size = address;
    section->laid_out = true;
    return true;
}

/* Of two that changed, the one whose size is an expression: it is the cause, where a cause is sought. */
static const struct fragment *worse(const struct fragment *a, const struct fragment *b)
{
    return !a || (b && b->expression && b->kind != FRAGMENT_BRANCH) ? b : a;
}

/* Returns a fragment that changed, or NULL. */
static const struct fragment *assign_sizes(struct assembler *as, struct section *section)
{
    const struct fragment *changed = NULL;
    for (struct subsection *subsection = section->subsections; subsection;
         subsection = subsection->next) {
        for (struct fragment *fragment = subsection->first; fragment; fragment = fragment->next) {
            uint64_t size = variable_size(as, fragment, true);
            if (size != fragment->variable)
                changed = worse(changed, fragment);
            fragment->variable = size;
        }
    }
    return changed;
}

static bool one_round(struct assembler *as, const struct fragment **changed)
{
    *changed = NULL;
    for (struct section *section = as->sections.first; section; section = section->next)
        if (!assign_addresses(as, section))
            return false;
    for (struct section *section = as->sections.first; section; section = section->next) {
        *changed = worse(*changed, assign_sizes(as, section));
    }
    return true;
}

/* Says what is wrong with fragments whose size could not be found. */
static void report(struct assembler *as)
{
    for (struct section *section = as->sections.first; section; section = section->next)
        for (struct subsection *subsection = section->subsections; subsection;
             subsection = subsection->next)
            for (struct fragment *fragment = subsection->first; fragment; fragment = fragment->next)
                variable_size(as, fragment, false);
}

bool tasm_relax(struct assembler *as)
{
    const struct fragment *changed;
    for (unsigned round = 0;; round++) {
        if (!one_round(as, &changed))
            return false;
        if (!changed)
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
