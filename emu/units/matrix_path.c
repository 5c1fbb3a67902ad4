/* The sets of vector instructions that the inner loops of the matrix unit are compiled for, and the
 * choice for the host.
 *
 * matrix_path.inc is included once for each set, which gives a path. It uses the compiler's generic
 * vectors, so a path only defines a name, a size, and how to multiply integers:
 *
 *   PATH_NAME, PATH(x)     the path's name, and its own name for `x`
 *   TARGET                 attribute of its functions
 *   VECTOR_BYTES           size of a vector
 *   VECTORS                vectors of columns that are computed at once, 1 or 2
 *   BLOCK_DEPTH            rows of the right operand whose VECTORS vectors fit in registers along
 *                          with some sums: 4, 8 or 16, and 16 with VECTORS at most
 *   ROWS_AT_ONCE           rows of the left operand whose sums fit in the L1 cache: a power of 2
 *                          from 64 to MATRIX_ROWS
 *   TILE_ROWS              rows of the left operand whose sums of integers fit in registers along
 *                          with a row of the right operand
 *   GROUP                  words of a row of the left operand that are packed together: a
 *                          multiple of VECTORS · BLOCK_DEPTH and of the words of a vector
 *   PACKED                 integers of 8 bits that one word holds
 *   DOT(sum, right, left)  sum + the products of the integers in the vectors `right` and `left`, in
 *                          each lane, modulo 2^32
 *   RIGHT_OFFSET           words of the right operand are xor-ed with this for DOT
 *
 * and, unless vectors have 16 bytes:
 *
 *   BYTES(in), SIGNED_BYTES(in), HALVES(in)  numbers at `in`, one for each lane, as words
 *   HALF_FLOATS(in)        numbers of f16 at `in` as words of floats, if there is an instruction
 *   SIGNED_PAIRS(in)       if PACKED is 2: pairs of integers at `in`, one for each lane, as words
 *   INTERLEAVE_LOW, _HIGH  lanes of two vectors that make them one of their lower, higher halves
 *
 * and, with float loops that are written in instructions:
 *
 *   ADD_BY_HAND            the function that computes a pass (matrix_by_hand.h), with ...
 *   HAND_LANES             ... at least this W, and ...
 *   HAND_ROWS              ... a multiple of so many rows
 *   LEVEL                  words between levels of partial sums, if it matters
 *
 * Results are the same bits on every path (matrix_multiply.c explains why). The compiler must not
 * contract a multiplication and an addition; the Makefile forbids it. */
#include "emu/units/matrix_path.h"
#include "emu/units/matrix_by_hand.h"

#include <string.h>

#if defined __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#define CANONICAL_NAN 0x7fc00000 /* f32 */
#define F32_INFINITY  0x7f800000

/* Shuffles that interleave the lower halves, or the higher halves, of two vectors of 4, 8 or 16
 * lanes. */
#define LOW_4   0, 4, 1, 5
#define HIGH_4  2, 6, 3, 7
#define LOW_8   0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8  4, 12, 5, 13, 6, 14, 7, 15
#define LOW_16  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31

/* Keeps the compiler from adding integers in another order, which would take more registers. */
#if defined __x86_64__
#define KEEP_ORDER(sum) __asm__("" : "+v"(sum))
#elif defined __aarch64__
#define KEEP_ORDER(sum) __asm__("" : "+w"(sum))
#else
#define KEEP_ORDER(sum) (void)0
#endif

/* A word of packed integers at any address. */
typedef uint32_t word_in __attribute__((aligned(1)));

/* Four elements at any address. */
typedef uint8_t bytes_4 __attribute__((vector_size(4), aligned(1)));
typedef int8_t signed_bytes_4 __attribute__((vector_size(4), aligned(1)));
typedef uint16_t halves_4 __attribute__((vector_size(8), aligned(1)));

/* Where a block is in the tree of its segment of W. */
struct leaf {
    uint32_t lanes; /* W if it is not greater than the depth of the block, else any such number */
    unsigned neighbors; /* levels of complete partial sums to its left */
    bool is_last;       /* completes the segment */
    bool is_near;       /* the sums are contiguous, and stay in their place */
};

#if defined __x86_64__

/* 512 bits; four integers a word, as products of unsigned by signed bytes. An offset of 128 makes
 * the right operand unsigned. */
#define PATH_NAME    "avx512-vnni"
#define PATH(x)      x##_avx512_vnni
#define TARGET       __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#define VECTOR_BYTES 64
#define VECTORS      2
#define BLOCK_DEPTH  8
#define ROWS_AT_ONCE 128
#define ADD_BY_HAND  matrix_avx512_add
#define HAND_LANES   MATRIX_HAND_DEPTH
#define HAND_ROWS    1
#define TILE_ROWS    12
#define GROUP        16
#define PACKED       4
#define DOT(sum, right, left)                                                                      \
    (words) _mm512_dpbusd_epi32((__m512i)(sum), (__m512i)(right), (__m512i)(left))
#define BYTES(in)        (words) _mm512_cvtepu8_epi32(*(const __m128i_u *)(in))
#define SIGNED_BYTES(in) (words) _mm512_cvtepi8_epi32(*(const __m128i_u *)(in))
#define HALVES(in)       (words) _mm512_cvtepu16_epi32(*(const __m256i_u *)(in))
#define HALF_FLOATS(in)  (words) _mm512_cvtph_ps(*(const __m256i_u *)(in))
#define RIGHT_OFFSET     0x80808080
#define INTERLEAVE_LOW   LOW_16
#define INTERLEAVE_HIGH  HIGH_16
#include "emu/units/matrix_path.inc"

/* 512 bits; two integers a word. */
#define PATH_NAME             "avx512"
#define PATH(x)               x##_avx512
#define TARGET                __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#define VECTOR_BYTES          64
#define VECTORS               2
#define BLOCK_DEPTH           8
#define ROWS_AT_ONCE          128
#define ADD_BY_HAND           matrix_avx512_add
#define HAND_LANES            MATRIX_HAND_DEPTH
#define HAND_ROWS             1
#define TILE_ROWS             12
#define GROUP                 16
#define PACKED                2
#define DOT(sum, right, left) ((sum) + (words)_mm512_madd_epi16((__m512i)(right), (__m512i)(left)))
#define BYTES(in)             (words) _mm512_cvtepu8_epi32(*(const __m128i_u *)(in))
#define SIGNED_BYTES(in)      (words) _mm512_cvtepi8_epi32(*(const __m128i_u *)(in))
#define HALVES(in)            (words) _mm512_cvtepu16_epi32(*(const __m256i_u *)(in))
#define HALF_FLOATS(in)       (words) _mm512_cvtph_ps(*(const __m256i_u *)(in))
#define SIGNED_PAIRS(in)      (words) _mm512_cvtepi8_epi16(*(const __m256i_u *)(in))
#define RIGHT_OFFSET          0
#define INTERLEAVE_LOW        LOW_16
#define INTERLEAVE_HIGH       HIGH_16
#include "emu/units/matrix_path.inc"

/* 256 bits, with half as many registers. Two vectors of columns share each broadcast: with one,
 * reading would limit the speed. */
#define PATH_NAME             "avx2"
#define PATH(x)               x##_avx2
#define TARGET                __attribute__((target("avx2,f16c")))
#define VECTOR_BYTES          32
#define VECTORS               2
#define BLOCK_DEPTH           4
#define ROWS_AT_ONCE          64
#define ADD_BY_HAND           matrix_avx2_add
#define HAND_LANES            MATRIX_AVX2_DEPTH
#define HAND_ROWS             MATRIX_AVX2_ROWS
#define LEVEL                 MATRIX_AVX2_LEVEL
#define TILE_ROWS             6
#define GROUP                 MATRIX_AVX2_GROUP
#define PACKED                2
#define DOT(sum, right, left) ((sum) + (words)_mm256_madd_epi16((__m256i)(right), (__m256i)(left)))
#define BYTES(in)             (words) _mm256_cvtepu8_epi32(_mm_loadl_epi64(in))
#define SIGNED_BYTES(in)      (words) _mm256_cvtepi8_epi32(_mm_loadl_epi64(in))
#define HALVES(in)            (words) _mm256_cvtepu16_epi32(*(const __m128i_u *)(in))
#define HALF_FLOATS(in)       (words) _mm256_cvtph_ps(*(const __m128i_u *)(in))
#define SIGNED_PAIRS(in)      (words) _mm256_cvtepi8_epi16(*(const __m128i_u *)(in))
#define RIGHT_OFFSET          0
#define INTERLEAVE_LOW        LOW_8
#define INTERLEAVE_HIGH       HIGH_8
#include "emu/units/matrix_path.inc"

/* 128 bits, which every x86-64 has. */
#define PATH_NAME "sse2"
#define PATH(x)   x##_sse2
#define TARGET
#define VECTOR_BYTES          16
#define VECTORS               2
#define BLOCK_DEPTH           4
#define ROWS_AT_ONCE          128
#define TILE_ROWS             6
#define GROUP                 8
#define PACKED                2
#define DOT(sum, right, left) ((sum) + (words)_mm_madd_epi16((__m128i)(right), (__m128i)(left)))
#define RIGHT_OFFSET          0
#include "emu/units/matrix_path.inc"

#endif

/* 128 bits, only generic vectors: for NEON and any other host. */
#define PATH_NAME "portable"
#define PATH(x)   x##_portable
#define TARGET
#define VECTOR_BYTES          16
#define VECTORS               1
#define BLOCK_DEPTH           16
#define ROWS_AT_ONCE          MATRIX_ROWS
#define TILE_ROWS             12
#define GROUP                 16
#define PACKED                1
#define DOT(sum, right, left) ((sum) + (right) * (left))
#define RIGHT_OFFSET          0
#include "emu/units/matrix_path.inc"

#if defined __x86_64__
/* Does the host have AVX2 and F16C? Not every compiler's __builtin_cpu_supports knows the latter.
 */
static bool has_avx2(void)
{
    unsigned a, b, c = 0, d;

    return __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

size_t matrix_paths(const struct matrix_path **paths)
{
    size_t count = 0;

#if defined __x86_64__
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    if (avx512 && __builtin_cpu_supports("avx512vnni"))
        paths[count++] = &path_avx512_vnni;
    if (avx512)
        paths[count++] = &path_avx512;
    if (has_avx2())
        paths[count++] = &path_avx2;
    paths[count++] = &path_sse2;
#endif
    paths[count++] = &path_portable; /* on x86-64, for the tests */
    return count;
}
