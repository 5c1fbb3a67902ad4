/* Arithmetic, conversions, jump tables, strings, floating-point constants. */
#include <stdint.h>

extern int printf(const char *, ...);
extern int external;
static int counts[10];
int initialized = 5;
const char *names[] = {"a", "bcd"};
double scale = 1.5;
float half = 2.5f;
__thread int per_thread = 7;
struct {
    int a;
    char b;
    double c;
} record = {1, 'x', 3.0};
unsigned char bytes[] = {1, 2, 3, 255};
char large[100000];

int choose(int x)
{
    switch (x) {
    case 0:
        return 5;
    case 1:
        return 7;
    case 2:
        return 9;
    case 3:
        return 100;
    case 4:
        return -1;
    case 5:
        return 77;
    case 6:
        return 8;
    default:
        return 0;
    }
}

double sum(double *a, int n)
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s += a[i] * 2.5;
    return s;
}

float root(float a, float b)
{
    return a / b + __builtin_sqrtf(a);
}
uint64_t constant(void)
{
    return 0x123456789abcdefULL;
}
long divide(long a, long b)
{
    return a * b / (b + 1) % 7;
}
int compare(double a, double b)
{
    return a < b || a == b;
}
float convert(int a, unsigned b, long c, unsigned long d)
{
    return (float)a + (float)b + (float)c + (float)d;
}
int back(float f, double d)
{
    return (int)f + (unsigned)d + (long)f;
}
double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c) - __builtin_fma(-a, b, -c) + __builtin_fabs(a);
}
int weak(void) __attribute__((weak));
int weak(void)
{
    return 4;
}
int (*pointer)(int) = choose;

int main(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        printf("%s %d\n", argv[i], counts[i] + initialized + external);
        counts[i]++;
    }
    per_thread++;
    return choose(argc) + (int)sum(&scale, 1) + weak();
}
