/* sched_yield gives the turn to another thread, or to another process if there is no such thread:
 * two that wait for each other by it go on at once. A turn that lasts until its end takes a million
 * instructions of a process.
 *
 * RUN: %gcc -O1 -static -pthread -D_GNU_SOURCE -o %t %s && %qemu %t | FileCheck %s
 * RUN: for tier in interp auto translate; do %temu --tier=$tier --max-insns=2000000 %t | FileCheck %s || exit 1; done
 * RUN: %temu --trace=/dev/null --max-insns=2000000 %t | FileCheck %s
 * CHECK: processes 2000
 * CHECK-NEXT: threads 2000
 * CHECK-NEXT: a thread that sleeps 2000
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 1000 };

static volatile int *number;

/* Two take turns: one makes odd numbers, the other one even ones. */
static void count(int is_even)
{
    for (int i = 0; i < TIMES; i++) {
        while (*number != 2 * i + is_even)
            sched_yield();
        ++*number;
    }
}

static void *count_even(void *unused)
{
    count(1);
    return unused;
}

static void *wait_for_end(void *end)
{
    char byte;

    read(*(int *)end, &byte, 1);
    return NULL;
}

static void count_in_processes(const char *text)
{
    *number = 0;
    if (fork() == 0) {
        count(1);
        _exit(0);
    }
    count(0);
    wait(NULL);
    printf("%s %d\n", text, *number);
    fflush(stdout);
}

int main(void)
{
    pthread_t thread;
    int ends[2];

    number = mmap(NULL, sizeof *number, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    count_in_processes("processes");

    *number = 0;
    pthread_create(&thread, NULL, count_even, NULL);
    count(0);
    pthread_join(thread, NULL);
    printf("threads %d\n", *number);
    fflush(stdout);

    pipe(ends);
    pthread_create(&thread, NULL, wait_for_end, &ends[0]);
    count_in_processes("a thread that sleeps");
    close(ends[1]);
    pthread_join(thread, NULL);
    return 0;
}
