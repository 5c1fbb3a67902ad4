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

#endif
