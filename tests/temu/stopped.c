/* Processes that signals stop and continue: the program prints the same on the host, where it is
 * compiled for the host, and under temu, in every tier.
 *
 * RUN: rm -rf %t && mkdir %t && gcc -O1 -o %t/native %s -pthread && %gcc -O1 -static -o %t/program %s -pthread
 * RUN: %t/native > %t/expected && wc -l < %t/expected | FileCheck %s
 * RUN: for tier in auto interp translate; do timeout 60 %temu --tier=$tier %t/program > %t/found || exit 1; diff %t/expected %t/found || exit 1; done
 * CHECK: {{^[4-6][0-9]$}}
 *
 * Where no other process could continue it, a process does not stop; and a wait for one that never
 * goes on ends the run.
 * RUN: %temu %t/program alone | FileCheck --check-prefix=ALONE %s
 * ALONE: not stopped
 * RUN: timeout 60 %temu %t/program stuck > %t/stuck 2>&1; test $? = 124 && exit 1; FileCheck --check-prefix=STUCK %s < %t/stuck
 * STUCK: waits{{$}}
 * STUCK: program: stopped: deadlock, no thread can ever go on
 */
#define _GNU_SOURCE
#include "say.h"
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long *counter; /* of all processes */
static int ends[2];            /* a pipe, by which a process says how far it is */

static void arrive(void)
{
    write(ends[1], "", 1);
}

static void await_arrival(void)
{
    char byte;

    read(ends[0], &byte, 1);
}

static void print_status(const char *what, pid_t child, int options)
{
    int status = 0;
    pid_t found = waitpid(child, &status, options);

    if (found == 0)
        printf("%s: nothing\n", what);
    else if (found != child)
        printf("%s: failed\n", what);
    else if (WIFSTOPPED(status))
        printf("%s: stopped by %d\n", what, WSTOPSIG(status));
    else if (WIFCONTINUED(status))
        printf("%s: continued\n", what);
    else if (WIFSIGNALED(status))
        printf("%s: killed by %d\n", what, WTERMSIG(status));
    else
        printf("%s: exit %d\n", what, WEXITSTATUS(status));
    fflush(stdout);
}

static void print_info(const char *what, pid_t child, int options)
{
    siginfo_t info = {0};
    int result = waitid(P_PID, child, &info, options);

    printf("%s: %d, signal %d, code %d, status %d, by the child %d\n", what, result, info.si_signo,
           info.si_code, info.si_status, info.si_pid == child);
    fflush(stdout);
}

static void *count(void *unused)
{
    (void)unused;
    for (;;)
        __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* ---- stops from outside ---- */

static void test_runner(void)
{
    pid_t child = fork();

    if (child == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, count, NULL);
        arrive();
        count(NULL);
    }
    await_arrival();
    print_status("running", child, WNOHANG | WUNTRACED | WCONTINUED);
    check("stop", kill(child, SIGSTOP));
    print_status("a stop", child, WUNTRACED);
    print_status("known", child, WNOHANG | WUNTRACED | WCONTINUED);
    long before = *counter;
    for (int i = 0; i < 1000; i++)
        sched_yield();
    say("counted while it was stopped", *counter - before);
    check("stop again", kill(child, SIGSTOP));
    print_status("no news", child, WNOHANG | WUNTRACED);
    check("continue", kill(child, SIGCONT));
    print_status("not asked for", child, WNOHANG | WUNTRACED);
    print_status("goes on", child, WCONTINUED);
    while (*counter == before)
        sched_yield();
    check("continue again", kill(child, SIGCONT));
    print_status("no news", child, WNOHANG | WCONTINUED);
    check("stop", kill(child, SIGSTOP));
    print_info("left", child, WSTOPPED | WNOWAIT);
    print_info("taken", child, WSTOPPED);
    check("terminate", kill(child, SIGTERM));
    print_status("not delivered", child, WNOHANG);
    check("continue", kill(child, SIGCONT));
    print_status("ended", child, 0);

    child = fork();
    if (child == 0) {
        arrive();
        count(NULL);
    }
    await_arrival();
    kill(child, SIGSTOP);
    print_status("stopped", child, WUNTRACED);
    kill(child, SIGKILL);
    print_status("killed", child, WUNTRACED | WCONTINUED);
}

/* ---- stops by itself, and what the parent is told ---- */

static volatile int codes[8], code_count;

static void note_child(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    if (code_count < 8)
        codes[code_count++] = info->si_code * 1000 + info->si_status;
}

static void print_codes(const char *what)
{
    printf("%s:", what);
    for (int i = 0; i < code_count; i++)
        printf(" %d", codes[i]);
    puts("");
    fflush(stdout);
    code_count = 0;
}

static void test_told(int flags)
{
    int go[2];
    char byte;

    struct sigaction action = {.sa_sigaction = note_child,
                               .sa_flags = SA_SIGINFO | SA_RESTART | flags};

    pipe(go);
    sigaction(SIGCHLD, &action, NULL);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        static const int signals[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
        for (int i = 0; i < 4; i++) {
            raise(signals[i]);
            read(go[0], &byte, 1);
        }
        _exit(7);
    }
    for (int i = 0; i < 4; i++) {
        print_status("by itself", child, WUNTRACED);
        kill(child, SIGCONT);
        print_info("went on", child, WCONTINUED);
        while (!(flags & SA_NOCLDSTOP) && code_count < 2 * i + 2)
            sched_yield(); /* a second signal would be lost */
        write(go[1], "", 1);
    }
    print_info("ended", child, WEXITED | WSTOPPED);
    print_codes("told");
    signal(SIGCHLD, SIG_DFL);
}

/* ---- handlers, masks, and calls that wait ---- */

static void say_hello(int number)
{
    char text[] = "handler 00\n";

    text[8] += number / 10;
    text[9] += number % 10;
    write(1, text, sizeof text - 1);
}

static int is_pending(int number)
{
    sigset_t set;

    sigpending(&set);
    return sigismember(&set, number);
}

static void test_handlers(void)
{
    pid_t child = fork();

    if (child == 0) {
        sigset_t set;
        struct timespec second = {.tv_sec = 1};
        char byte;
        int own[2];
        signal(SIGCONT, say_hello);
        signal(SIGTSTP, say_hello);
        signal(SIGTTIN, SIG_IGN);
        raise(SIGTSTP);
        raise(SIGTTIN);
        raise(SIGSTOP);
        sigfillset(&set);
        sigprocmask(SIG_SETMASK, &set, NULL);
        signal(SIGTTOU, SIG_DFL);
        raise(SIGTTOU);
        say("waits to stop it", is_pending(SIGTTOU));
        raise(SIGCONT);
        say("was dropped", is_pending(SIGTTOU));
        say("waits to continue it", is_pending(SIGCONT));
        raise(SIGTTOU);
        say("was dropped, too", is_pending(SIGCONT));
        fflush(stdout);
        raise(SIGSTOP); /* cannot be blocked */
        signal(SIGTTOU, SIG_IGN);
        signal(SIGCONT, SIG_DFL);
        sigemptyset(&set);
        sigprocmask(SIG_SETMASK, &set, NULL);
        /* These calls go on. */
        arrive();
        check("sleep", nanosleep(&second, NULL));
        pipe(own);
        if (fork() == 0) {
            nanosleep(&second, NULL);
            kill(getppid(), SIGSTOP);
            nanosleep(&second, NULL);
            kill(getppid(), SIGCONT);
            nanosleep(&second, NULL);
            write(own[1], "x", 1);
            _exit(0);
        }
        check("read", read(own[0], &byte, 1));
        fflush(stdout);
        _exit(byte);
    }
    print_status("in a handler", child, WUNTRACED);
    kill(child, SIGCONT);
    print_status("blocked", child, WUNTRACED);
    kill(child, SIGCONT);
    await_arrival();
    struct timespec part = {.tv_nsec = 300000000};
    nanosleep(&part, NULL);
    kill(child, SIGSTOP);
    print_status("in its sleep", child, WUNTRACED);
    kill(child, SIGCONT);
    print_status("by its child", child, WUNTRACED);
    print_status("end", child, 0);
}

/* ---- groups ---- */

static void note_hangup(int number)
{
    counter[1] += number == SIGHUP ? 1 : 100;
}

static void test_orphans(void)
{
    int told[2], go[2];
    char byte;

    pipe(told);
    pipe(go);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            signal(SIGHUP, note_hangup);
            signal(SIGCONT, note_hangup);
            raise(SIGTSTP);
            while (counter[1] != 101)
                sched_yield();
            raise(SIGTSTP); /* nobody could continue it */
            raise(SIGTTIN);
            write(told[1], "x", 1);
            _exit(0);
        }
        print_status("grandchild", grandchild, WUNTRACED);
        _exit(3);
    }
    close(told[1]);
    print_status("leader", child, 0);
    read(told[0], &byte, 1);
    say("hangups and continuations", counter[1]);
    close(told[0]);

    /* A whole group. */
    pid_t first = fork();
    if (first == 0) {
        setpgid(0, 0);
        arrive();
        pause();
    }
    await_arrival();
    pid_t second = fork();
    if (second == 0) {
        setpgid(0, first);
        arrive();
        pause();
    }
    await_arrival();
    check("a group", kill(-first, SIGTSTP));
    print_status("first", first, WUNTRACED);
    print_status("second", second, WUNTRACED);
    check("a group", kill(-first, SIGCONT));
    print_status("first", first, WCONTINUED);
    print_status("second", second, WCONTINUED);
    check("a group", kill(-first, SIGTERM));
    print_status("first", first, 0);
    print_status("second", second, 0);
}

int main(int argument_count, char **arguments)
{
    counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pipe(ends);
    if (argument_count > 1 && arguments[1][0] == 'a') {
        raise(SIGSTOP);
        puts("not stopped");
        return 0;
    }
    if (argument_count > 1) {
        pid_t child = fork();
        if (child == 0)
            raise(SIGSTOP);
        puts("waits");
        fflush(stdout);
        waitpid(child, NULL, 0);
        return 0;
    }
    test_runner();
    test_told(0);
    test_told(SA_NOCLDSTOP);
    test_handlers();
    test_orphans();
    return 0;
}
