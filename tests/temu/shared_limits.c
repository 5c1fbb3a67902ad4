/* Files in memory that are mapped to be shared have limits of their own. A program that exceeds
 * them gets errors, and can go on when it has given something back.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -w -o %t.elf %s
 * RUN: printf 'memory: {size: 32M, files: 4M}\n' >%t.yaml && %temu --machine=%t.yaml %t.elf | FileCheck %s --match-full-lines
 * CHECK: file of 4 MiB: Success
 * CHECK-NEXT: one of 5 MiB: No space left on device
 * CHECK-NEXT: after its end: signal 7
 * CHECK-NEXT: it counts where it is mapped: 1
 * CHECK-NEXT: mapping longer than memory: Cannot allocate memory
 * CHECK-NEXT: mappings {{10[0-9][0-9]}}: Cannot allocate memory
 * CHECK-NEXT: a hole in one: Cannot allocate memory
 * CHECK-NEXT: another mapping over it: Cannot allocate memory
 * CHECK-NEXT: its end: Success
 * CHECK-NEXT: after one has gone: Success
 * CHECK-NEXT: processes {{[0-9]+}}: Cannot allocate memory
 * CHECK-NEXT: after they have gone: Success
 * CHECK-NEXT: files 900
 * CHECK-NEXT: executable: Operation not permitted
 * CHECK-NEXT: made executable: Permission denied
 *
 * RUN: printf 'memory: {size: 64M, files: 32M}\n' >%t.yaml && %temu --machine=%t.yaml %t.elf files | FileCheck %s --match-full-lines --check-prefix=FILES
 * FILES: files 4096: Cannot allocate memory
 * FILES-NEXT: after one has gone: Success
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, BOTH = PROT_READ | PROT_WRITE, MOST = 5000 };

static sigjmp_buf recovery;
static char *mappings[MOST];

static void recover(int number)
{
    siglongjmp(recovery, number);
}

static void say(const char *what, int failed)
{
    printf("%s: %s\n", what, strerror(failed ? errno : 0));
    fflush(stdout);
}

static char *map(int file, long length)
{
    return mmap(NULL, length, BOTH, MAP_SHARED, file, 0);
}

static void test_lengths(void)
{
    int file = memfd_create("large", 0);
    long free_bytes[2];

    say("file of 4 MiB", ftruncate(file, 4 << 20));
    say("one of 5 MiB", ftruncate(file, 5 << 20));
    char *bytes = map(file, 6 << 20);
    memset(bytes, 1, 4 << 20);
    int number = sigsetjmp(recovery, 1);
    if (number == 0)
        bytes[4 << 20] = 1;
    printf("after its end: signal %d\n", number);
    munmap(bytes, 6 << 20);
    for (int i = 0; i < 2; i++) { /* how much can be mapped besides, in MiB */
        long count = 0;
        char *pieces[64];
        while ((pieces[count] = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                                     0)) != MAP_FAILED)
            count++;
        free_bytes[i] = count;
        while (count)
            munmap(pieces[--count], 1 << 20);
        bytes = map(file, 3 << 20);
    }
    printf("it counts where it is mapped: %d\n", free_bytes[0] - free_bytes[1] == 3);
    munmap(bytes, 3 << 20);
    say("mapping longer than memory", map(file, 40 << 20) == MAP_FAILED);
    close(file);
}

static void test_mappings(void)
{
    int file = memfd_create("mapped", 0), count = 0, children = 0;

    ftruncate(file, 3 * PAGE);
    while ((mappings[count] = map(file, 3 * PAGE)) != MAP_FAILED)
        count++;
    printf("mappings %d: %s\n", count, strerror(errno));
    char *middle = mappings[10] + PAGE;
    say("a hole in one", munmap(middle, PAGE));
    say("another mapping over it",
        mmap(middle, PAGE, BOTH, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED);
    say("its end", munmap(middle + PAGE, PAGE));
    munmap(mappings[--count], 3 * PAGE);
    say("after one has gone", munmap(mappings[11] + PAGE, PAGE));
    pid_t child;
    fflush(stdout);
    while ((child = fork()) > 0)
        children++;
    if (child == 0)
        for (;;)
            pause();
    printf("processes %d: %s\n", children, strerror(errno));
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
    for (int i = 0; i < children; i++)
        wait(NULL);
    child = fork();
    if (child == 0)
        _exit(0);
    say("after they have gone", child < 0);
    wait(NULL);
    while (count)
        munmap(mappings[--count], 3 * PAGE);
    close(file);
}

/* Files that are gone do not count any more. */
static void test_short_files(void)
{
    int count = 0;

    for (int i = 0; i < 900; i++) {
        int file = memfd_create("short", 0);
        ftruncate(file, PAGE);
        char *bytes = map(file, PAGE);
        close(file);
        if (bytes == MAP_FAILED || bytes[0])
            break;
        bytes[0] = 1;
        count++;
        if (i % 2)
            munmap(bytes, PAGE);
    }
    printf("files %d\n", count);
}

static void test_code(void)
{
    int file = memfd_create("code", 0);

    ftruncate(file, PAGE);
    say("executable", mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0) == MAP_FAILED);
    say("made executable", mprotect(map(file, PAGE), PAGE, PROT_READ | PROT_EXEC));
}

static void test_files(void)
{
    char name[40];
    int count = 0, file;

    for (;; count++) {
        sprintf(name, "/dev/shm/%d", count);
        file = open(name, O_RDWR | O_CREAT, 0600);
        char *bytes = map(file, PAGE);
        if (bytes == MAP_FAILED)
            break;
        munmap(bytes, PAGE);
        close(file);
    }
    printf("files %d: %s\n", count, strerror(errno));
    unlink("/dev/shm/0");
    say("after one has gone", map(file, PAGE) == MAP_FAILED);
}

int main(int count, char **arguments)
{
    if (count > 1) {
        test_files();
        return 0;
    }
    signal(SIGBUS, recover);
    test_lengths();
    test_mappings();
    test_short_files();
    test_code();
    return 0;
}
