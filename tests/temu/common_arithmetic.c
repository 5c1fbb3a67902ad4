/* Native code relies on the inexact flag and on the rounding mode once both are as usual. Here
 * loops that became native code so find the flag cleared and other modes: between rounds, within a
 * round, and within a block. QEMU computes the same.
 *
 * RUN: %gcc -O2 -frounding-math -static -o %t %s -lm && %qemu %t >%t.qemu && FileCheck %s <%t.qemu
 * RUN: for tier in interp translate optimize auto; do %temu --tier=$tier %t | diff %t.qemu - || exit 1; done
 * RUN: %temu --trace=/dev/null %t | diff %t.qemu -
 *
 * The profile counts each instruction there, too.
 * RUN: %temu --profile=%t.native --profile-format=folded %t && %temu --tier=interp --profile=%t.interpreted --profile-format=folded %t
 * RUN: diff %t.interpreted %t.native
 *
 * A run of blocks has one check.
 * RUN: %temu --show-native=scale_and_add %t usual | FileCheck --check-prefix=NATIVE %s
 * NATIVE: native code of {{.*}} <scale_and_add>
 * NATIVE: <scale_and_add>:
 * NATIVE-NEXT: [check: inexact flag and rounding mode]
 * NATIVE: fmadd.d
 * NATIVE-NOT: [check: inexact
 * NATIVE: rarely executed
 * CHECK-COUNT-12: {{^(usual|cleared|exact|up|toward zero|mixed): [0-9a-f]{16} [0-9a-f]+$}}
 */
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 64, ROUNDS = 400 };

static double left[SIZE], right[SIZE];
static float single[SIZE];
static uint64_t sum;

static void mix(uint64_t value)
{
    sum = (sum ^ value) * 0x9e3779b97f4a7c15 >> 7 ^ sum << 21;
}

static void mix_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    mix(bits);
}

__attribute__((noinline)) static double scale_and_add(double factor)
{
    double total = 0;

    for (int i = 0; i < SIZE; i++)
        total += left[i] * factor + right[i] * left[i];
    return total;
}

/* Some elements clear the flags, in the middle of a block and of a run of blocks. */
__attribute__((noinline)) static double clear_within(double factor, int each)
{
    double total = 0;

    for (int i = 0; i < SIZE; i++) {
        double product = left[i] * factor;
        if (i % each == 0) {
            uint64_t flags;
            __asm__ volatile("fsflags %0, zero" : "=r"(flags), "+f"(product));
            mix(flags);
        }
        product = product * factor;
        total += product;
        single[i] = single[i] * 0.75f + (float)product;
    }
    return total;
}

/* The mode changes within a block: up for the first sum, to nearest for the second. */
__attribute__((noinline)) static double change_within(double factor)
{
    double total = factor, other = 0;

    for (int i = 0; i < SIZE; i++) {
        double up;
        __asm__ volatile("fsrmi 3\n\t"
                         "fadd.d %0, %2, %3\n\t"
                         "fsrmi 0\n\t"
                         "fadd.d %1, %2, %3\n\t"
                         : "=&f"(up), "=&f"(total)
                         : "f"(total), "f"(left[i]));
        other = other * factor + up;
    }
    mix_double(other);
    return total;
}

static void show(const char *name)
{
    printf("%s: %016llx %x\n", name, (unsigned long long)sum, fetestexcept(FE_ALL_EXCEPT));
}

static void compute(const char *name, int mode, int clears, double factor)
{
    for (int round = 0; round < ROUNDS; round++) {
        if (clears)
            feclearexcept(FE_ALL_EXCEPT);
        fesetround(mode);
        mix_double(scale_and_add(factor));
        mix((uint64_t)fetestexcept(FE_ALL_EXCEPT));
        mix_double(clear_within(factor, 1 + round % 40));
        mix_double(change_within(factor));
        mix((uint64_t)fetestexcept(FE_ALL_EXCEPT));
    }
    fesetround(FE_TONEAREST);
    for (int i = 0; i < SIZE; i++)
        mix_double(single[i]);
    show(name);
}

static void fill(int exact)
{
    for (int i = 0; i < SIZE; i++) {
        left[i] = exact ? i % 8 - 4 : 1.0 / (i + 3);
        right[i] = exact ? i % 16 : (i - 30) / 7.0;
        single[i] = (float)(exact ? i % 4 : i / 3.0);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        fill(0);
        compute(argv[1], FE_TONEAREST, 0, 0.3);
        return 0;
    }
    for (int exact = 0; exact < 2; exact++) {
        fill(exact);
        compute("usual", FE_TONEAREST, 0, exact ? 2 : 0.3);
        compute("cleared", FE_TONEAREST, 1, exact ? 2 : 0.3);
        compute("exact", FE_TONEAREST, 1, 0.5);
        compute("up", FE_UPWARD, 0, 0.7);
        compute("toward zero", FE_TOWARDZERO, 1, 0.7);
        for (int round = 0; round < ROUNDS; round++) {
            fesetround(round % 3 ? FE_TONEAREST : FE_DOWNWARD);
            if (round % 5 == 0)
                feclearexcept(FE_INEXACT);
            mix_double(scale_and_add(round % 2 ? 0.5 : 0.3));
        }
        fesetround(FE_TONEAREST);
        show("mixed");
    }
    return 0;
}
