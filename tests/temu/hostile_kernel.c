/* A root with the kernel's own file systems in it: their files give a program the memory and the
 * settings of the host, so they are refused by every call, also through links and descriptors.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -w -o %t.elf %s
 * RUN: %temu --root / %t.elf | FileCheck %s --implicit-check-not=reached
 * CHECK: open /proc/self/mem: Permission denied
 * CHECK: write /proc/self/mem: Permission denied
 * CHECK: path /proc/self/mem: Permission denied
 * CHECK: status /proc/self/mem: Permission denied
 * CHECK: truncate /proc/self/mem: Permission denied
 * CHECK: chdir /proc/self/mem: Permission denied
 * CHECK: open /proc/self/environ: Permission denied
 * CHECK: open /proc/self/fd/./0: Permission denied
 * CHECK: open /sys/kernel: Permission denied
 * CHECK: open /proc: Permission denied
 * CHECK: path /proc: Permission denied
 * CHECK: chdir /proc/sys: Permission denied
 * CHECK: /proc is mapped: 0
 *
 * RUN: not %temu --root /proc/self %t.elf 2>&1 | FileCheck %s --check-prefix=ROOT
 * RUN: not %temu --root /sys %t.elf 2>&1 | FileCheck %s --check-prefix=ROOT
 * ROOT: /{{proc/self|sys}}: error: this directory cannot be the root: its files are interfaces of the host's kernel; expected a directory of ordinary files
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void check(const char *what, const char *path, long result)
{
    printf("%s %s: %s\n", what, path, result < 0 ? strerror(errno) : "reached");
}

static void attack(const char *path)
{
    struct stat status;

    check("open", path, open(path, O_RDONLY));
    check("write", path, open(path, O_RDWR));
    check("path", path, open(path, O_PATH));
    if (strcmp(path, "/proc") != 0)
        check("status", path, stat(path, &status));
    check("truncate", path, truncate(path, 0));
    check("chdir", path, chdir(path) < 0 ? -1 : chdir("sys"));
}

int main(void)
{
    attack("/proc/self/mem");
    attack("/proc/self/environ");
    attack("/proc/self/fd/./0");
    attack("/sys/kernel");
    attack("/proc");
    attack("/proc/sys");
    attack("/../proc/./self/../self/mem");
    printf("/proc is mapped: %d\n", mmap(NULL, 4096, PROT_READ, MAP_PRIVATE,
                                         open("/proc/self/environ", O_RDONLY), 0) != MAP_FAILED);
    return 0;
}
