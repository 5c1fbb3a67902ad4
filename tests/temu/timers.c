/* Interval timers and waiting for signals. The results are those of qemu-riscv64, and signals come
 * at the same instructions in every run.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -w -o %t %s
 * RUN: %temu %t >%t.out && %qemu %t >%t.expected && diff %t.out %t.expected && FileCheck %s <%t.out
 * RUN: %temu %t exact >%t.1 && %temu --stats %t exact 2>/dev/null >%t.2 && head -c 20 %t.1 | FileCheck %s --check-prefix=EXACT
 * RUN: cmp -n $(wc -c <%t.1) %t.1 %t.2
 * RUN: sh -c '%temu %t default; test $? = 142' 2>&1 | FileCheck %s --check-prefix=DEFAULT
 * RUN: sh -c '%temu %t deadlock; test $? = 35' && %temu --timeout=20 %t busy
 *
 * The number of iterations that a busy loop made before the timer ended it.
 * EXACT: turns {{[1-9][0-9][0-9]+}}
 * DEFAULT: ended by SIGALRM
 *
 * CHECK: alarm 14
 * CHECK: end
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int alarms, last;
static int ends[2];
static sigjmp_buf jump;

static void count(int signal)
{
    alarms++;
    last = signal;
}

static void leave(int signal)
{
    siglongjmp(jump, signal);
}

static void fill(int signal)
{
    write(ends[1], "late", 4);
}

static void handle(int signal, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigaction(signal, &action, NULL);
}

static void set(int which, long microseconds, long interval)
{
    const struct itimerval timer = {{interval / 1000000, interval % 1000000},
                                    {microseconds / 1000000, microseconds % 1000000}};

    setitimer(which, &timer, NULL);
}

static void waits(void)
{
    struct timespec second = {1, 0}, left = {9, 9};
    sigset_t usr, old;
    siginfo_t info;

    handle(SIGALRM, count, 0);
    alarm(1);
    printf("pause %d %d\n", pause(), errno);
    printf("alarm %d\n", last);
    set(ITIMER_REAL, 100000, 0);
    printf("sleep %d %d\n", nanosleep(&second, &left), errno);
    printf("left %d\n", left.tv_sec == 0 && left.tv_nsec > 100000000);
    set(ITIMER_REAL, 50000, 0);
    printf("poll %d %d\n", poll(NULL, 0, 5000), errno);
    set(ITIMER_REAL, 50000, 0);
    printf("select %d %d\n", select(0, NULL, NULL, NULL, NULL), errno);
    printf("alarms %d\n", alarms);

    /* A blocked signal is pending until the program waits for it. */
    sigemptyset(&usr);
    sigaddset(&usr, SIGALRM);
    sigprocmask(SIG_BLOCK, &usr, &old);
    set(ITIMER_REAL, 1000, 0);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    printf("blocked %d\n", alarms);
    printf("suspended %d %d\n", sigsuspend(&old), errno);
    printf("alarms %d\n", alarms);
    set(ITIMER_REAL, 1000, 0);
    printf("waited for %d code %d\n", sigwaitinfo(&usr, &info), info.si_code);
    raise(SIGALRM);
    struct pollfd none = {-1, 0, 0};
    printf("ppoll %d %d\n", ppoll(&none, 1, NULL, &old), errno);
    sigset_t now;
    sigprocmask(SIG_SETMASK, NULL, &now);
    printf("mask kept %d alarms %d\n", sigismember(&now, SIGALRM), alarms);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

static void restarts(void)
{
    char buffer[8] = "";

    pipe(ends);
    handle(SIGALRM, fill, SA_RESTART);
    set(ITIMER_REAL, 1000, 0);
    printf("restarted %ld ", (long)read(ends[0], buffer, 4));
    printf("%s\n", buffer);
    handle(SIGALRM, count, 0);
    set(ITIMER_REAL, 1000, 0);
    printf("interrupted %ld %d\n", (long)read(ends[0], buffer, 4), errno);
    handle(SIGALRM, leave, 0);
    set(ITIMER_REAL, 1000, 0);
    int signal = sigsetjmp(jump, 1);
    if (!signal)
        read(ends[0], buffer, 4);
    printf("left by a jump %d\n", signal);
}

static void busy(void)
{
    handle(SIGVTALRM, count, 0);
    handle(SIGPROF, count, 0);
    handle(SIGALRM, count, 0);
    alarms = 0;
    set(ITIMER_VIRTUAL, 2000, 1000);
    while (alarms < 5)
        ;
    set(ITIMER_VIRTUAL, 0, 0);
    printf("virtual %d %d\n", alarms >= 5, last); /* one more may come before the timer ends */
    alarms = 0;
    set(ITIMER_PROF, 2000, 0);
    while (alarms < 1)
        ;
    printf("profiling %d %d\n", alarms, last);
    struct itimerval timer;
    alarms = 0;
    alarm(100);
    getitimer(ITIMER_REAL, &timer);
    printf("left %d\n", timer.it_value.tv_sec == 99 || timer.it_value.tv_sec == 100);
    printf("alarm again %d\n", alarm(0) >= 99);
}

int main(int count_, char **arguments)
{
    const char *what = count_ > 1 ? arguments[1] : "";

    if (strcmp(what, "deadlock") == 0)
        return pause() < 0 ? errno : 0;
    if (strcmp(what, "default") == 0) {
        alarm(1);
        pause();
    }
    if (strcmp(what, "exact") == 0) {
        long turns = 0;
        handle(SIGALRM, count, 0);
        set(ITIMER_REAL, 300, 0);
        while (!alarms)
            turns++;
        printf("turns %ld\n", turns);
        return 0;
    }
    if (strcmp(what, "busy") == 0) {
        /* A timer that expires all the time while its signal is ignored does not stop the time. */
        signal(SIGALRM, SIG_IGN);
        set(ITIMER_REAL, 1, 1);
        sleep(100000000);
        return 0;
    }
    waits();
    restarts();
    busy();
    printf("end\n");
    return 0;
}
