/*
 * The decoder as data: a decision tree for each instruction length, made by isagen
 * (isa/isagen/tree.c) and walked by lib/isa.c.
 *
 * An inner node selects `width` bits of the word from bit `shift` on; its child is node
 * isa_tree_children[first + bits]. A leaf (width 0) lists the instructions that are left: ids
 * isa_tree_leaves[first] to [first + count - 1]. Each has to be compared with its mask. Node 0 is
 * the leaf without instructions.
 */
#ifndef LIB_ISA_TREE_H
#define LIB_ISA_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct isa_tree_node {
    uint8_t shift, width;
    uint16_t count;
    uint32_t first;
};

extern const struct isa_tree_node isa_tree_nodes[];
extern const uint16_t isa_tree_children[];
extern const uint16_t isa_tree_leaves[];
extern const uint16_t isa_tree_roots[4]; /* node for 2, 4, 6, 8 bytes */

/* Words of 2 and 4 bytes belong to groups, by certain bits that most instructions fix. For each
 * group, the table has the bits that decide which instruction a word of the group encodes, or
 * whether it is illegal. Words of a group that agree in these bits are the same instruction, or
 * illegal, whatever extensions there are. So what was found for one of them is found for all, and
 * can be kept in a table: each group has 1 << bits entries from `first` on, one entry if nothing
 * but the group decides. */
struct isa_group {
    uint32_t deciding;
    uint16_t first;
    uint8_t shift; /* 32 - bits */
};

/* A group's number consists of the bits 0 to 6 and 12 to 14 of its words if they have 4 bytes; of
 * the bits 0, 1 and 13 to 15 if they have 2, with zeros in place of the others. */
enum {
    ISA_GROUPS = 1 << 10,
    ISA_SHORT_GROUP_BITS = 0xe003,
    ISA_GROUP_BITS = 0x707f,
};

extern const struct isa_group isa_groups[ISA_GROUPS];
extern const unsigned isa_group_entries; /* of all groups */

/* Returns the number of the group. (Without a branch: hosts cannot predict the lengths of words.)
 */
static inline unsigned isa_group_of(uint32_t word, bool is_short)
{
    unsigned low = 0x03 | (0x7c & ((unsigned)is_short - 1));

    return (word & low) | (word >> (12 + is_short) & 7) << 7;
}

/* Returns the entry for a word of the group with these deciding bits, which others may share. */
static inline unsigned isa_group_entry(const struct isa_group *group, uint32_t deciding)
{
    return group->first + (unsigned)((uint64_t)(deciding * UINT32_C(0x9e3779b1)) >> group->shift);
}

#endif
