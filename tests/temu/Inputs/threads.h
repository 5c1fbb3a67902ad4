/* What the tests of threads share. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline pthread_t start(void *(*run)(void *), void *argument)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, run, argument) != 0) {
        printf("cannot create a thread\n");
        exit(1);
    }
    return thread;
}

static inline long finish(pthread_t thread)
{
    void *result;

    pthread_join(thread, &result);
    return (long)result;
}
