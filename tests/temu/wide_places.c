/* Programs reserve much more address space than they use: as much as Sv39 has. MariaDB reserves
 * 128 GiB, Coq 32.
 *
 * RUN: %gcc -O1 -static -o %t %s
 * RUN: for tier in auto interp translate; do timeout 60 %temu --tier=$tier %t > %t.$tier && cmp %t.auto %t.$tier || exit 1; done && FileCheck %s --match-full-lines < %t.auto
 * CHECK: reserved 0x2000000000
 * CHECK-NEXT: too much ENOMEM
 * CHECK-NEXT: low 0x300000000
 * CHECK-NEXT: last 0x3ffffff000
 * CHECK-NEXT: none ENOMEM
 * CHECK-NEXT: beyond EINVAL
 * CHECK-NEXT: 2000000000-3900000000 ---p 00000000 00:00 0
 * CHECK-NEXT: 3900000000-3900400000 rw-p 00000000 00:00 0
 * CHECK-NEXT: 3900400000-4000000000 ---p 00000000 00:00 0
 * CHECK-NEXT: sum 137438691328
 * CHECK-NEXT: in the child 137438691328 1
 * CHECK-NEXT: after the child 0
 * CHECK-NEXT: free 0
 * CHECK-NEXT: signal 11
 *
 * A host with fewer addresses has only those below 16 GiB.
 * RUN: sh -c '%limit_memory 60000000; %temu %t; test $? = 0' | FileCheck %s --check-prefix=LESS
 * LESS: {{^reserved (ENOMEM|0x2000000000)$}}
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned long GIB = 1ul << 30, PAGE = 4096, USED = 4 << 20;

static void *map(const char *what, unsigned long place, unsigned long length, int protection,
                 int flags)
{
    void *found =
        mmap((void *)place, length, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

    if (found == MAP_FAILED)
        printf("%s %s\n", what, strerrorname_np(errno));
    else
        printf("%s %p\n", what, found);
    return found;
}

static unsigned long sum_words(volatile unsigned long *words, bool is_filled)
{
    unsigned long sum = 0;

    for (unsigned long i = 0; i < USED / sizeof *words; i++) {
        if (!is_filled)
            words[i] = i;
        sum += words[i];
    }
    return sum;
}

static void print_high_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[200];

    while (fgets(line, sizeof line, maps))
        if (strtoul(line, NULL, 16) >= 16 * GIB)
            fputs(line, stdout);
    fclose(maps);
}

int main(void)
{
    char *place = map("reserved", 0, 128 * GIB, PROT_NONE, MAP_NORESERVE),
         *used = place + 100 * GIB;
    int status;

    if (place == MAP_FAILED)
        return 0;
    map("too much", 0, 256 * GIB, PROT_NONE, MAP_NORESERVE);
    map("low", 0, 4 * GIB, PROT_NONE, MAP_NORESERVE);
    map("last", 256 * GIB - PAGE, PAGE, PROT_NONE, MAP_FIXED);
    map("none", 0, 128 * GIB, PROT_NONE, MAP_NORESERVE);
    map("beyond", 256 * GIB, PAGE, PROT_READ, MAP_FIXED);
    mprotect(used, USED, PROT_READ | PROT_WRITE);
    print_high_mappings();
    printf("sum %lu\n", sum_words((unsigned long *)used, false));
    fflush(stdout);
    if (fork() == 0) {
        unsigned long sum = sum_words((unsigned long *)used, true);
        *used = 1;
        printf("in the child %lu %d\n", sum, *used);
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    printf("after the child %d\n", *used);
    printf("free %d\n", munmap(place, 128 * GIB));
    fflush(stdout);
    if (fork() == 0)
        _exit(*(volatile char *)used);
    wait(&status);
    printf("signal %d\n", WTERMSIG(status));
    return 0;
}
