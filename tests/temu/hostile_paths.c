/* The program tries to get out of its root by every call that takes a path, through links of all
 * kinds, dots, and directories that are renamed during the call. Files outside are neither read,
 * created, changed nor visible.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -w -o %t.elf %s
 * RUN: rm -rf %t && mkdir -p %t/root/directory/deep %t/root/dev %t/outside/inner && echo secret >%t/outside/secret && chmod 640 %t/outside/secret
 * RUN: ln -s ../outside %t/root/up && ln -s %t/outside %t/root/away && ln -s ../../../outside/secret %t/root/directory/secret
 * RUN: ln -s / %t/root/slash && ln -s .. %t/root/dots && ln -s directory/../../outside %t/root/mixed && ln -s /proc/self/root %t/root/proc
 * RUN: ln -s %t/outside/secret %t/root/dev/null && mkfifo %t/root/fifo
 * RUN: (cd %t && find outside -printf '%p %m %s %l\n' | sort; cat outside/secret) >%t.before
 * RUN: (exec 3<>%t/root/fifo && %temu --root %t/root %t.elf %t >%t.out) && FileCheck %s <%t.out
 * RUN: (cd %t && find outside -printf '%p %m %s %l\n' | sort; cat outside/secret) >%t.after && diff %t.before %t.after
 * RUN: not grep -q secret %t.out && test ! -e %t/made && test ! -e %t/moved
 * CHECK: reached 0 of {{[1-9][0-9][0-9]+}}
 * CHECK: renamed away: 0
 * CHECK: root's parent is the root: 1
 * CHECK: nobody reads the fifo: 1
 * CHECK: null is empty: 0
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

static int reached, tried;

/* A call that succeeded has reached a file outside. */
static void check(const char *what, const char *path, long result)
{
    tried++;
    if (result >= 0) {
        reached++;
        printf("%s %s: %ld\n", what, path, result);
    }
}

static void attack(int at, const char *path)
{
    struct stat status;
    struct statx extended;
    struct statfs system;
    char buffer[100];
    struct timespec times[2] = {{5, 5}, {5, 5}};

    check("open", path, openat(at, path, O_RDONLY));
    check("write", path, openat(at, path, O_RDWR | O_TRUNC));
    check("path", path, openat(at, path, O_PATH));
    check("append", path, openat(at, path, O_WRONLY | O_APPEND | O_CREAT, 0666));
    check("stat", path, fstatat(at, path, &status, 0));
    check("statx", path, statx(at, path, 0, STATX_ALL, &extended));
    check("access", path, faccessat(at, path, F_OK, 0));
    check("chmod", path, fchmodat(at, path, 0777, 0));
    check("chown", path, fchownat(at, path, -1, -1, 0));
    check("times", path, utimensat(at, path, times, 0));
    check("link from", path, linkat(at, path, AT_FDCWD, "taken", AT_SYMLINK_FOLLOW));
    check("rename from", path, renameat(at, path, AT_FDCWD, "taken"));
    check("rename to", path, renameat(AT_FDCWD, "directory/own", at, path));
    check("link to", path, linkat(AT_FDCWD, "directory/own", at, path, 0));
    check("symlink", path, symlinkat("x", at, path));
    check("mkdir", path, mkdirat(at, path, 0777));
    check("mknod", path, mknodat(at, path, S_IFREG | 0666, 0));
    check("unlink", path, unlinkat(at, path, 0));
    check("rmdir", path, unlinkat(at, path, AT_REMOVEDIR));
    check("readlink", path, readlinkat(at, path, buffer, sizeof buffer));
    if (at == AT_FDCWD) {
        check("truncate", path, truncate(path, 0));
        check("chdir", path, chdir(path));
        check("statfs", path, statfs(path, &system));
    }
}

int main(int count, char **arguments)
{
    static const char *const paths[] = {
        "up/secret",
        "away/secret",
        "../outside/secret",
        "directory/secret/",
        "slash/../outside/secret",
        "dots/outside/secret",
        "dots/dots/dots/outside/secret",
        "mixed/secret",
        "proc/etc/passwd",
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/../outside/secret",
        "/../../../../outside/secret",
        "directory/../../outside/secret",
        "directory/deep/../../../outside/secret",
        "up/inner/../secret",
        "//..//outside//secret",
        "./././../outside/secret",
        "up/inner/x",
        "/dev/../../outside/secret",
    };
    char path[4096];

    close(creat("directory/own", 0666));
    int directory = open("directory/deep", O_RDONLY);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        attack(AT_FDCWD, paths[i]);
        if (paths[i][0] != '/') {
            snprintf(path, sizeof path, "../../%s", paths[i]);
            attack(directory, path);
        }
    }
    /* By its name on the host, which a program may guess. */
    snprintf(path, sizeof path, "%s/outside/secret", arguments[1]);
    attack(AT_FDCWD, path);
    printf("reached %d of %d\n", reached, tried);

    /* Opens a directory, which is then moved to the root: `..` from it must not refer to its old
     * parent. */
    chdir("directory/deep");
    rename("/directory/deep", "/moved");
    struct stat status;
    printf("renamed away: %d\n", stat("../../../outside", &status) == 0);
    chdir("/");
    struct stat root, parent;
    stat("/", &root);
    stat("/../..", &parent);
    printf("root's parent is the root: %d\n", root.st_ino == parent.st_ino);
    printf("nobody reads the fifo: %d\n",
           open("fifo", O_WRONLY | O_NONBLOCK) == -1 && errno == ENXIO);
    char buffer[10];
    printf("null is empty: %ld\n", (long)read(open("/dev/null", O_RDONLY), buffer, 10));
    return 0;
}
