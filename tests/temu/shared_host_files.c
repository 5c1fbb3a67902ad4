/* Shared mappings of files of the host: what other programs do with the file meanwhile, what ends
 * up in it, many of them, and those that can only be read. The program prints the same on the host,
 * where it is compiled for the host, and under temu, in every tier.
 *
 * RUN: rm -rf %t && mkdir -p %t/root/files %t/files && gcc -O1 -o %t/native %s && %gcc -O1 -static -o %t/root/program %s
 * RUN: %t/native %t/files > %t/expected && wc -l < %t/expected | FileCheck %s
 * RUN: for run in "%temu" "%temu --tier=interp" "ulimit -n 150; %temu --tier=translate" "%temu --stats=/dev/null"; do rm -f %t/root/files/*; \
 * RUN:   sh -c "$run --root=%t/root %t/root/program /files" > %t/found || exit 1; diff %t/expected %t/found || exit 1; diff -r %t/files %t/root/files || exit 1; done
 * CHECK: {{^[45][0-9]$}}
 *
 * Two programs, each in an emulator of its own, or one of them on the host:
 * RUN: for other in "%t/native %t/root/files" "%temu --root=%t/root %t/root/program /files"; do rm -f %t/root/files/grows; \
 * RUN:   { timeout 60 %temu --root=%t/root %t/root/program /files waits > %t/waited & } ; sh -c "$other writes" && wait && FileCheck --check-prefix=WAITED --input-file=%t/waited %s || exit 1; done
 * WAITED: begins{{$}}
 * WAITED-NEXT: third page{{$}}
 * WAITED-NEXT: read: 10{{$}}
 *
 * A file that becomes shorter behind temu's back ends it, with an error:
 * RUN: { not timeout 60 %temu --root=%t/root %t/root/program /files loses > %t/lost 2>&1 & } ; for i in $(seq 1000); do test -s %t/root/files/begun && break; sleep 0.01; done
 * RUN: : > %t/root/files/loses; wait; FileCheck --check-prefix=LOST --input-file=%t/lost %s
 * LOST: there: 0
 * LOST: error: an input file was truncated while it was read
 */
#define _GNU_SOURCE
#include "say.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, BOTH = PROT_READ | PROT_WRITE };

static const char *directory;

static const char *path_of(const char *name)
{
    static char path[300];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static int open_file(const char *name, int flags)
{
    return open(path_of(name), flags, 0644);
}

static char *map(int file, long offset, long length, int protection)
{
    char *bytes = mmap(NULL, length, protection, MAP_SHARED, file, offset);

    if (bytes == MAP_FAILED)
        perror("mmap");
    return bytes;
}

static sigjmp_buf recovery;
static volatile int expected;

static void recover(int number)
{
    if (!expected)
        _exit(number);
    siglongjmp(recovery, number);
}

/* Reads the byte. Prints what happens. */
static void touch(const char *what, const volatile char *byte)
{
    int number = sigsetjmp(recovery, 1);

    expected = 1;
    say(what, number ? -number : *byte);
    expected = 0;
}

/* All ways to change the length of a file. */
static void test_length(void)
{
    int file = open_file("length", O_RDWR | O_CREAT), other = open_file("source", O_RDWR | O_CREAT);
    char *bytes = map(file, 0, 8 * PAGE, BOTH);

    ftruncate(other, PAGE);
    touch("empty", bytes);
    pwrite(file, "one", 3, 0);
    touch("by pwrite", bytes);
    sendfile(file, other, NULL, PAGE);
    touch("in its page", bytes + PAGE - 1);
    lseek(file, 2 * PAGE, SEEK_SET);
    lseek(other, 0, SEEK_SET);
    check("copy", copy_file_range(other, NULL, file, NULL, PAGE, 0));
    touch("by copy_file_range", bytes + 3 * PAGE - 1);
    check("truncate", truncate(path_of("length"), 4 * PAGE));
    touch("by truncate", bytes + 4 * PAGE - 1);
    touch("after it", bytes + 4 * PAGE);
    check("fallocate", posix_fallocate(file, 0, 5 * PAGE));
    touch("by posix_fallocate", bytes + 5 * PAGE - 1);
    int again = open_file("length", O_RDWR | O_TRUNC);
    touch("cut by open", bytes);
    check("append", write(again, "two", 3));
    touch("there again", bytes);
    strcpy(bytes + PAGE - 4, "end");
    check("longer", ftruncate(file, PAGE));
    touch("the end", bytes + PAGE - 4);
    munmap(bytes, 8 * PAGE);
    close(again);
    close(file);
    close(other);
}

/* What the program leaves in the file, of which the descriptor is closed. */
static void test_stores(void)
{
    int file = open_file("stores", O_RDWR | O_CREAT);

    ftruncate(file, 3 * PAGE - 100);
    char *bytes = map(file, 0, 3 * PAGE, BOTH), *second = map(file, PAGE, PAGE, BOTH);
    close(file);
    strcpy(bytes, "by the parent");
    pid_t child = fork();
    if (child == 0) {
        strcpy(second, "by the child");
        file = open_file("stores", O_RDWR);
        pwrite(file, "by a write", 10, 2 * PAGE);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    puts(bytes + PAGE);
    puts(bytes + 2 * PAGE);
    bytes[3 * PAGE - 1] = 'x'; /* after the end of the file */
    check("synchronize", msync(bytes, 3 * PAGE, MS_SYNC));
    check("rename", rename(path_of("stores"), "/nowhere/at/all"));
    char *private = mmap(NULL, PAGE, BOTH, MAP_PRIVATE, file = open_file("stores", O_RDONLY), 0);
    strcpy(private, "not in the file");
    puts(bytes);
    munmap(bytes, PAGE);
    bytes = mremap(bytes + PAGE, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE);
    puts(bytes);
    touch("no more pages", bytes + 2 * PAGE);
    strcpy(bytes + 50, "after a move");
    puts(second + 50);
    close(file);
}

/* A mapping of a descriptor that only reads: it cannot be written, but follows the file. */
static void test_reading(void)
{
    int file = open_file("reading", O_RDWR | O_CREAT), reads = open_file("reading", O_RDONLY);

    ftruncate(file, 4 * PAGE);
    char *bytes = map(reads, 0, 8 * PAGE, PROT_READ), *writes = map(file, 0, 4 * PAGE, BOTH);
    strcpy(writes + PAGE, "followed");
    puts(bytes + PAGE);
    check("not written", mprotect(bytes, PAGE, BOTH));
    check("read into", pread(file, bytes, 1, 0));
    check("no access", mprotect(bytes, PAGE, PROT_NONE));
    touch("none", bytes);
    check("access", mprotect(bytes, PAGE, PROT_READ));
    touch("some", bytes);
    /* So many changes that an emulator would rather look at each access itself. */
    char *many = mmap(NULL, 64 * PAGE, BOTH, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 200000; i++)
        mprotect(many + i % 64 * PAGE, PAGE, i / 64 % 2 ? BOTH : PROT_READ);
    touch("after many changes", bytes + PAGE);
    strcpy(writes + 2 * PAGE, "still followed");
    puts(bytes + 2 * PAGE);
    ftruncate(file, 6 * PAGE);
    pid_t child = fork();
    if (child == 0) {
        pwrite(file, "by the child", 13, 5 * PAGE);
        touch("in the child", bytes + 2 * PAGE);
        fflush(stdout);
        _exit(0);
    }
    fflush(stdout);
    waitpid(child, NULL, 0);
    puts(bytes + 5 * PAGE);
    bytes = mremap(bytes, 8 * PAGE, 16 * PAGE, MREMAP_MAYMOVE);
    puts(bytes + 5 * PAGE);
    touch("moved", bytes + 6 * PAGE);
    /* Pages of data that become code, and the other way round. */
    char *own = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, reads, PAGE);
    puts(own);
    close(file);
    close(reads);
}

/* More files than are open, and more mappings than temu has of this kind. */
static void test_many(void)
{
    char name[20];
    int sum = 0;

    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "many%d", i % 200);
        int file = open_file(name, O_RDWR | O_CREAT);
        ftruncate(file, PAGE);
        char *bytes = map(file, 0, PAGE, BOTH);
        close(file);
        bytes[0]++;
        sum += bytes[0];
        munmap(bytes, PAGE);
    }
    say("sum", sum);
    sum = 0;
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "many%d", i % 100);
        int file = open_file(name, O_RDONLY);
        sum += map(file, 0, PAGE, PROT_READ)[0];
        close(file);
    }
    say("mapped at once", sum);
}

/* ---- two programs ---- */

static int wait_for_growth(void)
{
    int file = open_file("grows", O_RDWR | O_CREAT);
    const volatile char *bytes = map(file, 0, 8 * PAGE, PROT_READ);

    puts("begins");
    while (pread(file, (char[1]){0}, 1, 0) != 1) /* it is empty */
        ;
    while (*bytes != 'w')
        ;
    puts((const char *)bytes + 2 * PAGE);
    say("read", pread(file, (char[10]){0}, 10, 2 * PAGE));
    return 0;
}

static int grow(void)
{
    int file = open_file("grows", O_RDWR | O_CREAT);

    ftruncate(file, 1);
    char *bytes = map(file, 0, 3 * PAGE, BOTH);
    usleep(200000);
    ftruncate(file, 3 * PAGE);
    strcpy(bytes + 2 * PAGE, "third page");
    __atomic_store_n(bytes, 'w', __ATOMIC_RELEASE);
    return 0;
}

/* Reads a page until it is gone. */
static int lose(void)
{
    int file = open_file("loses", O_RDWR | O_CREAT);

    ftruncate(file, 4 * PAGE);
    const volatile char *bytes = map(file, 0, 4 * PAGE, PROT_READ);
    say("there", bytes[3 * PAGE]);
    fflush(stdout);
    write(open_file("begun", O_RDWR | O_CREAT), "1", 1);
    for (;;)
        (void)bytes[3 * PAGE];
}

int main(int count, char **arguments)
{
    directory = arguments[1];
    if (count > 2)
        return arguments[2][0] == 'w' && arguments[2][1] == 'a' ? wait_for_growth()
               : arguments[2][0] == 'w'                         ? grow()
                                                                : lose();
    signal(SIGBUS, recover);
    signal(SIGSEGV, recover);
    test_length();
    test_stores();
    test_reading();
    test_many();
    return 0;
}
