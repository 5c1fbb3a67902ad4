/* A program's large static data, large pieces of heap and large mappings are in memory that the
 * host may give in large pages; smaller ones are not, nor is a mapping of which the program will
 * use a part only, or memory that was unmapped.
 *
 * RUN: %gcc -O1 -static -o %t %s
 * RUN: %python %S/Inputs/large_pages.py %temu %t none small heap mapping moved sparse unmapped | FileCheck %s --match-full-lines
 *
 * CHECK: {{none: 8 MiB|no large pages}}
 * CHECK-NEXT: {{small: 8 MiB|no large pages}}
 * CHECK-NEXT: {{heap: 24 MiB|no large pages}}
 * CHECK-NEXT: {{mapping: 24 MiB|no large pages}}
 * CHECK-NEXT: {{moved: 24 MiB|no large pages}}
 * CHECK-NEXT: {{sparse: 8 MiB|no large pages}}
 * CHECK-NEXT: {{unmapped: 8 MiB|no large pages}}
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

char data[8 * MIB];

static char *map(size_t size, int flags)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

int main(int count, char **arguments)
{
    const char *kind = count > 1 ? arguments[1] : "";

    if (strcmp(kind, "small") == 0)
        *map(3 * MIB, 0) = 1;
    if (strcmp(kind, "heap") == 0)
        *(char *)sbrk(16 * MIB) = 1;
    if (strcmp(kind, "mapping") == 0)
        *map(16 * MIB, 0) = 1;
    if (strcmp(kind, "moved") == 0)
        *(char *)mremap(map(MIB, 0), MIB, 16 * MIB, MREMAP_MAYMOVE) = 1;
    if (strcmp(kind, "sparse") == 0)
        *map(16 * MIB, MAP_NORESERVE) = 1;
    if (strcmp(kind, "unmapped") == 0)
        munmap(map(16 * MIB, 0), 16 * MIB);
    puts("ready");
    fflush(stdout);
    getchar(); /* until the memory was looked at */
    return 0;
}
