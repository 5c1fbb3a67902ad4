/* Paths of the guest: see path.h. */
#include "emu/user/path.h"
#include "emu/user/calls.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MAXIMUM = 40 }; /* as in Linux */

/* Types of file systems that linux/magic.h may not have yet. */
enum {
    FUSE_CONTROL_MAGIC = 0x65735543,
    CONFIG_MAGIC = 0x62656570,
    RPC_MAGIC = 0x67596969,
    PID_MAGIC = 0x50494446,
    MESSAGE_QUEUE_MAGIC = 0x19800202,
};

bool path_is_kernel(int file)
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

static void walk_up(struct path_walk *walk)
{
    if (walk->depth == 0)
        return;
    close(walk->directories[walk->depth--]);
    *strrchr(walk->where, '/') = '\0';
}

void path_end(struct path_walk *walk)
{
    while (walk->depth > 0)
        walk_up(walk);
}

/* Moves the next component from the rest into walk->name. Returns 0, or an error number. */
static int next_component(struct path_walk *walk)
{
    const char *start = walk->rest + strspn(walk->rest, "/");
    size_t length = strcspn(start, "/");

    if (length > NAME_MAX)
        return ENAMETOOLONG;
    memcpy(walk->name, start, length);
    walk->name[length] = '\0';
    memmove(walk->rest, start + length, strlen(start + length) + 1);
    return 0;
}

static bool is_last(const struct path_walk *walk)
{
    return walk->rest[strspn(walk->rest, "/")] == '\0';
}

/* Puts the target of the symbolic link walk->name in front of the rest. Returns 0, or an error
 * number. */
static int follow_link(struct path_walk *walk)
{
    char target[PATH_MAX], rest[2 * PATH_MAX];
    ssize_t length =
        readlinkat(walk->directories[walk->depth], walk->name, target, sizeof target - 1);

    if (length < 0)
        return errno;
    target[length] = '\0';
    if (++walk->links > LINKS_MAXIMUM)
        return ELOOP;
    if (target[0] == '/')
        path_end(walk);
    if ((size_t)snprintf(rest, sizeof rest, "%s%s", target, walk->rest) >= sizeof rest)
        return ENAMETOOLONG;
    memcpy(walk->rest, rest, strlen(rest) + 1);
    walk->name[0] = '\0';
    return 0;
}

/* Is walk->name an existing file that is not a directory? */
static bool is_file(const struct path_walk *walk)
{
    struct stat status;

    return fstatat(walk->directories[walk->depth], walk->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           !S_ISDIR(status.st_mode);
}

static bool is_link(const struct path_walk *walk)
{
    struct stat status;

    return fstatat(walk->directories[walk->depth], walk->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISLNK(status.st_mode);
}

static int walk_down(struct path_walk *walk)
{
    size_t used = strlen(walk->where);

    if (walk->depth + 1 == PATH_DEPTH || used + 1 + strlen(walk->name) >= sizeof walk->where)
        return ENAMETOOLONG;
    int directory = openat(walk->directories[walk->depth], walk->name,
                           O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return errno;
    if (path_is_kernel(directory)) {
        close(directory);
        return EACCES;
    }
    walk->directories[++walk->depth] = directory;
    walk->where[used] = '/';
    memcpy(walk->where + used + 1, walk->name, strlen(walk->name) + 1);
    return 0;
}

static int walk_rest(struct path_walk *walk, bool follow)
{
    for (;;) {
        int error = next_component(walk);
        if (error)
            return error;
        if (walk->name[0] == '\0')
            return 0;
        walk->slash = walk->rest[0] == '/';
        walk->dots = 0;
        if (strcmp(walk->name, ".") == 0 || strcmp(walk->name, "..") == 0) {
            walk->dots = strlen(walk->name);
            if (walk->name[1])
                walk_up(walk);
            walk->name[0] = '\0';
        } else if (is_link(walk) && (follow || walk->slash)) {
            error = follow_link(walk);
        } else if (is_last(walk)) {
            return walk->slash && is_file(walk) ? ENOTDIR : 0;
        } else {
            error = walk_down(walk);
        }
        if (error)
            return error;
    }
}

/* Returns the directory that a relative path starts from; NULL with an error number when there is
 * none. */
static const char *find_start(const struct machine *machine, uint64_t directory, int *error)
{
    if ((int32_t)directory == GUEST_AT_FDCWD)
        return machine->user.working;
    const struct user_file *file = user_file(machine, (uint32_t)directory);
    *error = file ? ENOTDIR : EBADF;
    return file && file->is_directory ? file->path : NULL;
}

int64_t path_walk(struct machine *machine, struct path_walk *walk, uint64_t directory,
                  uint64_t address, bool follow)
{
    char path[PATH_MAX];
    const char *start = "";
    int error = 0;

    walk->depth = walk->links = walk->dots = 0;
    walk->slash = false;
    walk->where[0] = walk->name[0] = '\0';
    int64_t copied = user_copy_path(machine, address, path);
    if (copied < 0)
        return copied;
    if (path[0] != '/')
        start = find_start(machine, directory, &error);
    if (!start)
        return -error;
    if (machine->user.root < 0 || path[0] == '\0')
        return -ENOENT;
    walk->directories[0] = machine->user.root;
    snprintf(walk->rest, sizeof walk->rest, "%s/%s", start, path);
    return -walk_rest(walk, follow);
}

int64_t path_check_new(const struct path_walk *walk)
{
    struct stat status;

    if (!walk->name[0])
        return -EEXIST;
    if (!walk->slash)
        return 0;
    return fstatat(path_directory(walk), walk->name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? -EEXIST
                                                                                        : -ENOENT;
}

int path_directory(const struct path_walk *walk)
{
    return walk->directories[walk->depth];
}

const char *path_name(const struct path_walk *walk)
{
    return walk->name[0] ? walk->name : ".";
}

bool path_canonical(const struct path_walk *walk, char canonical[PATH_MAX])
{
    if (walk->name[0])
        return snprintf(canonical, PATH_MAX, "%s/%s", walk->where, walk->name) < PATH_MAX;
    return snprintf(canonical, PATH_MAX, "%s", walk->where[0] ? walk->where : "/") < PATH_MAX;
}
