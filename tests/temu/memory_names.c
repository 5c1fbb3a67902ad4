/* Memory can have names, which the C library gives to heaps and stacks since glibc 2.41. If it
 * could not, the library would remember this in a word without any order, and --races would find
 * that.
 *
 * RUN: %gcc -O1 -static -pthread -o %t %s && %temu --races %t | FileCheck %s --match-full-lines
 *
 * CHECK: two pages: 0
 * CHECK-NEXT: a part of a page: 0
 * CHECK-NEXT: nothing: 0
 * CHECK-NEXT: no name: 0
 * CHECK-NEXT: misaligned: EINVAL
 * CHECK-NEXT: more than there is: EINVAL
 * CHECK-NEXT: another attribute: EINVAL
 * CHECK-NEXT: a hole: ENOMEM
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

static void name(const char *what, int attribute, char *address, size_t length, const char *name)
{
    int result = prctl(PR_SET_VMA, attribute, address, length, name);

    printf("%s: %s\n", what, result ? strerrorname_np(errno) : "0");
}

static void *allocate(void *unused)
{
    free(malloc(100));
    return unused;
}

int main(void)
{
    size_t page = 4096;
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t threads[2];

    name("two pages", 0, memory, 2 * page, "table");
    name("a part of a page", 0, memory, 1, "table");
    name("nothing", 0, memory, 0, "table");
    name("no name", 0, memory, page, NULL);
    name("misaligned", 0, memory + 1, page, "table");
    name("more than there is", 0, memory, -page, "table");
    name("another attribute", 1, memory, page, "table");
    munmap(memory + page, page);
    name("a hole", 0, memory, 2 * page, "table");
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, allocate, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
