/* The user environment's calls that change a file without its contents: links, modes, owners,
 * times, its length, and extended attributes, which no file has. */
#include "emu/user/calls.h"
#include "emu/user/path.h"
#include <errno.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>

/* ---- links and nodes ---- */

int64_t user_linkat(struct machine *machine, const uint64_t *arguments)
{
    enum { FOLLOW = 0x400 };
    struct path_walk from, to;
    struct file_facts facts;
    char path[PATH_MAX];

    if (arguments[4] & ~(uint64_t)FOLLOW)
        return -EINVAL;
    int64_t result = path_walk(machine, &from, arguments[0], arguments[1], arguments[4] & FOLLOW);
    if (result == 0) {
        result = path_walk(machine, &to, arguments[2], arguments[3], false);
        if (result == 0)
            result = path_check_new(&to);
        if (result == 0)
            result = storage_facts(path_directory(&from), path_name(&from), &facts);
        if (result == 0)
            result =
                storage_link(path_directory(&from), path_name(&from), path_directory(&to), to.name);
        if (result == 0 && path_canonical(&from, path))
            inode_note_link(machine->user.processes, path, &facts);
        path_end(&to);
    }
    path_end(&from);
    return result;
}

/* Makes regular files and FIFOs only, because no other node could be opened. */
int64_t user_mknodat(struct machine *machine, const uint64_t *arguments)
{
    uint64_t type = arguments[2] & S_IFMT;
    struct path_walk walk;

    if (type == S_IFDIR)
        return -EPERM;
    if (type != 0 && type != S_IFREG && type != S_IFCHR && type != S_IFBLK && type != S_IFIFO &&
        type != S_IFSOCK)
        return -EINVAL;
    int64_t result = path_walk(machine, &walk, arguments[0], arguments[1], false);
    if (result == 0)
        result = path_check_new(&walk);
    if (result == 0 && type != 0 && type != S_IFREG && type != S_IFIFO)
        result = -EPERM;
    if (result == 0)
        result = storage_make_node(path_directory(&walk), walk.name,
                                   (type ? type : S_IFREG) |
                                       (arguments[2] & PERMISSIONS & ~machine->user.creation_mask));
    path_end(&walk);
    return result;
}

/* ---- mode and owner ---- */

int64_t user_fchmodat(struct machine *machine, const uint64_t *arguments)
{
    struct path_walk walk;
    int64_t result = path_walk(machine, &walk, arguments[0], arguments[1], true);

    if (result == 0)
        result = storage_change_mode(path_directory(&walk), path_name(&walk),
                                     arguments[2] & PERMISSIONS);
    path_end(&walk);
    return result;
}

/* Returns the open file when it can be changed; NULL with an error number otherwise. */
static const struct user_file *changeable(const struct machine *machine, uint64_t fd, int *error)
{
    const struct user_file *file = user_file(machine, fd);

    *error = !file || file->flags & GUEST_O_PATH ? EBADF : EPERM;
    return file && !(file->flags & GUEST_O_PATH) && (storage_has(file) || user_unnamed_mode(file))
               ? file
               : NULL;
}

int64_t user_fchmod(struct machine *machine, const uint64_t *arguments)
{
    int error;
    const struct user_file *file = changeable(machine, arguments[0], &error);
    unsigned *unnamed = file ? user_unnamed_mode(file) : NULL;

    if (!unnamed)
        return file ? storage_change_file_mode(file, arguments[1] & PERMISSIONS) : -error;
    *unnamed = arguments[1] & PERMISSIONS;
    return 0;
}

/* Checks a change of owner. All files belong to the only user; other ids are refused. */
static int64_t check_owner(uint64_t user, uint64_t group)
{
    uint32_t keep = UINT32_MAX;
    bool same = ((uint32_t)user == keep || (uint32_t)user == GUEST_UID) &&
                ((uint32_t)group == keep || (uint32_t)group == GUEST_UID);

    return same ? 0 : -EPERM;
}

int64_t user_fchownat(struct machine *machine, const uint64_t *arguments)
{
    enum { NO_FOLLOW = 0x100 };

    if (arguments[4] & ~(uint64_t)NO_FOLLOW)
        return -EINVAL;
    struct path_walk walk;
    struct file_facts facts;
    int64_t result =
        path_walk(machine, &walk, arguments[0], arguments[1], !(arguments[4] & NO_FOLLOW));
    if (result == 0)
        result = path_facts(&walk, &facts);
    if (result == 0)
        result = check_owner(arguments[2], arguments[3]);
    if (result == 0)
        result = storage_set_times(path_directory(&walk), path_name(&walk), &times_omitted);
    path_end(&walk);
    return result;
}

int64_t user_fchown(struct machine *machine, const uint64_t *arguments)
{
    int error;
    const struct user_file *file = changeable(machine, arguments[0], &error);
    int64_t result = file ? check_owner(arguments[1], arguments[2]) : -error;

    if (result == 0 && storage_has(file))
        storage_set_file_times(file, &times_omitted);
    return result;
}

/* ---- times ---- */

/* One of the times of utimensat. Returns false if it is not valid. */
static bool read_time(const uint64_t parts[2], struct file_time now, bool *sets,
                      struct file_time *time)
{
    enum { NOW = 0x3fffffff, OMIT = 0x3ffffffe, SECOND = 1000000000 };

    *sets = parts[1] != OMIT;
    *time = parts[1] == NOW ? now : (struct file_time){(int64_t)parts[0], (uint32_t)parts[1]};
    return parts[1] < SECOND || parts[1] == NOW || parts[1] == OMIT;
}

/* Reads the times of utimensat; without an address, all become the present. Returns 0, or a
 * negative error number. */
static int64_t read_times(struct machine *machine, uint64_t address, struct times_change *change)
{
    struct file_time now = times_date(user_time(machine));
    uint64_t parts[4];

    *change = (struct times_change){true, true, now, now};
    if (!address)
        return 0;
    if (!user_copy_in(machine, parts, address, sizeof parts))
        return -EFAULT;
    bool is_valid = read_time(parts, now, &change->sets_accessed, &change->accessed);
    is_valid &= read_time(parts + 2, now, &change->sets_modified, &change->modified);
    return is_valid ? 0 : -EINVAL;
}

/* Sets the times of an open file. Those of streams, devices, pipes and sockets stay as they are. */
static int64_t set_times_of_file(const struct user_file *file, const struct times_change *change)
{
    if (!file)
        return -EBADF;
    if (storage_has(file))
        storage_set_file_times(file, change);
    return 0;
}

static int64_t set_times_of_path(struct machine *machine, uint64_t directory, const char *path,
                                 bool follow, const struct times_change *change)
{
    const struct user_file *named = follow ? user_named_file(machine, path) : NULL;
    struct path_walk walk;

    if (named)
        return set_times_of_file(named, change);
    if (user_is_device(path) || user_system_file(machine, path, NULL))
        return 0;
    int64_t result = path_walk_string(machine, &walk, directory, path, follow);
    if (result == 0)
        result = storage_set_times(path_directory(&walk), path_name(&walk), change);
    path_end(&walk);
    return result;
}

int64_t user_utimensat(struct machine *machine, const uint64_t *arguments)
{
    enum { NO_FOLLOW = 0x100, EMPTY_PATH = 0x1000 };
    bool is_here = (int32_t)arguments[0] == GUEST_AT_FDCWD;
    const struct user_file *file = user_file(machine, arguments[0]);
    struct times_change change;
    char path[PATH_MAX];

    int64_t result = read_times(machine, arguments[2], &change);
    if (result < 0 || (!change.sets_accessed && !change.sets_modified))
        return result;
    if (!arguments[1] && !is_here)
        return arguments[3]                          ? -EINVAL
               : !file || file->flags & GUEST_O_PATH ? -EBADF
                                                     : set_times_of_file(file, &change);
    if (arguments[3] & ~(uint64_t)(NO_FOLLOW | EMPTY_PATH))
        return -EINVAL;
    result = user_copy_path(machine, arguments[1], path);
    if (result < 0)
        return result;
    if (!path[0] && arguments[3] & EMPTY_PATH && !is_here)
        return set_times_of_file(file, &change);
    return set_times_of_path(machine, arguments[0],
                             path[0] || !(arguments[3] & EMPTY_PATH) ? path : ".",
                             !(arguments[3] & NO_FOLLOW), &change);
}

/* ---- length ---- */

int64_t user_truncate(struct machine *machine, const uint64_t *arguments)
{
    struct path_walk walk;

    if ((int64_t)arguments[1] < 0)
        return -EINVAL;
    int64_t result =
        path_walk(machine, &walk, (uint64_t)(int64_t)GUEST_AT_FDCWD, arguments[0], true);
    if (result == 0)
        result = user_prepare_change(machine, &walk);
    if (result == 0)
        result = storage_truncate(path_directory(&walk), path_name(&walk), arguments[1]);
    path_end(&walk);
    return result;
}

/* Allocated space reads as zeros, as a file does that was made longer. So only the length is set.
 */
int64_t user_fallocate(struct machine *machine, const uint64_t *arguments)
{
    enum { KEEP_SIZE = 1 };
    const struct user_file *file = user_file(machine, arguments[0]);
    int64_t offset = arguments[2], length = arguments[3];
    struct file_facts facts;

    if (!file || file->flags & GUEST_O_PATH)
        return -EBADF;
    if (offset < 0 || length <= 0)
        return -EINVAL;
    if (arguments[1] & ~(uint64_t)KEEP_SIZE)
        return -EOPNOTSUPP;
    if ((file->flags & GUEST_O_ACCMODE) == GUEST_O_RDONLY)
        return -EBADF;
    if (file->pipe)
        return -ESPIPE;
    if (!storage_has(file) || storage_file_facts(file, &facts) < 0)
        return -ENODEV;
    if (length > INT64_MAX - offset)
        return -EFBIG;
    if (arguments[1] & KEEP_SIZE || (uint64_t)offset + length <= facts.size) {
        storage_modify(file);
        return 0;
    }
    return storage_resize(file, (uint64_t)offset + length);
}

/* ---- extended attributes ---- */

/* Checks the name of an attribute. Returns 0, or a negative error number. */
static int64_t check_attribute_name(struct machine *machine, uint64_t address)
{
    for (unsigned length = 0; length <= XATTR_NAME_MAX; length++) {
        char letter;

        if (!user_copy_in(machine, &letter, address + length, 1))
            return -EFAULT;
        if (!letter)
            return length ? 0 : -ERANGE;
    }
    return -ERANGE;
}

/* Checks what setxattr and its like are given besides the file. The same returns. */
static int64_t check_new_attribute(struct machine *machine, const uint64_t *arguments)
{
    uint64_t value = arguments[2], size = arguments[3];

    if ((uint32_t)arguments[4] & ~(uint32_t)(XATTR_CREATE | XATTR_REPLACE))
        return -EINVAL;
    int64_t result = check_attribute_name(machine, arguments[1]);
    if (result == 0 && size > XATTR_SIZE_MAX)
        result = -E2BIG;
    if (result == 0 && size && !memory_range(&machine->memory, value, size, false))
        result = -EFAULT;
    return result;
}

/* Returns 0 if there is a file of this name, or a negative error number. */
static int64_t find_path(struct machine *machine, uint64_t address, bool follow)
{
    struct path_walk walk;
    struct file_facts facts;
    char path[PATH_MAX];
    int64_t result = user_copy_path(machine, address, path);

    if (result < 0)
        return result;
    if ((follow && user_named_file(machine, path)) || user_is_device(path) ||
        user_system_file(machine, path, NULL))
        return 0;
    result = path_walk_string(machine, &walk, (uint64_t)(int64_t)GUEST_AT_FDCWD, path, follow);
    if (result == 0)
        result = path_facts(&walk, &facts);
    path_end(&walk);
    return result;
}

/* Returns 0 if the descriptor is open, or -EBADF. */
static int64_t find_descriptor(const struct machine *machine, uint64_t fd)
{
    const struct user_file *file = user_file(machine, fd);

    return file && !(file->flags & GUEST_O_PATH) ? 0 : -EBADF;
}

/* The result of a call for one attribute of a file, after the checks of both. */
static int64_t refuse_attribute(int64_t arguments, int64_t file)
{
    return arguments < 0 ? arguments : file < 0 ? file : -EOPNOTSUPP;
}

int64_t user_setxattr(struct machine *machine, const uint64_t *arguments)
{
    return refuse_attribute(check_new_attribute(machine, arguments),
                            find_path(machine, arguments[0], true));
}

int64_t user_lsetxattr(struct machine *machine, const uint64_t *arguments)
{
    return refuse_attribute(check_new_attribute(machine, arguments),
                            find_path(machine, arguments[0], false));
}

int64_t user_fsetxattr(struct machine *machine, const uint64_t *arguments)
{
    return refuse_attribute(check_new_attribute(machine, arguments),
                            find_descriptor(machine, arguments[0]));
}

/* getxattr and removexattr */
int64_t user_getxattr(struct machine *machine, const uint64_t *arguments)
{
    return refuse_attribute(check_attribute_name(machine, arguments[1]),
                            find_path(machine, arguments[0], true));
}

/* lgetxattr and lremovexattr */
int64_t user_lgetxattr(struct machine *machine, const uint64_t *arguments)
{
    return refuse_attribute(check_attribute_name(machine, arguments[1]),
                            find_path(machine, arguments[0], false));
}

/* fgetxattr and fremovexattr */
int64_t user_fgetxattr(struct machine *machine, const uint64_t *arguments)
{
    return refuse_attribute(check_attribute_name(machine, arguments[1]),
                            find_descriptor(machine, arguments[0]));
}

int64_t user_listxattr(struct machine *machine, const uint64_t *arguments)
{
    return find_path(machine, arguments[0], true);
}

int64_t user_llistxattr(struct machine *machine, const uint64_t *arguments)
{
    return find_path(machine, arguments[0], false);
}

int64_t user_flistxattr(struct machine *machine, const uint64_t *arguments)
{
    return find_descriptor(machine, arguments[0]);
}

/* ---- the file system ---- */

/* Writes a struct statfs of 64-bit machines. Its contents are constants, like those of a file
 * system in memory. */
static int64_t put_statfs(struct machine *machine, uint64_t address)
{
    enum { BLOCKS = 1 << 20 };
    const uint64_t status[15] = {
        0x01021994, MEMORY_PAGE, BLOCKS, BLOCKS / 2, BLOCKS / 2,  /* type, block size, blocks */
        BLOCKS,     BLOCKS / 2,  0,      NAME_MAX,   MEMORY_PAGE, /* files, id, name, fragment */
    };

    return user_copy_out(machine, address, status, sizeof status) ? 0 : -EFAULT;
}

int64_t user_statfs(struct machine *machine, const uint64_t *arguments)
{
    struct path_walk walk;
    struct file_facts facts;
    int64_t result =
        path_walk(machine, &walk, (uint64_t)(int64_t)GUEST_AT_FDCWD, arguments[0], true);

    if (result == 0)
        result = path_facts(&walk, &facts);
    path_end(&walk);
    return result < 0 ? result : put_statfs(machine, arguments[1]);
}

int64_t user_fstatfs(struct machine *machine, const uint64_t *arguments)
{
    return user_file(machine, arguments[0]) ? put_statfs(machine, arguments[1]) : -EBADF;
}
