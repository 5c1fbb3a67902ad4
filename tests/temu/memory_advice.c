/* Advice on memory: that which changes something does it, that which can be ignored is accepted,
 * and any other is refused. The host's Linux agrees.
 *
 * RUN: rm -rf %t && mkdir %t && gcc -O1 -D_GNU_SOURCE -o %t/host %s && %gcc -O1 -static -D_GNU_SOURCE -o %t/program %s
 * RUN: %t/host >%t/expected && FileCheck %s --match-full-lines <%t/expected
 * RUN: for tier in interp auto translate; do %temu --tier=$tier %t/program | diff %t/expected - || exit 1; done
 * CHECK: not needed: 0, then 0
 * CHECK: not needed, locked: 0, then 0
 * CHECK: cold: 0, then 7
 * CHECK: unknown: EINVAL, then 7
 *
 * What temu cannot do is refused, as by a Linux that does not know it yet.
 * RUN: %temu %t/program newer | FileCheck %s --check-prefix=NEWER --match-full-lines
 * NEWER: cleared in a child: EINVAL, then 7
 * NEWER-NEXT: removed from a file: EINVAL, then 7
 * NEWER-NEXT: guarded: EINVAL, then 7
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, DONT_NEED_LOCKED = 24, GUARD = 102 };

static void advise(const char *text, int advice, int sharing)
{
    char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | sharing, -1, 0);

    memset(memory, 7, 2 * PAGE);
    int result = madvise(memory, PAGE + 1, advice);
    printf("%s: %s, then %d\n", text, result ? strerrorname_np(errno) : "0", memory[PAGE]);
    munmap(memory, 2 * PAGE);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        advise("cleared in a child", MADV_WIPEONFORK, MAP_PRIVATE);
        advise("removed from a file", MADV_REMOVE, MAP_SHARED);
        advise("guarded", GUARD, MAP_PRIVATE);
        return 0;
    }
    advise("normal", MADV_NORMAL, MAP_PRIVATE);
    advise("random", MADV_RANDOM, MAP_PRIVATE);
    advise("sequential", MADV_SEQUENTIAL, MAP_PRIVATE);
    advise("needed", MADV_WILLNEED, MAP_PRIVATE);
    advise("not needed", MADV_DONTNEED, MAP_PRIVATE);
    advise("not needed, common", MADV_DONTNEED, MAP_SHARED);
    advise("not needed, locked", DONT_NEED_LOCKED, MAP_PRIVATE);
    advise("not for children", MADV_DONTFORK, MAP_PRIVATE);
    advise("for children", MADV_DOFORK, MAP_PRIVATE);
    advise("not dumped", MADV_DONTDUMP, MAP_PRIVATE);
    advise("dumped", MADV_DODUMP, MAP_PRIVATE);
    advise("kept in a child", MADV_KEEPONFORK, MAP_PRIVATE);
    advise("cold", MADV_COLD, MAP_PRIVATE);
    advise("paged out", MADV_PAGEOUT, MAP_PRIVATE);
    for (int advice = 5; advice < 8; advice++)
        advise("unknown", advice, MAP_PRIVATE);
    advise("unknown", -1, MAP_PRIVATE);
    advise("unknown", 9999, MAP_PRIVATE);
    printf("nothing: %d\n", madvise((void *)PAGE, 0, MADV_NORMAL));
    printf("nothing, unknown: %d\n", madvise((void *)PAGE, 0, 99));
    printf("nothing there: %d\n", madvise((void *)PAGE, PAGE, MADV_NORMAL));
    return 0;
}
