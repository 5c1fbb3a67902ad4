/* Local sockets do what they do under Linux: the program prints the same on the host, where it is
 * compiled for the host, and under temu, with files in a directory of the host and in memory.
 *
 * RUN: rm -rf %t && mkdir -p %t/root %t/host && gcc -O1 -w -pthread -o %t/host/program %s
 * RUN: %gcc -O1 -w -static -pthread -o %t/root/program %s
 * RUN: cd %t/host && ./program > %t/expected 2>&1
 * RUN: for run in "--root=%t/root" "" "--tier=interp --root=%t/root"; do \
 * RUN:   rm -f %t/root/name*; %temu $run %t/root/program > %t/found 2>&1 && diff %t/expected %t/found || exit 1; done
 * RUN: FileCheck %s < %t/expected
 *
 * Descriptors that nobody receives are not without end, as sockets in sockets may be.
 * RUN: %temu %t/root/program nested | FileCheck %s --check-prefix=NESTED
 * NESTED: nested: Too many references
 * NESTED-NEXT: sent: 10{{[0-9][0-9]$}}
 * CHECK: the end: 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, long value)
{
    if (value < 0)
        printf("%s: %s\n", what, strerror(errno));
    else
        printf("%s: %ld\n", what, value);
    fflush(stdout);
}

static void say_text(const char *what, const char *bytes, long length)
{
    printf("%s: %ld %.*s\n", what, length, length > 0 ? (int)length : 0, bytes);
    fflush(stdout);
}

static short events_of(int fd)
{
    struct pollfd polled = {fd, POLLIN | POLLOUT | POLLRDHUP | POLLPRI, 0};

    poll(&polled, 1, 0);
    return polled.revents;
}

static void pair(int type, int ends[2])
{
    if (socketpair(AF_UNIX, type, 0, ends) < 0)
        say("socketpair", -1);
}

/* ---- pairs ---- */

static void streams(void)
{
    char bytes[100];
    struct stat status;
    int ends[2], count;

    pair(SOCK_STREAM | SOCK_CLOEXEC, ends);
    say("type", fstat(ends[0], &status) == 0 && S_ISSOCK(status.st_mode));
    say("mode", status.st_mode & 0777);
    say("close on exec", fcntl(ends[1], F_GETFD));
    say("flags", fcntl(ends[1], F_GETFL));
    say("seek", lseek(ends[0], 0, SEEK_CUR));
    say("events at first", events_of(ends[0]));
    say("write", write(ends[0], "one two", 7));
    say("send", send(ends[0], " three", 6, 0));
    say("events", events_of(ends[1]));
    say("readable", ioctl(ends[1], FIONREAD, &count) == 0 ? count : -1);
    say_text("peek", bytes, recv(ends[1], bytes, 3, MSG_PEEK));
    say_text("read", bytes, read(ends[1], bytes, 5));
    say_text("the rest", bytes, recv(ends[1], bytes, sizeof bytes, MSG_DONTWAIT));
    say("none", recv(ends[1], bytes, sizeof bytes, MSG_DONTWAIT));
    say("other way", write(ends[1], "back", 4));
    say_text("came", bytes, read(ends[0], bytes, sizeof bytes));
    struct iovec parts[3] = {{"ab", 2}, {"", 0}, {"cdef", 4}};
    say("writev", writev(ends[0], parts, 3));
    char left[3] = "", right[10] = "";
    struct iovec places[2] = {{left, 2}, {right, 9}};
    say("readv", readv(ends[1], places, 2));
    printf("%s %s\n", left, right);
    say("nothing", send(ends[0], "", 0, 0));
    say("shutdown", shutdown(ends[0], SHUT_WR));
    say("events after it", events_of(ends[1]));
    say("own events", events_of(ends[0]));
    say("end", read(ends[1], bytes, sizeof bytes));
    say("still", write(ends[1], "x", 1));
    say_text("came", bytes, read(ends[0], bytes, sizeof bytes));
    say("write after it", send(ends[0], "x", 1, MSG_NOSIGNAL));
    say("no more to be read", shutdown(ends[0], SHUT_RD));
    say("events of both", events_of(ends[1]));
    say("refused", send(ends[1], "x", 1, MSG_NOSIGNAL));
    close(ends[0]);
    say("events at the end", events_of(ends[1]));
    say("to nobody", send(ends[1], "x", 1, MSG_NOSIGNAL));
    close(ends[1]);
    pair(SOCK_STREAM, ends);
    say("not received", write(ends[1], "x", 1));
    close(ends[0]);
    say("events of a reset", events_of(ends[1]));
    say("reset", read(ends[1], bytes, 1));
    say("then", read(ends[1], bytes, 1));
    close(ends[1]);
    pair(SOCK_STREAM | SOCK_NONBLOCK, ends);
    long filled = 0, moved;
    while ((moved = write(ends[0], bytes, sizeof bytes)) > 0)
        filled += moved;
    say("full", moved);
    say("much", filled > 10000);
    say("not writable", events_of(ends[0]) & POLLOUT);
    while ((moved = read(ends[1], bytes, sizeof bytes)) > 0)
        filled -= moved;
    say("all came", filled);
    say("writable", events_of(ends[0]) & POLLOUT);
    close(ends[0]);
    close(ends[1]);
}

static void packets(int type)
{
    char bytes[100];
    int ends[2];

    pair(type, ends);
    say("first", send(ends[0], "first", 5, 0));
    say("empty", send(ends[0], "", 0, 0));
    struct iovec parts[2] = {{"long ", 5}, {"message", 7}};
    say("writev", writev(ends[0], parts, 2));
    say("last", write(ends[0], "last", 4));
    say_text("received", bytes, recv(ends[1], bytes, sizeof bytes, 0));
    say_text("empty", bytes, recv(ends[1], bytes, sizeof bytes, 0));
    struct iovec place = {bytes, 4};
    struct msghdr message = {.msg_iov = &place, .msg_iovlen = 1};
    say("whole", recvmsg(ends[1], &message, MSG_TRUNC));
    say_text("cut", bytes, 4);
    say("flags", message.msg_flags);
    message.msg_flags = 0;
    say_text("last", bytes, recvmsg(ends[1], &message, 0));
    say("flags", message.msg_flags);
    say("none", recv(ends[1], bytes, 1, MSG_DONTWAIT));
    int many = 0;
    while (many < 5000 && send(ends[0], "", 0, MSG_DONTWAIT) == 0)
        many++;
    say("empty ones without end", many == 5000 ? 0 : -1);
    while (many && recv(ends[1], bytes, 1, MSG_DONTWAIT) == 0)
        many--;
    say("came", many);
    say("too long", send(ends[0], malloc(10000000), 10000000, MSG_DONTWAIT));
    say("shutdown", shutdown(ends[1], SHUT_RD));
    say("refused", send(ends[0], "x", 1, MSG_NOSIGNAL));
    close(ends[1]);
    say("events", events_of(ends[0]));
    say("to nobody", send(ends[0], "x", 1, MSG_NOSIGNAL));
    if (type != SOCK_DGRAM)
        say("end", recv(ends[0], bytes, 1, 0));
    close(ends[0]);
}

static volatile int signals;

static void count_signal(int signal)
{
    signals += signal == SIGPIPE;
}

static void broken(void)
{
    int ends[2];

    signal(SIGPIPE, count_signal);
    pair(SOCK_STREAM, ends);
    close(ends[1]);
    say("broken", write(ends[0], "x", 1));
    say("signals", signals);
    say("without one", send(ends[0], "x", 1, MSG_NOSIGNAL));
    say("signals", signals);
    close(ends[0]);
}

/* ---- between threads and processes ---- */

enum { MUCH = 1000000, MANY = 3000 };

static void *write_much(void *argument)
{
    char *bytes = malloc(MUCH);

    for (int i = 0; i < MUCH; i++)
        bytes[i] = (char)(i * 7 + i / 1000);
    long written = write(*(int *)argument, bytes, MUCH);
    shutdown(*(int *)argument, SHUT_WR);
    return (void *)written;
}

static unsigned sum_of(int fd)
{
    unsigned sum = 0;
    char bytes[777];

    for (long got; (got = read(fd, bytes, sizeof bytes)) > 0;)
        for (long i = 0; i < got; i++)
            sum = sum * 31 + (unsigned char)bytes[i];
    return sum;
}

static void between_threads(void)
{
    pthread_t thread;
    void *result;
    int ends[2];

    pair(SOCK_STREAM, ends);
    pthread_create(&thread, NULL, write_much, &ends[0]);
    printf("sum %u\n", sum_of(ends[1]));
    pthread_join(thread, &result);
    say("written", (long)result);
    close(ends[0]);
    close(ends[1]);
}

static void *close_early(void *argument)
{
    char bytes[1000];

    read(*(int *)argument, bytes, sizeof bytes);
    close(*(int *)argument);
    return NULL;
}

static void interrupted(void)
{
    pthread_t thread;
    int ends[2], before = signals;
    char *bytes = calloc(1, MUCH);

    pair(SOCK_STREAM, ends);
    pthread_create(&thread, NULL, close_early, &ends[1]);
    long written = write(ends[0], bytes, MUCH);
    pthread_join(thread, NULL);
    say("a part", written > 1000 && written < MUCH);
    say("signals", signals - before);
    close(ends[0]);
    free(bytes);
}

static void *write_little(void *argument)
{
    for (int i = 0; i < MANY; i++)
        write(*(int *)argument, i % 2 ? "x" : "yz", i % 2 ? 1 : 2);
    return NULL;
}

static void wait_for_all(void)
{
    pthread_t thread;
    char *bytes = calloc(1, MUCH);
    int ends[2], sum = 0;

    pair(SOCK_STREAM, ends);
    pthread_create(&thread, NULL, write_little, &ends[0]);
    say("in one", recv(ends[1], bytes, 3 * MANY / 2, MSG_WAITALL));
    for (int i = 0; i < 3 * MANY / 2; i++)
        sum += bytes[i] == 'x';
    say("of it", sum);
    pthread_join(thread, NULL);
    say("no more", recv(ends[1], bytes, 1, MSG_DONTWAIT));
    close(ends[0]);
    close(ends[1]);
    free(bytes);
}

static void between_processes(void)
{
    int ends[2], status;
    char bytes[20];

    pair(SOCK_STREAM, ends);
    if (fork() == 0) {
        close(ends[0]);
        long got = read(ends[1], bytes, sizeof bytes);
        for (long i = 0; i < got; i++)
            bytes[i] ^= 0x20;
        _exit(write(ends[1], bytes, (size_t)got) == got ? 7 : 1);
    }
    close(ends[1]);
    say("to the child", write(ends[0], "Hello", 5));
    say_text("back", bytes, recv(ends[0], bytes, 5, MSG_WAITALL));
    say("end", read(ends[0], bytes, 1));
    wait(&status);
    say("child", WEXITSTATUS(status));
    close(ends[0]);
}

/* ---- descriptors ---- */

static long send_files(int socket, const int *fds, unsigned count, const char *text)
{
    union {
        char bytes[CMSG_SPACE(10 * sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct iovec part = {(char *)text, strlen(text)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), fds, count * sizeof(int));
    return sendmsg(socket, &message, 0);
}

static int receive_file(int socket, unsigned room, int flags)
{
    union {
        char bytes[CMSG_SPACE(10 * sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    char text[50];
    struct iovec part = {text, sizeof text};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = room};
    int fd = -1;

    say_text("message", text, recvmsg(socket, &message, flags));
    say("flags", message.msg_flags);
    say("control", (long)message.msg_controllen);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_len >= CMSG_LEN(sizeof fd)) {
        say("length", (long)header->cmsg_len);
        memcpy(&fd, CMSG_DATA(header), sizeof fd);
    }
    return fd;
}

static void descriptors(void)
{
    int ends[2], pipes[2], bad = 900;
    char bytes[20];

    pair(SOCK_STREAM, ends);
    pipe(pipes);
    say("before", write(ends[0], "before ", 7));
    say("send", send_files(ends[0], &pipes[1], 1, "a pipe"));
    say("after", write(ends[0], " after", 6));
    say("bad", send_files(ends[0], &bad, 1, "x"));
    close(pipes[1]);
    int got = receive_file(ends[1], CMSG_SPACE(sizeof(int)), MSG_CMSG_CLOEXEC);
    say("close on exec", fcntl(got, F_GETFD));
    receive_file(ends[1], CMSG_SPACE(sizeof(int)), 0);
    say("through it", write(got, "works", 5));
    close(got);
    say_text("read", bytes, read(pipes[0], bytes, sizeof bytes));
    say("end", read(pipes[0], bytes, 1));
    int two[2] = {pipes[0], pipes[0]};
    say("two", send_files(ends[0], two, 2, "two"));
    got = receive_file(ends[1], CMSG_SPACE(sizeof(int)) - 4, 0);
    say("one", got > 0);
    close(got);
    say("no room", send_files(ends[0], two, 2, "none"));
    receive_file(ends[1], 8, 0);
    say("dropped", send_files(ends[0], two, 2, "read"));
    say_text("by read", bytes, read(ends[1], bytes, sizeof bytes));
    pipe(pipes);
    say("in flight", send_files(ends[0], &pipes[1], 1, "lost"));
    close(pipes[1]);
    close(ends[1]);
    close(ends[0]);
    say("closed with it", read(pipes[0], bytes, 1));
}

/* ---- names ---- */

static socklen_t name(struct sockaddr_un *address, const char *path, size_t length)
{
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

static void say_name(const char *what, int result, const struct sockaddr_un *address,
                     socklen_t length)
{
    say(what, result);
    printf("%s length %u:", what, length);
    for (unsigned i = 0; i + offsetof(struct sockaddr_un, sun_path) < length && i < 40; i++)
        printf(" %02x", (unsigned char)address->sun_path[i]);
    printf("\n");
}

static void names(int type)
{
    struct sockaddr_un address, other;
    struct stat status;
    char bytes[50];
    int result, server = socket(AF_UNIX, type, 0),
                client = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);
    socklen_t length = name(&address, "name", 5);

    say("events of a new one", events_of(client));
    say("listen without a name", listen(server, 1));
    say("nobody", connect(client, (struct sockaddr *)&address, length));
    say("bind", bind(server, (struct sockaddr *)&address, length));
    say("again", bind(server, (struct sockaddr *)&address, length));
    say("taken", bind(client, (struct sockaddr *)&address, length));
    say("file", lstat("name", &status) == 0 ? (long)(status.st_mode & S_IFMT) : -1);
    say("open", open("name", O_RDONLY));
    say("not listening", connect(client, (struct sockaddr *)&address, length));
    say("listen", listen(server, 1));
    say("events of the server", events_of(server));
    say("accept none", accept4(client, NULL, NULL, 0));
    say("connect", connect(client, (struct sockaddr *)&address, length));
    say("connect again", connect(client, (struct sockaddr *)&address, length));
    say("events then", events_of(server));
    say("before it is accepted", write(client, "early", 5));
    length = sizeof other;
    int end = accept(server, (struct sockaddr *)&other, &length);
    say_name("from", end < 0 ? -1 : 0, &other, length);
    length = sizeof other;
    result = getsockname(end, (struct sockaddr *)&other, &length);
    say_name("own", result, &other, length);
    length = sizeof other;
    result = getpeername(client, (struct sockaddr *)&other, &length);
    say_name("peer", result, &other, length);
    length = 4;
    result = getpeername(client, (struct sockaddr *)&other, &length);
    say_name("short", result, &other, length);
    say_text("early", bytes, read(end, bytes, sizeof bytes));
    struct ucred peer = {0};
    length = sizeof peer;
    say("peer", getsockopt(end, SOL_SOCKET, SO_PEERCRED, &peer, &length));
    say("is me", peer.pid == getpid() && peer.uid == getuid());
    int value = -1;
    length = sizeof value;
    say("listens", getsockopt(server, SOL_SOCKET, SO_ACCEPTCONN, &value, &length));
    say("value", value);
    say("type", getsockopt(server, SOL_SOCKET, SO_TYPE, &value, &length));
    say("value", value);
    say("option", getsockopt(server, SOL_SOCKET, 9999, &value, &length));
    say("level", getsockopt(server, 6, 1, &value, &length));
    say("no socket", getsockopt(1, SOL_SOCKET, SO_TYPE, &value, &length));
    close(end);
    say("closed", read(client, bytes, 1));
    close(client);
    client = socket(AF_UNIX, type, 0);
    length = name(&address, "name", 5);
    say("one", connect(client, (struct sockaddr *)&address, length));
    close(server);
    say("with the server", read(client, bytes, 1));
    close(client);
    client = socket(AF_UNIX, type, 0);
    say("gone", connect(client, (struct sockaddr *)&address, length));
    say("unlink", unlink("name"));
    say("no file", connect(client, (struct sockaddr *)&address, length));
    close(client);
}

static void abstract(void)
{
    struct sockaddr_un address, other;
    int server = socket(AF_UNIX, SOCK_DGRAM, 0), client = socket(AF_UNIX, SOCK_DGRAM, 0);
    socklen_t length = name(&address, "\0temu test\0x", 12);
    char bytes[50];

    say("bind", bind(server, (struct sockaddr *)&address, length));
    say("taken", bind(client, (struct sockaddr *)&address, length));
    say("no name", send(client, "x", 1, 0));
    say("to", sendto(client, "hello", 5, 0, (struct sockaddr *)&address, length));
    socklen_t got = sizeof other;
    say_text("from", bytes,
             recvfrom(server, bytes, sizeof bytes, 0, (struct sockaddr *)&other, &got));
    say("its length", got);
    socklen_t automatic = name(&other, "", 0);
    say("any", bind(client, (struct sockaddr *)&other, automatic));
    int second = socket(AF_UNIX, SOCK_DGRAM, 0);
    say("another", bind(second, (struct sockaddr *)&other, automatic));
    close(second);
    say("connect", connect(client, (struct sockaddr *)&address, length));
    say("send", send(client, "again", 5, 0));
    got = sizeof other;
    say_text("from", bytes,
             recvfrom(server, bytes, sizeof bytes, 0, (struct sockaddr *)&other, &got));
    say("its length", got);
    say("back", sendto(server, "answer", 6, 0, (struct sockaddr *)&other, got));
    say_text("answer", bytes, recv(client, bytes, sizeof bytes, 0));
    int lonely = socket(AF_UNIX, SOCK_DGRAM, 0);
    say("one more", connect(lonely, (struct sockaddr *)&address, length));
    say("disconnect",
        connect(lonely, &(struct sockaddr){.sa_family = AF_UNSPEC}, sizeof(struct sockaddr)));
    say("no name", send(lonely, "x", 1, 0));
    close(lonely);
    close(server);
    say("refused", send(client, "x", 1, 0));
    say("none", sendto(client, "x", 1, 0, (struct sockaddr *)&address, length));
    close(client);
}

static void many(void)
{
    struct sockaddr_un address;
    socklen_t length = name(&address, "\0temu many", 10);
    int server = socket(AF_UNIX, SOCK_STREAM, 0), status, failed = 0;
    char byte;

    bind(server, (struct sockaddr *)&address, length);
    listen(server, 1);
    for (int i = 0; i < 3; i++) {
        int client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        say("connect", connect(client, (struct sockaddr *)&address, length));
    }
    close(server);
    server = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(server, (struct sockaddr *)&address, length);
    listen(server, 2);
    for (int i = 0; i < 5; i++)
        if (fork() == 0) {
            int client = socket(AF_UNIX, SOCK_STREAM, 0);
            connect(client, (struct sockaddr *)&address, length);
            byte = (char)(i + 1);
            write(client, &byte, 1);
            read(client, &byte, 1);
            struct ucred peer = {0};
            socklen_t size = sizeof peer;
            getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size);
            _exit(byte == 2 * (i + 1) && peer.pid == getppid() ? 0 : 1);
        }
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        int end = accept(server, NULL, NULL);
        read(end, &byte, 1);
        sum += byte;
        byte *= 2;
        write(end, &byte, 1);
        close(end);
    }
    while (wait(&status) > 0)
        failed += status != 0;
    say("sum", sum);
    say("failed", failed);
    close(server);
}

static void epolls(void)
{
    int ends[2], epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET}, found[2];

    pair(SOCK_STREAM, ends);
    epoll_ctl(epoll, EPOLL_CTL_ADD, ends[1], &event);
    say("nothing", epoll_wait(epoll, found, 2, 0));
    write(ends[0], "x", 1);
    say("ready", epoll_wait(epoll, found, 2, 0));
    say("once", epoll_wait(epoll, found, 2, 0));
    write(ends[0], "y", 1);
    say("again", epoll_wait(epoll, found, 2, 0));
    close(ends[0]);
    say("closed", epoll_wait(epoll, found, 2, 0));
    say("events", found[0].events);
    close(epoll);
    close(ends[1]);
}

static void errors(void)
{
    struct sockaddr_un address;
    socklen_t length = name(&address, "none", 5);
    int ends[2], stream = socket(AF_UNIX, SOCK_STREAM, 0);
    char byte;

    say("protocol", socket(AF_UNIX, SOCK_STREAM, 99));
    say("type", socket(AF_UNIX, 9, 0));
    say("place", socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)8));
    say("not connected", send(stream, "x", 1, MSG_NOSIGNAL));
    say("nothing to receive", recv(stream, &byte, 1, 0));
    say("no peer", getpeername(stream, (struct sockaddr *)&address, &length));
    say("how", shutdown(stream, 9));
    address.sun_family = 77;
    say("family", connect(stream, (struct sockaddr *)&address, sizeof address));
    say("bind it", bind(stream, (struct sockaddr *)&address, sizeof address));
    say("short", bind(stream, (struct sockaddr *)&address, 1));
    say("not one", send(0, "x", 1, 0));
    say("closed one", send(99, "x", 1, 0));
    pair(SOCK_STREAM, ends);
    say("connected", connect(ends[0], (struct sockaddr *)&address, 1));
    write(ends[1], "x", 1);
    say("memory", recv(ends[0], (char *)8, 10, MSG_DONTWAIT));
    say("place in it", pread(ends[0], &byte, 1, 0));
    say("to a name", sendto(ends[0], "x", 1, 0, (struct sockaddr *)&address, sizeof address));
    close(ends[0]);
    close(ends[1]);
    close(stream);
}

static mode_t mode_of(int fd)
{
    struct stat status;

    return fstat(fd, &status) < 0 ? 0 : status.st_mode;
}

/* The modes of what has no path. The name of a socket has a mode of its own. */
static void modes(void)
{
    struct sockaddr_un address = {AF_UNIX, "name-of-mode"};
    int ends[2], named = socket(AF_UNIX, SOCK_STREAM, 0);
    struct stat status;

    pair(SOCK_STREAM, ends);
    say("mode of a pair", fchmod(ends[0], 0200));
    printf("modes %o %o\n", mode_of(ends[0]), mode_of(ends[1]));
    close(ends[0]);
    close(ends[1]);
    say("a pipe", pipe(ends));
    say("mode of a pipe", fchmod(ends[1], 0240));
    printf("modes %o %o\n", mode_of(ends[0]), mode_of(ends[1]));
    say("owner of a pipe", fchown(ends[0], -1, getgid()));
    close(ends[0]);
    close(ends[1]);
    umask(022);
    say("name of a mode", bind(named, (struct sockaddr *)&address, sizeof address));
    say("mode of a name", fchmod(named, 0700));
    say("status of a name", stat(address.sun_path, &status));
    printf("modes %o %o\n", mode_of(named), status.st_mode);
    close(named);
}

/* Sends each pair's end by the next pair, and keeps only the last one. */
static void nested(void)
{
    int ends[2], inner[2];
    long sent = 0, count = 0;

    pair(SOCK_STREAM, inner);
    while (sent >= 0 && count < 100000) {
        pair(SOCK_STREAM, ends);
        sent = send_files(ends[0], inner, 2, "x");
        close(inner[0]);
        close(inner[1]);
        inner[0] = ends[0];
        inner[1] = ends[1];
        count += 2;
    }
    say("nested", sent);
    say("sent", count);
}

int main(int count, char **arguments)
{
    if (count > 1) {
        nested();
        return 0;
    }
    streams();
    packets(SOCK_SEQPACKET);
    packets(SOCK_DGRAM);
    broken();
    between_threads();
    interrupted();
    wait_for_all();
    between_processes();
    descriptors();
    names(SOCK_STREAM);
    names(SOCK_SEQPACKET);
    abstract();
    many();
    epolls();
    errors();
    modes();
    say("the end", 0);
    return 0;
}
