/* System calls with what programs rarely give them: the program prints the same on the host, where
 * it is compiled for the host, and under temu.
 *
 * RUN: rm -rf %t && mkdir -p %t/host %t/root && gcc -O1 -w -o %t/program %s -pthread && %gcc -O1 -w -static -o %t/root/program %s -pthread
 * RUN: cd %t/host && ../program > %t/expected && wc -l < %t/expected | FileCheck %s
 * RUN: for run in "%temu %t/root/program" "%temu --root=%t/root %t/root/program" "%temu --tier=interp %t/root/program" \
 * RUN:   "%temu --tier=translate %t/root/program"; do \
 * RUN:   timeout 60 sh -c "$run" > %t/found || exit 1; diff %t/expected %t/found || exit 1; done
 * CHECK: {{^[1-9][0-9]+$}}
 */
#define _GNU_SOURCE
#include "say.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

enum { NOBODY = 99999 /* no process and no thread */ };

static void *const nowhere = (void *)8;

/* ---- ends of processes ---- */

/* Makes a process that has ended already. */
static int make_ended(int status)
{
    int child = fork();
    siginfo_t info;

    if (child == 0)
        _exit(status);
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    return child;
}

static void wait_for_processes(void)
{
    int child = make_ended(3), status = 0;
    siginfo_t info = {0};

    check("only stopped ones", waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG));
    check("only continued ones", waitid(P_PID, (id_t)child, &info, WCONTINUED));
    check("ended, too", waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOWAIT));
    say("status", info.si_status);
    check("process of no id", waitid(P_PID, (id_t)-1, &info, WEXITED));
    check("group of no id", waitid(P_PGID, (id_t)-1, &info, WEXITED));
    check("lowest id", wait4(INT_MIN, &status, 0, NULL));
    say("stopped or ended", waitpid(child, &status, WUNTRACED | WCONTINUED) == child);
    say("status", status);
    check("none any more", waitpid(child, &status, 0));
}

/* ---- signals ---- */

static volatile sig_atomic_t received, code, sender, value, pass;

static void receive(int signal, siginfo_t *info, void *context)
{
    (void)context;
    received = signal;
    code = info->si_code;
    sender = info->si_pid;
    value = info->si_int;
    pass++;
}

static void handle(int signal, int flags)
{
    const struct sigaction action = {.sa_sigaction = receive, .sa_flags = SA_SIGINFO | flags};

    sigaction(signal, &action, NULL);
}

static void send_signals(void)
{
    check("lowest group", kill(INT_MIN, 0));
    check("wrong signal to nobody", kill(NOBODY, 65));
    check("wrong signal", kill(getpid(), 65));
    check("wrong signal to no thread", syscall(SYS_tgkill, getpid(), NOBODY, 65));
    check("wrong signal to a thread", syscall(SYS_tgkill, getpid(), getpid(), 65));
    check("group of no process", setpgid(-1, 0));

    siginfo_t info = {.si_code = SI_QUEUE};
    int child = make_ended(0);
    handle(SIGUSR1, 0);
    info.si_pid = 77;
    info.si_value.sival_int = 5;
    check("queue", syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info));
    say("code", code);
    say("sender as told", sender);
    say("value", value);
    check("queue to nobody", syscall(SYS_rt_sigqueueinfo, NOBODY, 65, &info));
    check("queue to a child", syscall(SYS_rt_tgsigqueueinfo, child, 0, SIGUSR1, &info));
    info.si_code = SI_USER;
    check("as from kill, to itself", syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info));
    say("code", code);
    check("as from kill", syscall(SYS_rt_sigqueueinfo, child, SIGUSR1, &info));
    info.si_code = SI_TKILL;
    check("as from tkill", syscall(SYS_rt_tgsigqueueinfo, child, child, SIGUSR1, &info));
    waitpid(child, NULL, 0);
}

struct kernel_action {
    void *handler;
    unsigned long flags;
#ifdef __x86_64__
    void *restorer;
#endif
    unsigned long mask;
};

static void set_actions(void)
{
    struct kernel_action action = {.handler = SIG_IGN, .flags = 0xf8000407, .mask = ~0UL}, found;

    check("action", syscall(SYS_rt_sigaction, SIGUSR2, &action, NULL, 8));
    check("its flags", syscall(SYS_rt_sigaction, SIGUSR2, NULL, &found, 8));
    say("those that there are", (long)found.flags);
    say("cannot be blocked", ~found.mask == (1 << (SIGKILL - 1) | 1 << (SIGSTOP - 1)));
    check("of SIGKILL, nowhere", syscall(SYS_rt_sigaction, SIGKILL, nowhere, NULL, 8));
    check("of SIGKILL", syscall(SYS_rt_sigaction, SIGKILL, &action, NULL, 8));
}

/* ---- alternate stacks ---- */

static char stack[65536];

static void say_stack(const char *what)
{
    stack_t now;

    sigaltstack(NULL, &now);
    say(what, (uint32_t)now.ss_flags);
}

static void look_at_stack(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *interrupted = context;

    (void)signal, (void)info;
    say_stack("in the handler");
    say("on its stack", (uintptr_t)&info - (uintptr_t)stack < sizeof stack);
    say("stack before it", (uint32_t)interrupted->uc_stack.ss_flags);
    if (!pass++)
        raise(SIGUSR1);
}

static void change_stacks(void)
{
    const struct sigaction action = {.sa_sigaction = look_at_stack,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    stack_t wanted = {.ss_sp = stack, .ss_size = sizeof stack, .ss_flags = (int)SS_AUTODISARM};

    pass = 0;
    sigaction(SIGUSR1, &action, NULL);
    check("stack for one handler", sigaltstack(&wanted, NULL));
    say_stack("before the handler");
    raise(SIGUSR1);
    say_stack("after the handler");
    wanted.ss_flags = SS_DISABLE | SS_ONSTACK;
    check("flags in one", sigaltstack(&wanted, NULL));
    wanted.ss_flags = SS_DISABLE;
    check("no stack", sigaltstack(&wanted, NULL));
}

/* ---- waits that a signal ends ---- */

static void interrupt_futex(void)
{
    const struct itimerval soon = {{0, 0}, {0, 20000}};
    const struct timespec long_time = {100, 0};
    uint32_t word = 5;

    handle(SIGALRM, SA_RESTART);
    setitimer(ITIMER_REAL, &soon, NULL);
    check("futex", syscall(SYS_futex, &word, FUTEX_WAIT, 5, &long_time));
    say("signal", received == SIGALRM);
}

static uint32_t lock;
static long lock_result;

static void *take_lock(void *thread)
{
    *(_Atomic pid_t *)thread = gettid();
    lock_result = syscall(SYS_futex, &lock, FUTEX_LOCK_PI, 0, NULL);
    return NULL;
}

/* The wait for a lock goes on after every handler. */
static void interrupt_lock(void)
{
    _Atomic pid_t other = 0;
    pthread_t thread;

    handle(SIGALRM, 0);
    received = 0;
    syscall(SYS_futex, &lock, FUTEX_LOCK_PI, 0, NULL);
    pthread_create(&thread, NULL, take_lock, &other);
    while (!(*(volatile uint32_t *)&lock & FUTEX_WAITERS))
        sched_yield();
    syscall(SYS_tgkill, getpid(), other, SIGALRM);
    while (!received)
        sched_yield();
    syscall(SYS_futex, &lock, FUTEX_UNLOCK_PI);
    pthread_join(thread, NULL);
    say("lock", lock_result);
}

/* ---- reads and writes ---- */

enum { PAGE = 4096 };

static int make_file(const char *name, const char *text)
{
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

    write(file, text, strlen(text));
    lseek(file, 0, SEEK_SET);
    return file;
}

static void say_offset(int file)
{
    say("offset", lseek(file, 0, SEEK_CUR));
}

/* Memory that ends in the middle of a buffer: what is before the end is moved. */
static void move_parts(void)
{
    char *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
         *end = pages + PAGE;
    int file = make_file("parts", "0123456789");
    const int devices[] = {open("/dev/null", O_RDWR), open("/dev/zero", O_RDWR),
                           open("/dev/full", O_RDWR), open("/dev/urandom", O_RDWR)};

    memset(pages, 'x', 3 * PAGE);
    mprotect(end, PAGE, PROT_NONE);
    check("write", write(file, end - 4, 100));
    say_offset(file);
    check("read", read(file, end - 3, 100));
    say("the last byte", end[-1]);
    say_offset(file);
    check("pread", pread(file, end - 5, 100, 2));
    check("pwrite", pwrite(file, end - 5, 100, 20));
    check("nothing to be read", read(file, nowhere, 1));
    check("getrandom", syscall(SYS_getrandom, end - 7, 100, 0));
    for (int i = 0; i < 4; i++) {
        check("device, read", read(devices[i], end - 6, 100));
        check("device, read nowhere", read(devices[i], nowhere, 100));
        check("device, pread nowhere", pread(devices[i], nowhere, 100, 5));
        check("device, write nothing", write(devices[i], nowhere, 0));
        close(devices[i]);
    }
    check("write to null", write(open("/dev/null", O_WRONLY), nowhere, 100));
    check("write to zero", pwrite(open("/dev/zero", O_WRONLY), nowhere, 100, 1));
    check("write to full", write(open("/dev/full", O_WRONLY), nowhere, 100));

    struct iovec *last = (struct iovec *)(void *)end - 1;
    struct iovec parts[] = {{pages, 3}, {pages, (size_t)-1}};
    ftruncate(file, 10);
    lseek(file, 0, SEEK_SET);
    check("a wrong length", writev(file, parts, 2));
    check("a wrong length", preadv(file, parts, 2, 0));
    *last = (struct iovec){pages, 3};
    check("a vector that ends early", readv(file, last, 2));
    say_offset(file);
    parts[1] = (struct iovec){end - 2, 10};
    check("a part", writev(file, parts, 2));
    say_offset(file);
    parts[1] = (struct iovec){pages, 3};
    check("written at once", pwritev2(file, parts, 2, 0, RWF_DSYNC | RWF_SYNC));

    int appended = open("parts", O_WRONLY | O_APPEND);
    check("append nothing", write(appended, "", 0));
    say_offset(appended);
    close(appended);
    close(file);
    unlink("parts");
}

/* ---- descriptors that only name a place ---- */

static void name_places(void)
{
    int file = make_file("place", "text"), place = open("place", O_PATH), epoll = epoll_create1(0);
    struct flock lock = {.l_type = F_RDLCK};
    struct pollfd polled = {place, POLLIN, 0};
    struct epoll_event event = {EPOLLIN, {.fd = 0}};
    int count;

    check("flags", fcntl(place, F_SETFL, 0));
    check("lock", fcntl(place, F_GETLK, &lock));
    check("flock", flock(place, LOCK_SH));
    check("ioctl", ioctl(place, FIONREAD, &count));
    check("close on exec", ioctl(place, FIOCLEX));
    check("syncfs", syncfs(place));
    check("poll", poll(&polled, 1, 0));
    say("events", polled.revents);
    check("epoll", epoll_ctl(epoll, EPOLL_CTL_ADD, place, &event));
    check("duplicate", fcntl(place, F_DUPFD, 30));
    check("descriptor flags", fcntl(30, F_GETFD));

    int ends[2];
    pipe(ends);
    check("syncfs of a pipe", syncfs(ends[0]));
    for (int i = 0; i < 2; i++)
        close(ends[i]);
    close(30);
    close(epoll);
    close(place);
    close(file);
    unlink("place");
}

/* ---- names ---- */

static long may_access(int directory, const char *name, int mode, int flags)
{
    return syscall(SYS_faccessat2, directory, name, mode, flags);
}

static void name_files(void)
{
    int file = make_file("name", "text");
    struct stat status;

    symlink("nothing", "link");
    mkdir("directory", 0700);
    check("access", may_access(AT_FDCWD, "link", F_OK, 0));
    check("access to the link", may_access(AT_FDCWD, "link", F_OK, AT_SYMLINK_NOFOLLOW));
    check("access to the file", may_access(file, "", W_OK, AT_EMPTY_PATH));
    check("executable", may_access(file, "", X_OK, AT_EMPTY_PATH));
    check("access to an empty path", may_access(file, "", F_OK, 0));
    check("access here", may_access(AT_FDCWD, "", F_OK, AT_EMPTY_PATH));
    check("access to nothing", may_access(-1, "", F_OK, AT_EMPTY_PATH));
    check("access with a wrong flag", may_access(AT_FDCWD, "name", F_OK, 0x8000));
    check("here", fstatat(AT_FDCWD, "", &status, AT_EMPTY_PATH));
    say("is a directory", S_ISDIR(status.st_mode));
    check("no path in a file", fstatat(file, "", &status, 0));

    check("link, slash", link("name", "other/"));
    check("rename, slash", rename("name", "other/"));
    check("rename, slash before", rename("name/", "other"));
    check("rename nothing, slash", rename("other", "other/"));
    check("rename a directory", rename("directory/", "moved/"));
    check("remove it", rmdir("moved"));
    close(file);
    unlink("name");
    unlink("link");
}

/* ---- memory ---- */

static void advise(void)
{
    char *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memset(pages, 1, 3 * PAGE);
    check("advice without a name", madvise(pages, PAGE, 99));
    check("for nothing", madvise(pages, 0, 99));
    check("too long", madvise(pages, (size_t)-1, MADV_DONTNEED));
    munmap(pages + PAGE, PAGE);
    check("with a hole", madvise(pages, (size_t)3 * PAGE, MADV_DONTNEED));
    say("before it", pages[0]);
    say("after it", pages[2 * PAGE]);
    check("protection", mprotect(pages, PAGE, 0x10));
    say("no kind of mapping", mmap(NULL, PAGE, PROT_READ, MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    check("lock nothing", mlockall(0));
    check("lock later", mlockall(MCL_ONFAULT));
    check("lock with a wrong flag", syscall(SYS_mlock2, pages, PAGE, 2));
}

/* ---- clocks, and other processes ---- */

static void ask_clocks(void)
{
    const struct timespec short_time = {0, 1000};
    struct timespec now;
    int timer;

    for (int clock = CLOCK_THREAD_CPUTIME_ID; clock <= CLOCK_BOOTTIME; clock++)
        check("sleep", syscall(SYS_clock_nanosleep, clock, 0, &short_time, NULL));
    check("sleep nowhere", syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC_RAW, 0, nowhere, NULL));
    check("sleep by no clock", syscall(SYS_clock_nanosleep, 10, 0, nowhere, NULL));
    check("no clock", syscall(SYS_clock_gettime, 10, &now));
    check("its resolution", syscall(SYS_clock_getres, 10, &now));
    check("its timer", syscall(SYS_timer_create, 10, NULL, &timer));
}

static void ask_about(const char *who, int process)
{
    struct sched_param parameters;
    struct timespec interval;
    cpu_set_t processors;

    say(who, check("policy", sched_getscheduler(process)));
    check("parameters", sched_getparam(process, &parameters));
    say("processors", sched_getaffinity(process, sizeof processors, &processors));
    check("interval", sched_rr_get_interval(process, &interval));
    errno = 0;
    say("nice", getpriority(PRIO_PROCESS, (id_t)process));
    say("error", errno);
    check("limit", prlimit(process, RLIMIT_NOFILE, NULL, NULL));
}

static void ask_processes(void)
{
    int ends[2], child;
    char byte;

    pipe(ends);
    child = fork();
    if (child == 0) {
        close(ends[1]);
        read(ends[0], &byte, 1);
        _exit(0);
    }
    ask_about("child", child);
    close(ends[1]);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    check("policy of one that has ended", sched_getscheduler(child));
    check("its limit", prlimit(child, RLIMIT_NOFILE, NULL, NULL));
    waitpid(child, NULL, 0);
    ask_about("nobody", NOBODY);
    check("nice of no group", getpriority(PRIO_PGRP, NOBODY));
    check("nice of a wrong kind", setpriority(3, 0, 0));
    check("nice of nobody", setpriority(PRIO_PROCESS, NOBODY, 0));
    close(ends[0]);
}

int main(void)
{
    umask(022);
    wait_for_processes();
    send_signals();
    set_actions();
    change_stacks();
    interrupt_futex();
    interrupt_lock();
    move_parts();
    name_places();
    name_files();
    advise();
    ask_clocks();
    ask_processes();
    return 0;
}
