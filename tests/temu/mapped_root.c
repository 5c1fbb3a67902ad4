/* A mapping of a file under --root has the bytes that the file had when it was mapped, whatever the
 * program then does with the file, by whatever name or descriptor.
 *
 * RUN: %gcc -O2 -static -o %t %s
 * RUN: rm -rf %t.dir && mkdir -p %t.dir/interp %t.dir/auto && cd %t.dir
 * RUN: for tier in interp auto; do %temu --tier=$tier --root=$tier %t > %t.$tier || exit 1; done
 * RUN: cmp %t.interp %t.auto && FileCheck %s --match-full-lines < %t.auto
 * RUN: %temu --root=auto %t stream 2>&1 1<>auto/file | FileCheck %s --match-full-lines --check-prefix=STREAM
 *
 * CHECK: mapped: 1 to 64
 * CHECK-NEXT: opened for writing, and written: 1 to 64
 * CHECK-NEXT: mapped while it can be written, and written: 1 to 64
 * CHECK-NEXT: truncated by its name: 1 to 64
 * CHECK-NEXT: truncated by a link: 1 to 64
 * CHECK-NEXT: opened with O_TRUNC: 1 to 64
 * CHECK-NEXT: written in memory, and truncated: 7 to 64
 * CHECK-NEXT: in part unmapped, and truncated: 1 to 32
 * STREAM: written as standard output: page 1
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 64, PAGE = 4096 };

static unsigned char page[PAGE];

/* Makes the file anew: in each page its number, from 1. */
static void make(void)
{
    int file = open("file", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    for (int i = 0; i < PAGES; i++) {
        page[0] = i + 1;
        if (write(file, page, PAGE) != PAGE)
            printf("cannot write\n");
    }
    close(file);
}

static unsigned char *map(void)
{
    int file = open("file", O_RDONLY);
    unsigned char *bytes = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);

    close(file);
    return bytes;
}

static void show(const char *what, unsigned char *bytes, int pages)
{
    for (int i = 1; i < pages; i++)
        if (bytes[i * PAGE] != i + 1)
            printf("page %d has %d\n", i, bytes[i * PAGE]);
    printf("%s: %d to %d\n", what, bytes[0], bytes[(pages - 1) * PAGE]);
}

static void overwrite(int file)
{
    for (int i = 0; i < PAGES; i++)
        if (pwrite(file, "x", 1, i * PAGE) != 1)
            printf("cannot overwrite\n");
}

/* Standard output is the file, too. */
static int write_to_stream(void)
{
    unsigned char *bytes;
    int file;

    make();
    file = open("file", O_RDONLY);
    bytes = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE, file, 0);
    if (write(STDOUT_FILENO, "x", 1) != 1 || pread(file, page, 1, 0) != 1 || page[0] != 'x')
        fprintf(stderr, "standard output is no file\n");
    fprintf(stderr, "written as standard output: page %d\n", bytes[0]);
    return 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return write_to_stream();
    make();
    unsigned char *bytes = map();
    show("mapped", bytes, PAGES);
    int file = open("file", O_RDWR);
    overwrite(file);
    show("opened for writing, and written", bytes, PAGES);

    make();
    bytes = map();
    overwrite(file);
    show("mapped while it can be written, and written", bytes, PAGES);
    close(file);

    make();
    bytes = map();
    if (truncate("file", 5) != 0)
        printf("cannot truncate\n");
    show("truncated by its name", bytes, PAGES);

    make();
    bytes = map();
    if (link("file", "other") != 0 || symlink("other", "link") != 0 || truncate("link", 5) != 0)
        printf("cannot truncate by a link\n");
    show("truncated by a link", bytes, PAGES);

    make();
    bytes = map();
    close(open("file", O_RDONLY | O_TRUNC));
    show("opened with O_TRUNC", bytes, PAGES);

    make();
    bytes = map();
    bytes[0] = 7;
    mprotect(bytes + 9 * PAGE, PAGE, PROT_NONE);
    close(open("file", O_WRONLY | O_TRUNC));
    mprotect(bytes + 9 * PAGE, PAGE, PROT_READ);
    show("written in memory, and truncated", bytes, PAGES);

    make();
    bytes = map();
    munmap(bytes + PAGES / 2 * PAGE, PAGES / 2 * PAGE);
    close(open("file", O_WRONLY | O_TRUNC));
    show("in part unmapped, and truncated", bytes, PAGES / 2);
    return 0;
}
