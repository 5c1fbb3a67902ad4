/* Files in which Linux tells programs about the system and about themselves, with and without a
 * root. They hide files of the same name.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -o %t %s
 * RUN: printf 'memory: {size: 64M, stack: 1M}\n' > %t.yaml
 * RUN: %temu --machine=%t.yaml %t | FileCheck %s
 * RUN: rm -rf %t.root && mkdir -p %t.root/proc && echo hidden > %t.root/proc/cpuinfo
 * RUN: %temu --machine=%t.yaml --root=%t.root %t | FileCheck %s
 *
 * CHECK: processor : 0
 * CHECK-NEXT: hart : 0
 * CHECK-NEXT: isa : rv64imafdc
 * CHECK-NEXT: mmu : sv39
 * CHECK: MemTotal: 66560 kB
 * CHECK: cpu {{[0-9]+}} 0 0 200 0 0 0 0 0 0
 * CHECK-NEXT: cpu0 {{[0-9]+}} 0 0 200 0 0 0 0 0 0
 * CHECK-NEXT: 0{{$}}
 * CHECK-NEXT: 0{{$}}
 * CHECK-NEXT: code: r-xp 00000000 00:00 0
 * CHECK-NEXT: heap: rw-p 00000000 00:00 0 [heap]
 * CHECK-NEXT: stack: rw-p 00000000 00:00 0 [stack]
 * CHECK-NEXT: reserved: ---p 00000000 00:00 0
 * CHECK-NEXT: reserved length: 536870912
 * CHECK-NEXT: the stack of the thread: 1
 * CHECK-NEXT: status: 100444, 0 bytes
 * CHECK-NEXT: read: 0
 * CHECK-NEXT: write: Permission denied
 * CHECK-NEXT: open to write: Permission denied
 * CHECK-NEXT: open as a directory: Not a directory
 * CHECK-NEXT: hart in a relative path: 1
 * CHECK-NEXT: more at the end: 0
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void show(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[200];

    if (!file)
        perror(path);
    while (file && fgets(line, sizeof line, file))
        fputs(line, stdout);
    if (file)
        fclose(file);
}

/* Prints the mapping of the address. Returns its length. */
static unsigned long show_mapping(const char *name, const void *address)
{
    FILE *file = fopen("/proc/self/maps", "r");
    unsigned long start, end, at = (unsigned long)address, length = 0;
    char line[200];
    int rest;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "%lx-%lx %n", &start, &end, &rest) == 2 && start <= at && at < end) {
            printf("%s: %s", name, line + rest);
            length = end - start;
        }
    if (file)
        fclose(file);
    return length;
}

static void say(const char *what, long result)
{
    if (result < 0)
        printf("%s: %s\n", what, strerror(errno));
    else
        printf("%s: %ld\n", what, result);
}

int main(void)
{
    pthread_attr_t attributes;
    struct stat status;
    char text[1000];
    void *stack;
    size_t size;

    usleep(2000000);
    show("/proc/cpuinfo");
    show("/proc/meminfo");
    show("/proc/stat");
    show("/sys/devices/system/cpu/online");
    show("/sys/devices/system/cpu/possible");
    show_mapping("code", (void *)main);
    show_mapping("heap", malloc(1));
    show_mapping("stack", text);
    char *reserved = mmap(NULL, 1 << 29, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    say("reserved length", (long)show_mapping("reserved", reserved));
    if (pthread_getattr_np(pthread_self(), &attributes) == 0 &&
        pthread_attr_getstack(&attributes, &stack, &size) == 0)
        say("the stack of the thread", text >= (char *)stack && text < (char *)stack + size);

    stat("/proc/self/maps", &status);
    printf("status: %o, %ld bytes\n", status.st_mode, (long)status.st_size);
    say("read", access("/proc/self/maps", R_OK));
    say("write", access("/proc/self/maps", W_OK));
    say("open to write", open("/proc/self/maps", O_RDWR));
    say("open as a directory", open("/proc/self/maps", O_RDONLY | O_DIRECTORY));
    chdir("/proc");
    int file = open("cpuinfo", O_RDONLY);
    long got = read(file, text, sizeof text - 1);
    text[got < 0 ? 0 : got] = 0;
    say("hart in a relative path", strstr(text, "hart") != NULL);
    say("more at the end", read(file, text, sizeof text));
    return 0;
}
