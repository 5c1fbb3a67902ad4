/* System calls for memory, time and signals, and unknown ones. The results are those of Linux, and
 * the same on all hosts.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O1 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t %s
 * RUN: sh -c '%temu --trace-syscalls %t 2>%t.calls; test $? = 134' | FileCheck %s --match-full-lines
 * RUN: FileCheck %s --check-prefix=CALLS <%t.calls
 * RUN: sh -c '%temu --stats %t 2>/dev/null; test $? = 134' | FileCheck %s --match-full-lines
 *
 * CHECK: brk grows 8192
 * CHECK-NEXT: stored 77
 * CHECK-NEXT: brk too far 0
 * CHECK-NEXT: brk zeroed 0
 * CHECK-NEXT: mapped 123
 * CHECK-NEXT: protect 0
 * CHECK-NEXT: write into read-only -14
 * CHECK-NEXT: unmap 0
 * CHECK-NEXT: unmapped -14
 * CHECK-NEXT: map of a file -19
 * CHECK-NEXT: map of nothing -22
 * CHECK-NEXT: map of too much -12
 * CHECK-NEXT: unmap the scratchpad -22
 * CHECK-NEXT: protect nothing -12
 * CHECK-NEXT: time 0
 * CHECK-NEXT: time passes 1
 * CHECK-NEXT: bad clock -22
 * CHECK-NEXT: ioctl -25
 * CHECK-NEXT: lseek -29
 * CHECK-NEXT: vectors 6
 * CHECK-NEXT: unknown -38
 * CHECK-NEXT: pid 2
 * CHECK-NEXT: riscv64
 * CHECK-NEXT: random 16
 * CHECK-NEXT: kill another -3
 *
 * CALLS: temu: brk(0x0) = 0x
 * CALLS: temu: write(0x1, 0x{{[0-9a-f]+}}, 0x1000) = -14 (Bad address)
 * CALLS: temu: unknown system call 4000(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = -38 (Function not implemented)
 * CALLS: temu: kill(0x2, 0x6)
 * CALLS: ended by SIGABRT
 */
#include "guest.h"

static void test_break(void)
{
    char *start = (char *)CALL(BRK, 0);

    print_number("brk grows", CALL(BRK, start + 8192) - (long)start);
    start[8191] = 77;
    print_number("stored", start[8191]);
    print_number("brk too far", CALL(BRK, 0x7fffffffffff) - (long)start - 8192);
    CALL(BRK, start);
    CALL(BRK, start + 8192);
    print_number("brk zeroed", start[8191]);
}

static void test_mappings(void)
{
    volatile char *map = (char *)CALL(MMAP, 0, 8000, 3, 0x22, -1, 0);

    map[7999] = 123;
    print_number("mapped", map[7999]);
    print_number("protect", CALL(MPROTECT, map, 4096, 0));
    print_number("write into read-only", CALL(WRITE, 1, map, 4096));
    print_number("unmap", CALL(MUNMAP, map, 8192));
    print_number("unmapped", CALL(READ, 0, map, 1));
    print_number("map of a file", CALL(MMAP, 0, 4096, 3, 2, 0, 0));
    print_number("map of nothing", CALL(MMAP, 0, 0, 3, 0x22, -1, 0));
    print_number("map of too much", CALL(MMAP, 0, 1L << 40, 3, 0x22, -1, 0));
    print_number("unmap the scratchpad", CALL(MUNMAP, 0x40000000, 4096));
    print_number("protect nothing", CALL(MPROTECT, 0x70000000, 4096, 1));
}

static void test_time(void)
{
    long before[2], after[2];

    print_number("time", CALL(CLOCK_GETTIME, 1, before));
    CALL(CLOCK_GETTIME, 1, after);
    print_number("time passes", after[0] == 0 && after[1] > before[1] && after[1] < 1000000);
    print_number("bad clock", CALL(CLOCK_GETTIME, 99, before));
}

void _start(void)
{
    static char names[6][65], random[16];

    const struct {
        const char *base;
        long length;
    } vectors[] = {{"vec", 3}, {"", 0}, {"tor", 3}};

    test_break();
    test_mappings();
    test_time();
    print_number("ioctl", CALL(IOCTL, 1, 0x5401, 0));
    print_number("lseek", CALL(LSEEK, 1, 0, 0));
    print_number("vectors", CALL(WRITEV, 2, vectors, 3));
    print_number("unknown", CALL(4000, 1, 2, 3, 4, 5, 6));
    print_number("pid", CALL(GETPID, 0));
    CALL(UNAME, names);
    print(names[4]);
    print("\n");
    print_number("random", CALL(GETRANDOM, random, 16, 0));
    print_number("kill another", CALL(KILL, 1, 6));
    CALL(KILL, 2, 6);
    print("not reached\n");
}
