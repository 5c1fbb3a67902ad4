/* Runtimes of some languages reserve more addresses than they use, and that of GHC only takes those
 * from 8 GiB on. Reserved addresses do not count as mapped memory until they get permissions.
 *
 * RUN: %gcc -march=rv64imafdc -mabi=lp64d -O1 -ffreestanding -nostdlib -static -I %S/Inputs -o %t %s
 * RUN: printf 'memory: {size: 16M, stack: 1M}\n' > %t.yaml
 * RUN: not %temu --machine=%t.yaml --dump-state=%t.auto %t 2>&1 | FileCheck %s
 * RUN: not %temu --machine=%t.yaml --tier=interp --dump-state=%t.interp %t 2>&1 | FileCheck %s
 * RUN: not %temu --machine=%t.yaml --tier=translate --dump-state=%t.translate %t 2>&1 | FileCheck %s
 * RUN: cmp %t.auto %t.interp && cmp %t.auto %t.translate
 * RUN: FileCheck %s --check-prefix=STATE < %t.auto
 *
 * CHECK: too long -12
 * CHECK-NEXT: reserved 300000000
 * CHECK-NEXT: taken -17
 * CHECK-NEXT: used 0
 * CHECK-NEXT: sum 34358689785
 * CHECK-NEXT: executable -13
 * CHECK-NEXT: executable -12
 * CHECK-NEXT: temu: high_places.c.tmp: a mapping needs more memory than
 * CHECK-SAME: memory.size
 * CHECK-NEXT: too much -12
 * CHECK-NEXT: sum 34358689785
 * CHECK-NEXT: grown 1f0000000
 * CHECK-NEXT: first 41
 * CHECK-NEXT: wanted 23457000
 * CHECK-NEXT: elsewhere 1
 * CHECK-NEXT: executable 0
 * CHECK-NEXT: dropped 0
 * CHECK-NEXT: again 0
 * CHECK-NEXT: content 0
 * CHECK-NEXT: load access fault (cause 5, address 0x300000000: mapped without access)
 *
 * STATE: {"address": "0x300000000", "bytes": 2147483648, "permissions": "---"},
 * STATE-NEXT: {"address": "0x380000000", "bytes": 4194304, "permissions": "rw-", "sha1":
 * STATE-NEXT: {"address": "0x380400000", "bytes": 2143289344, "permissions": "---"}
 *
 * A host with fewer addresses has only those below 4 GiB.
 *
 * The address sanitizer has no limit, and the program ends as above.
 *
 * RUN: sh -c '%limit_memory 6000000; %temu --machine=%t.yaml %t; test $? = $(test "%limit_memory" = : && echo 139 || echo 0)' | FileCheck %s --check-prefix=LESS
 * LESS: {{reserved -c|reserved 300000000}}
 */
#include "guest.h"

enum {
    NONE = 0,
    READ_WRITE = 3,
    EXECUTE = 5,
    PRIVATE_ANONYMOUS = 0x22,
    FIXED = 0x10,
    NORESERVE = 0x4000,
    NOREPLACE = 0x100000,
    PAGE = 4096,
    WORDS = 1 << 18,
};

static const long GIB = 1l << 30, USED = 4 << 20;

static long map(long place, long length, int protection, int flags)
{
    return CALL(MMAP, place, length, protection, PRIVATE_ANONYMOUS | flags, -1, 0);
}

/* Often enough to become native code. */
static long sum_words(volatile long *words)
{
    long sum = 0;

    for (int round = 0; round < 3; round++)
        for (long i = 0; i < WORDS; i++)
            words[i] = round < 2 ? i : words[i];
    for (long i = 0; i < WORDS; i++)
        sum += words[i] & ~7l;
    return sum - 7;
}

void _start(void)
{
    print_number("too long", map(0x4200000000, 1024 * GIB, NONE, NORESERVE));
    long place = map(0x4200000000, 4 * GIB, NONE, NORESERVE);
    print_hexadecimal("reserved", place);
    if (place < 0)
        CALL(EXIT, 0);
    print_number("taken", map(place + GIB, PAGE, READ_WRITE, FIXED | NOREPLACE));
    char *used = (char *)place + 2 * GIB;
    print_number("used", CALL(MPROTECT, used, USED, READ_WRITE));
    print_number("sum", sum_words((volatile long *)used));

    print_number("executable", CALL(MPROTECT, used, USED, EXECUTE));
    print_number("executable", map((long)used, USED, EXECUTE, FIXED));
    print_number("too much", CALL(MPROTECT, used, 16l << 20, READ_WRITE));
    print_number("sum", sum_words((volatile long *)used));

    /* Places that a program asks for. A just-in-time compiler would make the third executable. */
    long other = map(0x1f0000000, PAGE, READ_WRITE, FIXED);
    *(volatile char *)other = 41;
    print_hexadecimal("grown", CALL(MREMAP, other, PAGE, 2 * PAGE, 0));
    print_number("first", *(volatile char *)other);
    print_hexadecimal("wanted", map(0x23456789, PAGE, READ_WRITE, 0));
    print_number("elsewhere", map(0x23457000, PAGE, READ_WRITE, 0) != 0x23457000);
    long code = map(0x123457000, PAGE, READ_WRITE, 0);
    print_number("executable", CALL(MPROTECT, code, PAGE, EXECUTE));

    /* Contents go with the mapping. */
    print_number("dropped", map((long)used, USED, NONE, FIXED) != (long)used);
    print_number("again", CALL(MPROTECT, used, USED, READ_WRITE));
    print_number("content", ((volatile long *)used)[9]);
    print_number("no access", *(volatile char *)place);
}
