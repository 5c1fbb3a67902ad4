/* Timers of timer_create. The output is that of Linux on the host and of qemu-riscv64, and signals
 * come at the same instructions in every run.
 *
 * RUN: %gcc -O1 -static -pthread -D_GNU_SOURCE -w -o %t %s && gcc -O1 -pthread -D_GNU_SOURCE -w -o %t.native %s
 * RUN: %t.native >%t.host && FileCheck %s <%t.host && %qemu %t | diff %t.host -
 * RUN: for how in --tier=interp --tier=translate --trace=/dev/null --timing; do %temu $how %t 2>/dev/null | diff %t.host - || exit 1; done
 * RUN: %temu %t exact >%t.1 && %temu --stats=/dev/null %t exact >%t.2 && cmp %t.1 %t.2 && FileCheck %s --check-prefix=EXACT <%t.1
 * EXACT: turns {{[1-9][0-9][0-9]+}}
 *
 * CHECK: once: signal 10, code -2, value 77, overrun 0, left 0.0
 * CHECK-NEXT: periodic: at least five 1, interval 0.2000000
 * CHECK-NEXT: absolute: 1 signals, past: 1
 * CHECK-NEXT: default: signal 14
 * CHECK-NEXT: silent: running 1, then 0
 * CHECK-NEXT: overruns: at least ten 1, the same as the call 1
 * CHECK-NEXT: processor: 1 signals
 * CHECK-NEXT: waited: signal 12, value 5
 * CHECK-NEXT: called back 3 times with 9
 * CHECK-NEXT: errors 95 22 22 22 22 22 22 14
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int count;
static siginfo_t last;
static sem_t called;

static void handle(int signal, siginfo_t *info, void *context)
{
    last = *info;
    count++;
}

static timer_t make(clockid_t clock, int notify, int signal, int value)
{
    struct sigevent event = {
        .sigev_notify = notify, .sigev_signo = signal, .sigev_value.sival_int = value};
    timer_t timer;

    if (timer_create(clock, &event, &timer))
        perror("timer_create");
    return timer;
}

static void set(timer_t timer, int flags, long first, long interval)
{
    const struct itimerspec time = {{interval / 1000000000, interval % 1000000000},
                                    {first / 1000000000, first % 1000000000}};

    if (timer_settime(timer, flags, &time, NULL))
        perror("timer_settime");
}

static void wait_for(int signals)
{
    while (count < signals)
        usleep(500);
}

static void test_signals(void)
{
    struct itimerspec left;
    timer_t timer = make(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR1, 77);

    count = 0;
    set(timer, 0, 3000000, 0);
    wait_for(1);
    timer_gettime(timer, &left);
    printf("once: signal %d, code %d, value %d, overrun %d, left %ld.%ld\n", last.si_signo,
           last.si_code, last.si_value.sival_int, last.si_overrun, left.it_value.tv_sec,
           left.it_value.tv_nsec);
    count = 0;
    set(timer, 0, 1000000, 2000000);
    wait_for(5);
    timer_gettime(timer, &left);
    set(timer, 0, 0, 0);
    printf("periodic: at least five %d, interval %ld.%ld\n", count >= 5, left.it_interval.tv_sec,
           left.it_interval.tv_nsec);
    timer_delete(timer);
}

static void test_absolute(void)
{
    struct timespec now;
    timer_t timer = make(CLOCK_REALTIME, SIGEV_SIGNAL, SIGUSR1, 0);

    clock_gettime(CLOCK_REALTIME, &now);
    count = 0;
    set(timer, TIMER_ABSTIME, now.tv_sec * 1000000000L + now.tv_nsec + 2000000, 0);
    wait_for(1);
    printf("absolute: %d signals, ", count);
    count = 0;
    set(timer, TIMER_ABSTIME, 1, 0);
    wait_for(1);
    printf("past: %d\n", count);
    timer_delete(timer);
}

static void test_default(void)
{
    timer_t timer, silent = make(CLOCK_MONOTONIC, SIGEV_NONE, 0, 0);
    struct itimerspec left;
    int first;

    timer_create(CLOCK_MONOTONIC, NULL, &timer);
    count = 0;
    set(timer, 0, 1000000, 0);
    wait_for(1);
    printf("default: signal %d\n", last.si_signo);
    set(silent, 0, 20000000, 0);
    timer_gettime(silent, &left);
    first = left.it_value.tv_nsec > 0;
    usleep(25000);
    timer_gettime(silent, &left);
    printf("silent: running %d, then %ld\n", first, left.it_value.tv_nsec);
    timer_delete(timer);
    timer_delete(silent);
}

static void test_overruns(void)
{
    timer_t timer = make(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR1, 0);
    siginfo_t info;
    sigset_t set_of;

    sigemptyset(&set_of);
    sigaddset(&set_of, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set_of, NULL);
    set(timer, 0, 1000000, 1000000);
    usleep(20000);
    sigwaitinfo(&set_of, &info);
    int overruns = timer_getoverrun(timer);
    printf("overruns: at least ten %d, the same as the call %d\n", overruns >= 10,
           overruns == info.si_overrun);
    timer_delete(timer);
    sigprocmask(SIG_UNBLOCK, &set_of, NULL);
}

static void test_processor(void)
{
    timer_t timer = make(CLOCK_PROCESS_CPUTIME_ID, SIGEV_SIGNAL, SIGUSR1, 0);

    count = 0;
    set(timer, 0, 3000000, 0);
    while (!count)
        continue;
    printf("processor: %d signals\n", count);
    timer_delete(timer);
}

static void test_wait(void)
{
    timer_t timer = make(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR2, 5);
    siginfo_t info;
    sigset_t set_of;

    sigemptyset(&set_of);
    sigaddset(&set_of, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set_of, NULL);
    set(timer, 0, 1000000, 0);
    int signal = sigwaitinfo(&set_of, &info);
    printf("waited: signal %d, value %d\n", signal, info.si_value.sival_int);
    timer_delete(timer);
}

static void call_back(union sigval value)
{
    last.si_value = value;
    sem_post(&called);
}

static void test_thread(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD,
                             .sigev_notify_function = call_back,
                             .sigev_value.sival_int = 9};
    timer_t timer;

    sem_init(&called, 0, 0);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    set(timer, 0, 1000000, 1000000);
    for (int i = 0; i < 3; i++)
        while (sem_wait(&called))
            continue;
    timer_delete(timer);
    printf("called back 3 times with %d\n", last.si_value.sival_int);
}

static int result(long value)
{
    return value < 0 ? errno : 0;
}

static void test_errors(void)
{
    struct {
        long value;
        int signal, notify, thread, rest[11];
    } event = {0, 99, 0};
    const struct itimerspec bad = {{0, 0}, {0, 1000000000}}, good = {{0, 0}, {0, 0}};
    int id = -1;

    printf("errors %d", result(syscall(SYS_timer_create, 4, NULL, &id)));
    printf(" %d", result(syscall(SYS_timer_create, 1, &event, &id)));
    event.signal = 10, event.notify = 4, event.thread = 999999;
    printf(" %d", result(syscall(SYS_timer_create, 1, &event, &id)));
    printf(" %d", result(syscall(SYS_timer_delete, 77)));
    printf(" %d", result(syscall(SYS_timer_gettime, 77, &bad)));
    printf(" %d", result(syscall(SYS_timer_settime, 77, 0, &good, NULL)));
    syscall(SYS_timer_create, 1, NULL, &id);
    printf(" %d", result(syscall(SYS_timer_settime, id, 0, &bad, NULL)));
    printf(" %d\n", result(syscall(SYS_timer_create, 1, NULL, NULL)));
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    unsigned turns = 0;

    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    if (argc > 1) {
        set(make(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR1, 0), 0, 100000, 0);
        while (!count)
            turns++;
        printf("turns %u\n", turns);
        return 0;
    }
    test_signals();
    test_absolute();
    test_default();
    test_overruns();
    test_processor();
    test_wait();
    test_thread();
    test_errors();
    return 0;
}
