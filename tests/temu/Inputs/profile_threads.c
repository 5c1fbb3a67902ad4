#include <pthread.h>

__attribute__((noinline)) long work(long n)
{
    volatile long sum = 0;

    for (long i = 0; i < n; i++)
        sum += i;
    return sum;
}

static void *run(void *argument)
{
    return (void *)(work((long)argument) + 1);
}

int main(void)
{
    pthread_t threads[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, (void *)(2000 * i));
    long sum = work(1000) + 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return sum == 0;
}
