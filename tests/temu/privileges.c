/* A process has no capabilities, and gets none: the program prints what it does under Linux on the
 * host, where it first drops those that it has.
 *
 * RUN: rm -rf %t && mkdir %t && gcc -O1 -D_GNU_SOURCE -o %t/host %s && %gcc -O1 -static -D_GNU_SOURCE -o %t/program %s
 * RUN: %t/host >%t/expected && FileCheck %s --match-full-lines <%t/expected
 * RUN: for tier in interp auto translate; do %temu --tier=$tier %t/program | diff %t/expected - || exit 1; done
 * RUN: %temu --root=%t %t/program | diff %t/expected -
 * CHECK: drop: 0
 * CHECK: get: 0, 0 0 0, 0 0 0
 * CHECK: unknown version: EINVAL, then 20080522
 * CHECK: no new privileges in a child: 1
 * CHECK: and after execve: 1
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BAD ((void *)8)

static void say(const char *text, long result)
{
    if (result < 0)
        printf("%s: %s\n", text, strerrorname_np(errno));
    else
        printf("%s: %ld\n", text, result);
    fflush(stdout);
}

static void get(uint32_t version, int process)
{
    struct __user_cap_header_struct header = {version, process};
    struct __user_cap_data_struct sets[2];

    memset(sets, 0x55, sizeof sets);
    long result = syscall(SYS_capget, &header, sets);
    printf("get: %s, %x %x %x, %x %x %x\n", result < 0 ? strerrorname_np(errno) : "0",
           sets[0].effective, sets[0].permitted, sets[0].inheritable, sets[1].effective,
           sets[1].permitted, sets[1].inheritable);
}

static void set(const char *text, uint32_t version, int process, uint32_t effective,
                uint32_t permitted, uint32_t high)
{
    struct __user_cap_header_struct header = {version, process};
    struct __user_cap_data_struct sets[2] = {{effective, permitted, 0}, {high, high, 0}};

    say(text, syscall(SYS_capset, &header, sets));
}

static void wrong(void)
{
    struct __user_cap_header_struct header = {77, 0};
    struct __user_cap_data_struct sets[2];

    long result = syscall(SYS_capget, &header, sets);
    printf("unknown version: %s, then %x\n", result < 0 ? strerrorname_np(errno) : "0",
           header.version);
    say("newest version", syscall(SYS_capget, &header, sets));
    header.version = 77;
    say("version only", syscall(SYS_capget, &header, NULL));
    say("version", header.version == _LINUX_CAPABILITY_VERSION_3);
    header.version = 77;
    say("set an unknown version", syscall(SYS_capset, &header, sets));
    say("no header", syscall(SYS_capget, BAD, sets));
    say("no header to set", syscall(SYS_capset, BAD, sets));
    say("no room", syscall(SYS_capget, &header, BAD));
    say("nothing to set", syscall(SYS_capset, &header, BAD));
    get(_LINUX_CAPABILITY_VERSION_3, -1);
    get(_LINUX_CAPABILITY_VERSION_3, 0x3ffffff);
    header = (struct __user_cap_header_struct){_LINUX_CAPABILITY_VERSION_3, -1};
    say("no process, no room", syscall(SYS_capget, &header, NULL));
}

static void ambient(void)
{
    say("is set", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 5, 0, 0));
    say("is an unknown one set", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 99, 0, 0));
    say("raise", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 5, 0, 0));
    say("lower", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, 5, 0, 0));
    say("clear", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
    say("clear one", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 1, 0, 0));
    say("unknown command", prctl(PR_CAP_AMBIENT, 9, 1, 0, 0));
    say("more arguments", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, 1, 1, 0));
    say("bounds", prctl(PR_CAPBSET_READ, 0, 0, 0, 0));
    say("unknown bounds", prctl(PR_CAPBSET_READ, 99, 0, 0, 0));
    say("drop from the bounds", prctl(PR_CAPBSET_DROP, 0, 0, 0, 0));
}

static void no_new_privileges(const char *program)
{
    say("before", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    say("not to be unset", prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
    say("two", prctl(PR_SET_NO_NEW_PRIVS, 2, 0, 0, 0));
    say("more", prctl(PR_SET_NO_NEW_PRIVS, 1, 1, 0, 0));
    say("get with more", prctl(PR_GET_NO_NEW_PRIVS, 0, 1, 0, 0));
    say("set", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    say("after", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    if (fork() == 0) {
        say("no new privileges in a child", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
        execl("/proc/self/exe", program, "executed", NULL);
        execl("/program", program, "executed", NULL);
        _exit(1);
    }
    wait(NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        say("and after execve", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
        return 0;
    }
    set("drop", _LINUX_CAPABILITY_VERSION_3, 0, 0, 0, 0);
    get(_LINUX_CAPABILITY_VERSION_3, 0);
    get(_LINUX_CAPABILITY_VERSION_2, getpid());
    get(_LINUX_CAPABILITY_VERSION_1, 0);
    set("drop again", _LINUX_CAPABILITY_VERSION_1, getpid(), 0, 0, 0);
    set("take", _LINUX_CAPABILITY_VERSION_3, 0, 1, 1, 0);
    set("permit", _LINUX_CAPABILITY_VERSION_3, 0, 0, 0x80000000, 0);
    set("have what is not permitted", _LINUX_CAPABILITY_VERSION_3, 0, 1, 0, 0);
    set("take a high one", _LINUX_CAPABILITY_VERSION_3, 0, 0, 0, 1 << 8);
    set("take an unknown one", _LINUX_CAPABILITY_VERSION_3, 0, 0, 0, 1 << 30);
    set("of another process", _LINUX_CAPABILITY_VERSION_3, 0x3ffffff, 0, 0, 0);
    wrong();
    ambient();
    no_new_privileges(argv[0]);
    return 0;
}
