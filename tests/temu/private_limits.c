/* What programs do with the files that they have without --root: temporary files, a database's
 * journal, their own binary, random bytes. All of it, and memfd, counts as memory, with a limit of
 * its own. Nothing reaches the host, and each run has the same output.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -w -o %t.elf %s
 * RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && %temu %t.elf use >%t.out && FileCheck %s <%t.out && %temu %t.elf use | cmp - %t.out
 * RUN: ls -A %t.d | count 0
 * CHECK: tmpfile: temporary
 * CHECK: mkstemp: 0
 * CHECK: journal: 0 page
 * CHECK: own binary: ELF, 1, Text file busy
 * CHECK: /proc/self/exe: ELF /private_limits.c.tmp.elf
 * CHECK: null 0 0
 * CHECK: null by other names 0 0 0
 * CHECK: random {{[0-9a-f]+}}
 * CHECK: in /: dev private_limits.c.tmp.elf proc tmp
 * CHECK: in /dev: full null random shm stderr stdin stdout urandom zero
 * CHECK: new in /dev: Permission denied
 * CHECK: host: No such file or directory
 * CHECK: cwd: /
 *
 * RUN: printf 'memory: {size: 16M, files: 4M}\n' >%t.yaml && %temu --machine=%t.yaml %t.elf limits | FileCheck %s --check-prefix=LIMITS
 * RUN: mkdir %t.d/tmp && cd %t.d && %temu --machine=%t.yaml --root=. %t.elf memfd | FileCheck %s --check-prefix=MEMFD
 * LIMITS: written 4190208, No space left on device
 * LIMITS-NEXT: one more file: No space left on device
 * LIMITS-NEXT: again 4190208
 * LIMITS-NEXT: names {{10[0-9][0-9]}}, No space left on device
 * LIMITS-NEXT: names again 0
 * MEMFD: written 4194304, No space left on device
 * MEMFD: ftruncate to 2^60: File too large
 * MEMFD: ftruncate to 5 MiB: No space left on device
 * MEMFD: ftruncate to 4 MiB: Success
 * MEMFD: fallocate: No space left on device
 * MEMFD: after close: 4194304
 * RUN: printf 'memory: {size: 16M, files: 4G}\n' >%t.yaml && %temu --machine=%t.yaml %t.elf memory | FileCheck %s --check-prefix=MEMORY
 * MEMORY: file and memory share {{[67]}} MiB
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char page[4096];

static void list(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;

    printf("in %s:", path);
    while (directory && (entry = readdir(directory)))
        if (entry->d_name[0] != '.')
            printf(" %s", entry->d_name);
    puts("");
}

/* SQLite's VACUUM: a temporary file without a name, and a journal that is renamed over a file. */
static void journal(void)
{
    int journal = open("/tmp/base-journal", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    int result = pwrite(journal, page, sizeof page, 8192) == sizeof page && fsync(journal) == 0 &&
                         ftruncate(journal, 512) == 0
                     ? rename("/tmp/base-journal", "base")
                     : -1;
    int directory = open(".", O_RDONLY);

    result |= fsync(directory);
    journal = open("base", O_RDWR);
    pwrite(journal, "page", 4, 0);
    pread(journal, page, 4, 0);
    printf("journal: %d %.4s\n", result, page);
    unlink("base");
}

static void use(const char *own)
{
    char name[] = "/tmp/nameXXXXXX", text[100] = "";
    FILE *temporary = tmpfile();
    unsigned char random[4];

    fputs("temporary", temporary);
    rewind(temporary);
    fgets(text, sizeof text, temporary);
    printf("tmpfile: %s\n", text);
    int file = mkstemp(name);
    printf("mkstemp: %d\n", file < 0 ? file : unlink(name));
    journal();
    file = open(own, O_RDONLY);
    read(file, text, 4);
    printf("own binary: %.3s, %d, ", text + 1, lseek(file, 0, SEEK_END) > 100000);
    printf("%s\n", open(own, O_RDWR) < 0 ? strerror(errno) : "opened");
    file = open("/proc/self/exe", O_RDONLY);
    read(file, text, 4);
    readlink("/proc/self/exe", text + 5, 50);
    printf("/proc/self/exe: %.3s %s\n", text + 1, text + 5);
    file = open("/dev/null", O_RDWR);
    printf("null %d %d\n", (int)write(file, "x", 1) - 1, (int)read(file, text, 1));
    symlink("dev/null", "/tmp/../link");
    printf("null by other names %d ", (int)read(open("dev/null", O_RDONLY), text, 1));
    printf("%d ", (int)read(open("/link", O_RDONLY), text, 1));
    chdir("/dev");
    printf("%d\n", (int)read(open("null", O_RDWR), text, 1));
    chdir("/");
    unlink("link");
    read(open("/dev/urandom", O_RDONLY), random, 4);
    printf("random %02x%02x%02x%02x\n", random[0], random[1], random[2], random[3]);
    list("/");
    list("/dev");
    printf("new in /dev: %s\n", creat("/dev/new", 0666) < 0 ? strerror(errno) : "made");
    printf("host: %s\n", open("/etc/passwd", O_RDONLY) < 0 ? strerror(errno) : "opened");
    printf("cwd: %s\n", getcwd(text, sizeof text));
}

static long fill(int file)
{
    long written = 0, done;

    while ((done = write(file, page, sizeof page)) > 0)
        written += done;
    return written;
}

static int make_names(void)
{
    char name[20];
    int count = 0;

    for (;; count++) {
        sprintf(name, "/tmp/%d", count);
        int file = creat(name, 0666);
        if (file < 0)
            return count;
        close(file);
    }
}

static void limits(void)
{
    int file = creat("/tmp/file", 0666);

    printf("written %ld, ", fill(file));
    printf("%s\n", strerror(errno));
    printf("one more file: %s\n", creat("/tmp/more", 0666) < 0 ? strerror(errno) : "made");
    unlink("/tmp/file");
    close(file);
    file = creat("/tmp/file", 0666);
    printf("again %ld\n", fill(file));
    unlink("/tmp/file");
    close(file);
    int count = make_names();
    printf("names %d, %s\n", count, strerror(errno));
    char name[20];
    for (int i = 0; i < count; i++) {
        sprintf(name, "/tmp/%d", i);
        unlink(name);
    }
    printf("names again %d\n", make_names() - count);
}

static void try_length(int file, const char *text, long length)
{
    errno = 0;
    ftruncate(file, length);
    printf("ftruncate to %s: %s\n", text, strerror(errno));
}

static void memory_files(void)
{
    int file = memfd_create("memory", 0);

    printf("written %ld, ", fill(file));
    printf("%s\n", strerror(errno));
    try_length(file, "2^60", 1L << 60);
    try_length(file, "5 MiB", 5 << 20);
    try_length(file, "4 MiB", 4 << 20);
    printf("fallocate: %s\n", strerror(posix_fallocate(file, 4 << 20, 1)));
    close(file);
    printf("after close: %ld\n", fill(memfd_create("other", 0)));
}

/* The stack has 8 of the 16 MiB. */
static void share(void)
{
    long mapped = 0;

    ftruncate(memfd_create("memory", 0), 1 << 20);
    while (mmap(NULL, 1 << 16, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        mapped += 1 << 16;
    printf("file and memory share %ld MiB\n", (mapped >> 20) + 1);
}

int main(int count, char **arguments)
{
    if (strcmp(arguments[1], "use") == 0)
        use(arguments[0]);
    else if (strcmp(arguments[1], "limits") == 0)
        limits();
    else if (strcmp(arguments[1], "memfd") == 0)
        memory_files();
    else
        share();
    return 0;
}
