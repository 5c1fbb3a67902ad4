/* A thread gets signals in its turns, for a function that it also calls. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>

static volatile int count, is_over;

static void handle(int number)
{
    if (number)
        count++;
}

static void *work(void *argument)
{
    void (*volatile call)(int) = handle;

    while (!is_over)
        call(0);
    return argument;
}

int main(void)
{
    pthread_t thread;

    signal(SIGUSR1, handle);
    pthread_create(&thread, 0, work, 0);
    for (int i = 1; i <= 20; i++) {
        pthread_kill(thread, SIGUSR1);
        while (count < i)
            sched_yield();
    }
    is_over = 1;
    return pthread_join(thread, 0);
}
