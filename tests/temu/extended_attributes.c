/* Calls for extended attributes. No file has any, as on a file system that does not keep them, so
 * the attribute has a name that no file system of Linux keeps.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -o %t.elf %s && gcc -O1 -D_GNU_SOURCE -o %t.host %s
 * RUN: rm -rf %t.a && mkdir %t.a && cd %t.a && %t.host >%t.expected
 * RUN: rm -rf %t.b && mkdir %t.b && %temu --root %t.b %t.elf >%t.out && diff %t.expected %t.out
 * RUN: %temu %t.elf >%t.out && diff %t.expected %t.out
 * RUN: FileCheck %s <%t.expected
 *
 * Attributes that some file systems keep are refused, too.
 * RUN: %temu %t.elf user.comment | FileCheck %s --check-prefix=KEPT
 * KEPT: set -1 95
 * KEPT: get -1 95
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define NAME "unheard.of"
#define BAD  ((void *)8)

static void tell(const char *text, long result)
{
    printf("%s %ld %d\n", text, result, result < 0 ? errno : 0);
}

static void call_paths(const char *path)
{
    char value[8];

    printf("%s\n", path);
    tell("set", setxattr(path, NAME, "value", 5, 0));
    tell("get", getxattr(path, NAME, value, sizeof value));
    tell("list", listxattr(path, value, 0));
    tell("remove", removexattr(path, NAME));
    tell("link: set", lsetxattr(path, NAME, "value", 5, XATTR_CREATE));
    tell("link: get", lgetxattr(path, NAME, value, sizeof value));
    tell("link: list", llistxattr(path, value, 0));
    tell("link: remove", lremovexattr(path, NAME));
}

static void call_descriptor(const char *text, int fd)
{
    char value[8];

    printf("%s\n", text);
    tell("set", fsetxattr(fd, NAME, "value", 5, XATTR_REPLACE));
    tell("get", fgetxattr(fd, NAME, value, sizeof value));
    tell("list", flistxattr(fd, value, 0));
    tell("remove", fremovexattr(fd, NAME));
}

static void call_wrongly(int fd)
{
    char name[300], large[70000] = "";

    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    tell("long name", fgetxattr(fd, name, NULL, 0));
    name[256] = '\0';
    tell("a letter more", fgetxattr(fd, name, NULL, 0));
    name[255] = '\0';
    tell("longest name", fgetxattr(fd, name, NULL, 0));
    tell("no name", fgetxattr(fd, "", NULL, 0));
    tell("unreadable name", fgetxattr(fd, BAD, NULL, 0));
    tell("unreadable name to set", fsetxattr(fd, BAD, "", 1, 0));
    tell("unreadable path", getxattr(BAD, NAME, NULL, 0));
    tell("empty path", getxattr("", NAME, NULL, 0));
    tell("unknown flags", fsetxattr(fd, NAME, "", 1, 4));
    tell("long value", fsetxattr(fd, NAME, large, 65537, 0));
    tell("longest value", fsetxattr(fd, NAME, large, 65536, 0));
    tell("unreadable value", fsetxattr(fd, NAME, BAD, 5, 0));
    tell("empty value", fsetxattr(fd, NAME, BAD, 0, 0));
    tell("flags before the name", fsetxattr(fd, "", "", 1, 8));
    tell("name before the size", fsetxattr(fd, "", large, 65537, 0));
}

/* CHECK: dangling
 * CHECK-NEXT: set -1 2
 * CHECK: link: set -1 95
 * CHECK: list 0 0
 * CHECK: closed
 * CHECK-NEXT: set -1 9
 * CHECK: long name -1 34
 * CHECK: longest name -1 95
 */
int main(int argc, char **argv)
{
    int fd = open("attributes", O_CREAT | O_RDWR, 0600), path = open(".", O_PATH), ends[2];

    if (argc > 1) {
        tell("set", fsetxattr(fd, argv[1], "value", 5, 0));
        tell("get", fgetxattr(fd, argv[1], NULL, 0));
        return 0;
    }
    if (symlink("nothing", "dangling") || pipe(ends))
        return 1;
    call_paths(".");
    call_paths("dangling");
    call_paths("missing");
    call_paths("missing/below");
    call_paths("/dev/null");
    call_descriptor("file", fd);
    call_descriptor("pipe", ends[0]);
    call_descriptor("path", path);
    call_descriptor("closed", 99);
    call_wrongly(fd);
    return 0;
}
