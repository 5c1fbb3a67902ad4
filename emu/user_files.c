/* The user environment's descriptors: the standard streams, and regular files and directories under
 * the --root directory (user_path.h). A descriptor is a slot that refers to an open file; several
 * may share one, and with it the offset. */
#include "emu/trace.h"
#include "emu/user_calls.h"
#include "emu/user_path.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Values of Linux's generic ABI. */
enum {
    IO_VECTORS = 1024,       /* UIO_MAXIOV */
    IO_MAXIMUM = 0x7ffff000, /* bytes that one call moves at most */
    GUEST_O_APPEND = 02000,
    GUEST_O_NONBLOCK = 04000,
    GUEST_O_CLOEXEC = 02000000,
    GUEST_F_DUPFD = 0,
    GUEST_F_GETFD = 1,
    GUEST_F_SETFD = 2,
    GUEST_F_GETFL = 3,
    GUEST_F_SETFL = 4,
    GUEST_F_DUPFD_CLOEXEC = 1030,
};

struct user_file *user_file(const struct machine *machine, uint64_t fd)
{
    return fd < USER_FILES ? machine->user.files[fd] : NULL;
}

static int host_file(const struct machine *machine, uint64_t fd)
{
    const struct user_file *file = user_file(machine, fd);

    return file ? file->host : -1;
}

/* ---- reading and writing ---- */

/* Waits until the file can be read or written. False when an interruption came first. */
static bool wait_until_ready(struct machine *machine, int fd, short events)
{
    if (!machine->deadline && !machine->watcher)
        return true;
    for (;;) {
        struct pollfd poll_fd = {.fd = fd, .events = events};
        if (poll(&poll_fd, 1, 50) != 0)
            return true;
        if (machine_interrupted(machine))
            return false;
    }
}

/* Standard input is read until the count is reached or it ends, so that how a pipe happens to be
 * filled does not show; a terminal gives what was typed. */
static int64_t read_file(struct machine *machine, uint64_t fd, uint64_t address, uint64_t length)
{
    const int file = host_file(machine, fd);
    uint64_t done = 0;

    if (file < 0)
        return -EBADF;
    if (length > IO_MAXIMUM)
        length = IO_MAXIMUM;
    unsigned char *host = memory_range(&machine->memory, address, length, true);
    if (!host)
        return -EFAULT;
    while (done < length) {
        if (!wait_until_ready(machine, file, POLLIN)) {
            if (done == 0)
                return -ERESTART;
            break;
        }
        ssize_t got = read(file, host + done, length - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && done == 0)
            return -errno;
        if (got <= 0)
            break;
        done += got;
        if (isatty(file))
            break;
    }
    port_record_write(&machine->port, address, done, host);
    return done;
}

static int64_t write_file(struct machine *machine, uint64_t fd, uint64_t address, uint64_t length)
{
    const int file = host_file(machine, fd);
    uint64_t done = 0;

    if (file < 0)
        return -EBADF;
    if (length > IO_MAXIMUM)
        length = IO_MAXIMUM;
    const unsigned char *host = memory_range(&machine->memory, address, length, false);
    if (!host)
        return -EFAULT;
    if (machine->trace)
        trace_flush(machine->trace);
    while (done < length) {
        if (!wait_until_ready(machine, file, POLLOUT)) {
            if (done == 0)
                return -ERESTART;
            break;
        }
        /* A pipe that can be written takes this much without blocking. */
        const uint64_t left = length - done;
        const uint64_t chunk =
            (machine->deadline || machine->watcher) && left > PIPE_BUF ? PIPE_BUF : left;
        ssize_t put = write(file, host + done, chunk);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EPIPE) {
            user_signal_send(machine, SIGPIPE, USER_SIGNAL_BY_USER);
            return -EPIPE;
        }
        if (put < 0 && done == 0)
            return -errno;
        if (put <= 0)
            break;
        done += put;
    }
    port_record_read(&machine->port, address, done);
    return done;
}

int64_t user_read(struct machine *machine, const uint64_t *arguments)
{
    return read_file(machine, arguments[0], arguments[1], arguments[2]);
}

int64_t user_write(struct machine *machine, const uint64_t *arguments)
{
    return write_file(machine, arguments[0], arguments[1], arguments[2]);
}

static int64_t each_vector(struct machine *machine, const uint64_t *arguments,
                           int64_t (*move)(struct machine *, uint64_t, uint64_t, uint64_t))
{
    int64_t total = 0;

    if (host_file(machine, arguments[0]) < 0)
        return -EBADF;
    if (arguments[2] > IO_VECTORS)
        return -EINVAL;
    for (uint64_t i = 0; i < arguments[2]; i++) {
        struct {
            uint64_t base, length;
        } vector;
        const void *host =
            memory_range(&machine->memory, arguments[1] + i * sizeof vector, sizeof vector, false);
        if (!host)
            return total ? total : -EFAULT;
        memcpy(&vector, host, sizeof vector);
        int64_t moved = move(machine, arguments[0], vector.base, vector.length);
        if (moved < 0)
            return total ? total : moved;
        total += moved;
        if ((uint64_t)moved < vector.length)
            break;
    }
    return total;
}

int64_t user_readv(struct machine *machine, const uint64_t *arguments)
{
    return each_vector(machine, arguments, read_file);
}

int64_t user_writev(struct machine *machine, const uint64_t *arguments)
{
    return each_vector(machine, arguments, write_file);
}

/* At a place of its own, which leaves the offset alone. */
static int64_t move_at(struct machine *machine, const uint64_t *arguments, bool write)
{
    const struct user_file *file = user_file(machine, arguments[0]);
    const uint64_t length = arguments[2] < IO_MAXIMUM ? arguments[2] : IO_MAXIMUM;

    if (!file)
        return -EBADF;
    if ((int64_t)arguments[3] < 0)
        return -EINVAL;
    if (file->is_stream)
        return -ESPIPE;
    unsigned char *host = memory_range(&machine->memory, arguments[1], length, !write);
    if (!host)
        return -EFAULT;
    const ssize_t moved = write ? pwrite(file->host, host, length, arguments[3])
                                : pread(file->host, host, length, arguments[3]);
    if (moved < 0)
        return -errno;
    if (write)
        port_record_read(&machine->port, arguments[1], moved);
    else
        port_record_write(&machine->port, arguments[1], moved, host);
    return moved;
}

int64_t user_pread64(struct machine *machine, const uint64_t *arguments)
{
    return move_at(machine, arguments, false);
}

int64_t user_pwrite64(struct machine *machine, const uint64_t *arguments)
{
    return move_at(machine, arguments, true);
}

int64_t user_ftruncate(struct machine *machine, const uint64_t *arguments)
{
    const struct user_file *file = user_file(machine, arguments[0]);

    if (!file)
        return -EBADF;
    if (file->is_stream || (int64_t)arguments[1] < 0)
        return -EINVAL;
    return ftruncate(file->host, arguments[1]) < 0 ? -errno : 0;
}

int64_t user_lseek(struct machine *machine, const uint64_t *arguments)
{
    struct user_file *file = user_file(machine, arguments[0]);

    if (!file)
        return -EBADF;
    if (file->is_stream)
        return -ESPIPE;
    if (file->is_directory)
        return user_directory_seek(file, arguments[1], arguments[2]);
    const off_t offset = lseek(file->host, arguments[1], (int)arguments[2]);
    return offset < 0 ? -errno : offset;
}

/* ---- descriptors ---- */

/* The lowest free descriptor from `low` on; USER_FILES when all are taken. */
static unsigned free_descriptor(const struct user *user, uint64_t low)
{
    unsigned fd = low < USER_FILES ? low : USER_FILES;

    while (fd < USER_FILES && user->files[fd])
        fd++;
    return fd;
}

static void release(struct user *user, unsigned fd)
{
    struct user_file *file = user->files[fd];

    user->files[fd] = NULL;
    if (!file || --file->references > 0 || file->is_stream)
        return;
    close(file->host);
    user_directory_forget(file);
    free(file->path);
    free(file);
}

void user_close_all(struct user *user)
{
    for (unsigned fd = 0; fd < USER_FILES; fd++)
        release(user, fd);
}

int64_t user_close(struct machine *machine, const uint64_t *arguments)
{
    if (!user_file(machine, arguments[0]))
        return -EBADF;
    release(&machine->user, arguments[0]);
    return 0;
}

/* A second descriptor for an open file. */
static int64_t share(struct user *user, struct user_file *file, unsigned fd, bool close_on_exec)
{
    file->references++;
    release(user, fd);
    user->files[fd] = file;
    user->close_on_exec[fd] = close_on_exec;
    return fd;
}

static int64_t share_from(struct user *user, struct user_file *file, uint64_t low,
                          bool close_on_exec)
{
    const unsigned fd = free_descriptor(user, low);

    if (low >= USER_FILES)
        return -EINVAL;
    return fd < USER_FILES ? share(user, file, fd, close_on_exec) : -EMFILE;
}

int64_t user_dup(struct machine *machine, const uint64_t *arguments)
{
    struct user_file *file = user_file(machine, arguments[0]);

    return file ? share_from(&machine->user, file, 0, false) : -EBADF;
}

int64_t user_dup3(struct machine *machine, const uint64_t *arguments)
{
    struct user_file *file = user_file(machine, arguments[0]);

    if (arguments[2] & ~(uint64_t)GUEST_O_CLOEXEC || arguments[0] == arguments[1])
        return -EINVAL;
    if (!file || arguments[1] >= USER_FILES)
        return -EBADF;
    return share(&machine->user, file, arguments[1], arguments[2]);
}

/* The host's streams are shared with other processes: their flags are only remembered. */
static int64_t set_status_flags(struct user_file *file, uint64_t flags)
{
    const unsigned settable = GUEST_O_APPEND | GUEST_O_NONBLOCK;

    if (!file->is_stream &&
        fcntl(file->host, F_SETFL, O_NONBLOCK | (flags & GUEST_O_APPEND ? O_APPEND : 0)) < 0)
        return -errno;
    file->flags = (file->flags & ~settable) | (flags & settable);
    return 0;
}

int64_t user_fcntl(struct machine *machine, const uint64_t *arguments)
{
    struct user *user = &machine->user;
    struct user_file *file = user_file(machine, arguments[0]);

    if (!file)
        return -EBADF;
    switch (arguments[1]) {
    case GUEST_F_DUPFD:
        return share_from(user, file, arguments[2], false);
    case GUEST_F_DUPFD_CLOEXEC:
        return share_from(user, file, arguments[2], true);
    case GUEST_F_GETFD:
        return user->close_on_exec[arguments[0]];
    case GUEST_F_SETFD:
        user->close_on_exec[arguments[0]] = arguments[2] & 1;
        return 0;
    case GUEST_F_GETFL:
        return file->flags;
    case GUEST_F_SETFL:
        return set_status_flags(file, arguments[2]);
    default:
        return -EINVAL;
    }
}

int64_t user_ioctl(struct machine *machine, const uint64_t *arguments)
{
    return user_file(machine, arguments[0]) ? -ENOTTY : -EBADF;
}

int64_t user_fsync(struct machine *machine, const uint64_t *arguments)
{
    return user_file(machine, arguments[0]) ? 0 : -EBADF;
}

/* ---- opening ---- */

/* Flags of the generic ABI to those of the host. */
static int open_flags(uint64_t guest)
{
    static const struct {
        uint32_t guest;
        int host;
    } flags[] = {
        {1, O_WRONLY},    {2, O_RDWR},       {0100, O_CREAT},        {0200, O_EXCL},
        {01000, O_TRUNC}, {02000, O_APPEND}, {0200000, O_DIRECTORY}, {0400000, O_NOFOLLOW},
    };
    int host = 0;

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (guest & flags[i].guest)
            host |= flags[i].host;
    return host;
}

/* Only regular files and directories are opened. */
static int64_t open_last(const struct path_walk *walk, int flags, mode_t mode, bool *is_directory)
{
    struct stat status;
    const int file = openat(path_directory(walk), path_name(walk),
                            flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, mode);

    if (file < 0)
        return -errno;
    if (fstat(file, &status) < 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) {
        close(file);
        return -EACCES;
    }
    *is_directory = S_ISDIR(status.st_mode);
    return file;
}

static struct user_file *new_file(const char *path, int host, bool is_directory, unsigned flags)
{
    struct user_file *file = calloc(1, sizeof *file);

    if (file)
        *file = (struct user_file){
            .host = host,
            .references = 1,
            .flags = flags,
            .is_directory = is_directory,
            .path = strdup(path),
        };
    if (file && file->path)
        return file;
    free(file);
    return NULL;
}

static int64_t open_file(struct machine *machine, const struct path_walk *walk, unsigned fd,
                         const uint64_t *arguments)
{
    enum { CREATION_FLAGS = 0100 | 0200 | 01000 | GUEST_O_CLOEXEC };
    struct user *user = &machine->user;
    char path[PATH_MAX];
    bool is_directory = false;

    if (!path_canonical(walk, path))
        return -ENAMETOOLONG;
    const int64_t host = open_last(walk, open_flags(arguments[2]),
                                   arguments[3] & 0777 & ~user->creation_mask, &is_directory);
    if (host < 0)
        return host;
    user->files[fd] = new_file(path, host, is_directory, (uint32_t)arguments[2] & ~CREATION_FLAGS);
    if (!user->files[fd]) {
        close(host);
        return -ENOMEM;
    }
    user->close_on_exec[fd] = arguments[2] & GUEST_O_CLOEXEC;
    return fd;
}

int64_t user_openat(struct machine *machine, const uint64_t *arguments)
{
    const unsigned fd = free_descriptor(&machine->user, 0);
    const bool follow = !(open_flags(arguments[2]) & O_NOFOLLOW);
    struct path_walk walk;

    int64_t result = path_walk(machine, &walk, arguments[0], arguments[1], follow);
    if (result == 0)
        result = fd < USER_FILES ? open_file(machine, &walk, fd, arguments) : -EMFILE;
    path_end(&walk);
    return result;
}
