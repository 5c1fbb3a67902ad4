/* Files that are mapped to be shared are one memory with the file, in all processes: the program
 * prints the same on the host, where it is compiled for the host, and under temu, in every tier,
 * with and without --root, for files in memory, and of a directory. Nothing reaches the host's
 * /dev/shm.
 *
 * RUN: rm -rf %t && mkdir -p %t/root/dev/shm %t/bare && gcc -O1 -o %t/native %s -pthread && %gcc -O1 -static -o %t/root/program %s -pthread
 * RUN: cp %t/root/program %t/bare && %t/native > %t/expected && wc -l < %t/expected | FileCheck %s
 * RUN: for run in "%temu %t/root/program" "%temu --root=%t/root %t/root/program" "%temu --root=%t/bare %t/bare/program" \
 * RUN:   "%temu --tier=interp %t/root/program" "%temu --tier=translate --root=%t/root %t/root/program" "%temu --stats=/dev/null %t/root/program"; do \
 * RUN:   sh -c "$run" > %t/found || exit 1; diff %t/expected %t/found || exit 1; done
 * RUN: ls -A %t/root/dev/shm | count 0
 * RUN: mkdir %t/files %t/root/files && %t/native %t/files > %t/expected
 * RUN: for run in "%temu" "%temu --tier=interp" "%temu --stats=/dev/null"; do sh -c "$run --root=%t/root %t/root/program /files" > %t/found || exit 1; diff %t/expected %t/found || exit 1; done
 * CHECK: {{^1[0-9][0-9]$}}
 */
#define _GNU_SOURCE
#include "say.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, BOTH = PROT_READ | PROT_WRITE };

static char name[40], other_name[40];
static const char *directory; /* of the files; NULL: they are in memory */

/* Makes a file, which is mapped only by its descriptor. */
static int make(const char *what)
{
    char path[300];

    if (!directory)
        return memfd_create(what, MFD_CLOEXEC);
    snprintf(path, sizeof path, "%s/%s", directory, what);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    unlink(path);
    return file;
}

/* Opens a file by its name. */
static int open_named(const char *called, int flags)
{
    char path[300];

    snprintf(path, sizeof path, "%s%s", directory ? directory : "/dev/shm", called);
    return directory ? open(path, flags, 0600) : shm_open(called, flags, 0600);
}

static int remove_named(const char *called)
{
    char path[300];

    snprintf(path, sizeof path, "%s%s", directory ? directory : "", called);
    return directory ? unlink(path) : shm_unlink(called);
}

static void await(const char *what, pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    printf("%s: %s %d\n", what, WIFEXITED(status) ? "exit" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    fflush(stdout);
}

/* Maps a part of a file. Says only whether that works. */
static char *map(const char *what, int file, long offset, long length, int protection, int flags)
{
    char *bytes = mmap(NULL, length, protection, flags, file, offset);

    check(what, bytes == MAP_FAILED ? -1 : 0);
    return bytes;
}

/* ---- accesses that fail ---- */

static sigjmp_buf recovery;
static int fault_code;
static void *fault_address;

static void recover(int number, siginfo_t *info, void *context)
{
    (void)context;
    fault_code = info->si_code;
    fault_address = info->si_addr;
    siglongjmp(recovery, number);
}

/* Accesses the byte. Prints what happens. */
static void touch(const char *what, volatile char *byte, int writes)
{
    int number = sigsetjmp(recovery, 1);

    if (number == 0) {
        if (writes)
            *byte = 'w';
        say(what, *byte);
    } else {
        printf("%s: signal %d, code %d, address %d\n", what, number, fault_code,
               fault_address == byte);
    }
    fflush(stdout);
}

static void catch_faults(void)
{
    struct sigaction action = {.sa_sigaction = recover, .sa_flags = SA_SIGINFO};

    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
}

/* ---- one process ---- */

/* Mappings, reads and writes of a file. */
static void test_one_memory(int file)
{
    char text[16] = "";

    check("length", ftruncate(file, 3 * PAGE));
    char *bytes = map("whole", file, 0, 3 * PAGE, BOTH, MAP_SHARED);
    char *last = map("last page", file, 2 * PAGE, PAGE, BOTH, MAP_SHARED);
    char *reads = map("to read", file, 0, 3 * PAGE, PROT_READ, MAP_SHARED);
    char *own = map("copy", file, 0, 3 * PAGE, BOTH, MAP_PRIVATE);
    strcpy(bytes + 2 * PAGE, "stored");
    printf("%s %s\n", last, reads + 2 * PAGE);
    check("read", pread(file, text, sizeof text, 2 * PAGE));
    puts(text);
    check("write", pwrite(file, "written", 8, 2 * PAGE));
    printf("%s %s %s\n", bytes + 2 * PAGE, last, reads + 2 * PAGE);
    strcpy(own, "own");
    printf("%d\n", bytes[0]);
    check("to itself", pwrite(file, bytes + 2 * PAGE, 8, 100));
    puts(reads + 100);
    check("close", close(file));
    strcpy(last, "after the end of the descriptor");
    puts(reads + 2 * PAGE);
    check("synchronize", msync(bytes, 3 * PAGE, MS_SYNC));
    check("no need", madvise(last, PAGE, MADV_DONTNEED));
    puts(last);
    check("protect", mprotect(bytes, PAGE, PROT_READ));
    touch("a page to read", bytes, 1);
    check("protect", mprotect(bytes, PAGE, BOTH));
    touch("a page to write", bytes, 1);
    munmap(bytes, 3 * PAGE);
    munmap(last, PAGE);
    munmap(own, 3 * PAGE);
    printf("%c %s\n", reads[0], reads + 2 * PAGE);
    munmap(reads, 3 * PAGE);
}

/* The length of a file changes while it is mapped. */
static void test_length(int file)
{
    char text[4] = "abc";
    struct iovec vector = {text, 3};

    ftruncate(file, PAGE + 10);
    char *bytes = map("longer than the file", file, 0, 8 * PAGE, BOTH, MAP_SHARED);
    touch("in the file", bytes + PAGE, 1);
    touch("in its last page", bytes + 2 * PAGE - 1, 0);
    touch("read after the end", bytes + 2 * PAGE, 0);
    touch("write after the end", bytes + 3 * PAGE, 1);
    touch("across the end", bytes + 8 * PAGE - 1, 0);
    check("read into it", pread(file, bytes + 2 * PAGE, 8, 0));
    check("write from it", pwrite(file, bytes + 2 * PAGE, 8, 0));
    check("longer", ftruncate(file, 5 * PAGE));
    touch("is there now", bytes + 2 * PAGE, 0);
    touch("can be written", bytes + 4 * PAGE, 1);
    touch("the end is here", bytes + 5 * PAGE, 0);
    check("by a write", pwrite(file, text, 3, 6 * PAGE));
    printf("%.3s\n", bytes + 6 * PAGE);
    touch("a hole", bytes + 5 * PAGE, 0);
    check("protect", mprotect(bytes + 6 * PAGE, 2 * PAGE, PROT_READ));
    check("by fallocate", posix_fallocate(file, 7 * PAGE, PAGE));
    touch("only to read", bytes + 7 * PAGE, 0);
    touch("not to write", bytes + 7 * PAGE, 1);
    bytes[PAGE + 20] = 'x';
    check("shorter", ftruncate(file, PAGE + 10));
    touch("the rest of the page", bytes + PAGE + 20, 0);
    touch("gone", bytes + 4 * PAGE, 0);
    touch("gone, and only to read", bytes + 7 * PAGE, 0);
    touch("nor to write", bytes + 7 * PAGE, 1);
    check("protect", mprotect(bytes, 8 * PAGE, BOTH));
    touch("still gone", bytes + 4 * PAGE, 1);
    check("without access", mprotect(bytes, 8 * PAGE, PROT_NONE));
    touch("not for us", bytes, 0);
    touch("nor after the end", bytes + 4 * PAGE, 0);
    check("longer", ftruncate(file, 8 * PAGE));
    touch("nor now", bytes + 4 * PAGE, 0);
    check("protect", mprotect(bytes, 8 * PAGE, BOTH));
    touch("zeros", bytes + 4 * PAGE, 0);
    check("nothing", ftruncate(file, 0));
    touch("all gone", bytes, 0);
    check("vector", pwritev(file, &vector, 1, PAGE));
    touch("back", bytes + PAGE, 0);
    munmap(bytes, 8 * PAGE);
    bytes = map("far after the end", file, 1L << 30, 2 * PAGE, BOTH, MAP_SHARED);
    touch("nothing there", bytes, 0);
    munmap(bytes, 2 * PAGE);
    check("close", close(file));
}

/* Python's mmap.resize, and moves. */
static void test_moves(int file)
{
    pid_t child;

    ftruncate(file, 8 * PAGE);
    char *bytes = map("a part", file, 2 * PAGE, 2 * PAGE, BOTH, MAP_SHARED);
    char *all = map("all", file, 0, 8 * PAGE, BOTH, MAP_SHARED);
    strcpy(all + 5 * PAGE, "fifth");
    char *more = mremap(bytes, 2 * PAGE, 8 * PAGE, MREMAP_MAYMOVE);
    printf("%s\n", more == MAP_FAILED ? "failed" : more + 3 * PAGE);
    touch("after the end", more + 6 * PAGE, 0);
    more[0] = 'm';
    printf("%c\n", all[2 * PAGE]);
    check("length", ftruncate(file, 9 * PAGE));
    touch("longer", more + 6 * PAGE, 1);
    char *place = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *moved = mremap(more + 3 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place + PAGE);
    printf("%d %s\n", moved == place + PAGE, moved);
    strcpy(all + 5 * PAGE, "moved");
    puts(moved);
    touch("where it was", more + 3 * PAGE, 0);
    touch("beside it", more + 4 * PAGE, 1);
    mprotect(moved, PAGE, PROT_NONE);
    moved = mremap(moved, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place + 2 * PAGE);
    /* A process has the memory, too, that could not be accessed when it was made. */
    child = fork();
    if (child == 0) {
        mprotect(moved, PAGE, BOTH);
        puts(moved);
        strcpy(moved, "by child");
        fflush(stdout);
        _exit(0);
    }
    await("moved", child);
    mprotect(moved, PAGE, BOTH);
    puts(moved);
    check("less", mremap(all, 8 * PAGE, PAGE, 0) == all);
    touch("cut", all + PAGE, 0);
    char *grown = mremap(moved, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
    printf("%s %c\n", grown, grown[PAGE]);
    munmap(grown, 3 * PAGE);

    char *anonymous = mmap(NULL, PAGE, BOTH, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    strcpy(anonymous, "anonymous");
    anonymous = mremap(anonymous, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
    puts(anonymous);
    touch("an object that is not longer", anonymous + PAGE, 0);
    int zero = open("/dev/zero", O_RDWR);
    char *zeros = map("zeros", zero, 0, PAGE, BOTH, MAP_SHARED);
    child = fork();
    if (child == 0) {
        anonymous[0] = 'A';
        zeros[0] = 'z';
        _exit(0);
    }
    await("child", child);
    printf("%s %s\n", anonymous, zeros);
    close(zero);
    close(file);
}

static void test_errors(void)
{
    int file = open_named(name, O_RDONLY), wrong = open("/dev/null", O_RDWR);

    say("open", file >= 0);
    map("write what is read", file, 0, PAGE, BOTH, MAP_SHARED);
    char *bytes = map("read it", file, 0, PAGE, PROT_READ, MAP_SHARED);
    check("and write then", mprotect(bytes, PAGE, BOTH));
    check("nor a part", mprotect(bytes, 1, PROT_WRITE));
    check("but read", mprotect(bytes, PAGE, PROT_READ));
    map("no file", wrong, 0, PAGE, BOTH, MAP_SHARED);
    map("not aligned", file, 1, PAGE, PROT_READ, MAP_SHARED);
    map("not open", 99, 0, PAGE, PROT_READ, MAP_SHARED);
    check("cut what is read", ftruncate(file, 0));
    close(file);
    file = open_named(name, O_RDWR | O_TRUNC);
    touch("cut by open", bytes, 0);
    close(file);
    check("exclusive", open_named(name, O_RDWR | O_CREAT | O_EXCL));
    check("missing", open_named("/temu-missing", O_RDWR));
    close(wrong);
    munmap(bytes, PAGE);
}

/* ---- several processes ---- */

/* A process finds what another one has made by its name. */
static void test_names(void)
{
    int file = open_named(name, O_RDWR | O_CREAT | O_EXCL);
    sem_t *begin = sem_open(other_name, O_CREAT | O_EXCL, 0600, 0), *end;
    char path[300];
    struct stat status;

    check("length", ftruncate(file, 2 * PAGE));
    pid_t child = fork();
    if (child == 0) {
        close(file);
        sem_t *theirs = sem_open(other_name, 0);
        int mine = open_named(name, O_RDWR);
        /* at another place than in the other process */
        mmap(NULL, 5 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        char *bytes = mmap(NULL, 2 * PAGE, BOTH, MAP_SHARED, mine, 0);
        sem_init((sem_t *)(bytes + PAGE), 1, 0);
        strcpy(bytes, "from the child");
        sem_post(theirs);
        sem_wait((sem_t *)(bytes + PAGE));
        printf("in the child: %s\n", bytes);
        fflush(stdout);
        strcpy(bytes, "the end");
        sem_post(theirs);
        _exit(0);
    }
    char *bytes = map("mapped", file, 0, 2 * PAGE, BOTH, MAP_SHARED);
    check("wait", sem_wait(begin));
    printf("in the parent: %s\n", bytes);
    fflush(stdout);
    pwrite(file, "from the parent", 16, 0);
    end = (sem_t *)(bytes + PAGE);
    int posted = sem_post(end);
    check("wait", sem_wait(begin));
    check("post", posted);
    puts(bytes);
    await("child", child);
    sem_close(begin);
    check("unlink", sem_unlink(other_name));
    check("unlink again", sem_unlink(other_name));
    snprintf(path, sizeof path, "%s%s", directory ? directory : "/dev/shm", name);
    check("status", stat(path, &status));
    printf("%o %ld\n", status.st_mode, (long)status.st_size);
    close(file);
    munmap(bytes, 2 * PAGE);
}

/* Lengths change, mappings go, and the file goes, in one of two processes. */
static void test_changes(void)
{
    int file = open_named(name, O_RDWR), ends[2], back[2];
    char byte = 0;

    if (pipe(ends) || pipe(back))
        return;
    ftruncate(file, PAGE);
    char *bytes = map("mapped", file, 0, 4 * PAGE, BOTH, MAP_SHARED);
    pid_t child = fork();
    if (child == 0) {
        touch("end in the child", bytes + PAGE, 0);
        write(back[1], "", 1);
        read(ends[0], &byte, 1);
        touch("longer in the child", bytes + 3 * PAGE, 0);
        ftruncate(file, 2 * PAGE);
        write(back[1], "", 1);
        read(ends[0], &byte, 1);
        printf("file without a name: %s\n", bytes);
        fflush(stdout);
        munmap(bytes, PAGE);
        strcpy(bytes + PAGE, "second page");
        _exit(0);
    }
    read(back[0], &byte, 1);
    ftruncate(file, 4 * PAGE);
    bytes[3 * PAGE] = '3';
    write(ends[1], "", 1);
    read(back[0], &byte, 1);
    touch("shorter in the parent", bytes + 3 * PAGE, 0);
    strcpy(bytes, "without a name");
    check("unlink", remove_named(name));
    check("unlink again", remove_named(name));
    close(file);
    write(ends[1], "", 1);
    await("child", child);
    printf("%s, %s\n", bytes, bytes + PAGE);
    munmap(bytes, 4 * PAGE);
    for (int i = 0; i < 2; i++) {
        close(ends[i]);
        close(back[i]);
    }
}

/* Waiters for a futex move to another one, which is mapped twice. */
static void test_futex(void)
{
    int file = make("futex");

    ftruncate(file, 2 * PAGE);
    int *words = (int *)map("words", file, 0, 2 * PAGE, BOTH, MAP_SHARED);
    int *again = (int *)map("again", file, PAGE, PAGE, BOTH, MAP_SHARED);
    pid_t children[3];
    for (int i = 0; i < 3; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            int *own = mmap(NULL, PAGE, BOTH, MAP_SHARED, file, 0);
            __atomic_add_fetch(own + 1, 1, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(own, __ATOMIC_SEQ_CST) == 0)
                syscall(SYS_futex, own, FUTEX_WAIT, 0, NULL, NULL, 0);
            _exit(own[0]);
        }
    }
    while (__atomic_load_n(words + 1, __ATOMIC_SEQ_CST) < 3)
        sched_yield();
    int moved = 0;
    while (moved < 3) {
        moved += syscall(SYS_futex, words, FUTEX_REQUEUE, 0, 10, again, 0);
        sched_yield();
    }
    say("moved", moved);
    say("to itself",
        syscall(SYS_futex, again, FUTEX_REQUEUE, 0, 1 << 30, words + PAGE / 4, 0) >= 0);
    words[0] = 7;
    int woken = 0;
    while (woken < 3)
        woken += syscall(SYS_futex, words + PAGE / 4, FUTEX_WAKE, 10, NULL, NULL, 0);
    say("woken", woken);
    for (int i = 0; i < 3; i++)
        await("waiter", children[i]);
    munmap(words, 2 * PAGE);
    munmap(again, PAGE);
    close(file);
}

/* A child that does not catch the signal ends by it. */
static void test_end(void)
{
    int file = make("end");
    char *bytes = map("empty", file, 0, PAGE, BOTH, MAP_SHARED);
    pid_t child = fork();

    if (child == 0) {
        signal(SIGBUS, SIG_DFL);
        bytes[0] = 1;
        _exit(0);
    }
    await("end", child);
    munmap(bytes, PAGE);
    close(file);
}

/* ---- the directory ---- */

static void test_directory(void)
{
    char path[300], here[60], target[60] = "";
    struct stat status;
    int directory = open("/dev/shm", O_RDONLY | O_DIRECTORY), found = 0;

    mkdir("/dev", 0777); /* a root need not have it */
    mkdir("/tmp", 0777);
    say("directory", directory >= 0);
    say("by openat", openat(directory, name + 1, O_RDWR | O_CREAT, 0640) >= 0);
    snprintf(path, sizeof path, "/dev/../dev//shm/./%s", name + 1);
    check("by a long path", stat(path, &status));
    DIR *list = fdopendir(directory);
    for (const struct dirent *entry; (entry = readdir(list));)
        found += strcmp(entry->d_name, name + 1) == 0;
    say("in the list", found);
    closedir(list);
    check("change to it", chdir("/dev/shm"));
    puts(getcwd(here, sizeof here));
    check("from there", access(name + 1, W_OK));
    check("up and down", access("../shm", X_OK));
    snprintf(path, sizeof path, "../../tmp/%s", name + 1);
    check("to another file system", rename(name + 1, path));
    check("nor a link", link(name + 1, path));
    check("a symbolic one", symlink(name + 1, other_name + 1));
    check("its target", readlink(other_name + 1, target, sizeof target));
    check("through it", access(other_name + 1, R_OK));
    check("new name", rename(name + 1, "temu-new"));
    check("unlink", unlink("temu-new"));
    check("unlink", unlink(other_name + 1));
    check("make it", mkdir("/dev/shm", 0777));
    say("status", stat("/dev/shm/", &status) == 0 && S_ISDIR(status.st_mode));
    check("back", chdir("/"));
}

int main(int count, char **arguments)
{
    directory = count > 1 ? arguments[1] : NULL;
    snprintf(name, sizeof name, "/temu-%07d", getpid());
    snprintf(other_name, sizeof other_name, "/temu-other-%07d", getpid());
    catch_faults();
    test_one_memory(make("one"));
    test_length(make("length"));
    test_moves(make("moves"));
    test_names();
    test_errors();
    test_changes();
    test_futex();
    test_end();
    test_directory();
    return 0;
}
