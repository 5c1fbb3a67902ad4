/* Processes do what they do under Linux: the program prints the same on the host, where it is
 * compiled for the host, and under temu, in every tier, statically and dynamically linked.
 * Everything that it prints follows from waiting, not from who comes first.
 *
 * RUN: rm -rf %t && mkdir -p %t/root/lib %t/root/tmp %t/host && gcc -O1 -o %t/host/program %s
 * RUN: %gcc -O1 -static -o %t/root/program %s && %gcc -O1 -o %t/root/dynamic %s
 * RUN: cp -L $(%gcc -print-file-name=ld-linux-riscv64-lp64d.so.1) $(%gcc -print-file-name=libc.so.6) %t/root/lib
 * RUN: cd %t/host && sh -c './program one "two three"; echo status $?' > %t/expected 2>&1
 * RUN: for run in "%temu --root=%t/root %t/root/program" "%temu %t/root/program" "%temu --tier=interp --root=%t/root %t/root/program" \
 * RUN:   "%temu --tier=translate --root=%t/root %t/root/dynamic" "%temu --stats=/dev/null --root=%t/root %t/root/dynamic"; do \
 * RUN:   sh -c "$run one 'two three'; echo status "'$?' > %t/found 2>&1; diff %t/expected %t/found || exit 1; done
 * RUN: FileCheck %s < %t/expected
 * CHECK: status 30
 */
#define _GNU_SOURCE
#include "say.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SELF "/proc/self/exe"

extern char **environ;

static void say_status(const char *what, int status)
{
    if (WIFEXITED(status))
        printf("%s: exit %d\n", what, WEXITSTATUS(status));
    else
        printf("%s: signal %d\n", what, WTERMSIG(status));
    fflush(stdout);
}

static void await(const char *what, pid_t child)
{
    int status = -1;

    say(what, waitpid(child, &status, 0) == child);
    say_status(what, status);
}

/* ---- memory ---- */

static char data[3 * 4096] = "data";

static void test_memory(void)
{
    char *hidden = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *large = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int file = open(SELF, O_RDONLY);
    char *shared = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);

    strcpy(hidden, "hidden");
    large[33 << 20] = 'l';
    shared[5000] = 'c';
    mprotect(hidden, 8192, PROT_NONE);
    pid_t child = fork();
    if (child == 0) {

        mprotect(hidden, 8192, PROT_READ);
        int good = strcmp(data, "data") == 0 && strcmp(hidden, "hidden") == 0 &&
                   large[33 << 20] == 'l' && large[1] == 0 && shared[5000] == 'c' &&
                   memcmp(shared, "\177ELF", 4) == 0;
        strcpy(data, "other");
        large[1] = 'x';
        shared[1] = shared[9000] = 'x';
        _exit(good ? 40 : 41);
    }
    await("memory", child);
    say("memory is not shared", strcmp(data, "data") == 0 && large[1] == 0 &&
                                    large[33 << 20] == 'l' && shared[5000] == 'c' &&
                                    memcmp(shared, "\177ELF", 4) == 0);
    for (int i = 0; i < 3; i++) { /* a process of a process */
        child = fork();
        if (child) {
            await("nested", child);
            if (i)
                _exit(i);
            break;
        }
        data[4096 * i] = (char)('0' + i);
        if (i == 2)
            _exit(data[0] == '0' && data[4096] == '1' && data[8192] == '2' ? 50 : 51);
    }
    munmap(large, 64 << 20);
    close(file);

    /* Memory that processes have in common, where one waits for the other. */
    struct {
        sem_t begin, end;
        int values[5000];
    } *common =
        mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&common->begin, 1, 0);
    sem_init(&common->end, 1, 0);
    common->values[4999] = 1;
    child = fork();
    if (child == 0) {
        for (int i = 0; i < 5; i++) {
            sem_wait(&common->begin);
            common->values[4999] += i + common->values[0];
            sem_post(&common->end);
        }
        _exit(0);
    }
    for (int i = 0; i < 5; i++) {
        common->values[0] = 10 * i;
        sem_post(&common->begin);
        sem_wait(&common->end);
    }
    await("common memory", child);
    say("its value", common->values[4999]);
    munmap(common, sizeof *common);
}

/* A part of common memory is replaced by memory that is not. */
static void test_parts_of_common_memory(void)
{
    enum { PAGE = 4096 };
    char *common = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *own = mmap(common + 4 * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    char *last = common + 15 * PAGE;

    for (int round = 0; round < 2; round++) {
        strcpy(common, "first");
        strcpy(own, "own");
        strcpy(last, "last");
        pid_t child = fork();
        if (child == 0) {
            int good = strcmp(common, "first") == 0 && strcmp(own, "own") == 0 &&
                       strcmp(last, "last") == 0;
            strcpy(common, "FIRST");
            strcpy(own, "OWN");
            strcpy(last, "LAST");
            _exit(good ? 0 : 1);
        }
        await("parts", child);
        printf("%s %s %s\n", common, own, last);
        fflush(stdout);
        munmap(common, 2 * PAGE); /* at the begin, in the middle and at the end */
        munmap(common + 10 * PAGE, 2 * PAGE);
        munmap(last, PAGE);
        common += 2 * PAGE;
        last -= PAGE;
    }
    strcpy(common, "kept");
    say("advice", madvise(common, PAGE, MADV_DONTNEED));
    printf("%s\n", common);
}

/* ---- faults ---- */

static sigjmp_buf recovery;

static void recover(int number)
{
    siglongjmp(recovery, number);
}

/* Reads from a page that cannot be read, over and over, with work in between. Returns how often
 * that failed. */
static int fault(const volatile int *hidden)
{
    volatile int faults = 0;

    for (volatile int i = 0; i < 300; i++)
        if (sigsetjmp(recovery, 1) == 0) {
            for (int work = 0; work < 10000; work++)
                data[work % 100]++;
            data[0] += hidden[i];
        } else {
            faults++;
        }
    return faults;
}

static void test_faults(void)
{
    const volatile int *hidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct timespec before, now;

    signal(SIGSEGV, recover);
    clock_gettime(CLOCK_MONOTONIC, &before);
    pid_t child = fork();
    if (child == 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        int later = now.tv_sec > before.tv_sec ||
                    (now.tv_sec == before.tv_sec && now.tv_nsec > before.tv_nsec);
        _exit(later && fault(hidden) == 300 ? 0 : 1);
    }
    say("faults", fault(hidden));
    await("faults", child);
    signal(SIGSEGV, SIG_DFL);
}

/* ---- files ---- */

static void test_files(void)
{
    int ends[2], file = open("/tmp/temu-processes", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char text[32] = "";

    unlink("/tmp/temu-processes");
    pid_t child = fork();
    if (child == 0) {
        _exit(write(file, "from the child", 14) == 14 && chdir("/tmp") == 0 && umask(0) == 022 &&
                      close(1) == 0
                  ? 0
                  : 1);
    }
    await("files", child);
    say("offset", lseek(file, 0, SEEK_CUR)); /* is shared */
    lseek(file, 5, SEEK_SET);
    say("read", read(file, text, sizeof text - 1));
    printf("%s %d\n", text, umask(022));
    close(file);

    /* A pipe between two children, longer than its buffer, and its end. */
    if (pipe(ends))
        return;
    pid_t writer = fork();
    if (writer == 0) {
        static char block[100000];
        memset(block, 'b', sizeof block);
        close(ends[0]);
        for (int i = 0; i < 5; i++)
            if (write(ends[1], block, sizeof block) != sizeof block)
                _exit(1);
        _exit(0);
    }
    pid_t reader = fork();
    if (reader == 0) {
        char block[7000];
        long sum = 0, got;
        close(ends[1]);
        while ((got = read(ends[0], block, sizeof block)) > 0)
            sum += got;
        say("pipe", sum);
        _exit(got == 0 ? 0 : 1);
    }
    close(ends[0]);
    close(ends[1]);
    await("reader", reader);
    await("writer", writer);

    /* Nobody reads. */
    if (pipe(ends))
        return;
    child = fork();
    if (child == 0) {
        close(ends[0]);
        for (;;)
            if (write(ends[1], text, sizeof text) < 0)
                _exit(1);
    }
    close(ends[1]);
    say("some", read(ends[0], text, 10));
    close(ends[0]);
    await("broken pipe", child);

    /* poll finds out what another process does. */
    if (pipe(ends))
        return;
    child = fork();
    if (child == 0) {
        usleep(1000);
        _exit(write(ends[1], "x", 1) != 1);
    }
    struct pollfd polled = {ends[0], POLLIN, 0};
    say("poll", poll(&polled, 1, 60000));
    await("polled", child);
    snprintf(text, sizeof text, "/dev/fd/%d", ends[0]);
    file = open(text, O_RDONLY);
    say("by the name of the descriptor", read(file, text, sizeof text));
    close(file);
    close(ends[0]);
    close(ends[1]);
}

/* ---- names of descriptors ---- */

static void say_type(const char *path)
{
    struct stat status;
    int failed = stat(path, &status);

    printf("%s: %s, read %d, execute %d\n", strncmp(path, "/dev/fd", 7) == 0 ? "/dev/fd" : "/proc",
           failed                     ? "none"
           : S_ISFIFO(status.st_mode) ? "pipe"
           : S_ISREG(status.st_mode)  ? "file"
                                      : "other",
           access(path, R_OK), access(path, X_OK));
    fflush(stdout);
}

/* What shells do for <(...), and for <<, and programs that compare what they are given. */
static void test_names_of_descriptors(void)
{
    static const char *const directories[] = {"/dev/fd", "/proc/self/fd"};
    int one[2], other[2], file = open("/tmp/temu-processes", O_RDWR | O_CREAT | O_TRUNC, 0600);
    struct stat reader, writer, stranger, null, zero;
    char path[40], target[40] = "";

    if (pipe(one) || pipe(other) || write(file, "contents", 8) != 8)
        return;
    unlink("/tmp/temu-processes");
    fstat(one[0], &reader);
    fstat(one[1], &writer);
    fstat(other[0], &stranger);
    say("one pipe", reader.st_ino == writer.st_ino);
    say("two pipes", reader.st_ino == stranger.st_ino);
    say("null", stat("/dev/null", &null) == 0 && null.st_rdev == 0x103);
    say("zero", stat("/dev/zero", &zero) == 0 && zero.st_rdev == 0x105);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%d", directories[i], one[0]);
        say_type(path);
        say("the pipe", stat(path, &stranger) == 0 && stranger.st_ino == reader.st_ino);
        say("a link", lstat(path, &stranger) == 0 && S_ISLNK(stranger.st_mode));
        say("to a pipe",
            readlink(path, target, sizeof target - 1) > 5 && strncmp(target, "pipe:", 5) == 0);
        snprintf(path, sizeof path, "%s/%d", directories[i], file);
        say_type(path);
        int again = open(path, O_RDONLY);
        say("a file without a name", read(again, target, sizeof target));
        close(again);
        snprintf(path, sizeof path, "%s/%d", directories[i], 99);
        say_type(path);
    }
    dup2(one[0], 0);
    say("standard input", stat("/dev/stdin", &stranger) == 0 && stranger.st_ino == reader.st_ino);
    for (int i = 0; i < 2; i++) {
        close(one[i]);
        close(other[i]);
    }
    close(file);
}

/* ---- locks of files ---- */

static int lock(int file, int command, int type, long start, long length)
{
    struct flock wanted = {
        .l_type = (short)type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};

    return fcntl(file, command, &wanted) == 0 ? 0 : errno;
}

/* Prints the lock that keeps this process from the bytes. */
static void ask(int file, long start, long length, pid_t parent)
{
    struct flock wanted = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};

    fcntl(file, F_GETLK, &wanted);
    if (wanted.l_type == F_UNLCK)
        printf("%ld to %ld: free\n", start, length);
    else
        printf("%ld to %ld: %s from %ld, %ld bytes, of %s\n", start, length,
               wanted.l_type == F_WRLCK ? "written" : "read", (long)wanted.l_start,
               (long)wanted.l_len, wanted.l_pid == parent ? "the parent" : "an open file");
    fflush(stdout);
}

static void test_locks(void)
{
    int file = open("/tmp/temu-processes", O_RDWR | O_CREAT | O_TRUNC, 0600),
        other = open("/tmp/temu-processes", O_RDWR), ends[2];
    pid_t parent = getpid(), child;

    unlink("/tmp/temu-processes");
    say("flock", flock(file, LOCK_SH));
    say("flock", flock(other, LOCK_SH));
    say("flock", flock(other, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
    child = fork();
    if (child == 0) { /* it shares the locks of open files */
        int good = flock(file, LOCK_SH | LOCK_NB) == 0 && flock(file, LOCK_EX | LOCK_NB) == -1;
        _exit(good && flock(file, LOCK_UN) == 0 ? 0 : 1);
    }
    await("flock", child);
    say("flock", flock(other, LOCK_EX | LOCK_NB));
    child = fork();
    if (child == 0) {
        close(other);
        _exit(flock(file, LOCK_EX) == 0 ? 0 : 1); /* when the parent has closed it */
    }
    usleep(2000);
    close(other);
    await("waits", child);
    say("flock", flock(file, LOCK_UN));

    say("range", lock(file, F_SETLK, F_WRLCK, 100, 100));
    say("range", lock(file, F_SETLK, F_UNLCK, 140, 10));
    say("range", lock(file, F_SETLK, F_RDLCK, 180, 0));
    child = fork();
    if (child == 0) {
        ask(file, 0, 100, parent);
        ask(file, 0, 101, parent);
        ask(file, 140, 10, parent);
        ask(file, 149, 2, parent);
        ask(file, 1000, 1, parent);
        int good = lock(file, F_SETLK, F_RDLCK, 500, 5) == 0 &&
                   lock(file, F_SETLK, F_WRLCK, 500, 5) == EAGAIN;
        int elsewhere = open("/tmp/temu-other", O_RDWR | O_CREAT, 0600);
        good = good && lock(elsewhere, F_SETLK, F_WRLCK, 0, 0) == 0;
        unlink("/tmp/temu-other");
        _exit(good ? 0 : 1);
    }
    await("asks", child);
    say("again", lock(file, F_SETLK, F_WRLCK, 0, 0));
    if (pipe(ends))
        return;
    child = fork();
    if (child == 0) {
        int good = lock(file, F_SETLK, F_WRLCK, 10, 1) == EAGAIN && write(ends[1], "x", 1) == 1;
        _exit(good && lock(file, F_SETLKW, F_WRLCK, 10, 1) == 0 ? 0 : 1);
    }
    char byte;
    say("asked", read(ends[0], &byte, 1));
    close(dup(file)); /* ends all locks of the process */
    await("waited", child);
    say("open file", lock(file, F_OFD_SETLK, F_WRLCK, 0, 10));
    say("open file", lock(file, F_SETLK, F_RDLCK, 5, 1));
    child = fork();
    if (child == 0) {
        ask(file, 0, 1, parent);
        _exit(lock(file, F_OFD_SETLK, F_RDLCK, 0, 10) == 0 ? 0 : 1);
    }
    await("open file", child);
    close(file);
    close(ends[0]);
    close(ends[1]);
}

/* Several processes wait for a lock whose owner sleeps. */
static void test_queue_for_lock(void)
{
    int file = open("/tmp/temu-processes", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char count = 0;

    say("begin to count", pwrite(file, &count, 1, 0));
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            int own = open("/tmp/temu-processes", O_RDWR);
            for (int round = 0; round < 5; round++) {
                flock(own, LOCK_EX);
                if (pread(own, &count, 1, 0) != 1)
                    _exit(1);
                usleep(100);
                count++;
                if (pwrite(own, &count, 1, 0) != 1)
                    _exit(1);
                flock(own, LOCK_UN);
            }
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    say("read the count", pread(file, &count, 1, 0));
    say("counted under a lock", count);
    unlink("/tmp/temu-processes");
    close(file);
}

/* ---- waiting ---- */

static volatile int caught, caught_code, caught_status, caught_pid;

static void catch (int number, siginfo_t *info, void *context)
{
    (void)context;
    caught = number;
    caught_code = info->si_code;
    caught_status = info->si_status;
    caught_pid = info->si_pid;
}

static void test_waiting(void)
{
    struct sigaction action = {.sa_sigaction = catch, .sa_flags = SA_SIGINFO}, before;
    siginfo_t info;
    sigset_t set, none;
    int status;

    say("no child", waitpid(-1, &status, 0) == -1 && errno == ECHILD);
    pid_t child = fork();
    if (child == 0)
        for (;;)
            ; /* it needs all turns */
    say("not yet", waitpid(child, &status, WNOHANG));
    say("another", waitpid(child + 1000, &status, 0) == -1 && errno == ECHILD);
    kill(child, SIGTERM);
    await("killed", child);
    say("gone", kill(child, 0) == -1 && errno == ESRCH);
    child = fork();
    if (child == 0)
        for (;;)
            ;
    usleep(5000); /* it has its turns meanwhile */
    kill(child, SIGUSR2);
    await("killed while it runs", child);

    child = fork();
    if (child == 0) {
        signal(SIGUSR1, SIG_IGN);
        kill(getppid(), 0);
        for (;;)
            pause();
    }
    say("waitid", waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT));
    kill(child, SIGKILL);
    memset(&info, 0, sizeof info);
    say("waitid", waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
    say("its code", info.si_code == CLD_KILLED && info.si_status == SIGKILL &&
                        info.si_pid == child && info.si_signo == SIGCHLD);
    await("still there", child);

    sigaction(SIGCHLD, &action, &before);
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    child = fork();
    if (child == 0)
        _exit(77);
    while (!caught)
        sigsuspend(&none);
    say("SIGCHLD", caught == SIGCHLD && caught_code == CLD_EXITED && caught_status == 77 &&
                       caught_pid == child);
    await("after SIGCHLD", child);
    child = fork();
    if (child == 0)
        _exit(78);
    say("sigtimedwait",
        sigwaitinfo(&set, &info) == SIGCHLD && info.si_status == 78 && info.si_pid == child);
    await("after sigwaitinfo", child);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    sigaction(SIGCHLD, &before, NULL);

    /* Nobody asks for the end of these. */
    signal(SIGCHLD, SIG_IGN);
    child = fork();
    if (child == 0)
        _exit(1);
    say("ignored", waitpid(child, &status, 0) == -1 && errno == ECHILD);
    signal(SIGCHLD, SIG_DFL);

    /* A call is interrupted by a signal of another process. */
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, NULL);
    child = fork();
    if (child == 0)
        for (;; usleep(1000))
            kill(getppid(), SIGUSR1);
    say("interrupted", waitpid(child, &status, 0) == -1 && errno == EINTR);
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
    say("sender", caught == SIGUSR1 && caught_code == SI_USER && caught_pid == child);
    kill(child, SIGTERM);
    await("interrupted", child);
    child = fork();
    if (child == 0) {
        for (int i = 0; i < 5; i++, usleep(1000))
            kill(getppid(), SIGUSR1);
        _exit(0);
    }
    await("restarted", child);
    signal(SIGUSR1, SIG_DFL);

    child = fork();
    if (child == 0) {
        alarm(1);
        pause();
    }
    await("alarm", child);
    child = fork();
    if (child == 0)
        abort();
    await("abort", child);
}

/* ---- ids ---- */

static void test_ids(void)
{
    pid_t self = getpid(), child = fork();

    if (child == 0)
        _exit(getppid() == self && getpid() != self && getpgrp() == getpgid(self) &&
                      syscall(SYS_gettid) == getpid()
                  ? 0
                  : 1);
    await("ids", child);
    child = fork();
    if (child == 0) {
        pid_t second = setpgid(0, 0) ? -1 : fork();
        if (second == 0) {
            pause();
            _exit(1);
        }
        if (getpgrp() != getpid() || getpgid(second) != getpid())
            _exit(2);
        kill(-getpid(), SIGTERM); /* both */
        pause();
    }
    await("group", child);
    child = fork();
    if (child == 0)
        _exit(setsid() == getpid() && getsid(0) == getpid() && getpgrp() == getpid() &&
                      setsid() == -1 && errno == EPERM && setpgid(0, 0) == -1 && errno == EPERM
                  ? 0
                  : 1);
    await("session", child);
    child = fork();
    if (child == 0)
        _exit(0);
    waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
    say("group of the dead", getpgid(child) == getpgrp() && getsid(child) == getsid(0));
    say("another group", setpgid(child, child));
    await("the dead", child);
    say("no option", waitid(P_ALL, 0, NULL, WEXITED | 0x100) == -1 && errno == EINVAL);

    /* A process whose parent has ended gets another one. */
    int ends[2];
    if (pipe(ends))
        return;
    child = fork();
    if (child == 0) {
        pid_t middle = getpid();
        if (fork() == 0) {
            while (getppid() == middle)
                usleep(100);
            _exit(write(ends[1], "o", 1) != 1);
        }
        _exit(0);
    }
    close(ends[1]);
    await("parent", child);
    char byte[2];
    say("orphan", read(ends[0], byte, 2));
    say("its end", read(ends[0], byte, 2));
    close(ends[0]);
}

/* ---- other programs ---- */

/* What processes share to test locks. */
struct locked {
    pthread_mutex_t mutex;
    volatile int is_held, count;
};

/* Takes the lock for a while, and tells so. */
static void hold(struct locked *locked)
{
    pthread_mutex_lock(&locked->mutex);
    locked->is_held = 1;
    usleep(3000);
}

static void await_holder(struct locked *locked)
{
    while (!locked->is_held)
        usleep(100);
    locked->is_held = 0;
}

/* Locks whose owner dies, while this process waits for them. */
static void test_locks_of_the_dead(void)
{
    struct locked *locked =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&locked->mutex, &attributes);
    for (int way = 0; way < 3; way++) {
        pid_t child = fork();
        if (child == 0) {
            char *const arguments[] = {"renamed", "execute", "with", "a lock", NULL};
            hold(locked);
            if (way == 1)
                raise(SIGKILL);
            if (way == 2 && dup2(open("/dev/null", O_WRONLY), 1) == 1)
                execv(SELF, arguments);
            _exit(0);
        }
        await_holder(locked);
        say("its lock", pthread_mutex_lock(&locked->mutex) == EOWNERDEAD);
        await("owner", child);
        pthread_mutex_consistent(&locked->mutex);
        say("again", pthread_mutex_unlock(&locked->mutex));
    }

    /* One with priority inheritance goes on to a process that waits, also at the owner's end. */
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&locked->mutex, &attributes);
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            for (int round = 0; round < 20; round++) {
                pthread_mutex_lock(&locked->mutex);
                int before = locked->count;
                usleep(round % 5 == 0 ? 100 : 0);
                locked->count = before + 1;
                pthread_mutex_unlock(&locked->mutex);
            }
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    say("counted with inheritance", locked->count);
    pid_t child = fork();
    if (child == 0) {
        hold(locked);
        _exit(0);
    }
    await_holder(locked);
    say("its lock", pthread_mutex_lock(&locked->mutex) == EOWNERDEAD);
    await("owner", child);
    munmap(locked, 4096);
}

static void test_programs(char **argv)
{
    char *const arguments[] = {"renamed", "execute", "an argument", "", NULL};
    char *const variables[] = {"VARIABLE=value", NULL};
    int file = open(SELF, O_RDONLY), kept = dup(file);
    pid_t child = fork();

    fcntl(file, F_SETFD, FD_CLOEXEC);
    (void)argv;
    if (child == 0) {
        char number[2][16];
        snprintf(number[0], sizeof number[0], "%d", file);
        snprintf(number[1], sizeof number[1], "%d", kept);
        char *const more[] = {"renamed", "descriptors", number[0], number[1], NULL};
        fcntl(file, F_SETFD, FD_CLOEXEC);
        signal(SIGUSR1, SIG_IGN);
        signal(SIGUSR2, (void (*)(int))test_ids);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGHUP);
        sigprocmask(SIG_BLOCK, &set, NULL);
        raise(SIGHUP);
        execve(SELF, more, variables);
        _exit(1);
    }
    await("descriptors", child);
    child = vfork();
    if (child == 0) {
        execve(SELF, arguments, variables);
        _exit(1);
    }
    await("vfork", child);
    child = vfork();
    if (child == 0) {
        execve("/no/such/program", arguments, variables);
        _exit(errno == ENOENT ? 60 : 61);
    }
    await("nothing", child);
    int result = posix_spawn(&child, SELF, NULL, NULL, arguments, variables);
    await("posix_spawn", child);
    say("posix_spawn", result);
    say("posix_spawn", posix_spawn(&child, "/no/such/program", NULL, NULL, arguments, variables));
    static volatile int written;
    child = vfork();
    if (child == 0) {
        written = 5;
        _exit(7);
    }
    await("vfork", child);
    say("written", written);
    child = fork();
    if (child == 0) {
        fexecve(kept, arguments, variables);
        _exit(1);
    }
    await("fexecve", child);
    say("directory", execve("/", arguments, variables) == -1 && errno == EACCES);
    say("a bad address", syscall(SYS_execve, SELF, 8, 0) == -1 && errno == EFAULT);
    static char *many[200];
    static char long_one[100000];
    memset(long_one, 'x', sizeof long_one - 1);
    for (int i = 0; i < 199; i++)
        many[i] = long_one;
    say("too long", execve(SELF, many, variables) == -1 && errno == E2BIG);
    close(file);
    close(kept);
}

static int executed(int count, char **argv)
{
    struct sigaction action;
    sigset_t pending, blocked;

    if (strcmp(argv[1], "execute") == 0) {
        printf("%s, %d arguments: '%s' '%s', %s\n", argv[0], count, argv[2], argv[3],
               getenv("VARIABLE"));
        fflush(stdout);
        return 30;
    }
    sigpending(&pending);
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    say("closed", fcntl(atoi(argv[2]), F_GETFD));
    say("open", fcntl(atoi(argv[3]), F_GETFD));
    sigaction(SIGUSR1, NULL, &action);
    say("ignored", action.sa_handler == SIG_IGN);
    sigaction(SIGUSR2, NULL, &action);
    say("default", action.sa_handler == SIG_DFL);
    say("pending", sigismember(&pending, SIGHUP) && sigismember(&blocked, SIGHUP));
    return 31;
}

/* ---- threads ---- */

static void *fork_in_thread(void *argument)
{
    pid_t child = fork();

    if (child == 0)
        _exit(syscall(SYS_gettid) == getpid() ? 20 : 21); /* its only thread */
    await("from a thread", child);
    return argument;
}

static void *wait_in_thread(void *argument)
{
    int status = 0;

    waitpid(*(pid_t *)argument, &status, 0);
    return (void *)(long)WEXITSTATUS(status);
}

static void test_threads(void)
{
    pthread_t threads[2];
    void *result;
    pid_t child = fork();

    if (child == 0) {
        usleep(3000);
        _exit(12);
    }
    pthread_create(&threads[0], NULL, fork_in_thread, NULL);
    pthread_create(&threads[1], NULL, wait_in_thread, &child);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], &result);
    say("in a thread", (long)result);
    child = fork();
    if (child == 0) {
        char *const arguments[] = {"renamed", "execute", "of", "a thread", NULL};
        pthread_t thread;
        pthread_create(&thread, NULL, fork_in_thread, NULL);
        pthread_join(thread, NULL);
        execv(SELF, arguments);
    }
    await("program of a thread", child);
}

int main(int count, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (strcmp(argv[0], "renamed") == 0)
        return executed(count, argv);
    umask(022);
    test_memory();
    test_parts_of_common_memory();
    test_faults();
    test_files();
    test_names_of_descriptors();
    test_locks();
    test_queue_for_lock();
    test_waiting();
    test_ids();
    setenv("VARIABLE", "inherited", 1);
    test_programs(argv);
    test_threads();
    test_locks_of_the_dead();
    struct rusage usage;
    say("time of children", getrusage(RUSAGE_CHILDREN, &usage) == 0 &&
                                usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec > 0);
    printf("%s %s\n", argv[1], argv[2]);
    fflush(stdout);
    execl(SELF, "renamed", "execute", "at the", "end", (char *)NULL);
    return 1;
}
