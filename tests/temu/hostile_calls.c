/* Every system call with random arguments: nothing outside of the root is accessed, the emulator
 * survives, and the results are the same every time.
 *
 * RUN: %gcc -DROUNDS=%soak{150|500} -march=rv64imafd -mabi=lp64d -O1 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t.elf %s
 * RUN: chmod -R u+rwx %t || true; rm -rf %t && mkdir -p %t/a/root/directory %t/b/root/directory && echo kept >%t/a/kept && echo kept >%t/b/kept
 * RUN: echo text >%t/a/root/file && echo text >%t/b/root/file && ln -s ../kept %t/a/root/link && ln -s ../kept %t/b/root/link
 * RUN: printf 'memory:\n  size: 16M\n  stack: 64K\n' >%t/small.yaml
 * RUN: %temu --machine=%t/small.yaml --trace-syscalls --root %t/a/root %t.elf </dev/null >%t.a 2>%t.calls.a
 * RUN: %temu --machine=%t/small.yaml --trace-syscalls --root %t/b/root %t.elf </dev/null >%t.b 2>%t.calls.b
 * RUN: cmp %t.a %t.b && cmp %t.calls.a %t.calls.b && grep -c '' %t.calls.a | FileCheck %s
 * CHECK: {{^[0-9][0-9][0-9][0-9]+$}}
 * RUN: tail -c 5 %t.a | FileCheck %s --check-prefix=DONE
 * DONE: done
 * RUN: test "$(cat %t/a/kept)" = kept && test "$(ls %t/a)" = "$(printf 'kept\nroot')"
 */
#include "guest.h"

static char buffer[512] = "file";
static char names[6][16] = {"file", "link", "directory", "../kept", "/", "directory/new"};

static unsigned long state = 12345;
static unsigned long next_random(void)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return state >> 33;
}

/* None of these is a page of the program, which could otherwise unmap itself. */
static long argument(void)
{
    static const long values[] = {0,
                                  1,
                                  2,
                                  3,
                                  4,
                                  8,
                                  16,
                                  24,
                                  64,
                                  100,
                                  4095,
                                  4096,
                                  65536,
                                  -1,
                                  -100,
                                  -4096,
                                  0x40000000,
                                  0x400ff000,
                                  0xfffff000,
                                  0x100000000,
                                  0x7fffffffffffffff,
                                  1l << 63,
                                  0x7ffffffffffff000,
                                  0x7fffffff,
                                  0x80000000,
                                  0777,
                                  0102,
                                  0x4000,
                                  999999};
    unsigned long choice = next_random() % 40;

    if (choice < sizeof values / sizeof *values)
        return values[choice];
    if (choice < 34)
        return (long)names[choice % 6];
    return choice < 39 ? (long)buffer + (long)(next_random() % 500) : (long)next_random();
}

/* Calls that would end the program: exit, signals to itself (those of timers are ignored), a return
 * without a signal handler, and unmapping its own code. */
static int is_end(long number, long address)
{
    if (number == MUNMAP || number == MREMAP || number == MMAP || number == MPROTECT ||
        number == MADVISE)
        return address >= 0 && address < 0x40000000;
    return number == EXIT || number == EXIT_GROUP || (number >= KILL && number <= TGKILL) ||
           number == RT_SIGRETURN || number == RT_SIGQUEUEINFO || number == RT_TGSIGQUEUEINFO;
}

/* Often an open directory or file, so that the call does not fail at once. */
static long first_argument(void)
{
    unsigned long choice = next_random() % 4;

    return choice == 0 ? -100 : choice == 1 ? 3 + (long)(next_random() % 4) : argument();
}

void _start(void)
{
    static const unsigned long ignore[3] = {1};

    CALL(RT_SIGACTION, 14, ignore, 0, 8);
    CALL(RT_SIGACTION, 26, ignore, 0, 8);
    CALL(RT_SIGACTION, 27, ignore, 0, 8);
    for (int round = 0; round < ROUNDS; round++) {
        for (long fd = 3; fd < 64; fd++)
            CALL(CLOSE, fd);
        CALL(OPENAT, -100, "file", 02 | 0100, 0666);
        CALL(OPENAT, -100, "directory", 0);
        for (long number = 0; number < 450; number++) {
            long a = first_argument(), b = argument(), c = argument(), d = argument(),
                 e = argument(), f = argument();
            if (is_end(number, a))
                continue;
            if ((number == CLOSE || number == CLOSE_RANGE) && (unsigned)a < 3)
                continue;
            if (number == DUP3 && (unsigned)b < 3)
                continue;
            if (number == CLONE) /* the signal at the end of the process is SIGCHLD */
                a = (a & ~0xffL) | 17;
            long result = CALL(number, a, b, c, d, e, f);
            if ((number == CLONE || number == CLONE3) && result == 0)
                CALL(EXIT, 0); /* the new process */
            memcpy(buffer, names[next_random() % 6], 16);
        }
    }
    print("done\n");
    CALL(EXIT, 0);
}
