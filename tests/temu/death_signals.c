/* The signal that a process gets when its parent ends (PR_SET_PDEATHSIG), and sync_file_range: the
 * program prints the same on the host, where it is compiled for the host, and under temu.
 *
 * RUN: rm -rf %t && mkdir %t && gcc -O1 -o %t/native %s && %gcc -O1 -static -o %t/program %s
 * RUN: cd %t && ./native > expected && wc -l < expected | FileCheck %s
 * RUN: for tier in auto interp translate; do timeout 60 %temu --tier=$tier %t/program > %t/found || exit 1; diff %t/expected %t/found || exit 1; done
 * CHECK: {{^[12][0-9]$}}
 */
#define _GNU_SOURCE
#include "say.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int wished(void)
{
    int number = -1;

    check("get", prctl(PR_GET_PDEATHSIG, &number));
    return number;
}

/* A process whose child ends after it, and tells by a pipe which signals it got. */
static void orphan(const char *what, int signal, int then)
{
    int ends[2], ready[2];
    sigset_t set;
    char text[100] = {0};

    if (pipe(ends) != 0 || pipe(ready) != 0)
        exit(1);
    fflush(stdout);
    if (fork() == 0) {
        pid_t parent = getpid();
        if (fork() == 0) {
            sigemptyset(&set);
            sigaddset(&set, SIGUSR1);
            sigaddset(&set, SIGUSR2);
            sigaddset(&set, SIGALRM);
            sigprocmask(SIG_BLOCK, &set, NULL);
            prctl(PR_SET_PDEATHSIG, signal);
            if (then >= 0)
                prctl(PR_SET_PDEATHSIG, then);
            if (write(ready[1], "x", 1) != 1)
                exit(1);
            ualarm(100000, 0);
            siginfo_t info;
            int found = sigwaitinfo(&set, &info);
            dprintf(ends[1], "%s %s",
                    found == SIGALRM   ? "none"
                    : found == SIGUSR1 ? "first"
                                       : "second",
                    found != SIGALRM && info.si_code == SI_USER && info.si_pid == parent
                        ? "from the parent"
                        : "");
            exit(0);
        }
        if (read(ready[0], text, 1) != 1)
            exit(1);
        exit(0);
    }
    close(ends[1]);
    wait(NULL);
    for (int got, length = 0;
         (got = (int)read(ends[0], text + length, sizeof text - 1 - (size_t)length)) > 0;)
        length += got;
    printf("%s: %s\n", what, text);
    fflush(stdout);
    close(ends[0]);
    close(ready[0]);
    close(ready[1]);
}

static void files(void)
{
    char name[] = "/tmp/temu-XXXXXX";
    int file = mkstemp(name), ends[2];

    unlink(name);
    check("whole", sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE));
    check("wait", sync_file_range(file, 100, 1000, 7));
    check("flags", sync_file_range(file, 0, 0, 8));
    check("offset", sync_file_range(file, -1, 0, 0));
    check("length", sync_file_range(file, 1, -1, 0));
    check("closed", sync_file_range(77, 0, 0, 0));
    if (pipe(ends) == 0)
        check("pipe", sync_file_range(ends[0], 0, 0, 0));
}

int main(void)
{
    say("first", wished());
    check("none such", prctl(PR_SET_PDEATHSIG, 65));
    check("set", prctl(PR_SET_PDEATHSIG, SIGUSR2));
    say("then", wished());
    check("address", prctl(PR_GET_PDEATHSIG, 8));
    if (fork() == 0) {
        say("not inherited", wished());
        exit(0);
    }
    wait(NULL);
    orphan("one", SIGUSR1, -1);
    orphan("another", SIGUSR1, SIGUSR2);
    orphan("none", SIGUSR1, 0);
    files();
    return 0;
}
