/* Sizes and addresses.
 *
 * The size of a branch, an alignment or a space depends on addresses, which depend on sizes. They
 * are found in rounds, until a round changes nothing. A round visits the fragments of a section in
 * order. It computes the address of each fragment from those before it, and then its size; for
 * fragments ahead it uses the addresses of the previous round (0 in the first). Several layouts may
 * be stable. The order here is that of GNU as, so that the result is the same. After a number of
 * rounds branches may only grow, so that they become stable. A space whose size is an expression
 * and does not become stable is an error.
 *
 * A larger source needs more rounds: a fragment that shrinks moves all code after it, and a branch
 * there sees its target at the old address until the target has moved too. If each round visited
 * every fragment, the time would be quadratic. But most branches keep their size if they move a
 * little. Therefore fragments are grouped into blocks, which move as a whole. A block knows under
 * which condition the sizes in it remain valid, and a round skips the blocks whose condition holds.
 *
 * After this phase every address and size is final. Addresses count from the start of the section.
 */
#include "asm/relax.h"
#include "asm/expression.h"
#include "asm/tasm.h"
#include <inttypes.h>

enum { SETTLING_ROUNDS = 100, GIVING_UP = 10 };

struct round {
    struct assembler *as;
    unsigned number;                /* from 0 */
    bool only_grows;                /* branches no longer become shorter */
    const struct fragment *changed; /* one whose size has changed in this round; or NULL */
};

/* ---- preparation ---- */

/* Finds the target fragment of a branch to a plain label of its section, the common case. Then the
 * rounds need not evaluate an expression. */
static void find_target(struct fragment *fragment)
{
    const struct expression *expression = fragment->expression;

    if (fragment->kind != FRAGMENT_BRANCH || expression->kind != EXPRESSION_SYMBOL)
        return;
    const struct symbol *label = expression->symbol;
    if (label->kind != SYMBOL_LABEL || symbol_section(label) != fragment->section ||
        label->binding == STB_WEAK || label->offset > UINT32_MAX)
        return;
    fragment->target = label->fragment;
    fragment->target_offset = (uint32_t)label->offset;
}

static size_t count_blocks(const struct section *section)
{
    size_t count = 0;

    for (const struct subsection *subsection = section->subsections; subsection;
         subsection = subsection->next)
        count += (subsection->fragment_count + BLOCK_FRAGMENTS - 1) / BLOCK_FRAGMENTS;
    return count;
}

static void make_blocks(struct assembler *as, struct section *section)
{
    section->block_count = count_blocks(section);
    section->blocks = arena_array(as->arena, section->block_count + 1, sizeof *section->blocks);
    struct block *block = section->blocks;

    for (struct subsection *subsection = section->subsections; subsection;
         subsection = subsection->next) {
        struct fragment *fragment = subsection->first;
        for (; fragment; block++) {
            block->first = fragment;
            validity_init(&block->validity, block);
            validity_refuse(&block->validity);
            for (; fragment && block->count < BLOCK_FRAGMENTS; fragment = fragment->next) {
                find_target(fragment);
                fragment->block = block;
                fragment->number = (unsigned char)block->count++;
            }
        }
    }
}

/* ---- rounds ---- */

/* Returns the fragment whose size is an expression if one of the two is such a fragment: an error
 * is reported there. */
static const struct fragment *likely_cause(const struct fragment *a, const struct fragment *b)
{
    return !a || (b && b->expression && b->kind != FRAGMENT_BRANCH) ? b : a;
}

static uint64_t section_limit(const struct section *section)
{
    return section_has_contents(section) ? SECTION_CONTENTS_LIMIT : SECTION_LIMIT;
}

/* Counts the changes of size between the blocks that the sizes of this block depend on. `changes`
 * is the number before this block in the section. For the blocks before it, changes of this round
 * count; for the others, those of the previous round. */
static unsigned long changes_around(const struct block *block, unsigned long changes)
{
    const struct block *first = block->validity.first, *last = block->validity.last;
    unsigned long before = first < block ? changes - first->changes : 0;

    return before + last[1].changes - block->changes;
}

/* Counts the changes of size between the blocks of another section that this block depends on. */
static unsigned long changes_elsewhere(const struct validity *validity)
{
    return validity->other_first ? validity->other_last[1].changes - validity->other_first->changes
                                 : 0;
}

/* Do the sizes in the block remain valid when it moves to `address`? */
static bool is_valid(const struct block *block, uint64_t address, unsigned long changes)
{
    const struct validity *validity = &block->validity;
    int64_t shift = (int64_t)(address - block->address);

    return shift >= validity->least && shift <= validity->most &&
           !((uint64_t)shift & (validity->alignment - 1)) &&
           changes_around(block, changes) == validity->changes &&
           changes_elsewhere(validity) == validity->other_changes;
}

/* Changes the address of the block, but not those of its fragments, which are visited next. */
static void move_block(struct block *block, uint64_t address)
{
    struct fragment *fragment = block->first;

    for (unsigned i = 0; i < block->count; i++, fragment = fragment->next)
        fragment->offset += block->address - address;
    block->address = address;
}

/* Visits the fragments of a block. False after a diagnostic: the section is too large. */
static bool relax_block(struct round *round, struct section *section, struct block *block,
                        uint64_t address, bool *changed)
{
    uint64_t limit = section_limit(section);
    struct validity *validity = &block->validity;
    const struct sizing sizing = {.as = round->as,
                                  .quiet = true,
                                  .only_grows = round->only_grows,
                                  .shift = (int64_t)(address - block->address),
                                  .validity = validity};

    validity_init(validity, block);
    move_block(block, address);
    struct fragment *fragment = block->first;
    for (unsigned i = 0; i < block->count; i++, fragment = fragment->next) {
        fragment->offset = address - block->address;
        uint64_t size = fragment_size(&sizing, fragment);
        if (size != fragment->variable) {
            *changed = true;
            round->changed = likely_cause(round->changed, fragment);
        }
        fragment->variable = size;
        address += fragment->length + size;
        if (address > limit) {
            diag_error(round->as->diag, fragment->at,
                       "section '%s' grows beyond %" PRIu64 " bytes here", section->name, limit);
            return false;
        }
    }
    block->size = address - block->address;
    if ((uint64_t)sizing.shift & (validity->alignment - 1))
        validity_refuse(validity);
    return true;
}

/* Moves a block whose sizes are valid. With the address sanitizer its fragments are visited too, to
 * check that no size changes. */
static void skip_block(struct round *round, struct section *section, struct block *block,
                       uint64_t address)
{
    const struct validity validity = block->validity;
    bool changed = false;

    if (ADDRESS_SANITIZER)
        relax_block(round, section, block, address, &changed);
    if (changed)
        BUG("a size changes at %#" PRIx64
            " of section '%s' in round %u, though nothing that it depends on has changed",
            address, section->name, round->number);
    block->validity = validity;
    block->address = address;
}

static bool relax_section(struct round *round, struct section *section)
{
    struct block *const end = section->blocks + section->block_count;
    uint64_t address = 0;
    unsigned long changes = 0;

    for (struct block *block = section->blocks; block < end; block++) {
        bool changed = !round->number; /* the first round replaces the addresses 0 */
        if (is_valid(block, address, changes) && address + block->size <= section_limit(section)) {
            skip_block(round, section, block, address);
        } else {
            if (!relax_block(round, section, block, address, &changed))
                return false;
            block->validity.changes = changes_around(block, changes);
            block->validity.other_changes = changes_elsewhere(&block->validity);
        }
        address += block->size;
        unsigned long own = block[1].changes - block->changes + changed;
        block->changes = changes;
        changes += own;
    }
    end->changes = changes;
    section->size = address;
    section->laid_out = true;
    return true;
}

static bool one_round(struct round *round)
{
    round->changed = NULL;
    for (struct section *section = round->as->sections.first; section; section = section->next)
        if (!relax_section(round, section))
            return false;
    return true;
}

/* Reports fragments whose size could not be computed. */
static void report(struct assembler *as)
{
    for (struct section *section = as->sections.first; section; section = section->next) {
        for (size_t i = 0; i < section->block_count; i++) {
            struct block *block = &section->blocks[i];
            struct fragment *fragment = block->first;
            const struct sizing sizing = {
                .as = as, .only_grows = true, .validity = &block->validity};
            for (unsigned j = 0; j < block->count; j++, fragment = fragment->next)
                if (fragment->kind != FRAGMENT_FIXED && fragment->kind != FRAGMENT_BRANCH)
                    fragment_size(&sizing, fragment);
        }
    }
}

/* Returns the number of rounds after which branches only grow. It increases with the number of
 * blocks, because a round may make little more than two blocks stable: if each branch in them
 * becomes shorter by 2 bytes, the code after them moves by 256, the reach of a compressed branch.
 */
static unsigned settling_rounds(const struct assembler *as)
{
    size_t most = 0;

    for (const struct section *section = as->sections.first; section; section = section->next)
        if (most < section->block_count)
            most = section->block_count;
    return SETTLING_ROUNDS + (unsigned)(most / 2);
}

bool tasm_relax(struct assembler *as)
{
    for (struct section *section = as->sections.first; section; section = section->next)
        make_blocks(as, section);
    unsigned settling = settling_rounds(as);
    struct round round = {.as = as};
    for (;; round.number++) {
        round.only_grows = round.number >= settling;
        if (!one_round(&round))
            return false;
        if (!round.changed && round.number)
            break;
        if (round.number / GIVING_UP >= settling && round.changed->kind != FRAGMENT_BRANCH) {
            diag_error(as->diag, round.changed->at,
                       "the size of this depends on itself; no layout was found");
            return false;
        }
    }
    report(as);
    return true;
}
