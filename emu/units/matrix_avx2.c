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
#include "emu/units/matrix_avx2.h"

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
#define STORE(row, first, second)                                                                  \
    "vmovups %%ymm" #first ", " ROW_##row("to", "0") "\n\t"                                        \
    "vmovups %%ymm" #second ", " ROW_##row("to", "32") "\n\t"

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
#define EVEN(row, before, a, b, c)                                                                 \
    TREE(row, 1, 2, a(before, 3, 4), b(before, 3, 4), c(before, 3, 4), STORE(before, 3, 4))
#define ODD(row, before, a, b, c)                                                                  \
    TREE(row, 3, 4, a(before, 1, 2), b(before, 1, 2), c(before, 1, 2), STORE(before, 1, 2))

#define LOAD_ROW(first, second)                                                                    \
    "vmovups (%[right]), %%ymm" #first "\n\t"                                                      \
    "vmovups 32(%[right]), %%ymm" #second "\n\t"                                                   \
    "add %[right_step], %[right]\n\t"

/* All rows. The steps a, b and c add terms. The last row of a round is stored in the next one,
 * after which the pointers advance. */
#define LOOP(a, b, c)                                                                              \
    LOAD_ROW(8, 12) LOAD_ROW(9, 13) LOAD_ROW(10, 14) LOAD_ROW(11, 15)                              \
    TREE(0, 1, 2, , , , )                                                                          \
    "jmp 2f\n\t"                                                                                   \
    ".p2align 5\n"                                                                                 \
    "1:\n\t"                                                                                       \
    EVEN(0, 3, a, b, c)                                                                            \
    "add $256, %[partial]\n\t"                                                                     \
    "lea (%[from],%[from_step],4), %[from]\n\t"                                                    \
    "lea (%[to],%[to_step],4), %[to]\n"                                                            \
    "2:\n\t"                                                                                       \
    ODD(1, 0, a, b, c)                                                                             \
    EVEN(2, 1, a, b, c)                                                                            \
    ODD(3, 2, a, b, c)                                                                             \
    "lea (%[left],%[left_step],4), %[left]\n\t"                                                    \
    "sub $4, %[rows]\n\t"                                                                          \
    "jne 1b\n\t"                                                                                   \
    a(3, 3, 4) b(3, 3, 4) c(3, 3, 4) STORE(3, 3, 4)
/* clang-format on */

/* One block of the right operand with all rows. */
struct block {
    const void *right, *left, *from, *partial;
    void *to;
    ptrdiff_t from_step, to_step;
};

#define RUN(a, b, c)                                                                               \
    __asm__ volatile(                                                                              \
        LOOP(a, b, c)                                                                              \
        : [right] "+r"(right), [left] "+r"(left), [from] "+r"(from), [to] "+r"(to),                \
          [partial] "+r"(partial), [rows] "+r"(rows)                                               \
        : [right_step] "r"(product->right_step), [left_step] "r"(product->left_step),              \
          [left_step_3] "r"(3 * product->left_step), [from_step] "r"(block.from_step),             \
          [from_step_3] "r"(3 * block.from_step), [to_step] "r"(block.to_step),                    \
          [to_step_3] "r"(3 * block.to_step), [level] "i"(4 * MATRIX_AVX2_LEVEL)                   \
        : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
          "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc")

/* Computes to = from + (partial[1] + (partial[0] + tree)) for each row. `levels` of the partial
 * sums are added, 0 to 2, and `from` if `adds_from`. */
static inline __attribute__((always_inline, target("avx2"))) void
add_block(const struct matrix_avx2_product *product, struct block block, unsigned levels,
          bool adds_from)
{
    const void *right = block.right, *left = block.left, *from = block.from;
    const void *partial = block.partial;
    void *to = block.to;
    size_t rows = product->rows;

    switch (2 * levels + adds_from) {
    case 0:
        RUN(NOTHING, NOTHING, NOTHING);
        break;
    case 1:
        RUN(NOTHING, NOTHING, ADD_FROM);
        break;
    case 2:
        RUN(NOTHING, NOTHING, ADD_LEVEL_0);
        break;
    case 3:
        RUN(NOTHING, ADD_LEVEL_0, ADD_FROM);
        break;
    case 4:
        RUN(NOTHING, ADD_LEVEL_0, ADD_LEVEL_1);
        break;
    default:
        RUN(ADD_LEVEL_0, ADD_LEVEL_1, ADD_FROM);
        break;
    }
}

/* Does the same with more levels: the first two are added in the level that the block would
 * complete, and the others here. */
static __attribute__((target("avx2"))) void add_levels(const struct matrix_avx2_product *product,
                                                       struct block block, unsigned levels,
                                                       bool adds_from)
{
    struct block first = block;
    ptrdiff_t row_bytes = sizeof(float) * MATRIX_AVX2_COLUMNS;

    first.to = (float *)block.partial + levels * MATRIX_AVX2_LEVEL;
    first.to_step = row_bytes;
    add_block(product, first, 2, false);
    for (size_t row = 0; row < product->rows; row++) {
        const float *partial = (const float *)block.partial + row * MATRIX_AVX2_COLUMNS;
        const float *from = (const float *)block.from;
        float *to = block.to;
        for (size_t i = 0; i < MATRIX_AVX2_COLUMNS; i++) {
            float sum = partial[levels * MATRIX_AVX2_LEVEL + i];
            for (unsigned level = 2; level < levels; level++)
                sum = partial[level * MATRIX_AVX2_LEVEL + i] + sum;
            to[i] = adds_from ? from[i] + sum : sum;
        }
        block.from = (const char *)block.from + block.from_step;
        block.to = (char *)block.to + block.to_step;
    }
}

/* Fetches the rows of the next block into the cache, and the next columns of a few rows of the
 * output. */
static void fetch(const struct matrix_avx2_product *product, const void *right, size_t d,
                  size_t rows)
{
    const char *next = (const char *)right + MATRIX_AVX2_DEPTH * product->right_step;
    const char *out = (const char *)product->to.first + sizeof(float) * MATRIX_AVX2_COLUMNS;
    size_t row = d / MATRIX_AVX2_DEPTH * rows;

    if (d + MATRIX_AVX2_DEPTH < product->depth)
        for (size_t i = 0; i < MATRIX_AVX2_DEPTH; i++)
            __builtin_prefetch(next + (ptrdiff_t)i * product->right_step);
    for (size_t i = row; i < row + rows && i < product->rows; i++)
        __builtin_prefetch(out + (ptrdiff_t)i * product->to.step, 1);
}

/* Adds the block at `d`. Sums of complete segments go to the output after the last one. */
static inline __attribute__((always_inline, target("avx2"))) void
add_at(const struct matrix_avx2_product *product, struct block block, size_t d)
{
    size_t blocks = product->lanes / MATRIX_AVX2_DEPTH, index = d / MATRIX_AVX2_DEPTH;
    size_t place = index & (blocks - 1); /* of the block in its segment */
    unsigned levels = (unsigned)__builtin_ctzll(~(unsigned long long)place);
    bool is_last = place == blocks - 1, is_end = d + MATRIX_AVX2_DEPTH == product->depth;

    block.to_step = sizeof(float) * MATRIX_AVX2_COLUMNS;
    if (!is_last)
        block.to = (float *)product->partial + levels * MATRIX_AVX2_LEVEL;
    else if (!is_end)
        block.to = product->sums;
    else {
        block.to = product->to.first;
        block.to_step = product->to.step;
    }
    if (levels <= 2)
        add_block(product, block, levels, is_last);
    else
        add_levels(product, block, levels, is_last);
}

__attribute__((target("avx2"))) void matrix_avx2_add(const struct matrix_avx2_product *product)
{
    size_t blocks = product->depth / MATRIX_AVX2_DEPTH;
    size_t fetched = (product->rows + blocks - 1) / blocks; /* rows of the output for each block */
    const char *group = product->left;
    struct block block = {.right = product->right,
                          .left = product->left,
                          .from = product->from.first,
                          .from_step = product->from.step,
                          .partial = product->partial};

    for (size_t d = 0; d < product->depth;) {
        fetch(product, block.right, d, fetched);
        add_at(product, block, d);
        d += MATRIX_AVX2_DEPTH;
        block.right = (const char *)block.right + MATRIX_AVX2_DEPTH * product->right_step;
        block.left = (const float *)block.left + MATRIX_AVX2_DEPTH;
        if ((d & (product->group - 1)) == 0)
            block.left = group += product->group_step;
        if ((d & (product->lanes - 1)) == 0) {
            block.from = product->sums;
            block.from_step = sizeof(float) * MATRIX_AVX2_COLUMNS;
        }
    }
}

#endif
