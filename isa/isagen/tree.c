/*
 * The decision tree of the decoder. At each node the remaining instructions all fix certain bits.
 * The node selects the longest run of such bits that still distinguishes some of them. If there is
 * none, the node is a leaf, and lib/isa.c compares masks. lib/isa_tree.h describes the result.
 */
#include "isa/isagen/emit.h"
#include "lib/isa_tree.h"

#include <string.h>

enum {
    WIDTH_LIMIT = 8,       /* children of a node: at most 256 */
    SHORT_ENTRY_BITS = 10, /* entries of a group of words of 2 bytes, */
    ENTRY_BITS = 6,        /* and of 4 bytes */
};

struct tree {
    struct arena *arena;
    struct isa_tree_node *nodes;
    uint16_t *children, *leaves;
    size_t node_count, node_capacity, child_count, child_capacity, leaf_count, leaf_capacity;
};

struct set {
    const struct spec_instruction **items;
    size_t count;
};

struct choice {
    unsigned shift, width;
    size_t largest; /* number of instructions in the fullest child */
};

static uint64_t bits_of(uint64_t word, unsigned shift, unsigned width)
{
    return word >> shift & ((UINT64_C(1) << width) - 1);
}

/* Returns how many instructions the fullest child would have. */
static size_t largest_child(const struct set *set, unsigned shift, unsigned width)
{
    size_t counts[1 << WIDTH_LIMIT], largest = 0;

    memset(counts, 0, sizeof *counts << width);
    for (size_t i = 0; i < set->count; i++) {
        size_t *count = &counts[bits_of(set->items[i]->match, shift, width)];
        if (++*count > largest)
            largest = *count;
    }
    return largest;
}

/* Finds the run of bits, fixed in all instructions of the set, that leaves the smallest children;
 * of several the narrowest. */
static struct choice choose(const struct set *set)
{
    uint64_t common = UINT64_MAX;
    struct choice best = {0, 0, set->count};

    for (size_t i = 0; i < set->count; i++)
        common &= set->items[i]->mask;
    for (unsigned shift = 0; shift < 64; shift++) {
        for (unsigned width = 1; width <= WIDTH_LIMIT && shift + width <= 64; width++) {
            if (!(common >> (shift + width - 1) & 1))
                break;
            size_t largest = largest_child(set, shift, width);
            if (largest < best.largest)
                best = (struct choice){shift, width, largest};
        }
    }
    return best;
}

static uint16_t new_node(struct tree *tree, struct isa_tree_node node)
{
    tree->nodes = arena_grow(tree->arena, tree->nodes, tree->node_count, &tree->node_capacity,
                             sizeof *tree->nodes);
    tree->nodes[tree->node_count] = node;
    return (uint16_t)tree->node_count++;
}

static void append(struct arena *arena, uint16_t **items, size_t *count, size_t *capacity,
                   unsigned value)
{
    *items = arena_grow(arena, *items, *count, capacity, sizeof **items);
    (*items)[(*count)++] = (uint16_t)value;
}

/* The decoder takes the first that fits, so those that refine others come first. */
static uint16_t leaf(struct tree *tree, const struct set *set)
{
    struct isa_tree_node node = {.count = (uint16_t)set->count,
                                 .first = (uint32_t)tree->leaf_count};

    for (int refining = 1; refining >= 0; refining--)
        for (size_t i = 0; i < set->count; i++)
            if (refining == (set->items[i]->refines != NULL))
                append(tree->arena, &tree->leaves, &tree->leaf_count, &tree->leaf_capacity,
                       set->items[i]->index);
    return new_node(tree, node);
}

/* Each level fixes at least one more bit, so the depth is at most 64. */
static uint16_t build(struct tree *tree, const struct set *set)
{
    if (set->count == 0)
        return 0;
    struct choice choice = choose(set);
    if (!choice.width)
        return leaf(tree, set);

    size_t children = (size_t)1 << choice.width, first = tree->child_count;
    for (size_t i = 0; i < children; i++)
        append(tree->arena, &tree->children, &tree->child_count, &tree->child_capacity, 0);
    struct set part = {.items = arena_array(tree->arena, set->count, sizeof *part.items)};
    for (size_t value = 0; value < children; value++) {
        part.count = 0;
        for (size_t i = 0; i < set->count; i++)
            if (bits_of(set->items[i]->match, choice.shift, choice.width) == value)
                part.items[part.count++] = set->items[i];
        uint16_t child = build(tree, &part);
        tree->children[first + value] = child;
    }
    return new_node(tree, (struct isa_tree_node){(uint8_t)choice.shift, (uint8_t)choice.width, 0,
                                                 (uint32_t)first});
}

static void emit_numbers(struct emitter *emitter, const char *name, const uint16_t *numbers,
                         size_t count)
{
    text_format(&emitter->text, "const uint16_t %s[] = {", name);
    for (size_t i = 0; i < count; i++)
        text_format(&emitter->text, "%s%u,", i % 20 ? " " : "\n    ", numbers[i]);
    text_append(&emitter->text, count ? "\n};\n" : "0};\n");
}

/* Returns the bits of a word that decide whether it is the instruction. */
static uint64_t deciding_bits(const struct spec_instruction *instruction)
{
    unsigned checked = emit_checked_operands(&instruction->operands);
    uint64_t bits = instruction->mask;

    for (size_t i = 0; i < instruction->operands.count; i++)
        if (instruction->constraint_count || checked >> i & 1)
            bits |= spec_field_mask(instruction->operands.items[i].field);
    return bits;
}

/* Adds what the instruction needs to each group that has words of it. */
static void add_to_groups(const struct spec_instruction *instruction, bool is_short, uint32_t *bits)
{
    uint64_t fixed = is_short ? ISA_SHORT_GROUP_BITS : ISA_GROUP_BITS,
             open = fixed & ~instruction->mask, value = 0;

    /* Each value of the bits of the group that the instruction does not fix. */
    do {
        uint32_t word = (uint32_t)((instruction->match & fixed) | value);
        bits[isa_group_of(word, is_short)] |= (uint32_t)deciding_bits(instruction);
        value = (value - open) & open;
    } while (value);
}

/* Returns the bits by which words belong to the group, or 0: there is no such group. */
static uint32_t group_bits(unsigned group)
{
    if ((group & 3) == 3)
        return ISA_GROUP_BITS;
    return group & 0x7c ? 0 : ISA_SHORT_GROUP_BITS;
}

/* Returns the logarithm of the number of entries of a group with these deciding bits. */
static unsigned entry_bits(unsigned group, uint32_t bits)
{
    unsigned open = (unsigned)__builtin_popcount(bits & ~group_bits(group)),
             most = (group & 3) == 3 ? ENTRY_BITS : SHORT_ENTRY_BITS;

    return open < most ? open : most;
}

/* Writes the groups of words. The entries of groups that have just one are next to each other. */
static void emit_groups(struct emitter *emitter, const uint32_t *bits)
{
    unsigned single = 0, total = 0;

    for (unsigned i = 0; i < ISA_GROUPS; i++)
        total += bits[i] && !entry_bits(i, bits[i]);
    text_append(&emitter->text, "const struct isa_group isa_groups[] = {\n");
    for (unsigned i = 0; i < ISA_GROUPS; i++) {
        unsigned count = entry_bits(i, bits[i]);
        text_format(&emitter->text, "    {%#x, %u, %u},\n", bits[i], count ? total : single,
                    32 - count);
        single += bits[i] && !count;
        total += count ? 1u << count : 0;
    }
    text_format(&emitter->text, "};\nconst unsigned isa_group_entries = %u;\n", total);
}

/* Finds the deciding bits of all groups (isa_tree.h), and writes the groups. */
static void emit_deciding_bits(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    uint32_t bits[ISA_GROUPS];

    for (unsigned i = 0; i < ISA_GROUPS; i++)
        bits[i] = group_bits(i);
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->layout->bits <= 32)
            add_to_groups(instruction, instruction->layout->bits == 16, bits);
    }
    emit_groups(emitter, bits);
}

void emit_tree(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    struct tree tree = {.arena = spec->arena};
    uint16_t roots[4];

    new_node(&tree, (struct isa_tree_node){0});
    for (unsigned i = 0; i < 4; i++) {
        struct set set = {
            .items = arena_array(spec->arena, spec->instructions.count + 1, sizeof *set.items)};
        for (size_t k = 0; k < spec->instructions.count; k++) {
            const struct spec_instruction *instruction =
                SPEC_AT(spec->instructions, k, struct spec_instruction);
            if (instruction->layout->bits == 16 * (i + 1))
                set.items[set.count++] = instruction;
        }
        roots[i] = build(&tree, &set);
    }
    text_append(&emitter->text, "const struct isa_tree_node isa_tree_nodes[] = {\n");
    for (size_t i = 0; i < tree.node_count; i++)
        text_format(&emitter->text, "    {%u, %u, %u, %u},\n", tree.nodes[i].shift,
                    tree.nodes[i].width, tree.nodes[i].count, tree.nodes[i].first);
    text_append(&emitter->text, "};\n");
    emit_numbers(emitter, "isa_tree_children", tree.children, tree.child_count);
    emit_numbers(emitter, "isa_tree_leaves", tree.leaves, tree.leaf_count);
    emit_numbers(emitter, "isa_tree_roots", roots, 4);
    emit_deciding_bits(emitter);
}
