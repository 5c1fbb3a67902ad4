/* System V shared memory: the program prints the same on the host, where it is compiled for the
 * host, and under temu, in every tier.
 *
 * RUN: rm -rf %t && mkdir %t && gcc -O1 -o %t/native %s && %gcc -O1 -static -o %t/program %s
 * RUN: %t/native > %t/expected && wc -l < %t/expected | FileCheck %s
 * RUN: for tier in auto interp translate; do timeout 60 %temu --tier=$tier %t/program > %t/found || exit 1; diff %t/expected %t/found || exit 1; done
 * CHECK: {{^[5-7][0-9]$}}
 *
 * Segments count as files in memory do, until nothing has them any more.
 * RUN: printf 'memory: {size: 16M, files: 4M}\n' > %t/small.yaml && %temu --machine=%t/small.yaml %t/program limits | FileCheck %s --check-prefix=LIMITS --match-full-lines
 * LIMITS: too large: ENOMEM
 * LIMITS-NEXT: fits: 1
 * LIMITS-NEXT: another: ENOMEM
 * LIMITS-NEXT: removed: 0
 * LIMITS-NEXT: attached still: ENOMEM
 * LIMITS-NEXT: detached: 0
 * LIMITS-NEXT: fits again: 1
 */
#define _GNU_SOURCE
#include "say.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 10000, PAGES = 3 * 4096 };

static char *const place = (char *)0x30000000;

static int get(key_t key, size_t size, int flags)
{
    return shmget(key, size, flags);
}

static void *attach(const char *what, int id, const void *address, int flags)
{
    void *found = shmat(id, address, flags);

    check(what, found == (void *)-1 ? -1 : 1);
    return found;
}

static void report(const char *what, int id)
{
    struct shmid_ds found;

    if (check(what, shmctl(id, IPC_STAT, &found)) < 0)
        return;
    printf("  key %s size %zu mode %o attached %lu, made by this process: %d, times %d %d, owner "
           "%d %d\n",
           found.shm_perm.__key ? "given" : "private", found.shm_segsz,
           (unsigned)found.shm_perm.mode, (unsigned long)found.shm_nattch,
           found.shm_cpid == getpid(), found.shm_atime != 0, found.shm_ctime != 0,
           found.shm_perm.uid == getuid(), found.shm_perm.cuid == getuid());
}

static void last(const char *what, int id)
{
    struct shmid_ds found;

    shmctl(id, IPC_STAT, &found);
    printf("%s: by this process %d, detached %d\n", what, found.shm_lpid == getpid(),
           found.shm_dtime != 0);
}

static void errors(void)
{
    key_t key = 0x7e000000 + getpid();
    struct shmid_ds found;

    check("none", get(key, SIZE, 0600));
    check("empty", get(key, 0, IPC_CREAT | 0600));
    int id = get(key, SIZE, IPC_CREAT | IPC_EXCL | 0600);
    check("made", id >= 0);
    check("again", get(key, SIZE, IPC_CREAT | IPC_EXCL | 0600));
    check("the same", get(key, SIZE, IPC_CREAT | 0600) == id);
    check("shorter", get(key, 1, 0) == id);
    check("longer", get(key, SIZE + 1, 0));
    int other = get(IPC_PRIVATE, SIZE, 0600);
    check("private", other != id);
    check("removed", shmctl(other, IPC_RMID, NULL));
    check("not aligned", (long)shmat(id, place + 1, 0));
    check("nowhere", (long)shmat(id, NULL, SHM_REMAP));
    check("no segment", (long)shmat(123456789, NULL, 0));
    check("not attached", shmdt(place));
    check("command", shmctl(id, 99, &found));
    check("address", shmctl(id, IPC_STAT, (void *)8));
    report("new", id);
    check("removed", shmctl(id, IPC_RMID, NULL));
    check("gone", shmctl(id, IPC_STAT, &found));
    check("no key", get(key, SIZE, 0));
}

static void attachments(void)
{
    int id = get(IPC_PRIVATE, SIZE, 0640);
    last("before", id);
    char *first = attach("first", id, NULL, 0), *second = attach("second", id, NULL, SHM_RDONLY);
    last("attached", id);

    strcpy(first, "hello");
    puts(second);
    memset(first + SIZE, 7, PAGES - SIZE); /* the last page is whole */
    printf("%d %d\n", first != second, second[PAGES - 1]);
    report("two", id);
    check("occupied", (long)shmat(id, first, 0));
    char *third = attach("third", id, place + 77, SHM_RND);
    printf("%d %s\n", third == place, third);
    check("inside", shmdt(third + 4096));
    mmap(place, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    report("mapped over", id);
    check("no more", shmdt(place));
    place[3 * 4096] = 9;
    attach("in its place", id, place, SHM_REMAP);
    printf("%s %d\n", place, place[3 * 4096]);
    check("detached", shmdt(place));
    check("first detached", shmdt(first));
    last("detached", id);
    check("twice", shmdt(first));
    puts(second);
    report("one", id);
    fflush(stdout);
    if (fork() == 0)
        second[0] = 'x'; /* only to be read */
    int status;
    wait(&status);
    check("signal", WTERMSIG(status));
    struct shmid_ds change;
    shmctl(id, IPC_STAT, &change);
    change.shm_perm.mode = 0600;
    check("set", shmctl(id, IPC_SET, &change));
    report("changed", id);
    check("removed", shmctl(id, IPC_RMID, NULL));
    report("removed", id);
    attach("attached still", id, place, 0);
    puts(place);
    check("detached", shmdt(place));
    check("last detached", shmdt(second));
    check("gone", (long)shmat(id, NULL, 0));
}

static void processes(void)
{
    key_t key = 0x7e000001 + getpid();
    int id = get(key, SIZE, IPC_CREAT | 0600);
    volatile int *numbers = attach("parent", id, NULL, 0);

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        volatile int *own = shmat(id, NULL, 0);
        own[1] = 5;
        numbers[2] = 6;
        report("in the child", id);
        shmdt((void *)numbers);
        report("detached in the child", id);
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    printf("%d %d\n", numbers[1], numbers[2]);
    report("after the child", id);
    check("removed", shmctl(id, IPC_RMID, NULL));
    check("no key", get(key, SIZE, 0));
    report("removed", id);
    check("detached", shmdt((void *)numbers));
}

static void limits(void)
{
    check("too large", get(IPC_PRIVATE, 5 << 20, 0600));
    int id = get(IPC_PRIVATE, 3 << 20, 0600);
    char *bytes = attach("fits", id, NULL, 0);
    bytes[0] = 1;
    check("another", get(IPC_PRIVATE, 3 << 20, 0600));
    check("removed", shmctl(id, IPC_RMID, NULL));
    check("attached still", get(IPC_PRIVATE, 3 << 20, 0600));
    check("detached", shmdt(bytes));
    check("fits again", get(IPC_PRIVATE, 3 << 20, 0600) > id);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        limits();
        return 0;
    }
    errors();
    attachments();
    processes();
    return 0;
}
