/* Signals that a program reads from a file (signalfd): the program prints the same on the host,
 * where it is compiled for the host, and under temu, in every tier.
 *
 * RUN: rm -rf %t && mkdir %t && gcc -O1 -o %t/native %s -pthread && %gcc -O1 -static -o %t/program %s -pthread
 * RUN: %t/native > %t/expected && wc -l < %t/expected | FileCheck %s
 * RUN: for tier in auto interp translate; do timeout 60 %temu --tier=$tier %t/program > %t/found || exit 1; diff %t/expected %t/found || exit 1; done
 * CHECK: {{^[4-6][0-9]$}}
 *
 * A wait for a signal that nobody can send is a deadlock.
 * RUN: timeout 60 %temu %t/program stuck > %t/stuck 2>&1; test $? = 0 && FileCheck --check-prefix=STUCK %s < %t/stuck
 * STUCK: stuck: EDEADLK
 * STUCK-NEXT: ignored: EDEADLK
 */
#define _GNU_SOURCE
#include "say.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct signalfd_siginfo found[4];

static sigset_t set_of(int first, int second)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, first);
    if (second)
        sigaddset(&set, second);
    return set;
}

static int open_signals(int first, int second, int flags)
{
    const sigset_t set = set_of(first, second);

    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, flags);
}

static const char *who(uint32_t pid)
{
    return pid == (uint32_t)getpid()    ? "itself"
           : pid == (uint32_t)getppid() ? "parent"
           : pid                        ? "other"
                                        : "nobody";
}

static void take(const char *what, int fd)
{
    long length = check(what, read(fd, found, sizeof found));

    for (long i = 0; i < length / (long)sizeof *found; i++) {
        const struct signalfd_siginfo *info = &found[i];
        printf("  signal %u code %d", info->ssi_signo, info->ssi_code);
        if (info->ssi_code == SI_TIMER)
            printf(" overrun %u", info->ssi_overrun);
        else
            printf(" from %s %s", who(info->ssi_pid),
                   info->ssi_code == SI_KERNEL || info->ssi_uid == getuid() ? "user" : "?");
        printf(" status %d value %d pointer %llx errno %d\n", info->ssi_status, info->ssi_int,
               (unsigned long long)info->ssi_ptr, info->ssi_errno);
    }
}

static void look(const char *what, int fd)
{
    struct pollfd entry = {fd, POLLIN | POLLOUT, 0};

    check(what, poll(&entry, 1, 0));
    printf("  events %x\n", (unsigned)entry.revents);
}

static void errors(void)
{
    const sigset_t set = set_of(SIGUSR1, SIGKILL);
    char path[64] = {0};

    check("size", syscall(SYS_signalfd4, -1, &set, 4, 0));
    check("flags", syscall(SYS_signalfd4, -1, &set, 8, 1));
    check("address", syscall(SYS_signalfd4, -1, 8, 8, 0));
    check("closed", signalfd(77, &set, 0));
    check("other kind", signalfd(1, &set, 0));
    int fd = open_signals(SIGUSR1, SIGKILL, SFD_NONBLOCK | SFD_CLOEXEC);
    printf("%x %d\n", (unsigned)fcntl(fd, F_GETFL), fcntl(fd, F_GETFD));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    check("link", readlink(path, path, sizeof path - 1) > 0);
    puts(path);
    check("nothing", read(fd, found, sizeof found));
    check("short", read(fd, found, 127));
    check("write", write(fd, found, sizeof found));
    look("none", fd);
    close(fd);
}

static void queued(void)
{
    int fd = open_signals(SIGUSR1, SIGRTMIN + 1, 0);
    const sigset_t other = set_of(SIGUSR2, 0);

    look("before", fd);
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR1);
    look("after", fd);
    take("once", fd);
    look("gone", fd);
    sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 5});
    sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 6});
    raise(SIGUSR1);
    take("all", fd);
    sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 7});
    check("one", read(fd, found, sizeof *found + 100));
    check("changed", signalfd(fd, &other, 0) == fd);
    sigprocmask(SIG_BLOCK, &other, NULL);
    raise(SIGUSR1);
    look("not taken", fd);
    kill(getpid(), SIGUSR2);
    take("changed", fd);
    sigset_t pending;
    sigpending(&pending);
    printf("pending %d %d\n", sigismember(&pending, SIGUSR1), sigismember(&pending, SIGUSR2));
    signal(SIGUSR1, SIG_IGN);
    close(fd);
}

static void children(void)
{
    int fd = open_signals(SIGCHLD, SIGUSR1, 0);
    pid_t child = fork();

    if (child == 0) {
        kill(getppid(), SIGUSR1);
        raise(SIGUSR1); /* the child reads its own signals */
        look("child", fd);
        fflush(stdout);
        _exit(read(fd, found, sizeof found) == sizeof *found && found->ssi_pid == (uint32_t)getpid()
                  ? 3
                  : 4);
    }
    int status;
    waitpid(child, &status, 0);
    printf("status %d\n", WEXITSTATUS(status));
    take("both", fd);
    signal(SIGCHLD, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    if (fork() == 0) {
        usleep(20000);
        _exit(9);
    }
    take("waits", fd);
    wait(NULL);
    close(fd);
}

static void timers(void)
{
    int fd = open_signals(SIGALRM, SIGRTMIN, 0), epoll = epoll_create1(0);
    struct epoll_event event = {EPOLLIN | EPOLLET, {.u64 = 1}};
    struct itimerval once = {{0, 0}, {0, 20000}};
    struct sigevent how = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 11};
    struct pollfd entry = {fd, POLLIN, 0};
    timer_t timer;

    setitimer(ITIMER_REAL, &once, NULL);
    take("alarm", fd);
    timer_create(CLOCK_MONOTONIC, &how, &timer);
    timer_settime(timer, 0, &(struct itimerspec){{0, 0}, {0, 20000000}}, NULL);
    check("polled", poll(&entry, 1, 10000));
    take("timer", fd);
    check("add", epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
    timer_settime(timer, 0, &(struct itimerspec){{0, 0}, {0, 20000000}}, NULL);
    check("epoll", epoll_wait(epoll, &event, 1, 10000));
    check("the same", epoll_wait(epoll, &event, 1, 0));
    raise(SIGALRM);
    check("another", epoll_wait(epoll, &event, 1, 10000));
    take("two", fd);
    timer_delete(timer);
    check("none", poll(&entry, 1, 20));
    close(epoll);
    close(fd);
}

static void *wait_for_two(void *context)
{
    struct pollfd entry = {*(int *)context, POLLIN, 0};

    check("thread", poll(&entry, 1, -1));
    take("thread", entry.fd);
    return NULL;
}

static void threads(void)
{
    int fd = open_signals(SIGUSR1, SIGUSR2, 0);
    pthread_t thread;

    signal(SIGUSR1, SIG_DFL);
    pthread_create(&thread, NULL, wait_for_two, &fd);
    usleep(20000);
    kill(getpid(), SIGUSR2);
    pthread_join(thread, NULL);
    pthread_kill(pthread_self(), SIGUSR1);
    take("own", fd);
    close(fd);
}

int main(int argc, char **argv)
{
    (void)argv;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1) {
        const sigset_t set = set_of(SIGALRM, 0);
        const struct itimerval often = {{1, 0}, {1, 0}};
        check("stuck", read(open_signals(SIGUSR1, 0, 0), found, sizeof found));
        signal(SIGALRM, SIG_IGN); /* and not blocked */
        setitimer(ITIMER_REAL, &often, NULL);
        check("ignored", read(signalfd(-1, &set, 0), found, sizeof found));
        return 0;
    }
    errors();
    queued();
    children();
    timers();
    threads();
    return 0;
}
