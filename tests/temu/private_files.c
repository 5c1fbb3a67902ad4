/* The private files of a program without --root: the calls on names and open files give what Linux
 * gives, by qemu-riscv64 in a directory of the host.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -w -o %t.elf %s
 * RUN: rm -rf %t.d && mkdir %t.d && %qemu %t.elf %t.d >%t.b.out
 * RUN: %temu %t.elf /tmp >%t.a.out && diff %t.a.out %t.b.out && wc -l <%t.a.out | FileCheck %s
 * RUN: %temu %t.elf / | diff - %t.b.out
 * CHECK: {{^[1-9][0-9][0-9]$}}
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char buffer[0x10000];

static long check(const char *what, long result)
{
    if (result < 0)
        printf("%s: %s\n", what, strerrorname_np(errno));
    else
        printf("%s: %ld\n", what, result);
    return result;
}

/* Prints a descriptor only as open. */
static int opened(const char *what, int fd)
{
    check(what, fd < 0 ? fd : 0);
    return fd;
}

static void show(const char *path)
{
    struct stat status;

    if (check(path, lstat(path, &status)) == 0)
        printf("  mode %o size %ld\n", status.st_mode,
               S_ISDIR(status.st_mode) ? 0 : (long)status.st_size);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void list(const char *path)
{
    struct dirent **names;
    int count = scandir(path, &names, NULL, by_name);

    check("scandir", count);
    for (int i = 0; i < count; i++)
        printf("  %s %d\n", names[i]->d_name, names[i]->d_type);
}

static void names(void)
{
    char long_name[300];

    memset(long_name, 'x', sizeof long_name);
    long_name[299] = '\0';
    check("mkdir", mkdir("d", 0750));
    check("mkdir again", mkdir("d", 0750));
    check("mkdir below nothing", mkdir("nothing/d", 0750));
    check("mkdir slash", mkdir("d/e/", 0777));
    check("mkdir long", mkdir(long_name, 0777));
    check("mkdir dot", mkdir("d/.", 0777));
    close(opened("creat", creat("d/file", 0640)));
    show("d/file");
    show("d");
    show("d/file/");
    show("d/file/x");
    check("mkdir over file", mkdir("d/file", 0777));
    check("rmdir full", rmdir("d"));
    check("rmdir file", rmdir("d/file"));
    check("rmdir dot", rmdir("d/e/."));
    check("rmdir dots", rmdir("d/e/.."));
    check("unlink directory", unlink("d/e"));
    check("unlink nothing", unlink("d/nothing"));
    check("symlink", symlink("d/file", "link"));
    check("symlink over", symlink("d/file", "link"));
    check("symlink dangling", symlink("nothing/x", "dangling"));
    check("symlink loop", symlink("loop", "loop"));
    check("symlink to directory", symlink("d", "to_d"));
    show("link");
    show("to_d/file");
    show("loop/x");
    check("readlink", readlink("link", buffer, sizeof buffer));
    check("readlink short", readlink("link", buffer, 3));
    check("readlink file", readlink("d/file", buffer, sizeof buffer));
    opened("open loop", open("loop", O_RDONLY));
    opened("open dangling", open("dangling", O_RDONLY));
    opened("creat dangling", open("dangling", O_RDWR | O_CREAT, 0666));
    opened("open no follow", open("link", O_RDONLY | O_NOFOLLOW));
    close(opened("open through link", open("link", O_RDWR | O_CREAT, 0666)));
    opened("open exclusive", open("link", O_RDWR | O_CREAT | O_EXCL, 0666));
    opened("open directory to write", open("d", O_RDWR));
    opened("creat directory", open("d", O_RDONLY | O_CREAT, 0666));
    opened("open file as directory", open("d/file", O_RDONLY | O_DIRECTORY));
    opened("creat slash", open("new/", O_RDWR | O_CREAT, 0666));
    check("link", link("d/file", "hard"));
    check("link over", link("d/file", "hard"));
    check("link directory", link("d", "hard_d"));
    check("link nothing", link("nothing", "x"));
    check("access", access("d/file", R_OK | W_OK));
    check("access nothing", access("d/nothing", F_OK));
    check("chmod", chmod("d/file", 0604));
    show("hard");
    list("d");
    list(".");
    list("d/file");
    check("unlink", unlink("hard"));
    show("d/file");
    check("chdir", chdir("to_d/e"));
    show("../file");
    check("chdir file", chdir("../file"));
    check("chdir up", chdir("../.."));
}

static void renames(void)
{
    mkdir("r", 0777);
    mkdir("r/a", 0777);
    mkdir("r/b", 0777);
    close(creat("r/b/in", 0666));
    close(creat("r/one", 0666));
    close(creat("r/two", 0600));
    check("rename", rename("r/one", "r/three"));
    check("rename nothing", rename("r/one", "r/four"));
    check("rename over", rename("r/two", "r/three"));
    show("r/three");
    show("r/two");
    check("rename itself", rename("r/three", "r/three"));
    check("rename into itself", rename("r", "r/a/r"));
    check("rename over above", rename("r/a", "r"));
    check("rename over full", rename("r/a", "r/b"));
    check("rename file over directory", rename("r/three", "r/a"));
    check("rename directory over file", rename("r/a", "r/three"));
    check("rename over empty", rename("r/b", "r/a"));
    show("r/a/in");
    check("rename up", rename("r/a", "a"));
    check("rename not over", renameat2(AT_FDCWD, "a", AT_FDCWD, "r", RENAME_NOREPLACE));
    check("rename free", renameat2(AT_FDCWD, "a", AT_FDCWD, "r/z", RENAME_NOREPLACE));
    check("rename to dot", rename("r/z", "r/."));
    link("r/three", "r/same");
    check("rename to its other name", rename("r/three", "r/same"));
    list("r");
    int directory = open("r", O_RDONLY);
    check("unlinkat", unlinkat(directory, "same", 0));
    close(opened("openat", openat(directory, "z/in", O_RDONLY)));
    check("rmdir", rmdir("r/z"));
    unlink("r/z/in");
    unlink("r/three");
    check("rmdir", rmdir("r/z"));
    check("rmdir open", rmdir("r"));
    opened("openat removed", openat(directory, "x", O_RDWR | O_CREAT, 0666));
    check("fchdir removed", fchdir(directory) == 0 ? 0 : 0);
    close(directory);
    chdir("/");
}

static void contents(int file, int second)
{
    struct iovec vectors[2] = {{"abc", 3}, {"defg", 4}};
    int waiting;

    check("write", write(file, "0123456789", 10));
    check("pwrite", pwrite(file, "xyz", 3, 20));
    check("seek", lseek(file, 0, SEEK_CUR));
    check("seek end", lseek(file, -1, SEEK_END));
    check("seek before", lseek(file, -100, SEEK_CUR));
    check("seek far", lseek(file, 1 << 20, SEEK_SET));
    check("read there", read(file, buffer, 10));
    check("seek back", lseek(file, 8, SEEK_SET));
    check("read", read(file, buffer, 100));
    for (int i = 0; i < 15; i++)
        printf(" %d", buffer[i]);
    puts("");
    check("writev", writev(file, vectors, 2));
    check("ftruncate", ftruncate(file, 5));
    check("ftruncate longer", ftruncate(file, 100000));
    check("pread", pread(file, buffer, 20, 0));
    printf("%.10s %d\n", buffer, buffer[5]);
    check("pread end", pread(file, buffer, 20, 99990));
    check("ftruncate negative", ftruncate(file, -1));
    check("pread negative", pread(file, buffer, 1, -1));
    check("seek data", lseek(file, 200000, SEEK_DATA));
    check("seek hole", lseek(second, 200000, SEEK_HOLE));
    check("fallocate", posix_fallocate(file, 0, 200000));
    check("fstat", lseek(file, 0, SEEK_END));
    check("readable", ioctl(file, FIONREAD, &waiting) < 0 ? -1 : waiting);
    char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    printf("map %.5s\n", map);
    lseek(file, 0, SEEK_SET);
    lseek(second, 0, SEEK_SET);
    check("sendfile", sendfile(second, file, NULL, 70000));
    loff_t in = 0, out = 5;
    check("copy over itself", copy_file_range(file, &in, file, &out, 10, 0));
    in = 199990, out = 200000;
    check("copy to the end", copy_file_range(file, &in, file, &out, 1 << 20, 0));
    in = 300000, out = 0;
    check("copy from after the end", copy_file_range(file, &in, file, &out, 1 << 20, 0));
    check("offset", lseek(file, 0, SEEK_CUR));
    check("append", fcntl(file, F_SETFL, O_APPEND));
    check("write", write(file, "end", 3));
    check("offset", lseek(file, 0, SEEK_CUR));
    check("pwrite appends", pwrite(file, "more", 4, 0));
    check("length", lseek(file, 0, SEEK_END));
    check("fsync", fsync(file));
    check("fchmod", fchmod(file, 0400));
}

static void files(const char *where)
{
    int file = open("content", O_RDWR | O_CREAT | O_TRUNC, 0666);
    int second = open("second", O_RDWR | O_CREAT, 0666);
    contents(file, second);
    check("copy_file_range", copy_file_range(file, NULL, second, NULL, 10, 0));
    int reader = open("content", O_RDONLY), writer = open("second", O_WRONLY);
    check("read writer", read(writer, buffer, 1));
    check("write reader", write(reader, buffer, 1));
    check("truncate reader", ftruncate(reader, 1));
    check("own offset", lseek(reader, 0, SEEK_CUR));
    check("read", read(reader, buffer, 3));
    check("shared contents", memcmp(buffer, "012", 3));
    check("unlink", unlink("content"));
    check("still there", pread(file, buffer, 3, 0));
    show("content");
    check("truncate", truncate("second", 3));
    show("second");
    check("truncate directory", truncate("d", 3));
    check("truncate nothing", truncate("nothing", 3));
    close(opened("O_TRUNC", open("second", O_WRONLY | O_TRUNC)));
    show("second");
    close(opened("O_PATH", reader = open("second", O_PATH)));
    contents(memfd_create("m", 0), second);
}

int main(int count, char **arguments)
{
    umask(022);
    check("chdir", chdir(arguments[1]) == 0 && mkdir("work", 0777) == 0 ? chdir("work") : -1);
    names();
    renames();
    chdir(arguments[1]);
    chdir("work");
    files(arguments[1]);
    FILE *temporary = tmpfile();
    check("tmpfile", temporary ? fputs("temporary", temporary) : -1);
    fflush(temporary);
    rewind(temporary);
    check("read", fread(buffer, 1, 100, temporary));
    return 0;
}
