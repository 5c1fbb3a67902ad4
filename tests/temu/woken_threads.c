/* A thread that is woken gets its turn soon, also if the thread that wakes it runs on and a third
 * one sleeps. A signal that came for a thread is delivered before its next system call, which may
 * be the one that ends it.
 *
 * RUN: %gcc -O1 -static -pthread -D_GNU_SOURCE -o %t %s
 * RUN: for how in --tier=interp --tier=translate --trace=/dev/null; do %temu $how %t turns | FileCheck %s || exit 1; done
 * CHECK: woken more than 100 times: 1
 *
 * RUN: for how in --tier=interp --tier=translate --trace=/dev/null; do %temu $how %t signals | FileCheck %s --check-prefix=SIGNALS || exit 1; done
 * SIGNALS: 200 of 200 handled
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int stop, woken, handled;
static sem_t semaphore;

static void *wake(void *unused)
{
    while (!stop) {
        sem_post(&semaphore);
        for (volatile int i = 0; i < 10000; i++) {
        }
    }
    return unused;
}

static void *wait(void *unused)
{
    while (!stop) {
        sem_wait(&semaphore);
        woken++;
        while (sem_trywait(&semaphore) == 0) {
        }
    }
    return unused;
}

static void take_turns(void)
{
    const struct timespec time = {0, 20000000};
    pthread_t threads[2];

    sem_init(&semaphore, 0, 0);
    pthread_create(&threads[0], NULL, wake, NULL);
    pthread_create(&threads[1], NULL, wait, NULL);
    nanosleep(&time, NULL);
    stop = 1;
    pthread_join(threads[0], NULL);
    sem_post(&semaphore);
    pthread_join(threads[1], NULL);
    printf("woken more than 100 times: %d\n", woken > 100);
}

static void handle(int signal)
{
    (void)signal;
    handled++;
}

/* Ends as soon as it sees that it has to. */
static void *run(void *mask)
{
    pthread_sigmask(SIG_UNBLOCK, mask, NULL);
    stop = 0;
    while (!stop) {
    }
    return NULL;
}

static void send_signals(void)
{
    pthread_t thread;
    sigset_t mask;

    signal(SIGUSR1, handle);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    for (int i = 0; i < 200; i++) {
        stop = 1;
        pthread_create(&thread, NULL, run, &mask);
        while (stop) {
        }
        kill(getpid(), SIGUSR1);
        stop = 1;
        pthread_join(thread, NULL);
    }
    printf("%d of 200 handled\n", handled);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "turns") == 0)
        take_turns();
    else
        send_signals();
    return 0;
}
