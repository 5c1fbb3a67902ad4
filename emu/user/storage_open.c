/* Opening files of both places (storage.h). */
#include "emu/user/storage_parts.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Converts flags of the generic ABI to those of the host. */
static int open_flags(uint64_t guest)
{
    static const struct {
        uint32_t guest;
        int host;
    } flags[] = {
        {GUEST_O_WRONLY, O_WRONLY},       {GUEST_O_RDWR, O_RDWR},
        {GUEST_O_CREAT, O_CREAT},         {GUEST_O_EXCL, O_EXCL},
        {GUEST_O_TRUNC, O_TRUNC},         {GUEST_O_APPEND, O_APPEND},
        {GUEST_O_DIRECTORY, O_DIRECTORY}, {GUEST_O_NOFOLLOW, O_NOFOLLOW},
        {GUEST_O_PATH, O_PATH},
    };
    int host = 0;

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (guest & flags[i].guest)
            host |= flags[i].host;
    return host;
}

/* What a program wants to do with a file that it opens: R_OK, W_OK. */
static unsigned access_of(uint64_t flags)
{
    unsigned mode = flags & GUEST_O_ACCMODE;

    return (mode != GUEST_O_WRONLY ? R_OK : 0) | (mode != GUEST_O_RDONLY ? W_OK : 0);
}

/* Opens a file of the host, and finds out whether it was made. One that is there needs no further
 * call of the host. */
static int open_or_make(const struct place *place, const char *name, uint64_t flags, unsigned mode,
                        bool *is_new)
{
    int host_flags = open_flags(flags) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;

    bool makes = flags & GUEST_O_CREAT, only_makes = makes && flags & GUEST_O_EXCL;
    int host;

    *is_new = false;
    do {
        if (!only_makes) {
            host = openat(place->host, name, host_flags & ~O_CREAT);
            if (host >= 0 || errno != ENOENT || !makes)
                return host;
        }
        mode_t mask = umask(0); /* the mode has passed the program's own mask */
        host = openat(place->host, name, host_flags | O_EXCL, mode);
        umask(mask);
    } while (host < 0 && errno == EEXIST && !only_makes); /* others have made it meanwhile */
    *is_new = host >= 0;
    return host;
}

/* Keeps what was opened on the host, and notes what that has changed. */
static int64_t keep_open(const struct place *place, uint64_t flags, bool is_new, int host,
                         const struct stat *status, struct user_file *file)
{
    file->times = times_open(place->times, status->st_dev, status->st_ino);
    if (!file->times) {
        close(host);
        return -ENOMEM;
    }
    if (is_new)
        host_note_new(place, status);
    else if (flags & GUEST_O_TRUNC && S_ISREG(status->st_mode))
        times_modify(times_of_open(file->times), place->times->now);
    file->host = host;
    file->host_device = status->st_dev;
    file->host_inode = status->st_ino;
    return 0;
}

/* Holds a FIFO of the host, so that no other file gets its number, but not for reading or writing.
 */
static int64_t open_host_fifo(const struct place *place, const char *name, uint64_t flags,
                              struct user_file *file)
{
    struct stat status;

    if (flags & GUEST_O_CREAT && flags & GUEST_O_EXCL)
        return -EEXIST;
    if (flags & GUEST_O_DIRECTORY)
        return -ENOTDIR;
    if (!(flags & GUEST_O_PATH) && storage_access(place, name, access_of(flags)) < 0)
        return -EACCES;
    int host = openat(place->host, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (host < 0)
        return -errno;
    if (fstat(host, &status) < 0 || !S_ISFIFO(status.st_mode) ||
        host_is_kernel(place, host, &status)) {
        close(host);
        return -EACCES;
    }
    file->is_fifo = true;
    return keep_open(place, 0, false, host, &status, file);
}

static int64_t open_host(const struct place *place, const char *name, uint64_t flags, unsigned mode,
                         struct user_file *file)
{
    struct stat status = {0};
    bool is_new;

    if (flags & GUEST_O_PATH)
        flags &= GUEST_O_PATH | GUEST_O_DIRECTORY;
    int host = open_or_make(place, name, flags, mode, &is_new);
    if (host < 0 && errno == ENXIO) /* nobody reads it, or it is a socket */
        return host_is_fifo(place, name) ? open_host_fifo(place, name, flags, file) : -ENXIO;
    if (host < 0)
        return -errno;
    if (fstat(host, &status) < 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) ||
        host_is_kernel(place, host, &status)) {
        close(host);
        return S_ISLNK(status.st_mode)    ? -ELOOP
               : S_ISFIFO(status.st_mode) ? open_host_fifo(place, name, flags, file)
                                          : -EACCES;
    }
    file->is_directory = S_ISDIR(status.st_mode);
    if (flags & GUEST_O_CREAT && file->is_directory) {
        close(host);
        return -EISDIR;
    }
    if (S_ISREG(status.st_mode))
        file->host_file =
            (struct user_host_file){.is_known = true,
                                    .can_read = (flags & GUEST_O_ACCMODE) != GUEST_O_WRONLY,
                                    .can_write = (flags & GUEST_O_ACCMODE) != GUEST_O_RDONLY};
    return keep_open(place, flags, is_new, host, &status, file);
}

/* May an existing node be opened so? */
static int check_open(const struct node *node, uint64_t flags)
{
    unsigned access = access_of(flags);

    if (S_ISLNK(node->mode))
        return -ELOOP;
    if ((flags & GUEST_O_DIRECTORY) && !S_ISDIR(node->mode))
        return -ENOTDIR;
    if (S_ISDIR(node->mode) && flags & (GUEST_O_CREAT | GUEST_O_ACCMODE | GUEST_O_TRUNC))
        return -EISDIR;
    if (!S_ISDIR(node->mode) && !S_ISREG(node->mode) && !S_ISFIFO(node->mode))
        return S_ISSOCK(node->mode) ? -ENXIO : -EACCES;
    if (flags & GUEST_O_PATH)
        return 0;
    if (flags & GUEST_O_TRUNC)
        access |= W_OK;
    if (!node_permits(node, access))
        return -EACCES;
    return node->is_fixed && access & W_OK ? -ETXTBSY : 0;
}

static int open_node(struct node *directory, const char *name, uint64_t flags, unsigned mode,
                     struct user_file *file)
{
    struct node *node;
    int error = node_find(directory, name, &node);

    if (flags & GUEST_O_PATH)
        flags &= GUEST_O_PATH | GUEST_O_DIRECTORY;
    if (error == -ENOENT && flags & GUEST_O_CREAT)
        error = node_make(directory, name, S_IFREG | mode, &node);
    else if (!error && (flags & GUEST_O_CREAT) && flags & GUEST_O_EXCL)
        error = -EEXIST;
    else if (!error)
        error = check_open(node, flags);
    if (!error && flags & GUEST_O_TRUNC && S_ISREG(node->mode))
        error = node_resize(node, 0);
    if (error)
        return error;
    node_hold(node);
    file->node = node;
    file->is_directory = S_ISDIR(node->mode);
    file->is_fifo = S_ISFIFO(node->mode);
    return 0;
}

int64_t storage_open(const struct place *place, const char *name, uint64_t flags, unsigned mode,
                     struct user_file *file)
{
    return place->node ? open_node(place->node, name, flags, mode, file)
                       : open_host(place, name, flags, mode, file);
}

int64_t storage_open_again(const struct user_file *open_before, struct user_file *file)
{
    char name[32];

    if (open_before->node) {
        if (!node_permits(open_before->node, R_OK))
            return -EACCES;
        node_hold(open_before->node);
        file->node = open_before->node;
    } else {
        snprintf(name, sizeof name, "/proc/self/fd/%d", open_before->host);
        file->host = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        if (file->host < 0)
            return -errno;
        file->times = open_before->times;
        times_hold(file->times);
    }
    file->host_device = open_before->host_device;
    file->host_inode = open_before->host_inode;
    file->is_directory = open_before->is_directory;
    return 0;
}
