/* The clocks of dates start at 2000-01-01T00:00:00 UTC, and everything that ends at a date agrees
 * with them. The output is that of Linux on the host.
 *
 * RUN: %gcc -O1 -static -pthread -D_GNU_SOURCE -w -o %t %s && gcc -O1 -pthread -D_GNU_SOURCE -w -o %t.native %s
 * RUN: %t.native >%t.host && FileCheck %s <%t.host
 * RUN: for how in --tier=interp --tier=translate --trace=/dev/null; do %temu $how %t | diff %t.host - || exit 1; done
 * RUN: %temu %t start | FileCheck %s --check-prefix=START
 *
 * START: 2000-01-01 00:00:00 UTC, 0 seconds after the start
 * START-NEXT: 2038-01-19 03:14:07 UTC, 1200798847 seconds after the start
 *
 * CHECK: the clocks agree: 1 1 1 1 1
 * CHECK-NEXT: sleep until a date: 0, in time 1
 * CHECK-NEXT: until another clock's date: 0, in time 1
 * CHECK-NEXT: until the past: 0, in time 1
 * CHECK-NEXT: until a time: 0, in time 1
 * CHECK-NEXT: file of a timer: 1, in time 1
 * CHECK-NEXT: often in the past: 6, the next in time: 1
 * CHECK-NEXT: in the past, once: 1, left 0
 * CHECK-NEXT: timer: signal 10, in time 1, left 1
 * CHECK-NEXT: timer in the past: signal 10, overrun 5, in time 1
 * CHECK-NEXT: semaphore: 110, in time 1
 * CHECK-NEXT: mutex: 110, in time 1
 * CHECK-NEXT: mutex with inheritance: 110, in time 1
 * CHECK-NEXT: condition by date: 110, in time 1
 * CHECK-NEXT: condition by time: 110, in time 1
 * CHECK-NEXT: futex by date: 110, in time 1
 * CHECK-NEXT: in the past: 110, in time 1
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { SHORT = 20000000, SECOND = 1000000000 }; /* nanoseconds */

static struct timespec begun;

static struct timespec read_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time;
}

static double seconds(struct timespec time)
{
    return time.tv_sec + time.tv_nsec * 1e-9;
}

/* Returns the clock's time in so many nanoseconds, of which a wait is begun now. */
static struct timespec after(clockid_t clock, long nanoseconds)
{
    struct timespec time = read_clock(clock);

    begun = read_clock(CLOCK_MONOTONIC);
    time.tv_sec += nanoseconds / SECOND;
    time.tv_nsec += nanoseconds % SECOND;
    if (time.tv_nsec >= SECOND || time.tv_nsec < 0) {
        int carry = time.tv_nsec < 0 ? -1 : 1;
        time.tv_nsec -= carry * SECOND;
        time.tv_sec += carry;
    }
    return time;
}

/* Has the wait of this length lasted as long as it should? A host may be slow, but not that slow.
 */
static int in_time(long nanoseconds)
{
    double lasted = seconds(read_clock(CLOCK_MONOTONIC)) - seconds(begun);

    return lasted > nanoseconds * 1e-9 - 0.001 && lasted < 60;
}

static void compare_clocks(void)
{
    static const clockid_t others[] = {CLOCK_REALTIME_COARSE, CLOCK_TAI};
    struct timespec first = read_clock(CLOCK_REALTIME);
    struct timeval day;

    gettimeofday(&day, NULL);
    printf("the clocks agree:");
    printf(" %d", day.tv_sec + day.tv_usec * 1e-6 - seconds(first) < 60);
    printf(" %d", time(NULL) - first.tv_sec >= 0 && time(NULL) - first.tv_sec < 60);
    for (int i = 0; i < 2; i++) {
        double apart = seconds(read_clock(others[i])) - seconds(first);
        printf(" %d", apart > -1 && apart < 120);
    }
    printf(" %d\n", read_clock(CLOCK_MONOTONIC).tv_sec < 900000000);
}

static void sleep_until(const char *what, clockid_t clock, long nanoseconds)
{
    struct timespec end = after(clock, nanoseconds);
    int result = clock_nanosleep(clock, TIMER_ABSTIME, &end, NULL);

    printf("%s: %d, in time %d\n", what, result, in_time(nanoseconds > 0 ? nanoseconds : 0));
}

static void use_files(void)
{
    int timer = timerfd_create(CLOCK_REALTIME, 0);
    struct itimerspec time = {{0, 0}, after(CLOCK_REALTIME, SHORT)};
    uint64_t count;

    timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
    read(timer, &count, sizeof count);
    printf("file of a timer: %d, in time %d\n", (int)count, in_time(SHORT));
    time = (struct itimerspec){{100, 0}, after(CLOCK_REALTIME, -550L * SECOND)};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
    read(timer, &count, sizeof count);
    timerfd_gettime(timer, &time);
    printf("often in the past: %d, the next in time: %d\n", (int)count,
           time.it_value.tv_sec > 20 && time.it_value.tv_sec < 51);
    time = (struct itimerspec){{0, 0}, {1, 0}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
    read(timer, &count, sizeof count);
    timerfd_gettime(timer, &time);
    printf("in the past, once: %d, left %d\n", (int)count, (int)time.it_value.tv_sec);
    close(timer);
}

static void use_timers(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec time = {{0, 0}, after(CLOCK_REALTIME, SHORT)}, left;
    siginfo_t information;
    timer_t timer;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    timer_create(CLOCK_REALTIME, &event, &timer);
    timer_settime(timer, TIMER_ABSTIME, &time, NULL);
    timer_gettime(timer, &left);
    int signal = sigwaitinfo(&set, &information);
    printf("timer: signal %d, in time %d, left %d\n", signal, in_time(SHORT),
           left.it_value.tv_sec == 0);
    time = (struct itimerspec){{100, 0}, after(CLOCK_REALTIME, -550L * SECOND)};
    timer_settime(timer, TIMER_ABSTIME, &time, NULL);
    signal = sigwaitinfo(&set, &information);
    printf("timer in the past: signal %d, overrun %d, in time %d\n", signal, information.si_overrun,
           in_time(0));
    timer_delete(timer);
}

static sem_t held, done;

/* Locks the mutex until main is done with it. */
static void *hold(void *mutex)
{
    pthread_mutex_lock(mutex);
    sem_post(&held);
    sem_wait(&done);
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void print(const char *what, int result, long nanoseconds)
{
    printf("%s: %d, in time %d\n", what, result, in_time(nanoseconds));
}

static void use_mutex(const char *what, int protocol)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_t holder;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&holder, NULL, hold, &mutex);
    sem_wait(&held);
    struct timespec end = after(CLOCK_REALTIME, SHORT);
    print(what, pthread_mutex_timedlock(&mutex, &end), SHORT);
    sem_post(&done);
    pthread_join(holder, NULL);
}

static void use_locks(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t by_date = PTHREAD_COND_INITIALIZER, by_time;
    pthread_condattr_t attributes;
    uint32_t word = 0;

    sem_init(&held, 0, 0);
    sem_init(&done, 0, 0);
    struct timespec end = after(CLOCK_REALTIME, SHORT);
    print("semaphore", sem_timedwait(&held, &end) < 0 ? errno : 0, SHORT);
    use_mutex("mutex", PTHREAD_PRIO_NONE);
    use_mutex("mutex with inheritance", PTHREAD_PRIO_INHERIT);
    pthread_mutex_lock(&mutex);
    end = after(CLOCK_REALTIME, SHORT);
    print("condition by date", pthread_cond_timedwait(&by_date, &mutex, &end), SHORT);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&by_time, &attributes);
    end = after(CLOCK_MONOTONIC, SHORT);
    print("condition by time", pthread_cond_timedwait(&by_time, &mutex, &end), SHORT);
    for (int i = 0; i < 2; i++) {
        long wait = i ? -SECOND : SHORT;
        end = after(CLOCK_REALTIME, wait);
        long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &end,
                              NULL, FUTEX_BITSET_MATCH_ANY);
        print(i ? "in the past" : "futex by date", result < 0 ? errno : 0, i ? 0 : SHORT);
    }
}

static void print_date(void)
{
    time_t now = time(NULL);
    char text[64];

    strftime(text, sizeof text, "%F %T UTC", gmtime(&now));
    printf("%s, %ld seconds after the start\n", text, (long)read_clock(CLOCK_MONOTONIC).tv_sec);
}

int main(int count, char **arguments)
{
    if (count > 1) {
        const struct timespec never = {INT64_MAX, 0};
        print_date();
        clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &never, NULL);
        print_date();
        return 0;
    }
    compare_clocks();
    sleep_until("sleep until a date", CLOCK_REALTIME, SHORT);
    sleep_until("until another clock's date", CLOCK_TAI, SHORT);
    sleep_until("until the past", CLOCK_REALTIME, -SECOND);
    sleep_until("until a time", CLOCK_MONOTONIC, SHORT);
    use_files();
    use_timers();
    use_locks();
    return 0;
}
