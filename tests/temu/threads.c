/* POSIX threads of Debian's glibc, with most of what threads have: barriers, locks, condition
 * variables, semaphores, storage of their own, cancellation, robust locks, signals. The output is
 * that of qemu-riscv64, in every way to execute, and with the shortest turns.
 *
 * RUN: %gcc -O2 -static -pthread -D_GNU_SOURCE -w -I %S/Inputs -o %t %s
 * QEMU 7.2 seldom ends by SIGABRT, after the output, when the last thread ends the program.
 * RUN: %qemu %t >%t.qemu || %qemu %t >%t.qemu
 * RUN: %temu %t | diff %t.qemu -
 * RUN: %temu --tier=interp %t | diff %t.qemu -
 * RUN: %temu --tier=translate %t | diff %t.qemu -
 * RUN: %temu --trace=/dev/null %t | diff %t.qemu -
 * RUN: %temu --reference %t | diff %t.qemu -
 * RUN: for quantum in 1 7 64 1000; do printf "threads:\n  quantum: $quantum\n" >%t.yaml; %temu --machine %t.yaml %t | diff %t.qemu - || exit 1; done
 * RUN: FileCheck %s <%t.qemu
 * CHECK: canceled 1, cleaned up 1
 * CHECK: owner died, consistent
 *
 * Two runs are the same, in every tier.
 * RUN: %temu --stats=%t.1 %t >%t.out && %temu --stats=%t.2 %t >%t.out && diff %t.1 %t.2
 * RUN: sh -c '%temu --tier=interp --max-insns 1234567 %t >%t.out 2>%t.3; test $? = 125' && sh -c '%temu --tier=translate --max-insns 1234567 %t >%t.out 2>%t.4; test $? = 125'
 * RUN: diff %t.3 %t.4 && FileCheck %s --check-prefix=LIMIT <%t.3
 * LIMIT: stopped after --max-insns 1234567 instructions at 0x
 * LIMIT-NEXT: {{^}}  t1, tid 2 (threads.c.tmp): {{runs|waits for a .*}}, pc 0x{{.*}} <{{.+}}>
 * LIMIT: {{^}}  t{{[0-9]+}}, tid {{[0-9]+}} (threads.c.tmp): {{runs|waits for a .*}}, pc 0x{{.*}} <{{.+}}>
 *
 * RUN: %temu --trace-syscalls %t 2>&1 >%t.out | FileCheck %s --check-prefix=CALLS
 * CALLS: {{^}}temu: clone{{3?}}({{.*}}) = 3 (t2){{$}}
 * CALLS: {{^}}temu: t2: set_robust_list
 */
#include "threads.h"
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 50 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* ---- turns ---- */

static int turn;
static __thread int mine = 5;
static __thread char empty[100];

static void *take_turns(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        while (turn != (long)argument)
            pthread_cond_wait(&changed, &lock);
        mine += 1 + empty[i];
        turn = (turn + 1) % THREADS;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return (void *)(long)mine;
}

static void test_turns(void)
{
    pthread_t threads[THREADS];
    long sum = 0;

    for (long i = 0; i < THREADS; i++)
        threads[i] = start(take_turns, (void *)i);
    for (int i = 0; i < THREADS; i++)
        sum += finish(threads[i]);
    printf("turns %d, sum %ld, of the first thread %d\n", turn, sum, mine);
}

/* ---- barriers, locks, semaphores, keys ---- */

static pthread_barrier_t barrier;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t places;
static int value, begun, destroyed, spun;

static void begin(void)
{
    begun++;
}

static void destroy(void *data)
{
    __atomic_add_fetch(&destroyed, 1, __ATOMIC_RELAXED);
}

static void *meet(void *argument)
{
    long chosen = 0;

    pthread_once(&once, begin);
    pthread_setspecific(key, argument);
    for (int i = 0; i < ROUNDS; i++) {
        int result = pthread_barrier_wait(&barrier);
        pthread_rwlock_rdlock(&shared);
        int before = value;
        pthread_rwlock_unlock(&shared);
        pthread_barrier_wait(&barrier);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD) {
            chosen++;
            pthread_rwlock_wrlock(&shared);
            value = before + 1;
            pthread_rwlock_unlock(&shared);
        }
        sem_wait(&places);
        pthread_spin_lock(&spin);
        spun++;
        pthread_spin_unlock(&spin);
        sem_post(&places);
    }
    return (void *)chosen;
}

static void test_meetings(void)
{
    pthread_t threads[THREADS];
    long chosen = 0;

    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_spin_init(&spin, 0);
    pthread_key_create(&key, destroy);
    sem_init(&places, 0, 2);
    for (int i = 0; i < THREADS; i++)
        threads[i] = start(meet, threads);
    for (int i = 0; i < THREADS; i++)
        chosen += finish(threads[i]);
    printf("chosen %ld, value %d, begun %d, destroyed %d, spun %d\n", chosen, value, begun,
           destroyed, spun);
}

/* ---- cancellation, robust locks ---- */

static int cleaned;

static void clean(void *argument)
{
    cleaned++;
}

static void *wait_for_ever(void *argument)
{
    pthread_cleanup_push(clean, NULL);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
}

static void *spin_for_ever(void *argument)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (volatile long i = 0;; i++)
        ;
}

static void test_cancellation(void)
{
    pthread_t waiter = start(wait_for_ever, NULL), spinner = start(spin_for_ever, NULL);

    usleep(1000);
    pthread_cancel(waiter);
    pthread_cancel(spinner);
    int canceled = (void *)finish(waiter) == PTHREAD_CANCELED;
    printf("canceled %d, cleaned up %d\n", canceled, cleaned);
    printf("canceled while it ran %d\n", (void *)finish(spinner) == PTHREAD_CANCELED);
}

static void *die_with(void *argument)
{
    pthread_mutex_lock(argument);
    return NULL;
}

static void *lock_later(void *argument)
{
    return (void *)(long)pthread_mutex_lock(argument);
}

static sem_t has_locked;

static void *die_slowly(void *argument)
{
    pthread_mutex_lock(argument);
    sem_post(&has_locked);
    usleep(1000);
    return NULL;
}

static void test_robust(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t robust;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    finish(start(die_with, &robust));
    printf("owner %s", pthread_mutex_lock(&robust) == EOWNERDEAD ? "died" : "lives");
    printf(", %s\n", pthread_mutex_consistent(&robust) == 0 ? "consistent" : "not consistent");
    pthread_mutex_unlock(&robust);
    sem_init(&has_locked, 0, 0);
    pthread_t owner = start(die_slowly, &robust);
    sem_wait(&has_locked);
    pthread_t next = start(lock_later, &robust);
    finish(owner);
    printf("the one that waited %d\n", finish(next) == EOWNERDEAD);
}

/* ---- signals ---- */

static volatile sig_atomic_t got;
static pthread_t who;

static void handle(int signal)
{
    got = signal;
    who = pthread_self();
}

static void *take_signal(void *argument)
{
    int number;

    sigwait(argument, &number);
    return (void *)(long)number;
}

static void *wait_for_handler(void *argument)
{
    while (!got)
        usleep(100);
    return (void *)(long)(who == pthread_self());
}

static void *run_until_handler(void *argument)
{
    while (!got)
        ;
    return (void *)(long)(who == pthread_self());
}

static void *be_interrupted(void *argument)
{
    struct timespec hour = {3600};

    return (void *)(long)(nanosleep(&hour, NULL) == 0 ? 0 : errno);
}

/* Interrupts until the thread has ended, since the first signal can come before it sleeps. Returns
 * the thread's result.
 */
static long interrupt(pthread_t thread)
{
    void *result;

    do {
        usleep(1000);
        pthread_kill(thread, SIGUSR2);
    } while (pthread_tryjoin_np(thread, &result) != 0);
    return (long)result;
}

static void test_signals(void)
{
    const struct sigaction action = {.sa_handler = handle};
    sigset_t set;

    sigaction(SIGUSR2, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_t thread = start(take_signal, &set);
    usleep(1000);
    kill(getpid(), SIGUSR1);
    printf("waited for %ld\n", finish(thread));
    thread = start(wait_for_handler, NULL);
    usleep(1000);
    pthread_kill(thread, SIGUSR2);
    printf("handled in its thread %ld\n", finish(thread));
    got = 0;
    thread = start(run_until_handler, NULL);
    usleep(1000);
    pthread_kill(thread, SIGUSR2);
    printf("handled while it ran %ld\n", finish(thread));
    thread = start(be_interrupted, NULL);
    printf("sleep: %s\n", strerror(interrupt(thread)));
    got = 0;
    kill(getpid(), SIGUSR2);
    printf("to the program: %d, first thread %d\n", got, who == pthread_self());
}

/* ---- time ---- */

static void *nap(void *argument)
{
    usleep(500);
    return argument;
}

static void test_time(void)
{
    struct timespec until;
    pthread_t sleeper = start(nap, NULL);

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += until.tv_nsec >= 998000000;
    until.tv_nsec = (until.tv_nsec + 2000000) % 1000000000;
    pthread_mutex_lock(&lock);
    printf("%s\n", strerror(pthread_cond_timedwait(&changed, &lock, &until)));
    pthread_mutex_unlock(&lock);
    finish(sleeper);
}

/* ---- pipes, ids ---- */

static int ends[2];

static void *feed(void *argument)
{
    static char bytes[200000];

    usleep(100);
    write(ends[1], bytes, sizeof bytes);
    close(ends[1]);
    return NULL;
}

static void *feed_parts(void *argument)
{
    static char bytes[70000];
    const struct iovec parts[] = {{bytes, 60000}, {bytes, 0}, {bytes, 70000}, {bytes, 3000}};

    usleep(100);
    *(long *)argument = writev(ends[1], parts, 4);
    close(ends[1]);
    return NULL;
}

static void test_pipe(void *(*function)(void *))
{
    char bytes[5000];
    long total = 0, got, fed = 0;

    pipe(ends);
    pthread_t thread = start(function, &fed);
    while ((got = read(ends[0], bytes, sizeof bytes)) > 0)
        total += got;
    finish(thread);
    printf("through a pipe %ld, in parts %ld\n", total, fed);
}

static void *name(void *argument)
{
    pthread_setname_np(pthread_self(), "worker");
    return (void *)(long)(gettid() != getpid() && tgkill(getpid(), gettid(), 0) == 0);
}

static void test_names(void)
{
    char text[16];
    pthread_t thread = start(name, NULL);

    printf("ids %ld %d %d\n", finish(thread), gettid() == getpid(), tgkill(getpid(), 99999999, 0));
    pthread_setname_np(pthread_self(), "first");
    pthread_getname_np(pthread_self(), text, sizeof text);
    printf("%s\n", text);
}

static void *leave_all(void *argument)
{
    usleep(1000);
    printf("the last thread\n");
    exit(0);
}

int main(void)
{
    test_turns();
    test_meetings();
    test_cancellation();
    test_robust();
    test_signals();
    test_time();
    test_pipe(feed);
    test_pipe(feed_parts);
    test_names();
    start(leave_all, NULL);
    pthread_exit(NULL);
}
