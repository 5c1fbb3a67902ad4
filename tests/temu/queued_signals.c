/* Real-time signals are delivered as often as they were sent, in their order, each with its value;
 * other signals once. The output is that of Linux on the host and of qemu-riscv64.
 *
 * RUN: %gcc -O1 -static -pthread -D_GNU_SOURCE -o %t %s && gcc -O1 -pthread -D_GNU_SOURCE -o %t.native %s
 * RUN: %t.native >%t.host && FileCheck %s --match-full-lines <%t.host && %qemu %t | diff %t.host -
 * RUN: for how in --tier=interp --tier=translate --trace=/dev/null --timing; do %temu $how %t 2>/dev/null | diff %t.host - || exit 1; done
 * RUN: %temu %t full | FileCheck %s --check-prefix=FULL
 *
 * The handler of the signal that is delivered last runs first.
 * CHECK: process: 37:5 37:6 36:7 36:8 36:9 10:1
 * CHECK-NEXT: thread: 36:0 36:0 36:0 10:0
 * CHECK-NEXT: nested: 36:1 36:2 36:100 36:100
 * CHECK-NEXT: waited: 36:1 36:2 36:3, then 11
 * CHECK-NEXT: pending: 1, then 1, then 0
 * CHECK-NEXT: ignored: 36:9
 * CHECK-NEXT: timers: 12:1 12:2
 * CHECK-NEXT: again: 36:4
 *
 * The limit is that of temu; Linux has one of its own.
 * FULL: 4096 signals, then 11; limit 4096; delivered 4096 of 4096 in order
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { FIRST = 36, SECOND = 37 };

static volatile int count, answers;
static int signals[8192], values[8192];

static void note(int signal, siginfo_t *info, void *context)
{
    (void)context;
    signals[count] = signal;
    values[count++] = info->si_code == SI_TKILL ? 0 : info->si_value.sival_int;
    if (answers > 0) {
        answers--;
        sigqueue(getpid(), FIRST, (union sigval){.sival_int = 100});
    }
}

static void print(const char *what)
{
    printf("%s:", what);
    for (int i = 0; i < count; i++)
        printf(" %d:%d", signals[i], values[i]);
    puts("");
    count = 0;
}

static void mask(int how)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, FIRST);
    sigaddset(&set, SECOND);
    pthread_sigmask(how, &set, NULL);
}

static void queue(int signal, int value)
{
    if (sigqueue(getpid(), signal, (union sigval){.sival_int = value}) != 0)
        perror("sigqueue");
}

static void handle(int signal)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};

    sigaction(signal, &action, NULL);
}

static int is_pending(int signal)
{
    sigset_t set;

    sigpending(&set);
    return sigismember(&set, signal);
}

/* Unblocks the signals that the first thread sent meanwhile. */
static void *take(void *barrier)
{
    pthread_barrier_wait(barrier);
    pthread_barrier_wait(barrier);
    mask(SIG_UNBLOCK);
    return NULL;
}

static void send_to_thread(void)
{
    pthread_barrier_t barrier;
    pthread_t thread;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, take, &barrier);
    pthread_barrier_wait(&barrier);
    pthread_kill(thread, FIRST);
    pthread_kill(thread, SIGUSR1);
    pthread_kill(thread, FIRST);
    pthread_kill(thread, SIGUSR1);
    pthread_kill(thread, FIRST);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    print("thread");
}

static void wait_for_signals(void)
{
    const struct timespec now = {0};
    siginfo_t info;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, FIRST);
    for (int i = 1; i <= 3; i++)
        queue(FIRST, i);
    for (int i = 0; i < 3; i++) {
        signals[count] = sigtimedwait(&set, &info, &now);
        values[count++] = info.si_value.sival_int;
    }
    printf("waited:");
    for (int i = 0; i < count; i++)
        printf(" %d:%d%s", signals[i], values[i], i == 2 ? "," : "");
    printf(" then %d\n", sigtimedwait(&set, &info, &now) < 0 ? errno : 0);
    count = 0;
}

static void look_at_pending(void)
{
    const struct timespec now = {0};
    int before[3];
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, FIRST);
    queue(FIRST, 3);
    queue(FIRST, 3);
    for (int i = 0; i < 3; i++) {
        before[i] = is_pending(FIRST);
        if (before[i])
            sigtimedwait(&set, NULL, &now);
    }
    printf("pending: %d, then %d, then %d\n", before[0], before[1], before[2]);
}

/* Signals that are pending when they become ignored are dropped, and not those sent later. */
static void ignore(void)
{
    queue(FIRST, 3);
    queue(FIRST, 4);
    signal(FIRST, SIG_IGN);
    handle(FIRST);
    queue(FIRST, 9);
    mask(SIG_UNBLOCK);
    print("ignored");
    mask(SIG_BLOCK);
}

static timer_t start_timer(int signal, int value)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal, .sigev_value.sival_int = value};
    const struct itimerspec soon = {.it_value.tv_nsec = 1000};
    timer_t timer;

    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &soon, NULL);
    usleep(20000);
    return timer;
}

/* Each timer sends its signal once. A timer whose signal was dropped sends it again. */
static void use_timers(void)
{
    const struct itimerspec soon = {.it_value.tv_nsec = 1000};

    start_timer(SIGUSR2, 1);
    start_timer(SIGUSR2, 2);
    mask(SIG_UNBLOCK);
    print("timers");
    mask(SIG_BLOCK);
    timer_t timer = start_timer(FIRST, 4);
    signal(FIRST, SIG_IGN);
    handle(FIRST);
    timer_settime(timer, 0, &soon, NULL);
    usleep(20000);
    mask(SIG_UNBLOCK);
    print("again");
}

static void fill(void)
{
    struct rlimit limit;
    int sent = 0, ordered = 0;

    while (sent < 8192 && sigqueue(getpid(), FIRST, (union sigval){.sival_int = 3 + sent}) == 0)
        sent++;
    printf("%d signals, then %d; ", sent, errno);
    getrlimit(RLIMIT_SIGPENDING, &limit);
    mask(SIG_UNBLOCK);
    while (ordered < count && values[ordered] == 3 + ordered)
        ordered++;
    printf("limit %d; delivered %d of %d in order\n", (int)limit.rlim_cur, ordered, count);
}

int main(int argc, char **argv)
{
    (void)argv;
    handle(SIGUSR1);
    handle(SIGUSR2);
    handle(FIRST);
    handle(SECOND);
    mask(SIG_BLOCK);
    if (argc > 1) {
        fill();
        return 0;
    }
    queue(SECOND, 5);
    queue(FIRST, 7);
    queue(SIGUSR1, 1);
    queue(FIRST, 8);
    queue(SECOND, 6);
    queue(SIGUSR1, 2);
    queue(FIRST, 9);
    mask(SIG_UNBLOCK);
    print("process");
    mask(SIG_BLOCK);
    send_to_thread();
    queue(FIRST, 1);
    queue(FIRST, 2);
    answers = 2;
    mask(SIG_UNBLOCK);
    print("nested");
    mask(SIG_BLOCK);
    wait_for_signals();
    look_at_pending();
    ignore();
    use_timers();
    return 0;
}
