/* mremap to a place that the program names, as Linux does it: what is there is replaced, and the
 * code that was decoded from both places is forgotten.
 *
 * RUN: %gcc -O1 -static -o %t %s
 * RUN: %qemu %t > %t.qemu && FileCheck %s --check-prefix=LINUX < %t.qemu
 * RUN: for tier in interp auto translate optimize; do %temu --tier=$tier %t > %t.out && cmp %t.qemu %t.out || exit 1; done
 * RUN: %temu --timing --timing-file=%t.timing %t > %t.out && cmp %t.qemu %t.out
 *
 * LINUX: code: 2 1
 * LINUX: differing pages: {{.*}} -1 14
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PLACES = 32, MOVE = MREMAP_MAYMOVE | MREMAP_FIXED };

static char *places; /* addresses for the test */
static sigjmp_buf fault;

static void caught(int number)
{
    siglongjmp(fault, number);
}

/* Shows which pages are there, and their first bytes. */
static void show(const char *what, int64_t result)
{
    printf("%s: %lld %d:", what,
           result < 0 ? (long long)result : (long long)(result - (int64_t)places) / PAGE,
           result < 0 ? errno : 0);
    for (int i = 0; i < PLACES; i++) {
        if (sigsetjmp(fault, 1) == 0)
            printf(" %d", *(volatile char *)(places + i * PAGE));
        else
            printf(" .");
    }
    putchar('\n');
}

static void map(int place, int pages)
{
    char *at = mmap(places + place * PAGE, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

    for (int i = 0; i < pages; i++)
        at[i * PAGE] = (char)(place + i + 1);
}

static void move(const char *what, int from, int old, int to, int new, int flags)
{
    errno = 0;
    show(what, (int64_t)mremap(places + from * PAGE, (size_t)old * PAGE, (size_t) new *PAGE, flags,
                               places + to * PAGE));
}

static void start(void)
{
    munmap(places, PLACES * PAGE);
    map(0, 4);
    map(8, 4);
}

static int call(const char *code)
{
    int sum = 0;

    for (int i = 0; i < 1000; i++)
        sum += ((int (*)(void))code)();
    return sum / 1000;
}

/* Makes a page of code that returns the number. */
static char *make_code(int place, unsigned number)
{
    const uint32_t code[] = {0x00000513 | number << 20, 0x00008067}; /* li a0, number; ret */
    char *at = places + place * PAGE;

    map(place, 1);
    memcpy(at, code, sizeof code);
    mprotect(at, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
    __builtin___clear_cache(at, at + sizeof code);
    return at;
}

static void test_code(void)
{
    start();
    char *first = make_code(16, 1), *second = make_code(20, 2);
    int before = call(first) * 10 + call(second);
    mremap(second, PAGE, PAGE, MOVE, first);
    int moved = call(first);
    second = make_code(20, 3);
    printf("before: %d, after: %d, made again: %d\n", before, moved, call(second));
    mremap(second, PAGE, PAGE, MOVE, places + 24 * PAGE);
    show("without code", sigsetjmp(fault, 1) == 0 ? call(second) : (int64_t)second);
    printf("code: %d", moved);
    mremap(make_code(20, 1), PAGE, 2 * PAGE, MOVE, first);
    printf(" %d\n", call(first));
}

int main(void)
{
    const int signals[] = {SIGSEGV, SIGBUS};

    for (int i = 0; i < 2; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = caught}, NULL);
    places = mmap(NULL, PLACES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    test_code();
    start();
    move("to a free place", 0, 4, 16, 4, MOVE);
    start();
    move("over a mapping", 0, 2, 9, 2, MOVE);
    start();
    move("longer", 0, 2, 9, 7, MOVE);
    start();
    move("shorter", 0, 4, 18, 1, MOVE);
    start();
    move("shorter, with a gap after it", 2, 6, 18, 1, MOVE);
    start();
    move("into itself", 0, 4, 2, 2, MOVE);
    move("into itself, from below", 2, 2, 0, 3, MOVE);
    move("to itself", 0, 1, 0, 1, MOVE);
    move("next to it", 0, 2, 2, 2, MOVE);
    start();
    move("nothing mapped", 5, 1, 16, 1, MOVE);
    move("mapped in part, and longer", 2, 4, 16, 5, MOVE);
    start();
    move("without MREMAP_MAYMOVE", 0, 1, 16, 1, MREMAP_FIXED);
    errno = 0;
    show("not a page", (int64_t)mremap(places, PAGE, PAGE, MOVE, places + 1));
    mprotect(places, PAGE, PROT_READ);
    move("read only", 0, 1, 16, 2, MOVE);
    if (sigsetjmp(fault, 1) == 0)
        places[17 * PAGE] = 1;
    show("a write to it", (int64_t)places);
    start();
    mprotect(places + PAGE, PAGE, PROT_NONE);
    move("differing pages, and longer", 0, 3, 16, 4, MOVE);
    errno = 0;
    void *result = mremap(places, 2 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
    printf("differing pages: elsewhere %d %d\n", result == MAP_FAILED ? -1 : 0, errno);
    return 0;
}
