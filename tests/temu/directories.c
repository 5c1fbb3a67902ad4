/* Files under --root are created, listed, renamed, removed and examined by name, and through
 * descriptors. No system call leads out of the root.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O1 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t.elf %s
 * RUN: rm -rf %t && mkdir -p %t/root/list %t/outside/kept && echo secret >%t/outside/secret && echo 123456789 >%t/root/file
 * RUN: ln -s ../outside %t/root/escape && ln -s %t/outside %t/root/away && touch %t/root/list/b %t/root/list/c && mkdir %t/root/list/a
 * RUN: ln -s ../file %t/root/list/link
 * RUN: sh -c 'umask 0; %temu --root %t/root %t.elf' >%t.out; FileCheck %s --match-full-lines <%t.out
 * RUN: test -d %t/outside/kept && test -f %t/outside/secret && test ! -e %t/outside/new && test ! -e %t/outside/moved
 * RUN: test "$(cat %t/root/kept/moved)" = 12XY5 && test ! -e %t/root/new
 * RUN: %temu %t.elf | FileCheck %s --check-prefix=NONE --match-full-lines
 *
 * CHECK: mkdir 0
 * CHECK-NEXT: mkdir again -17
 * CHECK-NEXT: mkdir root -17
 * CHECK-NEXT: mkdir escape/new -2
 * CHECK-NEXT: mkdir away/new -2
 * CHECK-NEXT: mkdir ../outside/new -2
 * CHECK-NEXT: mode of new 16872
 * CHECK-NEXT: unlink escape/secret -2
 * CHECK-NEXT: rmdir away/kept -2
 * CHECK-NEXT: rmdir root -39
 * CHECK-NEXT: unlink directory -21
 * CHECK-NEXT: rename in -2
 * CHECK-NEXT: rename out -2
 * CHECK-NEXT: rename flags -22
 * CHECK-NEXT: access -2
 * CHECK-NEXT: access file 0
 * CHECK-NEXT: access mode -22
 * CHECK-NEXT: link is one 40960
 * CHECK-NEXT: link leads to 32768
 * CHECK-NEXT: escape is one 40960
 * CHECK-NEXT: escape leads to -2
 * CHECK-NEXT: readlink 7
 * CHECK-NEXT: ../file
 * CHECK-NEXT: readlink short 3
 * CHECK-NEXT: readlink file -22
 * CHECK-NEXT: readlink nothing -22
 * CHECK-NEXT: exe 19
 * CHECK-NEXT: /directories.c.tmp.
 * CHECK-NEXT: statx 0
 * CHECK-NEXT: statx size 10
 * CHECK-NEXT: statx nowhere -14
 * CHECK-NEXT: list 3
 * CHECK-NEXT: too small -22
 * CHECK-NEXT: . 4
 * CHECK-NEXT: .. 4
 * CHECK-NEXT: a 4
 * CHECK-NEXT: b 8
 * CHECK-NEXT: c 8
 * CHECK-NEXT: link 10
 * CHECK-NEXT: end 0
 * CHECK-NEXT: numbers agree 1
 * CHECK-NEXT: again 24
 * CHECK-NEXT: list nowhere -14
 * CHECK-NEXT: list a file -20
 * CHECK-NEXT: list too much -14
 * CHECK-NEXT: from a directory 5
 * CHECK-NEXT: dots from it -2
 * CHECK-NEXT: dots to the file 5
 * CHECK-NEXT: from a file -20
 * CHECK-NEXT: from nothing -9
 * CHECK-NEXT: chdir list 0
 * CHECK-NEXT: cwd 6
 * CHECK-NEXT: /list
 * CHECK-NEXT: relative 5
 * CHECK-NEXT: chdir ../../.. 0
 * CHECK-NEXT: cwd 2
 * CHECK-NEXT: chdir file -20
 * CHECK-NEXT: chdir escape -2
 * CHECK-NEXT: fchdir 0
 * CHECK-NEXT: cwd 6
 * CHECK-NEXT: cwd short -34
 * CHECK-NEXT: fchdir file -20
 * CHECK-NEXT: dup 7
 * CHECK-NEXT: shared offset 4
 * CHECK-NEXT: dup3 9
 * CHECK-NEXT: dup3 same -22
 * CHECK-NEXT: dup3 far -9
 * CHECK-NEXT: dupfd 12
 * CHECK-NEXT: dupfd far -22
 * CHECK-NEXT: getfd 1
 * CHECK-NEXT: setfd 0
 * CHECK-NEXT: getfd 0
 * CHECK-NEXT: getfl 2
 * CHECK-NEXT: append 0
 * CHECK-NEXT: getfl 1026
 * CHECK-NEXT: fcntl -22
 * CHECK-NEXT: still open 2
 * CHECK-NEXT: pwrite 2
 * CHECK-NEXT: pread 3
 * CHECK-NEXT: 2XY
 * CHECK-NEXT: pread nowhere -14
 * CHECK-NEXT: pread negative -22
 * CHECK-NEXT: pread stream -29
 * CHECK-NEXT: truncate 0
 * CHECK-NEXT: truncate stream -22
 * CHECK-NEXT: truncate negative -22
 * CHECK-NEXT: size 5
 * CHECK-NEXT: map 50
 * CHECK-NEXT: map after the end 0
 * CHECK-NEXT: map private 88
 * CHECK-NEXT: map shared 0
 * CHECK-NEXT: map closed -9
 * CHECK-NEXT: map odd -22
 * CHECK-NEXT: map directory -19
 * CHECK-NEXT: map endless -12
 * CHECK-NEXT: rename 0
 * CHECK-NEXT: rename over -17
 * CHECK-NEXT: rmdir 0
 * CHECK-NEXT: symlink 0
 * CHECK-NEXT: leads nowhere -2
 * CHECK-NEXT: symlink again -17
 * CHECK-NEXT: symlink away/new -2
 * CHECK-NEXT: symlink nowhere -14
 * CHECK-NEXT: umask 18
 * CHECK-NEXT: umask 63
 *
 * NONE: mkdir 0
 * NONE-NEXT: mkdir again -17
 * NONE: rename in -2
 * NONE: access file -2
 * NONE: exe 19
 */
#include "guest.h"

static char buffer[8192];
enum { HERE = -100, NOFOLLOW = 0x100, REMOVEDIR = 0x200, BAD = 8 };

static long mode_of(const char *path, long flags)
{
    static int status[32];
    long result = CALL(NEWFSTATAT, HERE, path, status, flags);

    return result < 0 ? result : status[4];
}

static void print_line(const char *text, long length)
{
    CALL(WRITE, 1, text, length);
    print("\n");
}

static void change_names(void)
{
    print_number("mkdir", CALL(MKDIRAT, HERE, "new", 0777));
    print_number("mkdir again", CALL(MKDIRAT, HERE, "new", 0777));
    print_number("mkdir root", CALL(MKDIRAT, HERE, "/", 0777));
    print_number("mkdir escape/new", CALL(MKDIRAT, HERE, "escape/new", 0777));
    print_number("mkdir away/new", CALL(MKDIRAT, HERE, "away/new", 0777));
    print_number("mkdir ../outside/new", CALL(MKDIRAT, HERE, "../outside/new", 0777));
    print_number("mode of new", mode_of("new", 0) & ~022 & ~05 & 0177750);
    print_number("unlink escape/secret", CALL(UNLINKAT, HERE, "escape/secret", 0));
    print_number("rmdir away/kept", CALL(UNLINKAT, HERE, "away/kept", REMOVEDIR));
    print_number("rmdir root", CALL(UNLINKAT, HERE, "..", REMOVEDIR));
    print_number("unlink directory", CALL(UNLINKAT, HERE, "list", 0));
    print_number("rename in", CALL(RENAMEAT2, HERE, "escape/secret", HERE, "stolen", 0));
    print_number("rename out", CALL(RENAMEAT2, HERE, "file", HERE, "away/moved", 0));
    print_number("rename flags", CALL(RENAMEAT2, HERE, "file", HERE, "list", 2));
}

static void look_at_names(void)
{
    print_number("access", CALL(FACCESSAT, HERE, "escape/secret", 0));
    print_number("access file", CALL(FACCESSAT, HERE, "list/link", 6));
    print_number("access mode", CALL(FACCESSAT, HERE, "file", 8));
    print_number("link is one", mode_of("list/link", NOFOLLOW) & 0170000);
    print_number("link leads to", mode_of("list/link", 0) & 0170000);
    print_number("escape is one", mode_of("escape", NOFOLLOW) & 0170000);
    print_number("escape leads to", mode_of("escape", 0));
    print_number("readlink", CALL(READLINKAT, HERE, "list/link", buffer, 100));
    print_line(buffer, 7);
    print_number("readlink short", CALL(READLINKAT, HERE, "list/link", buffer, 3));
    print_number("readlink file", CALL(READLINKAT, HERE, "file", buffer, 100));
    print_number("readlink nothing", CALL(READLINKAT, HERE, "list/link", buffer, 0));
    long length = CALL(READLINKAT, HERE, "/proc/self/exe", buffer, 19);
    print_number("exe", length);
    print_line(buffer, length);
    print_number("statx", CALL(STATX, HERE, "file", 0, 0x7ff, buffer));
    print_number("statx size", *(long *)(buffer + 40));
    print_number("statx nowhere", CALL(STATX, HERE, "file", 0, 0x7ff, BAD));
}

static unsigned long number_of(const char *path)
{
    static unsigned long status[16];

    CALL(NEWFSTATAT, HERE, path, status, NOFOLLOW);
    return status[1];
}

static void list_names(void)
{
    const char *paths[] = {"list", "/", "list/a", "list/b", "list/c", "list/link"};
    long fd = CALL(OPENAT, HERE, "list", 0200000), got, count = 0, agree = 1;

    print_number("list", fd);
    print_number("too small", CALL(GETDENTS64, fd, buffer, 20));
    while ((got = CALL(GETDENTS64, fd, buffer, 64)) > 0)
        for (long at = 0; at < got; at += *(unsigned short *)(buffer + at + 16)) {
            print_number(buffer + at + 19, buffer[at + 18]);
            agree &= *(unsigned long *)(buffer + at) == number_of(paths[count++]);
        }
    print_number("end", got);
    print_number("numbers agree", agree);
    CALL(LSEEK, fd, 0, 0);
    print_number("again", CALL(GETDENTS64, fd, buffer, 24));
    print_number("list nowhere", CALL(GETDENTS64, fd, BAD, 4096));
    long file = CALL(OPENAT, HERE, "file", 2);
    print_number("list a file", CALL(GETDENTS64, file, buffer, 4096));
    print_number("list too much", CALL(GETDENTS64, fd, buffer, -1));
    long inner = CALL(OPENAT, fd, "b", 0);
    print_number("from a directory", inner);
    CALL(CLOSE, inner);
    print_number("dots from it", CALL(OPENAT, fd, "../../outside/secret", 0));
    inner = CALL(OPENAT, fd, "../../../file", 0);
    print_number("dots to the file", inner);
    CALL(CLOSE, inner);
    print_number("from a file", CALL(OPENAT, file, "b", 0));
    print_number("from nothing", CALL(OPENAT, 50, "b", 0));
}

static void go(void)
{
    print_number("chdir list", CALL(CHDIR, "list"));
    long length = CALL(GETCWD, buffer, 100);
    print_number("cwd", length);
    print_line(buffer, length - 1);
    long fd = CALL(OPENAT, HERE, "c", 0);
    print_number("relative", fd);
    CALL(CLOSE, fd);
    print_number("chdir ../../..", CALL(CHDIR, "../../.."));
    print_number("cwd", CALL(GETCWD, buffer, 100));
    print_number("chdir file", CALL(CHDIR, "file"));
    print_number("chdir escape", CALL(CHDIR, "escape"));
    print_number("fchdir", CALL(FCHDIR, 3));
    print_number("cwd", CALL(GETCWD, buffer, 100));
    print_number("cwd short", CALL(GETCWD, buffer, 5));
    print_number("fchdir file", CALL(FCHDIR, 4));
    CALL(CHDIR, "/");
}

static void share(void)
{
    enum { FILE = 4 };
    CALL(DUP, 1);
    CALL(DUP, 1);
    long copy = CALL(DUP, FILE);
    print_number("dup", copy);
    CALL(LSEEK, FILE, 4, 0);
    print_number("shared offset", CALL(LSEEK, copy, 0, 1));
    print_number("dup3", CALL(DUP3, FILE, 9, 02000000));
    print_number("dup3 same", CALL(DUP3, FILE, FILE, 0));
    print_number("dup3 far", CALL(DUP3, FILE, 2000, 0));
    print_number("dupfd", CALL(FCNTL, FILE, 0, 12));
    print_number("dupfd far", CALL(FCNTL, FILE, 0, -1));
    print_number("getfd", CALL(FCNTL, 9, 1));
    print_number("setfd", CALL(FCNTL, 9, 2, 0));
    print_number("getfd", CALL(FCNTL, 9, 1));
    print_number("getfl", CALL(FCNTL, FILE, 3));
    print_number("append", CALL(FCNTL, FILE, 4, 02000));
    print_number("getfl", CALL(FCNTL, 9, 3));
    CALL(FCNTL, FILE, 4, 0);
    print_number("fcntl", CALL(FCNTL, FILE, 99));
    CALL(CLOSE, FILE);
    print_number("still open", CALL(READ, 9, buffer, 2));
}

static void move(void)
{
    enum { FILE = 9 };
    print_number("pwrite", CALL(PWRITE64, FILE, "XY", 2, 2));
    print_number("pread", CALL(PREAD64, FILE, buffer, 3, 1));
    print_line(buffer, 3);
    print_number("pread nowhere", CALL(PREAD64, FILE, BAD, 3, 1));
    print_number("pread negative", CALL(PREAD64, FILE, buffer, 3, -1));
    print_number("pread stream", CALL(PREAD64, 1, buffer, 3, 0));
    print_number("truncate", CALL(FTRUNCATE, FILE, 5));
    print_number("truncate stream", CALL(FTRUNCATE, 1, 5));
    print_number("truncate negative", CALL(FTRUNCATE, FILE, -5));
    print_number("size", CALL(LSEEK, FILE, 0, 2));
    char *map = (char *)CALL(MMAP, 0, 5000, 3, 2, FILE, 0);
    print_number("map", (unsigned long)map < -4096ul ? map[1] : (long)map);
    if ((unsigned long)map < -4096ul) {
        print_number("map after the end", map[5]);
        map[0] = 'X';
        print_number("map private", map[0]);
    }
    map = (char *)CALL(MMAP, 0, 5000, 3, 1, FILE, 0);
    print_number("map shared", (unsigned long)map < -4096ul ? 0 : (long)map);
    print_number("map closed", CALL(MMAP, 0, 5000, 3, 2, 60, 0));
    print_number("map odd", CALL(MMAP, 0, 5000, 3, 2, FILE, 5));
    print_number("map directory", CALL(MMAP, 0, 5000, 3, 2, 3, 0));
    print_number("map endless", CALL(MMAP, 0, -4096, 3, 2, FILE, 0));
}

void _start(void)
{
    change_names();
    look_at_names();
    list_names();
    go();
    share();
    move();
    CALL(MKDIRAT, HERE, "kept", 0755);
    print_number("rename", CALL(RENAMEAT2, HERE, "file", 3, "../kept/moved", 0));
    print_number("rename over", CALL(RENAMEAT2, HERE, "list/b", HERE, "list/c", 1));
    print_number("rmdir", CALL(UNLINKAT, HERE, "new/", REMOVEDIR));
    print_number("symlink", CALL(SYMLINKAT, "../../outside/secret", HERE, "list/made"));
    print_number("leads nowhere", CALL(OPENAT, HERE, "list/made", 0));
    print_number("symlink again", CALL(SYMLINKAT, "x", HERE, "list/made"));
    print_number("symlink away/new", CALL(SYMLINKAT, "x", HERE, "away/new"));
    print_number("symlink nowhere", CALL(SYMLINKAT, BAD, HERE, "y"));
    print_number("umask", CALL(UMASK, 077));
    print_number("umask", CALL(UMASK, 0));
    CALL(EXIT, 0);
}
