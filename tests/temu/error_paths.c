/* The ways in which system calls fail and succeed, called through glibc. Results and errno are
 * those of qemu-riscv64. The test has a directory that is the root for temu and the working
 * directory for qemu.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -w -o %t.elf %s
 * RUN: rm -rf %t.a %t.b && mkdir -p %t.a/directory/full %t.b/directory/full && echo content >%t.a/file && echo content >%t.b/file
 * RUN: ln -s file %t.a/link && ln -s file %t.b/link && ln -s nothing %t.a/dangling && ln -s nothing %t.b/dangling
 * RUN: ln -s loop %t.a/loop && ln -s loop %t.b/loop
 * RUN: cd %t.a && %temu --root . %t.elf </dev/null >%t.a.out
 * RUN: cd %t.b && %qemu %t.elf </dev/null >%t.b.out
 * RUN: diff %t.a.out %t.b.out && diff -r %t.a/directory %t.b/directory && grep -c . %t.a.out | FileCheck %s
 * CHECK: {{^[2-9][0-9][0-9]$}}
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BAD        ((void *)8)
#define LARGE_FILE 0100000 /* the kernel's O_LARGEFILE, which QEMU 10 says of every descriptor */
#define TELL(call)                                                                                 \
    do {                                                                                           \
        errno = 0;                                                                                 \
        long result_ = (long)(call);                                                               \
        printf("%d: %s = %ld, %d\n", __LINE__, #call, result_, errno);                             \
    } while (0)

static char buffer[8192];
static struct stat status;
static struct statx extended;

static void names(void)
{
    TELL(open("nothing", O_RDONLY));
    TELL(open("", O_RDONLY));
    TELL(open(BAD, O_RDONLY));
    TELL(open("file/below", O_RDONLY));
    TELL(open("file/", O_RDONLY));
    TELL(open("dangling", O_RDONLY));
    TELL(open("loop", O_RDONLY));
    TELL(open("loop/x", O_RDONLY));
    TELL(open("link", O_RDONLY | O_NOFOLLOW));
    TELL(open("directory", O_WRONLY));
    TELL(open("directory", O_RDONLY | O_CREAT, 0600));
    TELL(open("file", O_RDONLY | O_DIRECTORY));
    TELL(open("file", O_WRONLY | O_CREAT | O_EXCL, 0600));
    TELL(open("link", O_WRONLY | O_CREAT | O_EXCL, 0600));
    TELL(open("dangling", O_WRONLY | O_CREAT | O_EXCL, 0600));
    TELL(open("nothing/", O_WRONLY | O_CREAT, 0600));
    TELL(openat(77, "file", O_RDONLY));
    TELL(openat(1, "file", O_RDONLY));
    memset(buffer, 'a', 300);
    buffer[300] = 0;
    TELL(open(buffer, O_RDONLY));
    memset(buffer, '/', 5000);
    TELL(open(buffer, O_RDONLY));
    TELL(stat("nothing", &status));
    TELL(stat("file/", &status));
    TELL(stat("loop", &status));
    TELL(lstat("loop", &status));
    TELL(stat("file", BAD));
    TELL(fstat(77, &status));
    TELL(fstatat(AT_FDCWD, "file", &status, 0x8000));
    TELL(statx(AT_FDCWD, "file", 0x8000, STATX_BASIC_STATS, &extended));
    TELL(statx(AT_FDCWD, "file", AT_STATX_SYNC_AS_STAT, STATX_BASIC_STATS, &extended));
    TELL(statx(77, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &extended));
    TELL(statx(AT_FDCWD, "", 0, STATX_BASIC_STATS, &extended));
    TELL(access("nothing", F_OK));
    TELL(access("file", 8));
    TELL(access("directory/full", R_OK | X_OK));
    TELL(readlink("file", buffer, 10));
    TELL(readlink("link", buffer, 2));
    TELL(readlink("link", buffer, 0));
    TELL(readlink("nothing", buffer, 10));
    TELL(readlink("link", BAD, 10));
    TELL(chdir("file"));
    TELL(chdir("nothing"));
    TELL(chdir(BAD));
    TELL(fchdir(77));
    TELL(syscall(SYS_getcwd, buffer, 0));
    TELL(syscall(SYS_getcwd, BAD, 4096));
    TELL(statfs("nothing", (struct statfs *)buffer));
    TELL(statfs("file", BAD));
    TELL(fstatfs(77, (struct statfs *)buffer));
}

static void changes(void)
{
    TELL(mkdir("directory", 0700));
    TELL(mkdir("file/new", 0700));
    TELL(mkdir("nothing/new", 0700));
    TELL(mkdir("", 0700));
    TELL(mkdir("new/", 0700));
    TELL(rmdir("new/"));
    TELL(mkdir("dangling", 0700));
    TELL(rmdir("directory"));
    TELL(rmdir("file"));
    TELL(rmdir("nothing"));
    TELL(rmdir("."));
    TELL(rmdir("directory/."));
    TELL(unlink("directory"));
    TELL(unlink("nothing"));
    TELL(unlink("file/"));
    TELL(unlinkat(AT_FDCWD, "file", 1));
    TELL(symlink("x", "file"));
    TELL(symlink("", "empty"));
    TELL(symlink("x", "nothing/x"));
    TELL(symlink(BAD, "x"));
    TELL(link("file", "directory"));
    TELL(link("nothing", "other"));
    TELL(link("directory", "other"));
    TELL(link("file", "nothing/other"));
    TELL(linkat(AT_FDCWD, "file", AT_FDCWD, "other", 0x8000));
    TELL(link("file", "other"));
    TELL(unlink("other"));
    TELL(rename("nothing", "other"));
    TELL(rename("file", "directory"));
    TELL(rename("directory", "file"));
    TELL(rename("directory", "directory/full/below"));
    TELL(rename("file", "nothing/other"));
    TELL(rename("file", "file"));
    TELL(rename("file", ""));
    TELL(renameat2(AT_FDCWD, "file", AT_FDCWD, "link", RENAME_NOREPLACE));
    TELL(renameat2(AT_FDCWD, "file", AT_FDCWD, "link", 64));
    TELL(mknod("directory/node", S_IFREG | 0600, 0));
    TELL(mknod("directory/node", S_IFREG | 0600, 0));
    TELL(mknod("directory/odd", 0170000, 0));
    TELL(truncate("nothing", 0));
    TELL(truncate("directory", 0));
    TELL(truncate("file", -1));
    TELL(truncate("directory/node", 1000));
    TELL(chmod("nothing", 0600));
    TELL(chmod("loop", 0600));
    TELL(chmod("directory/node", 0640));
    TELL(stat("directory/node", &status));
    TELL(status.st_mode);
    TELL(status.st_size);
    TELL(fchmod(77, 0600));
    TELL(chown("nothing", -1, -1));
    TELL(chown("directory/node", -1, -1));
    TELL(lchown("dangling", -1, -1));
    TELL(chown("dangling", -1, -1));
    TELL(fchown(77, -1, -1));
    TELL(fchownat(AT_FDCWD, "file", -1, -1, 0x8000));
    struct timespec times[2] = {{1, 1000000000}, {1, 0}};
    TELL(utimensat(AT_FDCWD, "file", times, 0));
    times[0].tv_nsec = UTIME_OMIT;
    TELL(utimensat(AT_FDCWD, "file", times, 0));
    TELL(utimensat(AT_FDCWD, "nothing", times, 0));
    TELL(utimensat(AT_FDCWD, "dangling", times, AT_SYMLINK_NOFOLLOW));
    TELL(utimensat(AT_FDCWD, "file", times, 1));
    TELL(utimensat(AT_FDCWD, "file", BAD, 0));
    TELL(futimens(77, times));
    times[1].tv_nsec = UTIME_OMIT;
    TELL(utimensat(AT_FDCWD, "nothing", times, 0));
}

static void descriptors(void)
{
    int file = open("file", O_RDONLY), node = open("directory/node", O_RDWR | O_APPEND),
        directory = open("directory", O_RDONLY);
    long where = -1;

    TELL(file);
    TELL(read(77, buffer, 1));
    TELL(read(file, BAD, 1));
    TELL(read(directory, buffer, 1));
    TELL(write(file, "x", 1));
    TELL(write(node, BAD, 1));
    TELL(pread(file, buffer, 1, -1));
    TELL(pwrite(file, "x", 1, 0));
    TELL(pread(directory, buffer, 1, 0));
    TELL(readv(file, (struct iovec *)BAD, 1));
    TELL(readv(file, (struct iovec *)buffer, 1025));
    struct iovec vectors[2] = {{buffer, 3}, {buffer + 100, 100}};
    TELL(readv(77, vectors, 2));
    TELL(writev(file, vectors, 2));
    TELL(preadv(file, vectors, 2, 2));
    TELL(preadv(file, vectors, 2, -1));
    TELL(preadv2(file, vectors, 2, 0, 0x1000));
    TELL(lseek(file, -1, SEEK_SET));
    TELL(lseek(file, 0, 99));
    TELL(lseek(file, -3, SEEK_END));
    TELL(lseek(77, 0, SEEK_SET));
    TELL(lseek(file, 100, SEEK_HOLE));
    TELL(ftruncate(file, 0));
    TELL(ftruncate(directory, 0));
    TELL(ftruncate(node, -1));
    TELL(fallocate(node, 0, 0, 2000));
    TELL(fallocate(node, 0, -1, 2000));
    TELL(fallocate(node, 0, 0, 0));
    TELL(fallocate(file, 0, 0, 10));
    TELL(fallocate(node, 0x4000, 0, 10));
    TELL(lseek(node, 0, SEEK_END));
    TELL(dup(77));
    TELL(dup2(77, 5));
    TELL(dup2(file, file));
    TELL(dup2(file, -1));
    TELL(dup3(file, file, 0));
    TELL(dup3(file, 20, 1));
    TELL(fcntl(77, F_GETFD));
    TELL(fcntl(file, 999));
    TELL(fcntl(node, F_GETFL) & ~LARGE_FILE);
    TELL(fcntl(file, F_DUPFD, -1));
    TELL(fcntl(file, F_DUPFD, 30));
    TELL(fcntl(30, F_SETFD, FD_CLOEXEC));
    TELL(fcntl(30, F_GETFD));
    TELL(fcntl(file, F_GETFD));
    struct flock lock = {.l_type = F_WRLCK};
    TELL(fcntl(file, F_SETLK, &lock));
    TELL(fcntl(node, F_SETLK, &lock));
    TELL(fcntl(node, F_SETLK, BAD));
    TELL(fcntl(node, F_GETLK, &lock));
    TELL(lock.l_type);
    lock.l_type = 9;
    TELL(fcntl(node, F_SETLK, &lock));
    TELL(flock(node, LOCK_EX | LOCK_NB));
    TELL(flock(node, 16));
    TELL(flock(77, LOCK_EX));
    TELL(close(77));
    TELL(close_range(30, 20, 0));
    TELL(close_range(30, 40, 0));
    TELL(fcntl(30, F_GETFD));
    TELL(fsync(77));
    TELL(fdatasync(node));
    TELL(posix_fadvise(77, 0, 0, 0));
    TELL(posix_fadvise(file, 0, 0, 99));
    TELL(ioctl(77, FIONREAD, &where));
    TELL(ioctl(file, TCGETS, buffer));
    TELL(syscall(SYS_getdents64, file, buffer, 1000));
    TELL(syscall(SYS_getdents64, directory, buffer, 1));
    TELL(sendfile(node, file, 0, 1));
    TELL(sendfile(77, file, 0, 1));
    TELL(sendfile(file, 77, 0, 1));
    TELL(sendfile(file, file, 0, 1));
    TELL(sendfile(1, file, &where, 1));
    TELL(syscall(SYS_copy_file_range, file, 0, node, 0, 1, 0));
    TELL(syscall(SYS_copy_file_range, file, 0, directory, 0, 1, 0));
    TELL(syscall(SYS_copy_file_range, file, 0, 77, 0, 1, 0));
    TELL(openat(file, "x", O_RDONLY));
    TELL(openat(directory, "node", O_RDONLY) > 0);
    TELL(fchdir(file));
    int path = open("file", O_PATH);
    TELL(read(path, buffer, 1));
    TELL(fchmod(path, 0600));
    TELL(lseek(path, 0, SEEK_SET));
    TELL(fstat(path, &status));
    for (int fd = 5; fd < 50; fd++)
        close(fd);
}

static void pipes(void)
{
    int ends[2];
    struct pollfd polled[2];
    struct timeval none = {0, 0};
    fd_set set;

    TELL(pipe2(ends, 1));
    TELL(pipe2(BAD, 0));
    TELL(pipe2(ends, O_NONBLOCK | O_CLOEXEC));
    TELL(read(ends[0], buffer, 10));
    TELL(read(ends[1], buffer, 10));
    TELL(write(ends[0], buffer, 10));
    TELL(lseek(ends[0], 0, SEEK_SET));
    TELL(pread(ends[0], buffer, 1, 0));
    TELL(ftruncate(ends[1], 0));
    TELL(fcntl(ends[0], F_GETFL) & ~LARGE_FILE);
    TELL(fcntl(ends[1], F_GETFL) & ~LARGE_FILE);
    TELL(write(ends[1], "hello", 5));
    int count;
    TELL(ioctl(ends[0], FIONREAD, &count));
    TELL(count);
    TELL(fstat(ends[0], &status));
    TELL(status.st_mode & S_IFMT);
    polled[0] = (struct pollfd){ends[0], POLLIN | POLLOUT, 0};
    polled[1] = (struct pollfd){ends[1], POLLIN | POLLOUT, 0};
    TELL(poll(polled, 2, 0));
    TELL(polled[0].revents);
    TELL(polled[1].revents);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    TELL(select(ends[0] + 1, &set, NULL, NULL, &none));
    TELL(read(ends[0], buffer, 3));
    TELL(read(ends[0], buffer, 100));
    TELL(select(ends[0] + 1, &set, NULL, NULL, &none));
    TELL(FD_ISSET(ends[0], &set));
    TELL(select(-1, &set, NULL, NULL, &none));
    FD_ZERO(&set);
    FD_SET(60, &set);
    TELL(select(61, &set, NULL, NULL, &none));
    long total = 0, put;
    while ((put = write(ends[1], buffer, 1000)) > 0)
        total += put;
    TELL(total > 60000 && total <= 65536);
    TELL(poll(polled + 1, 1, 0));
    close(ends[1]);
    polled[1].fd = 60;
    TELL(poll(polled, 2, 0));
    TELL(polled[0].revents);
    TELL(polled[1].revents);
    while ((put = read(ends[0], buffer, 8192)) > 0)
        total -= put;
    TELL(total);
    TELL(read(ends[0], buffer, 1));
    TELL(poll(polled, 1, 0));
    TELL(polled[0].revents);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    TELL(pipe(ends));
    close(ends[0]);
    polled[0].fd = ends[1];
    TELL(poll(polled, 1, 0));
    TELL(polled[0].revents);
    TELL(write(ends[1], "x", 1));
    close(ends[1]);
    TELL(poll((struct pollfd *)BAD, 1, 0));
    int memory = memfd_create("name", 0);
    TELL(write(memory, "abc", 3));
    TELL(pread(memory, buffer, 10, 1));
    TELL(memfd_create("name", 0x100));
    close(memory);
}

static void memory(void)
{
    int file = open("file", O_RDONLY), out = open("file", O_WRONLY);

    TELL(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    TELL(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 77, 0));
    TELL(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 1));
    TELL(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, out, 0));
    TELL(mmap((void *)1, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    char *map = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TELL(munmap(map + 1, 4096));
    TELL(munmap(map, 0));
    TELL(munmap(map + 4096, 4096));
    TELL(munmap(map + 4096, 4096));
    TELL(mprotect(map, 8192, PROT_READ));
    TELL(mprotect(map + 1, 4096, PROT_READ));
    TELL(msync(map, 4096, MS_SYNC));
    TELL(msync(map, 8192, MS_SYNC));
    TELL(msync(map, 4096, MS_SYNC | MS_ASYNC));
    TELL(msync(map + 1, 4096, MS_SYNC));
    TELL(madvise(map + 1, 4096, MADV_NORMAL));
    TELL(mlock(map, 100));
    TELL(munlock(map, 100));
    TELL(mremap(map + 1, 4096, 8192, 0));
    close(file);
    close(out);
}

static void time_and_signals(void)
{
    struct timespec wrong = {0, 1000000000}, negative = {-1, 0}, short_time = {0, 1000};
    struct itimerval timer = {{0, 0}, {0, 1000000}};
    sigset_t set;
    siginfo_t info;

    TELL(nanosleep(&wrong, NULL));
    TELL(nanosleep(&negative, NULL));
    TELL(nanosleep(BAD, NULL));
    TELL(nanosleep(&short_time, NULL));
    TELL(clock_gettime(99, &wrong));
    TELL(clock_gettime(CLOCK_MONOTONIC, BAD));
    TELL(clock_getres(CLOCK_REALTIME, NULL));
    TELL(setitimer(ITIMER_REAL, &timer, NULL));
    TELL(setitimer(9, &timer, NULL));
    TELL(setitimer(ITIMER_REAL, BAD, NULL));
    TELL(getitimer(9, &timer));
    TELL(getitimer(ITIMER_VIRTUAL, &timer));
    TELL(timer.it_value.tv_sec);
    TELL(getrusage(99, (struct rusage *)buffer));
    TELL(getrusage(RUSAGE_SELF, BAD));
    TELL(kill(getpid(), 65));
    TELL(kill(getpid(), 0));
    TELL(raise(0));
    TELL(syscall(SYS_rt_sigaction, SIGKILL, buffer, 0, 8));
    TELL(syscall(SYS_rt_sigaction, 65, 0, 0, 8));
    TELL(syscall(SYS_rt_sigaction, SIGINT, 0, 0, 4));
    TELL(syscall(SYS_rt_sigprocmask, 9, buffer, 0, 8));
    TELL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, BAD, 0, 8));
    TELL(syscall(SYS_rt_sigsuspend, buffer, 4));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    TELL(sigtimedwait(&set, &info, &short_time));
    TELL(sigtimedwait(&set, &info, &wrong));
    TELL(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 42}));
    TELL(sigtimedwait(&set, &info, &short_time));
    TELL(info.si_code);
    TELL(info.si_value.sival_int);
    TELL(sigqueue(getpid(), 65, (union sigval){.sival_int = 42}));
    raise(SIGUSR1);
    TELL(sigwaitinfo(&set, &info));
    TELL(info.si_code);
    stack_t stack = {buffer, 0, 100};
    TELL(sigaltstack(&stack, NULL));
    stack.ss_flags = 99;
    TELL(sigaltstack(&stack, NULL));
    TELL(wait(NULL));
    TELL(waitpid(-1, NULL, WNOHANG));
}

static void process(void)
{
    struct sched_param param = {0};
    struct rlimit limit = {10, 5};

    TELL(sched_get_priority_max(SCHED_FIFO));
    TELL(sched_get_priority_min(SCHED_RR));
    TELL(sched_get_priority_max(SCHED_OTHER));
    TELL(sched_get_priority_max(99));
    TELL(sched_getscheduler(0));
    TELL(sched_getscheduler(-1));
    TELL(sched_getparam(0, &param));
    TELL(param.sched_priority);
    TELL(sched_getparam(0, NULL));
    TELL(sched_setscheduler(0, SCHED_OTHER, &param));
    TELL(sched_setscheduler(0, 99, &param));
    param.sched_priority = 5;
    TELL(sched_setscheduler(0, SCHED_OTHER, &param));
    TELL(sched_yield());
    TELL(getpriority(PRIO_PROCESS, 0) < -20); /* the number is the host's under qemu */
    TELL(getpriority(9, 0));
    TELL(setrlimit(RLIMIT_NOFILE, &limit));
    TELL(getrlimit(99, &limit));
    TELL(getrlimit(RLIMIT_NOFILE, BAD));
    TELL(prctl(PR_SET_NAME, "renamed"));
    TELL(prctl(PR_GET_NAME, buffer));
    puts(buffer);
    TELL(prctl(9999, 0));
    TELL(getrandom(buffer, 1000, 0));
    TELL(getrandom(buffer, 10, 0x100));
    TELL(getrandom(BAD, 10, 0));
    TELL(umask(027));
    TELL(umask(022));
    TELL(syscall(SYS_uname, BAD));
    TELL(syscall(9999));
}

int main(void)
{
    umask(022);
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    names();
    changes();
    descriptors();
    pipes();
    memory();
    time_and_signals();
    process();
    return 0;
}
