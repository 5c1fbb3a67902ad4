/* The user environment's calls that change a file without its contents: links, modes, owners,
 * times, and its length. */
#include "emu/user/calls.h"
#include "emu/user/path.h"
#include <errno.h>
#include <sys/stat.h>

enum { PERMISSIONS = 0777 };

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
        if (result == 0 && !to.name[0])
            result = -EEXIST;
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

/* Makes regular files only, because no other node could be opened. */
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
    if (result == 0 && type != 0 && type != S_IFREG)
        result = -EPERM;
    if (result == 0)
        result = storage_make_file(path_directory(&walk), walk.name,
                                   arguments[2] & PERMISSIONS & ~machine->user.creation_mask);
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
    return file && !(file->flags & GUEST_O_PATH) && storage_has(file) ? file : NULL;
}

int64_t user_fchmod(struct machine *machine, const uint64_t *arguments)
{
    int error;
    const struct user_file *file = changeable(machine, arguments[0], &error);

    return file ? storage_change_file_mode(file, arguments[1] & PERMISSIONS) : -error;
}

/* Checks a change of owner. All files belong to the only user; other ids are refused. */
static int64_t check_owner(uint64_t user, uint64_t group)
{
    uint32_t keep = UINT32_MAX;
    bool same = ((uint32_t)user == keep || (uint32_t)user == GUEST_UID) &&
                ((uint32_t)group == keep || (uint32_t)group == GUEST_UID);

    return same ? 0 : -EPERM;
}

/* Does the path name an existing file? Returns 0, or a negative error number. */
static int64_t check_name(struct machine *machine, uint64_t directory, uint64_t address,
                          bool follow)
{
    struct path_walk walk;
    struct file_facts facts;
    int64_t result = path_walk(machine, &walk, directory, address, follow);

    if (result == 0)
        result = path_facts(&walk, &facts);
    path_end(&walk);
    return result;
}

int64_t user_fchownat(struct machine *machine, const uint64_t *arguments)
{
    enum { NO_FOLLOW = 0x100 };

    if (arguments[4] & ~(uint64_t)NO_FOLLOW)
        return -EINVAL;
    int64_t result = check_name(machine, arguments[0], arguments[1], !(arguments[4] & NO_FOLLOW));
    return result < 0 ? result : check_owner(arguments[2], arguments[3]);
}

int64_t user_fchown(struct machine *machine, const uint64_t *arguments)
{
    int error;

    if (!changeable(machine, arguments[0], &error))
        return -error;
    return check_owner(arguments[1], arguments[2]);
}

/* ---- times ---- */

/* Checks a change of times and ignores it. The times of a file are always 0, because those of the
 * host must not show. */
int64_t user_utimensat(struct machine *machine, const uint64_t *arguments)
{
    enum { NO_FOLLOW = 0x100, NOW = 0x3fffffff, OMIT = 0x3ffffffe, SECOND = 1000000000 };
    uint64_t times[4] = {0};

    if (arguments[2] && !user_copy_in(machine, times, arguments[2], sizeof times))
        return -EFAULT;
    for (int i = 1; i < 4; i += 2)
        if (times[i] >= SECOND && times[i] != NOW && times[i] != OMIT)
            return -EINVAL;
    if (times[1] == OMIT && times[3] == OMIT)
        return 0;
    if (arguments[3] & ~(uint64_t)NO_FOLLOW)
        return -EINVAL;
    if (arguments[1])
        return check_name(machine, arguments[0], arguments[1], !(arguments[3] & NO_FOLLOW));
    if (arguments[3])
        return -EINVAL;
    return user_file(machine, arguments[0]) ? 0 : -EBADF;
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
    if (arguments[1] & KEEP_SIZE || (uint64_t)offset + length <= facts.size)
        return 0;
    return storage_resize(file, (uint64_t)offset + length);
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
    int64_t result = check_name(machine, (uint64_t)(int64_t)GUEST_AT_FDCWD, arguments[0], true);

    return result < 0 ? result : put_statfs(machine, arguments[1]);
}

int64_t user_fstatfs(struct machine *machine, const uint64_t *arguments)
{
    return user_file(machine, arguments[0]) ? put_statfs(machine, arguments[1]) : -EBADF;
}
