/* Paths through links and dots at every place lead where they lead under Linux, in a directory of
 * the host and in memory.
 *
 * RUN: %gcc -O1 -static -o %t %s
 * RUN: rm -rf %t.dir && mkdir -p %t.dir/qemu %t.dir/root && cd %t.dir/qemu && %qemu %t > ../qemu.out
 * RUN: cd %t.dir && %temu --root=root %t > root.out && %temu %t > memory.out
 * RUN: diff qemu.out root.out && diff qemu.out memory.out && FileCheck %s < root.out
 *
 * CHECK: a/b/c/f: 1
 * CHECK: a/b/c/up: 2
 * CHECK: a/b/../b/./c/f: 1
 * CHECK: a/short/f: 1
 * CHECK: a/f/x: {{.*}} Not a directory
 * CHECK: a/b/c/up/: {{.*}} Not a directory
 * CHECK: a/b/none/f: {{.*}} No such file
 * CHECK: through a descriptor, up: 2
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void show(const char *path)
{
    char byte = 0;
    int file = open(path, O_RDONLY);

    if (file < 0)
        printf("%s: not opened: %s\n", path, strerror(errno));
    else if (read(file, &byte, 1) != 1)
        printf("%s: not read: %s\n", path, strerror(errno));
    else
        printf("%s: %c\n", path, byte);
    close(file);
}

static void put(const char *path, const char *byte)
{
    int file = open(path, O_WRONLY | O_CREAT, 0600);

    if (write(file, byte, 1) != 1)
        printf("%s: not written\n", path);
    close(file);
}

static void show_link(const char *path)
{
    char target[100] = "";
    struct stat status;
    long length = readlink(path, target, sizeof target - 1);

    printf("%s: link of %ld: %s, lstat %d", path, length, target, lstat(path, &status));
    printf(" %d, stat %d\n", (int)(status.st_mode & S_IFMT), stat(path, &status));
}

int main(void)
{
    static const char *const paths[] = {
        "a/b/c/f",        "a/b/c/up",      "a/b/../b/./c/f", "a//b///c//f", "a/short/f",
        "a/short/../f",   "a/b/c/long",    "a/b/c/round",    "a/f/x",       "a/b/c/f/",
        "a/b/c/up/",      "a/b/c/dir/f",   "a/b/c/dir/",     "a/b/none/f",  "a/b/c/none",
        "a/b/c/dangling", "a/b/c/dir/../f"};
    char byte;

    if (mkdir("a", 0700) || mkdir("a/b", 0700) || mkdir("a/b/c", 0700))
        printf("no directories\n");
    put("a/b/c/f", "1");
    put("a/f", "2");
    if (symlink("../../f", "a/b/c/up") || symlink("b/c", "a/short") ||
        symlink("../../short/up", "a/b/c/long") || symlink("round", "a/b/c/round") ||
        symlink("../c", "a/b/c/dir") || symlink("../gone", "a/b/c/dangling"))
        printf("no links\n");
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
        show(paths[i]);
        show_link(paths[i]);
    }
    int directory = open("a/b/c", O_RDONLY | O_DIRECTORY);
    int file = openat(directory, "up", O_RDONLY);
    printf("through a descriptor, up: %c\n", read(file, &byte, 1) == 1 ? byte : '?');
    file = openat(directory, "dir/../c/up", O_RDONLY);
    printf("through a descriptor, round about: %c\n", read(file, &byte, 1) == 1 ? byte : '?');
    printf("rename %d, unlink %d\n", rename("a/b/c/up", "a/b/up"), unlink("a/b/c/f"));
    show("a/b/up");
    show("a/b/c/f");
    put("a/b/c/dangling", "3");
    show("a/b/gone");
    return 0;
}
