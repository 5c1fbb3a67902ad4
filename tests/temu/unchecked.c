/* Loads and stores that the host's memory management finds to fault, at many places in loops of
 * native code: the program's handler sees the address of each, and a loop goes on where it was.
 *
 * RUN: %gcc -O2 -static -o %t %s
 * QEMU 10 does not tell an address that the host does not have.
 * RUN: %qemu %t | grep -v "^wrong bits" > %t.qemu
 * RUN: for tier in interp optimize auto; do %temu --tier=$tier %t > %t.$tier && grep -v "^wrong bits" %t.$tier | cmp %t.qemu - || exit 1; done
 * RUN: cmp %t.interp %t.auto && cmp %t.optimize %t.auto
 * RUN: FileCheck %s < %t.auto
 * RUN: %qemu %t often | grep -v "^wrong bits" > %t.qemu && %temu %t often | grep -v "^wrong bits" | cmp %t.qemu -
 *
 * CHECK: upwards: at page +49152
 * CHECK-NEXT: misaligned: at page +49152
 * CHECK-NEXT: downwards: at page +4{{$}}
 * CHECK-NEXT: null: there
 * CHECK-NEXT: 4 GiB: there
 * CHECK-NEXT: wrong bits: there
 * CHECK-NEXT: the end: there
 * CHECK-NEXT: a far step: elsewhere
 * CHECK-NEXT: repaired {{[0-9]+}} times
 * CHECK-NEXT: after: at page
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile uintptr_t fault_address;
static char *page;
static int skipped;

static void jump_back(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    fault_address = (uintptr_t)info->si_addr;
    siglongjmp(back, 1);
}

/* Makes the page accessible, so that the access is executed again. */
static void repair(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    skipped++;
    mprotect((char *)((uintptr_t)info->si_addr & -4096ul), 4096, PROT_READ | PROT_WRITE);
}

static void on_fault(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};

    sigaction(SIGSEGV, &action, NULL);
}

__attribute__((noinline)) static uint64_t sum(const volatile uint64_t *at, long count, long step)
{
    uint64_t total = 0;

    for (long i = 0; i < count; i++, at += step)
        total += *at + at[1];
    return total;
}

__attribute__((noinline)) static void fill(volatile uint32_t *at, long count, uint32_t value)
{
    for (long i = 0; i < count; i++)
        at[i] = value;
}

static void expect_fault(const char *what, const volatile void *from, long step)
{
    on_fault(jump_back);
    if (sigsetjmp(back, 1) == 0) {
        sum(from, 100000, step);
        printf("%s: none\n", what);
    } else {
        intptr_t distance = (char *)fault_address - page;
        if (distance > -100000 && distance < 100000)
            printf("%s: at page %+ld\n", what, (long)distance);
        else
            printf("%s: %s\n", what, fault_address == (uintptr_t)from ? "there" : "elsewhere");
    }
}

int main(int argc, char **argv)
{
    int rounds =
        argc > 1 ? 300 : 60; /* with an argument, so many faults that temu checks each access */
    (void)argv;
    page = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(page, 1, 16 * 4096);
    on_fault(jump_back);        /* temu maps a page of its own for handlers */
    for (int i = 0; i < 3; i++) /* the loop is native code by then */
        sum((void *)page, 1000, 1);
    munmap(page + 12 * 4096, 4096);
    expect_fault("upwards", page, 1);
    expect_fault("misaligned", page + 1, 1);
    mprotect(page, 4096, PROT_NONE);
    expect_fault("downwards", page + 4 * 4096 + 4, -512);
    expect_fault("null", NULL, 1);
    expect_fault("4 GiB", (void *)(UINT64_C(1) << 46), 1);
    expect_fault("wrong bits", (void *)((uintptr_t)page + (UINT64_C(1) << 45)), 1);
    expect_fault("the end", (void *)-16l, 1);
    expect_fault("a far step", page + 4 * 4096, 1l << 40);

    /* A handler that repairs: 11 pages, read and written, many times. */
    on_fault(repair);
    uint64_t total = 0;
    for (int round = 0; round < rounds; round++) {
        mprotect(page + 4096, 11 * 4096, round % 3 == 0 ? PROT_NONE : PROT_READ);
        if (round % 2)
            fill((void *)(page + 4096), 11 * 1024, (uint32_t)round);
        else
            total += sum((void *)(page + 4096), 11 * 512 - 1, 1);
    }
    printf("repaired %d times, %#lx\n", skipped, (unsigned long)total);

    /* A page that can be executed only, and one that can be written only. */
    mprotect(page + 4096, 4096, PROT_EXEC);
    mprotect(page + 8192, 4096, PROT_WRITE);
    fill((void *)(page + 8192), 1024, 7);
    mprotect(page + 8192, 4096, PROT_NONE);
    expect_fault("after", page + 12288, -512);
    return 0;
}
