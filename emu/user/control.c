/* The user environment's calls that ask or change how an open file behaves: fcntl, flock and ioctl.
 */
#include "emu/user/storage.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Values of Linux's generic ABI. */
enum {
    GUEST_F_DUPFD = 0,
    GUEST_F_GETFD = 1,
    GUEST_F_SETFD = 2,
    GUEST_F_GETFL = 3,
    GUEST_F_SETFL = 4,
    GUEST_F_GETLK = 5,
    GUEST_F_SETLK = 6,
    GUEST_F_SETLKW = 7,
    GUEST_F_OFD_GETLK = 36,
    GUEST_F_OFD_SETLK = 37,
    GUEST_F_OFD_SETLKW = 38,
    GUEST_F_DUPFD_CLOEXEC = 1030,
    GUEST_FIONREAD = 0x541b,
    GUEST_FIONBIO = 0x5421,
    GUEST_FIONCLEX = 0x5450,
    GUEST_FIOCLEX = 0x5451,
};

/* ---- flags and locks ---- */

/* The host's standard streams are shared with other processes, so their flags are kept here and not
 * set on the host. */
static int64_t set_status_flags(struct user_file *file, uint64_t flags)
{
    unsigned settable = GUEST_O_APPEND | GUEST_O_NONBLOCK;

    if (!file->is_stream && !file->pipe && file->host >= 0 &&
        fcntl(file->host, F_SETFL, O_NONBLOCK | (flags & GUEST_O_APPEND ? O_APPEND : 0)) < 0)
        return -errno;
    file->flags = (file->flags & ~settable) | (flags & settable);
    return 0;
}

/* struct flock of 64-bit machines. */
struct guest_lock {
    uint16_t type, whence;
    uint32_t pad;
    int64_t start, length;
    int32_t pid, pad2;
};
enum { READ_LOCK = 0, WRITE_LOCK = 1, UNLOCK = 2 };

/* Finds the bytes that a lock is wanted for. A negative length means those before the start, 0 all
 * from there on. Returns 0, or a negative error number. */
static int64_t find_range(struct user_file *file, const struct guest_lock *lock,
                          struct user_lock_request *request)
{
    struct file_facts facts = {0};
    int64_t start = lock->start, length = lock->length, from = 0;

    if (lock->whence == SEEK_CUR)
        from = storage_has(file) ? storage_seek(file, 0, SEEK_CUR) : 0;
    if (lock->whence == SEEK_END && storage_has(file) && storage_file_facts(file, &facts) == 0)
        from = (int64_t)facts.size;
    if (from < 0 || __builtin_add_overflow(from, start, &start) || start < 0)
        return -EINVAL;
    if (length < 0 && start + length < 0)
        return -EINVAL;
    request->start = (uint64_t)(length < 0 ? start + length : start);
    request->end =
        length == 0 ? UINT64_MAX : request->start + (uint64_t)(length < 0 ? -length : length);
    return 0;
}

/* Tells of the lock that excludes the wanted one. */
static void tell_lock(const struct machine *machine, const struct user_file *file,
                      struct user_lock_request *request, struct guest_lock *lock)
{
    uint32_t process;

    lock->type = UNLOCK;
    if (!user_find_lock(machine, file, request, &process))
        return;
    lock->type = request->is_exclusive ? WRITE_LOCK : READ_LOCK;
    lock->whence = SEEK_SET;
    lock->start = (int64_t)request->start;
    lock->length = request->end == UINT64_MAX ? 0 : (int64_t)(request->end - request->start);
    lock->pid = process ? (int32_t)process : -1;
}

/* Serves the lock commands of fcntl. */
static int64_t lock_range(struct machine *machine, struct user_file *file, uint64_t command,
                          uint64_t address)
{
    bool is_question = command == GUEST_F_GETLK || command == GUEST_F_OFD_GETLK;
    unsigned access = file->flags & GUEST_O_ACCMODE;
    struct guest_lock lock;

    if (!user_copy_in(machine, &lock, address, sizeof lock))
        return -EFAULT;
    if (lock.type > UNLOCK || lock.whence > SEEK_END || (is_question && lock.type == UNLOCK) ||
        (command >= GUEST_F_OFD_GETLK && lock.pid != 0))
        return -EINVAL;
    struct user_lock_request request = {
        .is_of_process = command < GUEST_F_OFD_GETLK,
        .unlocks = lock.type == UNLOCK,
        .is_exclusive = lock.type == WRITE_LOCK,
        .waits = command == GUEST_F_SETLKW || command == GUEST_F_OFD_SETLKW,
    };
    int64_t error = find_range(file, &lock, &request);
    if (error)
        return error;
    if (is_question) {
        tell_lock(machine, file, &request, &lock);
        return user_copy_out(machine, address, &lock, sizeof lock) ? 0 : -EFAULT;
    }
    if ((lock.type == READ_LOCK && access == GUEST_O_WRONLY) ||
        (lock.type == WRITE_LOCK && access == GUEST_O_RDONLY))
        return -EBADF;
    return user_set_lock(machine, file, &request);
}

/* Serves the commands of fcntl that need more than a descriptor. */
static int64_t control_file(struct machine *machine, struct user_file *file,
                            const uint64_t *arguments)
{
    switch ((uint32_t)arguments[1]) {
    case GUEST_F_SETFL:
        return set_status_flags(file, arguments[2]);
    case GUEST_F_GETLK:
    case GUEST_F_SETLK:
    case GUEST_F_SETLKW:
    case GUEST_F_OFD_GETLK:
    case GUEST_F_OFD_SETLK:
    case GUEST_F_OFD_SETLKW:
        return lock_range(machine, file, (uint32_t)arguments[1], arguments[2]);
    default:
        return -EINVAL;
    }
}

int64_t user_fcntl(struct machine *machine, const uint64_t *arguments)
{
    struct user *user = &machine->user;
    uint32_t fd = arguments[0];
    struct user_file *file = user_file(machine, fd);

    if (!file)
        return -EBADF;
    switch ((uint32_t)arguments[1]) {
    case GUEST_F_DUPFD:
        return user_share_from(user, file, arguments[2], false);
    case GUEST_F_DUPFD_CLOEXEC:
        return user_share_from(user, file, arguments[2], true);
    case GUEST_F_GETFD:
        return user->close_on_exec[fd];
    case GUEST_F_SETFD:
        user->close_on_exec[fd] = arguments[2] & 1;
        return 0;
    case GUEST_F_GETFL:
        return file->flags;
    default:
        return file->flags & GUEST_O_PATH ? -EBADF : control_file(machine, file, arguments);
    }
}

int64_t user_flock(struct machine *machine, const uint64_t *arguments)
{
    enum { SHARED = 1, EXCLUSIVE = 2, NO_WAIT = 4, RELEASE = 8 };
    uint64_t operation = (uint32_t)arguments[1] & ~NO_WAIT;
    const struct user_file *file = user_usable_file(machine, arguments[0]);
    const struct user_lock_request request = {
        .is_of_flock = true,
        .unlocks = operation == RELEASE,
        .is_exclusive = operation == EXCLUSIVE,
        .waits = !(arguments[1] & NO_WAIT),
        .end = UINT64_MAX,
    };

    if (operation != SHARED && operation != EXCLUSIVE && operation != RELEASE)
        return -EINVAL;
    return file ? user_set_lock(machine, file, &request) : -EBADF;
}

/* ---- ioctl ---- */

/* Writes to `address` how many bytes can be read: those in a pipe, or those up to the end of a
 * file. */
static int64_t put_readable(struct machine *machine, struct user_file *file, uint64_t address)
{
    struct file_facts facts;
    int32_t count;

    if (file->pipe)
        count = user_pipe_count(file);
    else if (file->socket)
        count = (int32_t)user_socket_count(file);
    else if (storage_has(file) && !file->is_directory && storage_file_facts(file, &facts) == 0)
        count = (int32_t)(facts.size - (uint64_t)storage_seek(file, 0, SEEK_CUR));
    else
        return -ENOTTY;
    return user_copy_out(machine, address, &count, sizeof count) ? 0 : -EFAULT;
}

/* Requests about terminals fail with ENOTTY, because no stream is a terminal. */
int64_t user_ioctl(struct machine *machine, const uint64_t *arguments)
{
    uint32_t fd = arguments[0];
    struct user_file *file = user_usable_file(machine, fd);
    int32_t on;

    if (!file)
        return -EBADF;
    switch ((uint32_t)arguments[1]) {
    case GUEST_FIOCLEX:
    case GUEST_FIONCLEX:
        machine->user.close_on_exec[fd] = (uint32_t)arguments[1] == GUEST_FIOCLEX;
        return 0;
    case GUEST_FIONBIO:
        if (!user_copy_in(machine, &on, arguments[2], sizeof on))
            return -EFAULT;
        return set_status_flags(file, on ? file->flags | GUEST_O_NONBLOCK
                                         : file->flags & ~GUEST_O_NONBLOCK);
    case GUEST_FIONREAD:
        return put_readable(machine, file, arguments[2]);
    default:
        return -ENOTTY;
    }
}
