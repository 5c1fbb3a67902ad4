/* An epoll has an entry until the file is closed by all descriptors and processes, and reports what
 * it does under Linux: the program prints the same on the host, where it is compiled for the host,
 * and under temu.
 *
 * RUN: rm -rf %t && mkdir -p %t && gcc -O1 -o %t/host %s && %gcc -O1 -static -o %t/program %s
 * RUN: %t/host > %t/expected && wc -l < %t/expected | FileCheck %s
 * RUN: for tier in interp auto translate; do \
 * RUN:   %temu --tier=$tier %t/program > %t/found || exit 1; diff %t/expected %t/found || exit 1; done
 * CHECK: {{^[5-9][0-9]$}}
 */
#define _GNU_SOURCE
#include "say.h"
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

static struct epoll_event found[8];

static long add(int epoll, int fd, uint32_t events, int number)
{
    struct epoll_event event = {events, {.u64 = (uint64_t)number}};

    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static long change(int epoll, int fd, uint32_t events)
{
    struct epoll_event event = {events, {.u64 = 0}};

    return epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event);
}

static void look(const char *what, int epoll)
{
    long count = check(what, epoll_wait(epoll, found, 8, 0));

    if (count == 1)
        say("events", found[0].events);
}

static void end_child(int child)
{
    int status;

    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        say("status of a child", status);
}

/* The epoll knows a file as long as it is open, by whatever descriptor. */
static void close_descriptors(void)
{
    int epoll = epoll_create1(0), ends[2];
    char byte;

    pipe(ends);
    int copy = dup(ends[0]);
    add(epoll, ends[0], EPOLLIN, 1);
    write(ends[1], "a", 1);
    close(ends[0]);
    look("closed, with a copy", epoll);
    check("remove by the closed descriptor", epoll_ctl(epoll, EPOLL_CTL_DEL, ends[0], NULL));
    int other = eventfd(1, 0); /* takes the place of the descriptor */
    check("the same descriptor again", add(epoll, other, EPOLLIN, 2));
    look("two files", epoll);
    close(copy);
    look("one is closed", epoll);
    say("data", (long)found[0].data.u64);

    pipe(ends);
    check("add", add(epoll, ends[0], EPOLLIN, 3));
    int child = fork();
    if (child == 0) {
        close(other);
        close(ends[0]);
        epoll_wait(epoll, found, 8, 0);
        epoll_ctl(epoll, EPOLL_CTL_DEL, 77, found);
        write(ends[1], "b", 1);
        _exit(epoll_wait(epoll, found, 8, 0) != 2); /* both are open in the parent */
    }
    end_child(child);
    look("a child has closed them", epoll);
    read(ends[0], &byte, 1);
    look("after a read", epoll);
}

/* The timer of a child that has closed its descriptor still ends its wait. */
static void wait_for_timer(void)
{
    int epoll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const struct itimerspec soon = {{0, 0}, {0, 1000000}};

    add(epoll, timer, EPOLLIN, 4);
    timerfd_settime(timer, 0, &soon, NULL);
    int child = fork();
    if (child == 0) {
        close(timer);
        _exit(epoll_wait(epoll, found, 8, -1) != 1);
    }
    end_child(child);
    look("timer", epoll);
}

/* Of an entry with EPOLLET, what is new is reported. */
static void tell_changes(void)
{
    int epoll = epoll_create1(0), ends[2], event = eventfd(0, EFD_NONBLOCK);
    uint64_t number = 1;

    pipe(ends);
    add(epoll, ends[0], EPOLLIN | EPOLLET, 1);
    look("nothing yet", epoll);
    write(ends[1], "a", 1);
    look("a byte", epoll);
    look("the same byte", epoll);
    close(ends[1]);
    look("end", epoll);
    look("the same end", epoll);
    change(epoll, ends[0], EPOLLIN | EPOLLONESHOT);
    look("once", epoll);
    look("not twice", epoll);
    change(epoll, ends[0], 0);
    look("end, unasked", epoll);
    close(ends[0]);

    add(epoll, event, EPOLLIN | EPOLLOUT | EPOLLET, 2);
    look("can be written", epoll);
    look("and nothing else", epoll);
    write(event, &number, sizeof number);
    look("written", epoll);
    read(event, &number, sizeof number);
    look("read", epoll);
    look("read before", epoll);
    change(epoll, event, EPOLLIN | EPOLLET);
    number = 2;
    write(event, &number, sizeof number);
    look("written again", epoll);
    read(event, &number, sizeof number);
    look("to be read only", epoll);
}

static void refuse_loops(void)
{
    int epolls[7], event = eventfd(0, 0);

    for (int i = 0; i < 7; i++)
        epolls[i] = epoll_create1(0);
    check("itself", add(epolls[0], epolls[0], EPOLLIN, 0));
    check("inside", add(epolls[0], epolls[1], EPOLLIN, 0));
    check("inside that", add(epolls[1], epolls[2], EPOLLIN, 0));
    check("a circle", add(epolls[2], epolls[0], EPOLLIN, 0));
    check("an event", add(epolls[2], event, EPOLLIN, 0));
    eventfd_write(event, 1);
    look("through all", epolls[0]);

    check("exclusive epoll", add(epolls[3], epolls[4], EPOLLIN | EPOLLEXCLUSIVE, 0));
    check("exclusive once", add(epolls[3], event, EPOLLIN | EPOLLEXCLUSIVE | EPOLLONESHOT, 0));
    check("exclusive", add(epolls[3], event, EPOLLIN | EPOLLEXCLUSIVE, 0));
    check("to be changed", change(epolls[3], event, EPOLLIN));
    check("to be changed to exclusive", change(epolls[2], event, EPOLLIN | EPOLLEXCLUSIVE));
    look("exclusive event", epolls[3]);
}

int main(void)
{
    close_descriptors();
    wait_for_timer();
    tell_changes();
    refuse_loops();
    return 0;
}
