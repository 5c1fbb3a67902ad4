/* The times of files. Which of them a call changes is compared with Linux on the host, for files in
 * a root and for those in memory. They start with the date of the run's start, are the same in each
 * run, and the host's own times are left alone.
 *
 * RUN: rm -rf %t && mkdir -p %t/root/tmp %t/host && gcc -O1 -D_GNU_SOURCE -w -o %t/native %s
 * RUN: %gcc -O1 -static -D_GNU_SOURCE -w -o %t/root/program %s
 * RUN: cd %t/host && %t/native > %t/expected && FileCheck %s < %t/expected
 * RUN: for root in "" "--root=%t/root"; do %temu $root %t/root/program /tmp | diff %t/expected - || exit 1; done
 * RUN: cd %t && for at in 1 2; do mkdir -p %t/$at/tmp && cp root/program $at && touch -d 2020-02-02 $at/old $at/set; done
 * RUN: %temu --root=1 1/program own > 1.out && %temu --tier=interp --root=2 2/program own | diff 1.out -
 * RUN: FileCheck %s --check-prefix=OWN < 1.out && test "$(date -u -r 1/set +%Y)" = 2020
 * RUN: %temu 1/program own | FileCheck %s --check-prefix=OWN
 *
 * CHECK: make: a new . mc
 * CHECK-NEXT: write: a mc
 * CHECK-NEXT: write nothing:
 * CHECK: 0 modified: a mc
 * CHECK-NEXT: a 900000000.123456789 940000000.1
 *
 * OWN: program 946684800.0 946684800.0 946684800.0
 * OWN-NEXT: old 946684800.0 946684800.0 946684800.0
 * OWN-NEXT: /dev/null 946684800.0 946684800.0 946684800.0
 * OWN-NEXT: /proc/cpuinfo 946684800.0 946684800.0 946684800.0
 * OWN-NEXT: open 946684800.0 946684800.0 946684800.0
 * OWN-NEXT: later than all of these: 1 1 1
 * OWN-NEXT: read: 0 0 0
 * OWN-NEXT: reserved: 0 1 1
 * OWN-NEXT: far away: -62135596800.5 8589934592000.999999999
 * OWN-NEXT: a stream: 0, 946684800
 * OWN-NEXT: a device: 0, 946684800
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- what changed ---- */

static const char *const names[] = {"a", "b",   "c",    "d",      "d/a", "d/b",
                                    "e", "e/x", "link", "socket", "."};
enum { NAMES = sizeof names / sizeof *names };

static int held = -1; /* an open file, which may have no name any more */

static struct {
    int exists;
    struct stat status;
} before[NAMES + 1];

static long order(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec - b.tv_sec : a.tv_nsec - b.tv_nsec;
}

static void show_time(char name, struct timespec now, struct timespec then)
{
    if (order(now, then))
        printf("%s%c", order(now, then) < 0 ? "-" : "", name);
}

/* Prints what has changed since the last time: that a file is new or gone, or its times (with a
 * minus: to an earlier one). Waits until the clock of files has gone on. A link has been read,
 * which changes when it was accessed on some hosts. */
static void show(const char *what)
{
    const struct timespec while_clock_stands = {0, 20000000};

    printf("%s:", what);
    for (int i = 0; i <= NAMES; i++) {
        struct stat now, then = before[i].status;
        int exists = (i < NAMES ? lstat(names[i], &now) : fstat(held, &now)) == 0;
        int is_new = exists && !before[i].exists;
        int is_changed = exists && !is_new &&
                         (order(now.st_mtim, then.st_mtim) || order(now.st_ctim, then.st_ctim) ||
                          (order(now.st_atim, then.st_atim) && !S_ISLNK(now.st_mode)));
        if (is_new || is_changed || (!exists && before[i].exists))
            printf(" %s ", i < NAMES ? names[i] : "held");
        if (is_new)
            printf("new");
        if (!exists && before[i].exists)
            printf("gone");
        if (is_changed) {
            if (!S_ISLNK(now.st_mode))
                show_time('a', now.st_atim, then.st_atim);
            show_time('m', now.st_mtim, then.st_mtim);
            show_time('c', now.st_ctim, then.st_ctim);
        }
        before[i].exists = exists;
        if (exists)
            before[i].status = now;
    }
    puts("");
    nanosleep(&while_clock_stands, NULL);
}

static int make(const char *name, int flags)
{
    return open(name, O_RDWR | O_CREAT | O_NOATIME | flags, 0600);
}

static void hold(const char *name)
{
    close(held);
    held = open(name, O_RDWR);
    before[NAMES].exists = fstat(held, &before[NAMES].status) == 0;
}

/* ---- calls ---- */

static void change_contents(void)
{
    int file = make("a", 0);
    show("make");
    write(file, "12345", 5);
    show("write");
    write(file, "", 0);
    show("write nothing");
    pwrite(file, "12345", 5, 3);
    show("pwrite");
    dprintf(file, "%d", 1);
    show("write again");
    ftruncate(file, 3);
    show("ftruncate");
    ftruncate(file, 3);
    show("ftruncate to the same length");
    truncate("a", 4);
    show("truncate");
    truncate("a", -1);
    show("truncate to nothing valid");
    int other = make("b", O_EXCL);
    show("make another");
    sendfile(other, file, &(off_t){0}, 3);
    show("sendfile");
    copy_file_range(file, &(loff_t){0}, other, NULL, 3, 0);
    show("copy_file_range");
    fcntl(other, F_SETFL, O_APPEND);
    write(other, "end", 3);
    show("append");
    if (fork() == 0) {
        write(other, "child", 5);
        _exit(0);
    }
    wait(NULL);
    show("a child writes");
    close(other);
    close(file);
    show("close");
    close(open("a", O_RDWR));
    show("open to write");
    close(make("a", 0));
    show("open as if to make");
    close(make("a", O_EXCL));
    show("cannot make");
    close(make("a", O_TRUNC));
    show("cut");
    close(make("a", O_TRUNC));
    show("cut again");
}

static void change_names(void)
{
    struct sockaddr_un address = {AF_UNIX, "socket"};

    mkdir("d", 0700);
    show("mkdir");
    mkdir("d", 0700);
    show("cannot mkdir");
    close(make("d/a", 0));
    show("make in d");
    link("a", "c");
    show("link");
    link("a", "c");
    show("cannot link");
    rename("a", "c");
    show("rename to its other name");
    rename("c", "d/b");
    show("rename");
    hold("d/b");
    rename("b", "d/b");
    show("rename over one of two names");
    hold("d/b");
    rename("d/a", "d/b");
    show("rename over the only name");
    write(held, "12345", 5);
    show("write without a name");
    hold("a");
    link("a", "b");
    unlink("a");
    show("unlink one of two names");
    unlink("b");
    show("unlink the only name");
    unlink("b");
    show("cannot unlink");
    rename("d", "e");
    show("rename a directory");
    rmdir("e");
    show("cannot rmdir");
    unlink("e/b");
    show("unlink in it");
    mkdir("d", 0700);
    mkdir("e/f", 0700);
    rename("e/f", "d");
    show("rename over a directory");
    rmdir("d");
    show("rmdir");
    symlink("a", "link");
    show("symlink");
    int file = open("link", O_WRONLY | O_CREAT, 0600);
    show("make through it");
    close(file);
    rename("link", "b");
    rename("b", "link");
    show("rename it");
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(connection, (struct sockaddr *)&address, sizeof address);
    show("bind");
    close(connection);
    mknod("b", S_IFREG | 0600, 0);
    show("mknod");
    int directory = open("e", O_RDONLY | O_NOATIME);
    close(openat(directory, "x", O_WRONLY | O_CREAT, 0600));
    show("make by a descriptor");
    unlinkat(directory, "x", 0);
    show("unlink by a descriptor");
    close(directory);
    close(make("e/../e/x", 0));
    show("make by a long way");
    unlink("e/x");
    show("unlink again");
}

static void change_attributes(void)
{
    int file = open("a", O_RDWR);

    chmod("a", 0640);
    show("chmod");
    chmod("a", 0640);
    show("chmod to the same");
    fchmod(file, 0600);
    show("fchmod");
    chmod("e", 0750);
    show("chmod of a directory");
    printf("%d ", open("e", O_RDONLY | O_CREAT, 0600) < 0 ? errno : 0);
    show("cannot make over a directory");
    chmod("link", 0644);
    show("chmod through a link");
    chown("a", -1, -1);
    show("chown");
    fchown(file, getuid(), -1);
    show("fchown");
    lchown("link", -1, -1);
    show("lchown");
    chmod("nothing", 0600);
    show("cannot chmod");
    close(file);
}

/* ---- utimensat ---- */

static void set(const char *what, int directory, const char *path, const struct timespec times[2],
                int flags)
{
    long result = syscall(SYS_utimensat, directory, path, times, flags);

    printf("%ld ", result < 0 ? errno : 0);
    show(what);
}

static void print_times(const char *name)
{
    struct stat status;

    lstat(name, &status);
    printf("%s %ld.%ld %ld.%ld\n", name, status.st_atim.tv_sec, status.st_atim.tv_nsec,
           status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

static void set_times(void)
{
    const struct timespec early[2] = {{900000000, 123456789}, {800000000, 999999999}},
                          modified[2] = {{0, UTIME_OMIT}, {940000000, 1}},
                          accessed[2] = {{940000000, 1}, {0, UTIME_OMIT}},
                          now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}},
                          later[2] = {{1, UTIME_NOW}, {850000000, 0}},
                          neither[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}},
                          invalid[2] = {{0, 1000000000}, {0, 0}}, negative[2] = {{0, 0}, {0, -1}};
    int file = open("a", O_RDONLY), path = open("a", O_PATH), directory = open("e", O_RDONLY);
    char name[32];

    close(make("e/x", 0));
    show("make in e");
    set("early", AT_FDCWD, "a", early, 0);
    print_times("a");
    set("modified", AT_FDCWD, "a", modified, 0);
    print_times("a");
    set("accessed", AT_FDCWD, "a", accessed, 0);
    print_times("a");
    set("neither", AT_FDCWD, "a", neither, 0);
    set("one now", AT_FDCWD, "a", later, 0);
    set("now", AT_FDCWD, "a", now, 0);
    set("early again", file, NULL, early, 0);
    print_times("a");
    set("no times", file, NULL, NULL, 0);
    set("in a directory", directory, "x", early, 0);
    set("the directory", directory, NULL, early, 0);
    print_times("e");
    set("the link", AT_FDCWD, "link", early, AT_SYMLINK_NOFOLLOW);
    print_times("link");
    set("through the link", AT_FDCWD, "link", modified, 0);
    set("an empty path", path, "", early, AT_EMPTY_PATH);
    print_times("a");
    set("here", AT_FDCWD, "", NULL, AT_EMPTY_PATH);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    set("by the descriptor's name", AT_FDCWD, name, modified, 0);
    unlink("b");
    show("unlink");
    hold("a");
    rename("a", "b");
    set("a name is kept", held, NULL, early, 0);
    print_times("b");
    rename("b", "a");
    show("renamed");
    link("a", "b");
    set("by one name", AT_FDCWD, "b", accessed, 0);
    print_times("a");
    unlink("a");
    unlink("b");
    show("no name");
    set("without a name", held, NULL, early, 0);
    symlink("nothing", "a");
    show("symlink");
    set("nothing", AT_FDCWD, "nothing", early, 0);
    set("through a link to nothing", AT_FDCWD, "a", early, 0);
    set("a link to nothing", AT_FDCWD, "a", early, AT_SYMLINK_NOFOLLOW);
    set("below a file", AT_FDCWD, "socket/x", early, 0);
    set("invalid", AT_FDCWD, "e", invalid, 0);
    set("negative", AT_FDCWD, "e", negative, 0);
    set("unknown flags", AT_FDCWD, "e", early, 1);
    set("flags with a descriptor", file, NULL, early, AT_SYMLINK_NOFOLLOW);
    set("no path", AT_FDCWD, NULL, early, 0);
    set("an empty path without the flag", AT_FDCWD, "", early, 0);
    set("a descriptor only for its path", path, NULL, early, 0);
    set("not open", 99, NULL, early, 0);
    set("not open, and neither", 99, NULL, neither, 0);
    set("a bad address", AT_FDCWD, "e", (void *)8, 0);
}

/* Do stat, fstat and statx say the same, also in a child and in another program? */
static void compare_calls(const char *program)
{
    struct stat named, open_one;
    struct statx extended;
    struct timespec early, late;
    char text[3][32];
    int status;

    clock_gettime(CLOCK_REALTIME_COARSE, &early);
    int file = make("compared", 0);
    utimensat(AT_FDCWD, "compared", (struct timespec[2]){{1400000000, 5}, {0, UTIME_OMIT}}, 0);
    clock_gettime(CLOCK_REALTIME, &late);
    stat("compared", &named);
    fstat(file, &open_one);
    statx(AT_FDCWD, "compared", 0, STATX_BASIC_STATS, &extended);
    printf("the same: %d %d %d, %d %d, made between: %d %d\n",
           !order(named.st_atim, open_one.st_atim), !order(named.st_mtim, open_one.st_mtim),
           !order(named.st_ctim, open_one.st_ctim),
           extended.stx_atime.tv_sec == 1400000000 && extended.stx_atime.tv_nsec == 5 &&
               extended.stx_mtime.tv_sec == named.st_mtim.tv_sec &&
               extended.stx_mtime.tv_nsec == named.st_mtim.tv_nsec,
           extended.stx_ctime.tv_sec == named.st_ctim.tv_sec &&
               extended.stx_ctime.tv_nsec == named.st_ctim.tv_nsec,
           order(named.st_mtim, early) >= 0, order(named.st_mtim, late) <= 0);
    sprintf(text[0], "/proc/self/fd/%d", file);
    int again = open(text[0], O_RDONLY);
    write(file, "1", 1);
    close(file);
    stat("compared", &named);
    fstat(again, &open_one);
    printf("opened again: %d\n", !order(named.st_mtim, open_one.st_mtim));
    sprintf(text[0], "%ld", named.st_mtim.tv_sec);
    sprintf(text[1], "%ld", named.st_mtim.tv_nsec);
    fflush(stdout);
    if (fork() == 0) {
        execl("/proc/self/exe", program, "again", text[0], text[1], NULL);
        _exit(1);
    }
    wait(&status);
    stat("compared", &open_one);
    printf("another program: %d, and what it has changed: %d\n", status,
           order(named.st_mtim, open_one.st_mtim) < 0);
}

static int see_again(char **arguments)
{
    char text[64];
    struct stat status;

    stat("compared", &status);
    sprintf(text, "%ld %ld", status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    printf("%d\n", strncmp(text, arguments[2], strlen(arguments[2])) == 0 &&
                       strcmp(strchr(text, ' ') + 1, arguments[3]) == 0);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    int file = open("compared", O_WRONLY);
    return write(file, "1", 1) != 1;
}

/* ---- what only temu promises ---- */

static void print_all(const char *name, const struct stat *status)
{
    printf("%s %ld.%ld %ld.%ld %ld.%ld\n", name, status->st_atim.tv_sec, status->st_atim.tv_nsec,
           status->st_mtim.tv_sec, status->st_mtim.tv_nsec, status->st_ctim.tv_sec,
           status->st_ctim.tv_nsec);
}

static void compare(const char *what, const struct stat *then, const struct stat *now)
{
    printf("%s: %d %d %d\n", what, order(now->st_atim, then->st_atim) != 0,
           order(now->st_mtim, then->st_mtim) != 0, order(now->st_ctim, then->st_ctim) != 0);
}

static void show_own(void)
{
    static const char *const unchanged[] = {"/program", "/old", "/dev/null", "/proc/cpuinfo"};
    struct stat then, now;
    char bytes[8];

    for (int i = 0; i < 4; i++) {
        /* in memory, there is no such file: any that is there from the start will do */
        if (stat(unchanged[i], &then) < 0)
            stat("/tmp", &then);
        print_all(unchanged[i] + (i < 2), &then);
    }
    int information = open("/proc/cpuinfo", O_RDONLY);
    fstat(information, &then);
    print_all("open", &then);
    int file = make("/tmp/own", 0);
    fstat(file, &now);
    printf("later than all of these: %d %d %d\n", order(now.st_atim, then.st_atim) > 0,
           order(now.st_mtim, then.st_mtim) > 0, order(now.st_ctim, then.st_ctim) > 0);
    write(file, "12345678", 8);
    fstat(file, &then);
    pread(file, bytes, 8, 0);
    fstat(file, &now);
    compare("read", &then, &now);
    fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 4);
    fstat(file, &now);
    compare("reserved", &then, &now);
    futimens(file, (struct timespec[2]){{-62135596800, 500000000}, {8589934592000, 999999999}});
    fstat(file, &now);
    printf("far away: %ld.%ld %ld.%ld\n", now.st_atim.tv_sec, now.st_atim.tv_nsec / 100000000,
           now.st_mtim.tv_sec, now.st_mtim.tv_nsec);
    int result = futimens(1, NULL);
    fstat(1, &now);
    printf("a stream: %d, %ld\n", result, now.st_mtim.tv_sec);
    result = utimensat(AT_FDCWD, "/dev/null", NULL, 0);
    stat("/dev/null", &now);
    printf("a device: %d, %ld\n", result, now.st_mtim.tv_sec);
    utimensat(AT_FDCWD, "/set", NULL, 0);
    stat("/tmp/own", &now);
    print_all("exactly", &now);
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "again") == 0)
        return see_again(arguments);
    if (count > 1 && strcmp(arguments[1], "own") == 0) {
        show_own();
        return 0;
    }
    if (count > 1 && chdir(arguments[1]) < 0)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    show("start");
    change_contents();
    change_names();
    change_attributes();
    set_times();
    compare_calls(arguments[0]);
    return 0;
}
