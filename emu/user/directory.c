/* The user environment's calls on file names: they look at, list, make, rename and remove files.
 *
 * A program sees of the host only names, types, permissions, sizes and contents. The inode number
 * of a file is made from its path, listings are sorted, and times are the program's (times.h). */
#include "emu/load.h"
#include "emu/user/calls.h"
#include "emu/user/path.h"
#include "emu/user/socket.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Values of Linux's generic ABI. */
enum {
    GUEST_AT_SYMLINK_NOFOLLOW = 0x100,
    GUEST_AT_REMOVEDIR = 0x200,
    GUEST_AT_EACCESS = 0x200, /* of faccessat2 */
    GUEST_AT_NO_AUTOMOUNT = 0x800,
    GUEST_AT_EMPTY_PATH = 0x1000,
    GUEST_AT_STATX_SYNC_TYPE = 0x6000,
    GUEST_RENAME_NOREPLACE = 1,
    GUEST_STATX_BASIC_STATS = 0x7ff,
    OWNER_SHIFT = 6,   /* of the owner's permissions in a mode */
    MEMORY_MAJOR = 1,  /* of /dev/null and the like */
    CONSOLE_MAJOR = 5, /* of the standard streams: no other device has these numbers, and C */
    CONSOLE_MINOR = 1, /* libraries ask whether it is a terminal before they take it for one */
    LINK_SIZE = 64,    /* of the links in /proc, whose targets may have any length */
};

/* ---- status ---- */

/* The properties of a file that stat, fstat and statx report. */
struct file_status {
    uint64_t inode, size;
    uint32_t mode;
    uint32_t names;
    uint32_t major, minor; /* of a device */
    struct file_times times;
};

struct guest_time {
    int64_t seconds;
    uint64_t nanoseconds; /* 32 bits and padding in struct statx */
};

/* struct stat of the generic ABI for 64-bit machines. */
struct guest_stat {
    uint64_t st_dev, st_ino;
    uint32_t st_mode, st_nlink, st_uid, st_gid;
    uint64_t st_rdev, pad1;
    int64_t st_size;
    int32_t st_blksize, pad2;
    int64_t st_blocks;
    struct guest_time accessed, modified, changed;
    uint32_t unused[2];
};
_Static_assert(sizeof(struct guest_stat) == 128, "struct stat of the generic ABI");

struct guest_statx {
    uint32_t mask, block_size;
    uint64_t attributes;
    uint32_t links, uid, gid;
    uint16_t mode, pad;
    uint64_t inode, size, blocks, attributes_mask;
    struct guest_time accessed, made, changed, modified;
    uint32_t devices[4]; /* major and minor number of a device, and of that with the file */
    uint64_t unused[14];
};
_Static_assert(sizeof(struct guest_statx) == 256, "struct statx");

/* Is it a pipe, a socket, or an event: a file that no path leads to? */
static bool has_no_path(const struct user_file *file)
{
    return (file->pipe && !file->is_fifo) || file->socket || file->event;
}

unsigned *user_unnamed_mode(const struct user_file *file)
{
    return file->socket                   ? &file->socket->mode
           : file->pipe && !file->is_fifo ? user_pipe_mode(file)
                                          : NULL;
}

/* Returns the type and the permissions of a file without a path. */
static unsigned mode_of(const struct user_file *file)
{
    const unsigned *permissions = user_unnamed_mode(file);

    return permissions ? (file->socket ? S_IFSOCK : S_IFIFO) | *permissions : 0600;
}

/* Returns the inode number of a file without a path. */
static uint64_t inode_of(const struct user_file *file)
{
    return (file->pipe ? user_pipe_serial(file) : file->serial) << 1;
}

static struct file_status status_of(const struct machine *machine, const char *path,
                                    const struct file_facts *facts)
{
    return (struct file_status){
        .inode = inode_of_file(machine->user.processes, path, facts),
        .mode = facts->mode,
        .names = inode_count_names(machine->user.processes, facts),
        .size = facts->size,
        .times = facts->times,
    };
}

static struct file_status status_of_device(const char *path)
{
    return (struct file_status){.inode = inode_of_path(path),
                                .mode = S_IFCHR | 0666,
                                .names = 1,
                                .major = MEMORY_MAJOR,
                                .minor = user_device_minor(path),
                                .times = times_at_start};
}

static int64_t status_of_file(const struct machine *machine, const struct user_file *file,
                              struct file_status *status)
{
    struct file_facts facts;

    if (!file)
        return -EBADF;
    *status = (struct file_status){.inode = 1,
                                   .mode = S_IFCHR | 0620,
                                   .names = 1,
                                   .major = CONSOLE_MAJOR,
                                   .minor = CONSOLE_MINOR,
                                   .times = times_at_start};
    if (file->is_stream)
        return 0;
    if (file->device) {
        *status = status_of_device(file->path);
        return 0;
    }
    if (has_no_path(file)) {
        *status = (struct file_status){
            .inode = inode_of(file), .mode = mode_of(file), .names = 1, .times = times_at_start};
        return 0;
    }
    int64_t result = storage_file_facts(file, &facts);
    if (result == 0)
        *status = status_of(machine, file->path, &facts);
    return result;
}

/* Finds the status of the path at `address`, relative to `directory`. With AT_EMPTY_PATH, an empty
 * path means the descriptor `directory` itself. */
static int64_t find_status(struct machine *machine, uint64_t directory, uint64_t address,
                           uint64_t flags, struct file_status *status)
{
    bool can_be_empty = flags & GUEST_AT_EMPTY_PATH, is_null = !address;
    struct path_walk walk;
    struct file_facts facts;
    char path[PATH_MAX];

    int64_t result = can_be_empty && is_null ? 0 : user_copy_path(machine, address, path);
    if (result < 0)
        return result;
    if (can_be_empty && (is_null || !path[0])) {
        if ((int32_t)directory != GUEST_AT_FDCWD)
            return status_of_file(machine, user_file(machine, directory), status);
        strcpy(path, ".");
    }
    const struct user_file *named = user_named_file(machine, path);
    if (named && !(flags & GUEST_AT_SYMLINK_NOFOLLOW))
        return status_of_file(machine, named, status);
    if (named) {
        *status = (struct file_status){.inode = inode_of_path(path),
                                       .mode = S_IFLNK | 0700,
                                       .names = 1,
                                       .size = LINK_SIZE,
                                       .times = times_at_start};
        return 0;
    }
    if (user_is_device(path)) {
        *status = status_of_device(path);
        return 0;
    }
    if (user_system_file(machine, path, NULL)) {
        const struct file_facts empty = {.mode = S_IFREG | 0444, /* as in Linux */
                                         .names = 1,
                                         .times = times_at_start};
        *status = status_of(machine, path, &empty);
        return 0;
    }
    result =
        path_walk_string(machine, &walk, directory, path, !(flags & GUEST_AT_SYMLINK_NOFOLLOW));
    if (result == 0)
        result = path_facts(&walk, &facts);
    if (result == 0 && !path_canonical(&walk, path))
        result = -ENAMETOOLONG;
    path_end(&walk);
    if (result == 0)
        *status = status_of(machine, path, &facts);
    return result;
}

static struct guest_time guest_time(struct file_time time)
{
    return (struct guest_time){time.seconds, time.nanoseconds};
}

static int64_t put_stat(struct machine *machine, uint64_t address, const struct file_status *status)
{
    const struct guest_stat guest = {
        .st_ino = status->inode,
        .st_mode = status->mode,
        .st_nlink = status->names,
        .st_uid = GUEST_UID,
        .st_gid = GUEST_UID,
        .st_rdev = status->major << 8 | status->minor,
        .st_size = status->size,
        .st_blksize = MEMORY_PAGE,
        .st_blocks = (status->size + 511) / 512,
        .accessed = guest_time(status->times.accessed),
        .modified = guest_time(status->times.modified),
        .changed = guest_time(status->times.changed),
    };

    return user_copy_out(machine, address, &guest, sizeof guest) ? 0 : -EFAULT;
}

int64_t user_fstat(struct machine *machine, const uint64_t *arguments)
{
    struct file_status status;
    int64_t result = status_of_file(machine, user_file(machine, arguments[0]), &status);

    return result < 0 ? result : put_stat(machine, arguments[1], &status);
}

int64_t user_newfstatat(struct machine *machine, const uint64_t *arguments)
{
    uint64_t known = GUEST_AT_SYMLINK_NOFOLLOW | GUEST_AT_NO_AUTOMOUNT | GUEST_AT_EMPTY_PATH;
    struct file_status status;

    if ((uint32_t)arguments[3] & ~known)
        return -EINVAL;
    int64_t result = find_status(machine, arguments[0], arguments[1], arguments[3], &status);

    return result < 0 ? result : put_stat(machine, arguments[2], &status);
}

int64_t user_statx(struct machine *machine, const uint64_t *arguments)
{
    uint64_t known = GUEST_AT_SYMLINK_NOFOLLOW | GUEST_AT_NO_AUTOMOUNT | GUEST_AT_EMPTY_PATH |
                     GUEST_AT_STATX_SYNC_TYPE;
    struct file_status status;

    if ((uint32_t)arguments[2] & ~known || (uint32_t)arguments[3] >> 31 ||
        (arguments[2] & GUEST_AT_STATX_SYNC_TYPE) == GUEST_AT_STATX_SYNC_TYPE)
        return -EINVAL;
    int64_t result = find_status(machine, arguments[0], arguments[1], arguments[2], &status);

    if (result < 0)
        return result;
    const struct guest_statx guest = {
        .mask = GUEST_STATX_BASIC_STATS,
        .block_size = MEMORY_PAGE,
        .links = status.names,
        .uid = GUEST_UID,
        .gid = GUEST_UID,
        .mode = status.mode,
        .inode = status.inode,
        .size = status.size,
        .blocks = (status.size + 511) / 512,
        .accessed = guest_time(status.times.accessed),
        .changed = guest_time(status.times.changed),
        .modified = guest_time(status.times.modified),
        .devices = {status.major, status.minor},
    };
    return user_copy_out(machine, arguments[4], &guest, sizeof guest) ? 0 : -EFAULT;
}

/* May the owner of the open file use it so? */
static int64_t check_file(const struct machine *machine, const struct user_file *file,
                          uint64_t wanted)
{
    struct file_status status;
    int64_t result = status_of_file(machine, file, &status);

    if (result < 0)
        return result;
    return (status.mode >> OWNER_SHIFT & wanted) == wanted ? 0 : -EACCES;
}

static int64_t check_path(const struct machine *machine, uint64_t directory, const char *path,
                          uint64_t wanted, bool follow)
{
    const struct user_file *named = follow ? user_named_file(machine, path) : NULL;
    struct path_walk walk;

    if (named)
        return check_file(machine, named, wanted);
    if (user_is_device(path))
        return wanted & X_OK ? -EACCES : 0;
    if (user_system_file(machine, path, NULL))
        return wanted & (W_OK | X_OK) ? -EACCES : 0;
    int64_t result = path_walk_string(machine, &walk, directory, path, follow);
    if (result == 0)
        result = storage_access(path_directory(&walk), path_name(&walk), wanted);
    path_end(&walk);
    return result;
}

static int64_t check_access(struct machine *machine, const uint64_t *arguments, uint64_t flags)
{
    bool can_be_empty = flags & GUEST_AT_EMPTY_PATH,
         is_here = (int32_t)arguments[0] == GUEST_AT_FDCWD;
    char path[PATH_MAX];

    if (arguments[2] & ~(uint64_t)(R_OK | W_OK | X_OK))
        return -EINVAL;
    int64_t result = user_copy_path(machine, arguments[1], path);
    if (result < 0)
        return result;
    if (!path[0] && can_be_empty && !is_here)
        return check_file(machine, user_file(machine, arguments[0]), arguments[2]);
    return check_path(machine, arguments[0], path[0] || !can_be_empty ? path : ".", arguments[2],
                      !(flags & GUEST_AT_SYMLINK_NOFOLLOW));
}

int64_t user_faccessat(struct machine *machine, const uint64_t *arguments)
{
    return check_access(machine, arguments, 0);
}

/* The effective user (AT_EACCESS) is the only one. */
int64_t user_faccessat2(struct machine *machine, const uint64_t *arguments)
{
    uint64_t known = GUEST_AT_SYMLINK_NOFOLLOW | GUEST_AT_EACCESS | GUEST_AT_EMPTY_PATH;

    return (uint32_t)arguments[3] & ~known ? -EINVAL
                                           : check_access(machine, arguments, arguments[3]);
}

/* Finds where the link of this path leads if it is that to the program, which need not be in the
 * root, or to an open file. Nor need the directories before it, at which C libraries look: they are
 * no links. Returns the length, or a negative error number; 0: this is another path. */
static int64_t read_process_link(struct machine *machine, uint64_t address, char target[PATH_MAX])
{
    char path[PATH_MAX];

    if (user_copy_path(machine, address, path) < 0)
        return 0;
    if (strcmp(path, "/proc") == 0 || strcmp(path, "/proc/self") == 0)
        return -EINVAL;
    const struct user_file *named = user_named_file(machine, path);
    if (named && named->event)
        return snprintf(target, PATH_MAX, "anon_inode:[%s]", user_event_kind(named));
    if (named && has_no_path(named))
        return snprintf(target, PATH_MAX, "%s:[%" PRIu64 "]", named->pipe ? "pipe" : "socket",
                        inode_of(named));
    if (named && named->path)
        return snprintf(target, PATH_MAX, "%s", named->path);
    return path_is_program(path) ? snprintf(target, PATH_MAX, "%s", machine->user.program_path) : 0;
}

int64_t user_readlinkat(struct machine *machine, const uint64_t *arguments)
{
    char target[PATH_MAX];
    struct path_walk walk;
    int64_t length;

    if ((int64_t)arguments[3] <= 0)
        return -EINVAL;
    length = read_process_link(machine, arguments[1], target);
    if (length == 0) {
        length = path_walk(machine, &walk, arguments[0], arguments[1], false);
        if (length == 0)
            length =
                storage_read_link(path_directory(&walk), path_name(&walk), target, sizeof target);
        path_end(&walk);
    }
    if (length < 0)
        return length;
    if ((size_t)length > sizeof target)
        length = sizeof target;
    if ((uint64_t)length > arguments[3])
        length = arguments[3];
    return user_copy_out(machine, arguments[2], target, length) ? length : -EFAULT;
}

/* ---- changes ---- */

int64_t user_mkdirat(struct machine *machine, const uint64_t *arguments)
{
    struct path_walk walk;
    int64_t result = path_walk(machine, &walk, arguments[0], arguments[1], false);

    if (result == 0 && !walk.name[0])
        result = -EEXIST;
    if (result == 0)
        result = storage_make_directory(path_directory(&walk), walk.name,
                                        arguments[2] & 0777 & ~machine->user.creation_mask);
    path_end(&walk);
    return result;
}

/* The target of a link is not checked here: path_walk resolves it inside the root when the link is
 * followed. */
int64_t user_symlinkat(struct machine *machine, const uint64_t *arguments)
{
    char target[PATH_MAX];
    struct path_walk walk;
    int64_t copied = user_copy_path(machine, arguments[0], target);

    if (copied < 0)
        return copied;
    if (!target[0])
        return -ENOENT;
    int64_t result = path_walk(machine, &walk, arguments[1], arguments[2], false);
    if (result == 0)
        result = path_check_new(&walk);
    if (result == 0)
        result = storage_make_link(path_directory(&walk), walk.name, target);
    path_end(&walk);
    return result;
}

int64_t user_unlinkat(struct machine *machine, const uint64_t *arguments)
{
    struct path_walk walk;
    struct file_facts facts;

    if (arguments[2] & ~(uint64_t)GUEST_AT_REMOVEDIR)
        return -EINVAL;
    int64_t result = path_walk(machine, &walk, arguments[0], arguments[1], false);
    if (result == 0 && !walk.name[0])
        result = !arguments[2]    ? -EISDIR
                 : walk.dots == 1 ? -EINVAL
                 : walk.dots      ? -ENOTEMPTY
                                  : -EBUSY;
    bool loses_link = result == 0 && machine->user.processes->linked &&
                      storage_facts(path_directory(&walk), walk.name, &facts) == 0 &&
                      facts.names == 2;
    if (result == 0)
        result = storage_remove(path_directory(&walk), walk.name, arguments[2]);
    if (result == 0 && loses_link)
        inode_forget_link(machine->user.processes, &facts);
    path_end(&walk);
    return result;
}

/* A slash after a name asks for a directory. Returns 0, or a negative error number. */
static int64_t check_slashes(struct path_walk *from, const struct path_walk *to)
{
    struct file_facts facts;

    if (!from->slash && !to->slash)
        return 0;
    int64_t result = path_facts(from, &facts);
    return result == 0 && !S_ISDIR(facts.mode) ? -ENOTDIR : result;
}

int64_t user_renameat2(struct machine *machine, const uint64_t *arguments)
{
    struct path_walk from, to;

    if (arguments[4] & ~(uint64_t)GUEST_RENAME_NOREPLACE)
        return -EINVAL;
    int64_t result = path_walk(machine, &from, arguments[0], arguments[1], false);
    if (result == 0) {
        result = path_walk(machine, &to, arguments[2], arguments[3], false);
        if (result == 0 && (!from.name[0] || !to.name[0]))
            result = -EBUSY;
        if (result == 0)
            result = check_slashes(&from, &to);
        if (result == 0)
            result = storage_rename(path_directory(&from), from.name, path_directory(&to), to.name,
                                    !arguments[4]);
        path_end(&to);
    }
    path_end(&from);
    return result;
}

/* ---- the working directory ---- */

static int64_t set_working(struct user *user, const char *path)
{
    char *copy = strdup(path);

    if (!copy)
        return -ENOMEM;
    free(user->working);
    user->working = copy;
    return 0;
}

int64_t user_chdir(struct machine *machine, const uint64_t *arguments)
{
    struct path_walk walk;
    struct file_facts facts;
    char path[PATH_MAX];
    int64_t result =
        path_walk(machine, &walk, (uint64_t)(int64_t)GUEST_AT_FDCWD, arguments[0], true);

    if (result == 0)
        result = path_facts(&walk, &facts);
    if (result == 0 && !S_ISDIR(facts.mode))
        result = -ENOTDIR;
    if (result == 0)
        result = storage_access(path_directory(&walk), path_name(&walk), X_OK);
    if (result == 0 && !path_canonical(&walk, path))
        result = -ENAMETOOLONG;
    path_end(&walk);
    return result < 0 ? result : set_working(&machine->user, path);
}

int64_t user_fchdir(struct machine *machine, const uint64_t *arguments)
{
    const struct user_file *file = user_file(machine, arguments[0]);

    if (!file)
        return -EBADF;
    return file->is_directory ? set_working(&machine->user, file->path) : -ENOTDIR;
}

int64_t user_getcwd(struct machine *machine, const uint64_t *arguments)
{
    uint64_t length = strlen(machine->user.working) + 1;

    if (arguments[1] < length)
        return -ERANGE;
    return user_copy_out(machine, arguments[0], machine->user.working, length) ? (int64_t)length
                                                                               : -EFAULT;
}

/* ---- listing ---- */

struct entry {
    char *name;
    unsigned char type; /* DT_… */
};

/* A directory's names as they stood when it was first read, sorted. */
struct user_directory {
    struct entry *entries;
    size_t count, capacity;
    size_t position; /* next entry to be given */
};

static void free_listing(struct user_directory *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        free(listing->entries[i].name);
    free(listing->entries);
    free(listing);
}

/* Frees the listing of a directory. */
static void forget_listing(struct user_file *file)
{
    if (file->listing)
        free_listing(file->listing);
    file->listing = NULL;
}

static void release_listing(struct user *user, struct user_file *file)
{
    (void)user;
    forget_listing(file);
}

static bool add_entry(void *context, const char *found, unsigned type)
{
    struct user_directory *listing = context;

    if (listing->count == listing->capacity) {
        size_t capacity = listing->capacity ? 2 * listing->capacity : 64;
        struct entry *entries = realloc(listing->entries, capacity * sizeof *entries);
        if (!entries)
            return false;
        listing->entries = entries;
        listing->capacity = capacity;
    }
    char *name = strdup(found);
    if (!name)
        return false;
    listing->entries[listing->count++] = (struct entry){name, type};
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* Reads the directory, unless its listing is already there. Returns 0, or a negative error number.
 */
static int64_t make_listing(struct user_file *file)
{
    if (file->listing)
        return 0;
    struct user_directory *listing = calloc(1, sizeof *listing);
    int64_t result = listing ? storage_list(file, listing, add_entry) : -ENOMEM;
    if (result < 0) {
        if (listing)
            free_listing(listing);
        return result;
    }
    if (listing->count)
        qsort(listing->entries, listing->count, sizeof *listing->entries, by_name);
    file->listing = listing;
    file->release = release_listing;
    return 0;
}

/* Returns the inode number of an entry, as stat would report it. */
static uint64_t entry_inode(const struct machine *machine, const struct user_file *file,
                            const char *name)
{
    const struct user_processes *processes = machine->user.processes;
    const struct place place = {
        .host = file->host, .node = file->node, .times = &machine->user.processes->times};
    const char *directory = file->path;
    char path[2 * PATH_MAX];
    struct file_facts facts;

    if (strcmp(name, ".") == 0)
        return inode_of_path(directory);
    if (strcmp(name, "..") == 0) {
        snprintf(path, sizeof path, "%s", directory);
        *strrchr(path, '/') = '\0';
        return inode_of_path(path[0] ? path : "/");
    }
    snprintf(path, sizeof path, "%s/%s", directory[1] ? directory : "", name);
    if (processes->linked && storage_facts(&place, name, &facts) == 0)
        return inode_of_file(processes, path, &facts);
    return inode_of_path(path);
}

/* Writes a struct linux_dirent64, padded to 8 bytes. Returns its length; 0 when there is no room.
 */
static uint64_t put_entry(const struct machine *machine, const struct user_file *file,
                          unsigned char *buffer, uint64_t room)
{
    enum { NAME_AT = 19 };
    const struct entry *entry = &file->listing->entries[file->listing->position];
    uint16_t length = (NAME_AT + strlen(entry->name) + 1 + 7) & ~7u;
    const uint64_t numbers[2] = {entry_inode(machine, file, entry->name),
                                 file->listing->position + 1};

    if (length > room)
        return 0;
    memset(buffer, 0, length);
    memcpy(buffer, numbers, sizeof numbers);
    memcpy(buffer + 16, &length, sizeof length);
    buffer[18] = entry->type;
    memcpy(buffer + NAME_AT, entry->name, strlen(entry->name));
    return length;
}

int64_t user_getdents64(struct machine *machine, const uint64_t *arguments)
{
    struct user_file *file = user_file(machine, arguments[0]);
    uint64_t room = arguments[2] < 0x10000 ? arguments[2] : 0x10000;
    uint64_t used = 0, length;

    if (!file)
        return -EBADF;
    if (!file->is_directory)
        return -ENOTDIR;
    unsigned char *buffer = memory_range(&machine->memory, arguments[1], room, true);
    if (!buffer)
        return -EFAULT;
    int64_t result = make_listing(file);
    if (result < 0)
        return result;
    struct user_directory *listing = file->listing;
    while (listing->position < listing->count &&
           (length = put_entry(machine, file, buffer + used, room - used))) {
        used += length;
        listing->position++;
    }
    if (used == 0 && listing->position < listing->count)
        return -EINVAL;
    port_record_write(&machine->port, arguments[1], used, buffer);
    return used;
}

/* Seeks to the start, after which the directory is read anew, or to a position that getdents64
 * returned. */
int64_t user_directory_seek(struct user_file *file, uint64_t offset, uint64_t whence)
{
    uint64_t position = file->listing ? file->listing->position : 0;

    if (whence == SEEK_CUR && offset == 0)
        return position;
    if (whence != SEEK_SET || offset > INT64_MAX)
        return -EINVAL;
    if (offset == 0) {
        forget_listing(file);
        return 0;
    }
    int64_t result = make_listing(file);
    if (result < 0)
        return result;
    file->listing->position = offset < file->listing->count ? offset : file->listing->count;
    return offset;
}
