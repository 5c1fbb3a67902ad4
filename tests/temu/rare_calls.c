/* System calls with what programs rarely give them: the program prints the same on the host, where
 * it is compiled for the host, and under temu.
 *
 * RUN: rm -rf %t && mkdir -p %t/host %t/root && gcc -O1 -w -o %t/program %s -pthread && %gcc -O1 -w -static -o %t/root/program %s -pthread
 * RUN: cd %t/host && ../program > %t/expected && wc -l < %t/expected | FileCheck %s
 * RUN: for run in "%temu %t/root/program" "%temu --root=%t/root %t/root/program" "%temu --tier=interp %t/root/program" \
 * RUN:   "%temu --tier=translate %t/root/program"; do \
 * RUN:   timeout 60 sh -c "$run" > %t/found || exit 1; diff %t/expected %t/found || exit 1; done
 * CHECK: {{^[1-9][0-9]+$}}
 */
#define _GNU_SOURCE
#include "say.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

enum { NOBODY = 99999 /* no process and no thread */ };

static void *const nowhere = (void *)8;

/* ---- ends of processes ---- */

/* Makes a process that has ended already. */
static int make_ended(int status)
{
    int child = fork();
    siginfo_t info;

    if (child == 0)
        _exit(status);
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    return child;
}

static void wait_for_processes(void)
{
    int child = make_ended(3), status = 0;
    siginfo_t info = {0};

    check("only stopped ones", waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG));
    check("only continued ones", waitid(P_PID, (id_t)child, &info, WCONTINUED));
    check("ended, too", waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOWAIT));
    say("status", info.si_status);
    check("process of no id", waitid(P_PID, (id_t)-1, &info, WEXITED));
    check("group of no id", waitid(P_PGID, (id_t)-1, &info, WEXITED));
    check("lowest id", wait4(INT_MIN, &status, 0, NULL));
    say("stopped or ended", waitpid(child, &status, WUNTRACED | WCONTINUED) == child);
    say("status", status);
    check("none any more", waitpid(child, &status, 0));
}

/* ---- signals ---- */

static volatile sig_atomic_t received, code, sender, value, pass;

static void receive(int signal, siginfo_t *info, void *context)
{
    (void)context;
    received = signal;
    code = info->si_code;
    sender = info->si_pid;
    value = info->si_int;
    pass++;
}

static void handle(int signal, int flags)
{
    const struct sigaction action = {.sa_sigaction = receive, .sa_flags = SA_SIGINFO | flags};

    sigaction(signal, &action, NULL);
}

static void send_signals(void)
{
    check("lowest group", kill(INT_MIN, 0));
    check("wrong signal to nobody", kill(NOBODY, 65));
    check("wrong signal", kill(getpid(), 65));
    check("wrong signal to no thread", syscall(SYS_tgkill, getpid(), NOBODY, 65));
    check("wrong signal to a thread", syscall(SYS_tgkill, getpid(), getpid(), 65));
    check("group of no process", setpgid(-1, 0));

    siginfo_t info = {.si_code = SI_QUEUE};
    int child = make_ended(0);
    handle(SIGUSR1, 0);
    info.si_pid = 77;
    info.si_value.sival_int = 5;
    check("queue", syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info));
    say("code", code);
    say("sender as told", sender);
    say("value", value);
    check("queue to nobody", syscall(SYS_rt_sigqueueinfo, NOBODY, 65, &info));
    check("queue to a child", syscall(SYS_rt_tgsigqueueinfo, child, 0, SIGUSR1, &info));
    info.si_code = SI_USER;
    check("as from kill, to itself", syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info));
    say("code", code);
    check("as from kill", syscall(SYS_rt_sigqueueinfo, child, SIGUSR1, &info));
    info.si_code = SI_TKILL;
    check("as from tkill", syscall(SYS_rt_tgsigqueueinfo, child, child, SIGUSR1, &info));
    waitpid(child, NULL, 0);
}

struct kernel_action {
    void *handler;
    unsigned long flags;
#ifdef __x86_64__
    void *restorer;
#endif
    unsigned long mask;
};

static void set_actions(void)
{
    struct kernel_action action = {.handler = SIG_IGN, .flags = 0xf8000407, .mask = ~0UL}, found;

    check("action", syscall(SYS_rt_sigaction, SIGUSR2, &action, NULL, 8));
    check("its flags", syscall(SYS_rt_sigaction, SIGUSR2, NULL, &found, 8));
    say("those that there are", (long)found.flags);
    say("cannot be blocked", ~found.mask == (1 << (SIGKILL - 1) | 1 << (SIGSTOP - 1)));
    check("of SIGKILL, nowhere", syscall(SYS_rt_sigaction, SIGKILL, nowhere, NULL, 8));
    check("of SIGKILL", syscall(SYS_rt_sigaction, SIGKILL, &action, NULL, 8));
}

/* ---- alternate stacks ---- */

static char stack[65536];

static void say_stack(const char *what)
{
    stack_t now;

    sigaltstack(NULL, &now);
    say(what, (uint32_t)now.ss_flags);
}

static void look_at_stack(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *interrupted = context;

    (void)signal, (void)info;
    say_stack("in the handler");
    say("on its stack", (uintptr_t)&info - (uintptr_t)stack < sizeof stack);
    say("stack before it", (uint32_t)interrupted->uc_stack.ss_flags);
    if (!pass++)
        raise(SIGUSR1);
}

static void change_stacks(void)
{
    const struct sigaction action = {.sa_sigaction = look_at_stack,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    stack_t wanted = {.ss_sp = stack, .ss_size = sizeof stack, .ss_flags = (int)SS_AUTODISARM};

    pass = 0;
    sigaction(SIGUSR1, &action, NULL);
    check("stack for one handler", sigaltstack(&wanted, NULL));
    say_stack("before the handler");
    raise(SIGUSR1);
    say_stack("after the handler");
    wanted.ss_flags = SS_DISABLE | SS_ONSTACK;
    check("flags in one", sigaltstack(&wanted, NULL));
    wanted.ss_flags = SS_DISABLE;
    check("no stack", sigaltstack(&wanted, NULL));
}

/* ---- waits that a signal ends ---- */

static void interrupt_futex(void)
{
    const struct itimerval soon = {{0, 0}, {0, 20000}};
    const struct timespec long_time = {100, 0};
    uint32_t word = 5;

    handle(SIGALRM, SA_RESTART);
    setitimer(ITIMER_REAL, &soon, NULL);
    check("futex", syscall(SYS_futex, &word, FUTEX_WAIT, 5, &long_time));
    say("signal", received == SIGALRM);
}

static uint32_t lock;
static long lock_result;

static void *take_lock(void *thread)
{
    *(_Atomic pid_t *)thread = gettid();
    lock_result = syscall(SYS_futex, &lock, FUTEX_LOCK_PI, 0, NULL);
    return NULL;
}

/* The wait for a lock goes on after every handler. */
static void interrupt_lock(void)
{
    _Atomic pid_t other = 0;
    pthread_t thread;

    handle(SIGALRM, 0);
    received = 0;
    syscall(SYS_futex, &lock, FUTEX_LOCK_PI, 0, NULL);
    pthread_create(&thread, NULL, take_lock, &other);
    while (!(*(volatile uint32_t *)&lock & FUTEX_WAITERS))
        sched_yield();
    syscall(SYS_tgkill, getpid(), other, SIGALRM);
    while (!received)
        sched_yield();
    syscall(SYS_futex, &lock, FUTEX_UNLOCK_PI);
    pthread_join(thread, NULL);
    say("lock", lock_result);
}

int main(void)
{
    wait_for_processes();
    send_signals();
    set_actions();
    change_stacks();
    interrupt_futex();
    interrupt_lock();
    return 0;
}
