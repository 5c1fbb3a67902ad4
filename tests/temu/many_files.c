/* A program may have as many descriptors open as Linux allows by default: poll and select find the
 * ready ones among them. The output is that of qemu-riscv64 with the same limit.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -o %t.elf %s
 * RUN: %temu %t.elf >%t.out
 * RUN: (ulimit -n 1024 && %qemu %t.elf) | diff %t.out -
 * RUN: FileCheck %s <%t.out
 * CHECK:      limit 1024
 * CHECK-NEXT: highest 702
 * CHECK-NEXT: poll 3
 * CHECK-NEXT: select 3: 3 203 633
 * CHECK-NEXT: closed -1 9
 * CHECK-NEXT: beyond -1 9
 * CHECK-NEXT: next 63
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

enum { PIPES = 350 };

int main(void)
{
    static int ends[PIPES][2];
    static struct pollfd polled[PIPES];
    struct rlimit limit;
    struct timeval none = {0};
    fd_set set;

    getrlimit(RLIMIT_NOFILE, &limit);
    printf("limit %d\n", (int)limit.rlim_cur);
    for (int i = 0; i < PIPES; i++) {
        if (pipe(ends[i]) < 0)
            perror("pipe");
        polled[i] = (struct pollfd){.fd = ends[i][0], .events = POLLIN};
    }
    printf("highest %d\n", ends[PIPES - 1][1]);
    for (int i = 0; i < PIPES; i++)
        if (i == 0 || i == 100 || i == 315)
            write(ends[i][1], "x", 1);
    printf("poll %d\n", poll(polled, PIPES, 0));

    FD_ZERO(&set);
    for (int i = 0; i < PIPES; i++)
        FD_SET(ends[i][0], &set);
    printf("select %d:", select(FD_SETSIZE, &set, NULL, NULL, &none));
    for (int fd = 0; fd < FD_SETSIZE; fd++)
        if (FD_ISSET(fd, &set))
            printf(" %d", fd);
    putchar('\n');

    close(ends[30][0]);
    FD_ZERO(&set);
    FD_SET(ends[30][0], &set);
    int ready = select(ends[30][0] + 1, &set, NULL, NULL, &none);
    printf("closed %d %d\n", ready, errno);
    FD_ZERO(&set);
    FD_SET(703, &set);
    ready = select(704, NULL, &set, NULL, &none);
    printf("beyond %d %d\n", ready, errno);
    printf("next %d\n", dup(0));
    return 0;
}
