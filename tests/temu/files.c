/* Files only exist under --root, and no path leads out of it.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O1 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t.elf %s
 * RUN: rm -rf %t && mkdir -p %t/root/sub %t/outside && echo inside >%t/root/file && echo secret >%t/outside/secret
 * RUN: ln -s ../outside/secret %t/root/escape && ln -s %t/outside %t/root/away && ln -s /sub/../file %t/root/inner
 * RUN: ln -s loop %t/root/loop && mkfifo %t/root/fifo && ln -s . %t/root/dot
 * RUN: %temu --root %t/root %t.elf | FileCheck %s --match-full-lines
 * RUN: %temu %t.elf | FileCheck %s --check-prefix=NONE --match-full-lines
 * RUN: sh -c 'test "$(cat %t/root/sub/new)" = 12345 && test $(cat %t/outside/secret) = secret && ! test -e %t/outside/new'
 * RUN: not %temu --root %t/nothing %t.elf 2>&1 | FileCheck %s --check-prefix=ROOT
 * ROOT: nothing: error: cannot use this as the --root directory: No such file or directory
 *
 * CHECK: file 3
 * CHECK-NEXT: inside
 * CHECK-NEXT: read 7
 * CHECK-NEXT: size 7
 * CHECK-NEXT: mode 32768
 * CHECK-NEXT: /file 3
 * CHECK-NEXT: sub/../file 3
 * CHECK-NEXT: ../../file 3
 * CHECK-NEXT: inner 3
 * CHECK-NEXT: dot/dot/file 3
 * CHECK-NEXT: escape -2
 * CHECK-NEXT: away/secret -2
 * CHECK-NEXT: ../outside/secret -2
 * CHECK-NEXT: loop -40
 * CHECK-NEXT: fifo -35
 * CHECK-NEXT: /etc/passwd -2
 * CHECK-NEXT: empty -2
 * CHECK-NEXT: nowhere -14
 * CHECK-NEXT: new 3
 * CHECK-NEXT: written 5
 * CHECK-NEXT: lseek 1
 * CHECK-NEXT: again 4
 * CHECK-NEXT: new outside -2
 * CHECK-NEXT: read only -9
 * CHECK-NEXT: closed 0
 * CHECK-NEXT: closed twice -9
 * CHECK-NEXT: descriptor -9
 * CHECK-NEXT: stdout 8592
 * CHECK-NEXT: all open -24
 *
 * NONE: file -2
 * NONE: /etc/passwd -2
 * NONE: new -2
 * NONE: stdout 8592
 */
#include "guest.h"

static char buffer[4096];

static long try(const char *name, const char *path)
{
    long fd = CALL(OPENAT, -100, path, 0);

    print_number(name, fd);
    if (fd >= 0)
        CALL(CLOSE, fd);
    return fd;
}

static long status_of(long fd, int word)
{
    static int status[32];
    long result = CALL(FSTAT, fd, status);

    return result < 0 ? result : status[word];
}

static void read_back(void)
{
    long fd = CALL(OPENAT, -100, "file", 0);

    print_number("file", fd);
    long got = CALL(READ, fd, buffer, sizeof buffer);
    CALL(WRITE, 1, buffer, got);
    print_number("read", got);
    print_number("size", status_of(fd, 12));
    print_number("mode", status_of(fd, 4) & 0170000);
    CALL(CLOSE, fd);
}

static void write_new(void)
{
    long fd = CALL(OPENAT, -100, "/sub/new", 0102 | 01000, 0644);

    print_number("new", fd);
    print_number("written", CALL(WRITE, fd, "12345", 5));
    print_number("lseek", CALL(LSEEK, fd, 1, 0));
    print_number("again", CALL(READ, fd, buffer, 100));
    CALL(CLOSE, fd);
    print_number("new outside", CALL(OPENAT, -100, "away/new", 0101, 0644));
    fd = CALL(OPENAT, -100, "file", 0);
    print_number("read only", CALL(WRITE, fd, "x", 1));
    print_number("closed", CALL(CLOSE, fd));
    print_number("closed twice", CALL(CLOSE, fd));
    print_number("descriptor", CALL(READ, 1000, buffer, 1));
}

void _start(void)
{
    read_back();
    try("/file", "/file");
    try("sub/../file", "sub/../file");
    try("../../file", "../../file");
    try("inner", "inner");
    try("dot/dot/file", "dot/dot/file");
    try("escape", "escape");
    try("away/secret", "away/secret");
    try("../outside/secret", "../outside/secret");
    try("loop", "loop");
    try("fifo", "fifo");
    try("/etc/passwd", "/etc/passwd");
    try("empty", "");
    try("nowhere", (const char *)8);
    write_new();
    print_number("stdout", status_of(1, 4));
    long fd;

    do {
        fd = CALL(OPENAT, -100, "file", 0);
    } while (fd >= 0);
    print_number("all open", fd);
    CALL(EXIT, 0);
}
