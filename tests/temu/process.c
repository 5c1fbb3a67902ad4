/* Time that passes by sleeping, the futex of the only thread, limits, mappings that grow and move,
 * and errors with each of them.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O1 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t %s
 * RUN: %temu %t | FileCheck %s --match-full-lines
 * RUN: %temu --trace-syscalls %t 2>&1 >/dev/null | FileCheck %s --check-prefix=CALLS
 * RUN: %temu --trace=%t.1 %t >/dev/null && %temu --trace=%t.2 --setenv A=1 %t >/dev/null && not cmp -s %t.1 %t.2
 * RUN: %temu --trace=%t.2 %t >/dev/null && cmp %t.1 %t.2
 *
 * An unknown call is reported once.
 * CALLS: temu: unknown system call 4000(
 * CALLS-NOT: unknown system call 4000
 * CALLS: temu: unknown system call 4001({{.*}} = -38 (Function not implemented)
 * CALLS-NOT: unknown system call 4000
 *
 * CHECK: poll 2
 * CHECK-NEXT: poll input 1
 * CHECK-NEXT: poll closed 32
 * CHECK-NEXT: poll none 0
 * CHECK-NEXT: poll waits 0
 * CHECK-NEXT: poll passes 1
 * CHECK-NEXT: poll deadlock -35
 * CHECK-NEXT: poll nowhere -14
 * CHECK-NEXT: poll too many -22
 * CHECK-NEXT: slept 0
 * CHECK-NEXT: seconds 4
 * CHECK-NEXT: until 0
 * CHECK-NEXT: seconds 10
 * CHECK-NEXT: until the past 0
 * CHECK-NEXT: seconds 10
 * CHECK-NEXT: nanosleep 0
 * CHECK-NEXT: seconds 11
 * CHECK-NEXT: sleep nowhere -14
 * CHECK-NEXT: too many nanoseconds -22
 * CHECK-NEXT: negative -22
 * CHECK-NEXT: no clock -22
 * CHECK-NEXT: for ever 0
 * CHECK-NEXT: time goes on 1
 * CHECK-NEXT: resolution 1
 * CHECK-NEXT: times 1
 * CHECK-NEXT: usage 0
 * CHECK-NEXT: usage nowhere -14
 * CHECK-NEXT: futex changed -11
 * CHECK-NEXT: futex timeout -110
 * CHECK-NEXT: futex wake 0
 * CHECK-NEXT: futex nowhere -14
 * CHECK-NEXT: futex odd -22
 * CHECK-NEXT: futex other -38
 * CHECK-NEXT: robust list 0
 * CHECK-NEXT: robust size -22
 * CHECK-NEXT: stack limit 8388608
 * CHECK-NEXT: files limit 1024
 * CHECK-NEXT: more files -1
 * CHECK-NEXT: no limit -22
 * CHECK-NEXT: limit nowhere -14
 * CHECK-NEXT: another process -3
 * CHECK-NEXT: processors 8
 * CHECK-NEXT: processor 1
 * CHECK-NEXT: processors short -22
 * CHECK-NEXT: priority 0
 * CHECK-NEXT: yield 0
 * CHECK-NEXT: memory 1
 * CHECK-NEXT: sysinfo nowhere -14
 * CHECK-NEXT: name process.c.tmp
 * CHECK-NEXT: child -10
 * CHECK-NEXT: grow in place 1
 * CHECK-NEXT: kept 55
 * CHECK-NEXT: not in place -12
 * CHECK-NEXT: moved 1
 * CHECK-NEXT: kept 55
 * CHECK-NEXT: old place -14
 * CHECK-NEXT: shrunk 1
 * CHECK-NEXT: cut off -14
 * CHECK-NEXT: remap nothing -22
 * CHECK-NEXT: remap a hole -14
 * CHECK-NEXT: remap too much -12
 * CHECK-NEXT: remap flags -22
 * CHECK-NEXT: remap the scratchpad -14
 * CHECK-NEXT: not needed 0
 * CHECK-NEXT: cleared 0
 * CHECK-NEXT: advise a hole -12
 * CHECK-NEXT: advise odd -22
 * CHECK-NEXT: unknown -38
 * CHECK-NEXT: unknown -38
 * CHECK-NEXT: another unknown -38
 * CHECK-NEXT: unknown -38
 */
#include "guest.h"

enum { BAD = 8 };

static long seconds(void)
{
    long time[2];

    CALL(CLOCK_GETTIME, 1, time);
    return time[0];
}

static void sleep(void)
{
    long three[2] = {3, 0}, ten[2] = {10, 5}, one[2] = {1, 0}, wrong[2] = {0, 1000000000},
         negative[2] = {-1, 0}, endless[2] = {0x7fffffffffffffff, 0}, times[4], usage[18];

    print_number("slept", CALL(CLOCK_NANOSLEEP, 1, 0, three, 0));
    print_number("seconds", seconds());
    print_number("until", CALL(CLOCK_NANOSLEEP, 1, 1, ten, 0));
    print_number("seconds", seconds());
    print_number("until the past", CALL(CLOCK_NANOSLEEP, 1, 1, one, 0));
    print_number("seconds", seconds());
    print_number("nanosleep", CALL(NANOSLEEP, one, 0));
    print_number("seconds", seconds());
    print_number("sleep nowhere", CALL(NANOSLEEP, BAD, 0));
    print_number("too many nanoseconds", CALL(NANOSLEEP, wrong, 0));
    print_number("negative", CALL(NANOSLEEP, negative, 0));
    print_number("no clock", CALL(CLOCK_NANOSLEEP, 77, 0, one, 0));
    for (int i = 0; i < 20; i++)
        CALL(NANOSLEEP, endless, 0);
    print_number("for ever", CALL(NANOSLEEP, endless, 0));
    print_number("time goes on", seconds() > 1000000000);
    CALL(CLOCK_GETRES, 0, times);
    print_number("resolution", times[1]);
    print_number("times", CALL(TIMES, times) > 0);
    print_number("usage", CALL(GETRUSAGE, 0, usage));
    print_number("usage nowhere", CALL(GETRUSAGE, 0, BAD));
}

static void futex(void)
{
    int word = 5;
    long time[2] = {1, 0};

    print_number("futex changed", CALL(FUTEX, &word, 0, 4, 0));
    print_number("futex timeout", CALL(FUTEX, &word, 128, 5, time));
    print_number("futex wake", CALL(FUTEX, &word, 1, 1));
    print_number("futex nowhere", CALL(FUTEX, BAD, 0, 5, 0));
    print_number("futex odd", CALL(FUTEX, (char *)&word + 1, 0, 5, 0));
    print_number("futex other", CALL(FUTEX, &word, 11, 5, 0));
    print_number("robust list", CALL(SET_ROBUST_LIST, &word, 24));
    print_number("robust size", CALL(SET_ROBUST_LIST, &word, 8));
}

static void poll(void)
{
    struct {
        int fd;
        short events, found;
    } polled[3] = {{0, 1, 0}, {60, 1, 0}, {-1, 1, 7}};
    long time[2] = {1, 0}, before = seconds();
    print_number("poll", CALL(PPOLL, polled, 3, 0, 0));
    print_number("poll input", polled[0].found);
    print_number("poll closed", polled[1].found);
    print_number("poll none", polled[2].found);
    print_number("poll waits", CALL(PPOLL, polled + 2, 1, time, 0));
    print_number("poll passes", seconds() > before);
    print_number("poll deadlock", CALL(PPOLL, polled + 2, 1, 0, 0));
    print_number("poll nowhere", CALL(PPOLL, BAD, 1, 0, 0));
    print_number("poll too many", CALL(PPOLL, polled, 1 << 30, 0, 0));
}

static void limits(void)
{
    unsigned long limit[2], more[2] = {2000, 2000}, processors[1], info[14];
    char name[16];

    CALL(PRLIMIT64, 0, 3, 0, limit);
    print_number("stack limit", limit[0]);
    CALL(PRLIMIT64, 0, 7, limit, limit);
    CALL(PRLIMIT64, 0, 7, 0, limit);
    print_number("files limit", limit[1]);
    print_number("more files", CALL(PRLIMIT64, 0, 7, more, 0));
    print_number("no limit", CALL(PRLIMIT64, 0, 99, 0, limit));
    print_number("limit nowhere", CALL(PRLIMIT64, 0, 7, 0, BAD));
    print_number("another process", CALL(PRLIMIT64, 77, 7, 0, limit));
    print_number("processors", CALL(SCHED_GETAFFINITY, 0, sizeof processors, processors));
    print_number("processor", processors[0]);
    print_number("processors short", CALL(SCHED_GETAFFINITY, 0, 4, processors));
    int priority = 7;
    CALL(SCHED_GETPARAM, 0, &priority);
    print_number("priority", priority);
    print_number("yield", CALL(SCHED_YIELD, 0));
    CALL(SYSINFO, info);
    print_number("memory", info[4] >= 1l << 30 && info[5] < info[4]);
    print_number("sysinfo nowhere", CALL(SYSINFO, BAD));
    CALL(PRCTL, 16, name);
    print("name ");
    print(name);
    print("\n");
    print_number("child", CALL(WAIT4, -1, 0, 0, 0));
}

static void mappings(void)
{
    char *map = (char *)CALL(MMAP, 0, 3 * 4096, 3, 0x22, -1, 0);

    CALL(MUNMAP, map + 4096, 2 * 4096);
    map[5] = 55;
    print_number("grow in place", CALL(MREMAP, map, 4096, 8192, 0) == (long)map);
    print_number("kept", map[5] + map[4096]);
    print_number("not in place", CALL(MREMAP, map, 8192, 1 << 20, 0));
    char *moved = (char *)CALL(MREMAP, map, 8192, 1 << 20, 1);
    print_number("moved", moved != map && (unsigned long)moved < -4096ul);
    print_number("kept", moved[5] + moved[(1 << 20) - 1]);
    print_number("old place", CALL(READ, 1, map, 1));
    print_number("shrunk", CALL(MREMAP, moved, 1 << 20, 4096, 0) == (long)moved);
    print_number("cut off", CALL(READ, 1, moved + 4096, 1));
    print_number("remap nothing", CALL(MREMAP, moved, 4096, 0, 1));
    print_number("remap a hole", CALL(MREMAP, moved, 8192, 16384, 1));
    print_number("remap too much", CALL(MREMAP, moved, 4096, -1, 1));
    print_number("remap flags", CALL(MREMAP, moved, 4096, 8192, 2, 4096));
    print_number("remap the scratchpad", CALL(MREMAP, 0x40000000, 4096, 8192, 1));
    print_number("not needed", CALL(MADVISE, moved, 4096, 4));
    print_number("cleared", moved[5]);
    print_number("advise a hole", CALL(MADVISE, moved, 8192, 4));
    print_number("advise odd", CALL(MADVISE, moved + 1, 4096, 4));
}

void _start(void)
{
    poll();
    sleep();
    futex();
    limits();
    mappings();
    print_number("unknown", CALL(4000, 1));
    print_number("unknown", CALL(4000, 2));
    print_number("another unknown", CALL(4001, 1));
    print_number("unknown", CALL(4000, 3));
    CALL(EXIT, 0);
}
