/* FIFOs do what they do under Linux, in memory and beneath the root: the program prints the same on
 * the host, where it is compiled for the host, and under temu. Everything that it prints follows
 * from waiting, not from who comes first.
 *
 * RUN: rm -rf %t && mkdir -p %t/host %t/root/tmp && gcc -O1 -o %t/host/program %s -pthread && %gcc -O1 -static -o %t/root/program %s -pthread
 * RUN: cd %t/host && ./program > %t/expected && wc -l < %t/expected | FileCheck %s
 * RUN: for run in "%temu %t/root/program" "%temu --root=%t/root %t/root/program" "%temu --tier=interp %t/root/program" \
 * RUN:   "%temu --tier=translate --root=%t/root %t/root/program" "%temu --root=%t/root %t/root/program /dev/shm"; do \
 * RUN:   sh -c "$run" > %t/found || exit 1; diff %t/expected %t/found || exit 1; done
 * CHECK: {{^1[0-9][0-9]$}}
 *
 * Nobody outside takes part, also not by a FIFO of the host that was there before. An
 * open that nobody can end is a deadlock.
 * RUN: mkfifo %t/root/tmp/outside && (exec 3<>%t/root/tmp/outside && echo outside >&3 && \
 * RUN:   %temu --root=%t/root %t/root/program alone /tmp/outside && timeout 5 head -n 1 <&3) > %t/alone
 * RUN: FileCheck %s --check-prefix=ALONE < %t/alone
 * ALONE: it has another name meanwhile: exit 7
 * ALONE-NEXT: read: EDEADLK
 * ALONE-NEXT: write: EDEADLK
 * ALONE-NEXT: write at once: ENXIO
 * ALONE-NEXT: read at once: 3
 * ALONE-NEXT: end: 0
 * ALONE-NEXT: both: 3
 * ALONE-NEXT: nothing there: EDEADLK
 * ALONE-NEXT: outside
 */
#define _GNU_SOURCE
#include "say.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void await(const char *what, pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    printf("%s: %s %d\n", what, WIFEXITED(status) ? "exit" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    fflush(stdout);
}

/* Prints the events of the descriptor that hold now. */
static void look(const char *what, int fd)
{
    struct pollfd polled = {fd, POLLIN | POLLOUT, 0};

    poll(&polled, 1, 0);
    printf("%s:%s%s%s%s\n", what, polled.revents & POLLIN ? " in" : "",
           polled.revents & POLLOUT ? " out" : "", polled.revents & POLLHUP ? " hang up" : "",
           polled.revents & POLLERR ? " error" : "");
    fflush(stdout);
}

/* ---- names ---- */

static void test_names(void)
{
    struct stat status, other;
    int type = -1;

    check("make", mkfifo("fifo", 0640));
    check("again", mkfifo("fifo", 0640));
    check("mknod", mknod("second", S_IFIFO | 0600, 0));
    check("nowhere", mkfifo("nowhere/fifo", 0600));
    check("status", lstat("fifo", &status));
    printf("%o %ld\n", status.st_mode, (long)status.st_size);
    DIR *list = opendir(".");
    for (const struct dirent *entry; (entry = readdir(list));)
        type = strcmp(entry->d_name, "fifo") == 0 ? entry->d_type : type;
    closedir(list);
    say("type", type);
    check("rename", rename("second", "renamed"));
    check("link", link("renamed", "linked"));
    int file = check("by one name", open("renamed", O_RDWR)),
        same = check("by the other", open("linked", O_RDONLY));
    say("one FIFO", write(file, "x", 1) == 1 && read(same, &type, 1) == 1);
    fstat(file, &status);
    stat("renamed", &other);
    say("number", status.st_ino == other.st_ino && S_ISFIFO(status.st_mode));
    close(file);
    close(same);
    check("unlink", unlink("linked"));
    check("unlink", unlink("renamed"));
    check("truncate", truncate("fifo", 0));
    check("directory", open("fifo", O_RDONLY | O_DIRECTORY));
    check("exclusive", open("fifo", O_RDWR | O_CREAT | O_EXCL, 0600));
    check("below", open("fifo/x", O_RDONLY));
    file = check("its path", open("fifo", O_PATH));
    check("cannot be read", read(file, &type, 1));
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int reader = check("by its descriptor", open(path, O_RDONLY | O_NONBLOCK));
    look("no writer", reader);
    snprintf(path, sizeof path, "/dev/fd/%d", reader);
    int writer = check("the other end", open(path, O_WRONLY));
    check("write", write(writer, "x", 1));
    look("something", reader);
    close(reader);
    close(writer);
    close(file);
    file = check("with flags", open("fifo", O_RDWR | O_CREAT | O_TRUNC | O_NONBLOCK, 0600));
    say("flags", (fcntl(file, F_GETFL) & (O_ACCMODE | O_NONBLOCK)) == (O_RDWR | O_NONBLOCK));
    check("seek", lseek(file, 0, SEEK_SET));
    check("at a place", pread(file, &type, 1, 0));
    check("length", ftruncate(file, 1));
    say("map", mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED && errno == ENODEV);
    close(file);
}

/* ---- one process ---- */

static void test_at_once(void)
{
    char text[16];
    int count;

    check("write, nobody reads", open("fifo", O_WRONLY | O_NONBLOCK));
    int reader = check("read", open("fifo", O_RDONLY | O_NONBLOCK));
    look("no writer yet", reader);
    check("its end", read(reader, text, sizeof text));
    check("write to it", write(reader, text, 1));
    int writer = check("write", open("fifo", O_WRONLY));
    look("writer", writer);
    look("reader", reader);
    check("nothing", read(reader, text, sizeof text));
    check("write", write(writer, "first", 5));
    check("read from it", read(writer, text, 1));
    ioctl(reader, FIONREAD, &count);
    say("can be read", count);
    look("reader", reader);
    close(writer);
    look("writer gone", reader);
    check("rest", read(reader, text, sizeof text));
    look("end", reader);
    check("end", read(reader, text, sizeof text));
    writer = check("again", open("fifo", O_WRONLY));
    look("no end any more", reader);
    close(reader);
    look("reader gone", writer);
    check("broken", write(writer, "x", 1));
    reader = check("a new reader", open("fifo", O_RDONLY));
    look("not broken any more", writer);
    check("write", write(writer, "kept", 4));
    close(reader);
    reader = check("and another", open("fifo", O_RDONLY));
    check("what was kept", read(reader, text, sizeof text));
    check("write", write(writer, "lost", 4));
    close(reader);
    close(writer);
    reader = check("all were closed", open("fifo", O_RDONLY | O_NONBLOCK));
    look("as at first", reader);
    check("nothing is left", read(reader, text, sizeof text));
    close(reader);
    int both = check("both", open("fifo", O_RDWR));
    look("both", both);
    check("write", write(both, "both", 4));
    look("both", both);
    check("read", read(both, text, sizeof text));
    fcntl(both, F_SETFL, O_NONBLOCK);
    check("no end", read(both, text, sizeof text));
    int path = unlink("fifo");
    check("write without a name", write(both, "x", 1));
    check("read", read(both, text, sizeof text));
    mkfifo("fifo", 0600);
    writer = check("the next one", open("fifo", O_RDWR | O_NONBLOCK));
    check("is another", write(both, "old", 3) + read(writer, text, sizeof text));
    close(both);
    close(writer);
    check("permission", path == 0 && chmod("fifo", 0600) == 0 ? 0 : -1);
}

static void test_epoll(void)
{
    int reader = open("fifo", O_RDONLY | O_NONBLOCK), epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = 7};

    check("add", epoll_ctl(epoll, EPOLL_CTL_ADD, reader, &event));
    check("nothing", epoll_wait(epoll, &event, 1, 0));
    int writer = open("fifo", O_WRONLY);
    check("write", write(writer, "x", 1));
    check("something", epoll_wait(epoll, &event, 1, 1000));
    check("once", epoll_wait(epoll, &event, 1, 0));
    close(reader);
    close(writer);
    close(epoll);
}

/* ---- several processes ---- */

static void test_meeting(void)
{
    char text[16] = "";

    for (int turn = 0; turn < 4; turn++) { /* who waits longer */
        pid_t child = fork();
        if (child == 0) {
            int writer = (usleep(turn % 2 * 2000), open("fifo", O_WRONLY));
            _exit(writer >= 0 && write(writer, "child", 5) == 5 ? 0 : 1);
        }
        usleep((turn + 1) % 2 * 2000);
        int reader = check("reader", open("fifo", O_RDONLY));
        check("from the child", read(reader, text, sizeof text));
        puts(text);
        await("child", child);
        check("end", read(reader, text, sizeof text));
        close(reader);
    }
    /* The other end need not stay open. */
    pid_t child = fork();
    while (child == 0) {
        close(open("fifo", O_RDONLY | O_NONBLOCK));
        usleep(1000);
    }
    int writer = check("a reader was there", open("fifo", O_WRONLY));
    kill(child, SIGKILL);
    await("it is gone", child);
    check("broken", write(writer, "x", 1));
    close(writer);
    /* Much more than the buffer, from two processes. */
    for (int i = 0; i < 2; i++) {
        child = fork();
        if (child == 0) {
            static char block[100000];
            writer = open("fifo", O_WRONLY);
            _exit(write(writer, block, sizeof block) == sizeof block ? 0 : 1);
        }
    }
    int reader = open("fifo", O_RDONLY), keeps = open("fifo", O_WRONLY);
    char block[7000];
    long sum = 0, got;
    while (sum < 200000 && (got = read(reader, block, sizeof block)) > 0)
        sum += got;
    say("sum", sum);
    close(keeps);
    check("end", read(reader, block, 1));
    close(reader);
    await("one", -1);
    await("the other", -1);
    /* One who waits counts as there. */
    child = fork();
    if (child == 0) {
        reader = open("fifo", O_RDONLY);
        _exit(read(reader, text, 1) == 1 ? 5 : 6);
    }
    while ((writer = open("fifo", O_WRONLY | O_NONBLOCK)) < 0)
        usleep(100);
    check("to one who waits", write(writer, "x", 1));
    await("reader", child);
    close(writer);
    /* One who does not wait is enough. */
    child = fork();
    if (child == 0)
        _exit(open("fifo", O_WRONLY) >= 0 ? 7 : 8);
    int second = open("fifo", O_RDONLY | O_NONBLOCK);
    await("writer", child);
    close(second);
}

static void handle(int number)
{
    (void)number;
}

static void test_signals(void)
{
    struct sigaction action = {.sa_handler = handle};
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {0};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    check("interrupted", open("fifo", O_RDONLY));
    check("and not there", open("fifo", O_WRONLY | O_NONBLOCK));
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    pid_t child = fork();
    if (child == 0) {
        usleep(20000);
        _exit(open("fifo", O_WRONLY) >= 0 ? 0 : 1);
    }
    int reader = check("made again", open("fifo", O_RDONLY));
    setitimer(ITIMER_REAL, &never, NULL);
    await("writer", child);
    close(reader);
    /* A process that is ended while it waits is not there any more. */
    child = fork();
    if (child == 0)
        _exit(open("fifo", O_RDONLY));
    int writer;
    while ((writer = open("fifo", O_WRONLY | O_NONBLOCK)) < 0)
        usleep(100);
    close(writer);
    await("was there", child);
    child = fork();
    if (child == 0)
        _exit(open("fifo", O_WRONLY));
    usleep(2000);
    kill(child, SIGTERM);
    await("ended", child);
    reader = open("fifo", O_RDONLY | O_NONBLOCK);
    look("nobody writes", reader);
    close(reader);
}

static void *open_writer(void *argument)
{
    (void)argument;
    return (void *)(long)open("fifo", O_WRONLY | O_CLOEXEC);
}

static void test_threads(void)
{
    pthread_t thread;
    void *writer;
    char byte;

    pthread_create(&thread, NULL, open_writer, NULL);
    int reader = open("fifo", O_RDONLY);
    pthread_join(thread, &writer);
    say("close on exec", fcntl((int)(long)writer, F_GETFD));
    check("write", write((int)(long)writer, "t", 1));
    check("read", read(reader, &byte, 1));
    close(reader);
    close((int)(long)writer);
}

static void test_alone(const char *path)
{
    char text[16];
    pid_t child = fork();

    if (child == 0)
        _exit(open(path, O_WRONLY) >= 0 ? 7 : 8);
    usleep(1000);
    rename(path, "/tmp/other");
    mkfifo(path, 0600);
    int other = open("/tmp/other", O_RDONLY);
    await("it has another name meanwhile", child);
    close(other);
    rename("/tmp/other", path);
    check("read", open(path, O_RDONLY));
    check("write", open(path, O_WRONLY));
    check("write at once", open(path, O_WRONLY | O_NONBLOCK));
    int reader = check("read at once", open(path, O_RDONLY | O_NONBLOCK));
    check("end", read(reader, text, sizeof text));
    close(reader);
    int both = check("both", open(path, O_RDWR));
    check("nothing there", read(both, text, sizeof text));
}

int main(int count, char **arguments)
{
    if (count == 3) {
        test_alone(arguments[2]);
        return 0;
    }
    if (count == 2 && chdir(arguments[1]))
        return 1;
    signal(SIGPIPE, SIG_IGN);
    umask(022);
    unlink("fifo");
    test_names();
    test_at_once();
    test_epoll();
    test_meeting();
    test_signals();
    test_threads();
    unlink("fifo");
    return 0;
}
