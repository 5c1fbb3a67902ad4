/* Names in directories of both places: see storage.h. */
#include "emu/user/storage.h"
#include "emu/user/storage_parts.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t storage_enter(const struct place *place, const char *name, struct place *inside)
{
    struct stat status;

    *inside = (struct place){.host = -1, .times = place->times};
    if (place->node) {
        int error = node_find(place->node, name, &inside->node);
        return error                         ? error
               : S_ISLNK(inside->node->mode) ? -ELOOP
               : S_ISDIR(inside->node->mode) ? 0
                                             : -ENOTDIR;
    }
    inside->host = openat(place->host, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inside->host < 0)
        return -errno;
    if (fstat(inside->host, &status) == 0 && !host_is_kernel(place, inside->host, &status)) {
        inside->device = status.st_dev;
        inside->inode = status.st_ino;
        return 0;
    }
    close(inside->host);
    return -EACCES;
}

void storage_leave(const struct place *place)
{
    if (place->host >= 0)
        close(place->host);
}

int64_t storage_facts(const struct place *place, const char *name, struct file_facts *facts)
{
    struct node *node;
    struct stat status;

    if (place->node) {
        int error = node_find(place->node, name, &node);
        if (!error)
            *facts = facts_of_node(node);
        return error;
    }
    if (!host_status(place, name, &status))
        return -errno;
    *facts = facts_of_host(&status, times_find(place->times, status.st_dev, status.st_ino));
    return 0;
}

bool storage_identify(const struct place *place, const char *name, uint64_t *device,
                      uint64_t *inode)
{
    struct stat status;

    if (place->node || !host_status(place, name, &status))
        return false;
    *device = status.st_dev;
    *inode = status.st_ino;
    return true;
}

int64_t storage_access(const struct place *place, const char *name, unsigned access)
{
    struct node *node;

    if (place->node) {
        int error = node_find(place->node, name, &node);
        return error ? error : node_permits(node, access) ? 0 : -EACCES;
    }
    return host_result(faccessat(place->host, name, (int)access, AT_SYMLINK_NOFOLLOW));
}

int64_t storage_read_link(const struct place *place, const char *name, char *target, size_t size)
{
    struct node *node;

    if (place->node) {
        int error = node_find(place->node, name, &node);
        if (error)
            return error;
        return S_ISLNK(node->mode) ? node_read(node, target, size, 0) : -EINVAL;
    }
    return host_result(readlinkat(place->host, name, target, size));
}

/* Returns the result of a change of the file's attributes on the host. */
static int64_t note_changed(const struct place *place, const char *name, int64_t result)
{
    if (result >= 0)
        storage_set_times(place, name, &times_omitted);
    return result;
}

/* Makes what the type in the mode says. */
static int64_t host_make(const struct place *place, const char *name, unsigned mode)
{
    mode_t mask = umask(0); /* the mode has passed the program's own mask */
    int result = S_ISDIR(mode) ? mkdirat(place->host, name, mode & PERMISSIONS)
                               : mknodat(place->host, name, mode, 0);

    umask(mask);
    return host_note_made(place, name, host_result(result));
}

int64_t storage_make_node(const struct place *place, const char *name, unsigned mode)
{
    return place->node ? node_make(place->node, name, mode, NULL) : host_make(place, name, mode);
}

int64_t storage_make_directory(const struct place *place, const char *name, unsigned mode)
{
    return storage_make_node(place, name, S_IFDIR | mode);
}

int64_t storage_make_link(const struct place *place, const char *name, const char *target)
{
    struct node *node;

    if (!place->node)
        return host_note_made(place, name, host_result(symlinkat(target, place->host, name)));
    int error = node_make(place->node, name, S_IFLNK | PERMISSIONS, &node);
    if (error)
        return error;
    int64_t length = strlen(target);
    if (node_write(node, target, length, 0) == length)
        return 0;
    node_remove(place->node, name, false);
    return -ENOSPC;
}

/* Are the directories in different file systems, one of which is in memory? */
static bool are_apart(const struct place *one, const struct place *other)
{
    if (!one->node || !other->node)
        return one->node || other->node;
    return node_is_in_shared_memory(one->node) != node_is_in_shared_memory(other->node);
}

int64_t storage_link(const struct place *from, const char *old, const struct place *to,
                     const char *new)
{
    struct node *node, *other;

    if (are_apart(from, to))
        return -EXDEV;
    if (!from->node) {
        int64_t result = host_result(linkat(from->host, old, to->host, new, 0));
        if (result == 0)
            host_modify_directory(to);
        return note_changed(to, new, result);
    }
    int error = node_find(from->node, old, &node);
    if (!error && S_ISDIR(node->mode))
        error = node_find(to->node, new, &other) == 0 ? -EEXIST : -EPERM;
    return error ? error : node_link(to->node, new, node);
}

static int64_t rename_host(const struct place *from, const char *old, const struct place *to,
                           const char *new, bool replace)
{
    struct stat moved, replaced;
    bool is_replaced = host_status(to, new, &replaced);

    if (!host_status(from, old, &moved) ||
        renameat2(from->host, old, to->host, new, replace ? 0 : RENAME_NOREPLACE) < 0)
        return -errno;
    if (is_replaced && moved.st_dev == replaced.st_dev && moved.st_ino == replaced.st_ino)
        return 0;
    if (is_replaced)
        host_note_lost(to, &replaced);
    host_modify_directory(from);
    host_modify_directory(to);
    host_set_times(to, &moved, &times_omitted);
    return 0;
}

int64_t storage_rename(const struct place *from, const char *old, const struct place *to,
                       const char *new, bool replace)
{
    if (are_apart(from, to))
        return -EXDEV;
    if (from->node)
        return node_rename(from->node, old, to->node, new, replace);
    return rename_host(from, old, to, new, replace);
}

int64_t storage_remove(const struct place *place, const char *name, bool is_directory)
{
    struct stat status;

    if (place->node)
        return node_remove(place->node, name, is_directory);
    if (!host_status(place, name, &status) ||
        unlinkat(place->host, name, is_directory ? AT_REMOVEDIR : 0) < 0)
        return -errno;
    host_note_lost(place, &status);
    host_modify_directory(place);
    return 0;
}

int64_t storage_change_mode(const struct place *place, const char *name, unsigned mode)
{
    struct node *node;

    if (!place->node)
        return note_changed(place, name,
                            host_result(fchmodat(place->host, name, mode, AT_SYMLINK_NOFOLLOW)));
    int error = node_find(place->node, name, &node);
    return error ? error : node_change_mode(node, mode);
}

int64_t storage_set_times(const struct place *place, const char *name,
                          const struct times_change *change)
{
    struct node *node;
    struct stat status;

    if (!place->node)
        return host_status(place, name, &status) ? host_set_times(place, &status, change) : -errno;
    int error = node_find(place->node, name, &node);
    if (!error)
        node_set_times(node, change);
    return error;
}

static int64_t truncate_host(const struct place *place, const char *name, uint64_t size)
{
    struct stat status;
    struct file_times *times;
    int64_t result = 0;

    if (host_is_fifo(place, name))
        return -EINVAL;
    int file = openat(place->host, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

    if (file < 0)
        return -errno;
    if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode))
        result = -EINVAL;
    else if (host_is_kernel(place, file, &status))
        result = -EACCES;
    else
        result = host_result(ftruncate(file, size));
    if (result == 0 && (times = host_keep_times(place, &status)))
        times_modify(times, place->times->now);
    close(file);
    return result;
}

int64_t storage_truncate(const struct place *place, const char *name, uint64_t size)
{
    struct node *node;

    if (!place->node)
        return truncate_host(place, name, size);
    int error = node_find(place->node, name, &node);
    if (!error)
        error = S_ISDIR(node->mode)         ? -EISDIR
                : !S_ISREG(node->mode)      ? -EINVAL
                : !node_permits(node, W_OK) ? -EACCES
                                            : 0;
    return error ? error : node_resize(node, size);
}
