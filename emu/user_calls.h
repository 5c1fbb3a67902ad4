/* Inside of the user environment: system calls as functions. Arguments are a0 to a5; the result is
 * what a0 gets: a value, or a negative error number of Linux (which are the same on all hosts with
 * the generic ABI, RISC-V's among them). */
#ifndef EMU_USER_CALLS_H
#define EMU_USER_CALLS_H

#include "emu/machine.h"

enum {
    GUEST_PID = 2,
    GUEST_UID = 1000,
    GUEST_AT_FDCWD = -100,
};

/* An open file: what one or more descriptors refer to. */
struct user_file {
    int host;            /* the host's descriptor */
    unsigned references; /* descriptors */
    unsigned flags;      /* as F_GETFL tells them */
    bool is_stream;      /* a standard stream: never closed on the host */
    bool is_directory;
    char *path;                     /* canonical, as the guest names it; NULL: a stream */
    struct user_directory *listing; /* getdents64; NULL before */
};

typedef int64_t user_call_function(struct machine *machine, const uint64_t *arguments);

/* user_files.c */
struct user_file *user_file(const struct machine *machine, uint64_t fd); /* NULL: not open */
void user_close_all(struct user *user);
user_call_function user_read, user_write, user_readv, user_writev, user_pread64, user_pwrite64,
    user_ftruncate, user_lseek, user_openat, user_close, user_dup, user_dup3, user_fcntl,
    user_ioctl, user_fsync;

/* user_directory.c */
user_call_function user_fstat, user_newfstatat, user_statx, user_faccessat, user_readlinkat,
    user_mkdirat, user_symlinkat, user_unlinkat, user_renameat2, user_chdir, user_fchdir,
    user_getcwd, user_getdents64;
int64_t user_directory_seek(struct user_file *file, uint64_t offset, uint64_t whence);
void user_directory_forget(struct user_file *file);

/* user_memory.c */
user_call_function user_brk, user_mmap, user_munmap, user_mprotect, user_mremap, user_madvise;

/* user_process.c */
user_call_function user_process_id, user_user_id, user_zero, user_uname, user_getrandom,
    user_clock_gettime, user_clock_getres, user_gettimeofday, user_nanosleep, user_clock_nanosleep,
    user_ppoll, user_times, user_getrusage, user_sysinfo, user_prlimit64, user_getrlimit,
    user_futex, user_set_robust_list, user_sched_getaffinity, user_sched_priority, user_getcpu,
    user_umask, user_prctl, user_no_child;
/* Nanoseconds since the program started: instructions, and what it has slept. */
uint64_t user_time(const struct machine *machine);

/* user_signal.c */
user_call_function user_kill, user_tkill, user_tgkill, user_rt_sigaction, user_rt_sigprocmask,
    user_rt_sigpending, user_rt_sigreturn, user_sigaltstack;
enum { USER_SIGNAL_BY_USER = 0, USER_SIGNAL_BY_TKILL = -6 }; /* si_code */
/* Makes the signal (1 to 64) pending, unless it is ignored. */
void user_signal_send(struct machine *machine, unsigned signal, int code);
/* Calls the handlers of all pending signals that are not blocked, or ends the program as they do by
 * default: then machine->user.signal is set. */
void user_signal_deliver(struct machine *machine);

/* Copies from and to the guest, the latter for the trace too; false (EFAULT) when it may not be
 * read or written there. */
bool user_copy_in(struct machine *machine, void *bytes, uint64_t address, uint64_t length);
bool user_copy_out(struct machine *machine, uint64_t address, const void *bytes, uint64_t length);

#endif
