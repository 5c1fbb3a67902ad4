/* Files are mapped by whole pages, as the contents are then. However much of them is mapped, native
 * code goes on without checks of pages.
 *
 * RUN: %gcc -O2 -static -o %t %s
 * RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && %qemu %t > %t.qemu
 * RUN: for tier in interp auto optimize; do %temu --tier=$tier %t > %t.$tier && cmp %t.qemu %t.$tier || exit 1; done
 * RUN: FileCheck %s < %t.auto
 * RUN: %temu --show-native=add %t | FileCheck %s --check-prefix=NATIVE
 *
 * CHECK: length 100: byte 4095 is 31, byte 4096 faults, byte 0 cannot be written
 * CHECK-NEXT: from page 255: 255
 * CHECK-NEXT: private: 7, the file: 0
 * CHECK-NEXT: sum 3519000
 * NATIVE: [check: {{.*}} is an address]
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 256, PAGE = 4096, TIMES = 100 };

static sigjmp_buf back;

static void jump_back(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static int faults(volatile unsigned char *byte, int is_store)
{
    if (sigsetjmp(back, 1))
        return 1;
    if (is_store)
        *byte = 1;
    else
        (void)*byte;
    return 0;
}

__attribute__((noinline)) static unsigned add(const unsigned char *bytes, int count)
{
    unsigned sum = 0;

    for (int i = 0; i < count; i++)
        sum += bytes[(long)i * PAGE];
    return sum;
}

int main(void)
{
    static unsigned char page[PAGE];
    int file = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);

    signal(SIGSEGV, jump_back);
    signal(SIGBUS, jump_back);
    for (int i = 0; i < PAGES; i++) {
        page[0] = i;
        page[PAGE - 1] = i + 31;
        if (write(file, page, PAGE) != PAGE)
            return 1;
    }
    unsigned char *bytes = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bytes = mmap(bytes, 100, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0);
    printf("length 100: byte 4095 is %d, byte 4096 %s, byte 0 %s be written\n", bytes[PAGE - 1],
           faults(bytes + PAGE, 0) ? "faults" : "is there", faults(bytes, 1) ? "cannot" : "can");
    bytes = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, file, 255 * PAGE);
    printf("from page 255: %d\n", bytes[0]);
    bytes = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    bytes[0] = 7;
    const unsigned char *again = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
    printf("private: %d, the file: %d\n", bytes[0], again[0]);

    unsigned sum = 0;
    for (int i = 0; i < TIMES; i++) {
        bytes = mmap(NULL, PAGES * PAGE, PROT_READ, i % 2 ? MAP_PRIVATE : MAP_SHARED, file, 0);
        sum += add(bytes, PAGES);
        munmap(bytes, PAGES * PAGE);
    }
    for (int i = 0; i < 1000; i++)
        sum += add(page, 1);
    printf("sum %u\n", sum);
    return 0;
}
