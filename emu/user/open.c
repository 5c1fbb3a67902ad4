/* Opening files of the user environment: regular files and directories under the --root directory
 * (path.h), files in memory (memfd), and a few devices that programs expect. The devices are
 * emulated and hide files of the same name in the root. */
#include "emu/user/calls.h"
#include "emu/user/path.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- devices ---- */

static const struct {
    const char *path;
    enum user_device device;
    unsigned stream; /* of DEVICE_STREAM: its descriptor */
} devices[] = {
    {"/dev/null", DEVICE_NULL, 0},      {"/dev/zero", DEVICE_ZERO, 0},
    {"/dev/full", DEVICE_FULL, 0},      {"/dev/random", DEVICE_RANDOM, 0},
    {"/dev/urandom", DEVICE_RANDOM, 0}, {"/dev/stdin", DEVICE_STREAM, 0},
    {"/dev/stdout", DEVICE_STREAM, 1},  {"/dev/stderr", DEVICE_STREAM, 2},
};

/* Returns the index of the path in `devices`; -1: not a device. */
static int find_device(const char *path)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strcmp(devices[i].path, path) == 0)
            return i;
    return -1;
}

bool user_is_device(const char *path)
{
    return find_device(path) >= 0;
}

static int64_t open_device(struct user *user, int index, uint64_t flags)
{
    if (flags & GUEST_O_DIRECTORY)
        return -ENOTDIR;
    if (devices[index].device == DEVICE_STREAM && !user->files[devices[index].stream])
        return -ENXIO;
    int64_t fd = user_open_slot(user, flags);
    if (fd < 0)
        return fd;
    if (devices[index].device == DEVICE_STREAM)
        return user_share_file(user, user->files[devices[index].stream], fd,
                               flags & GUEST_O_CLOEXEC);
    user->files[fd]->device = devices[index].device;
    user->files[fd]->flags = (uint32_t)flags & ~GUEST_O_CREATION;
    user->files[fd]->path = strdup(devices[index].path);
    return fd;
}

/* ---- regular files and directories ---- */

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

/* Opens the last component of the path if it is a regular file or a directory. Returns the host's
 * descriptor, or a negative error number. */
static int64_t open_last(const struct path_walk *walk, int flags, mode_t mode, bool *is_directory)
{
    struct stat status;
    int file = openat(path_directory(walk), path_name(walk),
                      flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, mode);

    if (file < 0)
        return -errno;
    if (fstat(file, &status) < 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) {
        close(file);
        return S_ISLNK(status.st_mode) ? -ELOOP : -EACCES;
    }
    if (path_is_kernel(file)) {
        close(file);
        return -EACCES;
    }
    *is_directory = S_ISDIR(status.st_mode);
    return file;
}

static int64_t open_file(struct machine *machine, const struct path_walk *walk,
                         const uint64_t *arguments)
{
    struct user *user = &machine->user;
    char path[PATH_MAX];
    bool is_directory = false;

    if (!path_canonical(walk, path))
        return -ENAMETOOLONG;
    int64_t fd = user_open_slot(user, arguments[2]);
    if (fd < 0)
        return fd;
    struct user_file *file = user->files[fd];
    int64_t host = open_last(walk, open_flags(arguments[2]),
                             arguments[3] & 0777 & ~user->creation_mask, &is_directory);
    if (host >= 0)
        file->host = host;
    file->flags = (uint32_t)arguments[2] & ~GUEST_O_CREATION;
    file->is_directory = is_directory;
    file->path = host < 0 ? NULL : strdup(path);
    if (file->path)
        return fd;
    user_close_slot(user, fd);
    return host < 0 ? host : -ENOMEM;
}

int64_t user_openat(struct machine *machine, const uint64_t *arguments)
{
    bool follow = !(arguments[2] & GUEST_O_NOFOLLOW) &&
                  (arguments[2] & (GUEST_O_CREAT | GUEST_O_EXCL)) != (GUEST_O_CREAT | GUEST_O_EXCL);
    char path[PATH_MAX];
    struct path_walk walk;

    if ((arguments[2] & GUEST_O_TMPFILE) == GUEST_O_TMPFILE)
        return -EOPNOTSUPP;
    if (user_copy_path(machine, arguments[1], path) == 0 && user_is_device(path))
        return open_device(&machine->user, find_device(path), arguments[2]);
    int64_t result = path_walk(machine, &walk, arguments[0], arguments[1], follow);
    if (result == 0 && walk.slash && arguments[2] & GUEST_O_CREAT)
        result = -EISDIR;
    if (result == 0)
        result = open_file(machine, &walk, arguments);
    path_end(&walk);
    return result;
}

/* Makes a file in the memory of the host. */
int64_t user_memfd_create(struct machine *machine, const uint64_t *arguments)
{
    enum { CLOSE_ON_EXEC = 1, NAME_MAXIMUM = 249 };
    struct user *user = &machine->user;
    char name[PATH_MAX], path[PATH_MAX + 32];

    if (arguments[1] & ~(uint64_t)CLOSE_ON_EXEC)
        return -EINVAL;
    int64_t result = user_copy_path(machine, arguments[0], name);
    if (result < 0)
        return result == -ENAMETOOLONG ? -EINVAL : result;
    if (strlen(name) > NAME_MAXIMUM)
        return -EINVAL;
    int64_t fd = user_open_slot(user, arguments[1] & CLOSE_ON_EXEC ? GUEST_O_CLOEXEC : 0);
    if (fd < 0)
        return fd;
    struct user_file *file = user->files[fd];
    snprintf(path, sizeof path, "/memfd:%s (deleted)", name);
    file->host = memfd_create("temu", MFD_CLOEXEC);
    file->flags = GUEST_O_RDWR;
    file->path = strdup(path);
    if (file->host >= 0 && file->path)
        return fd;
    user_close_slot(user, fd);
    return -ENOMEM;
}
