/* When memory is used up, a mapping over another one fails and changes nothing. The user learns
 * once what would give more.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O1 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t %s
 * RUN: printf 'memory: {size: 16M, stack: 1M}\n' > %t.yaml
 * RUN: %temu --machine=%t.yaml %t 2>%t.err | FileCheck %s
 * RUN: echo "temu: memory_limit.c.tmp: a mapping needs more memory than memory.size of the machine, which --machine sets; it fails with ENOMEM" | diff - %t.err
 *
 * CHECK: first 536870912
 * CHECK-NEXT: too much -12
 * CHECK-NEXT: too much -12
 * CHECK-NEXT: content 42
 * CHECK-NEXT: fits 536870912
 * CHECK-NEXT: content 0
 * CHECK-NEXT: again 536870912
 */
#include "guest.h"

enum { PAGE = 4096, READ_WRITE = 3, PRIVATE_ANONYMOUS = 0x22, FIXED = 0x10, PLACE = 0x20000000 };

static long map(long length)
{
    return CALL(MMAP, PLACE, length, READ_WRITE, PRIVATE_ANONYMOUS | FIXED, -1, 0);
}

void _start(void)
{
    volatile char *place = (volatile char *)PLACE;

    print_number("first", map(PAGE));
    *place = 42;
    print_number("too much", map(16 << 20));
    print_number("too much", map(17 << 20));
    print_number("content", *place);
    /* A page that is already mapped is not counted twice. */
    print_number("fits", map(14 << 20));
    print_number("content", *place);
    print_number("again", map(14 << 20));
    CALL(EXIT, 0);
}
