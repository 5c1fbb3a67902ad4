/* The table of the user environment's system calls, and --trace-syscalls. See user.h. */
#include "emu/trace/trace.h"
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include "emu/workers/workers.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* System calls, in the order of their numbers (asm-generic/unistd.h). A call without a function
 * fails with ENOSYS: programs fall back to an older call when it is missing. */
static const struct user_call calls[] = {
    {5, 5, "setxattr", user_setxattr},
    {6, 5, "lsetxattr", user_lsetxattr},
    {7, 5, "fsetxattr", user_fsetxattr},
    {8, 4, "getxattr", user_getxattr},
    {9, 4, "lgetxattr", user_lgetxattr},
    {10, 4, "fgetxattr", user_fgetxattr},
    {11, 3, "listxattr", user_listxattr},
    {12, 3, "llistxattr", user_llistxattr},
    {13, 3, "flistxattr", user_flistxattr},
    {14, 2, "removexattr", user_getxattr},
    {15, 2, "lremovexattr", user_lgetxattr},
    {16, 2, "fremovexattr", user_fgetxattr},
    {17, 2, "getcwd", user_getcwd},
    {19, 2, "eventfd2", user_eventfd2},
    {20, 1, "epoll_create1", user_epoll_create1},
    {21, 4, "epoll_ctl", user_epoll_ctl},
    {22, 6, "epoll_pwait", user_epoll_pwait},
    {23, 1, "dup", user_dup},
    {24, 3, "dup3", user_dup3},
    {25, 3, "fcntl", user_fcntl},
    {26, 6, "inotify_init1", NULL},
    {29, 3, "ioctl", user_ioctl},
    {32, 2, "flock", user_flock},
    {33, 4, "mknodat", user_mknodat},
    {34, 3, "mkdirat", user_mkdirat},
    {35, 3, "unlinkat", user_unlinkat},
    {36, 3, "symlinkat", user_symlinkat},
    {37, 5, "linkat", user_linkat},
    {43, 2, "statfs", user_statfs},
    {44, 2, "fstatfs", user_fstatfs},
    {45, 2, "truncate", user_truncate},
    {46, 2, "ftruncate", user_ftruncate},
    {47, 4, "fallocate", user_fallocate},
    {48, 3, "faccessat", user_faccessat},
    {49, 1, "chdir", user_chdir},
    {50, 1, "fchdir", user_fchdir},
    {51, 1, "chroot", user_not_permitted},
    {52, 2, "fchmod", user_fchmod},
    {53, 3, "fchmodat", user_fchmodat},
    {54, 5, "fchownat", user_fchownat},
    {55, 3, "fchown", user_fchown},
    {56, 4, "openat", user_openat},
    {57, 1, "close", user_close},
    {59, 2, "pipe2", user_pipe2},
    {61, 3, "getdents64", user_getdents64},
    {62, 3, "lseek", user_lseek},
    {63, 3, "read", user_read},
    {64, 3, "write", user_write},
    {65, 3, "readv", user_readv},
    {66, 3, "writev", user_writev},
    {67, 4, "pread64", user_pread64},
    {68, 4, "pwrite64", user_pwrite64},
    {69, 4, "preadv", user_preadv},
    {70, 4, "pwritev", user_pwritev},
    {71, 4, "sendfile", user_sendfile},
    {72, 6, "pselect6", user_pselect6},
    {73, 5, "ppoll", user_ppoll},
    {74, 4, "signalfd4", user_signalfd4},
    {75, 6, "vmsplice", user_splice},
    {76, 6, "splice", user_splice},
    {77, 6, "tee", user_splice},
    {78, 4, "readlinkat", user_readlinkat},
    {79, 4, "newfstatat", user_newfstatat},
    {80, 2, "fstat", user_fstat},
    {81, 0, "sync", user_zero},
    {82, 1, "fsync", user_fsync},
    {83, 1, "fdatasync", user_fsync},
    {84, 4, "sync_file_range", user_sync_file_range},
    {85, 2, "timerfd_create", user_timerfd_create},
    {86, 4, "timerfd_settime", user_timerfd_settime},
    {87, 2, "timerfd_gettime", user_timerfd_gettime},
    {88, 4, "utimensat", user_utimensat},
    {90, 2, "capget", user_capget},
    {91, 2, "capset", user_capset},
    {93, 1, "exit", user_exit},
    {94, 1, "exit_group", user_exit_group},
    {95, 5, "waitid", user_waitid},
    {96, 1, "set_tid_address", user_set_tid_address},
    {97, 6, "unshare", NULL},
    {98, 6, "futex", user_futex},
    {99, 2, "set_robust_list", user_set_robust_list},
    {100, 3, "get_robust_list", user_get_robust_list},
    {101, 2, "nanosleep", user_nanosleep},
    {102, 2, "getitimer", user_getitimer},
    {103, 3, "setitimer", user_setitimer},
    {107, 3, "timer_create", user_timer_create},
    {108, 2, "timer_gettime", user_timer_gettime},
    {109, 1, "timer_getoverrun", user_timer_getoverrun},
    {110, 4, "timer_settime", user_timer_settime},
    {111, 1, "timer_delete", user_timer_delete},
    {112, 2, "clock_settime", user_not_permitted},
    {113, 2, "clock_gettime", user_clock_gettime},
    {114, 2, "clock_getres", user_clock_getres},
    {115, 4, "clock_nanosleep", user_clock_nanosleep},
    {118, 2, "sched_setparam", user_sched_setparam},
    {119, 3, "sched_setscheduler", user_sched_setscheduler},
    {120, 1, "sched_getscheduler", user_sched_getscheduler},
    {121, 2, "sched_getparam", user_sched_getparam},
    {122, 3, "sched_setaffinity", user_sched_setaffinity},
    {123, 3, "sched_getaffinity", user_sched_getaffinity},
    {124, 0, "sched_yield", user_sched_yield},
    {125, 1, "sched_get_priority_max", user_sched_priority_max},
    {126, 1, "sched_get_priority_min", user_sched_priority_min},
    {127, 2, "sched_rr_get_interval", user_sched_interval},
    {129, 2, "kill", user_kill},
    {130, 2, "tkill", user_tkill},
    {131, 3, "tgkill", user_tgkill},
    {132, 2, "sigaltstack", user_sigaltstack},
    {133, 2, "rt_sigsuspend", user_rt_sigsuspend},
    {134, 4, "rt_sigaction", user_rt_sigaction},
    {135, 4, "rt_sigprocmask", user_rt_sigprocmask},
    {136, 2, "rt_sigpending", user_rt_sigpending},
    {137, 4, "rt_sigtimedwait", user_rt_sigtimedwait},
    {138, 3, "rt_sigqueueinfo", user_rt_sigqueueinfo},
    {CALL_RT_SIGRETURN, 0, "rt_sigreturn", user_rt_sigreturn},
    {140, 3, "setpriority", user_setpriority},
    {141, 2, "getpriority", user_getpriority},
    {143, 2, "setregid", user_set_user_ids},
    {144, 1, "setgid", user_set_user_id},
    {145, 2, "setreuid", user_set_user_ids},
    {146, 1, "setuid", user_set_user_id},
    {147, 3, "setresuid", user_set_all_ids},
    {148, 3, "getresuid", user_user_ids},
    {149, 3, "setresgid", user_set_all_ids},
    {150, 3, "getresgid", user_user_ids},
    {153, 1, "times", user_times},
    {154, 2, "setpgid", user_setpgid},
    {155, 1, "getpgid", user_getpgid},
    {156, 1, "getsid", user_getsid},
    {157, 0, "setsid", user_setsid},
    {158, 2, "getgroups", user_getgroups},
    {159, 2, "setgroups", user_not_permitted},
    {160, 1, "uname", user_uname},
    {163, 2, "getrlimit", user_getrlimit},
    {164, 2, "setrlimit", user_setrlimit},
    {165, 2, "getrusage", user_getrusage},
    {166, 1, "umask", user_umask},
    {167, 5, "prctl", user_prctl},
    {168, 3, "getcpu", user_getcpu},
    {169, 2, "gettimeofday", user_gettimeofday},
    {170, 2, "settimeofday", user_not_permitted},
    {172, 0, "getpid", user_process_id},
    {173, 0, "getppid", user_parent_id},
    {174, 0, "getuid", user_user_id},
    {175, 0, "geteuid", user_user_id},
    {176, 0, "getgid", user_user_id},
    {177, 0, "getegid", user_user_id},
    {178, 0, "gettid", user_gettid},
    {179, 1, "sysinfo", user_sysinfo},
    {194, 3, "shmget", user_shmget},
    {195, 3, "shmctl", user_shmctl},
    {196, 3, "shmat", user_shmat},
    {197, 1, "shmdt", user_shmdt},
    {198, 3, "socket", user_socket},
    {199, 4, "socketpair", user_socketpair},
    {200, 3, "bind", user_bind},
    {201, 2, "listen", user_listen},
    {202, 3, "accept", user_accept},
    {203, 3, "connect", user_connect},
    {204, 3, "getsockname", user_getsockname},
    {205, 3, "getpeername", user_getpeername},
    {206, 6, "sendto", user_sendto},
    {207, 6, "recvfrom", user_recvfrom},
    {208, 5, "setsockopt", user_setsockopt},
    {209, 5, "getsockopt", user_getsockopt},
    {210, 2, "shutdown", user_shutdown},
    {211, 3, "sendmsg", user_sendmsg},
    {212, 3, "recvmsg", user_recvmsg},
    {214, 1, "brk", user_brk},
    {215, 2, "munmap", user_munmap},
    {216, 5, "mremap", user_mremap},
    {220, 5, "clone", user_clone},
    {221, 3, "execve", user_execve},
    {222, 6, "mmap", user_mmap},
    {223, 4, "fadvise64", user_fadvise64},
    {226, 3, "mprotect", user_mprotect},
    {227, 3, "msync", user_msync},
    {228, 2, "mlock", user_mlock},
    {229, 2, "munlock", user_mlock},
    {230, 1, "mlockall", user_mlockall},
    {231, 0, "munlockall", user_zero},
    {233, 3, "madvise", user_madvise},
    {240, 4, "rt_tgsigqueueinfo", user_rt_tgsigqueueinfo},
    {242, 4, "accept4", user_accept4},
    {258, 5, "riscv_hwprobe", user_riscv_hwprobe},
    {259, 3, "riscv_flush_icache", user_zero},
    {260, 4, "wait4", user_wait4},
    {261, 4, "prlimit64", user_prlimit64},
    {267, 1, "syncfs", user_syncfs},
    {276, 5, "renameat2", user_renameat2},
    {278, 3, "getrandom", user_getrandom},
    {279, 2, "memfd_create", user_memfd_create},
    {281, 5, "execveat", user_execveat},
    {283, 3, "membarrier", user_membarrier},
    {284, 3, "mlock2", user_mlock2},
    {285, 6, "copy_file_range", user_copy_file_range},
    {286, 6, "preadv2", user_preadv2},
    {287, 6, "pwritev2", user_pwritev2},
    {291, 5, "statx", user_statx},
    {293, 6, "rseq", NULL},
    {425, 6, "io_uring_setup", NULL},
    {434, 6, "pidfd_open", NULL},
    {435, 2, "clone3", user_clone3},
    {436, 3, "close_range", user_close_range},
    {437, 6, "openat2", NULL},
    {439, 4, "faccessat2", user_faccessat2},
    {441, 6, "epoll_pwait2", user_epoll_pwait2},
};

const struct user_call *user_find_call(uint64_t number)
{
    size_t first = 0, end = sizeof calls / sizeof *calls;

    while (first < end) {
        size_t middle = (first + end) / 2;
        if (calls[middle].number == number)
            return &calls[middle];
        if (calls[middle].number < number)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

/* Is the call to be printed? An unsupported or unknown call is printed only once. */
static bool should_print(struct user *user, const struct user_call *call, uint64_t number)
{
    if (call && call->serve)
        return true;
    for (unsigned i = 0; i < user->unknown_count; i++)
        if (user->unknown[i] == number)
            return false;
    if (user->unknown_count == USER_UNKNOWN_CALLS)
        return false;
    user->unknown[user->unknown_count++] = number;
    return true;
}

/* Returns the name that traces have for the thread of the user environment or of the barrel, whose
 * first one has the number 0. */
static const char *name_thread(const struct machine *machine, char name[THREAD_NAME_SIZE],
                               unsigned thread)
{
    return machine->workers ? workers_name(machine, thread) : thread_name(name, false, thread + 1);
}

static void append_caller(struct text *line, const struct machine *machine)
{
    char name[THREAD_NAME_SIZE];
    unsigned thread = machine->workers ? (unsigned)workers_self(machine)
                                       : user_thread_number(machine->user.thread) - 1;

    if (machine->user.process->id != GUEST_PID)
        text_format(line, "process %" PRIu32 ": ", machine->user.process->id);
    else if (thread)
        text_format(line, "%s: ", name_thread(machine, name, thread));
}

/* Appends the name of the thread that the call has made. */
static void append_new_thread(struct text *line, const struct machine *machine,
                              const struct user_call *call, int64_t result)
{
    char name[THREAD_NAME_SIZE];
    const struct user_thread *thread = NULL;

    if (call && strncmp(call->name, "clone", strlen("clone")) == 0 && result > 0)
        thread = user_find_thread(&machine->user, (uint64_t)result);
    if (thread)
        text_format(
            line, " (%s)",
            name_thread(machine, name,
                        machine->workers ? thread->worker : user_thread_number(thread) - 1));
}

void user_print_call(struct machine *machine, const struct user_call *call, uint64_t number,
                     const uint64_t *arguments, int64_t result)
{
    struct text line = TEXT_INIT;
    unsigned count = call ? call->arguments : 6;

    if (!should_print(&machine->user, call, number))
        return;
    text_append(&line, "temu: ");
    append_caller(&line, machine);
    if (call && call->serve)
        text_format(&line, "%s(", call->name);
    else if (call)
        text_format(&line, "unsupported system call %s(", call->name);
    else
        text_format(&line, "unknown system call %" PRIu64 "(", number);
    for (unsigned i = 0; i < count; i++)
        text_format(&line, "%s0x%" PRIx64, i ? ", " : "", arguments[i]);
    text_append(&line, ")");
    if (!machine->user.exited)
        text_format(&line,
                    result >= 0 && result < 4096 ? " = %" PRId64
                    : result >= 0                ? " = 0x%" PRIx64
                                                 : " = %" PRId64,
                    result);
    if (result < 0 && result > -4096)
        text_format(&line, " (%s)", strerror(-result));
    append_new_thread(&line, machine, call, result);
    text_append_char(&line, '\n');
    if (machine->trace)
        trace_flush(machine->trace);
    fwrite(line.bytes, 1, line.length, stderr);
    text_free(&line);
}
