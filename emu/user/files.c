/* The user environment's calls that read and write: standard streams, regular files (open.c), pipes
 * (pipe.c) and devices. */
#include "emu/progress.h"
#include "emu/trace/trace.h"
#include "emu/user/storage.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    IO_VECTORS = 1024,       /* UIO_MAXIOV */
    IO_MAXIMUM = 0x7ffff000, /* bytes that one call moves at most */
};

/* ---- streams, files, pipes, devices ---- */

/* Asks the host about the file, but only once, since a program may read and write in small pieces.
 * A read from the wrong end of a pipe has to fail, because the pipe would never become ready. */
static struct user_host_file *know_host_file(struct user_file *file)
{
    struct user_host_file *known = &file->host_file;
    struct stat status;

    if (known->is_known)
        return known;
    int flags = fcntl(file->host, F_GETFL);
    known->is_known = true;
    known->can_read = flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
    known->can_write = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
    known->may_block = fstat(file->host, &status) == 0 && !S_ISREG(status.st_mode);
    known->is_terminal = known->may_block && isatty(file->host);
    return known;
}

/* Has the file no offset, so that it cannot be read at a place? Standard input has one where it is
 * a regular file of the host; standard output may have reports of temu, too, so it never has one.
 */
static bool is_unseekable(struct user_file *file)
{
    return file->pipe || file->socket || file->event ||
           (file->is_stream && (file->host != STDIN_FILENO || know_host_file(file)->may_block));
}

/* Waits until the file can be read or written. Returns false when the wait is interrupted. A signal
 * of the host ends the poll; the time limit and the debugger are looked at now and then. */
static bool wait_until_ready(struct machine *machine, int fd, short events)
{
    for (;;) {
        struct pollfd poll_fd = {.fd = fd, .events = events};
        int found = poll(&poll_fd, 1, machine->deadline || machine->watcher ? 50 : -1);
        if (found > 0 || (found < 0 && errno != EINTR))
            return true;
        if (machine_interrupted(machine))
            return false;
    }
}

/* Reads or writes once. Returns the number of bytes, or a negative error number; -ERESTART: the wait
 * for the file was interrupted. An attempt that does not wait comes first, since it saves a call
 * where the file is ready. */
static ssize_t move_once(struct machine *machine, const struct user_file *file,
                         struct user_host_file *known, struct iovec part, bool is_write)
{
    ssize_t moved = -1;

    if (known->may_block) {
        if (!known->refuses_attempts) {
            moved = is_write ? pwritev2(file->host, &part, 1, -1, RWF_NOWAIT)
                             : preadv2(file->host, &part, 1, -1, RWF_NOWAIT);
            known->refuses_attempts = moved < 0 && (errno == EOPNOTSUPP || errno == ENOSYS);
        }
        if (moved >= 0)
            return moved;
        if (!wait_until_ready(machine, file->host, is_write ? POLLOUT : POLLIN))
            return -ERESTART;
        /* A pipe that is ready takes this much without blocking. */
        if (is_write && part.iov_len > PIPE_BUF)
            part.iov_len = PIPE_BUF;
    }
    moved = is_write ? write(file->host, part.iov_base, part.iov_len)
                     : read(file->host, part.iov_base, part.iov_len);
    return moved < 0 ? -errno : moved;
}

/* Leaves the terminal to the program, if the file is one. A program that reads from a terminal uses
 * it interactively, so no more progress is shown there. */
static void give_terminal(struct machine *machine, const struct user_host_file *known, bool is_read,
                          unsigned char last)
{
    struct progress *progress = machine->progress;

    if (!progress || !progress->on_terminal || !known->is_terminal)
        return;
    progress->hide(progress);
    if (is_read)
        progress->on_terminal = false, progress->is_paused = true;
    else
        progress->is_paused = last != '\n';
}

/* Reads until the count is reached or the input ends: the result must not depend on how a pipe
 * happens to be filled. A terminal gives the characters typed so far. */
static int64_t read_host(struct machine *machine, struct user_file *file, unsigned char *to,
                         uint64_t length)
{
    struct user_host_file *known = know_host_file(file);
    uint64_t done = 0;

    if (!known->can_read)
        return -EBADF;
    give_terminal(machine, known, true, 0);
    while (done < length) {
        const struct iovec part = {to + done, length - done};
        ssize_t got = move_once(machine, file, known, part, false);
        if (got == -EINTR)
            continue;
        if (got < 0 && done == 0)
            return got;
        if (got <= 0)
            break;
        done += got;
        if (known->is_terminal)
            break;
    }
    return done;
}

static int64_t write_host(struct machine *machine, struct user_file *file,
                          const unsigned char *from, uint64_t length)
{
    struct user_host_file *known = know_host_file(file);
    uint64_t done = 0;

    if (machine->trace)
        trace_flush(machine->trace);
    if (length)
        give_terminal(machine, known, false, from[length - 1]);
    if (!known->can_write)
        return -EBADF;
    while (done < length) {
        const struct iovec part = {(void *)(from + done), length - done};
        ssize_t put = move_once(machine, file, known, part, true);
        if (put == -EINTR)
            continue;
        if (put == -EPIPE) {
            user_signal_send(machine, SIGPIPE, USER_SIGNAL_BY_USER);
            return -EPIPE;
        }
        if (put < 0 && done == 0)
            return put;
        if (put <= 0)
            break;
        done += put;
    }
    if (done)
        storage_modify(file);
    return done;
}

int64_t user_file_read(struct machine *machine, struct user_file *file, void *to, uint64_t length)
{
    if (file->pipe)
        return user_pipe_read(machine, file, to, length);
    if (file->socket)
        return user_socket_read(machine, file, to, length);
    if (file->event)
        return user_event_read(machine, file, to, length);
    if (file->node) {
        int64_t done = storage_read(file, to, length, file->offset);
        file->offset += done > 0 ? done : 0;
        return done;
    }
    switch (file->device) {
    case DEVICE_NULL:
        return 0;
    case DEVICE_ZERO:
    case DEVICE_FULL:
        memset(to, 0, length);
        return length;
    case DEVICE_RANDOM:
        user_random(machine, to, length);
        return length;
    default:
        return read_host(machine, file, to, length);
    }
}

int64_t user_file_write(struct machine *machine, struct user_file *file, const void *from,
                        uint64_t length)
{
    if (file->pipe)
        return user_pipe_write(machine, file, from, length);
    if (file->socket)
        return user_socket_write(machine, file, from, length);
    if (file->event)
        return user_event_write(machine, file, from, length);
    if (file->node) {
        if (file->flags & GUEST_O_APPEND && length)
            storage_seek(file, 0, SEEK_END);
        int64_t done = storage_write(file, from, length, file->offset);
        file->offset += done > 0 ? done : 0;
        return done;
    }
    if (file->device == DEVICE_FULL)
        return -ENOSPC;
    return file->device ? (int64_t)length : write_host(machine, file, from, length);
}

/* May the file be read or written? Returns 0, EBADF for a descriptor that was not opened for it, or
 * EISDIR; negative. */
static int64_t check_access(const struct user_file *file, bool write)
{
    unsigned access = file ? file->flags & GUEST_O_ACCMODE : 0;

    if (!file || file->flags & GUEST_O_PATH || access == (write ? GUEST_O_RDONLY : GUEST_O_WRONLY))
        return -EBADF;
    return file->is_directory ? -EISDIR : 0;
}

/* ---- read and write ---- */

/* Does a read or write of the file leave the program's memory alone? */
static bool needs_no_memory(const struct user_file *file, bool write)
{
    return file->device == DEVICE_NULL ||
           (write && (file->device == DEVICE_ZERO || file->device == DEVICE_FULL));
}

/* Finds the memory for a read or write of *length bytes, which become those that one call can move.
 * A file or a device moves those up to the first page that cannot be accessed. Returns NULL when
 * there are none. */
static unsigned char *find_bytes(struct machine *machine, const struct user_file *file,
                                 uint64_t address, uint64_t *length, bool write)
{
    bool moves_part = !file->pipe && !file->socket && !file->event && !file->is_stream;
    uint64_t wanted = *length < IO_MAXIMUM ? *length : IO_MAXIMUM;

    *length = moves_part ? user_accessible(machine, address, wanted, !write) : wanted;
    return wanted && !*length ? NULL : memory_range(&machine->memory, address, *length, !write);
}

static int64_t read_file(struct machine *machine, uint64_t fd, uint64_t address, uint64_t length)
{
    struct user_file *file = user_file(machine, fd);
    int64_t access = check_access(file, false);

    if (access < 0)
        return access;
    if (needs_no_memory(file, false))
        return user_file_read(machine, file, NULL, length);
    unsigned char *host = find_bytes(machine, file, address, &length, false);
    if (!host)
        return -EFAULT;
    int64_t done = user_file_read(machine, file, host, length);
    if (done >= 0)
        port_record_write(&machine->port, address, done, host);
    return done;
}

static int64_t write_file(struct machine *machine, uint64_t fd, uint64_t address, uint64_t length)
{
    struct user_file *file = user_file(machine, fd);
    int64_t access = check_access(file, true);

    if (access < 0)
        return access;
    if (needs_no_memory(file, true))
        return user_file_write(machine, file, NULL, length < IO_MAXIMUM ? length : IO_MAXIMUM);
    const unsigned char *host = find_bytes(machine, file, address, &length, true);
    if (!host)
        return -EFAULT;
    int64_t done = user_file_write(machine, file, host, length);
    if (done >= 0)
        port_record_read(&machine->port, address, done);
    return done;
}

int64_t user_read(struct machine *machine, const uint64_t *arguments)
{
    return read_file(machine, arguments[0], arguments[1], arguments[2]);
}

/* Does a write that moved less than it should go on when there is room again? Without another
 * thread there never would be. */
static bool writes_all(const struct machine *machine, const struct user_file *file)
{
    return file->pipe && !(file->flags & GUEST_O_NONBLOCK) &&
           (machine->user.thread_count > 1 || user_has_others(machine));
}

/* Writes a part of a call, of which `before` bytes are written. Returns the number of bytes of the
 * part that were written, or a negative error number if there are none. Of a thread that waits it
 * notes how far the call has got. */
static int64_t write_part(struct machine *machine, uint64_t fd, uint64_t address, uint64_t length,
                          uint64_t before)
{
    uint64_t done = 0;

    for (;;) {
        int64_t moved = write_file(machine, fd, address + done, length - done);
        if (moved == USER_WAITS) {
            machine->user.thread->wait.done = before + done;
            return moved;
        }
        if (moved < 0)
            return done ? (int64_t)done : moved;
        done += (uint64_t)moved;
        if (done >= length || !writes_all(machine, user_file(machine, fd)))
            return (int64_t)done;
    }
}

/* Returns how many bytes the present write had written when its thread began to wait. */
static uint64_t written_before(const struct machine *machine)
{
    const struct user_thread *thread = machine->user.thread;

    return thread->repeats ? thread->wait.done : 0;
}

int64_t user_write(struct machine *machine, const uint64_t *arguments)
{
    const struct user_file *file = user_file(machine, arguments[0]);

    if (file && file->socket) /* goes on by itself */
        return write_file(machine, arguments[0], arguments[1], arguments[2]);
    uint64_t done = written_before(machine);
    int64_t moved =
        write_part(machine, arguments[0], arguments[1] + done, arguments[2] - done, done);

    return moved == USER_WAITS || (moved < 0 && !done) ? moved
                                                       : (int64_t)done + (moved < 0 ? 0 : moved);
}

/* ---- at a given offset, which leaves that of the file alone ---- */

/* Can the file be accessed at a given offset? Returns 0, or a negative error number. */
static int64_t check_place(struct user_file *file, uint64_t place, bool write)
{
    if (!file || file->flags & GUEST_O_PATH)
        return -EBADF;
    if ((int64_t)place < 0)
        return -EINVAL;
    if (is_unseekable(file))
        return -ESPIPE;
    return check_access(file, write);
}

static int64_t move_at(struct machine *machine, uint64_t fd, uint64_t address, uint64_t length,
                       uint64_t place, bool write)
{
    struct user_file *file = user_file(machine, fd);
    int64_t access = check_place(file, place, write);

    if (access < 0)
        return access;
    if (needs_no_memory(file, write))
        return write ? write_file(machine, fd, address, length) : 0;
    unsigned char *host = find_bytes(machine, file, address, &length, write);
    if (!host)
        return -EFAULT;
    int64_t moved;
    if (file->device)
        moved = write ? user_file_write(machine, file, host, length)
                      : user_file_read(machine, file, host, length);
    else
        moved = write ? storage_write(file, host, length, place)
                      : storage_read(file, host, length, place);
    if (moved < 0)
        return moved;
    if (write)
        port_record_read(&machine->port, address, moved);
    else
        port_record_write(&machine->port, address, moved, host);
    return moved;
}

int64_t user_pread64(struct machine *machine, const uint64_t *arguments)
{
    return move_at(machine, arguments[0], arguments[1], arguments[2], arguments[3], false);
}

int64_t user_pwrite64(struct machine *machine, const uint64_t *arguments)
{
    return move_at(machine, arguments[0], arguments[1], arguments[2], arguments[3], true);
}

/* ---- vectors ---- */

struct guest_vector {
    uint64_t base, length;
};

/* Reads the vector as a whole, before anything is moved. Returns 0, or a negative error number. */
static int64_t read_vector(struct machine *machine, uint64_t address, uint64_t count,
                           struct guest_vector vectors[IO_VECTORS])
{
    if (count > IO_VECTORS)
        return -EINVAL;
    if (!user_copy_in(machine, vectors, address, count * sizeof *vectors))
        return -EFAULT;
    for (uint64_t i = 0; i < count; i++)
        if ((int64_t)vectors[i].length < 0)
            return -EINVAL;
    return 0;
}

/* How the parts of a vector are moved: to or from the file, at its own offset or at `place`. */
struct vector_move {
    uint64_t fd;
    bool write;
    bool placed;
    uint64_t place;
};

/* Moves a part, before which `done` bytes were moved. */
static int64_t move_part(struct machine *machine, const struct vector_move *move, uint64_t done,
                         uint64_t base, uint64_t length)
{
    if (move->placed)
        return move_at(machine, move->fd, base, length, move->place + done, move->write);
    return move->write ? write_part(machine, move->fd, base, length, done)
                       : read_file(machine, move->fd, base, length);
}

static int64_t move_vector(struct machine *machine, const struct vector_move *move,
                           uint64_t address, uint64_t count)
{
    struct user_file *file = user_file(machine, move->fd);
    int64_t access = move->placed ? check_place(file, move->place, move->write)
                                  : check_access(file, move->write);
    uint64_t total = move->write && !move->placed ? written_before(machine) : 0, begin = 0;
    struct guest_vector vectors[IO_VECTORS];

    if (access == 0)
        access = read_vector(machine, address, count, vectors);
    if (access < 0)
        return access;
    if (file->socket)
        return user_socket_vector(machine, file, address, count, move->write);
    for (uint64_t i = 0; i < count; i++) {
        const struct guest_vector vector = vectors[i];
        uint64_t end = begin + vector.length, done = total - begin; /* places in all parts */
        if (end > total || total == 0) {
            int64_t moved =
                move_part(machine, move, total, vector.base + done, vector.length - done);
            if (moved == USER_WAITS && move->write && writes_all(machine, file))
                return moved;
            if (moved < 0)
                return total ? (int64_t)total : moved;
            total += (uint64_t)moved;
        }
        if (total < end)
            break;
        begin = end;
    }
    return (int64_t)total;
}

int64_t user_readv(struct machine *machine, const uint64_t *arguments)
{
    const struct vector_move move = {.fd = arguments[0]};

    return move_vector(machine, &move, arguments[1], arguments[2]);
}

int64_t user_writev(struct machine *machine, const uint64_t *arguments)
{
    const struct vector_move move = {.fd = arguments[0], .write = true};

    return move_vector(machine, &move, arguments[1], arguments[2]);
}

int64_t user_preadv(struct machine *machine, const uint64_t *arguments)
{
    const struct vector_move move = {.fd = arguments[0], .placed = true, .place = arguments[3]};

    return move_vector(machine, &move, arguments[1], arguments[2]);
}

int64_t user_pwritev(struct machine *machine, const uint64_t *arguments)
{
    const struct vector_move move = {
        .fd = arguments[0], .write = true, .placed = true, .place = arguments[3]};

    return move_vector(machine, &move, arguments[1], arguments[2]);
}

/* What preadv2 and pwritev2 can be asked for that makes no difference here: RWF_HIPRI, RWF_DSYNC
 * and RWF_SYNC. A place of -1 means the offset of the file. */
enum { IO_FLAGS = 7 };

int64_t user_preadv2(struct machine *machine, const uint64_t *arguments)
{
    if (arguments[5] & ~(uint64_t)IO_FLAGS)
        return -EOPNOTSUPP;
    return arguments[3] == UINT64_MAX ? user_readv(machine, arguments)
                                      : user_preadv(machine, arguments);
}

int64_t user_pwritev2(struct machine *machine, const uint64_t *arguments)
{
    if (arguments[5] & ~(uint64_t)IO_FLAGS)
        return -EOPNOTSUPP;
    return arguments[3] == UINT64_MAX ? user_writev(machine, arguments)
                                      : user_pwritev(machine, arguments);
}

/* ---- the file as a whole ---- */

int64_t user_ftruncate(struct machine *machine, const uint64_t *arguments)
{
    const struct user_file *file = user_file(machine, arguments[0]);

    if ((int64_t)arguments[1] < 0)
        return -EINVAL;
    if (!file || file->flags & GUEST_O_PATH)
        return -EBADF;
    if (!storage_has(file) || file->is_directory ||
        (file->flags & GUEST_O_ACCMODE) == GUEST_O_RDONLY)
        return -EINVAL;
    return storage_resize(file, arguments[1]);
}

int64_t user_lseek(struct machine *machine, const uint64_t *arguments)
{
    struct user_file *file = user_file(machine, arguments[0]);

    if (!file || file->flags & GUEST_O_PATH)
        return -EBADF;
    if ((uint32_t)arguments[2] > SEEK_HOLE)
        return -EINVAL;
    if (file->device || file->event)
        return 0;
    if (is_unseekable(file))
        return -ESPIPE;
    if (file->is_directory)
        return user_directory_seek(file, arguments[1], arguments[2]);
    return storage_seek(file, arguments[1], (int)arguments[2]);
}

int64_t user_fsync(struct machine *machine, const uint64_t *arguments)
{
    const struct user_file *file = user_file(machine, arguments[0]);

    if (!file || file->flags & GUEST_O_PATH)
        return -EBADF;
    return storage_has(file) ? 0 : -EINVAL;
}

int64_t user_sync_file_range(struct machine *machine, const uint64_t *arguments)
{
    enum { WAIT_BEFORE = 1, WRITE = 2, WAIT_AFTER = 4 };
    const struct user_file *file = user_usable_file(machine, arguments[0]);
    uint64_t offset = arguments[1], end = offset + arguments[2];

    if (!file)
        return -EBADF;
    if (arguments[3] & ~(uint64_t)(WAIT_BEFORE | WRITE | WAIT_AFTER) || offset > INT64_MAX ||
        end > INT64_MAX || end < offset)
        return -EINVAL;
    return storage_has(file) ? 0 : -ESPIPE;
}

/* Nothing is kept back for any file system. */
int64_t user_syncfs(struct machine *machine, const uint64_t *arguments)
{
    return user_usable_file(machine, arguments[0]) ? 0 : -EBADF;
}

/* Advice about later reads is checked and ignored. */
int64_t user_fadvise64(struct machine *machine, const uint64_t *arguments)
{
    enum { ADVICES = 6 };
    const struct user_file *file = user_file(machine, arguments[0]);

    if (!file || file->flags & GUEST_O_PATH)
        return -EBADF;
    if (file->pipe || file->socket || file->is_stream)
        return -ESPIPE;
    return (int32_t)arguments[3] < 0 || (int32_t)arguments[3] >= ADVICES ||
                   (int64_t)arguments[2] < 0
               ? -EINVAL
               : 0;
}
