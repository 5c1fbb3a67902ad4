/* Loops, sections and tasks of OpenMP. */
#include <omp.h>
#include <stdio.h>

static long fibonacci(int n)
{
    long a, b;

    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void)
{
    static double values[10000];
    long sum = 0, result = 0, arrived = 0;

    omp_set_num_threads(4);
#pragma omp parallel for schedule(dynamic, 7) reduction(+ : sum)
    for (long i = 0; i < 10000; i++) {
        values[i] = i * 0.5;
        sum += i * i;
    }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 10000; i++)
        values[i] *= 2;
#pragma omp parallel
    {
#pragma omp critical
        arrived++;
#pragma omp barrier
#pragma omp single
        printf("%ld of %d threads\n", arrived, omp_get_num_threads());
#pragma omp single
        result = fibonacci(12);
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 8; i++) {
#pragma omp ordered
            printf("%d ", i);
        }
    }
    printf("\n%ld %ld %g\n", sum, result, values[9999]);
    return 0;
}
