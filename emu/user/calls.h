/* The inside of the user environment: one function for each system call. `arguments` are a0 to a5.
 * The function returns the new a0: a value, or a negative error number of Linux. The numbers are
 * the same on all hosts with the generic ABI, and so is RISC-V's. */
#ifndef EMU_USER_CALLS_H
#define EMU_USER_CALLS_H

#include "emu/machine.h"
#include <limits.h>

enum {
    GUEST_PARENT = 1, /* the process that started the program: a shell */
    GUEST_PID = 2,    /* its first process */
    GUEST_UID = 1000,
    GUEST_AT_FDCWD = -100,
    /* of open */
    GUEST_O_RDONLY = 0,
    GUEST_O_WRONLY = 1,
    GUEST_O_RDWR = 2,
    GUEST_O_ACCMODE = 3,
    GUEST_O_CREAT = 0100,
    GUEST_O_EXCL = 0200,
    GUEST_O_NOCTTY = 0400,
    GUEST_O_TRUNC = 01000,
    GUEST_O_APPEND = 02000,
    GUEST_O_NONBLOCK = 04000,
    GUEST_O_DIRECTORY = 0200000,
    GUEST_O_NOFOLLOW = 0400000,
    GUEST_O_CLOEXEC = 02000000,
    GUEST_O_PATH = 010000000,
    GUEST_O_TMPFILE = 020000000 | GUEST_O_DIRECTORY,
    /* flags of open that are not kept with the open file */
    GUEST_O_CREATION =
        GUEST_O_CREAT | GUEST_O_EXCL | GUEST_O_NOCTTY | GUEST_O_TRUNC | GUEST_O_CLOEXEC,
    /* of mmap */
    GUEST_PROT_READ = 1,
    GUEST_PROT_WRITE = 2,
    GUEST_PROT_EXEC = 4,
    GUEST_PROT_SEM = 8,
    GUEST_MAP_SHARED = 1,
    GUEST_MAP_PRIVATE = 2,
    GUEST_MAP_FIXED = 0x10,
    GUEST_MAP_ANONYMOUS = 0x20,
    GUEST_MAP_NORESERVE = 0x4000, /* the program says that it will use a part of it only */
    GUEST_MAP_FIXED_NOREPLACE = 0x100000,
};

/* The result of a call that a signal interrupted: the call is made again when the handler of the
 * signal wants it (SA_RESTART), and returns EINTR otherwise. */
enum { USER_RESTART = -512 };
/* The same, but the call is always made again. */
enum { USER_RESTART_ALWAYS = -515 };
/* The result of a call that set all registers itself, so that any value of a0 can be meant. */
enum { USER_REGISTERS_SET = -514 };

/* Devices that are emulated (open.c). */
enum user_device {
    DEVICE_NONE,
    DEVICE_NULL,
    DEVICE_ZERO,
    DEVICE_FULL,
    DEVICE_RANDOM,
    DEVICE_STREAM, /* another name of a standard stream; no open file has it */
};

struct host_times;
struct node;
struct text;

/* Properties of a file of the host that cannot change while it is open. The standard streams of the
 * guest count as open for reading and writing, whatever the host's are open for. */
struct user_host_file {
    bool is_known; /* the others are set */
    bool can_read;
    bool can_write;
    bool may_block;
    bool refuses_attempts; /* The host does not offer calls that fail instead of waiting for it. */
    bool is_terminal;
};

/* An open file, to which one or more descriptors refer. */
struct user_file {
    int host;                         /* the host's descriptor; -1: none */
    uint64_t host_device, host_inode; /* which file of the host it is */
    struct user_host_file host_file;
    struct host_times *times; /* of one beneath the root; or NULL */
    struct node *node;        /* of a file in memory; or NULL */
    uint64_t offset;          /* in it */
    unsigned references;      /* number of descriptors that refer to it */
    uint64_t serial;          /* no other file has it, not even a later one at the same address */
    unsigned flags;           /* as F_GETFL reports them */
    bool is_stream;           /* a standard stream: never closed on the host */
    bool is_directory;
    bool is_fifo; /* with a path, which pipes do not have; opened with O_PATH, it has no `pipe` */
    enum user_device device;
    struct user_pipe *pipe;     /* the pipe of which this is an end, or both; or NULL */
    struct user_event *event;   /* of an eventfd, a timerfd, a signalfd or an epoll; or NULL */
    struct user_socket *socket; /* a local one; or NULL */
    /* Returns the POLL… events of such a file that hold now. */
    unsigned (*events)(const struct machine *machine, const struct user_file *file);
    /* Returns when these next change by themselves; USER_FOREVER: never. NULL: never. */
    uint64_t (*alarm)(const struct machine *machine, const struct user_file *file);
    uint64_t writers_before; /* of a FIFO: if so often it was opened for writing, no end has come */
    char *path;              /* canonical path, as the guest names it; NULL: a stream, a pipe */
    struct user_directory *listing; /* of a directory; NULL before its first getdents64 */
    /* Removes the file from the epolls that have it, when the last descriptor is closed; NULL: none
     * had it. */
    void (*forget)(struct user_processes *processes, const struct user_file *file);
    /* Frees what the file's maker keeps for it (the pipe, the listing), when the last descriptor is
     * closed; or NULL. */
    void (*release)(struct user *user, struct user_file *file);
};

typedef int64_t user_call_function(struct machine *machine, const uint64_t *arguments);

/* Calls that the environment itself looks at (asm-generic/unistd.h). */
enum { CALL_RT_SIGRETURN = 139 };

/* table.c */
struct user_call {
    uint16_t number;
    uint8_t arguments;
    const char *name;
    user_call_function *serve; /* NULL: not supported (ENOSYS) */
};
/* Returns the system call of the number; NULL: unknown. */
const struct user_call *user_find_call(uint64_t number);
/* Prints a call and its result to standard error. An unsupported call is printed once. */
void user_print_call(struct machine *machine, const struct user_call *call, uint64_t number,
                     const uint64_t *arguments, int64_t result);

/* copy.c */
/* Copies `length` bytes from or to the guest. Returns false (EFAULT) when they may not be read or
 * written there. A copy to the guest is recorded for the trace. */
bool user_copy_in(struct machine *machine, void *bytes, uint64_t address, uint64_t length);
bool user_copy_out(struct machine *machine, uint64_t address, const void *bytes, uint64_t length);
/* Returns how many of the bytes at the address can be read (`write`: written), from the first one
 * on. Linux moves these, and fails only if there are none. */
uint64_t user_accessible(const struct machine *machine, uint64_t address, uint64_t length,
                         bool write);
/* Copies the guest's NUL-terminated string at `address`. Returns 0, -EFAULT, or -ENAMETOOLONG when
 * it has PATH_MAX bytes or more. */
int64_t user_copy_path(struct machine *machine, uint64_t address, char path[PATH_MAX]);

/* descriptor.c */
struct user_file *user_file(const struct machine *machine, uint64_t fd); /* NULL: not open */
/* The same, but NULL for one that was opened with O_PATH, too: it only names a place. */
struct user_file *user_usable_file(const struct machine *machine, uint64_t fd);
/* Returns the open file that the path names by its descriptor: /dev/fd/N, /proc/self/fd/N,
 * /dev/stdin and the like. NULL: it names none that is open. */
struct user_file *user_named_file(const struct machine *machine, const char *path);
/* Makes an open file that is empty but for its descriptor. Returns the descriptor, or a negative
 * error number. Of `flags`, only O_CLOEXEC matters. */
int64_t user_open_slot(struct user *user, uint64_t flags);
void user_close_slot(struct user *user, unsigned fd); /* does nothing when it is closed */
/* Ends one reference to an open file, and closes the file with the last one. */
void user_drop_file(struct user *user, struct user_file *file);
void user_close_all(struct user *user);
/* Makes `fd` refer to the file too, and closes what it referred to before. Returns `fd`. */
int64_t user_share_file(struct user *user, struct user_file *file, unsigned fd, bool close_on_exec);
/* The same for the lowest free descriptor that is not below `low`. EINVAL, EMFILE. */
int64_t user_share_from(struct user *user, struct user_file *file, uint64_t low,
                        bool close_on_exec);
user_call_function user_close, user_close_range, user_dup, user_dup3;

/* control.c */
user_call_function user_fcntl, user_flock, user_ioctl;

/* lock.c */
struct user_lock_request {
    bool is_of_flock;   /* by flock, else by fcntl */
    bool is_of_process; /* or else of the open file */
    bool unlocks, is_exclusive, waits;
    uint64_t start, end; /* bytes [start, end) */
};
/* Locks bytes of the file, or unlocks them. Returns 0, EAGAIN when another lock excludes it, or
 * another negative error number. */
int64_t user_set_lock(struct machine *machine, const struct user_file *file,
                      const struct user_lock_request *request);
/* Finds a lock that excludes the one of the request, which becomes that lock. *process: to which it
 * belongs; 0: to an open file. Returns false if there is none. */
bool user_find_lock(const struct machine *machine, const struct user_file *file,
                    struct user_lock_request *request, uint32_t *process);
/* A descriptor of the file was closed by the process, perhaps the last one. */
void user_end_locks(struct user *user, const struct user_file *file);

/* open.c */
user_call_function user_openat, user_memfd_create;
bool user_is_device(const char *path);
/* Returns the minor number of the device; its major number is that of memory devices, 1. */
unsigned user_device_minor(const char *path);
/* Returns the path of a device by its number, from 0; NULL after the last. */
const char *user_device_name(unsigned index);

/* system.c */
/* Is this the path of a file that tells something about the system? If so, and `text` is not NULL,
 * appends the contents. */
bool user_system_file(const struct machine *machine, const char *path, struct text *text);

/* files.c */
user_call_function user_read, user_write, user_readv, user_writev, user_pread64, user_pwrite64,
    user_preadv, user_pwritev, user_preadv2, user_pwritev2, user_ftruncate, user_lseek, user_fsync,
    user_sync_file_range, user_syncfs, user_fadvise64;
/* Reads or writes an open file. Returns the bytes moved, or a negative error number. The file must
 * be open for it. */
int64_t user_file_read(struct machine *machine, struct user_file *file, void *to, uint64_t length);
int64_t user_file_write(struct machine *machine, struct user_file *file, const void *from,
                        uint64_t length);

/* sendfile.c */
user_call_function user_sendfile, user_copy_file_range, user_splice;

/* pipe.c */
user_call_function user_pipe2;
/* Opens the FIFO of the descriptor, which has its file and flags, for reading or writing. Returns
 * the descriptor, or a negative error number, with which it closes it; or USER_WAITS. */
int64_t user_open_fifo(struct machine *machine, unsigned fd);
/* Goes on with the call of the running thread that waits for somebody to open the other end. */
int64_t user_open_fifo_again(struct machine *machine);
/* Ends what the threads of a process open. */
void user_end_openings(struct user *user);
int64_t user_pipe_read(struct machine *machine, struct user_file *file, void *to, uint64_t length);
int64_t user_pipe_write(struct machine *machine, struct user_file *file, const void *from,
                        uint64_t length);
unsigned user_pipe_events(const struct user_file *file); /* POLL… events that hold now */
uint64_t user_pipe_count(const struct user_file *file);  /* bytes that can be read */
unsigned *user_pipe_mode(const struct user_file *file);  /* permissions, of both ends */
uint64_t user_pipe_serial(const struct user_file *file); /* of both ends; no other pipe has it */
/* Counts the changes of the pipe that can make an end ready. */
uint64_t user_pipe_changes(const struct user_file *file);

/* event.c */
user_call_function user_eventfd2, user_epoll_create1, user_epoll_ctl, user_epoll_pwait,
    user_epoll_pwait2, user_timerfd_create, user_timerfd_settime, user_timerfd_gettime,
    user_signalfd4;
/* Returns what Linux calls such a file. */
const char *user_event_kind(const struct user_file *file);
/* Reads or writes an eventfd, or reads a timerfd or a signalfd. */
int64_t user_event_read(struct machine *machine, struct user_file *file, void *to, uint64_t length);
int64_t user_event_write(struct machine *machine, struct user_file *file, const void *from,
                         uint64_t length);

/* poll.c */
user_call_function user_ppoll, user_pselect6;
/* Returns the POLL… events of the file that hold now. */
unsigned user_ready_events(const struct machine *machine, const struct user_file *file);
/* Waits until `look` finds files that are ready. Returns their number, 0 at the deadline, or a
 * negative error number. The mask of the call is in effect meanwhile; 0: none. */
int64_t user_wait_ready(struct machine *machine, uint64_t deadline, uint64_t mask, uint64_t size,
                        int64_t (*look)(struct machine *machine, void *context), void *context);

/* directory.c */
user_call_function user_fstat, user_newfstatat, user_statx, user_faccessat, user_faccessat2,
    user_readlinkat, user_mkdirat, user_symlinkat, user_unlinkat, user_renameat2, user_chdir,
    user_fchdir, user_getcwd, user_getdents64;
/* Returns the permissions of a pipe or a socket, which have no path; NULL: it is another file. */
unsigned *user_unnamed_mode(const struct user_file *file);
int64_t user_directory_seek(struct user_file *file, uint64_t offset, uint64_t whence);

/* attributes.c */
user_call_function user_linkat, user_mknodat, user_fchmod, user_fchmodat, user_fchown,
    user_fchownat, user_utimensat, user_truncate, user_fallocate, user_statfs, user_fstatfs,
    user_setxattr, user_lsetxattr, user_fsetxattr, user_getxattr, user_lgetxattr, user_fgetxattr,
    user_listxattr, user_llistxattr, user_flistxattr;

/* memory.c */
user_call_function user_brk, user_mmap, user_munmap, user_mprotect, user_mremap, user_madvise,
    user_msync, user_mlock, user_mlock2, user_mlockall;
/* Names memory, with a name that nobody will see. EINVAL, ENOMEM. */
int64_t user_name_memory(struct machine *machine, uint64_t address, uint64_t length);

/* map_file.c */
enum user_mapping { USER_MAPS_COPY, USER_MAPS_FILE, USER_MAPS_ZEROS };
/* Finds out how a file can be mapped with these arguments of mmap. Returns enum user_mapping, or a
 * negative error number. */
int64_t user_check_mapping(const struct machine *machine, const uint64_t *arguments);
/* Fills new pages, which can be written, with the contents of the file as they are now. The rest
 * after the end of the file stays zero. A file of the host is read when the guest needs it, so that
 * a program with large libraries starts soon. */
void user_map_copy(struct machine *machine, uint64_t address, uint64_t length,
                   const uint64_t *arguments);
/* Makes new pages those of the file. Returns false if there can be
 * no more such mappings. */
bool user_map_file(struct machine *machine, uint64_t address, uint64_t length,
                   const uint64_t *arguments);

/* time.c */
user_call_function user_clock_gettime, user_clock_getres, user_gettimeofday, user_times,
    user_getrusage, user_getitimer, user_setitimer, user_nanosleep, user_clock_nanosleep;
/* Returns the nanoseconds since the program started: one for each instruction, and the time spent
 * sleeping. */
uint64_t user_time(const struct machine *machine);
/* Returns the nanoseconds since 1970: this is what clocks of dates show. */
uint64_t user_date(const struct machine *machine);
/* Is it a clock of dates? */
bool user_clock_is_date(uint64_t clock);
/* Returns the program's time at a date; 0 if that is before its start. */
uint64_t user_time_at(uint64_t date);
/* Reads a struct timespec as nanoseconds. Returns 0, or a negative error number. */
int64_t user_read_time(struct machine *machine, uint64_t address, uint64_t *nanoseconds);
/* Read and write struct `itimerspec`: the interval of a timer, and the time until it expires.
 * Return 0, or a negative error number. */
int64_t user_read_timer(struct machine *machine, uint64_t address, uint64_t *interval,
                        uint64_t *value);
int64_t user_put_timer(struct machine *machine, uint64_t address, uint64_t interval,
                       uint64_t value);
/* Writes what getrusage tells, of which temu knows the processor time. Returns false (EFAULT) when
 * it cannot be written. */
bool user_put_usage(struct machine *machine, uint64_t address, uint64_t executed);
/* Writes the time that is left until the deadline as a struct timespec. Returns false (EFAULT) when
 * it cannot be written. */
bool user_put_time_left(struct machine *machine, uint64_t address, uint64_t deadline);
#define USER_FOREVER UINT64_MAX
/* Advances the program's time, which stays below 2^63. */
void user_advance(struct machine *machine, uint64_t until);
/* Has the deadline passed? Every deadline has when the program has slept as long as it can. */
bool user_is_past(const struct machine *machine, uint64_t deadline);
/* Advances it to the signal of the real interval timer, if that comes before the deadline and any
 * thread wants it. Returns false if not. */
bool user_pass_alarm(struct machine *machine, uint64_t deadline);
/* Returns when the first timer expires that does not go by the executed instructions and whose
 * signal a thread takes; USER_FOREVER: none. */
uint64_t user_next_alarm(const struct machine *machine);
/* The same for the timers whose signals are in the set, whoever takes them. */
uint64_t user_next_timer(const struct machine *machine, uint64_t signals);
/* user_wait for the only thread: advances the program's time to the deadline, or until a signal is
 * to be delivered. Returns 0, or -EINTR; -EDEADLK when neither will ever come. */
int64_t user_wait_alone(struct machine *machine, uint64_t deadline);

/* privileges.c */
user_call_function user_capget, user_capset, user_prctl;

/* segment.c */
user_call_function user_shmget, user_shmctl, user_shmat, user_shmdt;
void user_free_segments(struct user_processes *processes); /* or NULL */

/* process.c */
user_call_function user_process_id, user_parent_id, user_getpgid, user_getsid, user_setpgid,
    user_setsid, user_user_id, user_user_ids, user_set_user_id, user_set_user_ids, user_set_all_ids,
    user_getgroups, user_zero, user_not_permitted, user_uname, user_getrandom, user_sysinfo,
    user_prlimit64, user_getrlimit, user_setrlimit, user_sched_getaffinity, user_sched_setaffinity,
    user_sched_setscheduler, user_sched_setparam, user_sched_getscheduler, user_sched_getparam,
    user_sched_priority_max, user_sched_priority_min, user_sched_interval, user_getpriority,
    user_setpriority, user_getcpu, user_umask, user_membarrier;
/* Reports a call that temu does not serve, by name and only the first time, and returns the error
 * with which it fails. */
enum user_refusal {
    REFUSED_FORK,
    REFUSED_VFORK,
    REFUSED_CLONE,
    REFUSED_EXECVE,
    REFUSED_SOCKET,
    REFUSED_MEMORY,
};
int64_t user_refuse(struct machine *machine, enum user_refusal refusal);
/* Fills `bytes` with the next random bytes, which are the same in each run. */
void user_random(struct machine *machine, void *bytes, uint64_t length);

/* siginfo_t */
struct guest_siginfo {
    int32_t signal, error, code, pad;
    union {
        struct {
            int32_t pid;
            uint32_t uid;
            uint64_t value;
        };
        uint64_t address;
    };
    uint64_t rest[12];
};
_Static_assert(sizeof(struct guest_siginfo) == 128, "siginfo_t");

/* socket.c */
user_call_function user_socket, user_socketpair, user_bind, user_listen, user_accept, user_accept4,
    user_connect, user_getsockname, user_getpeername, user_shutdown, user_setsockopt,
    user_getsockopt;
/* Counts the changes of the socket that can make it ready to receive. */
uint64_t user_socket_changes(const struct user_file *file);
uint64_t user_socket_count(const struct user_file *file); /* bytes that can be read */

/* message.c */
user_call_function user_sendto, user_recvfrom, user_sendmsg, user_recvmsg;
int64_t user_socket_read(struct machine *machine, const struct user_file *file, void *to,
                         uint64_t length);
int64_t user_socket_write(struct machine *machine, const struct user_file *file, const void *from,
                          uint64_t length);
/* The same with a vector of the guest. */
int64_t user_socket_vector(struct machine *machine, const struct user_file *file, uint64_t address,
                           uint64_t count, bool is_write);

/* wait.c */
user_call_function user_wait4, user_waitid;
/* Returns what siginfo says of a child with this status, as wait returns it. */
struct guest_siginfo user_child_info(const struct user_process *process, int status);

/* execve.c */
user_call_function user_execve, user_execveat;

/* clone.c */
user_call_function user_clone, user_clone3, user_exit, user_exit_group, user_gettid,
    user_set_tid_address;

/* turn.c */
user_call_function user_sched_yield;

/* futex.c */
user_call_function user_futex, user_set_robust_list, user_get_robust_list;

/* probe.c */
user_call_function user_riscv_hwprobe;

/* time.c, timer.c */
/* Returns the time of the timer's clock. */
uint64_t user_timer_clock(const struct machine *machine, unsigned timer);
user_call_function user_timer_create, user_timer_gettime, user_timer_settime, user_timer_getoverrun,
    user_timer_delete;

/* signal_send.c */
enum { GUEST_SIG_DFL = 0, GUEST_SIG_IGN = 1, GUEST_SA_NOCLDSTOP = 1 };
static inline uint64_t signal_bit(unsigned signal)
{
    return UINT64_C(1) << (signal - 1);
}
/* Returns the set of signals that cannot be blocked, handled or ignored. */
uint64_t user_unstoppable(void);
/* Removes a signal from those that are pending for the running thread. Returns its siginfo. */
struct guest_siginfo user_signal_take(struct machine *machine, unsigned signal);
/* Returns the set of signals that are pending for the running thread, or for the program. */
uint64_t user_signal_pending(const struct machine *machine);
user_call_function user_kill, user_tkill, user_tgkill, user_rt_sigaction, user_rt_sigprocmask,
    user_rt_sigpending, user_rt_sigreturn, user_sigaltstack;
enum { /* si_code */
       USER_SIGNAL_BY_USER = 0,
       USER_SIGNAL_BY_QUEUE = -1,
       USER_SIGNAL_BY_TIMER = -2,
       USER_SIGNAL_BY_TKILL = -6,
       USER_SIGNAL_BY_KERNEL = 0x80,
};
/* Makes the signal (1 to 64) pending for the program, unless it is ignored. */
void user_signal_send(struct machine *machine, unsigned signal, int code);
/* The same for a thread (NULL: the program), with what the handler is told. Returns 1; 0 if the
 * signal is ignored, or is not a real-time signal and is pending already; or -EAGAIN if too many
 * signals are pending. */
int user_signal_send_to(struct machine *machine, struct user_thread *thread,
                        const struct user_sent_signal *sent);
/* Does the process not want to know of the end of its children? */
bool user_signal_ignores_children(const struct user_signals *signals);
/* No signal has a handler any more. */
void user_signal_reset(struct user_signals *signals);
/* Would a thread take the signal if it were sent to the program? */
bool user_signal_is_wanted(const struct machine *machine, unsigned signal);
bool user_signal_is_ignored(const struct machine *machine, unsigned signal);
/* Removes a signal from all that are pending. Timers may send it again. */
void user_signal_drop(struct user *user, unsigned signal);
/* Does the signal stop the process? */
bool user_signal_stops(const struct user_signals *signals, unsigned signal);
/* The signal is delivered, and stops the process. */
void user_stop_process(struct machine *machine, unsigned signal);
/* Calls the handlers of all signals that are pending for the running thread and not blocked. A
 * signal without a handler that ends a process ends the program and sets machine->user.signal.
 * Stops at a signal that a debugger sees first (user_signal_is_held). */
void user_signal_deliver(struct machine *machine);
/* Is there a signal to deliver? And does its handler want an interrupted call to be made again
 * (SA_RESTART)? */
bool user_signal_is_ready(const struct machine *machine);
bool user_signal_restarts(const struct machine *machine);

/* Reads pc and x1 to x31 to which a handler with its frame at `address` will return, for a
 * backtrace. Returns false when they cannot be read. */
bool user_signal_frame(const struct machine *machine, uint64_t address, uint64_t *pc,
                       uint64_t x[32]);

/* signal_wait.c */
user_call_function user_rt_sigsuspend, user_rt_sigtimedwait, user_rt_sigqueueinfo,
    user_rt_tgsigqueueinfo;
/* Blocks the signals of the mask at `address` for the time of a call. user_call restores the mask
 * with user_signal_unmask after signals were delivered; the frame of a handler has the old mask
 * already. Returns 0, or a negative error number. */
int64_t user_signal_mask_while(struct machine *machine, uint64_t address, uint64_t size);
void user_signal_unmask(struct machine *machine);

#endif
