/* Paths through links and dots at every place lead where they lead under Linux, in a directory of
 * the host and in memory; so do names in an open directory, also when it was renamed or removed.
 *
 * RUN: %gcc -O1 -static -o %t %s
 * RUN: rm -rf %t.dir && mkdir -p %t.dir/qemu %t.dir/root && cd %t.dir/qemu && %qemu %t > ../qemu.out
 * RUN: cd %t.dir && sh -c 'ulimit -n 60; %temu --root=root %t > root.out' && %temu %t > memory.out
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
 * CHECK: in the renamed directory, near: 1, inside: 3, missing: No such file
 * CHECK: it has 6 entries
 * CHECK: in the removed directory: No such file
 */
#include <dirent.h>
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

static int count_entries(const char *path)
{
    DIR *directory = opendir(path);
    int count = 0;

    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

static char read_at(int directory, const char *name)
{
    char byte = '?';
    int file = openat(directory, name, O_RDONLY);

    if (read(file, &byte, 1) != 1)
        byte = '-';
    close(file);
    return byte;
}

/* What is done in a directory through its descriptor does not depend on its name. */
static void rename_open(void)
{
    struct stat status;
    char target[100] = "";

    mkdir("a/old", 0700);
    int directory = open("a/old", O_RDONLY | O_DIRECTORY);
    put("a/old/f", "1");
    printf("rename %d\n", rename("a/old", "a/b/new"));
    mkdir("a/old", 0700);
    put("a/old/f", "0");
    mkdirat(directory, "inside", 0700);
    put("a/b/new/inside/f", "3");
    symlinkat("f", directory, "near");
    symlinkat("inside/../inside/f", directory, "deep");
    printf("in the renamed directory, near: %c, inside: %c", read_at(directory, "near"),
           read_at(directory, "deep"));
    int missing = openat(directory, "none", O_RDONLY);
    printf(", missing: %s\n", missing < 0 ? strerror(errno) : "?");
    printf("stat %d %ld, ", fstatat(directory, "near", &status, 0), (long)status.st_size);
    printf("link %d, ", (int)readlinkat(directory, "deep", target, sizeof target - 1));
    printf("access %d %d\n", faccessat(directory, "f", R_OK, 0),
           faccessat(directory, "g", R_OK, 0));
    printf("it has %d entries\n", count_entries("a/b/new"));
    printf("change %d %d %d\n", mkdirat(directory, "other", 0700),
           renameat(directory, "near", directory, "nearer"), unlinkat(directory, "f", 0));
    show("a/b/new/nearer");
    show("a/old/f");
    close(directory);
}

static void remove_open(void)
{
    mkdir("a/gone", 0700);
    int directory = open("a/gone", O_RDONLY | O_DIRECTORY);
    rmdir("a/gone");
    int file = openat(directory, "f", O_WRONLY | O_CREAT, 0600);
    printf("in the removed directory: %s\n", file < 0 ? strerror(errno) : "opened");
    mkdir("a/gone", 0700);
    put("a/gone/f", "1");
    printf("not in its successor: %c\n", read_at(directory, "f"));
    close(directory);
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
    printf("a link as a directory: %d entries\n", count_entries("a/short"));
    int found = 0;
    for (int i = 0; i < 300; i++)
        found += access("a/short/dir/f", F_OK) == 0 && access("a/./b/c/up", F_OK) == 0;
    printf("found %d times\n", found);
    char name[20];
    mkdir("many", 0700);
    for (int i = 0; i < 80; i++) {
        snprintf(name, sizeof name, "many/%d", i);
        found -= mkdir(name, 0700) == 0;
        strcat(name, "/none");
        found -= access(name, F_OK) < 0 && errno == ENOENT;
    }
    printf("left %d\n", found);
    printf("rename %d, unlink %d\n", rename("a/b/c/up", "a/b/up"), unlink("a/b/c/f"));
    show("a/b/up");
    show("a/b/c/f");
    put("a/b/c/dangling", "3");
    show("a/b/gone");
    rename_open();
    remove_open();
    return 0;
}
