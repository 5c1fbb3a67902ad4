/* The user environment's pipes. Both ends belong to the program's own processes, so a pipe is a
 * buffer here and not a pipe of the host. Waiting for the other end is a deadlock, unless another
 * thread, another process or a signal can end it (user_wait). */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

enum { CAPACITY = 0x10000 };

struct user_pipe {
    unsigned char bytes[CAPACITY];
    uint64_t writes;       /* how often something was written */
    uint64_t start, count; /* contents: `count` bytes from `start`, modulo CAPACITY */
    bool has_reader, has_writer;
    uint64_t serial; /* no other pipe has it */
};

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

    if (file->is_writer)
        return -EBADF;
    if (length == 0 || (pipe->count == 0 && !pipe->has_writer))
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

    if (!file->is_writer)
        return -EBADF;
    if (length == 0)
        return 0;
    if (!pipe->has_reader) {
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
    pipe->writes++;
    user_wake_on_files(&machine->user);
    return length;
}

unsigned user_pipe_events(const struct user_file *file)
{
    const struct user_pipe *pipe = file->pipe;
    unsigned events = 0;

    if (file->is_writer) {
        if (pipe->count <= CAPACITY - PIPE_BUF)
            events |= POLLOUT | POLLWRNORM;
        return pipe->has_reader ? events : events | POLLERR;
    }
    if (pipe->count)
        events |= POLLIN | POLLRDNORM;
    return pipe->has_writer ? events : events | POLLHUP;
}

uint64_t user_pipe_serial(const struct user_file *file)
{
    return file->pipe->serial;
}

uint64_t user_pipe_count(const struct user_file *file)
{
    return file->pipe->count;
}

uint64_t user_pipe_writes(const struct user_file *file)
{
    return file->pipe->writes;
}

/* Closes an end. The pipe is freed with its second end. */
static void close_end(struct user *user, struct user_file *file)
{
    struct user_pipe *pipe = file->pipe;

    (void)user;
    *(file->is_writer ? &pipe->has_writer : &pipe->has_reader) = false;
    if (!pipe->has_writer && !pipe->has_reader)
        free(pipe);
    file->pipe = NULL;
}

static int64_t open_end(struct user *user, struct user_pipe *pipe, bool is_writer, uint64_t flags)
{
    int64_t fd = user_open_slot(user, flags);

    if (fd < 0)
        return fd;
    struct user_file *file = user->files[fd];
    file->flags = (flags & GUEST_O_NONBLOCK) | (is_writer ? 1 : 0);
    file->pipe = pipe;
    file->release = close_end;
    file->is_writer = is_writer;
    *(is_writer ? &pipe->has_writer : &pipe->has_reader) = true;
    pipe->serial = pipe->serial ? pipe->serial : file->serial;
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
    int64_t reader = open_end(user, pipe, false, arguments[1]);
    if (reader < 0) {
        free(pipe);
        return reader;
    }
    int64_t writer = open_end(user, pipe, true, arguments[1]);
    ends[0] = reader;
    ends[1] = writer;
    if (writer >= 0 && user_copy_out(machine, arguments[0], ends, sizeof ends))
        return 0;
    user_close_slot(user, reader);
    if (writer >= 0)
        user_close_slot(user, writer);
    return writer < 0 ? writer : -EFAULT;
}
