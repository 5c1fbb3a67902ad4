/* The user environment's files: the standard streams, and what lies under the --root directory.
 *
 * A path is resolved here, one component at a time, each opened beneath the one before and never
 * through a symbolic link of the host's making: links are read and followed by us, inside the root.
 * `..` goes back along the directories that were opened and stops at the root. So neither a link
 * nor a race leads out. Only regular files and directories are opened. */
#include "emu/trace.h"
#include "emu/user_calls.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    GUEST_AT_FDCWD = -100,
    GUEST_AT_SYMLINK_NOFOLLOW = 0x100,
    GUEST_AT_EMPTY_PATH = 0x1000,
    IO_VECTORS = 1024,       /* UIO_MAXIOV */
    IO_MAXIMUM = 0x7ffff000, /* bytes that one call moves at most, as in Linux */
    DEPTH_MAXIMUM = 64,      /* directories below the root */
    LINKS_MAXIMUM = 40,      /* as in Linux */
    STANDARD_STREAMS = 3,
};

static int host_file(const struct machine *machine, uint64_t fd)
{
    return fd < USER_FILES ? machine->user.files[fd] : -1;
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
        const uint64_t chunk = (machine->deadline || machine->watcher) && left > PIPE_BUF ? PIPE_BUF : left;
        ssize_t put = write(file, host + done, chunk);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EPIPE) {
            machine->user.signal = SIGPIPE;
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

/* ---- paths ---- */

struct walk {
    int directories[DEPTH_MAXIMUM]; /* [0] is the root; the others are ours to close */
    int depth;
    int links;
    char rest[2 * PATH_MAX]; /* what is left of the path */
    char name[NAME_MAX + 1]; /* component at hand; empty: the directory itself */
};

static void walk_up(struct walk *walk)
{
    if (walk->depth > 0)
        close(walk->directories[walk->depth--]);
}

static void walk_end(struct walk *walk)
{
    while (walk->depth > 0)
        walk_up(walk);
}

/* Takes the next component from the rest. 0, or an error number. */
static int next_component(struct walk *walk)
{
    const char *start = walk->rest + strspn(walk->rest, "/");
    const size_t length = strcspn(start, "/");

    if (length > NAME_MAX)
        return ENAMETOOLONG;
    memcpy(walk->name, start, length);
    walk->name[length] = '\0';
    memmove(walk->rest, start + length, strlen(start + length) + 1);
    return 0;
}

static bool is_last(const struct walk *walk)
{
    return walk->rest[strspn(walk->rest, "/")] == '\0';
}

/* The component at hand is a symbolic link: put what it says in front of the rest. */
static int follow_link(struct walk *walk)
{
    char target[PATH_MAX], rest[2 * PATH_MAX];
    const ssize_t length =
        readlinkat(walk->directories[walk->depth], walk->name, target, sizeof target - 1);

    if (length < 0)
        return errno;
    target[length] = '\0';
    if (++walk->links > LINKS_MAXIMUM)
        return ELOOP;
    if (target[0] == '/')
        walk_end(walk);
    if ((size_t)snprintf(rest, sizeof rest, "%s/%s", target, walk->rest) >= sizeof rest)
        return ENAMETOOLONG;
    memcpy(walk->rest, rest, strlen(rest) + 1);
    walk->name[0] = '\0';
    return 0;
}

static bool is_link(const struct walk *walk)
{
    struct stat status;

    return fstatat(walk->directories[walk->depth], walk->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISLNK(status.st_mode);
}

/* Goes along the path up to its last component, which stays in walk->name, to be opened beneath the
 * last directory. */
static int walk_path(struct walk *walk, int root, const char *path, bool follow_last)
{
    walk->directories[0] = root;
    if ((size_t)snprintf(walk->rest, sizeof walk->rest, "%s", path) >= PATH_MAX)
        return ENAMETOOLONG;
    for (;;) {
        int error = next_component(walk);
        if (error)
            return error;
        if (walk->name[0] == '\0')
            return 0;
        if (strcmp(walk->name, ".") == 0 || strcmp(walk->name, "..") == 0) {
            if (walk->name[1])
                walk_up(walk);
            walk->name[0] = '\0';
        } else if (is_link(walk) && (follow_last || !is_last(walk))) {
            error = follow_link(walk);
            if (error)
                return error;
        } else if (is_last(walk)) {
            return 0;
        } else {
            if (walk->depth + 1 == DEPTH_MAXIMUM)
                return ENAMETOOLONG;
            int directory = openat(walk->directories[walk->depth], walk->name,
                                   O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (directory < 0)
                return errno;
            walk->directories[++walk->depth] = directory;
        }
    }
}

/* Opens a path beneath the root. A host descriptor, or a negative error number. */
static int open_beneath(const struct user *user, const char *path, int flags, mode_t mode)
{
    struct walk walk = {.depth = 0};
    struct stat status;

    if (user->root < 0)
        return -ENOENT;
    if (path[0] == '\0')
        return -ENOENT;
    int error = walk_path(&walk, user->root, path, !(flags & O_NOFOLLOW));
    int file = -1;
    if (!error) {
        file = openat(walk.directories[walk.depth], walk.name[0] ? walk.name : ".",
                      flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, mode);
        error = file < 0 ? errno : 0;
    }
    walk_end(&walk);
    if (error)
        return -error;
    if (fstat(file, &status) < 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) {
        close(file);
        return -EACCES;
    }
    return file;
}

/* The guest's string, NUL-terminated, as the host sees it; 0 or an error number. */
static int guest_path(struct machine *machine, uint64_t address, char path[PATH_MAX])
{
    for (size_t i = 0; i < PATH_MAX; i++) {
        const char *byte = memory_range(&machine->memory, address + i, 1, false);
        if (!byte)
            return EFAULT;
        path[i] = *byte;
        if (!path[i])
            return 0;
    }
    return ENAMETOOLONG;
}

/* A relative path is taken from the root, which is the working directory. Descriptors of
 * directories are not supported as a start. */
static int check_start(const struct machine *machine, uint64_t directory, const char *path)
{
    if ((int32_t)directory == GUEST_AT_FDCWD || path[0] == '/')
        return 0;
    return host_file(machine, (uint32_t)directory) < 0 ? EBADF : ENOTDIR;
}

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

int64_t user_openat(struct machine *machine, const uint64_t *arguments)
{
    struct user *user = &machine->user;
    char path[PATH_MAX];
    int error = guest_path(machine, arguments[1], path);
    unsigned fd = 0;

    if (!error)
        error = check_start(machine, arguments[0], path);
    if (error)
        return -error;
    while (fd < USER_FILES && user->files[fd] >= 0)
        fd++;
    if (fd == USER_FILES)
        return -EMFILE;
    int file = open_beneath(user, path, open_flags(arguments[2]), arguments[3] & 0777);
    if (file < 0)
        return file;
    user->files[fd] = file;
    return fd;
}

int64_t user_close(struct machine *machine, const uint64_t *arguments)
{
    const int file = host_file(machine, arguments[0]);

    if (file < 0)
        return -EBADF;
    machine->user.files[arguments[0]] = -1;
    if (file >= STANDARD_STREAMS)
        close(file);
    return 0;
}

int64_t user_lseek(struct machine *machine, const uint64_t *arguments)
{
    const int file = host_file(machine, arguments[0]);

    if (file < 0)
        return -EBADF;
    if (file < STANDARD_STREAMS)
        return -ESPIPE;
    const off_t offset = lseek(file, arguments[1], (int)arguments[2]);
    return offset < 0 ? -errno : offset;
}

int64_t user_ioctl(struct machine *machine, const uint64_t *arguments)
{
    return host_file(machine, arguments[0]) < 0 ? -EBADF : -ENOTTY;
}

int64_t user_getcwd(struct machine *machine, const uint64_t *arguments)
{
    if (machine->user.root < 0)
        return -ENOENT;
    if (arguments[1] < 2)
        return -ERANGE;
    return user_copy_out(machine, arguments[0], "/", 2) ? 2 : -EFAULT;
}

/* ---- status ---- */

/* struct stat of the generic ABI for 64-bit machines. */
struct guest_stat {
    uint64_t st_dev, st_ino;
    uint32_t st_mode, st_nlink, st_uid, st_gid;
    uint64_t st_rdev, pad1;
    int64_t st_size;
    int32_t st_blksize, pad2;
    int64_t st_blocks;
    uint64_t times[6];
    uint32_t unused[2];
};
_Static_assert(sizeof(struct guest_stat) == 128, "struct stat of the generic ABI");

/* What does not depend on the host: no inode, device, owner or time. */
static int64_t put_status(struct machine *machine, int file, uint64_t address)
{
    struct guest_stat guest = {.st_ino = 1, .st_nlink = 1, .st_blksize = MEMORY_PAGE};
    struct stat status;

    if (file < STANDARD_STREAMS) {
        guest.st_mode = S_IFCHR | 0620;
    } else {
        if (fstat(file, &status) < 0)
            return -errno;
        guest.st_mode = status.st_mode & (S_IFMT | 0777);
        guest.st_size = S_ISDIR(status.st_mode) ? (int64_t)MEMORY_PAGE : status.st_size;
        guest.st_blocks = (guest.st_size + 511) / 512;
    }
    return user_copy_out(machine, address, &guest, sizeof guest) ? 0 : -EFAULT;
}

int64_t user_fstat(struct machine *machine, const uint64_t *arguments)
{
    const int file = host_file(machine, arguments[0]);

    return file < 0 ? -EBADF : put_status(machine, file, arguments[1]);
}

int64_t user_newfstatat(struct machine *machine, const uint64_t *arguments)
{
    char path[PATH_MAX];
    int error = guest_path(machine, arguments[1], path);

    if (!error && path[0] == '\0' && arguments[3] & GUEST_AT_EMPTY_PATH)
        return user_fstat(machine, (const uint64_t[]){arguments[0], arguments[2]});
    if (!error)
        error = check_start(machine, arguments[0], path);
    if (error)
        return -error;
    const bool nofollow = arguments[3] & GUEST_AT_SYMLINK_NOFOLLOW;
    int file = open_beneath(&machine->user, path, O_RDONLY | (nofollow ? O_NOFOLLOW : 0), 0);
    if (file < 0)
        return file;
    int64_t result = put_status(machine, file, arguments[2]);
    close(file);
    return result;
}
