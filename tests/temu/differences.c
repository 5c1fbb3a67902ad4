/* Where the user environment differs from Linux, so that a run does not depend on the host:
 * mappings of files, system calls for several processes, owners, devices, pipes.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O1 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t.elf %s
 * RUN: rm -rf %t && mkdir -p %t/dev && echo inside >%t/file && mkfifo %t/fifo && echo mine >%t/dev/null
 * RUN: %temu --root %t %t.elf | FileCheck %s --match-full-lines
 * RUN: grep -x mine %t/dev/null
 *
 * CHECK: shared code -1
 * CHECK-NEXT: private mapping 105
 * CHECK-NEXT: after the end 0
 * CHECK-NEXT: on a whole page 0
 * CHECK-NEXT: wiped by fork -22
 * CHECK-NEXT: removed -22
 * CHECK-NEXT: not for a child 0
 * CHECK-NEXT: execve -13
 * CHECK-NEXT: rseq -38
 * CHECK-NEXT: owner 1000
 * CHECK-NEXT: changed 0
 * CHECK-NEXT: another owner -1
 * CHECK-NEXT: number changes by renaming 1
 * CHECK-NEXT: device 3
 * CHECK-NEXT: read from it 0
 * CHECK-NEXT: fifo that nobody writes -35
 * CHECK-NEXT: through the stream's name
 * CHECK-NEXT: fills the pipe 65536
 * CHECK-NEXT: nobody reads it -35
 * CHECK-NEXT: splice to a device -22
 * CHECK-NEXT: tee -22
 * CHECK-NEXT: splice from nowhere -9
 */
#include "guest.h"

enum { FCHOWN = 55, PIPE2 = 59, SPLICE = 76, TEE = 77, EXECVE = 221, RSEQ = 293 };
enum { REMOVE = 9, DONT_FORK = 10, WIPE_ON_FORK = 18 };
enum { READ_WRITE = 2, SHARED = 1, PRIVATE = 2 };

static char room[65536];

struct status {
    unsigned long device, number;
    unsigned mode, links, user, group;
    unsigned long rest[12];
};

static void test_mappings(void)
{
    long file = CALL(OPENAT, -100, "file", READ_WRITE);

    print_number("shared code", CALL(MMAP, 0, 4096, 7, SHARED, file, 0));
    const char *text = (const char *)CALL(MMAP, 0, 3 * 4096, 3, PRIVATE, file, 0);
    print_number("private mapping", text[0]);
    print_number("after the end", text[100]);
    print_number("on a whole page", text[2 * 4096]);
    print_number("wiped by fork", CALL(MADVISE, text, 4096, WIPE_ON_FORK));
    print_number("removed", CALL(MADVISE, text, 4096, REMOVE));
    print_number("not for a child", CALL(MADVISE, text, 4096, DONT_FORK));
    CALL(CLOSE, file);
}

static void test_processes(void)
{
    print_number("execve", CALL(EXECVE, "file", 0, 0)); /* which nobody may execute */
    print_number("rseq", CALL(RSEQ, 0, 0, 0, 0));
}

static void test_owners(void)
{
    struct status before = {.user = 1}, after = {.user = 1};
    long file = CALL(OPENAT, -100, "file", READ_WRITE);

    CALL(FSTAT, file, &before);
    print_number("owner", before.user);
    print_number("changed", CALL(FCHOWN, file, before.user, before.group));
    print_number("another owner", CALL(FCHOWN, file, 4242, 4242));
    CALL(CLOSE, file);
    CALL(RENAMEAT2, -100, "file", -100, "renamed", 0);
    CALL(NEWFSTATAT, -100, "renamed", &after, 0);
    print_number("number changes by renaming", before.number != after.number);
}

void _start(void)
{
    char byte;

    test_mappings();
    test_processes();
    test_owners();
    long device = CALL(OPENAT, -100, "/dev/null", READ_WRITE);
    print_number("device", device);
    print_number("read from it", CALL(READ, device, &byte, 1));
    print_number("fifo that nobody writes", CALL(OPENAT, -100, "fifo", 0));
    long stream = CALL(OPENAT, -100, "/dev/stdout", READ_WRITE);
    CALL(WRITE, stream, "through the stream's name\n", 26);
    int ends[2];
    CALL(PIPE2, ends, 0);
    print_number("fills the pipe", CALL(WRITE, ends[1], room, sizeof room));
    print_number("nobody reads it", CALL(WRITE, ends[1], room, 1));
    /* grep does so where nobody reads what it prints, and reads only if it gets EINVAL */
    print_number("splice to a device", CALL(SPLICE, ends[0], 0, device, 0, 100, 1));
    print_number("tee", CALL(TEE, ends[0], ends[1], 100, 0));
    print_number("splice from nowhere", CALL(SPLICE, 999, 0, device, 0, 100, 0));
    CALL(EXIT, 0);
}
