/* The inner loop of products of floats for AVX-512, written in instructions.
 *
 * A row takes 32 multiplications and 32 additions, and some processors start two of each in a
 * cycle, so nothing else may take longer than 16 cycles. The loop has 28 loads, of which processors
 * start two in a cycle: a broadcast for two multiplications, and those words of the right operand
 * that have no register. A compiler would store products to have registers for all of them.
 *
 *     zmm0  - zmm9   a stack of pairs, of partial sums in both vectors of columns
 *     zmm10 - zmm31  11 of the 16 rows of the right operand
 *
 * The operations and their order are those of sum_row in matrix_path.inc. */
#include "emu/units/matrix_by_hand.h"

#if defined __x86_64__

/* Both vectors of a row of the right operand. */
#define LOW_OF_0   "%%zmm10"
#define HIGH_OF_0  "%%zmm11"
#define LOW_OF_1   "%%zmm12"
#define HIGH_OF_1  "%%zmm13"
#define LOW_OF_2   "(%[right],%[right_step],2)"
#define HIGH_OF_2  "64(%[right],%[right_step],2)"
#define LOW_OF_3   "%%zmm14"
#define HIGH_OF_3  "%%zmm15"
#define LOW_OF_4   "(%[right],%[right_step],4)"
#define HIGH_OF_4  "64(%[right],%[right_step],4)"
#define LOW_OF_5   "%%zmm16"
#define HIGH_OF_5  "%%zmm17"
#define LOW_OF_6   "(%[right],%[right_step_3],2)"
#define HIGH_OF_6  "64(%[right],%[right_step_3],2)"
#define LOW_OF_7   "%%zmm18"
#define HIGH_OF_7  "%%zmm19"
#define LOW_OF_8   "(%[right],%[right_step],8)"
#define HIGH_OF_8  "64(%[right],%[right_step],8)"
#define LOW_OF_9   "%%zmm20"
#define HIGH_OF_9  "%%zmm21"
#define LOW_OF_10  "%%zmm22"
#define HIGH_OF_10 "%%zmm23"
#define LOW_OF_11  "%%zmm24"
#define HIGH_OF_11 "%%zmm25"
#define LOW_OF_12  "(%[right],%[right_step_3],4)"
#define HIGH_OF_12 "64(%[right],%[right_step_3],4)"
#define LOW_OF_13  "%%zmm26"
#define HIGH_OF_13 "%%zmm27"
#define LOW_OF_14  "%%zmm28"
#define HIGH_OF_14 "%%zmm29"
#define LOW_OF_15  "%%zmm30"
#define HIGH_OF_15 "%%zmm31"

/* The pairs of the stack. */
#define LOW_0  "%%zmm0"
#define HIGH_0 "%%zmm1"
#define LOW_1  "%%zmm2"
#define HIGH_1 "%%zmm3"
#define LOW_2  "%%zmm4"
#define HIGH_2 "%%zmm5"
#define LOW_3  "%%zmm6"
#define HIGH_3 "%%zmm7"
#define LOW_4  "%%zmm8"
#define HIGH_4 "%%zmm9"

/* The macros below have a line for each step, which clang-format would join.
 */
/* clang-format off */

/* Puts the products of a word into a pair. */
#define MULTIPLY(word, pair)                                                                       \
    "vbroadcastss 4*" #word "(%[left]), " HIGH_##pair "\n\t"                                       \
    "vmulps " LOW_OF_##word ", " HIGH_##pair ", " LOW_##pair "\n\t"                                \
    "vmulps " HIGH_OF_##word ", " HIGH_##pair ", " HIGH_##pair "\n\t"

/* Adds a pair to the one below it. */
#define ADD(pair, below)                                                                           \
    "vaddps " LOW_##pair ", " LOW_##below ", " LOW_##below "\n\t"                                  \
    "vaddps " HIGH_##pair ", " HIGH_##below ", " HIGH_##below "\n\t"

/* Puts the sum of the products of two words into a pair; the one `above` it is used. */
#define TREE_2(word, next, pair, above) MULTIPLY(word, pair) MULTIPLY(next, above) ADD(above, pair)

/* Puts the tree of a row into pair 0. */
#define TREE_16                                                                                    \
    TREE_2(0, 1, 0, 1) TREE_2(2, 3, 1, 2) ADD(1, 0)                                                \
    TREE_2(4, 5, 1, 2) TREE_2(6, 7, 2, 3) ADD(2, 1) ADD(1, 0)                                      \
    TREE_2(8, 9, 1, 2) TREE_2(10, 11, 2, 3) ADD(2, 1)                                              \
    TREE_2(12, 13, 2, 3) TREE_2(14, 15, 3, 4) ADD(3, 2) ADD(2, 1) ADD(1, 0)

#define ADD_FROM                                                                                   \
    "vaddps (%[from]), " LOW_0 ", " LOW_0 "\n\t"                                                   \
    "vaddps 64(%[from]), " HIGH_0 ", " HIGH_0 "\n\t"                                               \
    "add %[from_step], %[from]\n\t"

/* Loads a row of the right operand into its registers, or leaves it in memory. */
#define LOAD(word)                                                                                 \
    "vmovups (%[row]), " LOW_OF_##word "\n\t"                                                      \
    "vmovups 64(%[row]), " HIGH_OF_##word "\n\t"                                                   \
    LEAVE
#define LEAVE "add %[right_step], %[row]\n\t"

/* All rows. `add` is ADD_FROM or nothing. */
#define LOOP(add)                                                                                  \
    LOAD(0) LOAD(1) LEAVE LOAD(3) LEAVE LOAD(5) LEAVE LOAD(7)                                      \
    LEAVE LOAD(9) LOAD(10) LOAD(11) LEAVE LOAD(13) LOAD(14) LOAD(15)                               \
    ".p2align 6\n"                                                                                 \
    "1:\n\t"                                                                                       \
    TREE_16                                                                                        \
    add                                                                                            \
    "vmovups " LOW_0 ", (%[to])\n\t"                                                               \
    "vmovups " HIGH_0 ", 64(%[to])\n\t"                                                            \
    "add %[left_step], %[left]\n\t"                                                                \
    "add %[to_step], %[to]\n\t"                                                                    \
    "dec %[rows]\n\t"                                                                              \
    "jne 1b\n\t"
/* clang-format on */

#define VECTOR_REGISTERS                                                                           \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",       \
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20",  \
        "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30",  \
        "xmm31"

__attribute__((target("avx512f"))) void matrix_avx512_add(const struct panel *panel, size_t d,
                                                          const struct pass *pass)
{
    ptrdiff_t right_step = matrix_bytes(panel->right_stride);
    const char *right = (const char *)(panel->right + d * panel->right_stride), *row = right;
    const uint32_t *left = pass->left, *from = pass->from.first;
    uint32_t *to = pass->to.first;
    size_t rows = pass->rows;

#define RUN(add)                                                                                   \
    __asm__ volatile(                                                                              \
        LOOP(add)                                                                                  \
        : [row] "+&r"(row), [left] "+&r"(left), [from] "+&r"(from), [to] "+&r"(to),                \
          [rows] "+&r"(rows)                                                                       \
        : [right] "r"(right), [right_step] "r"(right_step), [right_step_3] "r"(3 * right_step),    \
          [left_step] "r"(matrix_bytes(pass->left_stride)),                                        \
          [from_step] "r"(matrix_bytes(pass->from.stride)),                                        \
          [to_step] "r"(matrix_bytes(pass->to.stride))                                             \
        : VECTOR_REGISTERS, "memory", "cc")
    if (from)
        RUN(ADD_FROM);
    else
        RUN();
#undef RUN
}

#endif
