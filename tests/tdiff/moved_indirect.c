/* Calls of an indirect function go through code of the linker that no symbol names. It is the same
 * code in both versions of a program.
 *
 * RUN: rm -rf %t && mkdir %t && cd %t
 * RUN: %gcc -O0 -g @%S/Inputs/static.options -o old %s && %gcc -O0 -g @%S/Inputs/static.options -DFIX -o new %s
 * RUN: for f in old new; do %temu --trace=$f.ttrace $f > $f.out || exit 1; done
 * RUN: not %tdiff --moved new.ttrace old.ttrace | FileCheck %s
 * CHECK: first difference: only new.ttrace has this code, at instruction {{[0-9]+}} of new.ttrace:
 * CHECK-NEXT: pc 0x{{.*}} <main+{{.*}}>
 * CHECK-NOT: then:
 */
#include <stdio.h>

int many(int x) __attribute__((ifunc("resolve")));

static int one(int x)
{
    return x + 1;
}

static int (*resolve(void))(int)
{
    return one;
}

static int more(int x)
{
    return x * 3;
}

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 3; i++)
        sum += many(i);
#ifdef FIX
    sum = more(sum);
#endif
    printf("%d\n", sum);
    return sum == more(0);
}
