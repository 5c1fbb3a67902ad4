/* Products of rows after a softmax. Without FIX, the elements that are left over after the groups
 * of four are forgotten. */
#include <stdint.h>

enum { N = 21 };

static float a[N][N], c[N][N], b[N][N];
static uint32_t seed = 7;

static float draw(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(int32_t)(seed >> 8 & 0xffff) / 65536.0f - 0.5f;
}

static __attribute__((noinline)) void softmax(float (*m)[N])
{
    for (int i = 0; i < N; i++) {
        float most = m[i][0], sum = 0;
        for (int j = 1; j < N; j++)
            if (m[i][j] > most)
                most = m[i][j];
        for (int j = 0; j < N; j++)
            sum += m[i][j] = 1 / (1 + most - m[i][j]);
        for (int j = 0; j < N; j++)
            m[i][j] /= sum;
    }
}

static __attribute__((noinline)) void product(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            int k = 0;
            for (; k + 4 <= N; k += 4)
                sum += a[i][k] * b[k][j] + a[i][k + 1] * b[k + 1][j] + a[i][k + 2] * b[k + 2][j] +
                       a[i][k + 3] * b[k + 3][j];
#ifdef FIX
            for (; k < N; k++)
                sum += a[i][k] * b[k][j];
#endif
            c[i][j] = sum;
        }
}

static __attribute__((noinline)) void fill(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = draw();
            b[i][j] = draw();
        }
}

static __attribute__((noinline)) int run(void)
{
    fill();
    softmax(a);
    product();
    softmax(c);
    return c[3][5] > 0.05f;
}

void _start(void)
{
    __asm__ volatile(".option push; .option norelax; la gp, __global_pointer$; .option pop");

    register long a0 __asm__("a0") = run(), a7 __asm__("a7") = 93;

    __asm__ volatile("ecall" ::"r"(a0), "r"(a7));
    __builtin_unreachable();
}
