/* Random calls on names and open files: the private files of a program without --root behave as a
 * directory of the host under --root does, whose kernel is the model here.
 *
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -w -o %t.elf %s
 * RUN: for seed in $(seq 1 20); do rm -rf %t.d && mkdir %t.d && %temu --root %t.d %t.elf $seed >%t.host && %temu %t.elf $seed >%t.own && cmp %t.host %t.own || exit 1; done
 * RUN: grep -c . %t.own | FileCheck %s
 * CHECK: {{^[0-9][0-9][0-9][0-9]}}
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 1500, FILES = 20, LARGE = 20000 };

static unsigned long state;
static int files[FILES];
static char bytes[LARGE];

static unsigned choose(unsigned count)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % count;
}

/* Up to four names, most of them one of four. */
static void make_path(char *path)
{
    static const char *const names[] = {"a", "b", "c", "d", ".", "a/", "b/", "l"};
    unsigned count = 1 + choose(4);

    strcpy(path, choose(8) ? "" : "../work/");
    while (count--) {
        strcat(path, names[choose(choose(3) ? 4 : 8)]);
        strcat(path, count ? "/" : "");
    }
}

static unsigned long sum(long count)
{
    unsigned long sum = count;

    for (long i = 0; i < count; i++)
        sum = sum * 31 + (unsigned char)bytes[i];
    return sum;
}

static long show(const struct stat *status, long result)
{
    if (result == 0)
        printf("%o %ld ", status->st_mode, S_ISDIR(status->st_mode) ? 0 : (long)status->st_size);
    return result;
}

static long call_on_names(unsigned call, const char *path, const char *other)
{
    static const int flags[] = {
        0,
        O_CREAT,
        O_CREAT | O_EXCL,
        O_TRUNC,
        O_CREAT | O_TRUNC,
        O_DIRECTORY,
        O_NOFOLLOW,
        O_PATH,
        O_CREAT | O_APPEND,
        O_CREAT | O_NOFOLLOW,
    };
    unsigned slot = choose(FILES);
    struct stat status;
    long result;

    switch (call) {
    case 0:
    case 1:
        return mkdir(path, 0755);
    case 2:
    case 3:
    case 4:
        close(files[slot]);
        files[slot] = open(path, flags[choose(10)] | choose(3), 0644);
        return files[slot] < 0 ? -1 : 0;
    case 5:
        return unlink(path);
    case 6:
        return rmdir(path);
    case 7:
    case 8:
        return rename(path, other);
    case 9:
        return renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_NOREPLACE);
    case 10:
        return link(path, other);
    case 11:
        return symlink(path, other);
    case 12:
        return truncate(path, choose(LARGE));
    case 13:
        return show(&status, lstat(path, &status));
    case 14:
        return show(&status, stat(path, &status));
    default:
        result = readlink(path, bytes, choose(100) + 1);
        printf("%lx ", sum(result));
        return result;
    }
}

static long call_on_file(unsigned call, int file)
{
    static const int whence[] = {SEEK_SET, SEEK_CUR, SEEK_END};
    struct stat status;
    long result;

    if (fstat(file, &status) < 0 || S_ISDIR(status.st_mode))
        return -1;
    for (int i = 0; i < 300; i++)
        bytes[i] = choose(256);
    switch (call) {
    case 0:
    case 1:
        return write(file, bytes, choose(10) ? choose(300) : LARGE);
    case 2:
        return pwrite(file, bytes, choose(300), choose(LARGE));
    case 3:
        result = read(file, bytes, choose(LARGE));
        printf("%lx ", sum(result));
        return result;
    case 4:
        return ftruncate(file, choose(LARGE));
    default:
        return lseek(file, (long)choose(LARGE) - 5000, whence[choose(3)]);
    }
}

static void list(const char *path, int depth)
{
    struct dirent **names;
    struct stat status;
    int count = depth ? scandir(path, &names, NULL, alphasort) : 0;

    for (int i = 0; i < count; i++) {
        char inner[2000];
        snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] == '.' || lstat(inner, &status) < 0)
            continue;
        printf("%s %d ", inner, names[i]->d_type);
        show(&status, 0);
        puts("");
        if (S_ISDIR(status.st_mode))
            list(inner, depth - 1);
    }
}

int main(int count, char **arguments)
{
    state = atol(arguments[1]);
    mkdir("work", 0755);
    chdir("work");
    memset(files, -1, sizeof files);
    for (int i = 0; i < ROUNDS; i++) {
        char path[100], other[100];
        make_path(path);
        make_path(other);
        unsigned call = choose(24);
        long result = call < 16 ? call_on_names(call, path, other)
                                : call_on_file(choose(6), files[choose(FILES)]);
        printf("%d %s %s %u %ld %s\n", i, path, other, call, result,
               result < 0 ? strerrorname_np(errno) : "");
    }
    list(".", 12);
    return 0;
}
