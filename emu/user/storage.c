/* See storage.h. What concerns the host is here, what concerns memory in store.c. */
#include "emu/user/storage.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PERMISSIONS = 0777 };

static int64_t result_of(int64_t host)
{
    return host < 0 ? -errno : host;
}

/* ---- names in a directory ---- */

/* Types of file systems that linux/magic.h may not have yet. */
enum {
    FUSE_CONTROL_MAGIC = 0x65735543,
    CONFIG_MAGIC = 0x62656570,
    RPC_MAGIC = 0x67596969,
    PID_MAGIC = 0x50494446,
    MESSAGE_QUEUE_MAGIC = 0x19800202,
};

/* Is the open file an interface of the kernel, or can that not be found out? */
static bool is_kernel(int file)
{
    static const uint32_t types[] = {
        PROC_SUPER_MAGIC,
        SYSFS_MAGIC,
        DEBUGFS_MAGIC,
        TRACEFS_MAGIC,
        SECURITYFS_MAGIC,
        SELINUX_MAGIC,
        SMACK_MAGIC,
        CGROUP_SUPER_MAGIC,
        CGROUP2_SUPER_MAGIC,
        BPF_FS_MAGIC,
        PSTOREFS_MAGIC,
        EFIVARFS_MAGIC,
        DEVPTS_SUPER_MAGIC,
        NSFS_MAGIC,
        BINFMTFS_MAGIC,
        RDTGROUP_SUPER_MAGIC,
        OPENPROM_SUPER_MAGIC,
        USBDEVICE_SUPER_MAGIC,
        AAFS_MAGIC,
        FUSE_CONTROL_MAGIC,
        CONFIG_MAGIC,
        RPC_MAGIC,
        PID_MAGIC,
        MESSAGE_QUEUE_MAGIC,
    };
    struct statfs status;

    if (fstatfs(file, &status) < 0)
        return true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if ((uint32_t)status.f_type == types[i])
            return true;
    return false;
}

/* The same for one that was opened in the directory. */
static bool is_kernel_in(const struct place *place, int file, const struct stat *status)
{
    return (!place->device || status->st_dev != place->device) && is_kernel(file);
}

uint64_t storage_device(int file)
{
    struct stat status;

    return fstat(file, &status) < 0 || is_kernel(file) ? 0 : status.st_dev;
}

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
    if (fstat(inside->host, &status) == 0 && !is_kernel_in(place, inside->host, &status)) {
        inside->device = status.st_dev;
        inside->inode = status.st_ino;
        return 0;
    }
    close(inside->host);
    return -EACCES;
}

/* Opens the directory beneath the root. Returns its descriptor, or a negative error number. */
static int64_t open_beneath(const struct place *root, const char *path)
{
#ifdef SYS_openat2
    const struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                                 .resolve =
                                     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};

    return result_of(syscall(SYS_openat2, root->host, path, &how, sizeof how));
#else
    (void)root, (void)path;
    return -ENOSYS;
#endif
}

/* Returns the recent directory of the path, or the one that is replaced by it. */
static struct recent_directory *find_recent(struct recent_directories *recent, const char *path)
{
    struct recent_directory *found = recent->all;

    for (struct recent_directory *one = recent->all; one < recent->all + RECENT_DIRECTORIES;
         one++) {
        if (one->used && strcmp(one->path, path) == 0)
            return one;
        if (one->used < found->used)
            found = one;
    }
    return found;
}

static void forget(struct recent_directory *directory)
{
    if (directory->used)
        close(directory->host);
    directory->used = 0;
}

int64_t storage_leap(struct recent_directories *recent, const struct place *root, const char *path,
                     struct place *inside)
{
    struct recent_directory *found = find_recent(recent, path);
    uint64_t device, inode;

    if (root->node)
        return -ENOSYS;
    if (strlen(path) >= RECENT_PATH)
        return -ENAMETOOLONG;
    /* Links that a path has by now do not matter: they lead to the same directory. */
    if (!found->used || strcmp(found->path, path) != 0 ||
        !storage_identify(root, path, &device, &inode) || device != found->device ||
        inode != found->inode) {
        int64_t host = open_beneath(root, path);
        if (host < 0)
            return host;
        forget(found);
        found->host = (int)host;
        const struct place place = {.host = found->host};
        if (!storage_identify(&place, ".", &found->device, &found->inode)) {
            close(found->host);
            return -EACCES;
        }
        memcpy(found->path, path, strlen(path) + 1);
    }
    found->used = ++recent->uses;
    *inside = (struct place){
        .host = found->host, .device = found->device, .inode = found->inode, .times = root->times};
    return 0;
}

void storage_close_recent(struct recent_directories *recent)
{
    for (size_t i = 0; i < RECENT_DIRECTORIES; i++)
        forget(&recent->all[i]);
}

void storage_leave(const struct place *place)
{
    if (place->host >= 0)
        close(place->host);
}

/* Asks the host about the name. Returns false, with errno, when it cannot tell. */
static bool host_status(const struct place *place, const char *name, struct stat *status)
{
    return fstatat(place->host, name, status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* ---- times of files of the host, after a change of what the name means ---- */

static struct file_times *keep_times(const struct place *place, const struct stat *status)
{
    return times_keep(place->times, status->st_dev, status->st_ino);
}

/* The names in the directory have changed. */
static void modify_directory(const struct place *place)
{
    struct stat status = {.st_dev = place->device, .st_ino = place->inode};
    struct file_times *times =
        place->inode || fstat(place->host, &status) == 0 ? keep_times(place, &status) : NULL;

    if (times)
        times_modify(times, place->times->now);
}

static int64_t set_host_times(const struct place *place, const struct stat *status,
                              const struct times_change *change)
{
    struct file_times *times = keep_times(place, status);

    if (!times)
        return -ENOMEM;
    times_set(times, change, place->times->now);
    return 0;
}

/* Returns the result of a change of the file's attributes. */
static int64_t note_changed(const struct place *place, const char *name, int64_t result)
{
    if (result >= 0)
        storage_set_times(place, name, &times_omitted);
    return result;
}

/* A file was made, of which this is known. */
static void note_new(const struct place *place, const struct stat *status)
{
    struct file_times *times = keep_times(place, status);

    if (times)
        *times = times_of_new(place->times->now);
    modify_directory(place);
}

/* Returns the result of making a file. */
static int64_t note_made(const struct place *place, const char *name, int64_t result)
{
    struct stat status;

    if (result >= 0 && host_status(place, name, &status))
        note_new(place, &status);
    return result;
}

/* The file, which was like this, has lost a name. */
static void note_lost(const struct place *place, const struct stat *status)
{
    if (S_ISDIR(status->st_mode) || status->st_nlink <= 1)
        times_forget(place->times, status->st_dev, status->st_ino);
    else
        set_host_times(place, status, &times_omitted);
}

static struct file_facts facts_of_node(const struct node *node)
{
    bool is_directory = S_ISDIR(node->mode);

    return (struct file_facts){.mode = node->mode & (S_IFMT | PERMISSIONS),
                               .size = is_directory ? MEMORY_PAGE : node->size,
                               .names = is_directory ? 1 : node->names,
                               .device = UINT64_MAX,
                               .inode = (uintptr_t)node,
                               .times = node->times};
}

static struct file_facts facts_of_host(const struct stat *status, struct file_times times)
{
    bool is_directory = S_ISDIR(status->st_mode);

    return (struct file_facts){.mode = status->st_mode & (S_IFMT | PERMISSIONS),
                               .size = is_directory ? MEMORY_PAGE : (uint64_t)status->st_size,
                               .names = is_directory ? 1 : (unsigned)status->st_nlink,
                               .device = status->st_dev,
                               .inode = status->st_ino,
                               .times = times};
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
    return result_of(faccessat(place->host, name, (int)access, AT_SYMLINK_NOFOLLOW));
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
    return result_of(readlinkat(place->host, name, target, size));
}

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
        host = openat(place->host, name, host_flags | O_EXCL, mode);
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
        note_new(place, status);
    else if (flags & GUEST_O_TRUNC && S_ISREG(status->st_mode))
        times_modify(times_of_open(file->times), place->times->now);
    file->host = host;
    file->host_device = status->st_dev;
    file->host_inode = status->st_ino;
    return 0;
}

static bool is_host_fifo(const struct place *place, const char *name)
{
    struct stat status;

    return host_status(place, name, &status) && S_ISFIFO(status.st_mode);
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
        is_kernel_in(place, host, &status)) {
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
        return is_host_fifo(place, name) ? open_host_fifo(place, name, flags, file) : -ENXIO;
    if (host < 0)
        return -errno;
    if (fstat(host, &status) < 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) ||
        is_kernel_in(place, host, &status)) {
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

int64_t storage_make_node(const struct place *place, const char *name, unsigned mode)
{
    return place->node ? node_make(place->node, name, mode, NULL)
                       : note_made(place, name, result_of(mknodat(place->host, name, mode, 0)));
}

int64_t storage_make_directory(const struct place *place, const char *name, unsigned mode)
{
    return place->node ? node_make(place->node, name, S_IFDIR | mode, NULL)
                       : note_made(place, name, result_of(mkdirat(place->host, name, mode)));
}

int64_t storage_make_link(const struct place *place, const char *name, const char *target)
{
    struct node *node;

    if (!place->node)
        return note_made(place, name, result_of(symlinkat(target, place->host, name)));
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
        int64_t result = result_of(linkat(from->host, old, to->host, new, 0));
        if (result == 0)
            modify_directory(to);
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
        note_lost(to, &replaced);
    modify_directory(from);
    modify_directory(to);
    set_host_times(to, &moved, &times_omitted);
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
    note_lost(place, &status);
    modify_directory(place);
    return 0;
}

static int change_node_mode(struct node *node, unsigned mode)
{
    if (S_ISLNK(node->mode))
        return -EOPNOTSUPP;
    node->mode = (node->mode & S_IFMT) | mode;
    node_set_times(node, &times_omitted);
    return 0;
}

int64_t storage_change_mode(const struct place *place, const char *name, unsigned mode)
{
    struct node *node;

    if (!place->node)
        return note_changed(place, name,
                            result_of(fchmodat(place->host, name, mode, AT_SYMLINK_NOFOLLOW)));
    int error = node_find(place->node, name, &node);
    return error ? error : change_node_mode(node, mode);
}

int64_t storage_set_times(const struct place *place, const char *name,
                          const struct times_change *change)
{
    struct node *node;
    struct stat status;

    if (!place->node)
        return host_status(place, name, &status) ? set_host_times(place, &status, change) : -errno;
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

    if (is_host_fifo(place, name))
        return -EINVAL;
    int file = openat(place->host, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

    if (file < 0)
        return -errno;
    if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode))
        result = -EINVAL;
    else if (is_kernel_in(place, file, &status))
        result = -EACCES;
    else
        result = result_of(ftruncate(file, size));
    if (result == 0 && (times = keep_times(place, &status)))
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

/* ---- open files ---- */

bool storage_has(const struct user_file *file)
{
    return !file->is_stream && !file->pipe && (file->host >= 0 || file->node);
}

int64_t storage_file_facts(const struct user_file *file, struct file_facts *facts)
{
    struct stat status;

    if (file->node) {
        *facts = facts_of_node(file->node);
        return 0;
    }
    if (fstat(file->host, &status) < 0)
        return -errno;
    *facts = facts_of_host(&status, file->times ? file->times->times : times_at_start);
    return 0;
}

int64_t storage_read(const struct user_file *file, void *bytes, uint64_t length, uint64_t place)
{
    return file->node ? node_read(file->node, bytes, length, place)
                      : result_of(pread(file->host, bytes, length, place));
}

int64_t storage_write(const struct user_file *file, const void *bytes, uint64_t length,
                      uint64_t place)
{
    if (!file->node) {
        int64_t done = result_of(pwrite(file->host, bytes, length, place));
        if (done > 0)
            storage_modify(file);
        return done;
    }
    /* As in Linux, a file opened for appending is written at its end wherever the call says. */
    if (file->flags & GUEST_O_APPEND)
        place = file->node->size;
    return node_write(file->node, bytes, length, place);
}

int64_t storage_seek(struct user_file *file, int64_t offset, int whence)
{
    if (!file->node)
        return result_of(lseek(file->host, offset, whence));
    int64_t size = file->node->size;
    int64_t base = whence == SEEK_CUR ? (int64_t)file->offset : whence == SEEK_END ? size : 0;
    if (whence == SEEK_DATA || whence == SEEK_HOLE) {
        if (offset < 0 || offset >= size)
            return -ENXIO;
        offset = whence == SEEK_DATA ? offset : size;
    }
    if (offset > INT64_MAX - base)
        return -EOVERFLOW;
    if (base + offset < 0)
        return -EINVAL;
    return file->offset = base + offset;
}

int64_t storage_resize(const struct user_file *file, uint64_t size)
{
    if (file->node)
        return node_resize(file->node, size);
    if (ftruncate(file->host, size) < 0)
        return -errno;
    storage_modify(file);
    return 0;
}

int64_t storage_change_file_mode(const struct user_file *file, unsigned mode)
{
    if (file->node)
        return change_node_mode(file->node, mode);
    if (fchmod(file->host, mode) < 0)
        return -errno;
    storage_set_file_times(file, &times_omitted);
    return 0;
}

void storage_set_file_times(const struct user_file *file, const struct times_change *change)
{
    if (file->node)
        node_set_times(file->node, change);
    else if (file->times)
        times_set(times_of_open(file->times), change, file->times->table->now);
}

void storage_modify(const struct user_file *file)
{
    if (file->node)
        node_modify(file->node);
    else if (file->times)
        times_modify(times_of_open(file->times), file->times->table->now);
}

bool storage_is_same(const struct user_file *one, const struct user_file *other)
{
    if (one->node || other->node)
        return one->node == other->node;
    return one->host >= 0 && other->host >= 0 && one->host_device == other->host_device &&
           one->host_inode == other->host_inode;
}

static int64_t list_node(const struct node *node, void *context,
                         bool (*found)(void *context, const char *name, unsigned type))
{
    bool good = found(context, ".", DT_DIR) && found(context, "..", DT_DIR);

    for (size_t i = 0; good && i < node->count; i++)
        good = found(context, node->entries[i].name, IFTODT(node->entries[i].node->mode));
    return good ? 0 : -ENOMEM;
}

int64_t storage_list(const struct user_file *file, void *context,
                     bool (*found)(void *context, const char *name, unsigned type))
{
    enum { CHUNK = 0x8000 };
    _Alignas(struct dirent64) char bytes[CHUNK];
    int64_t length;

    if (file->node)
        return list_node(file->node, context, found);
    if (lseek(file->host, 0, SEEK_SET) < 0)
        return -errno;
    while ((length = getdents64(file->host, bytes, sizeof bytes)) > 0) {
        const struct dirent64 *entry;
        for (const char *at = bytes; at < bytes + length; at += entry->d_reclen) {
            entry = (const struct dirent64 *)at;
            if (!found(context, entry->d_name, entry->d_type))
                return -ENOMEM;
        }
    }
    return result_of(length);
}

void storage_close(struct user_file *file)
{
    if (file->times)
        times_close(file->times);
    if (file->host >= 0)
        close(file->host);
    if (file->node)
        node_drop(file->node);
}
