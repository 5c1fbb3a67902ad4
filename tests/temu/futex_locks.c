/* Locks with priority inheritance: those of the library, and the calls themselves: their results,
 * errors, and what happens when an owner ends. The output is that of the host, which has Linux;
 * qemu-riscv64 7.2 faults when an owner ends.
 *
 * RUN: %gcc -O2 -g -static -pthread -D_GNU_SOURCE -w -o %t %s
 * RUN: gcc -O2 -pthread -D_GNU_SOURCE -w -o %t.native %s && %t.native >%t.host && FileCheck %s <%t.host
 * RUN: printf "threads:\n  quantum: 1\n" >%t.yaml
 * RUN: for how in --tier=interp --tier=translate --trace=/dev/null --races --machine=%t.yaml; do %temu $how %t | diff %t.host - || exit 1; done
 * CHECK: counted 6000
 * CHECK-NEXT: try 16, again 16, timed 110, recursive 35
 * CHECK-NEXT: died 130, then 0
 * CHECK-NEXT: unlock of another 1, of nobody 1, lock of a stranger 3, own 35
 * CHECK-NEXT: taken 1, given 1
 *
 * Two threads that wait for each other's lock: one gets the error.
 * RUN: %temu %t circle | FileCheck %s --check-prefix=CIRCLE
 * CIRCLE: one of two 35
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock;
static long counter;
static atomic_uint words[2];
static atomic_int ready, results[2];

static void make_lock(int type, int robust)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, robust);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&lock, &attributes);
}

static pthread_t start(void *(*work)(void *), void *argument)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, argument);
    return thread;
}

static void *count(void *argument)
{
    for (int i = 0; i < 2000; i++) {
        pthread_mutex_lock(&lock);
        long now = counter;
        if (i % 10 == 0)
            sched_yield();
        counter = now + 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void test_counter(void)
{
    pthread_t threads[3];

    make_lock(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
    for (int i = 0; i < 3; i++)
        threads[i] = start(count, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("counted %ld\n", counter);
}

static void *try(void *argument)
{
    struct timespec soon;

    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 5000000;
    if (soon.tv_nsec >= 1000000000)
        soon.tv_sec++, soon.tv_nsec -= 1000000000;
    int first = pthread_mutex_trylock(&lock), again = pthread_mutex_trylock(&lock);
    printf("try %d, again %d, timed %d, ", first, again, pthread_mutex_timedlock(&lock, &soon));
    return NULL;
}

static void test_errors(void)
{
    make_lock(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    pthread_mutex_lock(&lock);
    pthread_join(start(try, NULL), NULL);
    printf("recursive %d\n", pthread_mutex_lock(&lock));
    pthread_mutex_unlock(&lock);
}

static void *die(void *argument)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    usleep(2000);
    return NULL;
}

static void test_death(void)
{
    pthread_t thread;

    make_lock(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    thread = start(die, NULL);
    while (!ready)
        usleep(100);
    int result = pthread_mutex_lock(&lock);
    pthread_mutex_consistent(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("died %d, then %d\n", result, pthread_mutex_lock(&lock));
}

static int call(atomic_uint *word, int operation)
{
    return syscall(SYS_futex, word, operation, 0, NULL, NULL, 0) < 0 ? errno : 0;
}

static void test_calls(void)
{
    atomic_uint word = gettid() + 1000000;

    int other = call(&word, FUTEX_UNLOCK_PI), stranger = call(&word, FUTEX_LOCK_PI);
    word = 0;
    int nobody = call(&word, FUTEX_UNLOCK_PI);
    word = gettid();
    printf("unlock of another %d, of nobody %d, lock of a stranger %d, own %d\n", other, nobody,
           stranger, call(&word, FUTEX_LOCK_PI));
    word = 0;
    int taken = call(&word, FUTEX_LOCK_PI) == 0 && word == gettid();
    int given = call(&word, FUTEX_UNLOCK_PI) == 0 && word == 0;
    printf("taken %d, given %d\n", taken, given);
}

static void *cross(void *argument)
{
    long first = (long)argument;

    call(&words[first], FUTEX_LOCK_PI);
    ready++;
    while (ready < 2)
        sched_yield();
    results[first] = call(&words[!first], FUTEX_LOCK_PI);
    if (results[first] == 0)
        call(&words[!first], FUTEX_UNLOCK_PI);
    call(&words[first], FUTEX_UNLOCK_PI);
    return NULL;
}

static void test_circle(void)
{
    pthread_t one = start(cross, (void *)0), two = start(cross, (void *)1);

    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("one of two %d\n", results[0] + results[1]);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        test_circle();
        return 0;
    }
    test_counter();
    test_errors();
    test_death();
    test_calls();
    return 0;
}
