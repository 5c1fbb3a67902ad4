/* A sum in OpenMP by reduction, in a critical section, by atomics and by tasks; with an argument,
 * also without any of them. */
#include <stdio.h>

int main(int argc, char **argv)
{
    long sum = 0, tasks = 0;
    static long total, all;

#pragma omp parallel for reduction(+ : sum) num_threads(4)
    for (int i = 0; i < 1000; i++)
        sum += i;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 100; i++) {
#pragma omp critical
        total += i;
#pragma omp atomic
        all += i;
    }
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(i)
#pragma omp atomic
            tasks += i;
        }
#pragma omp barrier
#pragma omp master
        total += tasks;
    }
    if (argc > 1) {
#pragma omp parallel for num_threads(4)
        for (int i = 0; i < 100; i++)
            *(volatile long *)&total += i;
    }
    printf("%ld %ld %ld %ld\n", sum, total, all, tasks);
    return 0;
}
