/* The names of a file have one inode number, which no other file has, and are counted: the program
 * prints the same on the host, where it is compiled for the host, and under temu, with a root and
 * without one.
 *
 * RUN: rm -rf %t && mkdir -p %t/root/tmp && gcc -O1 -o %t/host %s && %gcc -O1 -static -o %t/root/program %s
 * RUN: mkdir %t/directory && cd %t/directory && %t/host > %t/expected
 * RUN: for root in "" "--root=%t/root"; do %temu $root %t/root/program /tmp > %t/found; diff %t/expected %t/found || exit 1; done
 * RUN: FileCheck %s < %t/expected
 * CHECK: linked: a has 2, b has 2, a = b, listed
 * CHECK: open: 1, 0
 *
 * Names that a file had before the run look like other files, so they do not count.
 * RUN: echo x > %t/root/tmp/old && ln %t/root/tmp/old %t/outside && ln %t/root/tmp/old %t/root/tmp/older
 * RUN: %temu --root=%t/root %t/root/program /tmp old | FileCheck %s --check-prefix=OLD --match-full-lines
 * OLD: before: 1
 * OLD-NEXT: linked: 2
 * OLD-NEXT: removed: 1
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"a", "b", "c", "d"};

/* Returns the number that the directory lists for the name; 0: none. */
static ino_t find_listed(const char *name)
{
    DIR *directory = opendir(".");
    const struct dirent *entry;
    ino_t number = 0;

    while ((entry = readdir(directory)))
        if (strcmp(entry->d_name, name) == 0)
            number = entry->d_ino;
    closedir(directory);
    return number;
}

/* Prints which of the names mean the same file, and whether the directory says so, too. */
static void compare(const char *what)
{
    struct stat files[4];
    int exists[4], all_listed = 1;

    printf("%s:", what);
    for (int i = 0; i < 4; i++) {
        exists[i] = stat(names[i], &files[i]) == 0;
        all_listed &= find_listed(names[i]) == (exists[i] ? files[i].st_ino : 0);
        if (exists[i])
            printf(" %s has %lu,", names[i], (unsigned long)files[i].st_nlink);
        for (int j = 0; j < i; j++)
            if (exists[i] && exists[j] && files[i].st_ino == files[j].st_ino)
                printf(" %s = %s,", names[j], names[i]);
    }
    printf("%s\n", all_listed ? " listed" : "");
}

static void make(const char *name)
{
    close(open(name, O_WRONLY | O_CREAT | O_EXCL, 0600));
}

static void count_old(const char *old)
{
    struct stat status;

    stat(old, &status);
    printf("before: %lu\n", (unsigned long)status.st_nlink);
    link(old, "a");
    stat(old, &status);
    printf("linked: %lu\n", (unsigned long)status.st_nlink);
    unlink("a");
    stat(old, &status);
    printf("removed: %lu\n", (unsigned long)status.st_nlink);
}

int main(int count, char **arguments)
{
    struct stat before, after;

    if (count > 1 && chdir(arguments[1]) < 0)
        return 1;
    if (count > 2) {
        count_old(arguments[2]);
        return 0;
    }
    make("a");
    stat("a", &before);
    compare("one");
    printf("%d\n", link("a", "b"));
    stat("b", &after);
    printf("as before: %d\n", before.st_ino == after.st_ino);
    compare("linked");
    make("c");
    link("b", "d");
    compare("linked again");
    unlink("a");
    compare("removed");
    make("a"); /* a new file in the place of the first name */
    compare("another");
    int file = open("b", O_RDONLY);
    fstat(file, &before);
    stat("d", &after);
    printf("open: %d\n", before.st_ino == after.st_ino);
    close(file);
    rename("d", "c");
    compare("renamed");
    rename("c", "d");
    unlink("d");
    link("a", "d");
    compare("linked anew");
    printf("%d\n", link("a", "d"));
    for (int i = 0; i < 4; i++)
        unlink(names[i]);
    compare("none");
    make("b");
    make("d");
    compare("new");
    file = open("b", O_RDONLY);
    link("b", "a");
    unlink("b");
    fstat(file, &before);
    unlink("a");
    fstat(file, &after);
    printf("open: %lu, %lu\n", (unsigned long)before.st_nlink, (unsigned long)after.st_nlink);
    unlink("d");
    fstat(memfd_create("memory", 0), &after);
    printf("memory: %lu\n", (unsigned long)after.st_nlink);
    return 0;
}
