/* The clocks of the process and of its threads measure what was executed, not the time that passed.
 * The output is that of Linux on the host and of qemu-riscv64; in a barrel, too, each thread has a
 * clock of its own.
 *
 * RUN: %gcc -O1 -static -pthread -D_GNU_SOURCE -o %t %s && gcc -O1 -pthread -D_GNU_SOURCE -o %t.native %s
 * RUN: %t.native >%t.host && FileCheck %s --match-full-lines <%t.host && %qemu %t | diff %t.host -
 * RUN: printf "barrel:\n  workers: 4\n" >%t.yaml
 * RUN: for how in --tier=interp --tier=translate --trace=/dev/null --machine=%t.yaml; do %temu $how %t 2>/dev/null | diff %t.host - || exit 1; done
 *
 * CHECK: after a sleep: process 1, thread 1, clock 1, usage 1, wall 1
 * CHECK-NEXT: busy thread: own 1, first thread 1, process 1, others' clock 1, usage 1
 * CHECK-NEXT: new thread: 1
 * CHECK-NEXT: ids: 0 0, errors 22 22 22 22, resolution 0 22
 * CHECK-NEXT: group: signal 10, then 3
 * CHECK-NEXT: stack: 22 22 0
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MILLISECOND = 1000000 };

static volatile int is_done, number;
static clockid_t busy_clock;

static long long now(clockid_t clock)
{
    struct timespec time = {-1, 0};

    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long used(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

static void work(long long time)
{
    long long start = now(CLOCK_THREAD_CPUTIME_ID);

    while (now(CLOCK_THREAD_CPUTIME_ID) - start < time)
        for (volatile int i = 0; i < 1000; i++) {
        }
}

static void *be_busy(void *barrier)
{
    long long first = now(CLOCK_THREAD_CPUTIME_ID);

    pthread_getcpuclockid(pthread_self(), &busy_clock);
    work(60 * MILLISECOND);
    is_done = now(CLOCK_THREAD_CPUTIME_ID) >= 60 * MILLISECOND &&
              used(RUSAGE_THREAD) >= 50 * MILLISECOND && first < 30 * MILLISECOND;
    pthread_barrier_wait(barrier);
    pthread_barrier_wait(barrier);
    return NULL;
}

static void *be_new(void *result)
{
    *(int *)result = now(CLOCK_THREAD_CPUTIME_ID) < 30 * MILLISECOND;
    return NULL;
}

static void note(int signal)
{
    number = signal;
}

static int try_clock(int id)
{
    struct timespec time;

    return syscall(SYS_clock_gettime, id, &time) == 0 ? 0 : errno;
}

static int try_stack(int flags)
{
    static char bytes[65536];
    const stack_t stack = {.ss_sp = bytes, .ss_flags = flags, .ss_size = sizeof bytes};

    return sigaltstack(&stack, NULL) == 0 ? 0 : errno;
}

int main(void)
{
    const struct timespec pause = {0, 200 * MILLISECOND};
    long long process = now(CLOCK_PROCESS_CPUTIME_ID), own = now(CLOCK_THREAD_CPUTIME_ID);
    long long usage = used(RUSAGE_SELF), wall = now(CLOCK_MONOTONIC);
    clock_t ticks = clock();
    pthread_barrier_t barrier;
    struct timespec time;
    pthread_t thread;
    int is_new;

    /* The emulator's own start may be part of what its first thread has used: differences count. */
    nanosleep(&pause, NULL);
    printf("after a sleep: process %d, thread %d, clock %d, usage %d, wall %d\n",
           now(CLOCK_PROCESS_CPUTIME_ID) - process < 100 * MILLISECOND,
           now(CLOCK_THREAD_CPUTIME_ID) - own < 100 * MILLISECOND,
           clock() - ticks < CLOCKS_PER_SEC / 10, used(RUSAGE_SELF) - usage < 100 * MILLISECOND,
           now(CLOCK_MONOTONIC) - wall >= 200 * MILLISECOND);

    pthread_barrier_init(&barrier, NULL, 2);
    process = now(CLOCK_PROCESS_CPUTIME_ID);
    own = now(CLOCK_THREAD_CPUTIME_ID);
    usage = used(RUSAGE_THREAD);
    pthread_create(&thread, NULL, be_busy, &barrier);
    pthread_barrier_wait(&barrier);
    printf("busy thread: own %d, first thread %d, process %d, others' clock %d, usage %d\n",
           is_done, now(CLOCK_THREAD_CPUTIME_ID) - own < 30 * MILLISECOND,
           now(CLOCK_PROCESS_CPUTIME_ID) - process >= 60 * MILLISECOND,
           now(busy_clock) >= 60 * MILLISECOND, used(RUSAGE_THREAD) - usage < 60 * MILLISECOND);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, be_new, &is_new);
    pthread_join(thread, NULL);
    printf("new thread: %d\n", is_new);

    clock_getcpuclockid(0, &busy_clock);
    printf("ids: %d %d, errors %d %d %d %d, resolution %d %d\n", clock_gettime(busy_clock, &time),
           clock_getcpuclockid(getpid(), &busy_clock), try_clock(~1000000 << 3 | 2),
           try_clock(~1000000 << 3 | 6), try_clock(-1), try_clock(12),
           clock_getres(busy_clock, &time), clock_getres(99, &time) ? errno : 0);

    signal(SIGUSR1, note);
    setpgid(0, 0); /* on the host the group is that of the test's shell */
    killpg(getpgrp(), SIGUSR1);
    printf("group: signal %d, ", number);
    errno = 0;
    kill(-1000000, SIGUSR1);
    printf("then %d\n", errno);
    printf("stack: %d %d %d\n", try_stack(SS_DISABLE + 1), try_stack(4), try_stack(SS_DISABLE));
    return 0;
}
