/* The user environment's pipes and FIFOs. All ends belong to the program's own processes, so a pipe
 * is a buffer here and not a pipe of the host. Waiting for the other end is a deadlock, unless
 * another thread, another process or a signal can end it (user_wait).
 *
 * A FIFO is a name for a pipe, which exists while it is open. A thread that waits for the other end
 * has the file, which counts as open, in its `opening`. */
#include "emu/user/storage.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

enum { CAPACITY = 0x10000 };

struct user_pipe {
    unsigned char bytes[CAPACITY];
    uint64_t changes; /* how often something was written, or an end was the last to be closed */
    uint64_t start, count;               /* contents: `count` bytes from `start`, modulo CAPACITY */
    unsigned readers, writers;           /* open files */
    uint64_t reader_opens, writer_opens; /* how often it was opened so */
    uint64_t serial;                     /* no other pipe has it */
    unsigned mode;                       /* permissions, if it has no path */
    /* of a FIFO */
    bool is_fifo;
    struct user_pipe *next;
    uint64_t device, inode; /* as in struct file_facts */
};

static bool is_reader(const struct user_file *file)
{
    return (file->flags & GUEST_O_ACCMODE) != GUEST_O_WRONLY;
}

static bool is_writer(const struct user_file *file)
{
    return (file->flags & GUEST_O_ACCMODE) != GUEST_O_RDONLY;
}

/* Returns how many of `length` bytes from `at` fit before the buffer wraps around. */
static uint64_t run_length(uint64_t at, uint64_t length)
{
    return length < CAPACITY - at ? length : CAPACITY - at;
}

static int64_t wait_for_other(struct machine *machine, const struct user_file *file)
{
    if (file->flags & GUEST_O_NONBLOCK)
        return -EAGAIN;
    int64_t result = user_wait(machine, WAIT_FILES, USER_FOREVER);
    return result == -EINTR ? USER_RESTART : result;
}

int64_t user_pipe_read(struct machine *machine, struct user_file *file, void *to, uint64_t length)
{
    struct user_pipe *pipe = file->pipe;

    if (!is_reader(file))
        return -EBADF;
    if (length == 0 || (pipe->count == 0 && !pipe->writers))
        return 0;
    if (pipe->count == 0)
        return wait_for_other(machine, file);
    if (length > pipe->count)
        length = pipe->count;
    uint64_t first = run_length(pipe->start, length);
    memcpy(to, pipe->bytes + pipe->start, first);
    memcpy((char *)to + first, pipe->bytes, length - first);
    pipe->start = (pipe->start + length) % CAPACITY;
    pipe->count -= length;
    user_wake_on_files(&machine->user);
    return length;
}

/* Writes up to PIPE_BUF bytes as a whole or not at all. */
int64_t user_pipe_write(struct machine *machine, struct user_file *file, const void *from,
                        uint64_t length)
{
    struct user_pipe *pipe = file->pipe;
    uint64_t room = CAPACITY - pipe->count;

    if (!is_writer(file))
        return -EBADF;
    if (length == 0)
        return 0;
    if (!pipe->readers) {
        user_signal_send(machine, SIGPIPE, USER_SIGNAL_BY_USER);
        return -EPIPE;
    }
    if (room == 0 || (length <= PIPE_BUF && length > room))
        return wait_for_other(machine, file);
    if (length > room)
        length = room;
    uint64_t end = (pipe->start + pipe->count) % CAPACITY, first = run_length(end, length);
    memcpy(pipe->bytes + end, from, first);
    memcpy(pipe->bytes, (const char *)from + first, length - first);
    pipe->count += length;
    pipe->changes++;
    user_wake_on_files(&machine->user);
    return length;
}

unsigned user_pipe_events(const struct user_file *file)
{
    const struct user_pipe *pipe = file->pipe;
    unsigned events = 0;

    if (is_writer(file)) {
        events |= pipe->count <= CAPACITY - PIPE_BUF ? POLLOUT | POLLWRNORM : 0;
        events |= pipe->readers ? 0 : POLLERR;
    }
    if (is_reader(file)) {
        events |= pipe->count ? POLLIN | POLLRDNORM : 0;
        events |= pipe->writers || pipe->writer_opens == file->writers_before ? 0 : POLLHUP;
    }
    return events;
}

unsigned *user_pipe_mode(const struct user_file *file)
{
    return &file->pipe->mode;
}

uint64_t user_pipe_serial(const struct user_file *file)
{
    return file->pipe->serial;
}

uint64_t user_pipe_count(const struct user_file *file)
{
    return file->pipe->count;
}

uint64_t user_pipe_changes(const struct user_file *file)
{
    return file->pipe->changes;
}

static void forget_fifo(struct user_processes *processes, const struct user_pipe *fifo)
{
    struct user_pipe **link = &processes->fifos;

    while (*link != fifo)
        link = &(*link)->next;
    *link = fifo->next;
}

/* Closes an end. The pipe is freed with the last one. */
static void close_end(struct user *user, struct user_file *file)
{
    struct user_pipe *pipe = file->pipe;

    pipe->readers -= is_reader(file);
    pipe->writers -= is_writer(file);
    pipe->changes += !pipe->readers || !pipe->writers;
    file->pipe = NULL;
    if (pipe->readers || pipe->writers)
        return;
    if (pipe->is_fifo)
        forget_fifo(user->processes, pipe);
    free(pipe);
}

/* Makes the open file an end of the pipe, or both ends, as its flags say. */
static void attach(struct user_file *file, struct user_pipe *pipe)
{
    file->pipe = pipe;
    file->release = close_end;
    pipe->readers += is_reader(file);
    pipe->reader_opens += is_reader(file);
    pipe->writers += is_writer(file);
    pipe->writer_opens += is_writer(file);
    pipe->serial = pipe->serial ? pipe->serial : file->serial;
}

static int64_t open_end(struct user *user, struct user_pipe *pipe, unsigned access, uint64_t flags)
{
    int64_t fd = user_open_slot(user, flags);

    if (fd < 0)
        return fd;
    struct user_file *file = user->files[fd];
    file->flags = (flags & GUEST_O_NONBLOCK) | access;
    attach(file, pipe);
    return fd;
}

int64_t user_pipe2(struct machine *machine, const uint64_t *arguments)
{
    struct user *user = &machine->user;
    int32_t ends[2];

    if (arguments[1] & ~(uint64_t)(GUEST_O_CLOEXEC | GUEST_O_NONBLOCK))
        return -EINVAL;
    struct user_pipe *pipe = calloc(1, sizeof *pipe);
    if (!pipe)
        return -ENOMEM;
    pipe->mode = 0600;
    int64_t reader = open_end(user, pipe, GUEST_O_RDONLY, arguments[1]);
    if (reader < 0) {
        free(pipe);
        return reader;
    }
    int64_t writer = open_end(user, pipe, GUEST_O_WRONLY, arguments[1]);
    ends[0] = reader;
    ends[1] = writer;
    if (writer >= 0 && user_copy_out(machine, arguments[0], ends, sizeof ends))
        return 0;
    user_close_slot(user, reader);
    if (writer >= 0)
        user_close_slot(user, writer);
    return writer < 0 ? writer : -EFAULT;
}

/* ---- FIFOs ---- */

/* Returns the pipe of the FIFO, which is made if nobody has it open. NULL: there is no memory. */
static struct user_pipe *find_fifo(struct user_processes *processes, const struct file_facts *facts)
{
    struct user_pipe *fifo = processes->fifos;

    while (fifo && (fifo->device != facts->device || fifo->inode != facts->inode))
        fifo = fifo->next;
    if (fifo)
        return fifo;
    fifo = calloc(1, sizeof *fifo);
    if (!fifo)
        return NULL;
    fifo->is_fifo = true;
    fifo->device = facts->device;
    fifo->inode = facts->inode;
    fifo->next = processes->fifos;
    return processes->fifos = fifo;
}

/* Returns how often the other end was opened, for a file that has one end. */
static uint64_t partner_opens(const struct user_file *file)
{
    return is_writer(file) ? file->pipe->reader_opens : file->pipe->writer_opens;
}

static void end_opening(struct user *user, struct user_thread *thread)
{
    struct user_file *file = thread->opening.file;

    thread->opening.file = NULL;
    if (file)
        user_drop_file(user, file);
}

void user_end_openings(struct user *user)
{
    for (unsigned i = 0; i < user->thread_count; i++)
        end_opening(user, user->threads[i]);
}

int64_t user_open_fifo_again(struct machine *machine)
{
    struct user *user = &machine->user;
    struct user_thread *thread = user->thread;
    const struct user_opening *opening = &thread->opening;
    int64_t result;

    if (partner_opens(opening->file) != opening->before)
        result = user_share_from(user, opening->file, 0, opening->close_on_exec);
    else
        result = user_wait(machine, WAIT_FILES, USER_FOREVER);
    if (result == USER_WAITS)
        return result;
    end_opening(user, thread);
    return result == -EINTR ? USER_RESTART : result;
}

/* The same for a FIFO that is just opened and has only one end. The descriptor is free meanwhile.
 */
static int64_t await_partner(struct machine *machine, unsigned fd)
{
    struct user *user = &machine->user;
    struct user_file *file = user->files[fd];

    user->thread->opening =
        (struct user_opening){file, partner_opens(file), user->close_on_exec[fd]};
    user->files[fd] = NULL;
    return user_open_fifo_again(machine);
}

int64_t user_open_fifo(struct machine *machine, unsigned fd)
{
    struct user *user = &machine->user;
    struct user_file *file = user->files[fd];
    bool waits = !(file->flags & GUEST_O_NONBLOCK);
    struct file_facts facts;
    int64_t result = storage_file_facts(file, &facts);
    struct user_pipe *fifo = result < 0 ? NULL : find_fifo(user->processes, &facts);

    if (!fifo) {
        user_close_slot(user, fd);
        return result < 0 ? result : -ENOMEM;
    }
    attach(file, fifo);
    if (fifo->readers == 0 && !waits) {
        user_close_slot(user, fd);
        return -ENXIO;
    }
    if (fifo->writers == 0 && !waits)
        file->writers_before = fifo->writer_opens;
    user_wake_on_files(user);
    return waits && (fifo->readers == 0 || fifo->writers == 0) ? await_partner(machine, fd) : fd;
}
