/* Arguments, environment, auxiliary vector, and the name of the program.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O1 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t %s
 * RUN: %temu --setenv HOME=/ --setenv=EMPTY= --setenv A=1 --setenv A==2 %t one 'two words' >%t.out
 * RUN: FileCheck %s --match-full-lines <%t.out
 * RUN: env -i HOME=/ EMPTY= A==2 %qemu -0 environment.c.tmp %t one 'two words' >%t.expected
 * RUN: sort %t.out >%t.sorted && sort %t.expected | diff - %t.sorted
 * RUN: %temu %t | FileCheck %s --check-prefix=NONE --match-full-lines --implicit-check-not=variable
 *
 * CHECK: arguments 3
 * CHECK-NEXT: argument environment.c.tmp
 * CHECK-NEXT: argument one
 * CHECK-NEXT: argument two words
 * CHECK-NEXT: variable HOME=/
 * CHECK-NEXT: variable EMPTY=
 * CHECK-NEXT: variable A==2
 * CHECK-NEXT: page size 4096
 * CHECK-NEXT: random bytes 1
 * CHECK-NEXT: program headers 1
 * CHECK-NEXT: base extensions 1
 * CHECK-NEXT: stack aligned 1
 * CHECK-NEXT: strings follow each other 1
 * NONE: arguments 1
 * NONE: page size 4096
 *
 * RUN: not %temu --setenv HOME %t 2>&1 | FileCheck %s --check-prefix=BAD
 * RUN: not %temu --setenv==x %t 2>&1 | FileCheck %s --check-prefix=BAD
 * BAD: error: --setenv={{HOME|=x}}: expected NAME=VALUE
 * RUN: printf 'memory:\n  stack: 16K\n' >%t.yaml
 * RUN: not %temu --machine %t.yaml --setenv LONG=$(%python -c "print('x' * 18000)") %t 2>&1 | FileCheck %s --check-prefix=FULL
 * FULL: error: the arguments and variables do not fit on the stack of 0x4000 bytes
 */
#include "guest.h"

static char *after(char *string)
{
    while (*string++)
        ;
    return string;
}

__attribute__((used)) static void run(long *stack)
{
    long count = stack[0];
    char **words = (char **)(stack + 1), *next = words[0];
    int follow = 1;

    print_number("arguments", count);
    for (long i = 0; i < count; i++) {
        follow &= words[i] == next;
        next = after(words[i]);
        print("argument ");
        print(words[i]);
        print("\n");
    }
    for (words += count + 1; *words; words++) {
        follow &= *words == next;
        next = after(*words);
        print("variable ");
        print(*words);
        print("\n");
    }
    unsigned long base = 1 << 3 | 1 << 5 | 1 << 8 | 1 << 12; /* d f i m */
    unsigned long values[64] = {0};
    for (unsigned long *pair = (unsigned long *)words + 1; pair[0]; pair += 2)
        if (pair[0] < 64)
            values[pair[0]] = pair[1];
    print_number("page size", values[6]);
    print_number("random bytes", values[25] && *(unsigned long *)values[25] != 0);
    print_number("program headers", values[3] && values[4] == 56 && *(unsigned *)values[3] != 0);
    print_number("base extensions", (values[16] & base) == base);
    print_number("stack aligned", (long)stack % 16 == 0);
    print_number("strings follow each other", follow);
    CALL(EXIT, 0);
}

__attribute__((naked)) void _start(void)
{
    asm volatile("mv a0,sp\ncall run");
}
