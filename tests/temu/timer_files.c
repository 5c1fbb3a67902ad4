/* Timers that are files (timerfd), and what calls say of them, eventfds and epolls. The output is
 * that of Linux on the host and of qemu-riscv64.
 *
 * RUN: %gcc -O1 -static -pthread -D_GNU_SOURCE -w -o %t %s && gcc -O1 -pthread -D_GNU_SOURCE -w -o %t.native %s
 * RUN: %t.native >%t.host && FileCheck %s <%t.host && %qemu %t | diff %t.host -
 * RUN: for how in --tier=interp --tier=translate --trace=/dev/null; do %temu $how %t | diff %t.host - || exit 1; done
 *
 * CHECK: read 8, expired 1, then 0.000000000
 * CHECK-NEXT: periodic: expired 3 or more 1, interval 0.002000000, in an interval 1
 * CHECK-NEXT: without waiting -1 11, after it 8
 * CHECK-NEXT: poll 0, then 1 with 1, and again 0
 * CHECK-NEXT: absolute 1, past 1
 * CHECK-NEXT: epoll 1 with 7; by edge 1, 0
 * CHECK-NEXT: of closed files 0, of the next 0
 * CHECK-NEXT: the other thread set it: 1
 * CHECK-NEXT: two waited: 1 1
 * CHECK-NEXT: errors 22 22 22 22 9 22 22 22
 * CHECK-NEXT: anon_inode:[timerfd]: mode 600, size 0, seek 0 0, at a place 29 29, length 22
 * CHECK-NEXT: anon_inode:[eventfd]: mode 600, size 0, seek 0 0, at a place 29 29, length 22
 * CHECK-NEXT: anon_inode:[eventpoll]: mode 600, size 0, seek 0 0, at a place 29 29, length 22
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int shared;

/* Times are in nanoseconds. A timer that has to be seen before it expires expires in an hour: the
 * host may be slow. */
static void set(int fd, long first, long interval)
{
    const struct itimerspec time = {{0, interval}, {first / 1000000000, first % 1000000000}};

    if (timerfd_settime(fd, 0, &time, NULL))
        perror("timerfd_settime");
}

static const long HOUR = 3600 * 1000000000L;

static int make(long first, long interval, int flags)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, flags);

    set(fd, first, interval);
    return fd;
}

static uint64_t take(int fd)
{
    uint64_t count = 0;

    return read(fd, &count, sizeof count) == sizeof count ? count : 0;
}

static void test_read(void)
{
    struct itimerspec left;
    int fd = make(2000000, 0, 0);
    uint64_t count;

    int got = read(fd, &count, sizeof count);
    timerfd_gettime(fd, &left);
    printf("read %d, expired %lu, then %ld.%09ld\n", got, count, left.it_value.tv_sec,
           left.it_value.tv_nsec);
    close(fd);
    fd = make(2000000, 2000000, 0);
    usleep(7000);
    count = take(fd);
    timerfd_gettime(fd, &left);
    printf("periodic: expired 3 or more %d, interval %ld.%09ld, in an interval %d\n", count >= 3,
           left.it_interval.tv_sec, left.it_interval.tv_nsec,
           left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 2000000);
    close(fd);
    fd = make(HOUR, 0, TFD_NONBLOCK);
    got = read(fd, &count, sizeof count);
    printf("without waiting %d %d, ", got, errno);
    set(fd, 5000000, 0);
    usleep(6000);
    printf("after it %ld\n", (long)read(fd, &count, sizeof count));
    close(fd);
}

static void test_poll(void)
{
    int fd = make(HOUR, 0, 0);
    struct pollfd polled = {fd, POLLIN};

    printf("poll %d, ", poll(&polled, 1, 1));
    set(fd, 20000000, 0);
    int found = poll(&polled, 1, -1);
    printf("then %d with %d, ", found, polled.revents);
    take(fd);
    printf("and again %d\n", poll(&polled, 1, 1));
    close(fd);
}

static void test_absolute(void)
{
    struct timespec now;
    struct itimerspec time = {0}, past = {{0, 0}, {0, 1}};
    int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);

    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_nsec += 2000000;
    if (now.tv_nsec >= 1000000000)
        now.tv_sec++, now.tv_nsec -= 1000000000;
    time.it_value = now;
    timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, NULL);
    printf("absolute %lu, ", take(fd));
    timerfd_settime(fd, TFD_TIMER_ABSTIME, &past, NULL);
    printf("past %lu\n", take(fd));
    close(fd);
}

static void test_epoll(void)
{
    int fd = make(2000000, 0, 0), epoll = epoll_create1(0);
    struct epoll_event event = {EPOLLIN, {.u64 = 7}}, found;

    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    int count = epoll_wait(epoll, &found, 1, -1);
    printf("epoll %d with %lu; ", count, found.data.u64);
    take(fd);
    event.events = EPOLLIN | EPOLLET;
    epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event);
    const struct itimerspec time = {{3600, 0}, {0, 1000000}};
    timerfd_settime(fd, 0, &time, NULL);
    int first = epoll_wait(epoll, &found, 1, -1), second = epoll_wait(epoll, &found, 1, 1);
    printf("by edge %d, %d\n", first, second);
    close(fd);
    /* The entry of a closed file does not become that of the next file. */
    int found_closed = 0, refused = 0;
    event.events = EPOLLIN;
    for (int i = 0; i < 20; i++) {
        fd = make(1, 0, 0);
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
        close(fd);
        fd = make(1, 0, 0);
        found_closed += epoll_wait(epoll, &found, 1, i == 0);
        refused -= epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
        close(fd);
    }
    printf("of closed files %d, of the next %d\n", found_closed, refused);
    close(epoll);
}

static void *set_late(void *argument)
{
    usleep(3000);
    set(shared, 1000000, 0);
    return NULL;
}

static void *wait_for(void *argument)
{
    return (void *)take((long)argument);
}

static void test_threads(void)
{
    pthread_t thread, other;
    void *first, *second;

    shared = timerfd_create(CLOCK_MONOTONIC, 0);
    pthread_create(&thread, NULL, set_late, NULL);
    printf("the other thread set it: %lu\n", take(shared));
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, wait_for, (void *)(long)make(4000000, 0, 0));
    pthread_create(&other, NULL, wait_for, (void *)(long)make(2000000, 0, 0));
    pthread_join(thread, &first);
    pthread_join(other, &second);
    printf("two waited: %ld %ld\n", (long)first, (long)second);
}

static int result(long value)
{
    return value < 0 ? errno : 0;
}

static void test_errors(void)
{
    const struct itimerspec bad = {{0, 0}, {0, 1000000000}}, good = {{0, 0}, {0, 0}};
    int fd = timerfd_create(CLOCK_MONOTONIC, 0), event = eventfd(0, 0);
    uint64_t count = 1;

    printf("errors %d", result(timerfd_create(77, 0)));
    printf(" %d", result(timerfd_create(CLOCK_MONOTONIC, 1)));
    printf(" %d", result(timerfd_settime(fd, 0, &bad, NULL)));
    printf(" %d", result(timerfd_settime(fd, 64, &good, NULL)));
    printf(" %d", result(timerfd_settime(999, 0, &good, NULL)));
    printf(" %d", result(timerfd_settime(event, 0, &good, NULL)));
    printf(" %d", result(read(fd, &count, 4)));
    printf(" %d\n", result(write(fd, &count, 8)));
}

static int error_of(long result)
{
    return result < 0 ? errno : 0;
}

/* What calls say of a file that no path leads to. */
static void test_status(int fd)
{
    char name[32], link[32] = "";
    struct stat status = {0};
    uint64_t value = 0;

    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (readlink(name, link, sizeof link - 1) < 0 || fstat(fd, &status) < 0)
        perror(name);
    printf("%s: mode %o, size %d, seek %d %d, at a place %d %d, length %d\n", link, status.st_mode,
           (int)status.st_size, error_of(lseek(fd, 0, SEEK_CUR)), error_of(lseek(fd, 5, SEEK_SET)),
           error_of(pread(fd, &value, sizeof value, 0)),
           error_of(pwrite(fd, &value, sizeof value, 0)), error_of(ftruncate(fd, 0)));
    close(fd);
}

int main(void)
{
    test_read();
    test_poll();
    test_absolute();
    test_epoll();
    test_threads();
    test_errors();
    test_status(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
    test_status(eventfd(0, EFD_NONBLOCK));
    test_status(epoll_create1(0));
    return 0;
}
