/* riscv_hwprobe as in Documentation/arch/riscv/hwprobe.rst and uapi/asm/hwprobe.h of Linux 6.19,
 * whose numbers are written out here.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O1 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t.elf %s
 * RUN: %temu %t.elf | FileCheck %s --match-full-lines --check-prefixes=CHECK,ALL
 * RUN: printf 'extensions: [i, m, a, f, c, zba, zicbom, zawrs, zihintntl, zifencei]\nmemory: {misaligned: trap, block: 128}\n' > %t.yaml
 * RUN: %temu --machine %t.yaml %t.elf | FileCheck %s --match-full-lines --check-prefixes=CHECK,SOME
 *
 * CHECK: result 0
 * CHECK-NEXT: vendor 0
 * CHECK-NEXT: architecture 0
 * CHECK-NEXT: implementation 0
 * CHECK-NEXT: base IMA 1
 * CHECK-NEXT: unknown key -1
 * CHECK-NEXT: its value 0
 * ALL: FD 0 C 1 Zba 3 Zbb 4 Zbs 5 Zicboz 6 Zbc 7 Zbkb 8 Zfh 27 Zfhmin 28 Zihintntl 29 Zfa 32 Zicond 35 Zihintpause 36 Zimop 42 Zca 43 Zcb 44 Zcd 45 Zcmop 47 Zawrs 48 Zicntr 50 Zihpm 51 Zicbom 55 Zaamo 56 Zalrsc 57 Zicbop 60{{ *}}
 * SOME: C 1 Zba 3 Zihintntl 29 Zca 43 Zawrs 48 Zicbom 55 Zaamo 56 Zalrsc 57{{ *}}
 * CHECK-NEXT: other bits 0
 * ALL-NEXT: misaligned 3
 * SOME-NEXT: misaligned 4
 * ALL-NEXT: the same 3
 * SOME-NEXT: the same 4
 * CHECK-NEXT: of vectors 4
 * ALL-NEXT: zero block 64
 * SOME-NEXT: zero block 0
 * ALL-NEXT: management block 64
 * SOME-NEXT: management block 128
 * ALL-NEXT: prefetch block 64
 * SOME-NEXT: prefetch block 0
 * CHECK-NEXT: highest address {{274877906943|17179869183}}
 * CHECK-NEXT: frequency of time 1000000000
 * CHECK-NEXT: vendors' extensions 0
 *
 * CHECK-NEXT: no pairs 0
 * CHECK-NEXT: unknown flag -22
 * CHECK-NEXT: processor 0 0
 * CHECK-NEXT: processor 1 -22
 * CHECK-NEXT: empty set -22
 * CHECK-NEXT: set at NULL -14
 * CHECK-NEXT: pairs at NULL -14
 *
 * CHECK-NEXT: which has Zba 0
 * CHECK-NEXT: all 1
 * CHECK-NEXT: which has V 0
 * CHECK-NEXT: none 0
 * CHECK-NEXT: which is of vendor 7 0
 * CHECK-NEXT: none 0
 * CHECK-NEXT: which has an unknown key 0
 * CHECK-NEXT: none 0
 * CHECK-NEXT: key -1
 * CHECK-NEXT: of processor 1 0
 * CHECK-NEXT: none 0
 * CHECK-NEXT: no set -22
 */
#include "guest.h"

enum { HWPROBE = 258, WHICH_CPUS = 1 };

struct pair {
    long key;
    unsigned long value;
};

static const struct {
    const char *name;
    int bit;
} bits[] = {
    {"FD", 0},           {"C", 1},          {"V", 2},       {"Zba", 3},    {"Zbb", 4},
    {"Zbs", 5},          {"Zicboz", 6},     {"Zbc", 7},     {"Zbkb", 8},   {"Zfh", 27},
    {"Zfhmin", 28},      {"Zihintntl", 29}, {"Zfa", 32},    {"Zacas", 34}, {"Zicond", 35},
    {"Zihintpause", 36}, {"Zimop", 42},     {"Zca", 43},    {"Zcb", 44},   {"Zcd", 45},
    {"Zcmop", 47},       {"Zawrs", 48},     {"Zicntr", 50}, {"Zihpm", 51}, {"Zicbom", 55},
    {"Zaamo", 56},       {"Zalrsc", 57},    {"Zicbop", 60},
};

static long probe(struct pair *pairs, long count, long length, unsigned long *set, long flags)
{
    return CALL(HWPROBE, pairs, count, length, set, flags);
}

static unsigned long value(long key)
{
    struct pair pair = {key, 1234};

    return probe(&pair, 1, 0, 0, 0) == 0 && pair.key == key ? pair.value : 4321;
}

static void print_extensions(unsigned long set)
{
    for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++)
        if (set >> bits[i].bit & 1) {
            char number[] = {' ', '0' + bits[i].bit / 10, '0' + bits[i].bit % 10, ' '};
            set &= ~(1UL << bits[i].bit);
            long length = 0;
            while (bits[i].name[length])
                length++;
            CALL(WRITE, 1, bits[i].name, length);
            CALL(WRITE, 1, number, 1);
            CALL(WRITE, 1, bits[i].bit < 10 ? number + 2 : number + 1, bits[i].bit < 10 ? 2 : 3);
        }
    CALL(WRITE, 1, "\n", 1);
    print_number("other bits", set);
}

static void test_values(void)
{
    struct pair pairs[] = {{0, 9}, {1, 9}, {2, 9}, {3, 9}, {99, 9}};

    print_number("result", probe(pairs, 5, 0, 0, 0));
    print_number("vendor", pairs[0].value);
    print_number("architecture", pairs[1].value);
    print_number("implementation", pairs[2].value);
    print_number("base IMA", pairs[3].value);
    print_number("unknown key", pairs[4].key);
    print_number("its value", pairs[4].value);
    print_extensions(value(4));
    print_number("misaligned", value(9));
    print_number("the same", value(5));
    print_number("of vectors", value(10));
    print_number("zero block", value(6));
    print_number("management block", value(12));
    print_number("prefetch block", value(15));
    print_number("highest address", value(7));
    print_number("frequency of time", value(8));
    print_number("vendors' extensions", value(11) | value(13) | value(14));
}

static void test_errors(void)
{
    struct pair pair = {3, 0};
    unsigned long set = 1;

    print_number("no pairs", probe(0, 0, 0, 0, 0));
    print_number("unknown flag", probe(&pair, 1, 0, 0, 2));
    print_number("processor 0", probe(&pair, 1, 8, &set, 0));
    set = 2;
    print_number("processor 1", probe(&pair, 1, 8, &set, 0));
    print_number("empty set", probe(&pair, 1, 0, &set, 0));
    print_number("set at NULL", probe(&pair, 1, 8, 0, 0));
    print_number("pairs at NULL", probe(0, 1, 0, 0, 0));
}

static void which(const char *text, const char *found, long key, unsigned long value,
                  unsigned long set)
{
    struct pair pair = {key, value};

    print_number(text, probe(&pair, 1, 8, &set, WHICH_CPUS));
    print_number(found, set);
    if (key == 99)
        print_number("key", pair.key);
}

void _start(void)
{
    struct pair pair = {3, 1};

    test_values();
    test_errors();
    which("which has Zba", "all", 4, 1 << 3, 0);
    which("which has V", "none", 4, 1 << 2, 0);
    which("which is of vendor 7", "none", 0, 7, 1);
    which("which has an unknown key", "none", 99, 0, 1);
    which("of processor 1", "none", 3, 1, 2);
    print_number("no set", probe(&pair, 1, 0, 0, WHICH_CPUS));
    CALL(EXIT, 0);
}
