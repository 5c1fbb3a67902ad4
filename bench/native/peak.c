/* peak STEPS: does f32 multiplications, each followed by a separate addition, as fast as one thread
 * of this host can. A step is 768 million operations, whatever the width of the vectors. There are
 * as many independent sums as the registers hold, so no operation waits for a result: the speed is
 * an upper bound for a matrix unit that rounds product and sum. Prints the sum of all lanes, 192
 * million for each step, which is exact. */
#include <stdio.h>
#include <stdlib.h>

#if defined __AVX512F__
enum { BYTES = 64, SUMS = 24 };
#elif defined __AVX__
enum { BYTES = 32, SUMS = 12 };
#elif defined __aarch64__
enum { BYTES = 16, SUMS = 24 };
#else
enum { BYTES = 16, SUMS = 12 };
#endif

typedef float vector __attribute__((vector_size(BYTES)));
enum { LANES = BYTES / sizeof(float), ROUNDS = 768000000 / (2 * SUMS * LANES) };

/* Keeps the compiler from knowing a value, at no cost. */
#if defined __aarch64__
#define OPAQUE(value) __asm__ volatile("" : "+w"(value))
#else
#define OPAQUE(value) __asm__ volatile("" : "+x"(value))
#endif

int main(int argc, char **argv)
{
    long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    double total = 0;

    for (long step = 0; step < steps; step++) {
        vector sums[SUMS] = {0}, one = (vector){0} + 1, half = (vector){0} + 0.5f;
        for (int i = 0; i < ROUNDS; i++) {
            OPAQUE(one);
#pragma GCC unroll 24
            for (int j = 0; j < SUMS; j++) {
                OPAQUE(half);
                sums[j] += one * half;
            }
        }
        for (int j = 0; j < SUMS; j++)
            for (int lane = 0; lane < LANES; lane++)
                total += sums[j][lane];
    }
    printf("%.0f\n", total);
    return 0;
}
