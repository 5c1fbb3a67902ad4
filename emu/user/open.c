/* Opening files of the user environment: regular files, directories and FIFOs by their paths,
 * files in memory without a name (memfd), and a few devices and files about the system (system.c)
 * that programs expect. These are emulated and hide files of the same name in the root. */
#include "emu/user/calls.h"
#include "emu/user/path.h"
#include "emu/user/thread.h"
#include "lib/text.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- devices ---- */

static const struct {
    const char *path;
    enum user_device device;
    unsigned minor;  /* number of Linux */
    unsigned stream; /* of DEVICE_STREAM: its descriptor */
} devices[] = {
    {"/dev/null", DEVICE_NULL, .minor = 3},      {"/dev/zero", DEVICE_ZERO, .minor = 5},
    {"/dev/full", DEVICE_FULL, .minor = 7},      {"/dev/random", DEVICE_RANDOM, .minor = 8},
    {"/dev/urandom", DEVICE_RANDOM, .minor = 9}, {"/dev/stdin", DEVICE_STREAM, .stream = 0},
    {"/dev/stdout", DEVICE_STREAM, .stream = 1}, {"/dev/stderr", DEVICE_STREAM, .stream = 2},
};

/* Returns the index of the path in `devices`; -1: not a device. */
static int find_device(const char *path)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strcmp(devices[i].path, path) == 0)
            return i;
    return -1;
}

const char *user_device_name(unsigned index)
{
    return index < sizeof devices / sizeof *devices ? devices[index].path : NULL;
}

bool user_is_device(const char *path)
{
    return find_device(path) >= 0;
}

unsigned user_device_minor(const char *path)
{
    return devices[find_device(path)].minor;
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

/* ---- open files by the names of their descriptors ---- */

/* Opens a file for reading that is open already, and may have lost its name. */
static int64_t open_again(struct user *user, const struct user_file *named, uint64_t flags)
{
    int64_t fd = user_open_slot(user, flags);

    if (fd < 0)
        return fd;
    struct user_file *file = user->files[fd];
    int64_t result = storage_open_again(named, file);
    file->flags = (uint32_t)flags & ~GUEST_O_CREATION;
    file->path = result < 0 ? NULL : strdup(named->path);
    if (file->path)
        return fd;
    user_close_slot(user, fd);
    return result < 0 ? result : -ENOMEM;
}

/* Is such a file opened by its path? What has none becomes a further descriptor. */
static bool opens_by_path(const struct user_file *named, uint64_t flags)
{
    return named->is_fifo || (named->path && storage_has(named) &&
                              flags & (GUEST_O_ACCMODE | GUEST_O_TRUNC | GUEST_O_PATH));
}

static int64_t open_named(struct user *user, struct user_file *named, uint64_t flags)
{
    if (!named->path || !storage_has(named))
        return user_share_from(user, named, 0, flags & GUEST_O_CLOEXEC);
    return flags & GUEST_O_DIRECTORY && !named->is_directory ? -ENOTDIR
                                                             : open_again(user, named, flags);
}

/* ---- files in memory without a name, and those about the system ---- */

/* Opens a new file in memory. Returns its descriptor, or a negative error number. */
static int64_t open_memory(struct user *user, unsigned mode, uint64_t flags, const char *path)
{
    int64_t fd = user_open_slot(user, flags);

    if (fd < 0)
        return fd;
    struct user_file *file = user->files[fd];
    file->node = node_new(&user->processes->store, S_IFREG | mode);
    file->flags = (uint32_t)flags & ~GUEST_O_CREATION;
    file->path = strdup(path);
    if (file->node && file->path)
        return fd;
    user_close_slot(user, fd);
    return -ENOMEM;
}

/* Opens a file with what there is to tell now. */
static int64_t open_system_file(struct machine *machine, const char *path, uint64_t flags)
{
    struct text text = TEXT_INIT;

    if (flags & GUEST_O_DIRECTORY)
        return -ENOTDIR;
    if (flags & (GUEST_O_ACCMODE | GUEST_O_TRUNC))
        return -EACCES;
    int64_t fd = open_memory(&machine->user, 0444, flags, path);
    if (fd < 0)
        return fd;
    user_system_file(machine, path, &text);
    int64_t written = node_write(machine->user.files[fd]->node, text.bytes, text.length, 0);
    text_free(&text);
    machine->user.files[fd]->node->times = times_at_start;
    if (written >= 0)
        return fd;
    user_close_slot(&machine->user, fd);
    return written;
}

/* Makes a file in memory without a name. */
int64_t user_memfd_create(struct machine *machine, const uint64_t *arguments)
{
    enum { CLOSE_ON_EXEC = 1, NAME_MAXIMUM = 249 };
    char name[PATH_MAX], path[PATH_MAX + 32];

    if (arguments[1] & ~(uint64_t)CLOSE_ON_EXEC)
        return -EINVAL;
    int64_t result = user_copy_path(machine, arguments[0], name);
    if (result < 0)
        return result == -ENAMETOOLONG ? -EINVAL : result;
    if (strlen(name) > NAME_MAXIMUM)
        return -EINVAL;
    snprintf(path, sizeof path, "/memfd:%s (deleted)", name);
    return open_memory(&machine->user, 0777,
                       GUEST_O_RDWR | (arguments[1] & CLOSE_ON_EXEC ? GUEST_O_CLOEXEC : 0), path);
}

/* ---- regular files and directories ---- */

static int64_t open_file(struct machine *machine, const struct path_walk *walk,
                         const uint64_t *arguments)
{
    struct user *user = &machine->user;
    char path[PATH_MAX];

    if (!path_canonical(walk, path))
        return -ENAMETOOLONG;
    if (user_is_device(path)) /* by a relative path, or through a link */
        return open_device(user, find_device(path), arguments[2]);
    if (user_system_file(machine, path, NULL))
        return open_system_file(machine, path, arguments[2]);
    int64_t fd = user_open_slot(user, arguments[2]);
    if (fd < 0)
        return fd;
    struct user_file *file = user->files[fd];
    int64_t result = 0;
    if (arguments[2] & (GUEST_O_ACCMODE | GUEST_O_TRUNC))
        result = user_prepare_change(machine, walk);
    if (result == 0)
        result = storage_open(path_directory(walk), path_name(walk), arguments[2],
                              arguments[3] & 0777 & ~user->creation_mask, file);
    file->flags = (uint32_t)arguments[2] & ~GUEST_O_CREATION;
    file->path = result < 0 ? NULL : strdup(path);
    if (file->path)
        return file->is_fifo && !(file->flags & GUEST_O_PATH) ? user_open_fifo(machine, fd) : fd;
    user_close_slot(user, fd);
    return result < 0 ? result : -ENOMEM;
}

/* Opens the path, of which a link at the end is followed or not. */
static int64_t open_path(struct machine *machine, const char *path, const uint64_t *arguments,
                         bool follow)
{
    struct path_walk walk;
    int64_t result = path_walk_string(machine, &walk, arguments[0], path, follow);

    if (result == 0 && walk.slash && arguments[2] & GUEST_O_CREAT)
        result = -EISDIR;
    if (result == 0)
        result = open_file(machine, &walk, arguments);
    path_end(&walk);
    return result;
}

int64_t user_openat(struct machine *machine, const uint64_t *arguments)
{
    bool follow = !(arguments[2] & GUEST_O_NOFOLLOW) &&
                  (arguments[2] & (GUEST_O_CREAT | GUEST_O_EXCL)) != (GUEST_O_CREAT | GUEST_O_EXCL);
    char path[PATH_MAX];

    if (machine->user.thread->opening.file)
        return user_open_fifo_again(machine);
    if ((arguments[2] & GUEST_O_TMPFILE) == GUEST_O_TMPFILE)
        return -EOPNOTSUPP;
    int64_t result = user_copy_path(machine, arguments[1], path);
    struct user_file *named = result == 0 ? user_named_file(machine, path) : NULL;
    if (named && !opens_by_path(named, arguments[2]))
        return open_named(&machine->user, named, arguments[2]);
    if (result == 0 && !named && user_is_device(path))
        return open_device(&machine->user, find_device(path), arguments[2]);
    if (result == 0 && user_system_file(machine, path, NULL))
        return open_system_file(machine, path, arguments[2]);
    if (result < 0)
        return result;
    /* Most files are not links, so links are looked for only after a file could not be opened. */
    result = open_path(machine, path, arguments, follow && (named || path_is_program(path)));
    if (follow && (result == -ELOOP || result == -ENOTDIR))
        result = open_path(machine, path, arguments, true);
    return result;
}
