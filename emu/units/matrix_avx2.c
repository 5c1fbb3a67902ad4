/* The inner loop of products of floats for AVX2, written in instructions.
 *
 * A row takes 8 multiplications, 6 to 12 additions, 4 broadcasts and 2 stores. This nearly fills a
 * processor that starts 6 instructions in a cycle, 2 multiplications and 2 additions among them, so
 * that spilled registers or an unlucky order cost speed. The block of the right operand is in
 * ymm8 to ymm15, the products and sums of two rows in ymm1 to ymm7:
 *
 *     ymm0        a word of the left operand, in all lanes
 *     ymm1, ymm2  the tree of an even row, both vectors
 *     ymm3, ymm4  the tree of an odd row
 *     ymm5 - 7    products
 *
 * The tree of a row is added to its other terms between the products of the next row, so that few
 * instructions wait for a result. The operations and their order are those of sum_row in
 * matrix_path.inc. */
#include "emu/units/matrix_by_hand.h"

#include <stdbool.h>

#if defined __x86_64__

/* The address of a row of four: `base` and `base_step`, `base_step_3` are operands. */
#define ROW_0(base, offset) offset "(%[" base "])"
#define ROW_1(base, offset) offset "(%[" base "],%[" base "_step])"
#define ROW_2(base, offset) offset "(%[" base "],%[" base "_step],2)"
#define ROW_3(base, offset) offset "(%[" base "],%[" base "_step_3])"

/* The partial sums have a fixed distance. */
#define PARTIAL_0(offset) "0+" offset "(%[partial])"
#define PARTIAL_1(offset) "64+" offset "(%[partial])"
#define PARTIAL_2(offset) "128+" offset "(%[partial])"
#define PARTIAL_3(offset) "192+" offset "(%[partial])"

/* Instructions; registers are given by their numbers. */
#define BROADCAST(row, offset) "vbroadcastss " ROW_##row("left", offset) ", %%ymm0\n\t"
#define MULTIPLY(block, to)    "vmulps %%ymm0, %%ymm" #block ", %%ymm" #to "\n\t"
#define ADD(term, to)          "vaddps %%ymm" #term ", %%ymm" #to ", %%ymm" #to "\n\t"
#define ADD_MEMORY(term, to)   "vaddps " term ", %%ymm" #to ", %%ymm" #to "\n\t"
#define STORE(from, to)        "vmovups %%ymm" #from ", " to "\n\t"

/* The macros below have a line for each step, which clang-format would join.
 */
/* clang-format off */

/* What is done with the tree of a row when it is complete. */
#define NOTHING(row, first, second)
#define ADD_LEVEL_0(row, first, second)                                                            \
    ADD_MEMORY(PARTIAL_##row("0"), first)                                                          \
    ADD_MEMORY(PARTIAL_##row("32"), second)
#define ADD_LEVEL_1(row, first, second)                                                            \
    ADD_MEMORY(PARTIAL_##row("%c[level]"), first)                                                  \
    ADD_MEMORY(PARTIAL_##row("%c[level]+32"), second)
#define ADD_FROM(row, first, second)                                                               \
    ADD_MEMORY(ROW_##row("from", "0"), first)                                                      \
    ADD_MEMORY(ROW_##row("from", "32"), second)

/* Where a row is stored: in a level of partial sums, or in `to`. */
#define PUT_LEVEL_0(row, first, second)                                                            \
    STORE(first, PARTIAL_##row("0"))                                                               \
    STORE(second, PARTIAL_##row("32"))
#define PUT_LEVEL_1(row, first, second)                                                            \
    STORE(first, PARTIAL_##row("%c[level]"))                                                       \
    STORE(second, PARTIAL_##row("%c[level]+32"))
#define PUT_TO(row, first, second)                                                                 \
    STORE(first, ROW_##row("to", "0"))                                                             \
    STORE(second, ROW_##row("to", "32"))

/* The tree of a row, with four steps of the row before it in between. */
#define TREE(row, first, second, step_1, step_2, step_3, step_4)                                   \
    BROADCAST(row, "0") MULTIPLY(8, first) MULTIPLY(12, second)                                    \
    step_1                                                                                         \
    BROADCAST(row, "4") MULTIPLY(9, 5) MULTIPLY(13, 6)                                             \
    step_2                                                                                         \
    ADD(5, first) ADD(6, second)                                                                   \
    BROADCAST(row, "8") MULTIPLY(10, 5) MULTIPLY(14, 6)                                            \
    step_3                                                                                         \
    BROADCAST(row, "12") MULTIPLY(11, 7) MULTIPLY(15, 0)                                           \
    step_4                                                                                         \
    ADD(7, 5) ADD(0, 6)                                                                            \
    ADD(5, first) ADD(6, second)

/* The tree of an even row with the steps of `before`, an odd one, and the other way round. */
#define EVEN(row, before, a, b, c, put)                                                            \
    TREE(row, 1, 2, a(before, 3, 4), b(before, 3, 4), c(before, 3, 4), put(before, 3, 4))
#define ODD(row, before, a, b, c, put)                                                             \
    TREE(row, 3, 4, a(before, 1, 2), b(before, 1, 2), c(before, 1, 2), put(before, 1, 2))

/* Loads a row of the block, and fetches that of the next block into the cache. */
#define LOAD_ROW(first, second)                                                                    \
    "vmovups (%[right]), %%ymm" #first "\n\t"                                                      \
    "vmovups 32(%[right]), %%ymm" #second "\n\t"                                                   \
    "prefetcht0 (%[right],%[right_step],4)\n\t"                                                    \
    "add %[right_step], %[right]\n\t"

/* All rows. The steps a, b and c add terms, and `put` stores the sum. The last row of a round is
 * stored in the next one, after which the pointers to sums advance. */
#define LOOP(a, b, c, put, advance)                                                                \
    LOAD_ROW(8, 12) LOAD_ROW(9, 13) LOAD_ROW(10, 14) LOAD_ROW(11, 15)                              \
    TREE(0, 1, 2, , , , )                                                                          \
    "jmp 2f\n\t"                                                                                   \
    ".p2align 5\n"                                                                                 \
    "1:\n\t"                                                                                       \
    EVEN(0, 3, a, b, c, put)                                                                       \
    "add $256, %[partial]\n\t"                                                                     \
    advance                                                                                        \
    "2:\n\t"                                                                                       \
    ODD(1, 0, a, b, c, put)                                                                        \
    EVEN(2, 1, a, b, c, put)                                                                       \
    ODD(3, 2, a, b, c, put)                                                                        \
    "lea (%[left],%[left_step],4), %[left]\n\t"                                                    \
    "sub $4, %[rows]\n\t"                                                                          \
    "jne 1b\n\t"                                                                                   \
    a(3, 3, 4) b(3, 3, 4) c(3, 3, 4) put(3, 3, 4)

#define ADVANCE                                                                                    \
    "lea (%[from],%[from_step],4), %[from]\n\t"                                                    \
    "lea (%[to],%[to_step],4), %[to]\n"
/* clang-format on */

#define VECTOR_REGISTERS                                                                           \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",       \
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

/* The next words of a pass. */
struct place {
    const struct panel *panel;
    const struct pass *pass;
    size_t d;             /* their number in a row */
    const char *right;    /* their rows of the right operand */
    const uint32_t *left; /* they themselves, in the first row of the left one */
};

/* Advances by a block. `right` has been advanced by the instructions. */
static inline void advance(struct place *place)
{
    place->d += MATRIX_AVX2_DEPTH;
    place->left += MATRIX_AVX2_DEPTH;
    if (place->d % MATRIX_AVX2_GROUP == 0)
        place->left += place->panel->left_step - MATRIX_AVX2_GROUP;
}

/* Puts the trees of the next block into level 0 of the partial sums, or the sums of these trees and
 * level 0 into level 1. */
static inline __attribute__((always_inline, target("avx2"))) void add_to_level(struct place *place,
                                                                               bool level)
{
    ptrdiff_t left_step = matrix_bytes(place->pass->left_stride);
    const uint32_t *left = place->left;
    const void *partial = place->panel->partial;
    size_t rows = place->pass->rows;

#define RUN(a, put)                                                                                \
    __asm__ volatile(                                                                              \
        LOOP(NOTHING, NOTHING, a, put, "")                                                         \
        : [right] "+&r"(place->right), [left] "+&r"(left), [partial] "+&r"(partial),               \
          [rows] "+&r"(rows)                                                                       \
        : [right_step] "r"(matrix_bytes(place->panel->right_stride)), [left_step] "r"(left_step),  \
          [left_step_3] "r"(3 * left_step), [level] "i"(4 * MATRIX_AVX2_LEVEL)                     \
        : VECTOR_REGISTERS, "memory", "cc")
    if (level)
        RUN(ADD_LEVEL_0, PUT_LEVEL_1);
    else
        RUN(NOTHING, PUT_LEVEL_0);
#undef RUN
    advance(place);
}

/* Computes to = from + (level 1 + (level 0 + trees of the next block)). `levels` of the partial
 * sums are added, 0 to 2, and `from` if there is one. */
static inline __attribute__((always_inline, target("avx2"))) void add_levels(struct place *place,
                                                                             unsigned levels)
{
    const struct pass *pass = place->pass;
    ptrdiff_t left_step = matrix_bytes(pass->left_stride);
    ptrdiff_t from_step = matrix_bytes(pass->from.stride);
    ptrdiff_t to_step = matrix_bytes(pass->to.stride);
    const uint32_t *left = place->left, *from = pass->from.first;
    uint32_t *to = pass->to.first;
    const void *partial = place->panel->partial;
    size_t rows = pass->rows;

#define RUN(a, b, c)                                                                               \
    __asm__ volatile(                                                                              \
        LOOP(a, b, c, PUT_TO, ADVANCE)                                                             \
        : [right] "+&r"(place->right), [left] "+&r"(left), [from] "+&r"(from), [to] "+&r"(to),     \
          [partial] "+&r"(partial), [rows] "+&r"(rows)                                             \
        : [right_step] "r"(matrix_bytes(place->panel->right_stride)), [left_step] "r"(left_step),  \
          [left_step_3] "r"(3 * left_step), [from_step] "r"(from_step),                            \
          [from_step_3] "r"(3 * from_step), [to_step] "r"(to_step), [to_step_3] "r"(3 * to_step),  \
          [level] "i"(4 * MATRIX_AVX2_LEVEL)                                                       \
        : VECTOR_REGISTERS, "memory", "cc")
    if (!from)
        RUN(NOTHING, ADD_LEVEL_0, ADD_LEVEL_1);
    else if (levels == 0)
        RUN(NOTHING, NOTHING, ADD_FROM);
    else if (levels == 1)
        RUN(NOTHING, ADD_LEVEL_0, ADD_FROM);
    else
        RUN(ADD_LEVEL_0, ADD_LEVEL_1, ADD_FROM);
#undef RUN
    advance(place);
}

__attribute__((target("avx2"))) void matrix_avx2_add(const struct panel *panel, size_t d,
                                                     const struct pass *pass)
{
    struct place place = {
        .panel = panel,
        .pass = pass,
        .d = d,
        .right = (const char *)(panel->right + d * panel->right_stride),
        .left = pass->left,
    };

    switch (panel->lanes / MATRIX_AVX2_DEPTH) {
    case 1:
        add_levels(&place, 0);
        break;
    case 2:
        add_to_level(&place, 0);
        add_levels(&place, 1);
        break;
    default:
        add_to_level(&place, 0);
        add_to_level(&place, 1);
        add_to_level(&place, 0);
        add_levels(&place, 2);
        break;
    }
}

#endif
